"""Choosing by play in sampled worlds: the kernel against a plain-Python twin, its caution, and that it sees nothing hidden."""

import math

import numpy as np
import pytest

from rummy_env.bits import roll
from rummy_env.deck import redraw_future
from rummy_env.envs.chances import win_chances
from rummy_env.envs.tables import SeatView, Tables
from rummy_env.games import act, apply, game_of, imagine
from rummy_env.gin.state import new_state
from rummy_env.monte_carlo import CLEAR, LOOK, MOST_SEARCHED
from rummy_env.reward import CHANCE, NO_CHANCES, POINTS, REWARDS, earned
from rummy_env.rules import make_rules
from rummy_env.state import NOT_ENDED
from tests.blind import met_in_play, other_worlds
from tests.helpers import count, dealt, do


def players(variant: str, *names: str):
    """Numbers int64[m] and parameters float64[m, 4] of policies; by default the game's rollout policies."""
    game = game_of(variant)
    parsed = [game.parse_policy(name) for name in names or (game.policies.ROLLOUT, *game.policies.ROLLOUT_OTHERS)]
    return np.array([number for number, _ in parsed]), np.array([parameters for _, parameters in parsed])


def price_of(reward: int, variant: str):
    return reward, win_chances(variant, make_rules(variant)) if reward == CHANCE else NO_CHANCES


# The twin.


class Candidate:
    """An action and its leads over the first candidate, one a world."""

    def __init__(self, place: int, action: int):
        self.place, self.action, self.leads = place, int(action), []

    @property
    def mean(self) -> float:
        return sum(self.leads) / len(self.leads) if self.leads else 0.0

    @property
    def error(self) -> float:
        """Of the mean; the first candidate's lead over itself has none."""
        n = len(self.leads)
        if n < 2:
            return 1e9
        return math.sqrt(max(sum(x * x for x in self.leads) / n - self.mean**2, 0) / (n - 1))


def is_clear(alive: list[Candidate]) -> bool:
    best = max(alive, key=lambda c: c.mean)
    apart = {c.place: c.error if c.place else 0.0 for c in alive}
    return all(best.mean - c.mean >= CLEAR * (apart[best.place] + apart[c.place]) for c in alive if c is not best)


def played_out(rules, world, action: int, seat: int, own, other, reward: int, chances) -> float:
    trial = world.copy()
    apply(rules, trial, action)
    while trial.ending == NOT_ENDED:
        player = own if trial.to_act == seat else other
        apply(rules, trial, act(*player, rules, trial))
    return earned(rules, trial, seat, reward, chances)


def naive_search(rules, t, actions, worlds: int, caution: float, policies, parameters, reward: int, chances):
    """The twin of `search_tables` for one table: the action chosen, and the mean lead of each candidate."""
    seat, all_candidates = int(t.to_act), [Candidate(k, action) for k, action in enumerate(actions)]
    alive, believed, played = list(all_candidates), t.copy(), 0
    own, *others = zip(policies, parameters)
    halvings = max(1, math.ceil(math.log2(len(alive))))
    while len(alive) > 1 and played < worlds:
        believed.dice = roll(t)
        imagine(rules, believed, seat, played == 0)
        world = believed.copy()
        world.dice = roll(t)
        redraw_future(world)
        other = others[played % len(others)]
        values = [played_out(rules, world, c.action, seat, own, other, reward, chances) for c in alive]
        for candidate, value in zip(alive, values):
            candidate.leads.append(value - values[0])
        played += 1
        if played % LOOK == 0 and is_clear(alive):
            break
        if len(alive) > 2 and played * halvings % worlds < halvings:
            first, *rest = alive
            rest.sort(key=lambda c: -c.mean)
            alive = [first, *rest][: max(2, math.ceil(len(alive) / 2))]
    best = max(alive, key=lambda c: c.mean)
    return (best if best.mean > caution * best.error else alive[0]).action, [c.mean for c in all_candidates]


