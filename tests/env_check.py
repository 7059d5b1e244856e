"""One check for every single-agent environment id: a few thousand random legal steps, and what must hold in each."""

from typing import Any

import gymnasium as gym
import numpy as np

from rummy_env.envs.learner import ILLEGAL_PENALTY, POINTS_PER_REWARD

INFO = ["action_mask", "seat", "ending", "points", "illegal_action"]


def random_legal(info: dict[str, Any], rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(info["action_mask"])))


def check_play(env: gym.Env, steps: int, seed: int = 0) -> int:
    """Plays random legal actions; returns how many episodes ended."""
    rng = np.random.default_rng(seed)
    obs, info = env.reset(seed=seed)
    kept: list[np.ndarray] = []
    episodes = 0
    for _ in range(steps):
        check_look(env, obs, info, kept)
        assert info["ending"] == "none"
        assert info["action_mask"].sum() >= 1
        masks = env.unwrapped.action_masks()
        assert masks.dtype == bool
        assert np.array_equal(masks, info["action_mask"])
        obs, reward, terminated, truncated, info = env.step(random_legal(info, rng))
        assert isinstance(reward, float)
        assert isinstance(terminated, bool)
        assert isinstance(truncated, bool)
        assert not (terminated and truncated)
        assert reward == np.float32(info["points"] / POINTS_PER_REWARD)
        assert not info["illegal_action"]
        if terminated or truncated:
            episodes += 1
            check_look(env, obs, info, kept)
            assert info["ending"] in env.unwrapped.game.state.ENDINGS[1:]
            assert truncated == (info["ending"] == "capped")
            assert info["action_mask"].all()
            obs, info = env.reset()
    return episodes


def check_look(env: gym.Env, obs: np.ndarray, info: dict[str, Any], kept: list[np.ndarray]) -> None:
    """Spaces, the same info keys always, and arrays that share nothing with those of earlier calls."""
    assert env.observation_space.contains(obs)
    assert list(info) == INFO
    mask = info["action_mask"]
    assert (mask.dtype, mask.shape) == (np.int8, (env.action_space.n,))
    assert mask.min() >= 0
    assert mask.max() <= 1
    for array in (obs, mask):
        assert not any(np.may_share_memory(array, other) for other in kept)
    kept[:] = [*kept[-6:], obs, mask]


def check_illegal(env: gym.Env, seed: int = 0) -> None:
    """An illegal action, in or out of range, loses the episode with the documented penalty."""
    for wrong in (-1, env.action_space.n, 10**6, None):
        obs, info = env.reset(seed=seed)
        action = int(np.flatnonzero(info["action_mask"] == 0)[0]) if wrong is None else wrong
        after, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-ILLEGAL_PENALTY / POINTS_PER_REWARD, True, False)
        assert (info["illegal_action"], info["ending"], info["points"]) == (True, "illegal", -ILLEGAL_PENALTY)
        assert np.array_equal(obs, after)
