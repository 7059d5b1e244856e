"""What a finished deal earns a seat: the reward of environments and the price of a searched line, before scaling."""

import numpy as np

from rummy_env.games import num_players
from rummy_env.jit import kernel

#: The seat's points; those less the mean over all seats (in gin the same); or the margin and a bonus for the first place.
REWARDS = ("points", "margin", "place")
POINTS, MARGIN, PLACE = range(3)
#: Points for the most points of a deal, shared in a tie, less their mean over the seats.
PLACE_BONUS = 100.0


@kernel
def earned(rules, t, seat, reward):
    """What the finished deal at table ``t`` earns a seat, in points; ``reward`` is the number of one of REWARDS."""
    own = np.int64(t.points[seat])
    if reward == POINTS:
        return np.float64(own)
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
