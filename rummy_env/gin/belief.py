"""What a seat may believe of the other hand: worlds drawn by likelihood, not uniformly.

A player who refused a card, or put one out, told something of his hand. :data:`FEATURES` say what of a hand that he might hold
speaks for it or against, :data:`WEIGHTS` how much, by how far he is in the deal. Worlds are drawn by Metropolis' rule: a hidden
card of his changes places with one of the stock, and the change stands by the odds of the two hands. The weights are a
conditional logit of true hands among sampled ones: ``python -m train.belief`` fits them.
"""

import math

import numpy as np

from rummy_env.bits import U0, U1, bit, has, lowest, nth, popcount, roll_below
from rummy_env.cards import POINTS
from rummy_env.gin.melds import arrange, melds_with, run_cards
from rummy_env.gin.play import limit_of, resample
from rummy_env.gin.state import MEMORY
from rummy_env.jit import kernel

FEATURES = (
    "deadwood (of 10)",
    "within the knock limit",
    "gin",
    "unmelded cards",
    "taken cards in no meld",
    "taken cards beside no other card",
    "refused upcards that would meld",
    "discards that would meld",
    "discards beside an unmelded card",
    "unmelded tens and pictures",
    "unmelded cards dearer than the last discard",
    "unmelded cards beside no other",
)
#: The first turn of the other seat for which each row of WEIGHTS stands.
FROM_TURN = (0, 2, 4, 6, 9, 13)
WEIGHTS = np.array(
    (
        (-0.03, -0.45, -0.01, 0.00, -1.89, -0.09, -1.79, -1.77, -0.76, -0.16, 0.05, -0.04),
        (-0.08, -1.15, -0.02, 0.07, -1.62, -0.04, -1.24, -1.50, -0.68, -0.58, -0.45, -0.18),
        (-0.23, -0.15, -0.02, 0.12, -1.10, -0.04, -1.10, -1.34, -0.62, -1.02, -0.79, -0.24),
        (-0.59, 0.07, -0.07, 0.23, -0.66, 0.02, -1.03, -1.20, -0.65, -1.54, -0.98, -0.26),
        (-1.11, -0.03, -0.18, 0.40, -0.50, 0.07, -0.84, -1.06, -0.74, -2.09, -1.18, -0.29),
        (-2.12, -0.30, -1.01, 0.70, -0.22, 0.02, -0.69, -1.02, -0.71, -2.05, -0.86, -0.34),
    )
)


def _beside() -> np.ndarray:
    """For each card: those of its rank, and those within two of it in its suit."""
    near = np.zeros(52, np.uint64)
    for c in range(52):
        for d in range(52):
            same_suit = c // 13 == d // 13
            if c != d and (c % 13 == d % 13 or (same_suit and abs(c - d) <= 2)):
                near[c] |= np.uint64(1 << d)
    return near


_BESIDE = _beside()
_TENS = np.uint64(sum(1 << c for c in range(52) if POINTS[c] == 10))


@kernel
def features_of(rules, t, seat, hand):
    """What speaks for or against ``hand`` as the other's at table ``t``, as ``seat`` sees it: FEATURES, a tuple of float64."""
    other = 1 - seat
    least, sets = arrange(hand)
    loose = hand & ~(sets | run_cards(hand & ~sets))
    taken = t.known[other] & loose
    last = np.int64(t.pairs[other, (np.int64(t.turns[other]) - 1) % MEMORY, 1]) if t.turns[other] > 0 else 0
    dearer = 0
    cards = loose
    while cards != U0:
        dearer += 1 if POINTS[lowest(cards)] > POINTS[last] else 0
        cards &= cards - U1
    return (
        least * 0.1,
        1.0 if least <= limit_of(rules, np.int64(t.opening)) else 0.0,
        1.0 if least == 0 else 0.0,
        np.float64(popcount(loose)),
        np.float64(popcount(taken)),
        np.float64(_alone(taken, hand)),
        np.float64(_melding(t.declined[other] & ~hand, hand)),
        np.float64(_melding(t.discards[other], hand)),
        np.float64(popcount(t.discards[other]) - _alone(t.discards[other], loose)),
        np.float64(popcount(loose & _TENS)),
        np.float64(dearer),
        np.float64(_alone(loose, hand)),
    )


@kernel
def _alone(cards, hand):
    """How many of ``cards`` have no card of ``hand`` beside them."""
    count = 0
    while cards != U0:
        count += 1 if _BESIDE[lowest(cards)] & hand == U0 else 0
        cards &= cards - U1
    return count


@kernel
def _melding(cards, hand):
    """How many of ``cards`` would meld with cards of ``hand``."""
    count = 0
    while cards != U0:
        count += 1 if melds_with(hand, lowest(cards)) else 0
        cards &= cards - U1
    return count


@kernel
def log_odds(rules, t, seat, hand):
    """How likely ``hand`` is as the other's, as a logarithm, up to a constant of the position."""
    turns = np.int64(t.turns[1 - seat])
    row = 0
    while row + 1 < len(FROM_TURN) and turns >= FROM_TURN[row + 1]:
        row += 1
    total = 0.0
    features = features_of(rules, t, seat, hand)
    for k in range(len(features)):
        total += WEIGHTS[row, k] * features[k]
    return total


@kernel
def _group(t, card):
    """Cards of one group are interchangeable: as :func:`rummy_env.gin.play.resample` has them."""
    return 2 if has(t.reshuffled, card) else 1 if has(t.earlier, card) else 0


@kernel
def wander(rules, t, seat, steps):
    """Changes the world at table ``t``, one that ``seat`` may believe in, in some steps: the more, the less stays as it was.

    In the long run worlds come as often as :func:`log_odds` has them. Uses the table's dice.
    """
    other = 1 - seat
    hand = t.hands[other]
    hidden = hand & ~t.known[other]
    mobile = popcount(hidden)
    left = np.int64(t.stock_end) - np.int64(t.stock_at)
    if mobile == 0 or left == 0:
        return
    now = log_odds(rules, t, seat, hand)
    for _ in range(steps):
        card = nth(hidden, roll_below(t, mobile))
        at = np.int64(t.stock_at) + roll_below(t, left)
        drawn = np.int64(t.stock[at])
        if _group(t, card) != _group(t, drawn):
            continue
        swap = bit(card) | bit(drawn)
        then = log_odds(rules, t, seat, hand ^ swap)
        if then >= now or roll_below(t, 1 << 20) < math.exp(then - now) * (1 << 20):
            hand ^= swap
            hidden ^= swap
            t.stock[at] = card
            now = then
    t.hands[other] = hand


#: Steps from a uniform world to a likely one, and from one world to the next.
FIRST_STEPS, STEPS = 60, 8


@kernel
def imagine(rules, t, seat, first):
    """Draws a world that ``seat`` may believe in: the ``first`` at a table from nothing, others from the one before."""
    if first:
        resample(rules, t, seat)
    wander(rules, t, seat, FIRST_STEPS if first else STEPS)
