"""The 1401 actions of 500 Rum and their names.

==============  ==================================================================================================
0               draw from the stock
1 to 54         take card ``action - 1`` of the row and all laid after it
55 to 561       lay a set: ``rank * 39 + pattern``, see :data:`SET_PATTERNS`
562 to 925      lay a run of three: ``(suit * 13 + first rank) * 7 + pattern``, see :data:`RUN_PATTERNS`
926 to 977      lay off a card on the set of its rank
978 to 1029     lay off a card above a run: at its high end
1030 to 1081    lay off a card below a run: at its low end
1082 to 1237    lay off a joker as a card: on a set, above a run, below a run
1238 to 1341    swap a card for the joker that stands for it: X1, X2
1342 to 1345    lay the card a joker stands for in its place; the joker moves up or down: X1 up, X1 down, X2 up, X2 down
1346 to 1399    discard card ``action - 1346``, which ends the turn
1400            pass (the stock is out)
==============  ==================================================================================================

Longer runs grow by lay-offs. Ranks go round the corner: the place above a king is the ace. Two runs never end, nor begin, at
one card, so a card and an end tell the run; where one run could take a card at both ends, the high end is meant. A set
of a rank takes a card only if it is the only one of that rank. When a joker is used and both are in the hand, it is the one
that must be laid in this turn, else the one that may not be discarded, else X1; of two in one lay the lower number
takes the earlier place. How a joker moves: up is the place above its run's high end, or the free suit of its set.
"""

from itertools import combinations
from typing import Any

from rummy_env.cards import CARD_NAMES, JOKERS, NUM_CARDS, CardError, card, card_text
from rummy_env.errors import ActionError

DRAW_STOCK = 0
TAKE = 1
LAY_SET = 55
LAY_RUN = 562
LAY_OFF_SET = 926
LAY_OFF_ABOVE = 978
LAY_OFF_BELOW = 1030
JOKER_SET = 1082
JOKER_ABOVE = 1134
JOKER_BELOW = 1186
SWAP = 1238
REBIND = 1342
DISCARD = 1346
PASS = 1400
NUM_ACTIONS = 1401


def _with_jokers(places: tuple[int, ...]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(places, jokers) for count in range(3) for jokers in combinations(places, count)]


#: (suits covered, which of them by jokers) of a set, in the order of ``pattern``.
SET_PATTERNS = [pattern for suits in (*combinations(range(4), 3), tuple(range(4))) for pattern in _with_jokers(suits)]
#: (places, which of them by jokers) of a run of three.
RUN_PATTERNS = _with_jokers((0, 1, 2))


def card_id(suit: int, rank: int) -> int:
    """The card of a suit whose rank may go round the corner."""
    return suit * 13 + rank % 13


def lay_of(action: int) -> tuple[list[int], list[int]]:
    """What a lay of a new meld shows: its places as cards, in order, and which of those are jokers."""
    if action < LAY_RUN:
        rank, pattern = divmod(action - LAY_SET, len(SET_PATTERNS))
        suits, jokers = SET_PATTERNS[pattern]
        return [card_id(s, rank) for s in suits], [card_id(s, rank) for s in jokers]
    first, pattern = divmod(action - LAY_RUN, len(RUN_PATTERNS))
    suit, rank = divmod(first, 13)
    places, jokers = RUN_PATTERNS[pattern]
    return [card_id(suit, rank + k) for k in places], [card_id(suit, rank + k) for k in jokers]


_SPOTS = ("on the set", "above the run", "below the run")
_PLAIN = {DRAW_STOCK: "draw stock", PASS: "pass"}


