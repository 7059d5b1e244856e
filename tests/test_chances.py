"""The chance to win a match from a score: its shape, that it is what matches give, and rewards that add up to it."""

import numpy as np
import pytest

from rummy_env.envs.chances import win_chances
from rummy_env.envs.learner import POINTS_PER_REWARD, LearnerTables
from rummy_env.envs.tables import Tables
from rummy_env.games import progress
from rummy_env.reward import CHANCE, NO_CHANCES, earned
from rummy_env.rules import make_rules
from tests.helpers import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="too many deals for interpreted kernels")


@pytest.mark.parametrize(("variant", "settings"), [("gin-eaai", {}), ("gin-ru", {}), ("oklahoma-es", {"target": 40})])
def test_chances_of_both_add_up_and_rise_with_the_own_score(variant, settings):
    rules = make_rules(variant, **settings)
    chances = win_chances(variant, rules)
    target = rules.target
    assert chances.shape == (target + 1, target + 1)
    open_scores = chances[:target, :target]
    assert open_scores + open_scores.T == pytest.approx(1)
    assert np.diag(open_scores) == pytest.approx(0.5)
    assert (np.diff(chances, axis=0) >= -1e-12).all()
    assert (np.diff(chances[:target], axis=1) <= 1e-12).all()
    assert (chances[target] == 1).all()
    assert not chances[:target, target].any()
    assert ((open_scores > 0) & (open_scores < 1)).all()
    assert 0.6 < chances[target - 10, 0] < 1
    assert win_chances(variant, rules) is chances  # kept


def shares_of_wins(variant: str, policy: str, mine: int, others: int, matches: int) -> float:
    """How often the first seat wins when a policy plays both, from what both have towards the target."""
    tables = Tables(matches, variant, seed=8)
    number, parameters = tables.game.parse_policy(policy)
    plus = tables.rules.scoring == make_rules("gin-eaai").scoring
    tables.state.scores[:] = (mine, others) if plus else (-others, -mine)
    assert progress(tables.rules, tables.state[0], 0) == mine
    assert progress(tables.rules, tables.state[0], 1) == others
    won = np.full(matches, -1)
    live = tables.all_rows
    while len(live):
        tables.step(tables.view(live).scripted(number, parameters), live)
        over = live[tables.over[live]]
        won[over] = tables.settle(over)
        tables.next_deals(over[won[over] < 0])
        live = live[won[live] < 0]
    return float((won == 0).mean())


@pytest.mark.parametrize(
    ("variant", "mine", "others"), [("gin-eaai", 0, 60), ("gin-eaai", 80, 50), ("gin-ru", 100, 60), ("gin-ru", 20, 140)]
)
def test_matches_of_the_rollout_policy_are_won_as_often(variant, mine, others):
    found = shares_of_wins(variant, "swift", mine, others, 2000)
    assert found == pytest.approx(win_chances(variant, make_rules(variant))[mine, others], abs=0.045)


def test_a_deal_earns_what_it_changes_in_the_chance():
    tables = Tables(1, "gin-ru")
    chances, t = win_chances("gin-ru", tables.rules), tables.state[0]
    t.scores[:] = (-30, -100)  # written against the losers: seat 0 has 100 towards the target, seat 1 has 30
    for points, mine, others in ((25, 125, 30), (-25, 100, 55), (60, 150, 30), (-300, 100, 150), (0, 100, 30)):
        t.points[:] = points, -points
        expected = 300 * (chances[mine, others] - chances[100, 30])
        assert earned(tables.rules, t, 0, CHANCE, chances) == pytest.approx(expected)
        assert earned(tables.rules, t, 1, CHANCE, chances) == pytest.approx(-expected)


@pytest.mark.parametrize("variant", ["gin-eaai", "gin-ru", "oklahoma-es"])
def test_rewards_of_a_match_add_up_to_its_outcome(variant):
    """Twice the target times the chance at the end, 1 or 0, less that at the start, a half."""
    learner = LearnerTables(32, variant, 5, opponents="simple", episode="match", reward="chance")
    target = learner.tables.rules.target
    number, parameters = learner.tables.game.parse_policy("greedy")
    total, points, ended = np.zeros(32), np.zeros(32), []
    while len(ended) < 60:
        outcome = learner.step(learner.tables.view().scripted(number, parameters))
        total += outcome.rewards
        points += outcome.points
        done = np.flatnonzero(outcome.terminations)
        assert not outcome.truncations.any()
        for row in done:
            t, seat = learner.tables.state[row], learner.learners[row]
            won = progress(learner.tables.rules, t, seat) >= target
            assert won != (progress(learner.tables.rules, t, 1 - seat) >= target)
            assert total[row] * POINTS_PER_REWARD == pytest.approx(target if won else -target, abs=1e-3)
            ended.append(won)
        total[done] = points[done] = 0
        if len(done):
            learner.reset(rows=done)
    assert 0.2 < np.mean(ended) < 0.95


@pytest.mark.parametrize("settings", [{}, {"num_players": 2}])
def test_chances_are_gins_only(settings):
    with pytest.raises(ValueError, match=r"chances to win a match are for .*rum500-ru"):
        LearnerTables(4, "rum500-ru", reward="chance", **settings)
    assert LearnerTables(4, "rum500-ru", reward="margin", **settings).chances is NO_CHANCES
