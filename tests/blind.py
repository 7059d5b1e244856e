"""Is an observer or agent blind to what it must not see? Tables and the same tables in another possible world."""

import copy

import numpy as np

from rummy_env.envs import batch
from rummy_env.envs.tables import Tables


def other_worlds(tables: Tables, seats: np.ndarray, dice: int) -> Tables:
    """A copy in which what the seats cannot see is drawn anew, and the dice of the tables are as they were."""
    world = copy.deepcopy(tables)
    world.state.dice = np.uint64(dice) + np.arange(len(world), dtype=np.uint64) * np.uint64(977)
    batch.resample_tables(*world.for_kernels, world.all_rows, np.asarray(seats, np.uint8))
    world.state.dice = tables.state.dice
    return world


def met_in_play(variant: str, n: int, rounds: int, policy: str = "random", seed: int = 0, **settings):
    """Tables met in play, after each round of moves: random actions, or those of a policy."""
    tables = Tables(n, variant, seed, **settings)
    number, parameters = tables.game.parse_policy(policy)
    for _ in range(rounds):
        yield tables
        tables.step(tables.view().scripted(number, parameters))
        over = np.flatnonzero(tables.over)
        tables.settle(over)
        tables.next_deals(over)


def assert_agent_blind(agent, variant: str, n: int = 32, rounds: int = 40, policy: str = "simple", **settings) -> int:
    """Asserts that hidden cards change none of an agent's actions under the same dice.

    ``agent`` has ``act(obs, mask, view, rng)``. Returns in how many compared positions hidden cards did differ.
    """
    differed = 0
    for number, tables in enumerate(met_in_play(variant, n, rounds, policy, seed=11, **settings)):
        world = other_worlds(tables, tables.state.to_act, dice=number)
        differed += int((world.state.hands != tables.state.hands).any(1).sum())
        actions = []
        for played in (copy.deepcopy(tables), world):
            obs, mask = played.observe()
            actions.append(agent.act(obs, mask, played.view(), np.random.default_rng(number)))
        np.testing.assert_array_equal(*actions)
    return differed
