"""Every clause of the rules, by name, and the settings that build them: A the Russian games, B the Spanish."""

import numpy as np
import pytest

from rummy_env.cards import POINTS, card
from rummy_env.gin import play
from rummy_env.gin.actions import CLOSE
from rummy_env.gin.showdown import lay_down
from rummy_env.gin.solver import deadwood, is_meld
from rummy_env.gin.state import ENDINGS
from rummy_env.match import next_deal, play_match
from rummy_env.rules import GinRules, make_rules
from tests.helpers import cards, dealt, do, ids, legal, legal_names, mask, pass_turns, phase, stock, table

RU, ES = ["gin-ru", "oklahoma-ru"], ["gin-es", "oklahoma-es"]
MELDED_9 = "AC 2C 3C 7H 8H 9H JS JD JC"  # one card more makes ten

russian = pytest.mark.parametrize("rules", [make_rules(v) for v in RU], ids=RU)
spanish = pytest.mark.parametrize("rules", [make_rules(v) for v in ES], ids=ES)
all_four = pytest.mark.parametrize("rules", [make_rules(v) for v in RU + ES], ids=RU + ES)


def after_stock(rules: GinRules, first: str, drawn: str, second: str = "", upcard: str = "QD"):
    """A table on which the starter holds ``first`` and has drawn a card from the stock."""
    t = dealt(rules, first, second, upcard, stock=drawn)
    do(rules, t, "pass", "pass", "draw stock")
    return t


def closes(rules: GinRules, t) -> set[str]:
    return {name for name in legal_names(rules, t) if name.startswith("knock") or name == "big gin"}


def ended(t) -> tuple[str, list[int]]:
    return ENDINGS[t.ending], t.points.tolist()


@all_four
def test_a1_b1_the_deal(rules):
    for seed in range(20):
        t = table(rules, seed)
        assert [int(h).bit_count() for h in t.hands] == [10, 10]
        assert (len(stock(t)), ids(t.pile)) == (31, {int(t.upcard)})
        whole = [*ids(t.hands[0]), *ids(t.hands[1]), *ids(t.pile), *stock(t)]
        assert sorted(whole) == list(range(52))
        assert t.starter == t.to_act


@all_four
def test_a1_ten_cards_between_turns(rules):
    t = table(rules)
    for _ in range(25):
        pass_turns(rules, t, 1)
        assert [int(h).bit_count() for h in t.hands] == [10, 10]


@pytest.mark.parametrize(
    ("text", "meld"),
    [("7S 7H 7D", True), ("7S 7H 7D 7C", True), ("7S 7H", False), ("AS 2S 3S", True), ("JS QS KS", True), ("QS KS AS", False)],
)
def test_a2_melds(text, meld):
    assert is_meld(text) == meld
    assert (deadwood(text) == 0) == meld


def test_a2_a_card_is_in_one_meld_only():
    assert deadwood("7S 7H 7D 8D 9D") == 14


def test_a3_points():
    assert POINTS.reshape(4, 13).tolist() == [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]] * 4


@pytest.mark.parametrize("variant", [*RU, *ES, "gin-eaai"])
def test_a4_the_first_starter_is_drawn_by_the_seed(variant):
    starters = [int(table(make_rules(variant), seed).starter) for seed in range(400)]
    assert 150 < sum(starters) < 250
    assert starters == [int(table(make_rules(variant), seed).starter) for seed in range(400)]


@russian
def test_a4_then_they_alternate_dead_deals_included(rules):
    rules = rules._replace(max_turns=1)
    t = table(rules)
    starters = [int(t.starter)]
    for _ in range(4):
        pass_turns(rules, t, 1)
        next_deal(rules, t)
        starters.append(int(t.starter))
    assert starters == [starters[0], 1 - starters[0]] * 2 + [starters[0]]


@all_four
def test_a5_b2_the_opening_card_is_offered_twice(rules):
    t = dealt(rules, "", upcard="5D", starter=1)
    assert (t.to_act, legal_names(rules, t)) == (1, {"take upcard", "pass"})
    do(rules, t, "pass")
    assert (t.to_act, legal_names(rules, t)) == (0, {"take upcard", "pass"})
    do(rules, t, "pass")
    assert (t.to_act, legal_names(rules, t)) == (1, {"draw stock"})


@all_four
@pytest.mark.parametrize("taker", [0, 1])
def test_a5_b2_who_takes_it_discards_and_the_other_goes_on(rules, taker):
    t = dealt(rules, "2H", "2D", upcard="5D")
    do(rules, t, *["pass"] * taker, "take upcard")
    assert (t.to_act, t.drawn, ids(t.pile)) == (taker, card("5D"), set())
    do(rules, t, ("discard 2H", "discard 2D")[taker])
    assert (t.to_act, phase(t), t.upcard) == (1 - taker, "draw", card(("2H", "2D")[taker]))


