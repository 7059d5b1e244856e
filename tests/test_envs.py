"""The single-agent environment: gymnasium's and SB3's checkers, play, seeds, options, rendering, pickling, training."""

import functools
import pickle
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics, RecordVideo

import rummy_env
from rummy_env.envs.learner import POINTS_PER_REWARD, LearnerTables
from rummy_env.envs.single import RummyEnv
from rummy_env.errors import ActionError, PolicyError
from rummy_env.gin.solver import deadwood
from rummy_env.record import RecordError
from rummy_env.rules import VARIANTS, RulesError, make_rules
from tests.env_check import INFO, check_illegal, check_play, random_legal
from tests.helpers import JIT, count

IDS = [rummy_env.env_id(variant) for variant in VARIANTS]
pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("name", IDS)
def test_gymnasium_checker(name: str, capsys: pytest.CaptureFixture) -> None:
    check_env(gym.make(name).unwrapped)


@pytest.mark.parametrize("keywords", [{"obs": "bits"}, {"privileged": True}, {"episode": "match"}, {"shaping": 1.0}])
def test_gymnasium_checker_with_options(keywords: dict, capsys: pytest.CaptureFixture) -> None:
    check_env(gym.make("rummy/GinRu-v0", **keywords).unwrapped)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", IDS)
def test_sb3_checker(name: str) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gym.make(name).unwrapped)


@pytest.mark.parametrize("name", IDS)
def test_random_legal_play(name: str) -> None:
    env = gym.make(name, opponents="random")
    assert check_play(env, count(1_200, 10)) > 0
    check_illegal(env)


@pytest.mark.slow
@pytest.mark.parametrize("name", IDS)
def test_much_random_legal_play(name: str) -> None:
    check_play(gym.make(name), count(100_000), seed=1)


def test_random_legal_play_with_options() -> None:
    for keywords in ({"obs": "bits"}, {"privileged": True}, {"episode": "match", "target": 20}, {"max_turns": 4}):
        assert check_play(gym.make("rummy/OklahomaEs-v0", opponents="simple", **keywords), count(800)) > 0


def test_raise_on_illegal_changes_nothing() -> None:
    env = gym.make("rummy/GinEs-v0", illegal="raise").unwrapped
    obs, info = env.reset(seed=4)
    with pytest.raises(ActionError, match="is not legal \\(legal: "):
        env.step(int(info["action_mask"].argmin()))
    with pytest.raises(ActionError, match="action 108"):
        env.step(108)
    assert np.array_equal(env.learner.observe()[0][0], obs)
    env.step(int(info["action_mask"].argmax()))


def test_a_finished_episode_needs_a_reset() -> None:
    env = RummyEnv()
    with pytest.raises(ResetNeeded):
        env.step(104)
    env.reset(seed=0)
    env.step(-1)
    with pytest.raises(ResetNeeded):
        env.step(104)


def rollout(env: gym.Env, seed: int | None, episodes: int = 3) -> list:
    rng = np.random.default_rng(1)
    seen = []
    for episode in range(episodes):
        obs, info = env.reset(seed=seed if episode == 0 else None)
        done, total = False, 0.0
        while not done:
            seen += [obs.tobytes(), tuple(info["action_mask"]), info["seat"], total]
            obs, reward, terminated, truncated, info = env.step(random_legal(info, rng))
            total, done = total + reward, terminated or truncated
        seen.append((total, info["ending"]))
    return seen


@pytest.mark.parametrize("name", ["rummy/GinRu-v0", "rummy/GinOpenspiel-v0"])
def test_a_seed_brings_back_the_same_episodes(name: str) -> None:
    keywords = {"opponents": ["random", "greedy:knock=3"], "knock_limit": 8, "undercut_bonus": 7}
    env = gym.make(name, **keywords)
    first = rollout(env, 5)
    assert rollout(env, 5) == first
    assert rollout(gym.make(name, **keywords), 5) == first
    assert rollout(env, 6) != first
    assert env.unwrapped.rules == make_rules(env.unwrapped.learner.tables.variant, knock_limit=8, undercut_bonus=7)
    copy = pickle.loads(pickle.dumps(env.unwrapped))
    assert rollout(copy, 5) == first
    assert copy.rules == env.unwrapped.rules


