"""The rules of every variant: one NamedTuple of ints per game, and a table that names its settings.

The games come from two source texts, a Russian one (``-ru``) and a Spanish one (``-es``), and from the rules of
other systems for comparison (``gin-eaai``: the EAAI 2021 challenge; ``gin-openspiel``, ``oklahoma-openspiel``).

Gin in words. Two players hold ten cards each; one open card starts the pile, the rest is the stock. On his turn a
player takes the top of the stock or the upcard and then discards a card. A set is three or four cards of one rank,
a run three or more cards in sequence of one suit, ace low; a card belongs to one meld only, and the points of cards
outside melds are deadwood. A player whose deadwood, one card put aside, is within the limit may knock; without
deadwood that is gin. The defender melds and lays off on the knocker's melds, and the lower deadwood wins the
difference, with a bonus for gin and for an undercut. Deals add up to a match.

A :class:`GinRules` holds plain ints so that kernels take it as one value; where a setting is a choice between
words, the int is the position in ``choices`` of its :class:`Setting`. Build one with :func:`gin_rules`, which
accepts the words, refuses what is impossible, and is the only place that does.
"""

import difflib
from collections.abc import Iterable
from typing import Any, NamedTuple


class RulesError(ValueError):
    """A setting that is unknown, out of range, or impossible together with another."""


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


class Setting(NamedTuple):
    """What a setting means and which values it takes: a range of ints, ``choices`` between words, or yes and no."""

    meaning: str
    low: int = 0
    high: int = 1
    choices: tuple[str, ...] = ()

    @property
    def is_flag(self) -> bool:
        return not self.choices and (self.low, self.high) == (0, 1)

    def allowed(self) -> str:
        """The values in words: ``"0 to 100"``, ``"stock | any"``, ``"yes | no"``."""
        if self.choices:
            return " | ".join(self.choices)
        return "yes | no" if self.is_flag else f"{self.low} to {self.high}"

    def code(self, value: Any) -> int | None:
        """The int a value stands for, or None if it is not allowed."""
        if isinstance(value, str) and self.is_flag:
            value = {"yes": 1, "no": 0, "true": 1, "false": 0}.get(value.lower(), value)
        if isinstance(value, str) and self.choices:
            return self.choices.index(value) if value in self.choices else None
        if isinstance(value, str) and value.removeprefix("-").isdecimal():
            value = int(value)
        if isinstance(value, bool) and not self.is_flag:
            return None
        if isinstance(value, str | float) or not hasattr(value, "__index__") or (self.choices and not isinstance(value, int)):
            return None
        high = len(self.choices) - 1 if self.choices else self.high
        return int(value) if self.low <= int(value) <= high else None

    def words(self, code: int) -> str:
        """How a stored int prints."""
        if self.choices:
            return self.choices[code]
        return ("no", "yes")[code] if self.is_flag else str(code)


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

#: What each variant changes of ``gin-es``: its whole definition.
VARIANTS: dict[str, dict[str, Any]] = {
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


def choice(setting: str, word: str) -> int:
    """The int that stands for a word of a setting, for use as a constant in kernels."""
    return GIN_SETTINGS[setting].choices.index(word)


def unknown_name(kind: str, name: str, known: Iterable[str]) -> RulesError:
    """The error that refuses a name: it says which name is close, and which there are."""
    known = list(known)
    close = difflib.get_close_matches(str(name), known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return RulesError(f"unknown {kind} {name!r}{hint} (known: {', '.join(known)})")


def check_variant(variant: str) -> str:
    """Returns the name if it is a variant, else raises RulesError listing those there are."""
    if variant not in VARIANTS:
        raise unknown_name("variant", variant, VARIANTS)
    return variant


def gin_rules(variant: str = "gin-es", **overrides: Any) -> GinRules:
    """The rules of a variant with some settings overridden, by word or number.

    Raises RulesError, which names the setting and what it allows, for anything unknown or impossible.

    >>> gin_rules("gin-ru", knock_limit=5, layoff_by="defender").knock_limit
    5
    """
    settings = VARIANTS[check_variant(variant)] | overrides
    codes: dict[str, int] = {}
    for name, value in settings.items():
        if name not in GIN_SETTINGS:
            raise unknown_name("setting", name, GIN_SETTINGS)
        code = GIN_SETTINGS[name].code(value)
        if code is None:
            raise RulesError(f"{name}={value!r} is not possible: {name} allows {GIN_SETTINGS[name].allowed()}")
        codes[name] = code
    rules = GinRules(**codes)
    _refuse_impossible(rules)
    return rules


def _refuse_impossible(rules: GinRules) -> None:
    """Raises RulesError for settings that contradict each other."""
    if rules.oklahoma and rules.knock_limit == 0:
        raise RulesError("oklahoma=yes takes the limit from the upcard, which knock_limit=0 (only gin closes) contradicts")
    if rules.layoff_on_gin and rules.layoff_by == choice("layoff_by", "nobody"):
        raise RulesError("layoff_on_gin=yes contradicts layoff_by=nobody")
    if rules.layoff_choice == choice("layoff_choice", "greedy") and rules.layoff_by == choice("layoff_by", "both"):
        raise RulesError("layoff_choice=greedy is defined for layoff_by=defender or nobody, not for both")
    if rules.stock_end == choice("stock_end", "last_knock_at_2") and rules.knock_after == choice("knock_after", "stock"):
        raise RulesError("stock_end=last_knock_at_2 knocks with the upcard, which knock_after=stock forbids")


def settings_in_words(rules: GinRules) -> dict[str, str]:
    """Each setting's value as it is written in text, in the order of the table."""
    return {name: setting.words(getattr(rules, name)) for name, setting in GIN_SETTINGS.items()}


def overrides_of(variant: str, rules: GinRules) -> dict[str, str]:
    """The settings in which ``rules`` differ from a variant, in words: what a record must name."""
    base, now = settings_in_words(gin_rules(variant)), settings_in_words(rules)
    return {name: now[name] for name in now if now[name] != base[name]}


def describe(variant: str, rules: GinRules) -> str:
    """A variant's full rule set in words and values, one setting a line."""
    words = settings_in_words(rules)
    width = max(map(len, words))
    lines = [f"{variant}: two players, {rules.hand_size} cards each, one open card, ace low"]
    lines += [f"  {name:<{width}}  {value:<16} {GIN_SETTINGS[name].meaning}" for name, value in words.items()]
    return "\n".join(lines)
