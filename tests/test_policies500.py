"""The baselines of 500 Rum do what they claim: in play, on chosen hands, and by their figures over many deals."""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from rummy_env.cards import JOKERS, card
from rummy_env.envs import batch
from rummy_env.envs.tables import Tables
from rummy_env.errors import PolicyError
from rummy_env.policy import parse_policy
from rummy_env.rules import Rum500Rules, make_rules
from rummy_env.rum500 import play
from rummy_env.rum500.actions import DISCARD, DRAW_STOCK, LAY_OFF_SET, LAY_SET, PASS, TAKE, action_name, parse_action
from rummy_env.rum500.policies import POLICIES, act, candidates, must_keep
from rummy_env.rum500.solver import PLAN, solve
from rummy_env.rum500.state import DRAW, ENDINGS, PLAY
from rummy_env.state import NO_CARD, NOT_ENDED
from tests.blind import assert_agent_blind
from tests.helpers import JIT, count, ids
from tests.helpers500 import legal, random_rules, row, stock, table, written
from tests.test_observe500 import met_in_play, turned
from tests.test_resample import assert_as_likely

pytestmark = pytest.mark.skipif(not JIT, reason="too many deals for interpreted kernels")

SCRIPTED = [name for name in POLICIES if name != "random"]
every_policy = pytest.mark.parametrize("policy", POLICIES)


def choice_of(policy: str, rules: Rum500Rules, t: Any) -> int:
    return int(act(*parse_policy(policy, POLICIES), rules, t))


class Move(NamedTuple):
    """A decision: the table before it, and the action."""

    t: Any
    action: int

    @property
    def seat(self) -> int:
        return int(self.t.to_act)

    @property
    def hand(self) -> frozenset[int]:
        return ids(self.t.hands[self.seat])


def moves(rules: Rum500Rules, policies: list[str], seed: int) -> Iterator[Move]:
    """The moves of a deal between policies, by seat; each must be legal."""
    t = table(rules, seed)
    while ENDINGS[t.ending] == "none":
        action = choice_of(policies[int(t.to_act)], rules, t)
        assert action in legal(rules, t), f"{policies[int(t.to_act)]}: {action_name(action, t)}"
        yield Move(t, action)
        play.apply(rules, t, action)


def turns(rules: Rum500Rules, policy: str, seed: int) -> Iterator[list[Move]]:
    """The turns of a deal between players of one policy, tables copied."""
    turn: list[Move] = []
    for move in moves(rules, [policy] * 6, seed):
        if move.t.phase == DRAW and turn:
            yield turn
            turn = []
        turn.append(Move(move.t.copy(), move.action))
    yield turn


def settings_of(seed: int, **fixed: Any) -> Rum500Rules:
    """The Russian game, the common one, and random ones."""
    if seed % 4 < 2 and not fixed:
        return make_rules(("rum500-ru", "rum500-standard")[seed % 4])
    return random_rules(random.Random(seed), **fixed)


def check_legal(seed: int) -> None:
    rng = random.Random(seed)
    rules = random_rules(rng)
    policies = [rng.choice([*SCRIPTED, "greedy500:risk=2,keep=0,fear=9", "holder:alarm=0"]) for _ in range(6)]
    for _ in moves(rules, policies, seed):
        pass