def test_without_a_seed_episodes_differ_and_a_copy_goes_on_alike() -> None:
    envs = [gym.make("rummy/GinEs-v0").unwrapped for _ in range(3)]
    assert len({rollout(env, None, 1)[0] for env in envs}) == 3
    copy = pickle.loads(pickle.dumps(envs[0]))
    assert rollout(copy, None) == rollout(envs[0], None)
    assert rollout(RummyEnv(seed=5), None) == rollout(RummyEnv(), 5)


def test_reset_options() -> None:
    env = gym.make("rummy/GinEs-v0").unwrapped
    for seat in (0, 1):
        assert env.reset(seed=3, options={"seat": seat})[1]["seat"] == seat
    tables = {env.reset(seed=3, options={"table": k, "seat": 0})[0].tobytes() for k in range(4)}
    assert len(tables) == 4
    for options, words in (({"seat": 2}, "seats are 0 to 1"), ({"table": 1}, "goes with a seed"), ({"sead": 0}, "'seat'")):
        with pytest.raises(ValueError, match=words):
            env.reset(options=options)


def test_an_episode_can_begin_at_a_position() -> None:
    env = gym.make("rummy/GinRu-v0", knock_limit=7).unwrapped
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=9)
    for _ in range(4):
        obs, _, _, _, info = env.step(random_legal(info, rng))
    text, seat = env.position(), env.seat
    again, info_again = env.reset(seed=1, options={"position": text})
    assert np.array_equal(again, obs)
    assert np.array_equal(info_again["action_mask"], info["action_mask"])
    assert info_again["seat"] == seat
    with pytest.raises(ValueError, match="other rules"):
        gym.make("rummy/GinRu-v0").unwrapped.reset(options={"position": text})
    with pytest.raises(RecordError):
        env.reset(options={"position": "variant=gin-ru phase=draw"})


