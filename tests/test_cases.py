"""Worked examples of the rules and inputs that broke other engines, through the public functions."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from rummy_env.cards import POINTS, card, card_list, mask_text, parse_cards
from rummy_env.gin import play
from rummy_env.gin.actions import CLOSE, TAKE_UPCARD, parse_action
from rummy_env.gin.showdown import close, lay_down
from rummy_env.gin.solver import batch_deadwood, best_arrangement, deadwood, is_meld, optimal_arrangements
from rummy_env.gin.state import ENDINGS, new_state
from rummy_env.match import play_match
from rummy_env.rules import GIN_BOOK, RulesError, make_rules
from tests import naive
from tests.helpers import cards, dealt, do, ids, legal, mask, pass_turns, phase, stock, table

CASES = json.loads((Path(__file__).parent / "data" / "rules_cases.json").read_text())


def case_of(section: str):
    return pytest.mark.parametrize("case", CASES[section], ids=lambda case: case["id"])


def rules_of(case):
    return make_rules(case["variant"], **case.get("settings", {}))


def closed(rules, knocker: str, defender: str, opening: str = "7H"):
    """A table after seat 0 has closed with ``knocker`` (a card already aside) against ``defender``."""
    t = new_state(1)[0]
    t.hands[:] = parse_cards(knocker), parse_cards(defender)
    t.opening, t.closer = card(opening), 0
    close(rules, t)
    return t


@case_of("values")
def test_values(case):
    assert POINTS[card_list(case["cards"])].tolist() == case["values"]
    assert [naive.value(c) for c in card_list(case["cards"])] == case["values"]


@case_of("melds")
def test_melds(case):
    assert is_meld(case["cards"]) == naive.is_meld(cards(case["cards"])) == case["legal"]


@case_of("hands")
def test_hands(case):
    found = best_arrangement(case["hand"])
    assert found.points == deadwood(case["hand"]) == naive.deadwood(cards(case["hand"])) == case["deadwood"]
    if "melds" in case:
        assert {mask_text(m) for m in found.melds} == {mask_text(parse_cards(m)) for m in case["melds"]}
    if "ways" in case:
        assert len(optimal_arrangements(case["hand"])) == case["ways"]


@case_of("showdowns")
def test_showdowns(case):
    rules = rules_of(case)
    t = closed(rules, case["knocker"], case["defender"], case.get("opening", "7H"))
    assert t.deadwood.tolist() == case["left"]
    assert list(play_match(rules, [int(t.points[0])]).scores) == case["scores"]
    shown = lay_down(rules, parse_cards(case["knocker"]), parse_cards(case["defender"]))
    if "ending" in case:
        assert ENDINGS[t.ending] == case["ending"]
    if "laid" in case:
        assert ids(shown.defender_laid) == cards(case["laid"])
    if "before" in case:
        assert deadwood(case["defender"]) == case["before"]


@case_of("limits")
def test_limits(case):
    rules = rules_of(case)
    assert {text: play.limit_of(rules, card(text)) for text in case["limits"]} == case["limits"]


@case_of("matches")
def test_matches(case):
    score = play_match(rules_of(case), case["deals"], tuple(case["before"]))
    assert (list(score.scores), score.winner) == (case["after"], case["winner"])


# The course of a deal.


@pytest.mark.parametrize(("variant", "from_pile"), [("gin-ru", False), ("gin-es", True)])
def test_k01_closing_after_a_taken_card(variant, from_pile):
    rules = make_rules(variant)
    hand = "4H 5H 6H 8C 9C TC QS QH QD AS"
    taken = dealt(rules, hand, upcard="5S")
    do(rules, taken, "take upcard")
    assert any(a >= CLOSE for a in legal(rules, taken)) == from_pile
    drawn = dealt(rules, hand, upcard="KD", stock="5S")
    do(rules, drawn, "pass", "pass", "draw stock")
    assert parse_action("knock, 5S aside") in legal(rules, drawn)


def test_k02_both_pass():
    rules = make_rules("gin-ru")
    t = dealt(rules, "")
    do(rules, t, "pass", "pass")
    assert (t.to_act, legal(rules, t)) == (0, {parse_action("draw stock")})


def test_k03_the_dealer_takes():
    rules = make_rules("gin-es")
    t = dealt(rules, "", "AS", upcard="2S")
    do(rules, t, "pass", "take upcard", "discard AS")
    assert (t.to_act, legal(rules, t)) == (0, {parse_action("draw stock"), parse_action("take upcard")})


def test_k04_the_reshuffle():
    rules = make_rules("gin-ru")
    t = table(rules)
    pass_turns(rules, t, 27)
    assert (len(stock(t)), int(t.pile).bit_count()) == (4, 28)
    pass_turns(rules, t, 1)
    assert (len(stock(t)), int(t.pile).bit_count()) == (31, 1)


# What broke elsewhere.


def test_ub026_the_limit_itself_may_be_knocked():
    rules = make_rules("gin-es")
    for loose, allowed in (("4D 6S", True), ("5D 6S", False)):
        t = dealt(rules, f"AC 2C 3C 4C 7H 8H 9H TH {loose}", "", upcard="QD", stock="KD")
        do(rules, t, "pass", "pass", "draw stock")
        assert (parse_action("knock, KD aside") in legal(rules, t)) == allowed


def test_ub028_an_opening_ace_asks_for_gin():
    rules = make_rules("oklahoma-es")
    melds = "AC 2C 3C 7H 8H 9H JS JD JC"
    for last, allowed in (("AD", False), ("JH", True)):
        t = dealt(rules, f"{melds} {last}", upcard="AS", stock="KD")
        do(rules, t, "pass", "pass", "draw stock")
        assert (parse_action("knock, KD aside") in legal(rules, t)) == allowed


def test_ub029_the_undercut_itself():
    t = closed(make_rules("gin-standard"), "6C", "4D")
    assert (ENDINGS[t.ending], t.points.tolist()) == ("undercut", [-27, 27])


def test_ub031_playing_on_a_copy_leaves_the_table_alone():
    rules = make_rules("gin-es")
    state = new_state(2)
    state[0] = dealt(rules, "AC 2C 3C 4C 7H 8H 9H TH 4D 6S", stock="KD", upcard="QD")
    do(rules, state[0], "pass", "pass", "draw stock")
    before = state[0].tobytes()
    state[1] = state[0]
    do(rules, state[1], "knock, KD aside")
    assert state[0].tobytes() == before != state[1].tobytes()


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
def test_ub038_taking_and_throwing_for_ever_ends(variant):
    rules = make_rules(variant)
    t = table(rules)
    for _ in range(3 * rules.max_turns):
        actions = legal(rules, t)
        take = TAKE_UPCARD in actions
        play.apply(rules, t, TAKE_UPCARD if take else min(actions - {int(t.drawn)}, default=0))
        if phase(t) == "over":
            break
    assert (phase(t), t.points.tolist()) == ("over", [0, 0])
    assert ENDINGS[t.ending] == ("dead" if rules.max_takes else "capped")


@pytest.mark.parametrize("variant", ["gin-es", "oklahoma-es", "gin-standard", "gin-eaai", "straight-gin"])
def test_ub040_the_deal_is_dead_at_two(variant):
    rules = make_rules(variant)
    t = table(rules)
    pass_turns(rules, t, 28)
    assert (phase(t), len(stock(t))) == ("draw", 3)
    pass_turns(rules, t, 1)
    assert (phase(t), ENDINGS[t.ending], t.points.tolist()) == ("over", "dead", [0, 0])
    assert legal(rules, t) == set()


def test_ub041_a_hand_of_26_is_refused():
    with pytest.raises(RulesError, match=r"hand_size=26 .* 3 to 13"):
        make_rules(hand_size=26)


@pytest.mark.parametrize("size", [3, 7, 13])
def test_ub041_other_hand_sizes_deal(size):
    t = table(make_rules(hand_size=size))
    assert [int(h).bit_count() for h in t.hands] == [size, size]
    assert len(stock(t)) == 51 - 2 * size


def test_ub044_the_card_taken_is_the_last_discard():
    rules = make_rules("gin-es")
    t = dealt(rules, "5H", "9C", upcard="QD")
    do(rules, t, "pass", "pass", "draw stock", "discard 5H", "draw stock", "discard 9C", "take upcard")
    assert t.drawn == card("9C")
    assert ids(t.pile) == cards("QD 5H")


def test_ub070_a_deal_is_decided_by_seed_table_and_number():
    a, b, c = table(make_rules(), 5, 1), table(make_rules("gin-ru"), 5, 1), table(make_rules(), 5, 2)
    assert a.stock.tolist() == b.stock.tolist() != c.stock.tolist()
    play.random_action(make_rules(), a)
    play.resample(make_rules("gin-ru"), b.copy(), 0)
    for t in (a, b):
        play.deal(make_rules(), t, 1)
    assert a.stock.tolist() == b.stock.tolist()


def test_ub097_sixteen_of_52_opening_cards_give_the_limit_ten():
    rules = make_rules("oklahoma-ru")
    assert sum(play.limit_of(rules, c) == 10 for c in range(52)) == 16


def test_ub098_seven_cards_all_melded():
    """4100 hands with the ace low."""
    threes, fours = ([m for m in naive.MELDS if len(m) == n] for n in (3, 4))
    pairs = {a | b for a in threes for b in fours if not a & b}
    pat = pairs | {m for m in naive.MELDS if len(m) == 7}
    assert len(pat) == 4100
    assert not batch_deadwood(np.array([mask(h) for h in pat])).any()


def test_a_set_and_a_run_never_share_a_card():
    """UB-010, D01: whichever of the two melds stays, the other's rest is deadwood."""
    run, same = cards("4H 5H 6H"), cards("6H 6C 6D")
    assert deadwood("4H 5H 6H 6C 6D") == min(naive.total(run - same), naive.total(same - run))
    assert all(not (a & b) for m in optimal_arrangements("4H 5H 6H 6C 6D 6S") for a, b in combinations(m.melds, 2))
