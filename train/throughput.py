"""``python -m train.throughput SECONDS``: how much of the training speed the environment leaves.

The same model trains on the real tables and on a free environment of the same shapes, whose step costs nothing, in turn;
prints the best frames a second of each as JSON. One thread; the default recipe with its scripted opponents.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from train.config import TrainConfig
from train.run import Run
from train.vec_env import TablesVecEnv

SCRIPTED = {"simple": 0.3, "greedy": 0.1, "lookahead": 0.2}


class FreeVecEnv(TablesVecEnv):
    """The shapes of some tables, and prepared random observations and masks, in which nothing happens."""

    def reset(self) -> NDArray[np.float32]:
        """The first of the prepared observations."""
        rng = np.random.default_rng(0)
        shape = (4, self.num_envs, *(self.observation_space.shape or ()))
        self._prepared = rng.integers(0, 2, shape).astype(np.float32)
        self._prepared_masks = (rng.random((4, self.num_envs, self.learner.tables.num_actions)) < 0.1).astype(np.int8)
        self._prepared_masks[:, :, 0] = 1
        self._at = 0
        self._nothing = np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, bool)
        return self.look()

    def look(self) -> NDArray[np.float32]:
        """The next of the prepared observations, and its masks."""
        self._at = (self._at + 1) % len(self._prepared)
        self.masks = self._prepared_masks[self._at]
        return self._prepared[self._at]

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Nothing: the next observations, no reward, no end."""
        return self.look(), *self._nothing, self._infos.copy()


def measure(config: TrainConfig, folder: Path, seconds: float) -> dict[str, float]:
    """The best frames a second on the real and on the free environment, one update at a time in turn."""
    run = Run(config, folder)
    run.model.begin_clock()
    envs = {"real": run.env, "free": FreeVecEnv(run.env.learner)}
    frames = config.tables * config.rollout
    best = dict.fromkeys(envs, 0.0)
    end = time.perf_counter() + seconds
    for round_ in range(1000):
        for name, env in envs.items():
            run.model.set_env(env)
            began = time.process_time()  # of this process alone, whatever else the machine does
            run.model.learn(frames, log_interval=1000, reset_num_timesteps=False)
            taken = time.process_time() - began
            if round_:  # the first of each warms up
                best[name] = max(best[name], frames / taken)
        if round_ and time.perf_counter() >= end:
            break
    return best


def main(arguments: list[str]) -> int:
    """Prints the frames a second as JSON."""
    seconds = float(arguments[0]) if arguments else 10.0
    config = TrainConfig(opponents=SCRIPTED, tables=256, rollout=16, threads=1, minutes=0, steps=1)
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(config, Path(folder), seconds)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
