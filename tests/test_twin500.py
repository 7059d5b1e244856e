"""Whole games of 500 Rum, engine and twin in lock-step: the same legal actions, the same tables and points throughout."""

import random
from collections import Counter

import pytest

from rummy_env.rules import Rum500Rules, describe, make_rules, settings_in_words
from rummy_env.rum500 import match, play
from tests.helpers import JIT, count
from tests.helpers500 import VARIANTS500, Pair, choose, is_whole, legal, random_rules, table
from tests.naive500_game import NaiveMatch

#: What random play under random settings must have met.
RARE = [
    *(f"{kind} with {jokers} jokers" for kind in ("set", "run") for jokers in range(3)),
    *(f"lay off {what} {where}" for what in ("card", "joker") for where in ("set", "high", "low")),
    *("take", "swap", "rebind up", "rebind down", "pass"),
    *("set owed", "run owed", "lay off owed", "swap owed", "rebind owed"),
    *("set barred", "run barred", "lay off barred", "swap barred", "discard barred"),
    *("two jokers in a meld", "corner run", "reshuffled", "out by a lay"),
    *("end out", "end stock_out", "end capped"),
]


def play_deals(rules: Rum500Rules, n: int, seed: int) -> Counter:
    """What ``n`` deals met that engine and twin played in lock-step, match after match."""
    rng, met = random.Random(seed), Counter()
    pair = Pair.dealt(rules, seed)
    scores = NaiveMatch(settings_in_words(rules), int(pair.t.starter))
    for _ in range(n):
        eager = rng.choice((0.2, 0.7))
        while pair.deal.phase != "over":
            pair.play(choose(rng, pair.legal, eager))
        met += pair.met
        scores.add(pair.deal.points())
        winner = int(match.settle(rules, pair.t))
        assert winner == (-1 if scores.winner is None else scores.winner)
        assert (pair.t.scores.tolist(), pair.t.wins.tolist()) == (seats(scores.scores), seats(scores.wins))
        if winner >= 0:
            break
        assert match.next_starter(rules, pair.t) == scores.starter
        play.deal(rules, pair.t, scores.starter)
        pair = Pair.of_pack(rules, pair.t)
    return met


def seats(values: list[int]) -> list[int]:
    return values + [0] * (6 - len(values))


def check_random_rules(seed: int, **fixed) -> Counter:
    rules = random_rules(random.Random(seed), **fixed)
    try:
        return play_deals(rules, 2, seed)
    except AssertionError as wrong:
        wrong.add_note(f"seed {seed}, {describe('rum500-ru', rules)}")
        raise


@pytest.mark.parametrize("variant", VARIANTS500)
@pytest.mark.parametrize("seed", range(3))
def test_deals_of_every_variant(variant, seed):
    play_deals(make_rules(variant), 2, seed)


THEMES = (  # settings under which what is rare is met more often
    {"num_players": 2, "hand_size": 3, "go_out": "discard_optional", "jokers": 2, "max_jokers_per_meld": 2},
    {"num_players": 3, "row_use": "always", "joker_rebind": True, "jokers": 2, "max_jokers_per_meld": 2},
    {"stock_end": "row_or_end"},
    {},
)


def test_deals_under_random_settings():
    met = Counter()
    for seed in range(count(60)):
        met += check_random_rules(seed, **THEMES[seed % 4], max_turns=(20, 80)[seed % 5 == 0])
    assert not JIT or not [name for name in RARE if not met[name]]


def test_every_card_lies_in_one_place_throughout():
    for seed in range(count(60)):
        rng, rules = random.Random(seed), random_rules(random.Random(seed), max_turns=60)
        t = table(rules, seed)
        while actions := legal(rules, t):
            play.apply(rules, t, choose(rng, actions))
            assert is_whole(rules, t), seed


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_deals_under_random_settings_long(block):
    for seed in range(1000 + 50 * block, 1000 + 50 * block + count(50)):
        check_random_rules(seed)
