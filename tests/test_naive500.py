"""The plain-Python 500 Rum by itself: worked cases, one position per clause of RULES.md C, and random play."""

import random

import pytest

from rummy_env.cards import card, card_list
from tests.naive500 import ACTIONS, DEFAULTS, JOKERS, NUMBER, STANDARD, is_meld, ordered, read, value
from tests.naive500_game import NaiveDeal, NaiveMatch
from tests.naive500_solver import best_lay

OPTIONAL = {"go_out": "discard_optional"}
CORNER_OFF = {"run_corner": "no"}
REBIND = {"joker_rebind": "yes"}


def meld(text: str):
    """``"TC=X1 JC QC"``: the places of a meld in any order, a joker after the card it stands for."""
    pairs = [word.partition("=")[::2] for word in text.split()]
    return ordered((card(c), card(j) if j else None) for c, j in pairs)


def n(kind: str, *details) -> int:
    """The number of an action in words: ``n("run", "TC* JC QC")`` with * for the places of jokers."""
    if kind in ("set", "run"):
        return NUMBER[kind, tuple((card(word[:2]), word.endswith("*")) for word in details[0].split())]
    if kind == "lay off":
        return NUMBER[kind, card(details[0]), details[1], "joker" in details]
    if kind == "rebind":
        return NUMBER[kind, card(details[0]), details[1]]
    return NUMBER[(kind, *map(card, details))]


def position(*hands: str, row: str = "4S", melds: tuple = (), stock: str | None = None, **words) -> NaiveDeal:
    """Seat 0 to draw, with these hands, row and melds; every card not named is in the stock unless that is given."""
    deal = NaiveDeal({**words, "num_players": len(hands)}, list(range(54)))
    deal.hands = [set(card_list(hand)) for hand in hands]
    deal.row, deal.melds = card_list(row), tuple(map(meld, melds))
    deal.joker_by = {j: 1 for m in deal.melds for _, j in m if j is not None}
    used = {*deal.row, *deal.laid()}.union(*deal.hands)
    deal.stock = [c for c in range(54) if c not in used] if stock is None else card_list(stock)
    return deal


def in_play(*hands: str, **where) -> NaiveDeal:
    """As :func:`position`, after seat 0 has drawn a card that does not matter."""
    deal = position(*hands, **where)
    deal.phase = "play"
    return deal


def kinds(deal: NaiveDeal, *wanted: str) -> set[tuple]:
    return {ACTIONS[a] for a in deal.legal() if ACTIONS[a][0] in wanted}


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


# The worked cases of the sources.


@pytest.mark.parametrize(("ace", "points"), [("10", 10), ("15", 15), ("11", 11), ("1", 1), ("15_or_1_low", 15)])
def test_v03_values(ace, points):
    rules = read({"ace_value": ace})
    assert [value(rules, c) for c in card_list("2S 9H TD JC QD KH X1 AS")] == [2, 9, 10, 10, 10, 10, 15, points]


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


def test_r01_deal():
    deal = NaiveDeal({}, list(range(54)), starter=2)
    assert [min(hand) for hand in deal.hands] == [12, 18, 0, 6]
    assert ([len(hand) for hand in deal.hands], deal.row, len(deal.stock), deal.to_act) == ([6] * 4, [24], 29, 2)


def test_r03_joker_as_the_ten():
    deal = in_play("QC JC X1 2S", "3S")
    deal.apply(n("run", "TC* JC QC"))
    assert (deal.credit, deal.melds) == ([35, 0], (meld("TC=X1 JC QC"),))


@pytest.mark.parametrize(("to", "credit"), [("swapper", [10, 20]), ("owner", [0, 35])])
def test_r04_swap(to, credit):
    deal = in_play("TC 2S", "3S", melds=("TC=X1 JC QC",), swap_credit=to)
    deal.credit = [0, 35]
    deal.apply(n("swap", "X1", "TC"))
    assert (deal.credit, deal.melds, deal.hands[0]) == (credit, (meld("TC JC QC"),), set(card_list("2S X1")))
    assert deal.known[0] == {52}
    assert deal.points()[0] == credit[0] - 17


