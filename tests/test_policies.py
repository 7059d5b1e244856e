"""The baselines do what BASELINES claim: their rules on chosen hands, and their figures over many deals."""

import numpy as np
import pytest

from rummy_env.bits import stream
from rummy_env.cards import card, parse_cards
from rummy_env.envs import batch
from rummy_env.envs.tables import Tables
from rummy_env.errors import PolicyError
from rummy_env.games import GAMES
from rummy_env.gin.actions import parse_action
from rummy_env.gin.policies import POLICIES, act, mean_of_best_draws
from rummy_env.gin.solver import deadwood
from rummy_env.gin.state import DISCARD, DRAW, ENDINGS, NO_CARD, new_state
from rummy_env.match import start_match
from rummy_env.rules import make_rules
from tests.helpers import JIT

parse_policy = GAMES["gin"].parse_policy


def figures(first: str, second: str, variant: str = "gin-eaai", tables: int = 2000, deals: int = 10, **settings):
    """Shares of endings for the first policy over mirrored deals, points a deal, and turns a deal."""
    total = tables * deals
    rates = dict.fromkeys(("knock", "gin", "undercut", "closed_by_other", "dead", "points", "turns"), 0.0)
    for seat in (0, 1):
        group = Tables(tables, variant, seed=3, **settings)
        names = (first, second) if seat == 0 else (second, first)
        parsed = [parse_policy(name) for name in names]
        numbers, parameters = np.array([p[0] for p in parsed]), np.array([p[1] for p in parsed])
        for _ in range(deals):
            batch.play_deals(*group.for_kernels, group.all_rows, numbers, parameters, 1)
            state = group.state
            own = state.closer == seat
            ending = np.array(ENDINGS)[state.ending]
            rates["knock"] += (own & (ending == "knock")).sum() / total / 2
            rates["gin"] += (own & (ending == "gin")).sum() / total / 2
            rates["undercut"] += (~own & (ending == "undercut")).sum() / total / 2
            rates["closed_by_other"] += (~own & np.isin(ending, ("knock", "gin"))).sum() / total / 2
            rates["dead"] += (ending == "dead").sum() / total / 2
            rates["points"] += state.points[:, seat].sum() / total / 2
            rates["turns"] += (state.turn + (state.closer != 255)).sum() / total / 2
    return rates


needs_jit = pytest.mark.skipif(not JIT, reason="too many deals for interpreted kernels")


@needs_jit
def test_simple_against_itself_has_the_published_finish_rates():
    found = figures("simple", "simple")
    assert found["turns"] == pytest.approx(12.5, abs=0.25)
    assert 2 * found["gin"] == pytest.approx(0.021, abs=0.003)
    assert 2 * found["undercut"] == pytest.approx(0.046, abs=0.004)
    assert found["dead"] == pytest.approx(0.002, abs=0.001)


@needs_jit
def test_novice_goes_out_in_97_percent_against_random_without_lay_off():
    found = figures("novice", "random", "gin-standard", tables=1000, layoff_by="nobody")
    assert found["knock"] + found["gin"] == pytest.approx(0.97, abs=0.012)


@needs_jit
def test_lookahead_beats_simple_by_six_points_mostly_through_undercuts():
    found = figures("lookahead", "simple", tables=1000, deals=4)
    assert found["points"] == pytest.approx(6.0, abs=0.9)
    assert found["undercut"] > 0.2
    assert found["knock"] < 0.15


@needs_jit
def test_stubborn_never_knocks():
    found = figures("stubborn", "simple", tables=500, deals=2)
    assert found["knock"] == 0
    assert found["gin"] > 0.08


@needs_jit
def test_swift_is_worth_as_much_as_lookahead_and_finishes_alike():
    assert figures("swift", "lookahead", tables=1000, deals=4)["points"] == pytest.approx(0, abs=1)
    found = figures("swift", "simple", tables=1000, deals=4)
    assert found["points"] > 4
    assert found["undercut"] > 0.2
    assert found["knock"] < 0.15
    assert found["gin"] > 0.08


@needs_jit
@pytest.mark.parametrize("limit", [0, 4, 10])
def test_greedy_knocks_within_its_limit_only(limit):
    group = Tables(500, "gin-eaai", seed=5)
    number, parameters = parse_policy(f"greedy:knock={limit}")
    batch.play_deals(*group.for_kernels, group.all_rows, np.array([number] * 2), np.array([parameters] * 2), 1)
    state = group.state
    closed = state.closer != 255
    kept = [deadwood(state.hands[i, state.closer[i]]) for i in np.flatnonzero(closed)]
    assert max(kept) <= limit
    assert closed.sum() > 100


