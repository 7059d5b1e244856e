"""Every clause of the rules of 500 Rum (C), by name, on positions that the engine and its twin play alike."""

import pytest

from rummy_env.cards import card
from rummy_env.rules import make_rules
from rummy_env.rum500.melds import points_of
from rummy_env.rum500.state import ENDINGS, PHASES
from tests.helpers import cards, ids, mask
from tests.helpers500 import VARIANTS500, Pair, is_whole, meld, melds, row, stock, table, to_draw, to_play

CORNER_OFF = {"run_corner": "no"}
OPTIONAL = {"go_out": "discard_optional"}
REBIND = {"joker_rebind": "yes"}


def hand(pair: Pair, seat: int = 0) -> frozenset[int]:
    return ids(pair.t.hands[seat])


def credit(pair: Pair) -> list[int]:
    return pair.t.credit[: pair.rules.num_players].tolist()


def ended(pair: Pair) -> tuple[str, list[int]]:
    return ENDINGS[pair.t.ending], pair.t.points[: pair.rules.num_players].tolist()


def takes(names: str) -> set[str]:
    return {f"take {c} and all above" for c in names.split()}


def lay_offs(*texts: str) -> set[str]:
    return {f"lay off {text}" for text in texts}


# C1: the deal.


@pytest.mark.parametrize("variant", VARIANTS500)
@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize("jokers", [0, 1, 2])
def test_c1_the_deal(variant, players, jokers):
    rules = make_rules(variant, num_players=players, jokers=jokers)
    for seed in range(5):
        t = table(rules, seed)
        assert [int(h).bit_count() for h in t.hands] == [rules.hand_size] * players + [0] * (6 - players)
        assert (t.row_size, len(stock(t))) == (1, 51 + jokers - players * rules.hand_size)
        assert t.starter == t.to_act < players
        assert is_whole(rules, t)


def test_c1_the_starter_is_dealt_first_and_the_others_in_turn():
    t = table(make_rules("rum500-ru"), starter=2)
    pack = t.stock.tolist()
    assert [ids(t.hands[(2 + k) % 4]) for k in range(4)] == [set(pack[6 * k : 6 * k + 6]) for k in range(4)]
    assert (row(t), stock(t)) == ([pack[24]], pack[25:])


def test_c1_turns_go_round():
    pair = Pair.dealt(make_rules("rum500-ru", num_players=3), seed=1, starter=1)
    for seat in (1, 2, 0, 1):
        assert (pair.t.to_act, PHASES[pair.t.phase]) == (seat, "draw")
        pair.do("draw stock").do(min(pair.names("discard")))


# C2: the draw, and the card that may not go back.


def test_c2_a_draw_takes_the_top_of_the_stock_or_the_row_from_any_card_on():
    pair = to_draw("2H", "3H", row="4S 7D 9C", stock="KD KC")
    assert pair.names() == {"draw stock", *takes("4S 7D 9C")}
    pair.do("draw stock")
    assert (hand(pair), pair.t.drawn, pair.t.took) == (cards("2H KD"), card("KD"), 0)


def test_c2_the_second_of_six_brings_five():
    pair = to_draw("2H", "3H", row="4S 7D 9C JS QH KC").do("take 7D")
    assert (hand(pair), row(pair.t), pair.t.took) == (cards("2H 7D 9C JS QH KC"), [card("4S")], 5)
    assert ids(pair.t.known[0]) == cards("7D 9C JS QH KC")
    assert pair.names("discard") == {f"discard {c}" for c in ["2H", "7D", "9C", "JS", "QH", "KC"]}


def test_c2_the_turn_ends_with_a_card_at_the_end_of_the_row():
    pair = to_draw("2H 5S", "3H", row="4S 7D 9C").do("take 7D", "discard 2H")
    assert (row(pair.t), pair.t.to_act, PHASES[pair.t.phase], pair.t.turn) == ([card("4S"), card("2H")], 1, "draw", 1)
    assert ids(pair.t.discards[0]) == cards("2H")


