"""The stock of a table, in any game: how much is left, and shuffling."""

import numpy as np

from rummy_env.bits import GAMMA, mix, scale
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
