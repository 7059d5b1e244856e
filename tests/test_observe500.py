"""The observation of 500 Rum against its plain twin, slice by slice, from every seat; what is hidden stays hidden."""

import random

import numpy as np
import pytest

from rummy_env.rules import Rum500Rules, describe, make_rules, settings_in_words
from rummy_env.rum500.match import settle
from rummy_env.rum500.observe import (
    BITS_WORDS,
    OBS_SIZE,
    OBS_SPEC,
    PRIVILEGED_SIZE,
    PRIVILEGED_SPEC,
    obs_slice,
    observe,
    observe_bits,
    observe_privileged,
)
from rummy_env.rum500.outlook import OUTLOOK_SIZE, OUTLOOK_SPEC, write_outlook
from rummy_env.rum500.play import apply, resample
from rummy_env.rum500.state import PLAY
from tests import naive_observe500 as naive
from tests.helpers import JIT, count
from tests.helpers500 import VARIANTS500, Pair, choose, legal, random_rules, table, written
from tests.naive500 import total
from tests.naive500_solver import best_packing


def seen_by(rules: Rum500Rules, t, seat: int) -> dict[str, np.ndarray]:
    """All that is written for a seat."""
    sizes = {"observation": OBS_SIZE, "privileged": PRIVILEGED_SIZE, "outlook": OUTLOOK_SIZE}
    found = {name: np.full(size, np.nan, np.float32) for name, size in sizes.items()}
    found["words"] = np.full(len(BITS_WORDS), 3, np.uint64)
    observe(rules, t, seat, found["observation"])
    observe_privileged(rules, t, seat, found["privileged"])
    write_outlook(rules, t, seat, found["outlook"])
    observe_bits(rules, t, seat, found["words"])
    return found


def slices(spec, values: np.ndarray) -> dict[str, np.ndarray]:
    """An array cut into its slices, each within its bounds."""
    first = spec[0].start
    found = {part.name: values[part.start - first : part.stop - first] for part in spec}
    for part in spec:
        assert (found[part.name] >= part.least).all(), part.name
        assert (found[part.name] <= part.most).all(), part.name
    return found


def compare(pair: Pair, seat: int) -> None:
    """Every slice of what a seat sees, and the words."""
    seen = naive.Seen(settings_in_words(pair.rules), pair.deal, seat, pair.t.scores.tolist(), int(pair.t.match_deals))
    found = seen_by(pair.rules, pair.t, seat)
    public, secret = slices(OBS_SPEC, found["observation"]), slices(PRIVILEGED_SPEC, found["privileged"])
    expected, hidden = naive.observation(seen), naive.privileged(seen)
    assert (list(public), list(secret)) == (list(expected), list(hidden))
    for name, values in expected.items():
        assert values is None or np.allclose(public[name], values, atol=1e-5), (name, public[name], values)
    for name, values in hidden.items():
        assert np.allclose(secret[name], values, atol=1e-5), (name, secret[name], values)
    action = round(float(public["lay_action"][0]) * 1400)
    naive.check_lay(seen, public["lay"], public["lay_points"], public["lay_cards"], action)
    assert dict(zip(BITS_WORDS, found["words"].tolist())) == dict(zip(BITS_WORDS, naive.words(seen)))
    compare_outlook(seen, slices(OUTLOOK_SPEC, found["outlook"]))


def compare_outlook(seen: naive.Seen, found: dict[str, np.ndarray]) -> None:
    """What each usable card of the row would bring, and leave, as the meanings say."""
    row, mine = seen.deal.row, seen.deal.phase == "draw" and seen.deal.to_act == seen.seat
    keep = int(seen.rules.go_out == "discard")
    for c in range(54):
        if not (mine and c in row and naive.usable(seen, c)):
            assert (found["take_points"][c], found["take_left"][c]) == (0, 0)
            continue
        held = seen.hand | set(row[row.index(c) :])
        best = best_packing(held, seen.deal.melds, seen.words, keep)
        assert found["take_points"][c] * 50 == pytest.approx(best, abs=1e-3)
        low_aces = [14 * n for n in range(5)] if seen.rules.ace_value == "15_or_1_low" else [0]
        left = total(seen.rules, held) - best
        assert min(abs(found["take_left"][c] * 50 - (left - less)) for less in low_aces) < 1e-3


def put_match(rng: random.Random, pair: Pair) -> None:
    """A match of some deals around the table."""
    n = pair.rules.num_players
    pair.t.scores[:n], pair.t.match_deals = [rng.randint(-300, 600) for _ in range(n)], rng.randint(0, 2)