def test_c2_a_single_card_taken_may_not_go_back():
    pair = to_draw("2H", "3H", row="4S 7D").do("take 7D")
    assert (pair.names(), pair.t.barred) == ({"discard 2H"}, card("7D"))
    pair.do("discard 2H")
    assert pair.t.barred == 255


def test_c2_a_card_of_the_stock_and_two_cards_taken_may_go_back():
    assert "discard KD" in to_draw("2H", "3H", stock="KD").do("draw stock").names()
    assert to_draw("2H", "3H", row="4S 7D").do("take 4S").names() == {"discard 2H", "discard 4S", "discard 7D"}


@pytest.mark.parametrize(
    ("melds", "swap", "out", "legal"),
    [
        ((), "yes", "discard", False),
        (("8D 9D TD",), "yes", "discard", False),
        (("8D 9D TD",), "yes", "discard_optional", True),
        (("7D=X1 8D 9D",), "yes", "discard", True),
        (("7D=X1 8D 9D",), "no", "discard", False),
    ],
)
def test_c2_the_barred_card_may_be_left_alone_only_if_it_can_go(melds, swap, out, legal):
    pair = to_draw("5S 5H 5C", "3H", row="4S 7D", melds=melds, joker_swap=swap, go_out=out).do("take 7D")
    assert ("lay 5S 5H 5C" in pair.names()) == legal


def test_c2_a_barred_joker_is_used_before_the_other():
    pair = to_draw("5S 5H X1 2C", "3H", row="4S X2").do("take X2", "lay 5S 5H X(5D)")
    assert hand(pair) == cards("X1 2C")


# C3: duties.


@pytest.mark.parametrize(("use", "legal"), [("none", "4S 7D 9C"), ("deep", "7D 9C"), ("always", "7D")])
def test_c3_what_may_be_taken(use, legal):
    assert to_draw("8D 9D 2C", "3H", row="4S 7D 9C", row_use=use).names("take") == takes(legal)


def test_c3_the_duty_comes_first():
    pair = to_draw("8D 9D 5S 5H 5C", "3H", row="4S 7D 2C", row_use="deep").do("take 7D")
    assert (pair.t.owed, pair.names()) == (card("7D"), {"lay 7D 8D 9D"})
    pair.do("lay 7D 8D 9D")
    assert pair.t.owed == 255
    assert {"lay 5S 5H 5C", "discard 2C"} < pair.names()


def test_c3_lay_offs_and_swaps_may_lead_to_the_card():
    on_table = ("5D 6D 7D", "7C 8C TC=X1 9C=X2")
    pair = to_draw("8D 2C 9C", "3H", row="4S 9D KC", melds=on_table, row_use="deep").do("take 9D")
    assert pair.names() == {"lay off 8D above the run", "swap 9C for X2"}
    pair.do("swap 9C for X2")
    lays = {"lay X(7D) 8D 9D", "lay 8D 9D X(TD)", "lay off X as 4D below the run", "lay off X as 8D above the run"}
    assert pair.names() == {"lay off 8D above the run", *lays}
    pair.do("lay off X as 8D above the run")
    assert pair.names() == {"lay off 9D above the run", "swap 8D for X2"}


def test_c3_new_melds_and_lay_offs_on_sets_lead_nowhere():
    assert to_draw("6D 7D 8D 2C", "3H", row="4S 9D KC", row_use="deep").do("take 9D").names() == {"lay 7D 8D 9D"}
    pair = to_draw("6D 2C 2S", "3H", row="4S 9D KC", melds=("3D 4D 5D", "6S 6H 6C"), row_use="deep")
    assert pair.names("take") == takes("KC")


def test_c3_a_duty_that_leaves_no_card_to_put_down_is_none():
    for held, settings, legal in (("7D 8D", {}, False), ("7D 8D", OPTIONAL, True), ("7D 8D 2C", {}, True)):
        pair = to_draw(held, "3H", row="4S 9D", row_use="always", **settings)
        assert ("take 9D and all above" in pair.names()) == legal


def test_c3_the_top_card_is_owed_only_with_always():
    for use, owed in (("deep", 255), ("always", card("9D"))):
        assert to_draw("7D 8D 2C", "3H", row="4S 9D", row_use=use).do("take 9D").t.owed == owed