def test_r05_joker_as_the_fourth_king():
    deal = in_play("X1 2S", "3S", melds=("KS KH KD",))
    assert kinds(deal, "lay off") == {("lay off", card("KC"), "set", True)}
    deal.apply(n("lay off", "KC", "set", "joker"))
    assert (deal.credit, deal.melds) == ([15, 0], (meld("KS KH KD KC=X1"),))


def test_r06_layoff_on_a_meld_of_another():
    deal = in_play("8D 2S", "3S", melds=("5D 6D 7D",))
    deal.credit = [0, 18]
    deal.apply(n("lay off", "8D", "high"))
    assert deal.credit == [8, 18]


@pytest.mark.parametrize(("ace", "points"), [("10", 22), ("15", 27), ("1", 13), ("15_or_1_low", 27)])
def test_r07_corner_run(ace, points):
    deal = in_play("KS AS 2S 9D", "3S", ace_value=ace)
    deal.apply(n("run", "KS AS 2S"))
    assert deal.credit[0] == points


@pytest.mark.parametrize(("ace", "points"), [("10", [18, -2, 5, -34]), ("15", [18, 3, 5, -39])])
def test_r09_score(ace, points):
    deal = in_play("5D 6D 7D TS", "9C X1 KS AS 2S", "3C 8D", "KH QD 4S AC", row="4D", ace_value=ace)
    for seat, lays in enumerate([["5D 6D 7D"], ["KS AS 2S"], [], []]):
        deal.to_act = seat
        for run in lays:
            deal.apply(n("run", run))
    deal.to_act = 2
    deal.apply(n("lay off", "8D", "high"))
    deal.to_act = 0
    deal.apply(n("discard", "TS"))
    assert (deal.points(), deal.ending, deal.closer) == (points, "out", 0)


# C2, C3: the draw, the card that may not go back, the duties.


def test_take_brings_every_card_laid_after():
    deal = position("2H", "3H", row="4S 7D 9C")
    assert kinds(deal, "take", "draw", "pass") == {("draw",), *(("take", c) for c in card_list("4S 7D 9C"))}
    deal.apply(n("take", "7D"))
    assert (deal.hands[0], deal.row, deal.barred) == (set(card_list("2H 7D 9C")), [card("4S")], None)
    assert deal.known[0] == set(card_list("7D 9C"))
    assert kinds(deal, "discard") == {("discard", c) for c in card_list("2H 7D 9C")}


def test_a_single_card_may_not_go_back():
    deal = position("2H", "3H", row="4S 7D")
    deal.apply(n("take", "7D"))
    assert deal.legal() == {n("discard", "2H")}
    deal.apply(n("discard", "2H"))
    assert (deal.to_act, deal.row, deal.barred) == (1, card_list("4S 2H"), None)


def test_a_hand_of_the_barred_card_alone_may_be_left_only_if_that_can_go():
    for melds, swap, out, legal in [
        ((), "yes", "discard", False),
        (("8D 9D TD",), "yes", "discard", False),
        (("8D 9D TD",), "yes", "discard_optional", True),
        (("7D=X1 8D 9D",), "yes", "discard", True),
        (("7D=X1 8D 9D",), "no", "discard", False),
    ]:
        deal = position("5S 5H 5C", "3H", row="4S 7D", melds=melds, joker_swap=swap, go_out=out)
        deal.apply(n("take", "7D"))
        assert (n("set", "5S 5H 5C") in deal.legal()) == legal, (melds, swap, out)


def test_the_barred_joker_is_used_before_the_other():
    deal = position("5S 5H X1 2C", "3H", row="4S X2")
    deal.apply(n("take", "X2"))
    deal.apply(n("set", "5S 5H 5D*"))
    assert deal.hands[0] == set(card_list("X1 2C"))


@pytest.mark.parametrize(
    ("use", "takes"), [("none", "4S 7D 9C"), ("deep", "7D 9C"), ("always", "7D")], ids=["none", "deep", "always"]
)
def test_duty_by_setting(use, takes):
    deal = position("8D 9D 2C", "3H", row="4S 7D 9C", row_use=use)
    assert kinds(deal, "take") == {("take", c) for c in card_list(takes)}


