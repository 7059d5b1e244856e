"""The meld solver as kernels: exact least deadwood of a hand, its arrangement, and what each card does to it.

A hand splits into four 13-bit suits. Once it is fixed which cards lie in sets, the rest is decided: all points are
positive, so every block of three or more neighbours in a suit is a run, and a suit's deadwood is one look into a
table of 8192. So only the choice of sets is enumerated, over the ranks held three or four times: no set, each
three, all four. An arrangement is therefore named by the mask of its cards in sets; adjacent runs count as one.
"""

import numpy as np

from rummy_env.bits import U0, U1, bit, lowest, popcount
from rummy_env.cards import ACES, POINTS, SUIT_MASK
from rummy_env.jit import kernel

_13 = np.uint64(13)
_26 = np.uint64(26)
_39 = np.uint64(39)
_2 = np.uint64(2)
NOT_ACE = ~ACES
NOTHING_TO_SAVE = -100


def _suit_tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Per 13-bit suit: its deadwood as runs only, the most that giving up one card saves, and the cards that save it."""
    masks = np.arange(8192)
    core = masks & masks << 1 & masks << 2
    loose = masks & ~(core | core >> 1 | core >> 2)
    values = POINTS[:13]
    dead = ((loose[:, None] >> np.arange(13) & 1) * values).sum(1)
    saved = np.full(8192, NOTHING_TO_SAVE)
    givers = np.zeros(8192, dtype=np.int64)
    for r in range(13):
        held = masks[masks >> r & 1 == 1]
        gain = dead[held] - dead[held ^ 1 << r]
        givers[held] = np.where(gain > saved[held], 0, givers[held]) | np.where(gain >= saved[held], 1 << r, 0)
        saved[held] = np.maximum(saved[held], gain)
    return dead.astype(np.int8), saved.astype(np.int8), givers.astype(np.uint16)


_DEAD, _SAVED, _GIVERS = _suit_tables()

#: The set after a given one, by the four suits that hold its rank (4 bits, spades lowest) and the set's own suits:
#: first none, then each set they allow, then none again.
_NEXT_SET = np.zeros((16, 16), dtype=np.uint64)
for _held in range(16):
    _order = [0] + [s for s in (7, 11, 13, 14, 15) if s & _held == s]
    _NEXT_SET[_held, _order] = _order[1:] + [0]
#: Those four bits spread over a 52-card mask at rank 0.
_SPREAD = np.array([sum((s >> i & 1) << (13 * i) for i in range(4)) for s in range(16)], dtype=np.uint64)


@kernel
def set_ranks(hand):
    """13-bit mask of the ranks held three or four times."""
    s, h, d, c = hand & SUIT_MASK, hand >> _13 & SUIT_MASK, hand >> _26 & SUIT_MASK, hand >> _39
    return (s & h & (d | c)) | (d & c & (s | h))


@kernel
def suits_holding(hand, rank):
    """The four suits that hold a rank, as bits 0 to 3."""
    x = hand >> rank
    return (x & U1) | (x >> np.uint64(12) & _2) | (x >> np.uint64(24) & np.uint64(4)) | (x >> np.uint64(36) & np.uint64(8))


@kernel
def runs_only(hand):
    """Deadwood if no set is formed: every block of neighbours is a run."""
    return (
        np.int64(_DEAD[hand & SUIT_MASK])
        + np.int64(_DEAD[hand >> _13 & SUIT_MASK])
        + np.int64(_DEAD[hand >> _26 & SUIT_MASK])
        + np.int64(_DEAD[hand >> _39])
    )


@kernel
def run_change(hand, card):
    """How the deadwood with runs only changes when ``card`` is given up."""
    shift = np.uint64(card // 13 * 13)
    suit = hand >> shift & SUIT_MASK
    return np.int64(_DEAD[suit & ~(bit(card) >> shift)]) - np.int64(_DEAD[suit])


@kernel
def next_sets(hand, ranks, sets):
    """The choice of sets after ``sets`` among the ``ranks`` held three or four times; none (0) begins and ends them."""
    while ranks != U0:
        rank = np.uint64(lowest(ranks))
        following = _NEXT_SET[suits_holding(hand, rank), suits_holding(sets, rank)]
        sets = (sets & ~(ACES << rank)) | _SPREAD[following] << rank
        if following != U0:
            return sets
        ranks &= ranks - U1
    return sets


@kernel
def arrange(hand):
    """Least deadwood of a hand in points (int64), and which of its cards lie in sets there (uint64)."""
    ranks = set_ranks(hand)
    best, best_sets = runs_only(hand), U0
    if ranks == U0:
        return best, best_sets
    sets = next_sets(hand, ranks, U0)
    while sets != U0:
        points = runs_only(hand & ~sets)
        if points < best:
            best, best_sets = points, sets
        sets = next_sets(hand, ranks, sets)
    return best, best_sets


@kernel
def deadwood(hand):
    """Least deadwood of a hand, in points (int64)."""
    return arrange(hand)[0]


@kernel
def _runs_less_one(hand):
    """Deadwood with runs only after giving up the one card that helps most."""
    s, h, d, c = hand & SUIT_MASK, hand >> _13 & SUIT_MASK, hand >> _26 & SUIT_MASK, hand >> _39
    saved = max(max(_SAVED[s], _SAVED[h]), max(_SAVED[d], _SAVED[c]))
    return np.int64(_DEAD[s]) + np.int64(_DEAD[h]) + np.int64(_DEAD[d]) + np.int64(_DEAD[c]) - np.int64(saved)


@kernel
def deadwood_less_one(hand):
    """Least deadwood after the best discard from a hand (int64): one pass, not one solve a card.

    A card given up from a set is met as a loose card under another choice of sets.
    """
    ranks = set_ranks(hand)
    best = _runs_less_one(hand)
    if ranks == U0:
        return best
    sets = next_sets(hand, ranks, U0)
    while sets != U0:
        best = min(best, _runs_less_one(hand & ~sets))
        sets = next_sets(hand, ranks, sets)
    return best


@kernel
def run_cards(hand):
    """The cards of a hand that lie in a block of three or more neighbours of one suit."""
    up1 = hand << U1 & NOT_ACE
    up2 = up1 << U1 & NOT_ACE
    core = hand & up1 & up2
    down1 = core >> U1
    return core | down1 | down1 >> U1


@kernel
def melded_cards(hand):
    """The cards in melds of the best arrangement."""
    _, sets = arrange(hand)
    return sets | run_cards(hand & ~sets)


@kernel
def _givers(hand, saved):
    """The cards of a hand that save ``saved`` points when given up, with runs only."""
    cards = U0
    for suit in range(4):
        shift = np.uint64(13 * suit)
        held = hand >> shift & SUIT_MASK
        if _SAVED[held] == saved:
            cards |= np.uint64(_GIVERS[held]) << shift
    return cards


@kernel
def _best_givers(hand):
    """The cards of a hand whose discard leaves the least deadwood, and that deadwood."""
    ranks = set_ranks(hand)
    best, cards, sets = 1000, U0, U0
    while True:
        rest = hand & ~sets
        points = _runs_less_one(rest)
        if points < best:
            best, cards = points, U0
        if points == best:
            cards |= _givers(rest, runs_only(rest) - points)
        sets = next_sets(hand, ranks, sets)
        if sets == U0:
            return cards, best


@kernel
def best_discards(hand, allowed):
    """The cards among ``allowed`` whose discard leaves the least deadwood, and that deadwood."""
    cards, best = _best_givers(hand)
    if cards & allowed != U0:
        return cards & allowed, best
    best, cards = 1000, U0
    rest = allowed
    while rest != U0:
        card = rest & (~rest + U1)
        rest ^= card
        points = deadwood(hand & ~card)
        if points < best:
            best, cards = points, card
        elif points == best:
            cards |= card
    return cards, best


@kernel
def closing_cards(hand, allowed, limit):
    """The cards among ``allowed`` that can be put aside so that the rest's deadwood is at most ``limit``."""
    if deadwood_less_one(hand) > limit:
        return U0
    cards = U0
    rest = allowed
    while rest != U0:
        card = rest & (~rest + U1)
        rest ^= card
        if deadwood(hand & ~card) <= limit:
            cards |= card
    return cards


@kernel
def melds_with(hand, card):
    """Whether ``hand`` and ``card`` together hold any meld that contains ``card``."""
    whole = hand | bit(card)
    if run_cards(whole) >> np.uint64(card) & U1:
        return True
    return popcount(suits_holding(whole, np.uint64(card % 13))) >= 3


@kernel
def same_rank(card):
    """All four cards of a card's rank."""
    return ACES << np.uint64(card % 13)


@kernel
def points_of(cards):
    """The sum of the points of some cards, melds or not."""
    total = 0
    while cards != U0:
        total += POINTS[lowest(cards)]
        cards &= cards - U1
    return total