def test_c3_an_owed_joker_is_the_one_laid():
    pair = to_draw("X1 5S 5H 2C", "3H", row="4S X2 KC", row_use="deep").do("take X2")
    assert pair.names("discard") == set()
    pair.do("lay 5S 5H X(5D)")
    assert (pair.t.owed, pair.t.joker_by.tolist()) == (255, [255, 0])


def test_c3_the_duty_is_met_by_a_swap_or_a_rebind():
    on_table = ("TC=X1 JC QC",)
    assert to_draw("2H", "3H", row="4S TC 2D", melds=on_table, row_use="deep").do("take TC").names() == {"swap TC for X1"}
    pair = to_draw("2H", "3H", row="4S TC 2D", melds=on_table, row_use="deep", joker_swap="no", **REBIND).do("take TC")
    assert pair.names() == {"lay a card for X1, moving it up", "lay a card for X1, moving it down"}


# C4: melds.


@pytest.mark.parametrize(
    ("lay", "corner", "plain"),
    [
        ("AS 2S 3S", True, True),
        ("QS KS AS", True, True),
        ("KS AS 2S", True, False),
        ("3D 4D 5D", True, True),
        ("5S 5H 5C", True, True),
        ("5S 5H 5D 5C", True, True),
    ],
)
def test_c4_melds(lay, corner, plain):
    for settings, legal in (({}, corner), (CORNER_OFF, plain)):
        pair = to_play(f"{lay} 9H", "3H", **settings)
        assert (f"lay {lay}" in pair.names()) == legal


@pytest.mark.parametrize("held", ["KS AS 2H 9C", "3D 4D 9C", "5S 5H 9C", "3D 4D 6D 9C", "TS JH QD 9C"])
def test_c4_no_melds(held):
    assert to_play(held, "3H").names("lay") == set()


def test_c4_runs_grow_to_thirteen_round_the_corner():
    pair = to_play("AH 9S", "3C", melds=("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH",)).do("lay off AH above the run")
    assert (int(pair.t.melds[0]).bit_count(), pair.names("lay")) == (13, set())


def test_c4_without_the_corner_an_ace_closes_its_end():
    pair = to_play("AD 2D KC 9S", "3H", melds=("JD QD KD", "AC 2C 3C"), **CORNER_OFF)
    assert pair.names("lay") == lay_offs("AD above the run")
    assert pair.do("lay off AD above the run").names("lay") == set()
    pair = to_play("AD 2D 9S", "3H", melds=("JD QD KD",)).do("lay off AD above the run")
    assert pair.names("lay") == lay_offs("2D above the run")


def test_c4_a_place_is_taken_once():
    assert to_play("7C 9S", "3H", melds=("7S 7H 7C=X1",), joker_swap="no").names("lay") == set()


# C5: jokers.


def test_c5_a_joker_is_declared_and_stays():
    pair = to_play("QC JC X1 2S", "3S")
    lays = {"lay X(TC) JC QC", "lay JC QC X(KC)"}
    assert pair.names("lay") == lays
    pair.do("lay X(TC) JC QC")
    assert (pair.t.joker_as.tolist(), melds(pair.t)) == ([card("TC"), 255], (meld("TC=X1 JC QC"),))
    assert to_play("TC 2S", "3S", melds=("TC=X1 JC QC",), joker_swap="no").names("lay", "swap") == set()


def test_c5_one_natural_card_at_least():
    pair = to_play("X1 X2 KS 4D", "3S")
    assert all("K" in name or "4" in name for name in pair.names("lay"))
    assert to_play("X1 X2 4D", "3S", melds=("3H 4H 5H",), max_jokers_per_meld=1).names("lay X") == set()


@pytest.mark.parametrize("most", [0, 1, 2])
def test_c5_jokers_in_one_meld(most):
    pair = to_play("X1 X2 4D 5D 9S", "3S", max_jokers_per_meld=most)
    names = pair.names("lay")
    assert any("X" in name for name in names) == (most > 0)
    assert any(name.count("X") == 2 for name in names) == (most > 1)