def test_an_owed_card_comes_first():
    deal = position("8D 9D 5S 5H 5C", "3H", row="4S 7D 2C", row_use="deep")
    deal.apply(n("take", "7D"))
    assert deal.owed == card("7D")
    assert deal.legal() == {n("run", "7D 8D 9D")}
    deal.apply(n("run", "7D 8D 9D"))
    assert deal.owed is None
    assert n("set", "5S 5H 5C") in deal.legal()
    assert n("discard", "2C") in deal.legal()


def test_preparations_reach_the_owed_card():
    deal = position("8D 2C 9C", "3H", row="4S 9D KC", melds=("5D 6D 7D", "7C 8C TC=X1 9C=X2"), row_use="deep")
    deal.apply(n("take", "9D"))
    assert deal.legal() == {n("lay off", "8D", "high"), n("swap", "X2", "9C")}
    deal.apply(n("swap", "X2", "9C"))
    by_joker = {n("lay off", "8D", "high", "joker"), n("lay off", "4D", "low", "joker")}
    assert deal.legal() == {n("lay off", "8D", "high"), n("run", "7D* 8D 9D"), n("run", "8D 9D TD*")} | by_joker
    deal.apply(n("lay off", "8D", "high", "joker"))
    assert deal.legal() == {n("lay off", "9D", "high"), n("swap", "X2", "8D")}


def test_no_preparation_by_a_new_meld_or_on_a_set():
    deal = position("6D 7D 8D 2C", "3H", row="4S 9D KC", row_use="deep")
    assert n("take", "9D") in deal.legal()
    deal.apply(n("take", "9D"))
    assert deal.legal() == {n("run", "7D 8D 9D")}
    deal = position("6D 2C 2S", "3H", row="4S 9D KC", melds=("3D 4D 5D", "6S 6H 6C"), row_use="deep")
    assert n("take", "9D") not in deal.legal()


def test_the_duty_counts_what_must_be_left():
    deal = position("7D 8D", "3H", row="4S 9D", row_use="always")
    assert n("take", "9D") not in deal.legal()
    deal = position("7D 8D", "3H", row="4S 9D", row_use="always", **OPTIONAL)
    assert n("take", "9D") in deal.legal()
    deal = position("7D 8D 2C", "3H", row="4S 9D", row_use="always")
    assert n("take", "9D") in deal.legal()


def test_an_owed_joker_is_the_one_that_is_laid():
    deal = position("X1 5S 5H 2C", "3H", row="4S X2 KC", row_use="deep")
    deal.apply(n("take", "X2"))
    assert kinds(deal, "discard") == set()
    deal.apply(n("set", "5S 5H 5D*"))
    assert (deal.owed, deal.joker_by) == (None, {53: 0})


# C4, C7: runs, both ends, corners.


def test_layoffs_turn_the_corner():
    deal = in_play("AD 2D 9S", "3H", melds=("JD QD KD",))
    deal.apply(n("lay off", "AD", "high"))
    assert n("lay off", "2D", "high") in deal.legal()
    deal = in_play("AD 2D KC 9S", "3H", melds=("JD QD KD", "AC 2C 3C"), **CORNER_OFF)
    assert kinds(deal, "lay off") == {("lay off", card("AD"), "high", False)}
    deal.apply(n("lay off", "AD", "high"))
    assert kinds(deal, "lay off") == set()


def test_a_card_that_fits_a_run_at_both_ends_goes_to_the_high_one():
    for words in ({}, CORNER_OFF):
        deal = in_play("AH X1 9S", "3H", melds=("2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH",), **words)
        assert kinds(deal, "lay off") == {("lay off", card("AH"), "high", False), ("lay off", card("AH"), "high", True)}
    deal = in_play("2H 9S", "3H", melds=("3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH",), **CORNER_OFF)
    assert kinds(deal, "lay off") == {("lay off", card("2H"), "low", False)}


def test_a_place_is_taken_once():
    deal = in_play("7C 9S", "3H", melds=("7S 7H 7C=X1",))
    assert kinds(deal, "lay off") == set()
    assert kinds(deal, "swap") == {("swap", 52, card("7C"))}


# C5, C6: jokers.


def test_a_joker_stays_as_declared():
    deal = in_play("TC 2S", "3S", melds=("TC=X1 JC QC",), joker_swap="no")
    assert kinds(deal, "swap", "rebind") == set()


