"""Matches: targets, who begins the next deal, both sign conventions, and the bonuses at the end."""

import random

import pytest

from rummy_env import match
from rummy_env.gin.state import ENDINGS
from rummy_env.match import MatchScore, play_match
from rummy_env.rules import GIN_BOOK, GIN_SETTINGS, make_rules, settings_in_words
from tests.helpers import count, table
from tests.naive import read
from tests.naive_game import Match

STARTERS = GIN_SETTINGS["starter"].choices


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
@pytest.mark.parametrize("target", [50, 100, 150, 200])
@pytest.mark.parametrize("seat", [0, 1])
def test_the_match_ends_at_the_target_and_not_before(variant, target, seat):
    rules, sign = make_rules(variant, target=target), 1 if seat == 0 else -1
    assert play_match(rules, [sign * (target - 1)]).winner is None
    assert play_match(rules, [sign * (target - 1), sign]).winner == seat
    assert play_match(rules, [sign * target * 2]).winner == seat


def test_points_count_for_the_winner_or_against_the_loser():
    deals = [30, -12, 0, 5]
    assert play_match(make_rules("gin-es"), deals) == MatchScore((35, 12), (2, 1), None)
    assert play_match(make_rules("gin-ru"), deals) == MatchScore((-12, -35), (2, 1), None)


def test_no_deal_may_follow_the_end():
    with pytest.raises(ValueError, match="over after 1 deals, but 2"):
        play_match(make_rules(target=50), [60, 1])


BONUSES = {"target": 50, "box_bonus": 20, "game_bonus": 100, "shutout": 70}


@pytest.mark.parametrize(
    ("variant", "deals", "scores"),
    [
        ("gin-standard", [30, -10, 25], (55 + 2 * 20 + 100, 10 + 20)),
        ("gin-standard", [30, 25], (55 + 2 * 20 + 100 + 70, 0)),
        ("gin-standard", [-30, 0, -25], (0, 55 + 2 * 20 + 100 + 70)),
        ("gin-standard", [30, 10], (40, 0)),
        ("gin-ru", [30, -10, 25], (-10 + 2 * 20 + 100, -55 + 20)),
        ("gin-ru", [30, 25], (2 * 20 + 100 + 70, -55)),
    ],
)
def test_boxes_game_and_shutout_are_credited_at_the_end(variant, deals, scores):
    assert play_match(make_rules(variant, **BONUSES), deals).scores == scores


def test_ub029_the_game_bonus_goes_to_the_one_over_the_target():
    score = play_match(make_rules("gin-standard", game_bonus=100), [-27], before=(95, 80))
    assert score == MatchScore((95, 107 + 100), (0, 1), 1)


def finished(rules, starter: int, ending: str, points: int):
    """A table whose deal, begun by ``starter``, ended with ``points`` for seat 0."""
    t = table(rules)
    t.starter, t.ending, t.points[:] = starter, ENDINGS.index(ending), (points, -points)
    return t


NEXT = {  # who begins the deal after one begun by 0 that 0 won, 1 won, was tied, died or was cut short
    "alternate": (1, 1, 1, 1, 1),
    "alternate_scored": (1, 1, 1, 0, 0),
    "seat0": (0, 0, 0, 0, 0),
    "winner": (0, 1, 0, 0, 0),
    "loser": (1, 0, 0, 0, 0),
}
DEALS = (("gin", 40), ("undercut", -30), ("tie", 0), ("dead", 0), ("capped", 0))


@pytest.mark.parametrize("setting", STARTERS)
def test_who_begins_the_next_deal(setting):
    rules = make_rules(starter=setting)
    for (ending, points), expected in zip(DEALS, NEXT[setting]):
        t = finished(rules, 0, ending, points)
        match.next_deal(rules, t)
        assert (t.starter, t.to_act) == (expected, expected)
        mirrored = finished(rules, 1, ending, -points)
        assert match.next_starter(rules, mirrored) == (0 if setting == "seat0" else 1 - expected)


@pytest.mark.parametrize("setting", STARTERS)
def test_the_first_starter_is_random_unless_fixed(setting):
    starters = {int(table(make_rules(starter=setting), seed).starter) for seed in range(20)}
    assert starters == ({0} if setting == "seat0" else {0, 1})


def test_a_new_match_starts_from_nothing():
    rules = make_rules(target=50)
    t = finished(rules, 0, "gin", 60)
    assert match.settle(rules, t) == 0
    assert (t.scores.tolist(), t.match_deals) == ([60, 0], 1)
    dealt = int(t.deal)
    match.start_match(rules, t)
    assert (t.scores.tolist(), t.wins.tolist(), t.match_deals, t.deal) == ([0, 0], [0, 0], 0, dealt + 1)


def test_random_matches_are_scored_as_by_the_twin():
    rng = random.Random(7)
    for _ in range(count(300)):
        bonuses = {name: rng.choice((0, 20)) for name in ("box_bonus", "game_bonus", "shutout")}
        rules = make_rules(rng.choice(list(GIN_BOOK.variants)), target=rng.choice((50, 100, 150, 200)), **bonuses)
        twin, deals = Match(read(settings_in_words(rules))), []
        while twin.winner is None:
            deals.append(rng.choice((0, 1, -1)) * rng.randint(1, 60))
            twin.add(deals[-1])
        assert play_match(rules, deals) == MatchScore(tuple(twin.scores), tuple(twin.wins), twin.winner)
