"""The native vector environment: the three autoreset modes against single environments, wrappers, seeds, rendering."""

import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from rummy_env.envs.single import RummyEnv
from rummy_env.envs.vector import RummyVectorEnv
from rummy_env.errors import ActionError
from rummy_env.games import game_of
from rummy_env.gin.state import NO_CARD
from tests.helpers import count

pytestmark = pytest.mark.filterwarnings("error")
N = 6
KEYS = ("action_mask", "seat", "ending", "points", "illegal_action")


class Singles:
    """``N`` single environments, autoreset by hand as a mode has it: the plain meaning of the vector environment."""

    def __init__(self, mode: AutoresetMode, **keywords):
        self.mode, self.done = mode, [False] * N
        self.envs = [RummyEnv(**keywords) for _ in range(N)]

    def reset(self, seed: int):
        return [env.reset(seed=seed, options={"table": k}) for k, env in enumerate(self.envs)]

    def step(self, actions):
        return [self._step(k, int(action)) for k, action in enumerate(actions)]

    def _step(self, k: int, action: int):
        env, final = self.envs[k], None
        if self.done[k] and self.mode == AutoresetMode.NEXT_STEP:
            obs, info = env.reset()
            self.done[k] = False
            return obs, 0.0, False, False, info, None
        obs, reward, terminated, truncated, info = env.step(action)
        self.done[k] = terminated or truncated
        if self.done[k] and self.mode == AutoresetMode.SAME_STEP:
            final = obs, info
            obs, info = env.reset()
        return obs, reward, terminated, truncated, info, final

    def reset_done(self) -> None:
        for k in range(N):
            if self.done[k]:
                self.envs[k].reset()
        self.done = [False] * N


def compare_infos(infos: dict, k: int, info: dict, final: bool = False) -> None:
    for key in KEYS:
        assert infos[f"_{key}"][k]
        if not (final and key == "seat"):
            assert np.array_equal(infos[key][k], info[key]), key


@pytest.mark.parametrize("variant", ["gin-ru", "oklahoma-openspiel", "rum500-ru"])
@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("keywords", [{}, {"obs": "bits", "seat": "alternating", "shaping": 0.3, "max_turns": 6}])
def test_the_modes_are_what_single_environments_do(mode: AutoresetMode, variant: str, keywords: dict) -> None:
    keywords = {"opponents": [game_of(variant).policies.DEFAULT, "random"], **keywords}
    vector, singles = RummyVectorEnv(N, variant, autoreset_mode=mode, **keywords), Singles(mode, variant=variant, **keywords)
    rng = np.random.default_rng(7)
    obs, infos = vector.reset(seed=11)
    for k, (single_obs, info) in enumerate(singles.reset(11)):
        assert np.array_equal(obs[k], single_obs)
        compare_infos(infos, k, info)
    ended = 0
    for _ in range(count(150, 3)):
        masks = infos["action_mask"]
        assert (masks.sum(1) >= 1).all()
        assert np.array_equal(vector.action_masks(), masks)
        actions = (rng.random(masks.shape) * masks).argmax(1)
        actions[rng.random(N) < 0.01] = -1
        obs, rewards, terminated, truncated, infos = vector.step(actions)
        assert vector.observation_space.contains(obs)
        for k, (one_obs, reward, term, trunc, info, final) in enumerate(singles.step(actions)):
            assert np.array_equal(obs[k], one_obs)
            assert (rewards[k], terminated[k], truncated[k]) == (np.float32(reward), term, trunc)
            ended += term or trunc
            if final is None:
                compare_infos(infos, k, info)
                assert "final_obs" not in infos or not infos["_final_obs"][k]
            else:
                assert infos["_final_obs"][k]
                assert np.array_equal(infos["final_obs"][k], final[0])
                compare_infos(infos["final_info"], k, final[1])
                assert np.array_equal(infos["action_mask"][k], info["action_mask"])
        if mode == AutoresetMode.DISABLED and any(singles.done):
            obs, infos = vector.reset(options={"reset_mask": np.array(singles.done)})
            singles.reset_done()
    assert ended > count(5, 5)


def test_the_same_as_gymnasiums_sync_vector_of_the_id() -> None:
    keywords = {"opponents": "simple", "knock_limit": 6}
    native = gym.make_vec("rummy/GinEs-v0", 1, vectorization_mode="vector_entry_point", **keywords)
    sync = gym.make_vec("rummy/GinEs-v0", 1, vectorization_mode="sync", **keywords)
    rng = np.random.default_rng(0)
    (obs, infos), (sync_obs, _) = native.reset(seed=2), sync.reset(seed=2)
    for _ in range(60):
        assert np.array_equal(obs, sync_obs)
        masks = infos["action_mask"]
        actions = (rng.random(masks.shape) * masks).argmax(1)
        obs, *rest, infos = native.step(actions)
        sync_obs, *sync_rest, sync_infos = sync.step(actions)
        assert all(np.allclose(a, b) for a, b in zip(rest, sync_rest))
        assert set(infos) == set(sync_infos)


def test_default_make_vec_and_how_keywords_arrive() -> None:
    env = gym.make_vec("rummy/OklahomaEs-v0", 8, knock_limit=5, opponents={"simple": 0.5, "greedy": 0.5})
    assert isinstance(env, RummyVectorEnv)
    assert env.rules.knock_limit == 5
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert env.spec.kwargs["variant"] == "oklahoma-es"
    for word in ("same_step", "SameStep", AutoresetMode.SAME_STEP):
        env = gym.make_vec("rummy/GinEs-v0", 2, vectorization_mode="vector_entry_point", autoreset_mode=word)
        assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    with pytest.raises(ValueError, match=r"autoreset_mode allows next_step \| same_step \| disabled"):
        RummyVectorEnv(2, autoreset_mode="sometimes")


