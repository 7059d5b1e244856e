"""Rewards of a deal, and candidates valued by playing on in sampled worlds."""

import numpy as np
import pytest

from rummy_env.cards import parse_cards
from rummy_env.envs.learner import POINTS_PER_REWARD, LearnerTables
from rummy_env.envs.tables import Tables
from rummy_env.games import game_of
from rummy_env.reward import MARGIN, NO_CHANCES, PLACE, PLACE_BONUS, POINTS, REWARDS, earned
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
        assert earned(rules, t, seat, POINTS, NO_CHANCES) == points[seat]
        assert earned(rules, t, seat, MARGIN, NO_CHANCES) == margins[seat]
        assert earned(rules, t, seat, PLACE, NO_CHANCES) == margins[seat] + places[seat] * PLACE_BONUS / 100


def test_in_gin_points_and_margin_are_the_same():
    rules, t = finished("gin-es", [12, -12])
    assert [earned(rules, t, 0, kind, NO_CHANCES) for kind in (POINTS, MARGIN, PLACE)] == [12, 12, 12 + PLACE_BONUS / 2]


@pytest.mark.parametrize(
    ("variant", "opponent", "reward"),
    [*(("rum500-ru", "layer", reward) for reward in REWARDS if reward != "chance"), ("gin-es", "simple", "chance")],
)
def test_the_environment_pays_the_reward(variant, opponent, reward):
    learner = LearnerTables(64, variant, 3, opponents=opponent, reward=reward)
    rules, kind, seen = learner.tables.rules, REWARDS.index(reward), 0
    for _ in range(400):
        masks = learner.observe()[1]
        state = learner.tables.state
        outcome = learner.step(np.array([np.flatnonzero(mask)[-1] for mask in masks]))
        done = np.flatnonzero(outcome.terminations | outcome.truncations)
        for row in done:
            expected = earned(rules, learner.tables.for_kernels[1][row], learner.learners[row], kind, learner.chances)
            assert outcome.rewards[row] == pytest.approx(expected / POINTS_PER_REWARD, abs=1e-5)
            assert outcome.points[row] == state.points[row, learner.learners[row]]
            seen += 1
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


def test_values_do_not_see_the_stocks_order_but_the_hands():
    """Tables that differ in the stock's order alone are valued alike; not so where the other hand is another."""
    learner = LearnerTables(3, "gin-es", 4, opponents="simple", seat=0)
    state = learner.tables.state
    for row in (1, 2):
        state[row] = state[0]
        learner._episodes[row] = learner._episodes[0]
    at = int(state.stock_at[1])
    state.stock[1, at:] = state.stock[1, at:][::-1].copy()
    # three aces and three queens: it is about to knock
    held = parse_cards("AS AH AD QS QH QD 2C 3C 4C 2D")
    free = [c for c in range(52) if not int(state.hands[2, 0] | state.pile[2]) >> c & 1]
    hand = [c for c in free if int(held) >> c & 1]
    hand += [c for c in free if c not in hand][: 10 - len(hand)]
    state.hands[2, 1] = np.uint64(sum(1 << c for c in hand))
    state.stock[2, at:] = [c for c in free if c not in hand]
    actions, values = learner.candidate_values(400, *game_of("gin-es").parse_policy("greedy"))
    assert np.array_equal(actions[0], actions[1])
    known = actions[0] >= 0
    assert values[0, known] == pytest.approx(values[1, known], abs=6)
    assert values[2, 0] < values[0, 0] - 6


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
