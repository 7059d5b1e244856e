"""Gin in words. Two players hold ten cards each; one open card starts the pile, the rest is the stock. On his turn a
player takes the top of the stock or the upcard and then discards a card. A set is three or four cards of one rank,
a run three or more cards in sequence of one suit, ace low; a card belongs to one meld only, and the points of cards
outside melds are deadwood. A player whose deadwood, one card put aside, is within the limit may knock; without
deadwood that is gin. The defender melds and lays off on the knocker's melds, and the lower deadwood wins the
difference, with a bonus for gin and for an undercut. Deals add up to a match.
"""

from typing import Any, NamedTuple

from rummy_env.rules.setting import RuleBook, RulesError, Setting


class GinRules(NamedTuple):
    """One variant of gin as ints (the defaults are those of ``gin-es``); meanings in :data:`GIN_SETTINGS`."""

    hand_size: int = 10
    knock_limit: int = 10
    oklahoma: int = 0
    spades_double: int = 0
    knock_after: int = 1
    gin_bonus: int = 25
    undercut_bonus: int = 20
    undercut_on_tie: int = 0
    big_gin_bonus: int = 0
    layoff_by: int = 1
    layoff_choice: int = 0
    layoff_on_gin: int = 0
    rediscard_taken: int = 0
    first_upcard: int = 0
    stock_end: int = 0
    max_turns: int = 200
    max_takes: int = 0
    starter: int = 1
    target: int = 100
    scoring: int = 0
    box_bonus: int = 0
    game_bonus: int = 0
    shutout: int = 0


GIN_SETTINGS: dict[str, Setting] = {
    "hand_size": Setting("cards dealt to each player", 3, 13),
    "knock_limit": Setting("most deadwood a knocker may keep; 0: only gin closes", 0, 100),
    "oklahoma": Setting("the opening upcard's value is the limit (J Q K 10, ace: only gin closes)"),
    "spades_double": Setting(
        "an opening spade doubles nothing, the difference, or all points of the deal", choices=("off", "difference", "all")
    ),
    "knock_after": Setting("closing is allowed after a card from the stock only, or after any draw", choices=("stock", "any")),
    "gin_bonus": Setting("points for gin, on top of the defender's deadwood", 0, 1000),
    "undercut_bonus": Setting("points for the defender with less deadwood, on top of the difference", 0, 1000),
    "undercut_on_tie": Setting("equal deadwood counts as an undercut (no: it scores 0)"),
    "big_gin_bonus": Setting("points for closing with all cards melded and none put aside; 0: not offered", 0, 1000),
    "layoff_by": Setting(
        "who lays off on the other's melds; with both, the defender first", choices=("nobody", "defender", "both")
    ),
    "layoff_choice": Setting(
        "melds and lay-offs are chosen jointly for the best result, or each loose card of the first best "
        "arrangement goes to the first meld that takes it",
        choices=("optimal", "greedy"),
    ),
    "layoff_on_gin": Setting("the defender may lay off against gin"),
    "rediscard_taken": Setting(
        "a taken upcard may be put out again in the same turn; two such turns running end the deal dead"
    ),
    "first_upcard": Setting(
        "when both refuse the opening upcard: the starter draws from the stock, or (inverted) the second player, who "
        "is not asked to refuse, has the first full turn",
        choices=("both_pass", "invert"),
    ),
    "stock_end": Setting(
        "dead when two cards are left after a discard; at three the pile is shuffled under the stock; or at two a "
        "last knock with the upcard",
        choices=("void_at_2", "reshuffle_at_3", "last_knock_at_2"),
    ),
    "max_turns": Setting("turns after which a deal ends without score (reported as truncation)", 1, 10000),
    "max_takes": Setting("upcards taken in one deal, the opening offer apart, after which it ends dead; 0: no bound", 0, 10000),
    "starter": Setting(
        "first player: at random, then alternating each deal, or only after a deal that was closed; always seat 0; "
        "or at random, then the last deal's winner or loser",
        choices=("alternate", "alternate_scored", "seat0", "winner", "loser"),
    ),
    "target": Setting("points that end the match", 1, 100000),
    "scoring": Setting(
        "points add to the winner's score, or (minus) count against the loser, who loses the match at -target",
        choices=("plus", "minus"),
    ),
    "box_bonus": Setting("points for each deal won, added when the match is over", 0, 1000),
    "game_bonus": Setting("points for winning the match, added when it is over", 0, 10000),
    "shutout": Setting("points more for the game when the loser won no deal", 0, 10000),
}

_STANDARD = {"undercut_bonus": 25, "undercut_on_tie": True}
_OPENSPIEL = {
    "undercut_bonus": 25,
    "starter": "seat0",
    "stock_end": "last_knock_at_2",
    "rediscard_taken": True,
    "max_takes": 50,
}
_RU = {
    "knock_after": "stock",
    "undercut_bonus": 25,
    "layoff_by": "both",
    "stock_end": "reshuffle_at_3",
    "starter": "alternate",
    "target": 150,
    "scoring": "minus",
}

_VARIANTS: dict[str, dict[str, Any]] = {
    "gin-ru": _RU,
    "oklahoma-ru": _RU | {"oklahoma": True},
    "gin-es": {},
    "oklahoma-es": {"oklahoma": True, "spades_double": "all"},
    "gin-standard": _STANDARD,
    "gin-eaai": _STANDARD | {"layoff_choice": "greedy"},
    "gin-openspiel": _OPENSPIEL,
    "oklahoma-openspiel": _OPENSPIEL | {"oklahoma": True},
    "straight-gin": {"knock_limit": 0},
}


def _choice(setting: str, word: str) -> int:
    return GIN_SETTINGS[setting].choices.index(word)


def _refuse_impossible(rules: GinRules) -> None:
    """Raises RulesError for settings that contradict each other."""
    if rules.oklahoma and rules.knock_limit == 0:
        raise RulesError("oklahoma=yes takes the limit from the upcard, which knock_limit=0 (only gin closes) contradicts")
    if rules.layoff_on_gin and rules.layoff_by == _choice("layoff_by", "nobody"):
        raise RulesError("layoff_on_gin=yes contradicts layoff_by=nobody")
    if rules.layoff_choice == _choice("layoff_choice", "greedy") and rules.layoff_by == _choice("layoff_by", "both"):
        raise RulesError("layoff_choice=greedy is defined for layoff_by=defender or nobody, not for both")
    if rules.stock_end == _choice("stock_end", "last_knock_at_2") and rules.knock_after == _choice("knock_after", "stock"):
        raise RulesError("stock_end=last_knock_at_2 knocks with the upcard, which knock_after=stock forbids")


def _heading(rules: GinRules) -> str:
    return f"two players, {rules.hand_size} cards each, one open card, ace low"


GIN_BOOK = RuleBook("gin", GinRules, GIN_SETTINGS, _VARIANTS, _refuse_impossible, _heading, "gin as the Spanish text has it")
