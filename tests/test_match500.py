"""Matches of 500 Rum (C11): targets, numbers of deals, ties, deals won, and who begins (C1)."""

import random
from collections import Counter

import pytest

from rummy_env.match import MatchScore, next_deal, play_match, settle, start_match
from rummy_env.rules import make_rules, settings_in_words
from tests.helpers import count
from tests.helpers500 import new_table, random_rules, table
from tests.naive500_game import NaiveMatch

THREE = make_rules("rum500-ru", num_players=3, target=100)


@pytest.mark.parametrize("target", [1, 100, 500, 1000])
@pytest.mark.parametrize("seat", [0, 3])
def test_the_match_ends_at_the_target_and_not_before(target, seat):
    rules = make_rules("rum500-ru", target=target)

    def deal(points: int) -> list[int]:
        return [points if k == seat else -points for k in range(4)]

    assert play_match(rules, [deal(target - 1)]).winner is None
    assert play_match(rules, [deal(target - 1), deal(1)]).winner == seat
    assert play_match(rules, [deal(target * 2)]).winner == seat


def test_the_highest_score_wins_not_the_first_at_the_target():
    assert play_match(THREE, [[90, 110, 120]]) == MatchScore((90, 110, 120), (0, 0, 1), 2)
    assert play_match(THREE, [[99, 99, -5]]).winner is None


def test_a_tie_takes_one_more_deal_and_so_on():
    deals = [[60, 60, -5], [50, 50, 10], [-100, -100, 0], [0, 0, 3]]
    results = [play_match(THREE, deals[:n]).winner for n in range(1, 5)]
    assert results == [None, None, None, None]
    assert play_match(THREE, [*deals[:2], [1, 0, 40]]) == MatchScore((111, 110, 45), (2, 2, 1), 0)
    assert play_match(THREE, [[110, 110, 20], [-30, -30, 70]]).winner is None, "none is at the target any more"


def test_scores_may_be_negative_and_fall():
    assert play_match(THREE, [[50, -70, 0], [-60, -10, 99]]).scores == (-10, -80, 99)


@pytest.mark.parametrize(("deals", "winner"), [(1, None), (2, 1)])
def test_a_match_of_some_deals_ends_after_them_target_or_not(deals, winner):
    rules = make_rules("rum500-ru", num_players=2, num_deals=2, target=10)
    assert play_match(rules, [[50, 20], [-60, 5]][:deals]).winner == winner


def test_a_tie_after_the_last_deal_takes_one_more():
    rules = make_rules("rum500-ru", num_players=2, num_deals=1)
    assert play_match(rules, [[5, 5]]).winner is None
    assert play_match(rules, [[5, 5], [-8, -8], [3, 2]]).winner == 0


def test_a_deal_is_won_by_all_who_share_the_most_points():
    rules = make_rules("rum500-ru", num_deals=9)
    assert play_match(rules, [[-5, -5, -9, -5], [1, 2, 3, 3], [0, 0, 0, 0]]).wins == (2, 2, 2, 3)


def test_no_deal_may_follow_the_end():
    with pytest.raises(ValueError, match="over after 1 deals, but 2"):
        play_match(THREE, [[100, 0, 0], [1, 0, 0]])


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_the_first_starter_is_drawn_by_the_seed_and_the_deal_goes_round(players):
    rules = make_rules("rum500-ru", num_players=players)
    n = count(600)
    starters = Counter(int(table(rules, seed).starter) for seed in range(n))
    assert starters.keys() <= set(range(players))
    assert all(abs(starters[k] - n / players) < 5 * (n / players) ** 0.5 for k in range(players))
    t = table(rules, seed=1)
    first = int(t.starter)
    for k in range(1, 2 * players):
        next_deal(rules, t)
        assert t.starter == t.to_act == (first + k) % players


def test_a_new_match_starts_from_nothing():
    t = new_table()
    start_match(THREE, t)
    first = t.copy()
    t.points[:3] = 40, 110, 20
    assert settle(THREE, t) == 1
    assert (t.scores.tolist(), t.match_deals) == ([40, 110, 20, 0, 0, 0], 1)
    start_match(THREE, t)
    assert (t.scores.tolist(), t.wins.tolist(), t.match_deals, t.deal) == ([0] * 6, [0] * 6, 0, first.deal + 1)
    assert t.stock.tolist() != first.stock.tolist()


def test_random_matches_are_scored_as_by_the_twin():
    rng = random.Random(7)
    for _ in range(count(300)):
        rules = random_rules(rng)
        twin, deals = NaiveMatch(settings_in_words(rules), 0), []
        while twin.winner is None:
            deals.append([rng.choice((-20, 5, 5, 60, rng.randint(-90, 150))) for _ in range(rules.num_players)])
            twin.add(deals[-1])
        assert play_match(rules, deals) == MatchScore(tuple(twin.scores), tuple(twin.wins), twin.winner)