def test_c5_a_joker_may_stand_for_a_card_of_the_same_hand():
    names = to_play("7S 7H 7D X1", "3H").names("lay")
    assert "lay 7S 7H X(7D)" in names
    assert "lay 7S 7H 7D X(7C)" not in names, "no card would be left"


def test_c5_two_jokers_lie_in_order():
    pair = to_play("7D X1 X2 2S", "3H").do("lay X(6D) 7D X(8D)")
    assert (melds(pair.t), credit(pair)) == ((meld("6D=X1 7D 8D=X2"),), [37, 0])


def test_c5_a_joker_moves_only_with_the_setting():
    pair = to_play("TC 2S", "3S", melds=("TC=X1 JC QC",), **REBIND)
    assert {"lay a card for X1, moving it up", "lay a card for X1, moving it down"} < pair.names()
    pair.do("lay a card for X1, moving it up")
    assert (melds(pair.t), credit(pair), hand(pair)) == ((meld("TC JC QC KC=X1"),), [10, 0], cards("2S"))


@pytest.mark.parametrize(
    ("held", "shown", "settings", "ways"),
    [
        ("7D", "7S 7H 7D=X1", {}, {"up"}),
        ("7D", "7S 7H 7C 7D=X1", {}, set()),
        ("AC", "AC=X1 QC KC", CORNER_OFF, {"down"}),
        ("AC", "AC=X1 QC KC", {}, {"up", "down"}),
    ],
)
def test_c5_where_a_joker_may_move(held, shown, settings, ways):
    pair = to_play(f"{held} 2S", "3S", melds=(shown,), **REBIND, **settings)
    assert {name.split()[-1] for name in pair.names("lay")} == ways


# C6: the swap. C7: lay-offs.


@pytest.mark.parametrize(("to", "after"), [("swapper", [10, 20]), ("owner", [0, 35])])
def test_c6_the_swap(to, after):
    pair = to_play("TC 2S", "3S", melds=("TC=X1 JC QC",), swap_credit=to)
    pair.t.credit[1] = pair.deal.credit[1] = 35
    pair.do("swap TC for X1")
    assert (credit(pair), melds(pair.t), hand(pair)) == (after, (meld("TC JC QC"),), cards("2S X1"))
    assert ids(pair.t.known[0]) == cards("X1")


def test_c6_the_joker_is_free_again():
    pair = to_play("TC KH KD 2S", "3S", melds=("TC=X1 JC QC",)).do("swap TC for X1", "lay KH KD X(KC)")
    assert (pair.t.joker_as[0], pair.t.joker_by[0], credit(pair)) == (card("KC"), 0, [45, -15])


def test_c6_no_swap_with_another_card_or_without_the_setting():
    assert to_play("TS KC 2S", "3S", melds=("TC=X1 JC QC",)).names("swap") == set()
    assert to_play("TC 2S", "3S", melds=("TC=X1 JC QC",), joker_swap="no").names("swap") == set()


def test_c7_lay_offs_on_any_meld_at_either_end():
    pair = to_play("4D 8D 9C 6S", "3S", melds=("5D 6D 7D", "6H 6D=X1 6C"))
    assert pair.names("lay off") == lay_offs("4D below the run", "8D above the run", "6S on the set")
    pair.do("lay off 8D above the run", "lay off 4D below the run", "lay off 6S on the set")
    assert credit(pair) == [18, 0]


def test_c7_a_lay_off_needs_no_meld_of_ones_own_but_a_card_to_put_down():
    assert to_play("8D", "3S", melds=("5D 6D 7D",)).names("lay") == set()
    assert to_play("8D", "3S", melds=("5D 6D 7D",), **OPTIONAL).names("lay") == lay_offs("8D above the run")


def test_c7_what_fits_a_run_at_both_ends_goes_above_it():
    for settings in ({}, CORNER_OFF):
        pair = to_play("AH X1 9S", "3C", melds=("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH",), **settings)
        assert pair.names("lay off") == lay_offs("AH above the run", "X as AH above the run")
    pair = to_play("2H 9S", "3C", melds=("3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH",), **CORNER_OFF)
    assert pair.names("lay off") == lay_offs("2H below the run")


# C8: points.


