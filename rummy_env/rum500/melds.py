"""Melds on the table and in the hand: where runs are open, what a lay shows, and what cards are worth.

A suit's cards are 13 bits; runs go round in them, so that the place above bit 12 is bit 0.
"""

import numpy as np

from rummy_env.bits import U0, U1, has, lowest, popcount
from rummy_env.cards import NUM_CARDS, PACK, SUIT_MASK
from rummy_env.jit import kernel
from rummy_env.rules import RUM500_BOOK
from rummy_env.rum500.actions import RUN_PATTERNS, SET_PATTERNS
from rummy_env.state import NO_CARD

ACE_10 = RUM500_BOOK.choice("ace_value", "10")
ACE_15 = RUM500_BOOK.choice("ace_value", "15")
ACE_11 = RUM500_BOOK.choice("ace_value", "11")
ACE_15_OR_1 = RUM500_BOOK.choice("ace_value", "15_or_1_low")

JOKER_POINTS = 15
JOKER_BITS = np.uint64(3 << NUM_CARDS)
_12, _13 = np.uint64(12), np.uint64(13)
_ACE, _KING = U1, U1 << _12
_2 = U1 << U1


def _legal_patterns(patterns, places) -> np.ndarray:
    """``[places held, jokers held]``: the lays that leave at least one place to a natural card, as bits of ``pattern``."""
    table = np.zeros((1 << places, 3), dtype=np.uint64)
    for held in range(1 << places):
        for jokers in range(3):
            for number, (cover, by_joker) in enumerate(patterns):
                natural = [k for k in cover if k not in by_joker]
                if natural and len(by_joker) <= jokers and all(held >> k & 1 for k in natural):
                    table[held, jokers] |= np.uint64(1 << number)
    return table


#: ``uint64[16, 3]`` by suits held and ``uint64[8, 3]`` by places held, and by usable jokers.
SET_LAYS, RUN_LAYS = _legal_patterns(SET_PATTERNS, 4), _legal_patterns(RUN_PATTERNS, 3)
#: The set patterns that take three cards.
THREE_CARDS = np.uint64((1 << sum(len(cover) == 3 for cover, _ in SET_PATTERNS)) - 1)


@kernel
def suit_of(cards, suit):
    """The 13 bits of a suit."""
    return (cards >> np.uint64(13 * suit)) & SUIT_MASK


@kernel
def above(cards):
    """The 13 bits of the places one above."""
    return ((cards << U1) | (cards >> _12)) & SUIT_MASK


@kernel
def below(cards):
    """The 13 bits of the places one below."""
    return (cards >> U1) | ((cards & U1) << _12)


@kernel
def open_ends(run_corner, run):
    """The place above and the place below a run of one suit, 13 bits each; none where it is closed.

    Without the corner an ace is an end: nothing goes above a high one or below a low one. Where one card would do at both
    ends, the high end has it.
    """
    high = above(run) & ~run
    low = below(run) & ~run
    if not run_corner and run & _ACE != U0:
        if run & _KING != U0:
            high = U0
        else:
            low = U0
    return high, low & ~high


@kernel
def is_set(meld):
    """Whether a meld's places are of more than one suit."""
    return suit_of(meld, lowest(meld) // 13) << np.uint64(13 * (lowest(meld) // 13)) != meld


@kernel
def set_open(meld):
    """The places of a set's rank that it has not, as cards."""
    rank = lowest(meld) % 13
    return (_RANK << np.uint64(rank)) & ~meld


_RANK = np.uint64(sum(1 << (13 * s) for s in range(4)))


@kernel
def meld_open(run_corner, meld):
    """Cards that may be laid off on a meld: on it as a set, above it as a run, below it as a run."""
    if is_set(meld):
        return set_open(meld), U0, U0
    suit = lowest(meld) // 13
    high, low = open_ends(run_corner, suit_of(meld, suit))
    shift = np.uint64(13 * suit)
    return U0, high << shift, low << shift


@kernel
def jokers_in(t, meld):
    """How many jokers meld number ``meld`` holds."""
    count = 0
    for j in range(2):
        if t.joker_as[j] != NO_CARD and t.joker_meld[j] == meld:
            count += 1
    return count


@kernel
def open_places(rules, t, for_joker):
    """Cards that may be laid off on the table: on sets, above runs, below runs. ``for_joker``: where one more joker may lie."""
    on_sets, above_runs, below_runs = U0, U0, U0
    for m in range(t.num_melds):
        if for_joker and jokers_in(t, m) >= rules.max_jokers_per_meld:
            continue
        a, b, c = meld_open(rules.run_corner, t.melds[m])
        on_sets |= a
        above_runs |= b
        below_runs |= c
    return on_sets, above_runs, below_runs


@kernel
def find_open(rules, t, spot, c):
    """The number of the meld that takes card ``c`` at a spot: 0 on a set, 1 above a run, 2 below a run."""
    for m in range(t.num_melds):
        a, b, d = meld_open(rules.run_corner, t.melds[m])
        if has(a if spot == 0 else (b if spot == 1 else d), c):
            return m
    return -1


@kernel
def hand_points_of(rules, c):
    """The points of a card in hand, or laid where no ace is low."""
    if c >= NUM_CARDS:
        return JOKER_POINTS
    rank = c % 13
    if rank == 0:
        return ace_points(rules)
    return min(rank + 1, 10)


@kernel
def ace_points(rules):
    """The points of an ace that is not low."""
    value = rules.ace_value
    if value == ACE_10:
        return 10
    if value == ACE_11:
        return 11
    return 15 if value in (ACE_15, ACE_15_OR_1) else 1


@kernel
def points_in(rules, c, meld):
    """The points of natural card ``c`` placed in a meld: an ace may be low there."""
    if c % 13 == 0 and rules.ace_value == ACE_15_OR_1 and not is_set(meld):
        run = suit_of(meld, c // 13)
        if run & _2 != U0 and run & _KING == U0:
            return 1
    return hand_points_of(rules, c)


@kernel
def points_of(rules, cards):
    """The points of a set of cards in hand, jokers included."""
    total = 0
    while cards != U0:
        total += hand_points_of(rules, lowest(cards))
        cards &= cards - U1
    return total


@kernel
def num_jokers(cards):
    """How many jokers a set of cards holds."""
    return popcount(cards & JOKER_BITS)


@kernel
def ranks_in(cards):
    """13 bits each: ranks held in at least one, two and three suits, jokers apart."""
    a, b, c, d = suit_of(cards, 0), suit_of(cards, 1), suit_of(cards, 2), suit_of(cards & PACK, 3)
    ab, cd = a & b, c & d
    any_ab, any_cd = a | b, c | d
    return any_ab | any_cd, ab | cd | (any_ab & any_cd), (ab & any_cd) | (cd & any_ab)


@kernel
def suits_of(cards, rank):
    """Four bits: the suits in which a rank is held."""
    x = (cards >> np.uint64(rank)) & _RANK
    return (x | (x >> _12) | (x >> np.uint64(24)) | (x >> np.uint64(36))) & np.uint64(15)


@kernel
def window_of(cards, rank):
    """Three bits: whether 13 bits of a suit hold a rank and the next two."""
    return ((cards | (cards << np.uint64(13))) >> np.uint64(rank)) & np.uint64(7)
