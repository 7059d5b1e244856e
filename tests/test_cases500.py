"""500 Rum: the worked examples of its rules, inputs that broke other engines, and settings refused by name."""

import numpy as np
import pytest

from rummy_env.cards import card, card_list
from rummy_env.rules import RUM500_SETTINGS, RulesError, Rum500Rules, describe, make_rules, overrides_of, settings_in_words
from rummy_env.rum500.actions import DRAW_STOCK, parse_action
from rummy_env.rum500.melds import hand_points_of
from rummy_env.rum500.solver import PLAN, solve
from rummy_env.rum500.state import ENDINGS
from tests.helpers import cards, ids
from tests.helpers500 import VARIANTS500, Pair, is_whole, meld, melds, row, stock, table, to_draw, to_play
from tests.naive500 import DEFAULTS, STANDARD


def credit(pair) -> list[int]:
    return pair.t.credit[: pair.rules.num_players].tolist()


def turn_to(pair: Pair, seat: int) -> Pair:
    """The table and its twin with another seat to play."""
    pair.t.to_act = pair.deal.to_act = seat
    pair.compare()
    return pair


def is_one_meld(text: str, **settings) -> bool:
    """Whether a hand of these cards can all be laid: as one meld, where they are too few for two."""
    pair = to_play(text, "9H", **settings)
    plan = np.zeros(1, PLAN).view(np.recarray)[0]
    solve(pair.rules, pair.t, pair.t.hands[0], len(text.split()), plan)
    return ids(plan.cards) == cards(text)


# Worked examples.


@pytest.mark.parametrize(("ace", "value"), [("10", 10), ("15", 15)])
def test_v03_values(ace, value):
    rules = make_rules("rum500-ru", ace_value=ace)
    values = [int(hand_points_of(rules, c)) for c in card_list("2S 9H TD JC QD KH X1 AS")]
    assert values == [2, 9, 10, 10, 10, 10, 15, value]


@pytest.mark.parametrize(
    ("text", "corner", "plain"),
    [
        ("KS AS 2S", True, False),
        ("QS KS AS 2S 3S", True, False),
        ("KS AS 2H", False, False),
        ("3D 4D 5D", True, True),
        ("5S 5H 5D 5C", True, True),
        ("JS JH JD", True, True),
    ],
)
def test_m02_melds(text, corner, plain):
    assert (is_one_meld(text), is_one_meld(text, run_corner=False)) == (corner, plain)


def test_r01_the_deal():
    t = table(make_rules("rum500-ru"), starter=3)
    assert [int(h).bit_count() for h in t.hands[:4]] == [6] * 4
    assert (t.row_size, len(stock(t)), t.to_act) == (1, 29, 3)


def test_r03_the_joker_as_the_ten():
    pair = to_play("QC JC X1 2S", "3S").do("lay X1(TC) JC QC")
    assert (credit(pair), melds(pair.t)) == ([35, 0], (meld("TC=X1 JC QC"),))


@pytest.mark.parametrize(("to", "after"), [("swapper", [10, 20]), ("owner", [0, 35])])
def test_r04_the_swap(to, after):
    """The case's alternative, 30 for the owner, re-scores the meld; the setting here leaves all credits as they are."""
    pair = to_draw("TC 9S", "QC JC X1 2S", stock="KD KH", swap_credit=to)
    pair.do("draw stock", "discard KD", "draw stock", "lay X(TC) JC QC", "discard 2S", "take 4S")
    assert credit(pair) == [0, 35]
    pair.do("swap TC for X1")
    assert (credit(pair), melds(pair.t)) == (after, (meld("TC JC QC"),))
    assert card("X1") in ids(pair.t.hands[0])


def test_r05_the_joker_as_the_fourth_king():
    pair = to_play("X1 2S", "3S", melds=("KS KH KD",))
    assert pair.names("lay off") == {"lay off X as KC on the set"}
    assert credit(pair.do("lay off X as KC on the set")) == [15, 0]


def test_r06_a_lay_off_counts_for_the_one_who_lays_off():
    pair = to_draw("8D 9S", "5D 6D 7D 2S", stock="KD KH")
    pair.do("draw stock", "discard KD", "draw stock", "lay 5D 6D 7D", "discard 2S", "take 4S", "lay off 8D above the run")
    assert credit(pair) == [8, 18]


@pytest.mark.parametrize(("ace", "points"), [("10", 22), ("15", 27), ("1", 13), ("15_or_1_low", 27)])
def test_r07_a_run_round_the_corner(ace, points):
    assert credit(to_play("KS AS 2S 9D", "3S", ace_value=ace).do("lay KS AS 2S")) == [points, 0]


@pytest.mark.parametrize(("ace", "points"), [("10", [18, -2, 5, -34]), ("15", [18, 3, 5, -39])])
def test_r09_the_score(ace, points):
    pair = to_play("5D 6D 7D TS", "9C X1 KS AS 2S", "3C 8D", "KH QD 4S AC", row="4D", ace_value=ace)
    for seat, action in enumerate(("lay 5D 6D 7D", "lay KS AS 2S", "lay off 8D above the run")):
        turn_to(pair, seat).do(action)
    turn_to(pair, 0).do("discard TS")
    assert (ENDINGS[pair.t.ending], pair.t.points[:4].tolist()) == ("out", points)


def test_r10_a_negative_score():
    pair = to_play("9S 2S", "X1 X2 KS KH KD KC QS QH")
    pair.t.credit[1] = pair.deal.credit[1] = 87
    pair.do("discard 9S", "draw stock")
    assert pair.deal.points()[1] == 87 - 90 - int(hand_points_of(pair.rules, int(pair.t.drawn)))


