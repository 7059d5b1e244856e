"""Rewards of a deal, and candidates valued by playing on in sampled worlds."""

import numpy as np
import pytest

from rummy_env.envs.learner import POINTS_PER_REWARD, LearnerTables
from rummy_env.envs.tables import Tables
from rummy_env.games import game_of
from rummy_env.reward import MARGIN, PLACE, PLACE_BONUS, POINTS, REWARDS, earned
from rummy_env.search import MOST_CANDIDATES


def finished(variant: str, points: list[int]):
    tables = Tables(1, variant)
    tables.state[0].points[: len(points)] = points
    return tables.rules, tables.for_kernels[1][0]


@pytest.mark.parametrize(
    ("points", "margins", "places"),
    [
        ([40, 20, 0, -20], [30, 10, -10, -30], [75, -25, -25, -25]),
        ([20, 20, 0, -40], [20, 20, 0, -40], [25, 25, -25, -25]),
        ([8, 8, 8, 8], [0] * 4, [0] * 4),
    ],
)
def test_rewards_of_four(points, margins, places):
    rules, t = finished("rum500-ru", points)
    for seat in range(4):
        assert earned(rules, t, seat, POINTS) == points[seat]
        assert earned(rules, t, seat, MARGIN) == margins[seat]
        assert earned(rules, t, seat, PLACE) == margins[seat] + places[seat] * PLACE_BONUS / 100


def test_in_gin_points_and_margin_are_the_same():
    rules, t = finished("gin-es", [12, -12])
    assert [earned(rules, t, 0, kind) for kind in (POINTS, MARGIN, PLACE)] == [12, 12, 12 + PLACE_BONUS / 2]


@pytest.mark.parametrize("reward", REWARDS)
def test_the_environment_pays_the_reward(reward):
    learner = LearnerTables(64, "rum500-ru", 3, opponents="layer", reward=reward)
    seen = 0
    for _ in range(400):
        masks = learner.observe()[1]
        state = learner.tables.state
        outcome = learner.step(np.array([np.flatnonzero(mask)[-1] for mask in masks]))
        for row in np.flatnonzero(outcome.terminations | outcome.truncations):
            expected = earned(
                learner.tables.rules, learner.tables.for_kernels[1][row], learner.learners[row], REWARDS.index(reward)
            )
            assert outcome.rewards[row] == pytest.approx(expected / POINTS_PER_REWARD, abs=1e-5)
            assert outcome.points[row] == state.points[row, learner.learners[row]]
            seen += 1
        done = np.flatnonzero(outcome.terminations | outcome.truncations)
        if len(done):
            learner.reset(rows=done)
    assert seen > 50


@pytest.mark.parametrize(("variant", "policy"), [("gin-es", "greedy"), ("gin-ru", "lookahead"), ("rum500-ru", "greedy500")])
def test_candidates_are_legal_distinct_and_begin_with_the_policys_own(variant, policy):
    learner = LearnerTables(48, variant, 5)
    game = game_of(variant)
    number, parameters = game.parse_policy(policy)
    rng = np.random.default_rng(1)
    for _ in range(25):
        masks = learner.observe()[1]
        dice = learner.tables.state.dice.copy()
        own = learner.tables.view().scripted(number, parameters)
        learner.tables.state.dice[:] = dice
        actions, values = learner.candidate_values(1, number, parameters)
        assert actions.shape == values.shape == (48, MOST_CANDIDATES)
        for row in range(48):
            found = actions[row][actions[row] >= 0]
            assert len(set(found)) == len(found)
            assert masks[row, found].all()
            assert found[0] == own[row]
            assert (actions[row, len(found) :] == -1).all()
        outcome = learner.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
        done = np.flatnonzero(outcome.terminations | outcome.truncations)
        if len(done):
            learner.reset(rows=done)


def test_values_are_what_the_candidates_earn():
    """With one opponent and one card that ends the deal, every world gives the same."""
    learner = LearnerTables(1, "rum500-ru", 1, opponents="layer", seat=0, reward="points", num_players=2)
    t = learner.tables.state[0]
    while t.phase == 0:
        learner.step(np.array([0]))
    t.hands[0], t.known[0] = np.uint64(1 << 4), 0
    actions, values = learner.candidate_values(3, *game_of("rum500-ru").parse_policy("layer"))
    assert actions[0, 1] == -1
    assert values[0, 0] == 0  # a single candidate is not played


def test_searching_changes_nothing_at_the_tables_but_their_dice():
    learner = LearnerTables(8, "rum500-ru", 2)
    before = learner.tables.state.copy()
    learner.candidate_values(2, *game_of("rum500-ru").parse_policy("greedy500"))
    for name in before.dtype.names:
        assert name == "dice" or np.array_equal(before[name], learner.tables.state[name])


def test_values_do_not_see_hidden_cards():
    """Worlds are drawn anew: two tables that look alike to the learner are valued alike, whatever lies hidden."""
    learner = LearnerTables(2, "gin-es", 4, opponents="simple", seat=0)
    state = learner.tables.state
    state[1] = state[0]
    learner._episodes[1] = learner._episodes[0]
    other, stock = 1, state.stock[1, int(state.stock_at[1]) :]
    hidden = int(state.hands[1, other])
    swapped = int(stock[0])
    first = (hidden & -hidden).bit_length() - 1
    state.hands[1, other] = np.uint64((hidden ^ (1 << first)) | (1 << swapped))
    stock[0] = first
    actions, values = learner.candidate_values(400, *game_of("gin-es").parse_policy("greedy"))
    assert np.array_equal(actions[0], actions[1])
    known = actions[0] >= 0
    assert values[0, known] == pytest.approx(values[1, known], abs=6)


def test_the_better_discard_is_worth_more():
    """Against gin's greedy, putting out a card of a finished meld costs points."""
    learner = LearnerTables(64, "gin-es", 9, opponents="greedy", seat=0)
    number, parameters = game_of("gin-es").parse_policy("greedy")
    better = []
    for _ in range(12):
        actions, values = learner.candidate_values(40, number, parameters)
        several = (actions[:, 1] >= 0) & (learner.tables.state.phase == 4)
        for row in np.flatnonzero(several):
            known = actions[row] >= 0
            better.append(values[row, 0] - np.median(values[row, known]))
        outcome = learner.step(actions[:, 0])
        learner.reset(rows=np.flatnonzero(outcome.terminations | outcome.truncations))
    assert np.mean(better) > 2
