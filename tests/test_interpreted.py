"""Everything runs with the JIT off too, and plays the same."""

import os
import subprocess
import sys

import pytest

START = """
import gymnasium, numpy as np, rummy_env
from rummy_env.envs.tables import Tables
"""
GIN = """
tables = Tables(3, "gin-ru", seed=5)
env = gymnasium.make("rummy/OklahomaEs-v0", opponents=["simple", "lookahead"], shaping=1.0)
vector = gymnasium.make_vec("rummy/GinEs-v0", 2, vectorization_mode="vector_entry_point")
"""
RUM500 = """
tables = Tables(2, "rum500-standard", seed=5, num_players=3)
env = gymnasium.make("rummy/Rum500Ru-v0", opponents=["layer", "greedy500"], shaping=1.0, reward="margin")
vector = gymnasium.make_vec("rummy/Rum500Standard-v0", 2, vectorization_mode="vector_entry_point", num_players=2)
"""
PLAY = """
for _ in range(6):
    obs, masks = tables.observe(outlook=True, privileged=True)
    tables.step(masks.argmax(1))
_, info = env.reset(seed=4)
total = 0.0
for _ in range(4):
    step = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
    total, info = total + step[1], step[4]
    if step[2] or step[3]:
        _, info = env.reset()
_, infos = vector.reset(seed=6)
vector.step(infos["action_mask"].argmax(1))
print(obs.astype(np.float64).sum().round(3), tables.state.hands.tolist(), round(float(total), 4), step[0].sum().round(3))
"""


def played(game: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", START + game + PLAY], env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("game", [GIN, RUM500], ids=["gin", "rum500"])
def test_interpreted_environments_play_as_compiled_ones(game: str) -> None:
    assert played(game, NUMBA_DISABLE_JIT="1") == played(game, NUMBA_DISABLE_JIT="0")