@all_four
def test_a6_b3_a_turn_takes_either_card_and_puts_one_out(rules):
    t = dealt(rules, "2H", "2D", upcard="5D", stock="6D 6S")
    do(rules, t, "pass", "pass", "draw stock", "discard 2H")
    assert legal_names(rules, t) == {"draw stock", "take upcard"}
    copy = t.copy()
    do(rules, copy, "draw stock")
    assert (copy.drawn, copy.upcard) == (card("6S"), card("2H"))
    do(rules, t, "take upcard")
    assert (t.drawn, ids(t.pile)) == (card("2H"), cards("5D"))
    do(rules, t, "discard 2D")
    assert ids(t.pile) == cards("5D 2D")


@all_four
def test_a6_b3_the_card_taken_may_not_be_thrown_back_a_stock_card_may(rules):
    t = dealt(rules, MELDED_9, upcard="5D", stock="6D")
    copy = t.copy()
    do(rules, copy, "take upcard")
    out = legal(rules, copy)
    assert not out & {card("5D"), CLOSE + card("5D")}
    assert {a for a in out if a < CLOSE} == ids(copy.hands[0]) - {card("5D")}
    do(rules, t, "pass", "pass", "draw stock", "discard 6D")


def to_reshuffle(rules: GinRules, seed: int = 3):
    """A table one turn before the stock is down to three, and the cards that the reshuffle will turn over."""
    t = table(rules, seed)
    pass_turns(rules, t, 27)
    return t, ids(t.pile)


@russian
def test_a7_reshuffle_at_three(rules):
    t, turned = to_reshuffle(rules)
    below = stock(t)[1:]
    pass_turns(rules, t, 1)
    assert phase(t) == "draw"
    assert (stock(t)[:3], set(stock(t)[3:])) == (below, turned)
    assert ids(t.pile) == {int(t.upcard)}
    assert ids(t.reshuffled) == turned
    assert stock(t)[3:] != sorted(turned)


def test_a7_every_order_of_the_turned_cards_is_as_likely():
    rules = make_rules("gin-ru")
    first = []
    for seed in range(300):
        t, turned = to_reshuffle(rules, seed)
        pass_turns(rules, t, 1)
        first.append(sorted(turned).index(stock(t)[3]))
    assert np.mean(first) == pytest.approx(13.5, abs=4 * 8.08 / np.sqrt(300))


@russian
def test_a7_a_cap_ends_a_hopeless_deal_as_a_truncation(rules):
    t = table(rules)
    pass_turns(rules, t, rules.max_turns - 1)
    assert (phase(t), t.turn) == ("draw", 199)
    pass_turns(rules, t, 1)
    assert (phase(t), *ended(t)) == ("over", "capped", [0, 0])


@russian
def test_a8_closing_only_after_a_card_from_the_stock(rules):
    t = dealt(rules, f"{MELDED_9} 2H", upcard="TD", stock="6D")
    taken = t.copy()
    do(rules, taken, "take upcard")
    assert closes(rules, taken) == set()
    do(rules, t, "pass", "pass", "draw stock")
    assert "knock, 6D aside" in closes(rules, t)


@all_four
def test_a8_b4_closing_is_optional_and_any_card_within_the_limit_goes_aside(rules):
    t = after_stock(rules, f"{MELDED_9} 4D", "6D", upcard="TD")
    assert closes(rules, t) == {"knock, 4D aside", "knock, 6D aside"}
    assert {f"discard {c}" for c in ("4D", "6D", "JS")} < legal_names(rules, t)
    do(rules, t, "knock, 4D aside")
    assert (t.closer, t.aside) == (0, card("4D"))
    assert not ids(t.pile) & {card("4D")}
    assert (t.deadwood[0], phase(t)) == (6, "over")


@all_four
@pytest.mark.parametrize(("last", "may"), [("4S", True), ("5S", False)])
def test_a8_b4_the_limit_is_ten(rules, last, may):
    t = after_stock(rules, f"AC 2C 3C 7H 8H 9H AD 2D 3S {last}", "KD", upcard="TD")
    assert closes(rules, t) == ({"knock, KD aside"} if may else set())


@spanish
def test_b4_closing_after_any_draw(rules):
    t = dealt(rules, f"{MELDED_9} 2H", upcard="TD")
    do(rules, t, "take upcard")
    assert closes(rules, t) == {"knock, 2H aside"}, "the other card, not the one taken, must go aside"
    t = dealt(rules, f"{MELDED_9} KH", upcard="6D")
    do(rules, t, "take upcard", "knock, KH aside")
    assert t.deadwood[0] == 6


