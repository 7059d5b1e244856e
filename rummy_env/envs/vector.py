"""The native vector environment: many tables, one learner each, stepped by compiled code."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from rummy_env.envs.learner import LearnerTables
from rummy_env.envs.render import check_render_mode, rendered
from rummy_env.envs.single import SEEDS, metadata_of
from rummy_env.envs.spaces import spaces_of as spaces_of
from rummy_env.games import game_of
from rummy_env.jit import announce_compiling
from rummy_env.rules import Rules, unknown_name

Infos = dict[str, Any]
Step = tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Infos]


def _mode(mode: AutoresetMode | str) -> AutoresetMode:
    """The autoreset mode of a name or value, such as "same_step" or "SameStep"; raises ValueError that lists them."""
    for known in AutoresetMode:
        if mode == known or str(mode).lower() in (known.name.lower(), known.value.lower()):
            return known
    allowed = " | ".join(known.name.lower() for known in AutoresetMode)
    raise ValueError(f"autoreset_mode={mode!r} is not possible: autoreset_mode allows {allowed}")


class RummyVectorEnv(VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
    """``num_envs`` tables of a variant as one ``gymnasium.vector.VectorEnv``.

    Observations float32[n, OBS_SIZE] (or uint64[n, BITS_WORDS] with ``obs="bits"``); actions int64[n]; infos are those of
    :class:`~rummy_env.envs.single.RummyEnv` as arrays, ``action_mask`` int8[n, NUM_ACTIONS] among them. Table k plays what a
    ``RummyEnv`` plays after ``reset(seed=…, options={"table": k})``. ``autoreset_mode`` is an ``AutoresetMode`` or its name;
    under DISABLED, done tables are reset by ``reset(options={"reset_mask": bool[n]})``. Under NEXT_STEP the action of a
    done table is ignored, and its mask is all ones. ``seed`` is that of a first reset without one; other keywords
    are those of :class:`~rummy_env.envs.learner.LearnerTables`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        variant: str = "gin-es",
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        seed: int | None = None,
        **keywords: Any,
    ) -> None:
        self.autoreset_mode = _mode(autoreset_mode)
        game = game_of(variant)
        self.metadata = metadata_of(game, autoreset_mode=self.autoreset_mode)
        self.render_mode = check_render_mode(render_mode)
        announce_compiling(game.name)
        self.num_envs = num_envs
        self.learner = LearnerTables(num_envs, variant, **keywords)
        self.single_observation_space, self.single_action_space = spaces_of(self.learner)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._endings = np.array((*game.state.ENDINGS, "illegal"), object)
        self._first_seed = seed
        self._started = False
        self._done = np.zeros(num_envs, bool)

    @property
    def rules(self) -> Rules:
        """The rules at these tables."""
        return self.learner.tables.rules

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[Any], Infos]:
        """New episodes everywhere, or where ``options["reset_mask"]`` (bool[n]) says; returns observations and infos.

        With a seed, those tables start anew under it, and play the same each time.
        """
        super().reset(seed=seed)
        for name in options or {}:
            if name != "reset_mask":
                raise unknown_name("reset option", name, ["reset_mask"])
        rows = self._chosen((options or {}).get("reset_mask"))
        if seed is None and not self._started:
            seed = int(self.np_random.integers(SEEDS)) if self._first_seed is None else self._first_seed
            self.learner.reset(seed, None)
        else:
            self.learner.reset(seed, rows)
        self._started = True
        self._done[slice(None) if rows is None else rows] = False
        obs, masks = self.learner.observe()
        nothing = np.zeros(self.num_envs, np.int64)
        return obs, self._infos(masks, nothing, nothing, nothing.astype(bool))

    def _chosen(self, mask: Any) -> NDArray[np.int64] | None:
        if mask is None:
            return None
        if np.shape(mask) != (self.num_envs,) or np.asarray(mask).dtype != bool:
            raise ValueError(f"reset_mask must be bool[{self.num_envs}], not {np.asarray(mask).dtype}{list(np.shape(mask))}")
        return np.flatnonzero(mask)

    def step(self, actions: NDArray[np.int64]) -> Step:
        """Plays one action at each table; (observations, rewards, terminations, truncations, infos)."""
        if not self._started:
            raise gym.error.ResetNeeded("call reset() before step()")
        n = self.num_envs
        actions = np.asarray(actions, np.int64)
        if actions.shape != (n,):
            raise ValueError(f"actions have shape {actions.shape}, not ({n},)")
        rewards, points = np.zeros(n, np.float32), np.zeros(n, np.int64)
        terminated, truncated, illegal = np.zeros(n, bool), np.zeros(n, bool), np.zeros(n, bool)
        waiting, playing = np.flatnonzero(self._done), np.flatnonzero(~self._done)
        if len(waiting) and self.autoreset_mode == AutoresetMode.DISABLED:
            raise gym.error.ResetNeeded(f"tables {waiting.tolist()} are done: reset them first (autoreset is disabled)")
        outcome = self.learner.step(actions[playing], playing)
        if len(waiting):
            self.learner.reset(rows=waiting)
        rewards[playing], terminated[playing], truncated[playing] = outcome.rewards, outcome.terminations, outcome.truncations
        illegal[playing], points[playing] = outcome.illegal, outcome.points
        self._done = terminated | truncated
        endings = np.where(self._done, np.where(illegal, len(self._endings) - 1, self.learner.tables.state.ending), 0)
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._done.any():
            return self._reset_at_once(rewards, terminated, truncated, endings, points, illegal)
        obs, masks = self.learner.observe()
        return obs, rewards, terminated, truncated, self._infos(masks, endings, points, illegal)

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of every learner, bool[n, NUM_ACTIONS], a fresh array."""
        return self.learner.masks().astype(bool)

    def render(self) -> tuple[Any, ...] | None:
        """Each table from its learner's seat: texts or pictures, or None (printed in "human")."""
        tables = self.learner.tables
        seen = zip(tables.state, map(int, self.learner.learners), strict=True)
        return rendered(self.render_mode, tables.variant, tables.rules, seen, end="\n")

    def _infos(
        self,
        masks: NDArray[np.int8],
        endings: NDArray[np.int64],
        points: NDArray[np.int64],
        illegal: NDArray[np.bool_],
        where: NDArray[np.bool_] | None = None,
    ) -> Infos:
        """The infos of the tables ``where`` (default: all), each key with its mask, as gymnasium has them."""
        infos = {
            "action_mask": masks,
            "seat": self.learner.learners.copy(),
            "ending": self._endings[endings],
            "points": points,
            "illegal_action": illegal,
        }
        there = np.ones(self.num_envs, bool) if where is None else where
        return infos | {f"_{name}": there.copy() for name in infos}

    def _reset_at_once(
        self,
        rewards: NDArray[np.float32],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        endings: NDArray[np.int64],
        points: NDArray[np.int64],
        illegal: NDArray[np.bool_],
    ) -> Step:
        """The step of SAME_STEP where tables are done: their last view goes to ``final_obs`` and ``final_info``."""
        done, rows = self._done, np.flatnonzero(self._done)
        last, last_masks = self.learner.observe(rows)
        final_obs = np.full(self.num_envs, None, object)
        for k, row in enumerate(rows):
            final_obs[row] = last[k]
        final_masks = np.zeros((self.num_envs, last_masks.shape[1]), np.int8)
        final_masks[rows] = last_masks
        final = self._infos(final_masks, endings, np.where(done, points, 0), illegal, done)
        self.learner.reset(rows=rows)
        self._done = np.zeros(self.num_envs, bool)
        obs, masks = self.learner.observe()
        nothing = np.zeros(self.num_envs, np.int64)
        infos = self._infos(masks, nothing, np.where(done, 0, points), nothing.astype(bool))
        infos |= {"final_obs": final_obs, "_final_obs": done.copy(), "final_info": final, "_final_info": done.copy()}
        return obs, rewards, terminated, truncated, infos
