"""500 Rum in words. Each player, all for himself, holds a few cards of a pack with jokers; one open card starts the row,
the rest is the stock. On his turn a player draws the top of the stock, or takes any card of the row with all cards laid
after it. Then he may lay sets (three or four cards of one rank) and runs (three or more in sequence of one suit), lay off
on any meld of the table, and swap a joker for the card it stands for; a discard at the end of the row ends the turn.
Cards laid count for the one who lays them, cards left in hand against him, when the first player is out. Deals add up
to a match.
"""

from typing import Any, NamedTuple

from rummy_env.rules.setting import RuleBook, RulesError, Setting


class Rum500Rules(NamedTuple):
    """One variant of 500 Rum as ints (the defaults are those of ``rum500-ru``); meanings in :data:`RUM500_SETTINGS`."""

    num_players: int = 4
    hand_size: int = 6
    jokers: int = 2
    run_corner: int = 1
    row_use: int = 0
    joker_rebind: int = 0
    joker_swap: int = 1
    swap_credit: int = 0
    max_jokers_per_meld: int = 2
    ace_value: int = 0
    go_out: int = 0
    stock_end: int = 0
    max_turns: int = 400
    target: int = 500
    num_deals: int = 0


RUM500_SETTINGS: dict[str, Setting] = {
    "num_players": Setting("players, each for himself", 2, 6),
    "hand_size": Setting("cards dealt to each player", 3, 13),
    "jokers": Setting("jokers in the pack", 0, 2),
    "run_corner": Setting("runs may turn the corner (K A 2); no: the ace is the low or the high end"),
    "row_use": Setting(
        "which chosen card of the row must be laid in the same turn: none, one taken from below the top, or any",
        choices=("none", "deep", "always"),
    ),
    "joker_rebind": Setting("the card a joker stands for may be laid in its place, the joker moving on within the meld"),
    "joker_swap": Setting("the card a joker stands for may be put in its place, the joker going to the hand"),
    "swap_credit": Setting(
        "a swap credits the card to the swapper and takes the joker's points from who laid it, or changes no credits",
        choices=("swapper", "owner"),
    ),
    "max_jokers_per_meld": Setting("most jokers in one meld", 0, 2),
    "ace_value": Setting(
        "points of an ace; 15_or_1_low: 1 where it is the low end of a run, else 15",
        choices=("10", "15", "11", "1", "15_or_1_low"),
    ),
    "go_out": Setting(
        "the deal ends with a discard only, or a player may also lay all his cards", choices=("discard", "discard_optional")
    ),
    "stock_end": Setting(
        "with the stock out players take from the row, and the first who passes ends the deal; the deal ends at once; or "
        "the row but its last card is shuffled into a new stock",
        choices=("row_or_end", "end", "reshuffle"),
    ),
    "max_turns": Setting("turns after which a deal is scored as it stands (reported as truncation)", 1, 10000),
    "target": Setting("points that end the match", 1, 100000),
    "num_deals": Setting("deals that end the match, whatever the points; 0: play to the target", 0, 10000),
}

_VARIANTS: dict[str, dict[str, Any]] = {
    "rum500-ru": {},
    "rum500-standard": {
        "hand_size": 7,
        "run_corner": False,
        "row_use": "deep",
        "joker_swap": False,
        "ace_value": "15_or_1_low",
        "go_out": "discard_optional",
    },
}


def _refuse_impossible(rules: Rum500Rules) -> None:
    """Raises RulesError for settings that contradict each other."""
    pack, dealt = 52 + rules.jokers, rules.num_players * rules.hand_size
    if dealt + 2 > pack:
        raise RulesError(
            f"num_players={rules.num_players} with hand_size={rules.hand_size} is not possible: {dealt} cards of {pack} are "
            "dealt, and one for the row and one for the stock must be left"
        )


def _heading(rules: Rum500Rules) -> str:
    jokers = ("no joker", "one joker", "two jokers")[rules.jokers]
    return f"{rules.num_players} players, {rules.hand_size} cards each, {jokers}, one open card"


RUM500_BOOK = RuleBook(
    "rum500",
    Rum500Rules,
    RUM500_SETTINGS,
    _VARIANTS,
    _refuse_impossible,
    _heading,
    "500 Rum as the Russian text has it",
)
