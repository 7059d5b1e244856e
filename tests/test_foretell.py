"""What a critic in training is foretold: how the deal would end if scripted policies played on, and where that is refused."""

import gymnasium as gym
import numpy as np
import pytest

import rummy_env.envs
from agents.scripted import ScriptedAgent
from rummy_env.envs.learner import POINTS_PER_REWARD, LearnerTables
from rummy_env.envs.spaces import MOST_FORETOLD, spaces_of
from rummy_env.errors import PolicyError
from rummy_env.games import act, apply
from rummy_env.reward import REWARDS, earned
from rummy_env.state import NOT_ENDED
from tests.helpers import count

assert rummy_env.envs


def told(learner: LearnerTables, row: int, foretold: tuple[str, ...]) -> list[float]:
    """The twin: a table played on in a Python loop, once for each foretold policy."""
    tables, seat, found = learner.tables, int(learner.learners[row]), []
    parse, quick = tables.game.parse_policy, tables.game.policies.QUICK
    for name in foretold:
        t = tables.state[row].copy()
        if t.ending != NOT_ENDED:
            found.append(0.0)
            continue
        while t.ending == NOT_ENDED:
            opponent = learner.opponents[learner.opponent[row, t.to_act]]
            opponent = quick.get(opponent, opponent) if isinstance(opponent, str) else foretold[0]
            player = name if t.to_act == seat else opponent
            apply(tables.rules, t, act(*parse(player), tables.rules, t))
        found.append(earned(tables.rules, t, seat, learner.reward, learner.chances) / POINTS_PER_REWARD)
    return found


@pytest.mark.parametrize(
    ("variant", "opponents", "foretold", "options"),
    [
        ("gin-es", ["simple", "greedy"], ("swift", "random", "greedy:knock=3"), {}),
        ("gin-eaai", [ScriptedAgent("novice", "gin-eaai"), "lookahead"], ("greedy", "swift"), {"reward": "chance"}),
        ("gin-ru", "simple", ("swift",), {"episode": "match", "obs": "outlook", "privileged": True}),
        ("rum500-ru", ["layer", ScriptedAgent("holder", "rum500-ru")], ("greedy500", "holder"), {"reward": "margin"}),
    ],
)
def test_the_deal_as_it_lies_is_played_on(variant, opponents, foretold, options):
    n = 8
    learner = LearnerTables(n, variant, 3, opponents=opponents, foretold=foretold, **options)
    bare = LearnerTables(1, variant, 3, **{key: value for key, value in options.items() if key in ("obs", "privileged")})
    width, rng, seen = bare.observe()[0].shape[1], np.random.default_rng(0), set()
    for _ in range(count(12, 4)):
        before = learner.tables.state.copy()
        obs, masks = learner.observe()
        assert obs.shape == (n, width + len(foretold))
        assert obs.dtype == np.float32
        for row in range(n):
            assert obs[row, width:] == pytest.approx(told(learner, row, foretold), abs=1e-5)
        seen |= set(np.round(obs[:, width:], 3).ravel().tolist())
        assert all(np.array_equal(before[name], learner.tables.state[name]) for name in before.dtype.names)
        some = np.array([5, 2])
        assert np.array_equal(learner.observe(some)[0], obs[some])
        outcome = learner.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
        done = np.flatnonzero(outcome.terminations | outcome.truncations)
        if len(done):
            learner.reset(rows=done)
    assert len(seen) > 10 or count(2) != 2


def test_nothing_is_foretold_where_the_deal_is_over():
    learner = LearnerTables(16, "gin-es", 1, opponents="simple", foretold=("swift", "greedy"))
    number, parameters = learner.tables.game.parse_policy("simple")
    over = np.zeros(16, bool)
    while not over.any():
        outcome = learner.step(learner.tables.view().scripted(number, parameters))
        over = outcome.terminations | outcome.truncations
    obs = learner.observe()[0]
    assert not obs[over, -2:].any()
    assert obs[~over, -2:].any()


def test_threads_foretell_the_same():
    one, two = (LearnerTables(16, "gin-ru", 4, foretold=("swift", "simple"), threads=k).observe()[0] for k in (1, 2))
    assert np.array_equal(one, two)


@pytest.mark.parametrize("obs", ["float", "outlook"])
def test_spaces_have_a_number_for_each_policy(obs):
    learner = LearnerTables(4, "gin-es", 1, obs=obs, privileged=True, foretold=("swift", "greedy"))
    space, _ = spaces_of(learner)
    plain, _ = spaces_of(LearnerTables(4, "gin-es", 1, obs=obs, privileged=True))
    assert space.shape == (plain.shape[0] + 2,)
    assert space.high[-2:].tolist() == [MOST_FORETOLD] * 2
    assert all(space.contains(row) for row in learner.observe()[0])


def test_environments_take_it_too():
    env = gym.make("rummy/GinEs-v0", foretold=("swift",))
    obs, _ = env.reset(seed=1)
    assert env.observation_space.contains(obs)
    assert obs.shape == (gym.make("rummy/GinEs-v0").observation_space.shape[0] + 1,)
    vector = gym.make_vec("rummy/GinEs-v0", 3, foretold=("swift", "greedy"))
    obs, _ = vector.reset(seed=1)
    assert obs.shape[1] == env.observation_space.shape[0] + 1
    assert vector.observation_space.contains(obs)


def test_what_cannot_be_is_refused_by_name():
    with pytest.raises(ValueError, match="foretold does not go with obs='bits'"):
        LearnerTables(2, "gin-es", obs="bits", foretold=("swift",))
    with pytest.raises(PolicyError, match="unknown policy 'swfit'"):
        LearnerTables(2, "gin-es", foretold=("swfit",))
    with pytest.raises(PolicyError, match="greedy500"):
        LearnerTables(2, "rum500-ru", foretold=("swift",))
    assert "chance" in REWARDS
