"""The compiled baselines as agents."""

import numpy as np
from numpy.typing import NDArray

from rummy_env.envs.tables import SeatView
from rummy_env.games import game_of


class ScriptedAgent:
    """A policy of a variant's game, named as ``"greedy:knock=6"``. Raises PolicyError for an unknown one."""

    needs_observation = False
    outlook = False

    def __init__(self, text: str, variant: str) -> None:
        self.name = text
        self.policy, self.parameters = game_of(variant).parse_policy(text)

    def act(
        self, obs: NDArray[np.float32], mask: NDArray[np.int8], view: SeatView, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Actions int64[k] of the policy; random choices come from the tables' dice."""
        return view.scripted(self.policy, self.parameters)
