"""The chance to win a match of two, by what both have towards it: what a deal is worth depends on the score."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rummy_env.envs import batch
from rummy_env.envs.tables import Tables
from rummy_env.games import game_of
from rummy_env.policy import NUM_PARAMETERS
from rummy_env.rules import Rules

DEALS, TABLES, SEED = 40_000, 500, 20_213


@lru_cache(maxsize=8)
def win_chances(variant: str, rules: Rules) -> NDArray[np.float64]:
    """The chance, float64[target + 1, target + 1], of who has as much as the row says against the column's.

    Solved for two players of the game's rollout policy: simulated deals give how often one earns how much, and from the target
    down every score follows from the higher ones. Boxes, bonuses and who begins are left out. Raises ValueError for a variant
    of another game than gin: only there a deal brings points to one of two.
    """
    if game_of(rules).name != "gin":
        raise ValueError(f"chances to win a match are for gin, where one of two scores: {variant} is another game")
    odds = _odds_of_points(variant, rules)
    target, most = rules.target, len(odds) - 1
    chances = np.zeros((target + 1, target + 1))
    chances[target, :] = 1.0
    each = odds[1:] / odds[1:].sum() / 2
    for mine in range(target - 1, -1, -1):
        mine_after = np.minimum(np.arange(mine + 1, mine + most + 1), target)
        for others in range(target - 1, -1, -1):
            others_after = np.minimum(np.arange(others + 1, others + most + 1), target)
            chances[mine, others] = each @ (chances[mine_after, others] + chances[mine, others_after])
    return chances


def _odds_of_points(variant: str, rules: Rules) -> NDArray[np.float64]:
    """How often a deal is worth how many points to its winner, float64[most + 1]."""
    tables = Tables(TABLES, variant, SEED)
    tables.rules = rules
    number, parameters = game_of(rules).parse_policy(game_of(rules).policies.ROLLOUT)
    both = np.array([number] * 2), np.array([parameters] * 2).reshape(2, NUM_PARAMETERS)
    counts = np.zeros(1)
    for _ in range(DEALS // TABLES):
        batch.play_deals(*tables.for_kernels, tables.all_rows, *both, 1)
        found = np.bincount(np.abs(tables.state.points[:, 0]))
        size = max(len(counts), len(found))
        counts = np.pad(counts, (0, size - len(counts))) + np.pad(found, (0, size - len(found)))
    return counts
