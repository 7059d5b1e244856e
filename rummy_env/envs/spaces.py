"""The observation and action spaces of one seat: the same for all variants of a game."""

import gymnasium as gym
import numpy as np

from rummy_env.envs.learner import LearnerTables
from rummy_env.games import Game

#: More than any deal earns, in units of the reward.
MOST_FORETOLD = 1000


def observation_space(game: Game, bits: bool = False, outlook: bool = False, privileged: bool = False) -> gym.spaces.Box:
    """What one seat sees: float32[OBS_SIZE] (with the parts asked for after it), or words uint64[BITS_WORDS]."""
    observe = game.observe
    if bits:
        return gym.spaces.Box(0, np.iinfo(np.uint64).max, (len(observe.BITS_WORDS),), np.uint64)
    parts = [*observe.OBS_SPEC]
    parts += game.outlook.OUTLOOK_SPEC if outlook else ()
    parts += observe.PRIVILEGED_SPEC if privileged else ()
    sizes = [part.stop - part.start for part in parts]
    low = np.repeat([part.least for part in parts], sizes).astype(np.float32)
    high = np.repeat([part.most for part in parts], sizes).astype(np.float32)
    return gym.spaces.Box(low, high, dtype=np.float32)


def action_space(game: Game) -> gym.spaces.Discrete:
    """The game's actions."""
    return gym.spaces.Discrete(game.actions.NUM_ACTIONS)


def spaces_of(learner: LearnerTables) -> tuple[gym.spaces.Box, gym.spaces.Discrete]:
    """The observation and action space of one learner."""
    game = learner.tables.game
    space = observation_space(game, learner.bits, learner.outlook, learner.privileged)
    if learner.foretold:
        more = np.full(len(learner.foretold), MOST_FORETOLD, np.float32)
        space = gym.spaces.Box(np.append(space.low, -more), np.append(space.high, more), dtype=np.float32)
    return space, action_space(game)
