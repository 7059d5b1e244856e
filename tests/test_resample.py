"""Worlds drawn by `resample`: what the seat has seen stays, nothing is lost, and every world left is as likely."""

import random
from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from rummy_env.gin import play
from rummy_env.gin.actions import CLOSE, DRAW_STOCK, PASS, TAKE_UPCARD
from rummy_env.rules import make_rules
from tests.helpers import count, ids, legal, pass_turns, phase, stock, table


class Watcher:
    """What one seat can tell of the other's hidden cards and of the stock, kept from the moves alone.

    All it sees of a hidden card is at which reshuffle it was turned over last (0: never): the stock is a list of
    those numbers, the other's unseen cards a count of each.
    """

    def __init__(self, rules, t, seat: int):
        self.rules, self.t, self.seat, self.other = rules, t, seat, 1 - seat
        self.turned = dict.fromkeys(range(52), 0)
        self.hidden = Counter({0: rules.hand_size})
        self.known: set[int] = set()
        self.stock = [0] * len(stock(t))
        self.reshuffles = 0
        self.drawn: int | None = None

    def play(self, action: int) -> None:
        t = self.t
        seat, upcard, pile = int(t.to_act), int(t.upcard), ids(t.pile)
        play.apply(self.rules, t, action)
        if action == DRAW_STOCK:
            drawn = self.stock.pop(0)
            self.drawn = drawn if seat == self.other else None
            self.hidden[drawn] += seat == self.other
        elif action == TAKE_UPCARD:
            self.drawn = None
            self.known |= {upcard} if seat == self.other else set()
        elif action < CLOSE:
            self._discarded(seat, action)
            if len(stock(t)) > len(self.stock):
                self._reshuffled(pile)

    def _discarded(self, seat: int, card: int) -> None:
        self.drawn = None
        if seat == self.other:
            self.hidden[self.turned[card]] -= card not in self.known
            self.known.discard(card)

    def _reshuffled(self, turned: frozenset[int]) -> None:
        self.reshuffles += 1
        self.turned.update(dict.fromkeys(turned, self.reshuffles))
        self.stock += [self.reshuffles] * len(turned)

    def check(self, t) -> None:
        """The hidden cards of ``t`` fit all that was seen."""
        hand = ids(t.hands[self.other])
        assert self.known <= hand
        assert Counter(self.turned[c] for c in hand - self.known) == +self.hidden
        assert [self.turned[c] for c in stock(t)] == self.stock
        whole = [*ids(t.hands[0]), *ids(t.hands[1]), *ids(t.pile), *stock(t)]
        assert sorted(whole) == list(range(52))
        if phase(t) == "discard" and t.to_act == self.other:
            assert int(t.drawn) in hand
            assert self.drawn is None or (self.turned[int(t.drawn)] == self.drawn and int(t.drawn) not in self.known)


def seen(t, seat: int) -> dict[str, list]:
    """The fields of a table without what ``seat`` cannot see."""
    fields = {name: np.array(t[name]).tolist() for name in t.dtype.names if name not in ("stock", "key", "deck", "dice")}
    fields["hands"] = fields["hands"][seat]
    fields["pairs"] = [fields["pairs"][seat], [out for _, out in fields["pairs"][1 - seat]]]
    if phase(t) == "discard" and t.to_act != seat and t.from_stock:
        del fields["drawn"]
    return fields


def keep_going(rules, t, rng: random.Random) -> int:
    """A move that never closes and mostly draws from the stock."""
    actions = sorted(a for a in legal(rules, t) if a < CLOSE or a >= DRAW_STOCK)
    if DRAW_STOCK in actions and rng.random() < 0.8:
        return DRAW_STOCK
    return PASS if PASS in actions else rng.choice(actions)


@pytest.mark.parametrize("hand_size", [3, 10, 13])
@pytest.mark.parametrize("seat", [0, 1])
def test_worlds_fit_what_the_seat_saw_through_three_reshuffles(seat, hand_size):
    rules = make_rules("gin-ru", hand_size=hand_size)
    rng = random.Random(seat)
    t = table(rules, seed=hand_size)
    watcher = Watcher(rules, t, seat)
    reshuffles_met, mid_turn = set(), 0
    while phase(t) != "over":
        watcher.check(t)
        world = t.copy()
        play.resample(rules, world, seat)
        watcher.check(world)
        assert seen(world, seat) == seen(t, seat)
        reshuffles_met.add(watcher.reshuffles)
        mid_turn += watcher.drawn is not None
        watcher.play(keep_going(rules, t, rng))
    assert {0, 1, 2, 3} <= reshuffles_met
    assert mid_turn > 20


def test_a_world_can_be_played_to_its_end():
    rules = make_rules("gin-ru", knock_limit=30)
    for seed in range(count(30)):
        t = table(rules, seed)
        while phase(t) != "over":
            play.resample(rules, t, seed % 2)
            play.apply(rules, t, play.random_action(rules, t))
        assert t.points[0] == -t.points[1]


def test_the_other_worlds_shuffles_and_deals_differ_too():
    rules = make_rules("gin-ru")
    t = table(rules)
    worlds = [t.copy() for _ in range(2)]
    worlds[1].dice += np.uint64(1)
    for world in worlds:
        play.resample(rules, world, 0)
        pass_turns(rules, world, 28)
    assert stock(worlds[0])[3:] != stock(worlds[1])[3:]
    assert len({int(t.key), *(int(w.key) for w in worlds)}) == 3


def assert_as_likely(counts: Counter, weights: dict) -> None:
    """Chi-square: the counts follow the weights."""
    n, whole = counts.total(), sum(weights.values())
    assert counts.keys() <= weights.keys()
    chi2 = sum((counts[k] - n * w / whole) ** 2 / (n * w / whole) for k, w in weights.items())
    dof = len(weights) - 1
    assert abs(chi2 - dof) < 5 * np.sqrt(2 * dof)


def test_every_world_is_as_likely():
    """Three hidden cards and a stock of three: each of 120 worlds."""
    rules = make_rules(hand_size=3)
    t = table(rules)
    pass_turns(rules, t, 42)
    cards = ids(t.hands[1]) | set(stock(t))
    assert len(cards) == 6
    found = Counter()
    for _ in range(count(12_000)):
        play.resample(rules, t, 0)
        found[tuple(stock(t))] += 1
    assert_as_likely(found, dict.fromkeys(permutations(cards, 3), 1))


@pytest.mark.parametrize("reshuffles", [0, 1, 2])
def test_each_place_is_as_likely_for_a_hidden_card(reshuffles):
    """Also for the card just drawn, in the middle of the other's turn."""
    rules = make_rules("gin-ru")
    rng = random.Random(11)
    t = table(rules, seed=4)
    watcher = Watcher(rules, t, 0)
    while watcher.reshuffles < reshuffles or watcher.drawn is None or watcher.hidden[watcher.drawn] < 3:
        watcher.play(keep_going(rules, t, rng))
    number = watcher.drawn
    card = next(c for c in stock(t) if watcher.turned[c] == number)
    places = {"drawn": 1, "hand": watcher.hidden[number] - 1}
    places |= {k: 1 for k, g in enumerate(watcher.stock) if g == number}
    assert places["hand"] >= 2
    found = Counter()
    for _ in range(count(8000, share=4)):
        play.resample(rules, t, 0)
        if card in stock(t):
            found[stock(t).index(card)] += 1
        else:
            found["drawn" if t.drawn == card else "hand"] += 1
    assert_as_likely(found, places)
