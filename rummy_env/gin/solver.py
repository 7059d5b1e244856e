"""The public solver: exact answers about one hand, and batch forms over arrays of hands.

Hands are masks (``np.uint64`` or int) or text (``"6D TC"``); any size from 0 to 13 cards. Points are gin points.

>>> from rummy_env.cards import mask_text
>>> best = best_arrangement("7C 7D 7H 7S 8S 9S TC TD TH AH")
>>> best.points, [mask_text(m) for m in best.melds], mask_text(best.deadwood)
(1, ['7H 7D 7C', 'TH TD TC', '7S 8S 9S'], 'AH')
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rummy_env.bits import U0, U1, lowest, popcount
from rummy_env.cards import CARD_NAMES, PACK, CardError, ids_of, parse_cards
from rummy_env.gin import melds
from rummy_env.jit import kernel

Hand: TypeAlias = int | np.uint64 | str
MAX_HAND = 14


class Arrangement(NamedTuple):
    """One way to meld a hand: each meld and the deadwood as masks, and the deadwood's points."""

    melds: tuple[np.uint64, ...]
    deadwood: np.uint64
    points: int


def hand_mask(hand: Hand) -> np.uint64:
    """The mask of a hand given as mask or text. Raises CardError for jokers, unknown cards and too many of them."""
    if isinstance(hand, str):
        mask = parse_cards(hand)
    else:
        if not 0 <= int(hand) < 1 << 64:
            raise CardError(f"{hand} is no mask of cards")
        mask = np.uint64(hand)
    if mask & ~PACK:
        others = [CARD_NAMES[c] if c < len(CARD_NAMES) else f"id {c}" for c in ids_of(mask & ~PACK)]
        raise CardError(f"gin is played with 52 cards, without {', '.join(others)}")
    if int(mask).bit_count() > MAX_HAND:
        raise CardError(f"a hand has at most {MAX_HAND} cards, not {int(mask).bit_count()}")
    return mask


def split_melds(sets: np.uint64, runs: np.uint64) -> tuple[np.uint64, ...]:
    """The melds of an arrangement given as cards in sets and cards in runs: sets by rank, then runs by first card."""
    found = []
    for rank in range(13):
        cards = int(sets) & int(melds.ACES) << rank
        if cards:
            found.append(np.uint64(cards))
    for suit in range(4):
        block = 0
        for rank in range(14):
            in_run = rank < 13 and int(runs) >> (13 * suit + rank) & 1
            if in_run:
                block |= 1 << (13 * suit + rank)
            elif block:
                found.append(np.uint64(block))
                block = 0
    return tuple(found)


def _arrangement(hand: np.uint64, sets: np.uint64) -> Arrangement:
    sets = np.uint64(sets)
    runs = np.uint64(melds.run_cards(hand & ~sets))
    loose = hand & ~sets & ~runs
    return Arrangement(split_melds(sets, runs), loose, int(melds.points_of(loose)))


def best_arrangement(hand: Hand) -> Arrangement:
    """An arrangement with the least deadwood."""
    mask = hand_mask(hand)
    return _arrangement(mask, melds.arrange(mask)[1])


def optimal_arrangements(hand: Hand) -> list[Arrangement]:
    """All arrangements with the least deadwood; adjacent runs count as one run."""
    mask = hand_mask(hand)
    ranks, sets = melds.set_ranks(mask), U0
    every = [_arrangement(mask, sets)]
    while sets := melds.next_sets(mask, ranks, sets):
        every.append(_arrangement(mask, sets))
    least = min(a.points for a in every)
    return [a for a in every if a.points == least]


def is_meld(hand: Hand) -> bool:
    """Whether these cards are exactly one set or one run."""
    mask = hand_mask(hand)
    count = int(mask).bit_count()
    if count < 3:
        return False
    low = int(mask) & -int(mask)
    run = int(mask) == low * ((1 << count) - 1) and int(melds.run_cards(mask)) == int(mask)
    return run or int(mask) & ~(int(melds.ACES) << (low.bit_length() - 1) % 13) == 0


def deadwood(hand: Hand) -> int:
    """Least deadwood in points.

    >>> deadwood("AC 2C 3C 4D 5D 6D 7H 8H 9H TS")
    10
    """
    return int(melds.deadwood(hand_mask(hand)))


def best_discard(hand: Hand) -> tuple[np.uint64, int]:
    """The cards whose discard leaves the least deadwood (mask), and that deadwood. Raises CardError for no cards."""
    mask = hand_mask(hand)
    if not mask:
        raise CardError("an empty hand has no discard")
    cards, points = melds.best_discards(mask, mask)
    return np.uint64(cards), int(points)


def deadwood_after_each(hand: Hand) -> dict[int, int]:
    """For each card of the hand, the least deadwood after discarding it."""
    mask = hand_mask(hand)
    return {c: int(melds.deadwood(mask & ~np.uint64(1 << c))) for c in range(52) if int(mask) >> c & 1}


def improving_draws(hand: Hand) -> np.uint64:
    """The cards that, drawn and followed by the best discard, leave less deadwood than the hand has now."""
    mask = hand_mask(hand)
    return np.uint64(_draws_below(mask, melds.deadwood(mask)))


def gin_draws(hand: Hand) -> np.uint64:
    """The cards that give gin: drawn and followed by the best discard, they leave no deadwood."""
    return np.uint64(_draws_below(hand_mask(hand), 1))


@kernel
def _draws_below(hand, points):
    """The cards outside a hand whose draw, after the best discard, leaves less than ``points``."""
    cards = U0
    rest = PACK & ~hand
    while rest != U0:
        card = rest & (~rest + U1)
        rest ^= card
        if melds.deadwood_less_one(hand | card) < points:
            cards |= card
    return cards


def batch_deadwood(hands: NDArray[np.uint64], out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Least deadwood of each hand, ``uint64[n]`` to ``int64[n]``, written into ``out`` if given."""
    out = np.empty(len(hands), np.int64) if out is None else out
    _batch_deadwood(hands, out)
    return out


def batch_deadwood_after_best_discard(hands: NDArray[np.uint64], out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Least deadwood of each hand after its best discard, ``uint64[n]`` to ``int64[n]``."""
    out = np.empty(len(hands), np.int64) if out is None else out
    _batch_less_one(hands, out)
    return out


def batch_best_discard(hands: NDArray[np.uint64], out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """The lowest card id among each hand's best discards, ``uint64[n]`` to ``int64[n]``."""
    out = np.empty(len(hands), np.int64) if out is None else out
    _batch_discard(hands, out)
    return out


@kernel
def _batch_deadwood(hands, out):
    for i in range(hands.shape[0]):
        out[i] = melds.deadwood(hands[i])


@kernel
def _batch_less_one(hands, out):
    for i in range(hands.shape[0]):
        out[i] = melds.deadwood_less_one(hands[i])


@kernel
def _batch_discard(hands, out):
    for i in range(hands.shape[0]):
        out[i] = lowest(melds.best_discards(hands[i], hands[i])[0]) if popcount(hands[i]) else -1
