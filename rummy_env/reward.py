"""What a finished deal earns a seat: the reward of environments and the price of a searched line, before scaling."""

import numpy as np

from rummy_env.games import num_players, progress
from rummy_env.jit import kernel

#: The seat's points; those less the mean over all seats (in gin the same); the margin and a bonus for the first place; or, in a
#: game of two, what the deal changes in the chance to win the match.
REWARDS = ("points", "margin", "place", "chance")
POINTS, MARGIN, PLACE, CHANCE = range(4)
#: Points for the most points of a deal, shared in a tie, less their mean over the seats.
PLACE_BONUS = 100.0
#: The chances where no reward needs any.
NO_CHANCES = np.zeros((1, 1))


@kernel
def earned(rules, t, seat, reward, chances):
    """What the finished deal at table ``t``, not yet settled, earns a seat, in points.

    ``reward`` is the number of one of REWARDS. ``chances`` float64[target + 1, target + 1] holds the chance to win the match by
    what both have towards it (NO_CHANCES but for CHANCE). A whole match is worth twice the target, so that near its start a
    point of a deal is worth about one.
    """
    own = np.int64(t.points[seat])
    if reward == POINTS:
        return np.float64(own)
    if reward == CHANCE:
        target = chances.shape[0] - 1
        mine, others = min(progress(rules, t, seat), target), min(progress(rules, t, 1 - seat), target)
        after = min(mine + max(own, 0), target), min(others + max(-own, 0), target)
        return 2.0 * target * (chances[after[0], after[1]] - chances[mine, others])
    seats = num_players(rules, t)
    total, ahead, level = 0, 0, 0
    for other in range(seats):
        points = np.int64(t.points[other])
        total += points
        ahead += 1 if points > own else 0
        level += 1 if points == own else 0
    value = own - total / seats
    if reward == PLACE:
        value += PLACE_BONUS * ((1.0 / level if ahead == 0 else 0.0) - 1.0 / seats)
    return value
