"""Two more slices of the observation, on request (``obs="outlook"``): what each take from the row would bring at once.

They cost a search for each usable card of the row. As everything in the observation they read only what the seat may know.
"""

import numpy as np

from rummy_env.bits import bit, popcount
from rummy_env.jit import kernel
from rummy_env.rum500.melds import open_places
from rummy_env.rum500.observe import OBS_SIZE, may_use
from rummy_env.rum500.policies import must_keep
from rummy_env.rum500.solver import new_plan, points_left, solve
from rummy_env.rum500.state import DRAW
from rummy_env.spec import Slice, lay_out

#: Behind OBS_SPEC in the vector.
OUTLOOK_SPEC: tuple[Slice, ...] = lay_out(
    (
        (
            "take_points",
            54,
            "to draw, usable cards in the row: most points that could be laid with the take",
            50,
            20,
        ),
        ("take_left", 54, "the points then left in hand", 50, 20),
    ),
    OBS_SIZE,
)
OUTLOOK_SIZE = OUTLOOK_SPEC[-1].stop - OBS_SIZE


@kernel
def write_outlook(rules, t, seat, out):
    """Writes the two slices for ``seat`` at table ``t`` into ``out``, float32[OUTLOOK_SIZE]; zeros when it is not to draw."""
    out[:OUTLOOK_SIZE] = 0.0
    if t.phase != DRAW or t.to_act != seat:
        return
    a, b, d = open_places(rules, t, False)
    plan = new_plan()
    cards = t.hands[seat]
    for k in range(np.int64(t.row_size) - 1, -1, -1):
        c = np.int64(t.row[k])
        cards |= bit(c)
        if may_use(rules, t, cards, a | b | d, c):
            solve(rules, t, cards, popcount(cards) - must_keep(rules), plan)
            out[c] = plan.points * 0.02
            out[54 + c] = points_left(rules, cards, plan) * 0.02