def play_and_compare(rules: Rum500Rules, seed: int, share: float = 0.12) -> set[str]:
    rng, pair = random.Random(seed), Pair.dealt(rules, seed)
    put_match(rng, pair)
    while pair.deal.phase != "over":
        if rng.random() < share:
            compare(pair, rng.randrange(rules.num_players))
            compare(pair, pair.deal.to_act)
        pair.play(choose(rng, pair.legal))
    compare(pair, rng.randrange(rules.num_players))
    return {name for name in pair.met if pair.met[name]}


def test_slices_are_disjoint_and_cover_everything() -> None:
    for spec, first, size in (
        (OBS_SPEC, 0, OBS_SIZE),
        (PRIVILEGED_SPEC, 0, PRIVILEGED_SIZE),
        (OUTLOOK_SPEC, OBS_SIZE, OUTLOOK_SIZE),
    ):
        assert [i for part in spec for i in range(part.start, part.stop)] == list(range(first, first + size))
        assert len({part.name for part in spec}) == len(spec)
        assert all(part.meaning and part.scale > 0 and part.least <= 0 < part.most for part in spec)
    assert obs_slice("row") == slice(54, 108)
    with pytest.raises(KeyError, match="no observation slice 'pile'"):
        obs_slice("pile")


@pytest.mark.parametrize("variant", VARIANTS500)
def test_every_slice_is_what_it_says(variant: str) -> None:
    for seed in range(count(3)):
        play_and_compare(make_rules(variant), seed)


def check_random_rules(seed: int) -> set[str]:
    wild = {"jokers": 2, "max_jokers_per_meld": 2} if seed % 4 == 1 else {}
    rules = random_rules(random.Random(seed), max_turns=20 if seed % 3 else 60, **wild)
    try:
        return play_and_compare(rules, seed)
    except AssertionError as wrong:
        wrong.add_note(f"seed {seed}, {describe('rum500-ru', rules)}")
        raise


def test_every_slice_under_random_settings() -> None:
    met = set().union(*(check_random_rules(seed) for seed in range(count(20))))
    assert not JIT or {"reshuffled", "two jokers in a meld", "corner run", "swap", "set owed", "discard barred"} <= met


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_every_slice_under_random_settings_long(block: int) -> None:
    for seed in range(1000 + 30 * block, 1000 + 30 * block + count(30)):
        check_random_rules(seed)


# Seats are relative.

BY_SEAT = ("hands", "known", "discards", "scores", "points", "credit", "wins")
SEATS = ("to_act", "starter", "closer")


def turned(rules: Rum500Rules, t, by: int):
    """The same table with every player ``by`` seats further on."""
    other, n = t.copy(), rules.num_players
    for name in BY_SEAT:
        other[name][:n] = np.roll(t[name][:n], by)
    for name in SEATS:
        other[name] = (int(t[name]) + by) % n if t[name] != 255 else 255
    other.joker_by = [(by + int(seat)) % n if seat != 255 else 255 for seat in t.joker_by]
    return other


def met_in_play(rules: Rum500Rules, seed: int, share: float = 0.1):
    """Tables met in random play by the engine alone."""
    rng, t = random.Random(seed), table(rules, seed)
    while actions := legal(rules, t):
        if rng.random() < share:
            yield t
        apply(rules, t, choose(rng, actions))
    settle(rules, t)
    yield t


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_every_seat_sees_alike(players: int) -> None:
    for seed in range(count(8)):
        rules = random_rules(random.Random(seed), num_players=players, hand_size=5 + seed % 3)
        for t in met_in_play(rules, seed):
            by = 1 + seed % (players - 1) if players > 2 else 1
            for seat in range(players):
                here, there = seen_by(rules, t, seat), seen_by(rules, turned(rules, t, by), (seat + by) % players)
                assert all(np.array_equal(here[name], there[name]) for name in here)


# What is hidden.


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_hidden_cards_change_nothing_that_is_seen(players: int) -> None:
    differed = told = 0
    for seed in range(count(12)):
        rules = random_rules(random.Random(seed), num_players=players, hand_size=5 + seed % 4)
        for t in met_in_play(rules, seed, share=0.3):
            for seat in {int(t.to_act), seed % players}:
                world = t.copy()
                resample(rules, world, seat)
                here, there = seen_by(rules, t, seat), seen_by(rules, world, seat)
                assert all(np.array_equal(here[name], there[name]) for name in ("observation", "words", "outlook"))
                assert t.to_act != seat or legal(rules, t) == legal(rules, world)
                differed += (t.hands != world.hands).any()
                told += not np.array_equal(here["privileged"], there["privileged"])
    assert differed == told > count(100)


def test_the_points_left_are_those_of_the_cards_left() -> None:
    rules, t = written("AS 2S 3S 9D", "3H", ace_value="15_or_1_low")
    t.phase = PLAY
    found = slices(OBS_SPEC, seen_by(rules, t, 0)["observation"])
    assert found["lay_points"] * 50 == pytest.approx([6, 9])
