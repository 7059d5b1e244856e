"""Cards as a seat sees them, for the texts and pictures of tables: face up or face down, and in groups that lie together."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rummy_env.cards import card_text, ids_of

FACE_DOWN = -1
#: Kinds of groups that every game has: cards nobody but their holder knows, and cards everybody saw come.
HIDDEN, SEEN = "hidden", "seen taken"


@dataclass(frozen=True)
class Group:
    """Cards that lie together, as ids (``FACE_DOWN`` for a hidden card), and what they are."""

    kind: str
    cards: tuple[int, ...]


def hidden_groups(hand: Any, known: Any) -> tuple[Group, ...]:
    """A hand that another holds, both as masks: its hidden cards face down, then those that were seen to come."""
    seen = tuple(ids_of(known))
    hidden = Group(HIDDEN, (FACE_DOWN,) * (int(hand).bit_count() - len(seen)))
    return tuple(group for group in (hidden, Group(SEEN, seen)) if group.cards)


def card_word(c: int | None) -> str:
    """A card in text: ``7D``, ``##`` face down, ``none``."""
    return "none" if c is None else "##" if c == FACE_DOWN else card_text(c)


def cards_words(cards: Iterable[int]) -> str:
    """Cards in text, ``none`` for no card."""
    return " ".join(map(card_word, cards)) or "none"


def by_rank(cards: Any) -> tuple[int, ...]:
    """The cards of a mask by rank, then suit; jokers last."""
    return tuple(sorted(ids_of(cards), key=lambda c: (c >= 52, c % 13, c)))
