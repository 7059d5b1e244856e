"""Whole games, engine and twin in lock-step: the same legal actions, the same tables and the same points throughout."""

import random

import pytest

from rummy_env import match
from rummy_env.gin import play
from rummy_env.gin.actions import CLOSE, DRAW_STOCK, TAKE_UPCARD
from rummy_env.gin.showdown import lay_down
from rummy_env.gin.state import ENDINGS, MEMORY, NO_CARD
from rummy_env.rules import GIN_BOOK, GIN_SETTINGS, GinRules, RulesError, describe, make_rules, settings_in_words
from tests import naive
from tests.helpers import ALL_ACTIONS, count, hands_of, ids, legal, mask, phase, rich_hands, stock, table
from tests.naive_game import Deal, Match


def card_or_none(card: int) -> int | None:
    return None if card == NO_CARD else int(card)


class Pair:
    """A table of the engine and its twin, moved together and compared after every move."""

    def __init__(self, rules: GinRules, seed: int):
        self.rules, self.t = rules, table(rules, seed)
        self.twin_rules = naive.read(settings_in_words(rules))
        self.match = Match(self.twin_rules)
        self.begin()

    def begin(self) -> None:
        t = self.t
        self.deal = Deal(self.twin_rules, t.stock.tolist(), int(t.starter), self.turn_over)
        self.compare()

    def turn_over(self, turned: set[int]) -> list[int]:
        """The engine's order of the cards turned over, below those that stayed in the stock."""
        order = stock(self.t)[len(self.deal.stock) :]
        assert set(order) == turned
        return order

    def play(self, action: int) -> None:
        play.apply(self.rules, self.t, action)
        self.deal.play(action)
        self.compare()

    def compare(self) -> None:
        t, deal = self.t, self.deal
        assert deal.is_whole()
        assert [ids(h) for h in t.hands] == deal.hands
        assert (ids(t.pile), card_or_none(t.upcard)) == (set(deal.pile), self.expected_upcard())
        assert stock(t) == deal.stock
        assert (phase(t), t.turn, t.opening, t.starter) == (deal.phase, sum(deal.turns), deal.opening, deal.starter)
        assert t.turns.tolist() == deal.turns
        assert t.takes.tolist() == deal.takes
        assert legal(self.rules, t) == deal.legal()
        if deal.phase == "over":
            self.compare_end()
        else:
            self.compare_going_on()

    def expected_upcard(self) -> int | None:
        """The last discard; after it was taken there is none until the next."""
        taken = self.deal.drawn is not None and not self.deal.from_stock
        closed_on_it = self.deal.ending == "closed" and self.deal.drawn is None
        return None if taken or closed_on_it else self.deal.pile[-1]

    def compare_going_on(self) -> None:
        t, deal = self.t, self.deal
        assert deal.legal()
        assert (t.to_act, ENDINGS[t.ending], t.rethrows) == (deal.to_act, "none", deal.rethrows)
        assert (card_or_none(t.closer), card_or_none(t.aside)) == (None, None)
        for name in ("known", "discards", "declined"):
            assert [ids(m) for m in t[name]] == getattr(deal, name), name
        turned = [set(), set(), *deal.reshuffles]
        assert (ids(t.reshuffled), ids(t.earlier)) == (turned[-1], turned[-2] - turned[-1])
        assert card_or_none(t.drawn) == deal.drawn
        if deal.drawn is not None:
            assert t.from_stock == deal.from_stock
        for seat in (0, 1):
            for turn, pair in list(enumerate(deal.pairs[seat]))[-MEMORY:]:
                assert tuple(t.pairs[seat, turn % MEMORY]) == pair

    def compare_end(self) -> None:
        t, deal = self.t, self.deal
        assert (card_or_none(t.closer), card_or_none(t.aside)) == (deal.closer, deal.aside)
        assert t.points[0] == -t.points[1]
        if deal.closer is None:
            assert (ENDINGS[t.ending], t.points.tolist()) == (deal.ending, [0, 0])
            return
        end = (int(t.deadwood[deal.closer]), int(t.deadwood[1 - deal.closer]))
        assert deal.results.get(end) == (ENDINGS[t.ending], t.points[deal.closer])

    def next_deal(self) -> None:
        """Scores the deal and deals the next, or a new match."""
        t, points, starter = self.t, int(self.t.points[0]), int(self.t.starter)
        self.match.add(points)
        winner = int(match.settle(self.rules, t))
        assert (t.scores.tolist(), t.wins.tolist()) == (self.match.scores, self.match.wins)
        assert winner == (-1 if self.match.winner is None else self.match.winner)
        if winner >= 0:
            match.start_match(self.rules, t)
            self.match = Match(self.twin_rules)
            assert (t.scores.tolist(), t.wins.tolist(), t.match_deals) == ([0, 0], [0, 0], 0)
        else:
            match.next_deal(self.rules, t)
            assert t.starter == self.match.next_starter(starter, ENDINGS[self.ending], points)
        self.begin()