def test_metadata_belongs_to_the_instance() -> None:
    one, two = RummyVectorEnv(2, autoreset_mode="same_step"), RummyVectorEnv(2, autoreset_mode="disabled")
    assert one.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert two.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    assert "autoreset_mode" not in RummyEnv.metadata


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_episode_statistics_count_true_lengths(mode: AutoresetMode) -> None:
    env = RecordEpisodeStatistics(gym.make_vec("rummy/GinEs-v0", N, autoreset_mode=mode))
    rng = np.random.default_rng(1)
    _, infos = env.reset(seed=1)
    lengths, totals, was_done, checked = np.zeros(N, int), np.zeros(N), np.zeros(N, bool), 0
    for _ in range(count(120, 3)):
        masks = infos["action_mask"]
        _, rewards, terminated, truncated, infos = env.step((rng.random(masks.shape) * masks).argmax(1))
        played = ~was_done if mode == AutoresetMode.NEXT_STEP else np.ones(N, bool)
        lengths += played
        totals += rewards
        was_done = terminated | truncated
        for k in np.flatnonzero(was_done):
            assert infos["episode"]["l"][k] == lengths[k]
            assert infos["episode"]["r"][k] == pytest.approx(totals[k], abs=1e-4)
            lengths[k], totals[k], checked = 0, 0.0, checked + 1
    assert checked > count(5, 5)


def test_reset_makes_everything_fresh() -> None:
    env = RummyVectorEnv(N, "gin-ru", episode="match")
    rng = np.random.default_rng(0)
    _, infos = env.reset(seed=3)
    for _ in range(40):
        masks = infos["action_mask"]
        *_, infos = env.step((rng.random(masks.shape) * masks).argmax(1))
    assert env.learner.tables.state.turn.any()
    obs, infos = env.reset()
    state = env.learner.tables.state
    assert not state.scores.any()
    assert not state.match_deals.any()
    assert (state.turn <= 1).all()
    assert (state.aside == NO_CARD).all()
    again, _ = env.reset(seed=3)
    assert np.array_equal(again, RummyVectorEnv(N, "gin-ru", episode="match").reset(seed=3)[0])
    assert not np.array_equal(again, obs)


def test_arrays_are_never_shared() -> None:
    for mode in AutoresetMode:
        env = RummyVectorEnv(N, autoreset_mode=mode)
        kept: list[np.ndarray] = []
        obs, infos = env.reset(seed=0)
        for _ in range(25):
            new = [obs, *(v for v in infos.values() if isinstance(v, np.ndarray) and v.dtype != object)]
            assert not any(np.shares_memory(a, b) for a in new for b in kept)
            kept = new
            masks = infos["action_mask"]
            obs, rewards, terminated, truncated, infos = env.step(masks.argmax(1))
            kept += [rewards, terminated, truncated]
            if mode == AutoresetMode.DISABLED and (terminated | truncated).any():
                obs, infos = env.reset(options={"reset_mask": terminated | truncated})


def test_wrong_calls_are_refused_by_name() -> None:
    env = RummyVectorEnv(3, autoreset_mode="disabled", illegal="lose")
    with pytest.raises(ResetNeeded):
        env.step(np.zeros(3, np.int64))
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"shape \(2,\), not \(3,\)"):
        env.step(np.zeros(2, np.int64))
    env.step(np.array([-1, 108, -5]))
    with pytest.raises(ResetNeeded, match=r"tables \[0, 1, 2\] are done"):
        env.step(np.zeros(3, np.int64))
    with pytest.raises(ValueError, match=r"reset_mask must be bool\[3\]"):
        env.reset(options={"reset_mask": np.array([True])})
    with pytest.raises(ValueError, match="reset option"):
        env.reset(options={"seat": 0})
    raising = RummyVectorEnv(3, illegal="raise")
    obs, infos = raising.reset(seed=0)
    actions = infos["action_mask"].argmax(1)
    actions[2] = infos["action_mask"][2].argmin()
    with pytest.raises(ActionError, match="table 2"):
        raising.step(actions)
    assert np.array_equal(raising.learner.observe()[0], obs)


def test_rendering(capsys: pytest.CaptureFixture) -> None:
    pytest.importorskip("PIL")
    env = gym.make_vec("rummy/GinEs-v0", 2, render_mode="rgb_array")
    env.reset(seed=0)
    assert [frame.shape for frame in env.render()] == [(480, 720, 3)] * 2
    env = gym.make_vec("rummy/GinEs-v0", 2, render_mode="ansi")
    env.reset(seed=0)
    assert all("(you)" in text for text in env.render())


def test_pickling() -> None:
    env = RummyVectorEnv(3, threads=2)
    env.reset(seed=1)
    copy = pickle.loads(pickle.dumps(env))
    assert np.array_equal(copy.reset()[0], env.reset()[0])


def test_unseeded_environments_differ_and_continue() -> None:
    first, second = (RummyVectorEnv(2).reset()[0] for _ in range(2))
    assert not np.array_equal(first, second)
    env = RummyVectorEnv(2, seed=4)
    one = env.reset()[0]
    assert np.array_equal(one, RummyVectorEnv(2).reset(seed=4)[0])
    assert not np.array_equal(one, env.reset()[0])
