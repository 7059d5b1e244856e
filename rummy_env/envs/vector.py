"""The native vector environment: many tables, one learner each, stepped by compiled code."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from rummy_env.envs.learner import LearnerTables
from rummy_env.gin.actions import NUM_ACTIONS
from rummy_env.gin.state import ENDINGS


def spaces_of(tables: LearnerTables) -> tuple[gym.spaces.Box, gym.spaces.Discrete]:
    """The observation and action space of one learner."""
    width, dtype = tables.obs_shape
    if dtype == np.uint64:
        return gym.spaces.Box(0, np.iinfo(np.uint64).max, (width,), np.uint64), gym.spaces.Discrete(NUM_ACTIONS)
    return gym.spaces.Box(-np.inf, np.inf, (width,), np.float32), gym.spaces.Discrete(NUM_ACTIONS)


class GinVectorEnv(VectorEnv):
    """``num_envs`` tables of a variant as one ``gymnasium.vector.VectorEnv``.

    Observations float32[n, OBS_SIZE] (or uint64[n, 8] with ``obs="bits"``); actions int64[n] below 108;
    ``infos["action_mask"]`` int8[n, 108]. ``autoreset_mode`` is an ``AutoresetMode`` or its name; under DISABLED, done
    tables are reset by ``reset(options={"reset_mask": bool[n]})``. Other keywords are those of
    :class:`~rummy_env.envs.learner.LearnerTables`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        variant: str = "gin-es",
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **keywords: Any,
    ) -> None:
        if isinstance(autoreset_mode, str):
            autoreset_mode = AutoresetMode[autoreset_mode.upper()]
        self.autoreset_mode = autoreset_mode
        self.metadata = {"autoreset_mode": autoreset_mode, "render_modes": []}
        self.render_mode = render_mode
        self.num_envs = num_envs
        self.learner = LearnerTables(num_envs, variant, **keywords)
        self.single_observation_space, self.single_action_space = spaces_of(self.learner)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._done = np.zeros(num_envs, bool)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[Any], dict[str, Any]]:
        """New episodes everywhere, or where ``options["reset_mask"]`` says; returns observations and infos."""
        super().reset(seed=seed)
        mask = (options or {}).get("reset_mask")
        rows = None if mask is None else np.flatnonzero(mask)
        if mask is not None and np.shape(mask) != (self.num_envs,):
            raise ValueError(f"reset_mask has shape {np.shape(mask)}, not ({self.num_envs},)")
        self.learner.reset(seed, rows)
        self._done[:] = False if rows is None else self._done & ~np.asarray(mask, bool)
        obs, infos = self._look()
        return obs, infos

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Plays one action at each table; (observations, rewards, terminations, truncations, infos)."""
        actions = np.asarray(actions, np.int64)
        rewards = np.zeros(self.num_envs, np.float32)
        terminated, truncated = np.zeros(self.num_envs, bool), np.zeros(self.num_envs, bool)
        waiting, playing = np.flatnonzero(self._done), np.flatnonzero(~self._done)
        if len(waiting) and self.autoreset_mode == AutoresetMode.DISABLED:
            raise ValueError(f"tables {waiting.tolist()} are done: reset them first (autoreset is disabled)")
        if len(waiting):
            self.learner.reset(rows=waiting)
        outcome = self.learner.step(actions[playing], playing)
        rewards[playing], terminated[playing], truncated[playing] = outcome.rewards, outcome.terminations, outcome.truncations
        done = terminated | truncated
        extra: dict[str, Any] = {}
        if done.any():
            extra = self._endings(playing, outcome.illegal, done)
            if self.autoreset_mode == AutoresetMode.SAME_STEP:
                self._autoreset(done, extra)
        self._done = done if self.autoreset_mode != AutoresetMode.SAME_STEP else np.zeros(self.num_envs, bool)
        obs, infos = self._look()
        return obs, rewards, terminated, truncated, infos | extra

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of every learner, bool[n, 108]."""
        return self.learner.observe()[1].astype(bool)

    def _look(self) -> tuple[NDArray[Any], dict[str, Any]]:
        obs, masks = self.learner.observe()
        return obs, {"action_mask": masks, "_action_mask": np.ones(self.num_envs, bool)}

    def _endings(self, playing: NDArray[np.int64], illegal: NDArray[np.bool_], done: NDArray[np.bool_]) -> dict[str, Any]:
        """How the finished episodes ended, as gymnasium's vector infos."""
        state = self.learner.tables.state
        at = np.arange(self.num_envs)
        wrong = np.zeros(self.num_envs, bool)
        wrong[playing] = illegal
        endings = np.array(ENDINGS, object)[state.ending]
        return {
            "ending": np.where(done, endings, None),
            "_ending": done,
            "points": np.where(done, state.points[at, self.learner.learners], 0),
            "_points": done,
            "illegal_action": wrong,
            "_illegal_action": done,
        }

    def _autoreset(self, done: NDArray[np.bool_], extra: dict[str, Any]) -> None:
        rows = np.flatnonzero(done)
        final, masks = self.learner.observe(rows)
        final_obs = np.full(self.num_envs, None, object)
        final_masks = np.zeros((self.num_envs, NUM_ACTIONS), np.int8)
        for k, row in enumerate(rows):
            final_obs[row] = final[k]
        final_masks[rows] = masks
        info = {"action_mask": final_masks, "_action_mask": done} | extra
        extra.clear()
        extra.update({"final_obs": final_obs, "_final_obs": done, "final_info": info, "_final_info": done})
        self.learner.reset(rows=rows)