@needs_jit
def test_random_is_uniform_over_legal_actions():
    table = position(hand="AS 2S 3S 4H 5H 6H 7D 8D 9D KC KH", drawn="KH", upcard="2C")
    counts = np.zeros(108, int)
    number, parameters = parse_policy("random")
    rules = make_rules("gin-es")
    for _ in range(4400):
        counts[act(number, parameters, rules, table)] += 1
    legal = counts[counts > 0]
    assert len(legal) == 11 + 2  # any discard; only a king aside leaves 10 or less
    assert abs(legal - 4400 / 13).max() < 5 * (4400 / 13) ** 0.5


def position(*, hand: str, drawn: str | None = None, upcard: str = "KS", phase: int = DISCARD):
    """A table where seat 0 is to act with a chosen hand; the rest is dealt from the remaining cards."""
    state = new_state(1)
    table = state[0]
    table.key, table.dice = np.uint64(1), stream(np.uint64(2), np.uint64(3))
    start_match(make_rules("gin-es"), table)
    table.hands[0] = parse_cards(hand)
    table.upcard = card(upcard)
    table.pile = parse_cards(upcard)
    rest = [c for c in range(52) if not int(table.hands[0] | table.pile) >> c & 1]
    table.hands[1] = np.uint64(sum(1 << c for c in rest[:10]))
    table.stock[: len(rest) - 10] = rest[10:]
    table.stock_at, table.stock_end = 0, len(rest[10:])
    table.to_act, table.phase = 0, phase
    table.drawn = NO_CARD if drawn is None else card(drawn)
    table.from_stock = 1
    return table


def choice_of(policy: str, table) -> int:
    number, parameters = parse_policy(policy)
    return int(act(number, parameters, make_rules("gin-es"), table))


def test_simple_takes_a_card_that_melds_outside_the_best_arrangement():
    # 4H would make 4-5-6 of hearts, yet three sixes with the 6H save more: simple looks at any meld
    hand = "5H 6H 6C 6D KS QD JC 9S 2C AD"
    table = position(hand=hand, upcard="4H", phase=DRAW)
    assert choice_of("simple", table) == parse_action("take upcard")
    assert choice_of("lookahead", table) == parse_action("draw stock")


def test_greedy_takes_a_card_that_only_lowers_the_deadwood():
    table = position(hand="2H 6C 8D KS QD JC 9S 2C AD TH", upcard="AC", phase=DRAW)
    assert choice_of("greedy", table) == parse_action("take upcard")
    assert choice_of("simple", table) == parse_action("draw stock")
    assert choice_of("lookahead", table) == parse_action("draw stock")


def test_simple_knocks_at_the_first_chance_but_only_with_a_meld():
    knock = position(hand="AS 2S 3S 4H 5H 6H 7D 8D 9D AC KH", drawn="KH")
    assert choice_of("simple", knock) == parse_action("knock, KH aside")
    bare = position(hand="AS 2H AD 3C KH", drawn="KH")  # deadwood 7 without any meld
    assert choice_of("simple", bare) == parse_action("discard KH")


def test_simple_never_repeats_a_pair_of_drawn_and_discarded_card():
    table = position(hand="2H 6C 8D KS QD JC 9S 2C AD 4H TH", drawn="TH", upcard="3C")
    table.from_stock = 1
    seen = set()
    for _ in range(60):
        seen.add(choice_of("simple", table))
    assert seen == {card("KS"), card("QD"), card("JC"), card("TH")}
    table.turns[0] = 2
    table.pairs[0, :2] = [[card("TH"), card("KS")], [card("QD"), card("TH")]]
    seen = {choice_of("simple", table) for _ in range(60)}
    assert seen == {card("JC"), card("TH")}


def test_openspiel_simple_discards_by_rank_then_by_its_own_suit_order():
    # of two loose kings OpenSpiel's order S C D H puts hearts last
    table = position(hand="AS 2S 3S 4H 5H 6H 9D 7C KC KH TD", drawn="TD", upcard="QS")
    assert choice_of("openspiel-simple", table) == card("KH")


def test_openspiel_simple_prefers_sets_to_runs_at_equal_points():
    # 7S 7H 7D against 5S 6S 7S with 5-6 or 7-7 left over: 5 + 6 = 11 < 7 + 7 = 14, so the set; at equal points too
    table = position(hand="3S 4S 5S 5H 5D 4H 3D KC QD JH 9C", drawn="9C", upcard="QS")
    assert choice_of("openspiel-simple", table) == card("KC")


def test_greedy_breaks_ties_by_danger():
    # both kings weigh ten; the opponent was seen to take the queen of hearts and jack of hearts
    table = position(hand="AS 2S 3S 4H 5H 6H 9D 7C KC KH 8D", drawn="8D", upcard="QS")
    for name in ("QH", "JH"):
        table.hands[1] |= parse_cards(name)
        table.known[1] |= parse_cards(name)
    assert choice_of("greedy:knock=0", table) == card("KC")