@pytest.mark.parametrize(
    ("keywords", "error", "words"),
    [
        ({"knock_limit": 500}, RulesError, "knock_limit allows 0 to 100"),
        ({"knock_limt": 5}, RulesError, "did you mean 'knock_limit'"),
        ({"oponents": "simple"}, RulesError, "did you mean 'opponents'"),
        ({"opponents": "simpel"}, PolicyError, "unknown policy 'simpel'"),
        ({"opponents": []}, ValueError, "at least one"),
        ({"seat": 2}, ValueError, "seat allows 0 | 1 | random | alternating"),
        ({"episode": "game"}, ValueError, "episode allows deal | match"),
        ({"obs": "image"}, ValueError, "obs allows float | bits"),
        ({"obs": "bits", "privileged": True}, ValueError, "privileged"),
        ({"render_mode": "ascii"}, ValueError, "render_mode allows human | ansi | rgb_array"),
    ],
)
def test_what_is_impossible_is_refused_by_name(keywords: dict, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        RummyEnv("gin-es", **keywords)


def test_seats() -> None:
    for seat, expected in ((0, {0}), (1, {1}), ("random", {0, 1})):
        env = RummyEnv(seat=seat)
        assert {env.reset(seed=0 if k == 0 else None)[1]["seat"] for k in range(20)} == expected
    env = RummyEnv(seat="alternating")
    assert [env.reset(seed=0 if k == 0 else None)[1]["seat"] for k in range(4)] == [0, 1, 0, 1]


class Drawer:
    """An opponent that is not compiled: always the lowest legal action from the stock's side."""

    def act(self, obs, mask, view, rng):
        assert obs.dtype == np.float32
        assert (mask.sum(1) > 0).all()
        return np.where(mask[:, 104] == 1, 104, mask.argmax(1))


def test_opponents_as_objects_and_mixes() -> None:
    for opponents in (Drawer(), [Drawer(), "simple"], [(Drawer(), 0.5), ("greedy", 0.5)], {"simple": 1, "random": 3}):
        assert check_play(gym.make("rummy/GinRu-v0", opponents=opponents), count(400, 1)) > 0
    env = gym.make("rummy/GinRu-v0", opponents=Drawer()).unwrapped
    assert rollout(pickle.loads(pickle.dumps(env)), 3) == rollout(env, 3)


def test_a_match_is_an_episode_with_the_points_of_all_its_deals() -> None:
    env = RummyEnv(episode="match", target=60, knock_limit=40, opponents="simple", seat=0)
    rng = np.random.default_rng(3)
    for seed in range(count(15)):
        _, info = env.reset(seed=seed)
        points, done = 0, False
        while not done:
            _, _, terminated, truncated, info = env.step(random_legal(info, rng))
            points, done = points + info["points"], terminated or truncated
        scores = env.learner.tables.state[0].scores
        assert terminated
        assert points == scores[0] - scores[1]
        assert max(scores) >= 60


@pytest.mark.parametrize("episode", ["deal", "match"])
def test_shaping_sums_to_the_first_deadwood(episode: str) -> None:
    """Potential-based: whatever is played, it adds the same to an episode that begins alike."""
    env = RummyEnv(episode=episode, shaping=0.5, opponents="simple", target=30)
    rng = np.random.default_rng(2)
    for seed in range(count(20)):
        _, info = env.reset(seed=seed)
        first = deadwood(env.learner.tables.state[0].hands[env.seat])
        added, done = 0.0, False
        while not done:
            wrong = rng.random() < 0.02
            _, reward, terminated, truncated, info = env.step(-1 if wrong else random_legal(info, rng))
            added += reward - info["points"] / POINTS_PER_REWARD
            done = terminated or truncated
        assert added == pytest.approx(0.5 * first / POINTS_PER_REWARD, abs=1e-4)


def test_points_before_the_first_decision_of_a_match_are_not_lost() -> None:
    """A deal the opponent ends before the learner ever acts is part of the match."""
    learner = LearnerTables(count(3000), "gin-es", 1, opponents="simple", episode="match", knock_limit=100)
    early = learner.tables.state.match_deals > 0
    assert early.any()
    points = learner.tables.state.scores[np.arange(len(learner)), learner.learners].astype(int)
    points -= learner.tables.state.scores[np.arange(len(learner)), 1 - learner.learners]
    outcome = learner.step(np.full(len(learner), -1))
    assert outcome.points[0] == -100
    learner.reset(1)
    masks = learner.observe()[1]
    quiet = np.flatnonzero(early & (masks[:, 106] == 1))
    outcome = learner.step(masks[quiet].argmax(1), quiet)
    going_on = ~(outcome.terminations | outcome.truncations) & (learner.tables.state.match_deals[quiet] == 1)
    assert going_on.any()
    assert np.array_equal(outcome.points[going_on], points[quiet][going_on])


def test_an_episode_under_a_turn_cap_is_truncated() -> None:
    env = gym.make("rummy/GinEs-v0", max_turns=2, knock_limit=0, opponents="novice")
    endings = set()
    _, info = env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(60):
        _, reward, terminated, truncated, info = env.step(random_legal(info, rng))
        if terminated or truncated:
            endings.add((info["ending"], terminated, truncated, reward))
            _, info = env.reset()
    assert endings == {("capped", False, True, 0.0)}


def test_metadata_belongs_to_the_instance() -> None:
    one, two = RummyEnv(), RummyEnv()
    one.metadata["render_modes"].append("x")
    assert two.metadata["render_modes"] == RummyEnv.metadata["render_modes"] == ["human", "ansi", "rgb_array"]


def test_rendering(capsys: pytest.CaptureFixture) -> None:
    pytest.importorskip("PIL")
    text = gym.make("rummy/GinEs-v0", render_mode="ansi")
    text.reset(seed=1)
    assert "##" in text.render()
    picture = gym.make("rummy/GinEs-v0", render_mode="rgb_array")
    picture.reset(seed=1)
    frame = picture.render()
    assert (frame.dtype, frame.shape) == (np.uint8, (480, 720, 3))
    assert not np.shares_memory(frame, picture.render())
    capsys.readouterr()
    human = gym.make("rummy/GinEs-v0", render_mode="human")
    _, info = human.reset(seed=1)
    human.step(int(info["action_mask"].argmax()))
    assert human.render() is None
    assert capsys.readouterr().out.count("gin-es, deal") == 3
    silent = RummyEnv()
    silent.reset(seed=0)
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert silent.render() is None


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_video_is_written(tmp_path) -> None:
    pytest.importorskip("moviepy")
    pytest.importorskip("PIL")
    env = RecordVideo(gym.make("rummy/GinEs-v0", render_mode="rgb_array"), str(tmp_path / "video"), disable_logger=True)
    _, info = env.reset(seed=1)
    rng = np.random.default_rng(0)
    done = False
    while not done:
        _, _, terminated, truncated, info = env.step(random_legal(info, rng))
        done = terminated or truncated
    env.close()
    (video,) = tmp_path.glob("video/*.mp4")
    assert video.stat().st_size > 1000


def test_episode_statistics() -> None:
    env = RecordEpisodeStatistics(gym.make("rummy/GinEs-v0"))
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)
    steps, total = 0, 0.0
    while "episode" not in info:
        _, reward, _, _, info = env.step(random_legal(info, rng))
        steps, total = steps + 1, total + reward
    assert info["episode"]["l"] == steps
    assert info["episode"]["r"] == pytest.approx(total)