# The showdown.

KNOCKER = "JS JH JD 5D 6D 7D 2C 3C 4C 3H"


def shown(rules: GinRules, knocker: str, defender: str):
    return lay_down(rules, mask(cards(knocker)), mask(cards(defender)))


@all_four
@pytest.mark.parametrize(
    ("defender", "laid"),
    [("JC KH", "JC"), ("4D 8D 9D KH", "4D 8D 9D"), ("9D KH", ""), ("AC 5C 6C KH", "AC 5C 6C")],
)
def test_a9_b5_the_defender_lays_off_on_sets_and_both_ends_of_runs(rules, defender, laid):
    found = shown(rules, KNOCKER, defender)
    assert found.defender_points == deadwood(mask(cards(defender) - cards(laid)))
    assert ids(found.defender_laid) == cards(laid)


@pytest.mark.parametrize(("rules", "left"), [(make_rules("gin-ru"), 0), (make_rules("gin-es"), 3)], ids=["gin-ru", "gin-es"])
def test_a9_b5_the_knocker_answers_in_the_russian_game_only(rules, left):
    found = shown(rules, KNOCKER, "4H 5H 6H KS")
    assert (found.knocker_points, found.defender_points) == (left, 10)
    assert ids(found.knocker_laid) == (cards("3H") if left == 0 else set())


@russian
def test_a9_the_defender_goes_first_and_may_withhold_a_meld(rules):
    found = shown(rules, "2S 3S 4S 7C 8C 9C KS KH KD 9H", "AH AD AC 2H 2D 2C 6H 7H 8H QC")
    assert (found.knocker_points, found.defender_points) == (0, 10)
    withheld = shown(rules, "2S 3S 4S 7C 8C 9C KS KH KD TH", "AH 2H 3H 4H 5H 6H 7H 8H 9H")
    assert withheld.defender_points - withheld.knocker_points == -1


@russian
def test_a9_lay_offs_help_nobody_to_the_limit_or_to_gin(rules):
    t = after_stock(rules, "JS JH JD 5D 6D 7D 2C 3C 9H AS", "KD", "3H 4H 5H 6H 7H 8H", upcard="TD")
    assert closes(rules, t) == set()
    t = after_stock(rules, f"{MELDED_9} 6D", "KD", "3D 4D 5D KS QH 9S 8C 6H 4H 2S", upcard="TD")
    do(rules, t, "knock, KD aside")
    assert (t.deadwood[0], ENDINGS[t.ending]) == (0, "knock")


def test_a9_nobody_lays_off():
    found = shown(make_rules(layoff_by="nobody"), KNOCKER, "JC 4D KH")
    assert (found.defender_points, found.defender_laid) == (24, 0)


def test_a9_the_knocker_shows_the_arrangement_that_leaves_the_defender_most():
    """Four threes and a run 3-4-5 in two ways: as 3333 456 or 333 3456 the deadwood is the same."""
    knocker, defender = "3S 3H 3D 3C 4C 5C 6C KS", "2C 7C QH"
    assert shown(make_rules(), knocker, defender).defender_points == 12


# The score.


def result(rules: GinRules, knocker: str, defender: str, upcard: str = "QD", drawn: str = "KD"):
    """How a deal ends that the starter closes with ``knocker``, the card drawn put aside."""
    t = after_stock(rules, knocker, drawn, defender, upcard)
    do(rules, t, f"knock, {drawn} aside")
    return ended(t)


FIVE = f"{MELDED_9} 5H"
GIN = f"{MELDED_9} JH"
HIGH = "4S 4H 4D KS KH QS QH TC 9S 8D"  # a set and 67


@pytest.mark.parametrize(("variant", "scores"), [("gin-ru", (0, -62)), ("gin-es", (62, 0))])
def test_a10_b6_the_knocker_gets_the_difference(variant, scores):
    rules = make_rules(variant)
    ending, points = result(rules, FIVE, HIGH)
    assert (ending, points) == ("knock", [62, -62])
    assert play_match(rules, [points[0]]).scores == scores


@pytest.mark.parametrize(("variant", "bonus"), [("gin-ru", 25), ("gin-es", 20), ("gin-standard", 25)])
def test_a10_b6_an_undercut(variant, bonus):
    assert result(make_rules(variant), FIVE, "4S 4H 4D TS TH TD QS QH QC 3S") == ("undercut", [-2 - bonus, 2 + bonus])