def test_a_joker_may_stand_for_a_card_in_the_same_hand():
    deal = in_play("7S 7H 7D X1", "3H")
    assert n("set", "7S 7H 7D*") in deal.legal()
    assert n("set", "7S 7H 7D 7C*") not in deal.legal()


def test_two_jokers_take_places_in_order():
    deal = in_play("7D X1 X2 2S", "3H")
    deal.apply(n("run", "6D* 7D 8D*"))
    assert deal.melds == (meld("6D=X1 7D 8D=X2"),)
    assert deal.credit[0] == 37


def test_rebind_moves_the_joker():
    deal = in_play("TC 2S", "3S", melds=("TC=X1 JC QC",), **REBIND)
    assert kinds(deal, "rebind") == {("rebind", 52, "up"), ("rebind", 52, "down")}
    deal.apply(n("rebind", "X1", "up"))
    assert (deal.melds, deal.credit, deal.hands[0]) == ((meld("TC JC QC KC=X1"),), [10, 0], {card("2S")})
    deal = in_play("7D 2S", "3S", melds=("7S 7H 7D=X1",), **REBIND)
    assert kinds(deal, "rebind") == {("rebind", 52, "up")}
    deal.apply(n("rebind", "X1", "up"))
    assert deal.melds == (meld("7S 7H 7D 7C=X1"),)
    deal = in_play("7D 2S", "3S", melds=("7S 7H 7C 7D=X1",), **REBIND)
    assert kinds(deal, "rebind") == set()
    deal = in_play("AC 2S", "3S", melds=("AC=X1 QC KC",), **REBIND, **CORNER_OFF)
    assert kinds(deal, "rebind") == {("rebind", 52, "down")}


# C8: aces.


@pytest.mark.parametrize(
    ("run", "card_", "where", "points"),
    [
        ("2D 3D 4D", "AD", "low", 1),
        ("JD QD KD", "AD", "high", 15),
        ("2D=X1 3D 4D", "AD", "low", 1),
        ("QD KD=X1 JD", "AD", "high", 15),
    ],
)
def test_an_ace_counts_by_its_neighbours(run, card_, where, points):
    deal = in_play(f"{card_} 9S", "3H", melds=(run,), ace_value="15_or_1_low")
    deal.apply(n("lay off", card_, where))
    assert deal.credit[0] == points


def test_an_ace_keeps_the_value_it_was_placed_with():
    deal = in_play("AD KD 9S", "3H", melds=("2D 3D 4D",), ace_value="15_or_1_low")
    deal.apply(n("lay off", "AD", "low"))
    deal.apply(n("lay off", "KD", "low"))
    assert deal.credit[0] == 11
    deal = in_play("AD AH AC 9S", "3H", ace_value="15_or_1_low")
    deal.apply(n("set", "AH AD AC"))
    assert deal.credit[0] == 45


# C9: how a deal ends.


def test_a_meld_must_leave_a_card_to_put_down():
    assert n("set", "7S 7H 7D") not in in_play("7S 7H 7D", "3H").legal()
    deal = in_play("7S 7H 7D", "3H", **OPTIONAL)
    deal.apply(n("set", "7S 7H 7D"))
    assert (deal.phase, deal.ending, deal.closer, deal.points(), deal.legal()) == ("over", "out", 0, [21, -3], set())


def turn_ends(**where) -> NaiveDeal:
    deal = in_play("2S 9S", "3H 4H", "6D 6C", row="4S 7D 8C", **where)
    deal.apply(n("discard", "9S"))
    return deal


def test_an_empty_stock_leaves_the_row_or_a_pass():
    deal = turn_ends(stock="")
    assert deal.legal() == {n("take", c) for c in ("4S", "7D", "8C", "9S")} | {n("pass")}
    deal.apply(n("pass"))
    assert (deal.ending, deal.points()) == ("stock_out", [-2, -7, -12])


def test_an_empty_stock_ends_the_deal_or_is_filled():
    assert turn_ends(stock="", stock_end="end").ending == "stock_out"
    assert turn_ends(stock="JS", stock_end="end").ending == "none"
    deal = turn_ends(stock="", stock_end="reshuffle")
    assert (deal.stock, deal.row, deal.reshuffled) == (card_list("4S 7D 8C"), card_list("9S"), set(card_list("4S 7D 8C")))
    assert n("pass") not in deal.legal()
    deal = in_play("2S 9S", "3H", row="", stock="", stock_end="reshuffle")
    deal.apply(n("discard", "9S"))
    assert deal.legal() == {n("take", "9S"), n("pass")}