def test_every_action_is_legal_under_random_settings() -> None:
    for seed in range(count(40)):
        check_legal(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_every_action_is_legal_under_random_settings_long(block: int) -> None:
    for seed in range(1000 + 100 * block, 1000 + 100 * block + count(100)):
        check_legal(seed)


# What each claims.


def test_layer_never_takes_from_the_row_and_lays_all_it_can() -> None:
    plan = np.zeros(1, PLAN).view(np.recarray)[0]
    for seed in range(count(24)):
        rules = settings_of(seed)
        for move in moves(rules, ["layer"] * 6, seed):
            assert not TAKE <= move.action < LAY_SET
            if move.action >= DISCARD and move.action != PASS and move.t.barred == NO_CARD:
                solve(rules, move.t, move.t.hands[move.seat], len(move.hand) - must_keep(rules), plan)
                assert plan.points == 0


@pytest.mark.parametrize(("settings", "all_laid"), [({}, 1.0), ({"row_use": "always", "num_players": 3}, 0.98)])
def test_row_miser_lays_what_it_takes_whole_in_the_same_turn(settings: dict, all_laid: float) -> None:
    """With a duty, of two lays that bring as much it may choose the one that leaves a card it took."""
    takes = laid = 0
    for seed in range(count(48)):
        rules = make_rules("rum500-ru", **settings)
        for turn in turns(rules, "row-miser", seed):
            first, last = turn[0], turn[-1]
            if TAKE <= first.action < LAY_SET:
                on_row = row(first.t)
                taken = set(on_row[on_row.index(first.action - TAKE) :]) - set(JOKERS)
                takes += 1
                laid += not taken & last.hand
    assert takes > count(60)
    assert laid >= all_laid * takes


@pytest.mark.parametrize("policy", SCRIPTED)
def test_a_joker_is_put_out_only_where_no_other_card_may_go(policy: str) -> None:
    for seed in range(count(20)):
        for move in moves(settings_of(seed, jokers=2), [policy] * 6, seed):
            if move.action - DISCARD in JOKERS:
                assert not move.hand - set(JOKERS) - {int(move.t.barred)}


def hurries(rules: Rum500Rules, t: Any, alarm: int = 2) -> bool:
    """Whether another is close to going out or the stock to its end."""
    sizes = [len(ids(t.hands[k])) for k in range(rules.num_players) if k != t.to_act]
    return min(sizes) <= alarm or len(stock(t)) < rules.num_players


def test_holder_lays_only_to_be_out_or_when_alarmed() -> None:
    lays = 0
    for seed in range(count(40)):
        rules = settings_of(seed)
        for turn in turns(rules, "holder", seed):
            laid = [move for move in turn[1:] if move.action < DISCARD]
            calm = [move for move in laid if not hurries(rules, move.t) and move.t.owed == NO_CARD]
            if laid and laid[0] in calm:
                last = turn[-1]
                lays += 1
                assert len(last.hand) <= 1 or last.action < DISCARD, [action_name(m.action, m.t) for m in turn]
    assert lays > count(10)


# Chosen hands.


def at_play(*hands: str, **where: Any) -> tuple[Rum500Rules, Any]:
    rules, t = written(*hands, **where)
    t.phase = PLAY
    return rules, t


def test_random_is_uniform_over_legal_actions() -> None:
    from collections import Counter

    rules, t = at_play("7S 7H 7D X1 2C 8D", "3H", melds=("9D TD JD",))
    found = Counter(choice_of("random", rules, t) for _ in range(count(6000)))
    assert_as_likely(found, dict.fromkeys(legal(rules, t), 1))


@pytest.mark.parametrize("policy", ["layer", "row-miser", "greedy500"])
def test_the_best_lay_is_laid(policy: str) -> None:
    rules, t = at_play("5D 6D 7D 8D 8S 8H 2C", "3H 4H 5H 6H")
    laid = []
    while t.ending == NOT_ENDED and t.to_act == 0:
        action = choice_of(policy, rules, t)
        laid.append(action_name(action))
        play.apply(rules, t, action)
    assert (t.credit[0], laid[-1]) == (42, "discard 2C")


def test_a_joker_is_swapped_for_before_laying() -> None:
    rules, t = at_play("TC KH KD 2S", "3S 4S", melds=("TC=X1 JC QC",))
    assert action_name(choice_of("greedy500", rules, t)) == "swap TC for X1"


def test_takes() -> None:
    """The row offers two cards that lay a run whole, below them one that lays more but brings a king."""
    rules, t = written("5D 6D 9S 9H", "3H", row="9C KH 4D 7D")
    wanted = {"layer": "draw stock", "row-miser": "take 4D and 1 above", "greedy500": "take 9C and 3 above"}
    for policy, action in wanted.items():
        assert action_name(choice_of(policy, rules, t), t) == action


def test_discards() -> None:
    rules, t = at_play("KS KH 9D 2C 3C", "4H 5H", row="6S")
    assert choice_of("layer", rules, t) == parse_action("discard 9D"), "the highest card of no use"
    assert choice_of("greedy500:keep=0,fear=0", rules, t) == parse_action("discard KS")
    rules, t = at_play("8D 2C KH QS", "4H 5H", melds=("5D 6D 7D", "KS KD KC"), go_out="discard")
    t.hands[0] = np.uint64(1 << card("8D") | 1 << card("KH"))
    assert action_name(choice_of("layer", rules, t)).startswith("lay off")


def test_greedy_fears_to_give_a_card_that_another_can_use() -> None:
    rules, t = at_play("QH 2C", "4H 5H", row="6S")
    t.known[1] = t.hands[1] = np.uint64(1 << card("QS") | 1 << card("QD"))
    assert choice_of("greedy500:keep=0,fear=0", rules, t) == parse_action("discard QH")
    assert choice_of("greedy500:keep=0,fear=5", rules, t) == parse_action("discard 2C")


def test_holder_waits_until_it_can_be_out_or_another_can() -> None:
    rules, t = at_play("5D 6D 7D 9S KH", "3H 4S 8H 9H")
    assert choice_of("holder", rules, t) >= DISCARD
    assert choice_of("holder:alarm=4", rules, t) < LAY_OFF_SET
    rules, t = at_play("5D 6D 7D KH", "3H 4S 8H 9H")
    assert choice_of("holder", rules, t) < LAY_OFF_SET
    rules, t = at_play("5D 6D 7D 9S KH", "3H 4S 8H 9H", stock="KS")
    assert choice_of("holder", rules, t) < LAY_OFF_SET, "the stock is all but out"


# What every policy must be.


class Scripted:
    def __init__(self, text: str):
        self.policy = parse_policy(text, POLICIES)

    def act(self, obs, mask, view, rng):
        return view.scripted(*self.policy)


BLIND = [
    {},
    {"num_players": 2, "stock_end": "reshuffle", "joker_rebind": True},
    {"num_players": 3, "row_use": "deep", "go_out": "discard_optional"},
    {"num_players": 5, "row_use": "always", "run_corner": False},
    {"num_players": 6, "hand_size": 5, "ace_value": "15_or_1_low", "max_jokers_per_meld": 1},
]


@every_policy
@pytest.mark.parametrize("settings", BLIND, ids=lambda settings: str(settings.get("num_players", 4)))
def test_hidden_cards_change_no_action(policy: str, settings: dict) -> None:
    differed = assert_agent_blind(Scripted(policy), "rum500-ru", count(8), count(40, 8), policy="row-miser", **settings)
    assert differed > count(150)


@every_policy
@pytest.mark.parametrize("players", [2, 3, 5])
def test_every_seat_plays_alike(policy: str, players: int) -> None:
    for seed in range(count(4)):
        rules = random_rules(random.Random(seed), num_players=players, hand_size=6)
        for t in met_in_play(rules, seed, share=0.15):
            if ENDINGS[t.ending] == "none":
                other = turned(rules, t, 1)
                assert choice_of(policy, rules, t.copy()) == choice_of(policy, rules, other)


@every_policy
def test_candidates_are_the_policys_own_action_and_each_other_draw_or_discard(policy: str) -> None:
    out = np.zeros(64, np.int64)
    for t in met_in_play(make_rules("rum500-ru"), seed=3, share=0.5):
        if ENDINGS[t.ending] != "none":
            continue
        before, own = t.copy(), choice_of(policy, make_rules("rum500-ru"), t.copy())
        found = out[: candidates(*parse_policy(policy, POLICIES), make_rules("rum500-ru"), before, out)].tolist()
        others = {a for a in legal(make_rules("rum500-ru"), t) if a < LAY_SET or a >= DISCARD}
        assert found[0] == own
        assert (len(found), set(found)) == (len(others | {own}), others | {own})
        short = np.zeros(2, np.int64)
        assert candidates(*parse_policy(policy, POLICIES), make_rules("rum500-ru"), t.copy(), short) <= 2


# Figures over many deals.


def figures(policies: list[str], deals: int = 1500, variant: str = "rum500-ru") -> list[dict[str, float]]:
    """By policy, each sitting in every seat as often: points a deal, share of deals gone out in; and turns a deal."""
    n = len(policies)
    found = [dict.fromkeys(("points", "out", "turns"), 0.0) for _ in policies]
    for shift in range(n):
        group = Tables(deals // n, variant, seed=3 + shift, num_players=n)
        seated = [policies[(seat + shift) % n] for seat in range(n)]
        parsed = [parse_policy(name, POLICIES) for name in seated]
        numbers, parameters = np.array([p[0] for p in parsed]), np.array([p[1] for p in parsed])
        batch.play_deals(*group.for_kernels, group.all_rows, numbers, parameters, 1)
        for seat in range(n):
            rates = found[(seat + shift) % n]
            rates["points"] += group.state.points[:, seat].mean() / n
            rates["out"] += (group.state.closer == seat).mean() / n
            rates["turns"] += group.state.turn.mean() / n
    return found


FIGURES = {  # points and share of deals gone out in of each, and turns a deal, of four
    "layer layer layer layer": ([14] * 4, [0.23] * 4, 16.3),
    "row-miser row-miser row-miser row-miser": ([19] * 4, [0.25] * 4, 13.3),
    "greedy500 greedy500 greedy500 greedy500": ([30] * 4, [0.25] * 4, 13.5),
    "holder holder holder holder": ([3] * 4, [0.24] * 4, 29.9),
    "random layer row-miser greedy500": ([-56, 18, 30, 45], [0.0, 0.28, 0.43, 0.27], 18.5),
}


@pytest.mark.parametrize("policies", FIGURES)
def test_figures(policies: str) -> None:
    points, out, turns = FIGURES[policies]
    found = figures(policies.split())
    assert [rates["points"] for rates in found] == pytest.approx(points, abs=3)
    assert [rates["out"] for rates in found] == pytest.approx(out, abs=0.04)
    assert found[0]["turns"] == pytest.approx(turns, rel=0.04)


def test_parameters_are_read_and_refused_by_name() -> None:
    assert parse_policy("greedy500:risk=1,fear=0", POLICIES)[1].tolist() == [1, 3, 0, 0]
    assert parse_policy("holder:alarm=5", POLICIES)[1].tolist() == [0.5, 3, 1, 5]
    for text, word in (
        ("greedy", "unknown policy 'greedy'"),
        ("greedy500:alarm=3", "no parameter 'alarm'"),
        ("holder:alarm=14", "alarm allows 0 to 13"),
        ("greedy500:risk=3", "risk allows 0 to 2"),
        ("layer:keep=1", "it has: none"),
    ):
        with pytest.raises(PolicyError, match=word):
            parse_policy(text, POLICIES)


def test_every_policy_has_a_name_and_a_meaning() -> None:
    assert set(POLICIES) == {"random", "layer", "row-miser", "greedy500", "holder"}
    assert all(policy.meaning for policy in POLICIES.values())
    assert DRAW_STOCK == 0