@pytest.mark.parametrize(("variant", "points"), [("gin-ru", 0), ("gin-es", 0), ("gin-openspiel", 0), ("gin-standard", 25)])
def test_a10_b6_a_tie(variant, points):
    ending = "undercut" if points else "tie"
    assert result(make_rules(variant), FIVE, "4S 4H 4D TS TH TD QS QH QC 5S") == (ending, [-points, points])


@all_four
def test_a11_b7_gin_takes_all_and_there_is_no_lay_off(rules):
    assert result(rules, GIN, "4S 4H 4D KS KH QS QH TC 9S TH", upcard="6D") == ("gin", [94, -94])
    assert result(rules, GIN, "4S 4H 4D TS TH TC QS QH QC QD", upcard="6D") == ("gin", [25, -25])


def test_a11_a_setting_lets_the_defender_lay_off_on_gin():
    rules = make_rules(layoff_on_gin=True)
    assert result(rules, GIN, "4S 4H 4D KS KH QS QH TC 9S TH", upcard="6D")[1][0] == 84


@pytest.mark.parametrize(
    ("rules", "deals", "winner"),
    [
        (make_rules("gin-ru"), [149], None),
        (make_rules("gin-ru"), [149, -100, 1], 0),
        (make_rules("gin-es"), [99], None),
        (make_rules("gin-es"), [-60, 90, -40], 1),
    ],
)
def test_a12_b8_the_match_goes_to_the_target(rules, deals, winner):
    assert play_match(rules, deals).winner == winner


@pytest.mark.parametrize("variant", ["oklahoma-ru", "oklahoma-es", "oklahoma-openspiel"])
def test_a13_b10_the_opening_card_is_the_limit(variant):
    rules = make_rules(variant)
    limits = [play.limit_of(rules, c) for c in range(52)]
    assert limits == [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10] * 4
    for last, may in (("4S", True), ("5S", False)):
        t = after_stock(rules, f"{MELDED_9} {last}", "KD", upcard="4D")
        assert ("knock, KD aside" in closes(rules, t)) == may


def test_a13_an_opening_ace_asks_for_gin():
    rules = make_rules("oklahoma-ru")
    assert closes(rules, after_stock(rules, f"{MELDED_9} AS", "KD", upcard="AD")) == set()
    assert closes(rules, after_stock(rules, GIN, "KD", upcard="AD")) == {"knock, KD aside"}


def test_a13_the_limit_outlives_a_reshuffle():
    rules = make_rules("oklahoma-ru")
    t, _ = to_reshuffle(rules)
    opening = int(t.opening)
    pass_turns(rules, t, 3)
    assert (t.opening, int(t.reshuffled).bit_count()) == (opening, 28)


@pytest.mark.parametrize(("variant", "times"), [("oklahoma-ru", 1), ("oklahoma-es", 2), ("gin-es", 1), ("gin-ru", 1)])
def test_a13_b10_an_opening_spade_doubles_in_the_spanish_oklahoma(variant, times):
    rules = make_rules(variant)
    assert result(rules, FIVE, HIGH, upcard="7S")[1][0] == 62 * times
    assert result(rules, FIVE, HIGH, upcard="7D")[1][0] == 62
    undercut = 2 + rules.undercut_bonus
    assert result(rules, FIVE, "4S 4H 4D TS TH TD QS QH QC 3S", upcard="7S")[1][1] == undercut * times


@spanish
def test_b1_the_dealer_alternates_after_each_scored_deal(rules):
    rules = rules._replace(knock_limit=10, oklahoma=0, max_turns=1)
    t = after_stock(rules, FIVE, "KD", HIGH)
    do(rules, t, "knock, KD aside")
    next_deal(rules, t)
    assert t.starter == 1
    pass_turns(rules, t, 1)
    assert ENDINGS[t.ending] == "capped"
    next_deal(rules, t)
    assert t.starter == 1


def test_b2_inverted_the_dealer_has_the_first_full_turn():
    rules = make_rules(first_upcard="invert")
    t = dealt(rules, "", "2D", upcard="5D")
    do(rules, t, "pass")
    assert (t.to_act, legal_names(rules, t)) == (1, {"draw stock", "take upcard"})
    do(rules, t, "draw stock", "discard 2D")
    assert (t.to_act, phase(t)) == (0, "draw")


@spanish
def test_b9_void_when_two_are_left_after_a_discard(rules):
    t = table(rules)
    pass_turns(rules, t, 28)
    assert legal_names(rules, t) == {"draw stock", "take upcard"}
    play.apply(rules, t, 104)
    assert len(stock(t)) == 2
    assert phase(t) == "discard"
    do(rules, t, "discard " + sorted(n[8:] for n in legal_names(rules, t) if n.startswith("discard"))[0])
    assert (phase(t), *ended(t)) == ("over", "dead", [0, 0])