def choose(deal: Deal, rng: random.Random) -> int:
    """A legal action: at random, but often a close or a sensible discard, so that deals end in showdowns."""
    actions = sorted(deal.legal())
    closes = [a for a in actions if CLOSE <= a < DRAW_STOCK or a > TAKE_UPCARD + 1]
    if closes and rng.random() < 0.5:
        return rng.choice(closes)
    hand = frozenset(deal.hands[deal.to_act])
    if TAKE_UPCARD in actions and rng.random() < 0.6:
        helps = naive.best_discards(hand | {deal.pile[-1]})[1] < naive.deadwood(hand)
        return TAKE_UPCARD if helps else actions[0] if actions[0] != TAKE_UPCARD else actions[-1]
    outs = [a for a in actions if a < CLOSE]
    if outs and rng.random() < 0.8:
        return min(outs, key=lambda c: (naive.deadwood(hand - {c}), -naive.value(c), c))
    return rng.choice(actions)


def play_deals(rules: GinRules, n: int, seed: int) -> list[str]:
    """How ``n`` deals ended that engine and twin played in lock-step."""
    rng, pair, endings = random.Random(seed), Pair(rules, seed), []
    for _ in range(n):
        while pair.deal.phase != "over":
            pair.play(choose(pair.deal, rng))
        pair.ending = int(pair.t.ending)
        endings.append(ENDINGS[pair.ending])
        pair.next_deal()
    return endings


def random_rules(rng: random.Random) -> GinRules:
    """A variant with random settings, small hands and short deals among them."""
    sizes = {"hand_size": range(3, 14), "knock_limit": (0, 3, 10, 25), "max_turns": (6, 30, 200), "max_takes": (0, 1, 8)}
    bonuses = {name: (0, 7, 25) for name in GIN_SETTINGS if name.endswith("bonus") or name == "shutout"}
    values = {name: range(max(len(s.choices), 2)) for name, s in GIN_SETTINGS.items()}
    values |= sizes | bonuses | {"target": (20, 60)}
    while True:
        chosen = {name: rng.choice(values[name]) for name in GIN_SETTINGS if rng.random() < 0.4}
        try:
            return make_rules(rng.choice(list(GIN_BOOK.variants)), **chosen)
        except RulesError:
            continue


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
def test_deals_of_every_variant(variant):
    play_deals(make_rules(variant, target=40), count(40), seed=1)


THEMES = {  # settings under which rare endings are common
    "big_gin": {"hand_size": 5, "knock_limit": 0, "big_gin_bonus": 31},
    "gin": {"variant": "gin-ru", "hand_size": 7, "knock_limit": 0},
    "undercut": {"hand_size": 4, "knock_limit": 25, "layoff_by": "both", "undercut_on_tie": True},
    "dead": {"variant": "gin-openspiel", "hand_size": 13, "knock_limit": 3},
    "capped": {"variant": "gin-ru", "hand_size": 13, "knock_limit": 0, "max_turns": 90},
}


@pytest.mark.parametrize("ending", THEMES)
def test_rare_endings(ending):
    assert ending in play_deals(make_rules(**THEMES[ending]), count(20, share=4), seed=3)


