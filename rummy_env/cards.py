"""Cards: ids, sets of cards as bitmasks, points, and their text.

A card is an int: ``suit * 13 + rank`` with suits in the order S H D C and rank 0 for the ace up to 12 for the
king; the two jokers are 52 and 53. A set of cards is one ``np.uint64`` with bit *c* standing for card *c*.
In text a card is its rank ``A 2..9 T J Q K`` and its suit, or ``X1``, ``X2`` for a joker.

>>> card("6D")
31
>>> card_text(31)
'6D'
>>> mask_text(parse_cards("tc 6d x1"))
'6D TC X1'
"""

from collections.abc import Iterable, Iterator

import numpy as np

RANKS = "A23456789TJQK"
SUITS = "SHDC"
NUM_CARDS = 52
JOKERS = (52, 53)
CARD_NAMES = tuple(r + s for s in SUITS for r in RANKS) + ("X1", "X2")

#: Points of a card in gin, ``int64[52]``: ace 1, 2 to 10 their pips, J Q K 10 (RULES A3).
POINTS = np.array([min(r + 1, 10) for _ in SUITS for r in range(13)], dtype=np.int64)

PACK = np.uint64((1 << NUM_CARDS) - 1)
SUIT_MASK = np.uint64((1 << 13) - 1)
#: All aces: what a shift by one card must not cross; shifted by a rank, all cards of that rank.
ACES = np.uint64(sum(1 << (13 * s) for s in range(4)))

_IDS = {name: i for i, name in enumerate(CARD_NAMES)}


class CardError(ValueError):
    """A text or id that is no card, or a card that appears twice."""


def card(text: str) -> int:
    """The id of one card: ``"6D"`` or ``"6d"`` gives 31. Raises CardError naming the text."""
    try:
        return _IDS[text.upper()]
    except (KeyError, AttributeError):
        raise CardError(f"unknown card {text!r}: a card is a rank A23456789TJQK and a suit SHDC, or X1, X2") from None


def card_list(text: str) -> list[int]:
    """Card ids in the order written, from ``"6D TC"``, ``"6D,TC"`` or ``"6DTC"``. Raises CardError."""
    words = text.replace(",", " ").split()
    names = [word[i : i + 2] for word in words for i in range(0, len(word), 2)]
    ids = [card(name) for name in names]
    for i, c in enumerate(ids):
        if c in ids[:i]:
            raise CardError(f"card {CARD_NAMES[c]} appears twice in {text!r}")
    return ids


def parse_cards(text: str) -> np.uint64:
    """The set of the cards written in ``text``, as a mask. Raises CardError."""
    return mask_of(card_list(text))


def mask_of(ids: Iterable[int]) -> np.uint64:
    """The set of some card ids. Raises CardError for an id outside 0..53 or given twice.

    >>> int(mask_of([0, 2]))
    5
    """
    mask = 0
    for c in ids:
        if not 0 <= c < len(CARD_NAMES):
            raise CardError(f"unknown card id {c}: ids run from 0 to {len(CARD_NAMES) - 1}")
        if mask >> int(c) & 1:
            raise CardError(f"card {CARD_NAMES[c]} appears twice")
        mask |= 1 << int(c)
    return np.uint64(mask)


def ids_of(mask: int | np.uint64) -> Iterator[int]:
    """The ids in a set, ascending.

    >>> list(ids_of(5))
    [0, 2]
    """
    rest = int(mask)
    while rest:
        low = rest & -rest
        yield low.bit_length() - 1
        rest ^= low


def card_text(c: int) -> str:
    """``31`` gives ``"6D"``. Raises CardError for an id outside 0..53."""
    if not 0 <= c < len(CARD_NAMES):
        raise CardError(f"unknown card id {c}: ids run from 0 to {len(CARD_NAMES) - 1}")
    return CARD_NAMES[c]


def mask_text(mask: int | np.uint64, sep: str = " ") -> str:
    """The cards of a set in id order: spades first, ace low, jokers last."""
    return sep.join(card_text(c) for c in ids_of(mask))