def action_name(action: int, t: Any = None) -> str:
    """The name of an action. With the table ``t`` it is played at, it names the jokers and counts the cards taken.

    >>> action_name(LAY_RUN + (3 * 13 + 9) * 7 + 1), action_name(SWAP + 48), action_name(LAY_OFF_ABOVE + 5)
    ('lay X(TC) JC QC', 'swap TC for X1', 'lay off 6S above the run')
    """
    if action in _PLAIN:
        return _PLAIN[action]
    if TAKE <= action < LAY_SET:
        return f"take {card_text(action - TAKE)}" + (_taken_above(t, action - TAKE) if t is not None else " and all above")
    if LAY_SET <= action < LAY_OFF_SET:
        return "lay " + _lay_text(action, t)
    if LAY_OFF_SET <= action < SWAP:
        spot, c = divmod(action - LAY_OFF_SET, NUM_CARDS)
        what = card_text(c) if spot < 3 else f"{_jokers(t)[0]} as {card_text(c)}"
        return f"lay off {what} {_SPOTS[spot % 3]}"
    if SWAP <= action < REBIND:
        joker, c = divmod(action - SWAP, NUM_CARDS)
        return f"swap {card_text(c)} for X{joker + 1}"
    if REBIND <= action < DISCARD:
        joker, way = divmod(action - REBIND, 2)
        what = "a card" if t is None or t.joker_as[joker] == 255 else card_text(int(t.joker_as[joker]))
        return f"lay {what} for X{joker + 1}, moving it {('up', 'down')[way]}"
    if DISCARD <= action < PASS:
        return f"discard {card_text(action - DISCARD)}"
    raise ActionError(f"unknown action {action}: actions run from 0 to {NUM_ACTIONS - 1}")


def _taken_above(t: Any, c: int) -> str:
    row = t.row[: int(t.row_size)].tolist()
    above = len(row) - 1 - row.index(c) if c in row else 0
    return f" and {above} above" if above else ""


def _jokers(t: Any) -> list[str]:
    """How the jokers of the seat to act are called in the order of their use: both X where no table is given."""
    if t is None:
        return ["X", "X"]
    held = [j for j in JOKERS if int(t.hands[int(t.to_act)]) >> j & 1]
    return [CARD_NAMES[j] for j in sorted(held, key=lambda j: (j != t.owed, j != t.barred, j))] + ["X", "X"]


def _lay_text(action: int, t: Any) -> str:
    places, jokers = lay_of(action)
    names = _jokers(t)[: len(jokers)]
    named = dict(zip(jokers, sorted(names)))
    return " ".join(f"{named[c]}({card_text(c)})" if c in jokers else card_text(c) for c in places)


def _all_names() -> dict[str, int]:
    names = {action_name(action).lower(): action for action in range(NUM_ACTIONS)}
    for joker in range(2):
        for way in range(2):
            names[f"lay for x{joker + 1}, moving it {('up', 'down')[way]}"] = REBIND + 2 * joker + way
    return names


_NAMES: dict[str, int] = {}


def parse_action(text: str) -> int:
    """The action a name stands for, upper or lower case: the inverse of :func:`action_name`, with or without a table.

    Jokers may be named: ``lay X1(TC) JC QC``. Raises ActionError.

    >>> parse_action("lay x2(tc) jc qc") == parse_action("lay X(TC) JC QC") == LAY_RUN + (3 * 13 + 9) * 7 + 1
    True
    """
    if not _NAMES:
        _NAMES.update(_all_names())
    words = text.lower().split()
    if words[:1] == ["take"] and len(words) >= 2:
        return TAKE + _card(text, words[1])
    if words[:1] == ["lay"] and words[1:2] != ["off"] and "moving" in words:
        words = [w for w in words if w in ("lay", "for", "x1,", "x2,", "moving", "it", "up", "down")]
    elif words[:1] == ["lay"]:
        words = [w.replace("x1(", "x(").replace("x2(", "x(") for w in words]
        words = ["x" if w in ("x1", "x2") else w for w in words]
    name = " ".join(words)
    if name not in _NAMES:
        raise ActionError(
            f"unknown action {text!r}: such as 'draw stock', 'take 7D', 'lay 7S 7H X(7D)', 'lay off 7C on the set', "
            "'lay off X as 6S above the run', 'swap TC for X1', 'discard 7D', 'pass'"
        )
    return _NAMES[name]


def _card(text: str, word: str) -> int:
    try:
        return card(word)
    except CardError as error:
        raise ActionError(f"unknown action {text!r}: {error}") from None


def menu_entry(action: int, t: Any = None) -> tuple[str, str]:
    """The kind of an action and what tells it from others of its kind, for a menu with one line a kind."""
    kind, _, word = action_name(action, t).partition(" ")
    if kind == "lay" and word.startswith("off "):
        return "lay off", word.removeprefix("off ")
    return kind, word
