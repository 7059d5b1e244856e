"""What the presets of other systems add to the rules: the last knock, big gin, bounds on taking, greedy lay-offs."""

import pytest

from rummy_env.cards import card, parse_cards
from rummy_env.gin.showdown import lay_down
from rummy_env.gin.state import ENDINGS
from rummy_env.rules import GinRules, make_rules
from tests.helpers import dealt, do, legal_names, pass_turns, phase, stock

MELDED_9 = "AC 2C 3C 7H 8H 9H JS JD JC"


def at_two_left(rules: GinRules, second: str, upcard: str):
    """A table on which seat 1, holding ``second``, may knock with ``upcard`` as the stock is down to two."""
    t = dealt(rules, "", second)
    at, last = t.stock.tolist().index(card(upcard)), 2 * rules.hand_size + 1 + 28
    t.stock[at], t.stock[last] = t.stock[last], t.stock[at]
    pass_turns(rules, t, 29)
    assert (phase(t), t.to_act, t.upcard, len(stock(t))) == ("last_knock", 1, card(upcard), 2)
    return t


def test_the_last_knock_takes_the_upcard():
    rules = make_rules("gin-openspiel")
    t = at_two_left(rules, "AC 2C 3C 7H 8H 9H JS JD 4D 5D", "JC")
    assert legal_names(rules, t) == {"pass", "knock, 4D aside", "knock, 5D aside"}
    passed = t.copy()
    do(rules, passed, "pass")
    assert (ENDINGS[passed.ending], passed.points.tolist()) == ("dead", [0, 0])
    do(rules, t, "knock, 5D aside")
    assert (t.closer, t.deadwood[1]) == (1, 4)


@pytest.mark.parametrize("throw_back", [True, False])
def test_the_last_knock_puts_the_upcard_aside_only_where_it_may_be_thrown_back(throw_back):
    rules = make_rules("gin-openspiel", rediscard_taken=throw_back)
    closes = {"knock, 5D aside"} | ({"knock, TD aside"} if throw_back else set())
    assert legal_names(rules, at_two_left(rules, f"{MELDED_9} 5D", "TD")) == {"pass"} | closes


def test_no_last_knock_above_the_limit():
    rules = make_rules("gin-openspiel")
    assert legal_names(rules, at_two_left(rules, "AC 2C 5C 7H 8H 9H JS JD 4D 5D", "TC")) == {"pass"}


def test_big_gin_puts_nothing_aside():
    rules = make_rules("gin-standard", big_gin_bonus=31)
    t = dealt(rules, f"{MELDED_9} JH", "4S 4H 4D KS KH QS QH TC 9S TH", upcard="TD", stock="4C")
    do(rules, t, "pass", "pass", "draw stock", "discard 4C", "draw stock")
    assert "big gin" not in legal_names(rules, t)
    t = dealt(rules, f"{MELDED_9} JH", "4S 4H 4D KS KH QS QH 9S 9D 8S", upcard="QD", stock="TH")
    do(rules, t, "pass", "pass", "draw stock", "big gin")
    assert (ENDINGS[t.ending], t.points.tolist(), t.aside) == ("big_gin", [66 + 31, -66 - 31], 255)


def test_big_gin_where_no_card_could_be_put_aside():
    """Six cards in two melds of three: any card aside would break one."""
    rules = make_rules(hand_size=5, knock_limit=0, big_gin_bonus=31)
    t = dealt(rules, "7S 7H 7D JS QS", upcard="2D", stock="KS")
    do(rules, t, "pass", "pass", "draw stock")
    assert {name for name in legal_names(rules, t) if not name.startswith("discard")} == {"big gin"}


def test_big_gin_with_the_last_upcard():
    rules = make_rules("gin-openspiel", big_gin_bonus=31)
    t = at_two_left(rules, f"{MELDED_9} TH", "JH")
    assert "big gin" in legal_names(rules, t)
    do(rules, t, "big gin")
    assert (ENDINGS[t.ending], int(t.hands[1]).bit_count()) == ("big_gin", 11)


def test_big_gin_is_not_offered_without_a_bonus():
    rules = make_rules("gin-standard")
    t = dealt(rules, f"{MELDED_9} JH", upcard="QD", stock="TH")
    do(rules, t, "pass", "pass", "draw stock")
    assert "big gin" not in legal_names(rules, t)


def test_a_card_thrown_back_twice_running_kills_the_deal():
    rules = make_rules("gin-openspiel")
    t = dealt(rules, "", upcard="5D", stock="2D")
    do(rules, t, "take upcard", "discard 5D", "draw stock", "discard 2D", "take upcard", "discard 2D")
    assert phase(t) == "draw", "a turn between"
    do(rules, t, "take upcard", "discard 2D")
    assert (ENDINGS[t.ending], t.points.tolist()) == ("dead", [0, 0])


def test_the_last_take_allowed_ends_the_deal():
    rules = make_rules(max_takes=2)
    t = dealt(rules, "2H", "2D 3D", upcard="5D")
    do(rules, t, "take upcard", "discard 2H", "take upcard", "discard 2D")
    assert phase(t) == "draw", "the opening offer does not count"
    do(rules, t, "take upcard")
    assert (ENDINGS[t.ending], t.points.tolist()) == ("dead", [0, 0])


def test_a_draw_with_three_left_may_still_knock():
    rules = make_rules("gin-eaai")
    t = dealt(rules, f"{MELDED_9} 2D")
    pass_turns(rules, t, 28)
    do(rules, t, "draw stock")
    assert (len(stock(t)), t.to_act) == (2, 0)
    assert any(name.startswith("knock") for name in legal_names(rules, t))


def test_straight_gin_closes_with_gin_only():
    rules = make_rules("straight-gin")
    for last, may in (("AS", False), ("JH", True)):
        t = dealt(rules, f"{MELDED_9} {last}", upcard="QD", stock="KD")
        do(rules, t, "pass", "pass", "draw stock")
        assert ("knock, KD aside" in legal_names(rules, t)) == may


@pytest.mark.parametrize(
    ("knocker", "loose", "best", "greedy"),
    [
        ("7S 7H 7D 8C 9C TC AH", "6C 7C", 0, 6),  # the seven goes to the set, and the six finds no place
        ("7S 8S 9S AH", "5S 6S", 0, 0),  # the five is tried again after the six
    ],
)
def test_greedy_lay_off_takes_the_first_meld(knocker, loose, best, greedy):
    for rules, left in ((make_rules(), best), (make_rules(layoff_choice="greedy"), greedy)):
        assert lay_down(rules, parse_cards(knocker), parse_cards(loose)).defender_points == left
