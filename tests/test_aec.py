"""The PettingZoo environment: its own checkers, each seat's rewards, privacy, illegal actions, matches, rendering."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed (the extra 'pettingzoo')")
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils import aec_to_parallel, average_total_reward

from rummy_env.envs import aec
from rummy_env.envs.learner import ILLEGAL_PENALTY, POINTS_PER_REWARD
from rummy_env.errors import ActionError
from rummy_env.games import GAMES
from rummy_env.gin.observe import OBS_SIZE
from rummy_env.gin.play import resample
from rummy_env.rules import GIN_BOOK, VARIANTS, RulesError
from tests.helpers import count

pytestmark = [
    pytest.mark.filterwarnings("error"),
    # it says so of every environment whose observation is a dict with a mask
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
]


@pytest.mark.parametrize("variant", VARIANTS)
def test_api(variant: str, capsys: pytest.CaptureFixture) -> None:
    api_test(aec.env(variant), num_cycles=count(120))
    api_test(aec.raw_env(variant), num_cycles=count(40))


@pytest.mark.parametrize("keywords", [{"episode": "match", "target": 20}, {"obs": "bits"}, {"max_turns": 3}])
def test_api_with_options(keywords: dict, capsys: pytest.CaptureFixture) -> None:
    api_test(aec.env("oklahoma-ru", **keywords), num_cycles=count(120))


@pytest.mark.parametrize("variant", VARIANTS)
def test_seeds(variant: str) -> None:
    seed_test(lambda: aec.env(variant), num_cycles=count(60))
    env = aec.env(variant)
    looks = []
    for seed in (1, 2, 1):
        env.reset(seed=seed)
        looks.append(env.observe("player_0")["observation"].tobytes())
    assert looks[0] == looks[2] != looks[1]


def test_rendering(capsys: pytest.CaptureFixture) -> None:
    pytest.importorskip("PIL")
    render_test(aec.env)
    env = aec.raw_env()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert env.render() is None


def choose(env, mask: np.ndarray, rng: np.random.Generator) -> int:
    """Mostly what a scripted policy does, so that deals are closed; else at random."""
    if rng.random() < 0.9:
        return int(env.unwrapped.tables.view().scripted(*GAMES["gin"].parse_policy("simple"))[0])
    return int(rng.choice(np.flatnonzero(mask)))


def play_out(env, rng: np.random.Generator) -> tuple[dict[str, float], dict[str, int], list]:
    """What each agent gets by ``last()``, as sums of rewards and of the points in ``infos``, and every look at it."""
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    points = dict.fromkeys(env.possible_agents, 0)
    looks = []
    for agent in env.agent_iter():
        obs, reward, terminated, truncated, info = env.last()
        looks.append((agent, obs["action_mask"].sum(), terminated, truncated, info))
        rewards[agent] += reward
        dead = terminated or truncated
        env.step(None if dead else choose(env, obs["action_mask"], rng))
        for name, told in env.infos.items():
            points[name] += 0 if dead else told["points"]
    return rewards, points, looks


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
def test_every_seat_gets_its_points(variant: str) -> None:
    rng, env, scored = np.random.default_rng(0), aec.env(variant), 0
    for seed in range(count(30)):
        env.reset(seed=seed)
        rewards, points, looks = play_out(env, rng)
        t = env.unwrapped.tables.state[0]
        assert [rewards[f"player_{k}"] * POINTS_PER_REWARD for k in range(2)] == pytest.approx(t.points.tolist())
        assert list(points.values()) == t.points.tolist()
        assert sum(rewards.values()) == pytest.approx(0)
        assert [look[2] or look[3] for look in looks[-2:]] == [True, True]
        assert {look[0] for look in looks[-2:]} == set(env.possible_agents)
        assert all(look[1] >= 1 for look in looks)
        assert not env.agents
        scored += t.points.any()
    assert scored > 0


def test_a_match_goes_on_until_it_is_won() -> None:
    env = aec.env("gin-es", episode="match", target=40, knock_limit=60)
    for seed in range(count(8)):
        env.reset(seed=seed)
        rewards, points, _ = play_out(env, np.random.default_rng(seed))
        t = env.unwrapped.tables.state[0]
        assert max(t.scores) >= 40
        assert t.match_deals >= 1
        assert points["player_0"] == t.scores[0] - t.scores[1]
        assert rewards["player_0"] == pytest.approx(points["player_0"] / POINTS_PER_REWARD)


def test_a_turn_cap_truncates_a_deal() -> None:
    env = aec.env("gin-es", max_turns=4, knock_limit=0)
    env.reset(seed=0)
    *_, looks = play_out(env, np.random.default_rng(0))
    assert [look[2:4] for look in looks[-2:]] == [(False, True)] * 2
    assert looks[-1][4]["ending"] == "capped"


@pytest.mark.parametrize("action", [-1, 108, 103])
def test_an_illegal_action_loses_the_deal(action: int) -> None:
    env = aec.env("gin-es")
    env.reset(seed=1)
    wrong = env.agent_selection
    env.step(action)
    assert all(env.terminations.values())
    for agent in env.agent_iter():
        _, reward, _, _, info = env.last()
        assert reward == (-1 if agent == wrong else 1) * ILLEGAL_PENALTY / POINTS_PER_REWARD
        assert (info["illegal_action"], info["ending"]) == (agent == wrong, "illegal")
        env.step(None)
    assert not env.agents
    raising = aec.env("gin-es", illegal="raise")
    raising.reset(seed=1)
    with pytest.raises(ActionError, match="is not legal"):
        raising.step(action)
    assert raising.agent_selection == wrong
    with pytest.raises(ValueError, match="None is for agents"):
        raising.step(None)


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
def test_each_agent_sees_only_what_it_may(variant: str) -> None:
    env = aec.raw_env(variant)
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(count(60)):
        if any(env.terminations.values()) or any(env.truncations.values()):
            env.reset()
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert seen["observation"].shape == (OBS_SIZE,)
            assert (seen["action_mask"].sum() >= 1) == (agent == env.agent_selection)
            world = pickle.loads(pickle.dumps(env))
            resample(world.rules, world.tables.state[0], seat)
            other = world.observe(agent)
            assert np.array_equal(seen["observation"], other["observation"])
            assert np.array_equal(seen["action_mask"], other["action_mask"])
            assert not np.shares_memory(seen["observation"], env.observe(agent)["observation"])
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))


def test_what_is_impossible_is_refused_by_name() -> None:
    with pytest.raises(RulesError, match="did you mean 'knock_limit'"):
        aec.env(knock_limt=3)
    with pytest.raises(ValueError, match=r"episode allows deal \| match"):
        aec.env(episode="game")
    with pytest.raises(ValueError, match="render_mode allows"):
        aec.env(render_mode="ascii")


def test_there_is_no_parallel_form() -> None:
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel(aec.env())


def test_pettingzoos_unmasked_random_play_runs(capsys: pytest.CaptureFixture) -> None:
    """``average_total_reward`` looks away from masks in this version: illegal actions, each with its defined outcome."""
    assert average_total_reward(aec.env("gin-es"), max_episodes=3) == pytest.approx(0)


def test_metadata_belongs_to_the_instance_and_environments_pickle() -> None:
    one, two = aec.raw_env(), aec.raw_env()
    one.metadata["render_modes"].clear()
    assert two.metadata["render_modes"] == ["human", "ansi", "rgb_array"]
    two.reset(seed=4)
    copy = pickle.loads(pickle.dumps(two))
    assert play_out(copy, np.random.default_rng(1))[0] == play_out(two, np.random.default_rng(1))[0]


def test_a_missing_pettingzoo_is_named() -> None:
    code = "import sys; sys.modules['pettingzoo'] = None\nimport rummy_env\nfrom rummy_env.envs import aec"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install rummy-env[pettingzoo]" in done.stderr.splitlines()[-1]


def test_steps_after_the_end_only_warn() -> None:
    env = aec.env()
    env.reset(seed=0)
    play_out(env, np.random.default_rng(0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env.step(None)
    env.reset()
    assert len(env.agents) == 2
