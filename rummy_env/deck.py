"""The stock of a table, in any game: how much is left, shuffling, and another future."""

import numpy as np

from rummy_env.bits import GAMMA, U0, has, mix, roll, scale
from rummy_env.jit import kernel


@kernel
def stock_count(t):
    """Cards left in the stock."""
    return np.int64(t.stock_end) - np.int64(t.stock_at)


@kernel
def shuffle(t, start, end):
    """Shuffles ``stock[start:end]`` (Fisher and Yates) with the deck's generator."""
    for last in range(end - 1, start, -1):
        t.deck += GAMMA
        k = start + scale(mix(t.deck), last - start + 1)
        t.stock[last], t.stock[k] = t.stock[k], t.stock[last]


@kernel
def redraw_future(t):
    """Draws anew what is still to come at a table, and leaves all hands: the stock's order, later shuffles, later deals.

    Cards of the last reshuffle keep their places among themselves, below the others. Uses the table's dice.
    """
    t.deck = roll(t)
    t.key = roll(t)
    first = np.int64(t.stock_at)
    while first < t.stock_end and not (t.reshuffled != U0 and has(t.reshuffled, t.stock[first])):
        first += 1
    shuffle(t, np.int64(t.stock_at), first)
    shuffle(t, first, np.int64(t.stock_end))
