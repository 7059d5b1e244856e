"""What a seat may believe of the other hand: features as a plain twin has them, and worlds as often as their odds say."""

import math
import random
from collections import Counter

import numpy as np
import pytest

from rummy_env.deck import redraw_future
from rummy_env.games import game_of, resample
from rummy_env.gin.belief import FEATURES, FROM_TURN, STEPS, WEIGHTS, features_of, imagine, log_odds, wander
from rummy_env.gin.state import MEMORY
from rummy_env.rules import make_rules, settings_in_words
from rummy_env.rum500 import belief as rum500
from tests import naive
from tests.blind import met_in_play, other_worlds
from tests.helpers import count, ids, mask, pass_turns, phase, stock, table
from tests.test_resample import Watcher, assert_as_likely, keep_going, seen


def beside(card: int, cards) -> bool:
    """Whether one of some other cards has the card's rank, or its suit and a rank at most two away."""
    near = (c for c in cards if c != card and (naive.suit(c) == naive.suit(card)))
    return any(naive.rank(c) == naive.rank(card) for c in cards if c != card) or any(abs(c - card) <= 2 for c in near)


def would_meld(card: int, hand) -> bool:
    return any(card in meld for meld in naive.melds_in(frozenset(hand) | {card}))


def limit_of(rules, opening: int) -> int:
    if not rules.oklahoma:
        return rules.knock_limit
    return 0 if naive.rank(opening) == 0 else min(naive.value(opening), rules.knock_limit)


def naive_features(rules, t, seat: int, hand: frozenset[int]) -> set[tuple[float, ...]]:
    """The twin of `features_of`: one tuple for each of the best arrangements, of which the kernel takes any."""
    words, other = naive.read(settings_in_words(rules)), 1 - seat
    known, put_out, refused = ids(t.known[other]), ids(t.discards[other]), ids(t.declined[other]) - hand
    turns, least = int(t.turns[other]), naive.deadwood(hand)
    last = int(t.pairs[other, (turns - 1) % MEMORY, 1]) if turns else 0
    found = set()
    for loose in {naive.loose(hand, packing) for packing in naive.best_packings(hand)}:
        features = (
            least * 0.1,
            least <= limit_of(words, int(t.opening)),
            least == 0,
            len(loose),
            len(known & loose),
            sum(not beside(c, hand) for c in known & loose),
            sum(would_meld(c, hand) for c in refused),
            sum(would_meld(c, hand) for c in put_out),
            sum(beside(c, loose) for c in put_out),
            sum(naive.value(c) == 10 for c in loose),
            sum(naive.value(c) > naive.value(last) for c in loose),
            sum(not beside(c, hand) for c in loose),
        )
        found.add(tuple(map(float, features)))
    return found


def row_of(turns: int) -> int:
    return max(k for k, first in enumerate(FROM_TURN) if turns >= first)


@pytest.mark.parametrize(
    ("variant", "policy"), [("gin-eaai", "swift"), ("oklahoma-ru", "greedy"), ("gin-ru", "simple"), ("gin-es", "random")]
)
def test_features_and_odds_are_the_twins(variant, policy):
    rules, met = make_rules(variant), set()
    for number, tables in enumerate(met_in_play(variant, count(6, 3), count(60, 3), policy, seed=7)):
        worlds = other_worlds(tables, tables.state.to_act, dice=number)
        for t, world in zip(tables.state, worlds.state):
            seat = int(t.to_act)
            turns = int(t.turns[1 - seat])
            for hand in (t.hands[1 - seat], world.hands[1 - seat]):
                found = features_of(rules, t, seat, hand)
                assert found in naive_features(rules, t, seat, ids(hand))
                assert log_odds(rules, t, seat, hand) == pytest.approx(np.dot(WEIGHTS[row_of(turns)], found))
            met.add(row_of(turns))
    assert {0, 1, 2} <= met


def test_every_feature_has_a_weight_in_every_row():
    assert WEIGHTS.shape == (len(FROM_TURN), len(FEATURES))
    assert FROM_TURN[0] == 0
    assert list(FROM_TURN) == sorted(set(FROM_TURN))


