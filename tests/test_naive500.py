"""The plain-Python 500 Rum by itself: the numbers of its actions, its melds and matches, worked by hand."""

import pytest

from rummy_env.cards import card
from tests.helpers500 import meld
from tests.naive500 import ACTIONS, NUMBER, is_meld, read
from tests.naive500_game import NaiveMatch

CORNER_OFF = {"run_corner": "no"}


def n(kind: str, *details) -> int:
    """The number of an action in words: ``n("run", "TC* JC QC")`` with * for the places of jokers."""
    if kind in ("set", "run"):
        return NUMBER[kind, tuple((card(word[:2]), word.endswith("*")) for word in details[0].split())]
    return NUMBER[kind, card(details[0]), details[1]]


def test_actions_have_the_numbers_of_the_specification():
    starts = [("draw",), ("take", 0), ("lay off", 0, "set", False), ("lay off", 0, "high", False), ("lay off", 0, "low", False)]
    starts += [("lay off", 0, where, True) for where in ("set", "high", "low")]
    starts += [("swap", 52, 0), ("rebind", 52, "up"), ("discard", 0), ("pass",)]
    assert [NUMBER[a] for a in starts] == [0, 1, 926, 978, 1030, 1082, 1134, 1186, 1238, 1342, 1346, 1400]
    assert len(ACTIONS) == len(NUMBER) == 1401
    assert [a[0] for a in ACTIONS].count("set") == 13 * 39
    assert [a[0] for a in ACTIONS].count("run") == 52 * 7


@pytest.mark.parametrize(
    ("number", "action"),
    [
        (55, n("set", "AS AH AD")),
        (55 + 39 + 7 + 6, n("set", "2S 2H* 2C*")),
        (55 + 39 * 12 + 28 + 10, n("set", "KS KH KD* KC*")),
        (562 + 6, n("run", "AS 2S* 3S*")),
        (562 + (13 + 12) * 7 + 1, n("run", "KH* AH 2H")),
        (1343, n("rebind", "X1", "down")),
        (1344, n("rebind", "X2", "up")),
    ],
)
def test_patterns(number, action):
    assert number == action


@pytest.mark.parametrize(
    ("text", "corner", "plain"),
    [
        ("KS AS 2S", True, False),
        ("QS KS AS 2S 3S", True, False),
        ("KS AS 2H", False, False),
        ("3D 4D 5D", True, True),
        ("5S 5H 5D 5C", True, True),
        ("JS JH JD", True, True),
        ("AS 2S 3S", True, True),
        ("QS KS AS", True, True),
        ("3D 5D 4H", False, False),
        ("5S 5H", False, False),
        ("AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH", True, True),
        ("QC JC TC=X1", True, True),
        ("QC JC=X2 TC=X1", True, True),
        ("KC=X1 QC=X2", False, False),
    ],
)
def test_m02_melds(text, corner, plain):
    assert (is_meld(read({}), meld(text)), is_meld(read(CORNER_OFF), meld(text))) == (corner, plain)


@pytest.mark.parametrize(("most", "legal"), [(0, False), (1, False), (2, True)])
def test_jokers_per_meld(most, legal):
    assert is_meld(read({"max_jokers_per_meld": most}), meld("QC JC=X2 TC=X1")) == legal


def test_match_goes_on_after_a_tie():
    match = NaiveMatch({"num_players": 3, "target": 100}, starter=2)
    for points, winner in [([60, 60, -5], None), ([50, 50, 10], None), ([1, 0, 40], 0)]:
        match.add(points)
        assert match.winner == winner
    assert (match.scores, match.wins, match.starter) == ([111, 110, 45], [2, 2, 1], 2)


def test_match_of_some_deals():
    match = NaiveMatch({"num_players": 2, "num_deals": 2, "target": 10}, starter=0)
    match.add([50, 20])
    assert match.winner is None
    match.add([-60, 5])
    assert match.winner == 1
