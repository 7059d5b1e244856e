"""Everything runs with the JIT off too, and plays the same."""

import os
import subprocess
import sys

PLAY = """
import gymnasium, numpy as np, rummy_env
from rummy_env.envs.tables import Tables
tables = Tables(3, "gin-ru", seed=5)
for _ in range(6):
    obs, masks = tables.observe(outlook=True, privileged=True)
    tables.step(masks.argmax(1))
env = gymnasium.make("rummy/OklahomaEs-v0", opponents=["simple", "lookahead"], shaping=1.0)
_, info = env.reset(seed=4)
total = 0.0
for _ in range(4):
    step = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
    total, info = total + step[1], step[4]
    if step[2] or step[3]:
        _, info = env.reset()
vector = gymnasium.make_vec("rummy/GinEs-v0", 2, vectorization_mode="vector_entry_point")
_, infos = vector.reset(seed=6)
vector.step(infos["action_mask"].argmax(1))
four = rummy_env.Tables(2, "rum500-ru", seed=3)
number, parameters = four.game.parse_policy("greedy500")
for _ in range(14):
    seen, masks = four.observe(outlook=True, privileged=True)
    four.step(four.view().scripted(number, parameters))
print(seen.astype(np.float64).sum().round(3), four.state.hands.tolist(), masks.sum())
learner = rummy_env.LearnerTables(1, "rum500-standard", 2, opponents="layer", reward="place")
actions, values = learner.candidate_values(1, number, parameters)
print(actions[0, :9].tolist(), values.sum().round(3))
print(obs.astype(np.float64).sum().round(3), tables.state.hands.tolist(), round(float(total), 4), step[0].sum().round(3))
"""


def played(**environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PLAY], env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_interpreted_environments_play_as_compiled_ones() -> None:
    assert played(NUMBA_DISABLE_JIT="1") == played(NUMBA_DISABLE_JIT="0")