@pytest.mark.parametrize(
    ("variant", "policy", "reward", "worlds", "caution", "n", "rounds"),
    [
        ("gin-eaai", "swift", CHANCE, 20, 1.0, 3, 10),
        ("gin-eaai", "simple", POINTS, 33, 0.0, 2, 6),
        ("gin-ru", "lookahead", CHANCE, 8, 0.5, 2, 12),
        ("rum500-ru", "greedy500", REWARDS.index("margin"), 6, 1.0, 2, 4),
    ],
)
def test_the_kernel_is_the_twin(variant, policy, reward, worlds, caution, n, rounds):
    given = worlds, caution, *players(variant), *price_of(reward, variant)
    own = game_of(variant).parse_policy(game_of(variant).policies.ROLLOUT)
    searched = changed = 0
    # three rounds are skipped between two that are compared
    for number, tables in enumerate(met_in_play(variant, n, count(4 * rounds, 8), policy, seed=worlds)):
        if number % 4:
            continue
        candidates = tables.view().candidates(*own)
        copies = tables.state.copy()
        actions, values = tables.view().search(candidates, *given)
        for row in range(n):
            known = candidates[row][candidates[row] >= 0]
            action, leads = naive_search(tables.rules, copies[row], known, *given)
            assert values[row, : len(known)] == pytest.approx(leads, abs=1e-7)
            assert not values[row, len(known) :].any()
            assert actions[row] == action
            assert copies.dice[row] == tables.state.dice[row]
            searched += len(known) > 1
            changed += action != known[0]
    assert searched > n * rounds // 4
    assert changed or variant != "gin-eaai" or count(2) != 2


# What it does and does not do.


def searched(tables: Tables, worlds: int, caution: float = 1.0, candidates=None, reward: int = CHANCE):
    """Candidates, actions and values of a search for the rollout policy at some tables."""
    game = tables.game
    if candidates is None:
        candidates = tables.view().candidates(*game.parse_policy(game.policies.ROLLOUT))
    given = *players(tables.variant), *price_of(reward, tables.variant)
    return candidates, *tables.view().search(candidates, worlds, caution, *given)


def test_huge_caution_keeps_the_first_choice_and_none_changes_some():
    kept = changed = 0
    for tables in met_in_play("gin-eaai", 4, count(24, 8), "simple", seed=1):
        candidates, actions, values = searched(tables, 8, caution=1e6)
        sure = values.max(1) <= 0
        kept += (actions == candidates[:, 0]).sum()
        candidates, bold, values = searched(tables, 8, caution=0.0)
        changed += (bold != candidates[:, 0]).sum()
        assert (bold == candidates[:, 0])[values.max(1) <= 0].all()
        assert sure.shape == (4,)
    assert kept == 4 * count(24, 8)
    assert changed > 4 or count(2) != 2


def test_a_single_candidate_is_not_searched():
    tables = Tables(3, "gin-eaai", 4)
    single = np.full((3, MOST_SEARCHED), -1)
    single[:, 0] = tables.masks().argmax(1)
    before = tables.state.copy()
    _, actions, values = searched(tables, 1000, candidates=single)
    assert np.array_equal(actions, single[:, 0])
    assert not values.any()
    assert np.array_equal(before.dice, tables.state.dice)


@pytest.mark.parametrize(("variant", "policy"), [("gin-eaai", "swift"), ("gin-ru", "simple"), ("rum500-ru", "holder")])
def test_hidden_cards_change_neither_choice_nor_values(variant, policy):
    differed, reward = 0, CHANCE if variant != "rum500-ru" else POINTS
    for number, tables in enumerate(met_in_play(variant, 4, count(12, 4), policy, seed=11)):
        world = other_worlds(tables, tables.state.to_act, dice=number)
        differed += int((world.state.hands != tables.state.hands).any(1).sum())
        before = tables.state.copy()
        found = [searched(played, 6, reward=reward) for played in (tables, world)]
        for one, two in zip(*found):
            np.testing.assert_array_equal(one, two)
        for name in before.dtype.names:  # and the tables are as they were
            assert name == "dice" or np.array_equal(before[name], tables.state[name])
    assert differed > 10


def one_table(rules, t):
    state = new_state(1)
    state[0] = t
    state.dice[0] = np.uint64(99)
    return SeatView(rules, state, np.array([0]))


@pytest.mark.parametrize("reward", [POINTS, CHANCE])
def test_gin_in_hand_is_declared(reward):
    """The first choice throws a card of a meld away; of the others one closes with gin."""
    rules = make_rules("gin-eaai")
    t = dealt(rules, "AS 2S 3S 4H 5H 6H 7D 8D 9D TD", upcard="QC", stock="KC")
    do(rules, t, "pass", "pass", "draw stock")
    actions = game_of("gin-eaai").actions
    names = ("discard AS", "discard KC", "discard 4H", "knock, TD aside", "knock, KC aside")
    candidates = np.full((1, MOST_SEARCHED), -1)
    candidates[0, : len(names)] = [actions.parse_action(name) for name in names]
    given = *players("gin-eaai"), *price_of(reward, "gin-eaai")
    chosen, values = one_table(rules, t).search(candidates, 64, 1.0, *given)
    assert actions.action_name(int(chosen[0])) == "knock, KC aside"
    assert values[0].argmax() == 4
    assert values[0, 4] > 5