def test_swift_gives_away_points_less_outs_and_danger():
    table = position(hand="AS 2S 3S QS QH QD 5H 6H 9D KC 2D", drawn="2D", upcard="4S")
    # the king has most points, and beside nothing no outs: 10 - 4 / 2 against the nine's 9 - 6 / 2
    assert choice_of("swift", table) == card("KC")
    assert choice_of("swift:danger=0", table) == card("KC")
    # known to be the other's, KS and KD make the king three kings: 16 times half a point of danger
    table.hands[1] |= parse_cards("KS KD")
    table.known[1] |= parse_cards("KS KD")
    assert choice_of("swift", table) == card("9D")
    assert choice_of("swift:danger=0", table) == card("KC")


def test_swift_keeps_what_has_outs():
    table = position(hand="AS 2S 3S 7H 7D 7C QH JH 9D 8C 2D", drawn="2D", upcard="4S")
    # QH JH wait for KH and TH, 9D and 8C for nothing: 10 - 3 * 2 outs against 9 - 0
    assert choice_of("swift:danger=0", table) == card("9D")
    assert choice_of("swift:outs=0,danger=0", table) in (card("QH"), card("JH"))


def test_swift_breaks_no_meld_unless_all_is_melded():
    table = position(hand="AS 2S 3S 4S 7H 7D 7C 9D TD JD QD", drawn="QD", upcard="KC")
    table.turns[0] = 5
    assert choice_of("swift:late=0", table) in {parse_action(f"knock, {name} aside") for name in ("AS", "4S", "9D", "QD")}


def test_swift_takes_only_what_melds_and_lowers():
    assert choice_of("swift", position(hand="5H 6H 6C 6D KS QD JC 9S 2C AD", upcard="4H", phase=DRAW)) == parse_action(
        "draw stock"
    )
    assert choice_of("swift", position(hand="5H 6H 8C 8D KS QD JC 9S 2C AD", upcard="4H", phase=DRAW)) == parse_action(
        "take upcard"
    )


@pytest.mark.parametrize(
    ("turns", "policy", "knocks"),
    [
        (2, "swift", True),
        (3, "swift", False),
        (3, "swift:early=4", True),
        (0, "swift:early=0", False),
        (9, "swift:late=6", False),
        (9, "swift:late=7", True),
    ],
)
def test_swift_knocks_early_and_then_late_points_or_less(turns, policy, knocks):
    table = position(hand="AS 2S 3S 4H 5H 6H 7D 8D 9D 7C KH", drawn="KH")  # 7 left
    table.turns[0] = turns
    assert choice_of(policy, table) == parse_action("knock, KH aside" if knocks else "discard KH")


def test_mean_of_best_draws_is_the_mean_of_the_lowest_deadwoods():
    hand, unseen = parse_cards("4H 5H 6C 6D KS QS 2C 9D AD JH"), parse_cards("6H 3H 6S KC KD 2H 2D TS JD QH 9C")
    draws = sorted(
        min(deadwood(int(hand) & ~(1 << out) | 1 << c if out != c else int(hand)) for out in range(52) if int(hand) >> out & 1)
        for c in range(52)
        if int(unseen) >> c & 1
    )
    draws = [min(value, deadwood(hand)) for value in draws]
    assert mean_of_best_draws(hand, unseen, 7) == pytest.approx(sum(draws[:7]) / 7)
    assert mean_of_best_draws(hand, parse_cards("6H"), 7) == draws_of_one(hand, "6H")


def draws_of_one(hand, name: str) -> int:
    whole = int(hand) | int(parse_cards(name))
    return min(deadwood(whole & ~(1 << out)) for out in range(52) if whole >> out & 1)


def test_parameters_are_read_and_refused_by_name():
    assert parse_policy("greedy:knock=6,safe=0")[1].tolist()[:2] == [6, 0]
    assert parse_policy("lookahead:w=10")[1].tolist() == [10, 0.9, 7, 3]
    for text, word in (
        ("gredy", "unknown policy 'gredy'"),
        ("greedy:knok=3", "no parameter 'knok'"),
        ("greedy:knock=x", "knock allows 0 to 100"),
        ("lookahead:best=9", "best allows 1 to 8"),
        ("simple:a=1", "it has: none"),
    ):
        with pytest.raises(PolicyError, match=word):
            parse_policy(text)


def test_every_policy_has_a_name_and_a_meaning():
    assert set(POLICIES) == {"random", "novice", "simple", "openspiel-simple", "greedy", "lookahead", "swift", "stubborn"}
    assert all(policy.meaning for policy in POLICIES.values())