def test_turn_cap():
    assert turn_ends(max_turns=1).ending == "capped"
    assert turn_ends(max_turns=1, stock="", stock_end="reshuffle").reshuffled == set()
    assert turn_ends(max_turns=1, stock="", stock_end="end").ending == "stock_out"
    deal = in_play("2S", "3H", max_turns=1)
    deal.apply(n("discard", "2S"))
    assert (deal.ending, deal.turn) == ("out", 1)


# C11: the match.


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


# The most that can be laid.


@pytest.mark.parametrize(
    ("hand", "melds", "keep", "most"),
    [
        ("7S 7H 7D 2C", (), 1, 21),
        ("7S 7H 7D", (), 1, 0),
        ("7S 7H 7D", (), 0, 21),
        ("5D 6D 7D 7S 7H 2C", (), 1, 21),
        ("5D 6D 7D 8D 8S 8H 2C", (), 1, 42),
        ("QC JC X1 3H", (), 1, 35),
        ("8D TD 3H", ("5D 6D 7D",), 1, 8),
        ("8D TD X1 3H", ("5D 6D 7D",), 1, 33),
        ("KS AS 2S 9D", (), 1, 22),
        ("X1 X2 KS 3D", (), 1, 40),
        ("X1 X2", (), 0, 0),
        ("X1 4C", ("KS KH KD",), 1, 15),
        ("2S 9D TD", ("8D 7D 6D",), 1, 19),
    ],
)
def test_best_lay(hand, melds, keep, most):
    assert best_lay(frozenset(card_list(hand)), tuple(map(meld, melds)), {}, keep) == most


def test_best_lay_obeys_the_settings():
    hand = frozenset(card_list("KS AS 2S 9D X1 X2"))
    assert best_lay(hand, (), {"jokers": 2, "run_corner": "no", "ace_value": "15_or_1_low"}, 1) == 55
    assert best_lay(hand, (), {"max_jokers_per_meld": 0, "ace_value": "15"}, 1) == 27
    assert best_lay(frozenset(card_list("AS 2S 3S 9D")), (), {"ace_value": "15_or_1_low"}, 1) == 6


# Random play.


def lays_first(rng: random.Random, legal: list[int]) -> int:
    lays = [a for a in legal if ACTIONS[a][0] not in ("draw", "discard", "pass")]
    return rng.choice(lays if lays and rng.random() < 0.7 else legal)


SETTINGS = {
    "num_players": (2, 3, 4, 6),
    "hand_size": (3, 6, 8),
    "jokers": (0, 1, 2),
    "run_corner": (True, False),
    "row_use": ("none", "deep", "always"),
    "joker_rebind": (True, False),
    "joker_swap": (True, False),
    "swap_credit": ("swapper", "owner"),
    "max_jokers_per_meld": (0, 1, 2),
    "ace_value": ("10", "15", "11", "1", "15_or_1_low"),
    "go_out": ("discard", "discard_optional"),
    "stock_end": ("row_or_end", "end", "reshuffle"),
    "max_turns": (30, 80),
}


@pytest.mark.parametrize("seed", range(30))
def test_random_play_never_gets_stuck(seed):
    rng = random.Random(seed)
    words = {name: rng.choice(values) for name, values in SETTINGS.items()} if seed > 1 else (DEFAULTS, STANDARD)[seed]
    pack = rng.sample(range(52 + words["jokers"]), 52 + words["jokers"])
    deal = NaiveDeal(words, pack, rng.randrange(words["num_players"]), lambda row: rng.sample(row, len(row)))
    while deal.phase != "over":
        legal = sorted(deal.legal())
        assert legal, "no legal action"
        deal.apply(lays_first(rng, legal))
        assert deal.is_whole()
        assert all(is_meld(deal.rules, m) for m in deal.melds)
        assert deal.joker_by.keys() == deal.laid() & set(JOKERS)
    assert deal.legal() == set()
    assert len(deal.points()) == words["num_players"]
