"""The observation against its plain twin, slice by slice, and that nothing hidden reaches it or a scripted policy."""

import random

import numpy as np
import pytest

from rummy_env.envs.spaces import observation_space
from rummy_env.envs.tables import Tables
from rummy_env.games import GAMES
from rummy_env.gin.observe import BITS_WORDS, OBS_SIZE, OBS_SPEC, PRIVILEGED_SIZE, PRIVILEGED_SPEC, obs_slice
from rummy_env.gin.policies import POLICIES
from rummy_env.rules import GIN_BOOK, GinRules, make_rules
from tests import naive_observe
from tests.blind import assert_agent_blind, met_in_play, other_worlds
from tests.helpers import JIT, count
from tests.test_twin import Pair, choose


def test_slices_are_disjoint_and_cover_everything() -> None:
    for spec, size in ((OBS_SPEC, OBS_SIZE), (PRIVILEGED_SPEC, PRIVILEGED_SIZE)):
        covered = [i for part in spec for i in range(part.start, part.stop)]
        assert covered == list(range(size))
        assert len({part.name for part in spec}) == len(spec)
        assert all(part.meaning and part.scale > 0 for part in spec)
    assert obs_slice("upcard") == slice(5 * 52, 6 * 52)
    with pytest.raises(KeyError, match="no observation slice 'hands'"):
        obs_slice("hands")


def compare(pair: Pair, tables: Tables) -> None:
    """Both seats' observations of a table, each slice by its name, and the words."""
    tables.state[0] = pair.t
    space = observation_space(GAMES["gin"], privileged=True)
    for seat in range(2):
        obs, _ = tables.observe(seat, privileged=True)
        assert space.contains(obs[0])
        public = naive_observe.observation(pair.twin_rules, pair.deal, pair.match, seat)
        assert list(public) == [part.name for part in OBS_SPEC]
        check_slices(obs[0, :OBS_SIZE], OBS_SPEC, public)
        secret = naive_observe.privileged(pair.twin_rules, pair.deal, seat)
        assert list(secret) == [part.name for part in PRIVILEGED_SPEC]
        check_slices(obs[0, OBS_SIZE:], PRIVILEGED_SPEC, secret)
        words, _ = tables.observe_bits(seat)
        assert dict(zip(BITS_WORDS, words[0].tolist())) == dict(
            zip(BITS_WORDS, naive_observe.words(pair.deal, pair.match, seat))
        )


def check_slices(obs: np.ndarray, spec, expected: dict) -> None:
    for part in spec:
        values = expected[part.name]
        allowed = values if isinstance(values, set) else {values}
        found = obs[part.start : part.stop]
        assert any(np.allclose(found, value, atol=1e-6) for value in allowed), (part.name, found, allowed)


def play_and_compare(rules: GinRules, deals: int, seed: int) -> set[str]:
    rng, pair = random.Random(seed), Pair(rules, seed)
    tables, phases = Tables(1), set()
    tables.rules = rules
    for _ in range(deals):
        while pair.deal.phase != "over":
            phases.add(pair.deal.phase)
            if rng.random() < 0.4:
                compare(pair, tables)
            pair.play(choose(pair.deal, rng))
        pair.ending = int(pair.t.ending)
        pair.next_deal()
    return phases


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
def test_every_slice_is_what_it_says(variant: str) -> None:
    phases = play_and_compare(make_rules(variant), 4 if JIT else 1, seed=21)
    assert {"first_offer", "second_offer", "draw", "discard"} <= phases


@pytest.mark.parametrize(
    ("settings", "phase"),
    [
        ({"variant": "gin-ru", "hand_size": 13, "knock_limit": 0, "max_turns": 60}, "draw"),
        ({"variant": "gin-openspiel", "knock_limit": 0, "hand_size": 12}, "last_knock"),
        ({"hand_size": 4, "big_gin_bonus": 31, "target": 30}, "discard"),
    ],
)
def test_slices_under_other_settings(settings: dict, phase: str) -> None:
    settings = dict(settings)
    rules = make_rules(settings.pop("variant", "gin-es"), **settings)
    assert phase in play_and_compare(rules, 4 if JIT or phase == "last_knock" else 1, seed=5)


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
def test_hidden_cards_change_no_observation(variant: str) -> None:
    differed = 0
    for number, tables in enumerate(met_in_play(variant, count(16), count(60, 4), policy="novice", seed=2)):
        for seat in range(2):
            seats = np.full(len(tables), seat)
            world = other_worlds(tables, seats, dice=number)
            differed += int((world.state.hands[:, 1 - seat] != tables.state.hands[:, 1 - seat]).sum())
            assert np.array_equal(tables.observe(seats)[0], world.observe(seats)[0])
            assert np.array_equal(tables.observe_bits(seats)[0], world.observe_bits(seats)[0])
            to_act = np.flatnonzero(tables.state.to_act == seat)
            assert np.array_equal(tables.masks(to_act), world.masks(to_act))
            seen = tables.observe(seats, privileged=True)[0] != world.observe(seats, privileged=True)[0]
            assert not seen[:, :OBS_SIZE].any()
    assert differed > count(600)


def test_the_knocker_sees_nothing_of_the_defender_before_the_showdown() -> None:
    """Up to the close, and in the observation that the close itself leaves, other hands of the defender show nothing."""
    for tables in met_in_play("gin-es", count(64, 8), 40, policy="simple", seed=5):
        masks = tables.masks()
        rows = np.flatnonzero(masks[:, 52:104].any(1))
        if not len(rows):
            continue
        seats = tables.state.to_act.copy()
        world = other_worlds(tables, seats, dice=1)
        actions = 52 + masks[rows, 52:104].argmax(1)
        for played in (tables, world):
            played.step(actions, rows)
        assert tables.over[rows].all()
        assert np.array_equal(tables.observe(seats)[0][rows], world.observe(seats)[0][rows])
        assert (tables.state.points[rows] != world.state.points[rows]).any()
        return
    pytest.fail("nobody could close")


class Scripted:
    def __init__(self, text: str):
        self.policy = GAMES["gin"].parse_policy(text)

    def act(self, obs, mask, view, rng):
        return view.scripted(*self.policy)


class Cheat:
    """Looks at the stock: what the test must catch."""

    def act(self, obs, mask, view, rng):
        state = view._state[view._rows]
        return state.stock[np.arange(len(state)), state.stock_at].astype(np.int64)


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
@pytest.mark.parametrize("policy", [*POLICIES, "greedy:knock=4,safe=6", "lookahead:early=9"])
def test_hidden_cards_change_no_action(variant: str, policy: str) -> None:
    assert assert_agent_blind(Scripted(policy), variant, count(16), count(24, 4)) > count(150)


def test_sampled_worlds_are_blind_too() -> None:
    class Sampler:
        def act(self, obs, mask, view, rng):
            world = view.sample_worlds(rng)
            return (world.hands.sum(1) ^ world.stock[:, 51].astype(np.uint64)).astype(np.int64)

    assert_agent_blind(Sampler(), "gin-ru", count(16), count(30, 4))


def test_a_cheat_is_caught() -> None:
    with pytest.raises(AssertionError):
        assert_agent_blind(Cheat(), "gin-es", 8, 8)
