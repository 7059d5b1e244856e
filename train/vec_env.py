"""The tables as a native stable-baselines3 ``VecEnv``: one call for all tables, masks as one array."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from rummy_env.envs.learner import POINTS_PER_REWARD, LearnerTables
from rummy_env.envs.vector import spaces_of


class Search(NamedTuple):
    """How decisions are valued: sampled worlds, and the scripted policy (number, parameters) that plays on for the learner."""

    worlds: int
    policy: int
    parameters: NDArray[np.float64]


class TablesVecEnv(VecEnv):
    """``LearnerTables`` for stable-baselines3, reset in the same step; its masks now are ``masks``, int8[n, NUM_ACTIONS].

    While ``search`` is set, each step first values the candidates of every learner's decision: ``candidates``, int64[n,
    MOST_CANDIDATES], and ``values``, float32 of the same shape, in units of the reward.
    """

    def __init__(self, learner: LearnerTables) -> None:
        self.learner = learner
        self.search: Search | None = None
        self.render_mode = None
        super().__init__(len(learner), *spaces_of(learner))
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._returns = np.zeros(self.num_envs)
        self._infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._actions: NDArray[np.int64] = np.zeros(self.num_envs, np.int64)
        self.masks: NDArray[np.int8] = np.zeros((self.num_envs, 0), np.int8)

    def reset(self) -> NDArray[np.float32]:
        """New episodes everywhere (under the seed given to :meth:`seed`, if any); observations float32[n, width]."""
        seeds = [seed for seed in self._seeds if seed is not None]
        self.learner.reset(seeds[0] if seeds else None)
        self._reset_seeds()
        self._lengths[:] = 0
        self._returns[:] = 0
        return self.look()

    def look(self) -> NDArray[np.float32]:
        """The observations now; the masks are renewed with them."""
        obs, self.masks = self.learner.observe()
        return obs

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Keeps the actions for :meth:`step_wait`; values the decisions they belong to if asked for."""
        self._actions = actions
        if self.search is not None:
            self.candidates, values = self.learner.candidate_values(*self.search)
            self.values = (values / POINTS_PER_REWARD).astype(np.float32)

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Plays them: observations, rewards float32[n], dones bool[n] and infos (``episode``, ``ending`` … at the end)."""
        outcome = self.learner.step(self._actions)
        self._lengths += 1
        self._returns += outcome.rewards
        dones = outcome.terminations | outcome.truncations
        infos = self._infos.copy()
        rows = np.flatnonzero(dones)
        if len(rows):
            for row in rows:
                infos[row] = self._ended(int(row), bool(outcome.truncations[row]))
            self._lengths[rows] = 0
            self._returns[rows] = 0
            self.learner.reset(rows=rows)
        return self.look(), outcome.rewards, dones, infos

    def _ended(self, row: int, truncated: bool) -> dict[str, Any]:
        tables, seat = self.learner.tables, self.learner.learners[row]
        table, game = tables.state[row], tables.game
        info = {
            "episode": {"r": float(self._returns[row]), "l": int(self._lengths[row]), "t": 0.0},
            "ending": game.state.ENDINGS[table.ending],
            "closed": bool(table.closer == seat),
            "outcome": game.outcome(int(table.ending), bool(table.closer == seat)),
            **{name: int(table[name][seat]) for name in game.state.RESULT},
            "TimeLimit.truncated": truncated,
        }
        if truncated:
            info["terminal_observation"] = self.learner.observe(np.array([row]))[0][0]
        return info

    def action_masks(self) -> NDArray[np.int8]:
        """int8[n, NUM_ACTIONS]: the legal actions."""
        return self.masks

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """``action_masks`` gives the whole array at once; there are no other methods."""
        if method_name != "action_masks":
            raise AttributeError(f"the tables have no method {method_name!r}, only action_masks")
        return self.masks

    def has_attr(self, attr_name: str) -> bool:
        """Whether every table has the attribute."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute, once for each table."""
        return [getattr(self, attr_name)] * (self.num_envs if indices is None else len(list(self._get_indices(indices))))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute of all tables."""
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type, indices: Iterable[int] | int | None = None) -> list[bool]:
        """No table is wrapped."""
        return [False] * self.num_envs

    def close(self) -> None:
        """Nothing to close."""