def same_tables(one, two) -> bool:
    return all(np.array_equal(one[name], two[name]) for name in one.dtype.names)


def test_threads_and_order_of_tables_change_nothing() -> None:
    rng = np.random.default_rng(0)
    one, two = LearnerTables(64, "gin-ru", 3), LearnerTables(64, "gin-ru", 3, threads=2)
    for _ in range(20):
        masks = one.observe()[1]
        actions = (rng.random(masks.shape) * masks).argmax(1)
        outcomes = [tables.step(actions) for tables in (one, two)]
        assert all(np.array_equal(a, b) for a, b in zip(*outcomes))
        done = np.flatnonzero(outcomes[0].terminations | outcomes[0].truncations)
        for tables in (one, two):
            tables.reset(rows=done)
        assert same_tables(one.tables.state, two.tables.state)


def test_seeding_some_tables_leaves_the_others() -> None:
    learner = LearnerTables(6, "gin-es", 1)
    before = learner.tables.state.copy()
    learner.reset(9, np.array([1, 4]))
    changed = [k for k in range(6) if not same_tables(learner.tables.state[[k]], before[[k]])]
    assert changed == [1, 4]
    whole = LearnerTables(6, "gin-es", 9)
    assert np.array_equal(whole.observe()[0][[1, 4]], learner.observe()[0][[1, 4]])


def test_actions_of_the_wrong_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(3,\) for 4 tables"):
        LearnerTables(4).step(np.zeros(3, np.int64))


@pytest.mark.skipif(not JIT, reason="several processes of interpreted kernels")
@pytest.mark.filterwarnings("default")
def test_maskable_ppo_in_spawned_processes() -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib")
    import torch
    from stable_baselines3.common.vec_env import SubprocVecEnv

    torch.set_num_threads(1)
    make = functools.partial(gym.make, "rummy_env:rummy/GinEs-v0")
    envs = SubprocVecEnv([make] * 2, start_method="spawn")
    try:
        masks = envs.env_method("action_masks")
        assert all(mask.dtype == bool and mask.shape == (108,) for mask in masks)
        model = sb3_contrib.MaskablePPO("MlpPolicy", envs, n_steps=512, batch_size=256, n_epochs=1, seed=0, device="cpu")
        model.learn(2048)
        assert model.num_timesteps == 2048
    finally:
        envs.close()
    env = gym.make("rummy/GinEs-v0")
    obs, info = env.reset(seed=3)
    illegal = 0
    for _ in range(200):
        action, _ = model.predict(obs, action_masks=env.unwrapped.action_masks())
        obs, _, terminated, truncated, info = env.step(action)
        illegal += info["illegal_action"]
        if terminated or truncated:
            obs, info = env.reset()
    assert illegal == 0


def test_minari_collects_and_stores_episodes(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = minari.DataCollector(gym.make("rummy/GinEs-v0"), record_infos=True)
        rng = np.random.default_rng(0)
        for seed in range(2):
            _, info = env.reset(seed=seed)
            done = False
            while not done:
                _, _, terminated, truncated, info = env.step(random_legal(info, rng))
                done = terminated or truncated
        dataset = env.create_dataset("rummy/gin/test-v0")
    assert dataset.total_episodes == 2


def test_infos_have_the_same_keys_always() -> None:
    env = RummyEnv()
    assert list(env.reset(seed=0)[1]) == list(env.step(-1)[4]) == INFO


@pytest.mark.parametrize("action", [1.5, "a", None])
def test_what_is_no_whole_number_is_refused_by_name(action: Any) -> None:
    env = RummyEnv("gin-es")
    env.reset(seed=1)
    with pytest.raises(ActionError, match="is no action: actions are whole numbers from 0 to 107"):
        env.step(action)


def test_opponents_that_are_none_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"opponents=3 is not possible"):
        RummyEnv("gin-es", opponents=3)
