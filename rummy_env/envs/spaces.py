"""The observation and action spaces of one seat."""

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from rummy_env.envs.learner import LearnerTables
from rummy_env.gin.actions import NUM_ACTIONS
from rummy_env.gin.observe import BITS_WORDS, OBS_SPEC, PRIVILEGED_SPEC
from rummy_env.gin.outlook import OUTLOOK_SPEC

#: The most that slices other than zeros and ones can hold, whatever the rules, so that all variants share one space.
#: The match passes 1 only when it is over and bonuses are added; it alone may be negative.
_MOST = {
    "after": 14.0,
    "outs": 2.0,
    "danger": 12.0,
    "clock": 400.0,
    "takes": 1300.0,
    "deadwood": 3.0,
    "if_taken": 14.0,
    "opponent_known": 4.0,
    "limit": 10.0,
    "rules": 40.0,
    "match": 1e5,
    "promise": 14.0,
    "promises": 3.0,
    "opponent_deadwood": 3.0,
}


def _bounds(outlook: bool, privileged: bool) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    parts = (*OBS_SPEC, *(OUTLOOK_SPEC if outlook else ()), *(PRIVILEGED_SPEC if privileged else ()))
    high = np.concatenate([np.full(part.stop - part.start, _MOST.get(part.name, 1.0), np.float32) for part in parts])
    low = np.zeros_like(high)
    match = next(part for part in OBS_SPEC if part.name == "match")
    low[match.start : match.stop] = -_MOST["match"]
    return low, high


def observation_space(bits: bool = False, outlook: bool = False, privileged: bool = False) -> gym.spaces.Box:
    """What one seat sees: float32[OBS_SIZE] (with the parts asked for after it), or words uint64[9]."""
    if bits:
        return gym.spaces.Box(0, np.iinfo(np.uint64).max, (len(BITS_WORDS),), np.uint64)
    low, high = _bounds(outlook, privileged)
    return gym.spaces.Box(low, high, dtype=np.float32)


def action_space() -> gym.spaces.Discrete:
    """The 108 actions."""
    return gym.spaces.Discrete(NUM_ACTIONS)


def spaces_of(tables: LearnerTables) -> tuple[gym.spaces.Box, gym.spaces.Discrete]:
    """The observation and action space of one learner."""
    return observation_space(tables.bits, tables.outlook, tables.privileged), action_space()
