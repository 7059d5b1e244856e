"""The places of a meld on the table: their order, whether they make a meld, and how they print."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rummy_env.cards import JOKERS, card_text, ids_of
from rummy_env.rules import Rum500Rules
from rummy_env.state import NO_CARD


@dataclass(frozen=True)
class Place:
    """A place of a meld: the card it shows, and the joker that stands for it (None: the card itself)."""

    card: int
    joker: int | None

    @property
    def lies(self) -> int:
        """The card that lies there."""
        return self.card if self.joker is None else self.joker

    def __str__(self) -> str:
        """``TC``, or ``X1(TC)`` for a joker."""
        return card_text(self.card) if self.joker is None else f"{card_text(self.joker)}({card_text(self.card)})"


def places_of(t: Any, meld: int) -> tuple[Place, ...]:
    """The places of meld number ``meld`` of table ``t`` in order: a set by suit, a run from its low end on."""
    jokers = {int(t.joker_as[j]): JOKERS[j] for j in range(2) if t.joker_as[j] != NO_CARD and t.joker_meld[j] == meld}
    return tuple(Place(c, jokers.get(c)) for c in in_order(t.melds[meld]))


def in_order(meld: Any) -> list[int]:
    """The places of a set by suit, of a run from its low end on, round the corner; a run of all 13 begins with the ace.

    >>> in_order(1 << 11 | 1 << 12 | 1 << 0)
    [11, 12, 0]
    """
    cards = list(ids_of(meld))
    if not cards or cards[0] // 13 != cards[-1] // 13:
        return cards
    ranks = {c % 13 for c in cards}
    first = next((c for c in cards if (c - 1) % 13 not in ranks), cards[0])
    return sorted(cards, key=lambda c: (c - first) % 13)


def is_meld(rules: Rum500Rules, meld: Any) -> bool:
    """Whether places, as a mask, are a set or a run.

    >>> from rummy_env.rules import make_rules
    >>> [is_meld(make_rules("rum500-ru", run_corner=corner), 1 << 11 | 1 << 12 | 1 << 0 | 1 << 1) for corner in (True, False)]
    [True, False]
    """
    cards = in_order(meld)
    ranks = [c % 13 for c in cards]
    if len(cards) < 3:
        return False
    if cards[0] // 13 != cards[-1] // 13:
        return len(set(ranks)) == 1
    return all((b - a) % 13 == 1 for a, b in pairwise(ranks)) and (rules.run_corner != 0 or 0 not in ranks[1:-1])