@pytest.mark.parametrize("hand_size", [3, 10, 13])
@pytest.mark.parametrize("seat", [0, 1])
def test_imagined_worlds_fit_what_the_seat_saw_through_reshuffles(seat, hand_size):
    """At the seat's own decisions: a world from nothing, one from it, and another future of that one."""
    rules = make_rules("gin-ru", hand_size=hand_size)
    rng = random.Random(seat)
    t = table(rules, seed=hand_size)
    watcher = Watcher(rules, t, seat)
    reshuffles_met, changed = set(), 0
    while phase(t) != "over":
        if t.to_act == seat:
            world = t.copy()
            for first in (True, False, False):
                before = world.copy()
                imagine(rules, world, seat, first)
                watcher.check(world)
                assert seen(world, seat) == seen(t, seat)
                changed += before.hands[1 - seat] != world.hands[1 - seat]
            future = world.copy()
            redraw_future(future)
            watcher.check(future)
            assert seen(future, seat) == seen(t, seat)
            assert future.hands.tolist() == world.hands.tolist()
            reshuffles_met.add(watcher.reshuffles)
        watcher.play(keep_going(rules, t, rng))
    assert {0, 1, 2} <= reshuffles_met
    assert changed > 20


def test_worlds_come_as_often_as_their_odds_say():
    """Three hidden cards and a stock of three: 20 hands, and each card of the stock as likely on top."""
    rules = make_rules(hand_size=3)
    t = table(rules, seed=2)
    pass_turns(rules, t, 42)
    cards = ids(t.hands[1]) | set(stock(t))
    assert len(cards) == 6
    odds = {}
    for top in cards:
        for a in cards - {top}:
            for b in cards - {top, a}:
                for c in cards - {top, a, b}:
                    odds[frozenset((a, b, c)), top] = math.exp(log_odds(rules, t, 0, mask((a, b, c))))
    n, whole = count(6000), sum(odds.values())
    rare = {key for key, weight in odds.items() if n * weight / whole < 8}
    weights = {key: weight for key, weight in odds.items() if key not in rare} | {"rare": sum(odds[key] for key in rare)}
    assert len(weights) > 10
    assert max(weights.values()) > 3 * min(weights.values())
    found = Counter()
    for _ in range(n):
        wander(rules, t, 0, 40)
        world = ids(t.hands[1]), stock(t)[0]
        found["rare" if world in rare else world] += 1
    assert_as_likely(found, weights)


def alike(a, b) -> bool:
    return all(np.array_equal(a[name], b[name]) for name in a.dtype.names)


def test_no_steps_change_nothing_and_a_known_hand_neither():
    rules = make_rules("gin-eaai")
    t = table(rules)
    for steps in (0, STEPS):
        t.known[1] = t.hands[1] if steps else 0
        before = t.copy()
        wander(rules, t, 0, steps)
        assert alike(t, before)


@pytest.mark.parametrize(("variant", "policy"), [("gin-eaai", "swift"), ("gin-ru", "simple"), ("rum500-ru", "greedy500")])
def test_worlds_from_nothing_do_not_depend_on_what_lies_hidden(variant, policy):
    game, differed = game_of(variant), 0
    for number, tables in enumerate(met_in_play(variant, 4, count(40, 5), policy, seed=3)):
        worlds = other_worlds(tables, tables.state.to_act, dice=number)
        for t, other in zip(tables.for_kernels[1].copy(), worlds.for_kernels[1].copy()):
            seat = int(t["to_act"])
            differed += not np.array_equal(t["hands"], other["hands"])
            for world in (t, other):
                for first in (True, False):
                    game.belief.imagine(tables.rules, world, seat, first)
            assert alike(t, other)
    assert differed > 20


def test_in_500_rum_every_world_is_as_likely():
    for tables in met_in_play("rum500-ru", 4, 20, "greedy500"):
        for t in tables.for_kernels[1].copy():
            drawn, seat = t.copy(), int(t["to_act"])
            rum500.imagine(tables.rules, t, seat, False)
            resample(tables.rules, drawn, seat)
            assert alike(t, drawn)


@pytest.mark.parametrize(("variant", "policy"), [("gin-es", "lookahead"), ("rum500-ru", "greedy500")])
def test_another_future_changes_the_stocks_order_only(variant, policy):
    moved = 0
    for tables in met_in_play(variant, 4, count(40, 5), policy, seed=5):
        for t in tables.state:
            future = t.copy()
            redraw_future(future)
            assert [name for name in t.dtype.names if not np.array_equal(t[name], future[name])] in (
                ["key", "deck", "dice", "stock"],
                ["key", "deck", "dice"],
            )
            assert sorted(stock(future)) == sorted(stock(t))
            moved += stock(future) != stock(t)
    assert moved > 100 if count(2) == 2 else moved