# What broke elsewhere.


@pytest.mark.parametrize(
    ("text", "corner", "plain"),
    [("QS KS AS", True, True), ("KH AH 2H", True, False), ("AH 2H 3H", True, True)],
)
def test_ub013_aces_in_runs(text, corner, plain):
    assert (is_one_meld(text), is_one_meld(text, run_corner=False)) == (corner, plain)


@pytest.mark.parametrize("variant", VARIANTS500)
@pytest.mark.parametrize("end", ["row_or_end", "end", "reshuffle"])
def test_ub043_an_empty_stock_loses_no_card(variant, end):
    pair = Pair.dealt(make_rules(variant, stock_end=end), seed=1)
    reshuffles = 0
    while ENDINGS[pair.t.ending] == "none" and pair.t.turn < 60:
        pair.play(DRAW_STOCK if DRAW_STOCK in pair.legal else max(pair.legal))
        reshuffles += bool(pair.t.reshuffled) and pair.t.row_size == 1
        assert is_whole(pair.rules, pair.t)
    assert ENDINGS[pair.t.ending] == ("none" if end == "reshuffle" else "stock_out")
    assert (reshuffles > 0) == (end == "reshuffle")


def test_ub044_a_take_is_from_the_top_down():
    for first, brought, left in (("9C", "9C", "4S 5H"), ("5H", "5H 9C", "4S")):
        pair = to_draw("2S", "3S", row="4S 5H 9C").do(f"take {first}")
        assert ids(pair.t.hands[0]) == cards(f"2S {brought}")
        assert row(pair.t) == card_list(left)


def test_ub046_a_card_that_fits_a_set_and_a_run_has_an_action_for_each():
    pair = to_play("7H 2S", "3S", melds=("7C 7D 7S", "4H 5H 6H"))
    on_set, on_run = "lay off 7H on the set", "lay off 7H above the run"
    assert pair.names("lay off") == {on_set, on_run}
    assert parse_action(on_set) != parse_action(on_run)
    for name, grown in ((on_set, 0), (on_run, 1)):
        pair = to_play("7H 2S", "3S", melds=("7C 7D 7S", "4H 5H 6H")).do(name)
        assert [int(m).bit_count() for m in pair.t.melds[:2]] == [3 + (grown == 0), 3 + (grown == 1)]


@pytest.mark.parametrize(("ace", "low", "in_set"), [("10", 10, 30), ("15", 15, 45), ("15_or_1_low", 1, 45), ("1", 1, 3)])
def test_ub047_an_ace_low_and_in_a_set(ace, low, in_set):
    assert credit(to_play("AH 2H 3H 9S", "3S", ace_value=ace).do("lay AH 2H 3H")) == [low + 5, 0]
    assert credit(to_play("AS AD AC 9S", "3S", ace_value=ace).do("lay AS AD AC")) == [in_set, 0]


# Settings.


@pytest.mark.parametrize(("variant", "words"), [("rum500-ru", DEFAULTS), ("rum500-standard", STANDARD)])
def test_the_presets(variant, words):
    rules = make_rules(variant)
    assert settings_in_words(rules) == {name: str(word) for name, word in words.items()}
    assert overrides_of(variant, rules) == {}
    text = describe(variant, rules)
    assert all(name in text and setting.meaning in text for name, setting in RUM500_SETTINGS.items())


def test_every_setting_is_a_field():
    assert tuple(RUM500_SETTINGS) == Rum500Rules._fields
    assert make_rules("rum500-ru") == Rum500Rules()


@pytest.mark.parametrize("name", RUM500_SETTINGS)
def test_every_value_out_of_range_is_refused_by_name(name):
    setting = RUM500_SETTINGS[name]
    low, high = (0, len(setting.choices) - 1) if setting.choices else (setting.low, setting.high)
    for value in (low - 1, high + 1, 1.0, None, "", "nonsense", (1,)):
        with pytest.raises(RulesError, match=rf"^{name}=.* is not possible: {name} allows"):
            make_rules("rum500-ru", **{name: value})


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"num_players": 7}, r"num_players=7 .* 2 to 6"),
        ({"num_players": 1}, r"num_players=1 .* 2 to 6"),
        ({"hand_size": 26}, r"hand_size=26 .* 3 to 13"),
        ({"num_players": 4, "hand_size": 13, "jokers": 1}, r"num_players=4 with hand_size=13 .* 52 cards of 53"),
        ({"num_players": 6, "hand_size": 9, "jokers": 0}, r"num_players=6 with hand_size=9"),
        ({"jokers": 3}, r"jokers=3 .* 0 to 2"),
        ({"target": -1}, "target=-1"),
        ({"knock_limit": 10}, "unknown setting 'knock_limit'"),
        ({"row_uses": "deep"}, "unknown setting 'row_uses'; did you mean 'row_use'"),
    ],
)
def test_impossible_rules_are_refused_by_name(settings, named):
    with pytest.raises(RulesError, match=named):
        make_rules("rum500-ru", **settings)


def test_the_largest_hands_leave_one_card_for_the_stock():
    for players, size, jokers in ((4, 13, 2), (5, 10, 0), (6, 8, 0)):
        t = table(make_rules("rum500-ru", num_players=players, hand_size=size, jokers=jokers))
        assert len(stock(t)) == 51 + jokers - players * size >= 1