def check_random_rules(seed: int) -> None:
    rules = random_rules(random.Random(seed))
    try:
        play_deals(rules, 5, seed)
    except AssertionError as wrong:
        wrong.add_note(f"seed {seed}, {describe('gin-es', rules)}")
        raise


@pytest.mark.parametrize("seed", range(count(60)))
def test_deals_under_random_settings(seed):
    check_random_rules(seed)


@pytest.mark.slow
@pytest.mark.parametrize("variant", GIN_BOOK.variants)
def test_deals_of_every_variant_long(variant):
    play_deals(make_rules(variant), count(600), seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_deals_under_random_settings_long(block):
    for seed in range(1000 + 50 * block, 1000 + 50 * block + count(50)):
        check_random_rules(seed)


SHOWDOWNS = {
    "defender": {},
    "both": {"layoff_by": "both"},
    "nobody": {"layoff_by": "nobody"},
    "greedy": {"layoff_choice": "greedy"},
    "on gin": {"layoff_on_gin": True, "layoff_by": "both"},
}


def check_showdown(rules: GinRules, knocker: frozenset[int], defender: frozenset[int]) -> None:
    """The points are the twin's, and the cards shown add up to them."""
    shown = lay_down(rules, mask(knocker), mask(defender))
    expected = naive.showdown(naive.read(settings_in_words(rules)), knocker, defender)
    assert (shown.knocker_points, shown.defender_points) in expected
    sets = [ids(shown.knocker_sets), ids(shown.defender_sets)]
    runs = [ids(shown.knocker_runs), ids(shown.defender_runs)]
    melds = [tuple(melds_shown(s, r)) for s, r in zip(sets, runs)]
    assert all(naive.is_meld(m) for side in melds for m in side)
    laid = [ids(shown.knocker_laid), ids(shown.defender_laid)]
    assert laid[1] in naive.layoffs(melds[0], defender)
    assert laid[0] in naive.layoffs(melds[1], knocker)
    for hand, k, points in ((knocker, 0, shown.knocker_points), (defender, 1, shown.defender_points)):
        assert sum(map(len, (sets[k], runs[k], laid[k]))) == len(sets[k] | runs[k] | laid[k])
        assert sets[k] | runs[k] | laid[k] <= hand
        assert naive.total(hand - sets[k] - runs[k] - laid[k]) == points


def melds_shown(sets: frozenset[int], runs: frozenset[int]) -> list[frozenset[int]]:
    by_rank = [frozenset(c for c in sets if naive.rank(c) == r) for r in range(13)]
    return [m for m in by_rank if m] + naive.runs_of(runs)


def check_showdowns(rules: GinRules, n: int, seed: int) -> None:
    """Hands cut from one rich lot of cards, so that melds meet and compete."""
    for i, lot in enumerate(rich_hands(n, 16, seed) + hands_of(n // 4, 18, seed)):
        order = sorted(lot)
        random.Random(i).shuffle(order)
        half = len(order) // 2
        check_showdown(rules, frozenset(order[:half]), frozenset(order[half:]))


@pytest.mark.parametrize("name", SHOWDOWNS)
def test_showdowns(name):
    check_showdowns(make_rules(**SHOWDOWNS[name]), count(100), seed=5)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOWDOWNS)
def test_showdowns_long(name):
    check_showdowns(make_rules(**SHOWDOWNS[name]), count(3000), seed=6)


def test_is_legal_and_pick_follow_the_legal_words():
    rules = make_rules("gin-standard", big_gin_bonus=31)
    pair, rng = Pair(rules, seed=9), random.Random(9)
    for _ in range(count(150)):
        actions = sorted(legal(rules, pair.t))
        assert [a for a in ALL_ACTIONS if play.is_legal(rules, pair.t, a)] == actions
        words = play.legal(rules, pair.t)
        assert [int(play.pick(*words, n)) for n in range(len(actions))] == actions
        assert int(play.random_action(rules, pair.t)) in actions
        pair.play(choose(pair.deal, rng))
        if pair.deal.phase == "over":
            pair.ending = int(pair.t.ending)
            pair.next_deal()