@pytest.mark.parametrize(("ace", "points"), [("10", 10), ("15", 15), ("11", 11), ("1", 1), ("15_or_1_low", 15)])
def test_c8_points(ace, points):
    rules = make_rules("rum500-ru", ace_value=ace)
    values = {c: int(points_of(rules, mask([c]))) for c in range(54)}
    assert [values[c] for c in range(13, 26)] == [points, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
    assert all(values[c] == values[c % 13] for c in range(52))
    assert values[52] == values[53] == 15


@pytest.mark.parametrize(
    ("shown", "where", "points"),
    [
        ("2D 3D 4D", "below the run", 1),
        ("2D=X1 3D 4D", "below the run", 1),
        ("JD QD KD", "above the run", 15),
        ("JD QD KD=X1", "above the run", 15),
        ("2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD", "above the run", 15),
        ("AS AH AC", "on the set", 15),
    ],
)
def test_c8_a_low_ace(shown, where, points):
    pair = to_play("AD 9S", "3H", melds=(shown,), ace_value="15_or_1_low").do(f"lay off AD {where}")
    assert credit(pair) == [points, 0]


def test_c8_an_ace_keeps_the_points_it_was_laid_with():
    pair = to_play("AD KD 9S", "3H", melds=("2D 3D 4D",), ace_value="15_or_1_low")
    assert credit(pair.do("lay off AD below the run", "lay off KD below the run")) == [11, 0]


# C9: how a deal ends. C10: the score.


def test_c9_the_last_card_goes_into_the_row():
    assert "lay 7S 7H 7D" not in to_play("7S 7H 7D", "3H").names()
    pair = to_play("7S 7H 7D 2C", "3H").do("lay 7S 7H 7D", "discard 2C")
    assert (ended(pair), pair.t.closer, pair.names()) == (("out", [21, -3]), 0, set())


def test_c9_or_is_laid_where_the_rules_say_so():
    pair = to_play("7S 7H 7D", "3H", **OPTIONAL).do("lay 7S 7H 7D")
    assert (ended(pair), pair.t.closer, pair.t.turn, PHASES[pair.t.phase]) == (("out", [21, -3]), 0, 0, "over")


def turn_ends(**where) -> Pair:
    return to_play("2S 9S", "3H 4H", "6D 6C", row="4S 7D 8C", **where).do("discard 9S")


def test_c9_with_the_stock_out_players_take_or_the_first_pass_ends_the_deal():
    pair = turn_ends(stock="")
    assert pair.names() == {"pass", *takes("4S 7D 8C 9S")}
    pair.do("take 9S", "discard 3H")
    assert ended(pair.do("pass")) == ("stock_out", [-2, -13, -12])


def test_c9_or_the_deal_ends_at_once():
    assert ended(turn_ends(stock="", stock_end="end")) == ("stock_out", [-2, -7, -12])
    assert ENDINGS[turn_ends(stock="JS", stock_end="end").t.ending] == "none"


def test_c9_or_the_row_is_reshuffled():
    pair = turn_ends(stock="", stock_end="reshuffle")
    assert (set(stock(pair.t)), row(pair.t), ids(pair.t.reshuffled)) == (cards("4S 7D 8C"), [card("9S")], cards("4S 7D 8C"))
    assert pair.names() == {"draw stock", "take 9S and all above"}
    pair = to_play("2S 9S", "3H", row="", stock="", stock_end="reshuffle").do("discard 9S")
    assert pair.names() == {"pass", "take 9S and all above"}


def test_c9_the_turn_cap():
    assert ended(turn_ends(max_turns=1)) == ("capped", [-2, -7, -12])
    assert ENDINGS[turn_ends(max_turns=2).t.ending] == "none"
    assert ENDINGS[turn_ends(max_turns=1, stock="", stock_end="end").t.ending] == "stock_out"
    assert ended(to_play("2S", "3H", max_turns=1).do("discard 2S")) == ("out", [0, -3])


def test_c10_laid_less_held_and_nothing_for_going_out():
    pair = to_play("5D 6D 7D TS", "9C X1", "KH QD 4S AC", row="4D").do("lay 5D 6D 7D", "discard TS")
    assert ended(pair) == ("out", [18, -24, -34])
