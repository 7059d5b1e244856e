"""Two more slices of the observation, on request (``obs="outlook"``): what the next draw promises.

They cost some microseconds a decision, a hundred times the rest, and carry most of what the ``lookahead`` baseline knows.
As everything in the observation they read only what the seat may know.
"""

import numpy as np

from rummy_env.bits import U0, U1, bit, lowest, popcount
from rummy_env.gin.observe import OBS_SIZE, unseen_cards
from rummy_env.gin.policies import mean_of_best_draws
from rummy_env.gin.state import NO_CARD, OVER
from rummy_env.jit import kernel
from rummy_env.spec import Slice, lay_out

BEST_DRAWS = np.int64(7)  # not int: numba would compile the callee for the literal

#: Behind OBS_SPEC in the vector. A promise is the mean of the seven lowest deadwoods after an unseen draw and a discard.
OUTLOOK_SPEC: tuple[Slice, ...] = lay_out(
    (
        ("promise", 52, "own cards, with one to give away: promise after giving it, above the best", 10, 14),
        ("promises", 2, "promise now (after the best gift); with the upcard on offer", 50, 3),
    ),
    OBS_SIZE,
)
OUTLOOK_SIZE = OUTLOOK_SPEC[-1].stop - OBS_SIZE


@kernel
def _promises(hand, unseen, out):
    """Writes the promise after giving away each card of ``hand`` into ``out`` and returns the least."""
    least = 1000.0
    cards = hand
    while cards != U0:
        c = lowest(cards)
        cards &= cards - U1
        promise = mean_of_best_draws(hand & ~bit(c), unseen, BEST_DRAWS)
        out[c] = promise
        least = min(least, promise)
    return least


@kernel
def write_outlook(rules, t, seat, out):
    """Writes the two slices for ``seat`` at table ``t`` into ``out``, float32[OUTLOOK_SIZE]; zeros when the deal is over."""
    out[:OUTLOOK_SIZE] = 0.0
    if t.phase == OVER:
        return
    hand = t.hands[seat]
    unseen = unseen_cards(t, seat)
    if popcount(hand) > rules.hand_size:
        least = _promises(hand, unseen, out)
        cards = hand
        while cards != U0:
            c = lowest(cards)
            cards &= cards - U1
            out[c] = (out[c] - least) * 0.1
        out[52] = least * 0.02
        return
    if t.upcard != NO_CARD and t.to_act == seat:
        out[53] = _promises(hand | bit(t.upcard), unseen, out) * 0.02
        out[:52] = 0.0
    out[52] = mean_of_best_draws(hand, unseen, BEST_DRAWS) * 0.02
