"""Environments of more than two seats: who sits where, what a deal is worth, and who is asked."""

import numpy as np
import pytest

from rummy_env import RummyEnv
from rummy_env.envs import batch
from rummy_env.envs.learner import ILLEGAL_PENALTY, POINTS_PER_REWARD, LearnerTables
from rummy_env.envs.tables import Tables
from tests.env_check import check_illegal, check_play
from tests.helpers import count

SEATS = [(2, 13), (3, 7), (6, 6)]


class Noted:
    """An opponent that plays at random and notes whom it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    def act(self, obs, mask, view, rng):
        self.asked += [(int(seat), len(mask)) for seat in view.seats]
        return (rng.random(mask.shape) * mask).argmax(1)


def play(learner: LearnerTables, steps: int, seed: int = 0):
    """Plays random legal actions; yields each step's outcome, and the tables before the finished ones are dealt anew."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        masks = learner.masks()
        outcome = learner.step((rng.random(masks.shape) * masks).argmax(1))
        yield outcome
        done = np.flatnonzero(outcome.terminations | outcome.truncations)
        learner.reset(rows=done)


@pytest.mark.parametrize(("num_players", "hand_size"), SEATS)
@pytest.mark.parametrize("keywords", [{"seat": "alternating"}, {"episode": "match", "num_deals": 2, "obs": "bits"}])
def test_any_number_of_seats(num_players: int, hand_size: int, keywords: dict) -> None:
    env = RummyEnv("rum500-standard", num_players=num_players, hand_size=hand_size, opponents=["random", "layer"], **keywords)
    assert check_play(env, count(400)) > 0
    check_illegal(env)


def test_the_learner_sits_on_the_next_seat_each_episode() -> None:
    learner = LearnerTables(3, "rum500-ru", 5, seat="alternating", opponents="random", num_players=5)
    assert learner.learners.tolist() == [0, 0, 0]
    for seat in (1, 2, 3, 4, 0):
        learner.reset()
        assert learner.learners.tolist() == [seat] * 3
    learner.reset(seat=3)
    assert learner.learners.tolist() == [3] * 3
    assert set(LearnerTables(200, "rum500-ru", 1, opponents="random").learners) == {0, 1, 2, 3}


def test_every_other_seat_draws_its_own_opponent_by_weight() -> None:
    learner = LearnerTables(2000, "rum500-ru", 1, seat=2, opponents=[("random", 1.0), ("layer", 3.0)])
    others = learner.opponent[:, [0, 1, 3]]
    assert np.allclose(others.mean(0), 0.75, atol=0.04)
    together = np.corrcoef(others.T)[np.triu_indices(3, 1)]
    assert np.abs(together).max() < 0.08


def test_waiting_opponents_are_asked_for_their_own_seats() -> None:
    first, second = Noted(), Noted()
    learner = LearnerTables(16, "rum500-ru", 2, seat=1, opponents=[first, second, "layer"])
    for _ in play(learner, count(60)):
        where = learner.opponent.copy()
        assert not (learner.tables.state.to_act != 1)[~learner.tables.over].any()
    assert {seat for seat, _ in first.asked} == {seat for seat, _ in second.asked} == {0, 2, 3}
    assert set(where[:, [0, 2, 3]].ravel()) == {0, 1, 2}


@pytest.mark.parametrize("episode", ["deal", "match"])
def test_points_are_real_and_the_margin_is_over_the_mean(episode: str) -> None:
    both = [
        LearnerTables(12, "rum500-ru", 3, opponents=["layer", "random"], episode=episode, reward=reward, target=150)
        for reward in ("points", "margin")
    ]
    ended = 0
    for points, margin in zip(*(play(learner, count(250)) for learner in both)):
        assert np.array_equal(points.points, margin.points)
        assert np.allclose(points.rewards, points.points / POINTS_PER_REWARD)
        state, seats = both[0].tables.state, both[0].learners
        done = points.terminations
        if episode == "deal" and done.any():
            own = state.points[done, seats[done]]
            assert np.array_equal(points.points[done], own)
            wanted = (own - state.points[done, :4].mean(1)) / POINTS_PER_REWARD
            assert np.allclose(margin.rewards[done], wanted, atol=1e-5)
        ended += done.sum()
    assert ended > 5


def test_in_gin_the_margin_is_the_points() -> None:
    pair = [LearnerTables(8, "gin-es", 3, reward=reward) for reward in ("points", "margin")]
    for points, margin in zip(*(play(learner, count(100)) for learner in pair)):
        assert np.array_equal(points.rewards, margin.rewards)


def test_a_position_is_gone_on_from_at_any_seat() -> None:
    env = RummyEnv("rum500-ru", opponents="layer")
    env.reset(seed=4)
    text = env.position()
    for seat in range(4):
        _, info = env.reset(seed=9, options={"position": text, "seat": seat})
        assert info["seat"] == seat
        assert env.learner.tables.state.to_act[0] == seat
    with pytest.raises(ValueError, match="seats are 0 to 3"):
        env.reset(options={"seat": 4})
    with pytest.raises(ValueError, match=r"0 \| 1 \| 2 \| 3 \| random"):
        RummyEnv("rum500-ru", seat=4)


def test_an_illegal_action_is_shared_among_the_others() -> None:
    aec = pytest.importorskip("rummy_env.envs.aec")
    env = aec.raw_env("rum500-ru")
    env.reset(seed=1)
    assert env.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    wrong = env.agent_selection
    env.step(-1)
    told = {agent: info["points"] for agent, info in env.infos.items()}
    assert told.pop(wrong) == -ILLEGAL_PENALTY
    assert list(told.values()) == [ILLEGAL_PENALTY // 3] * 3


def test_decks_do_not_depend_on_the_game_beside_them() -> None:
    one, many = Tables(1, "rum500-ru", 7, ids=[5]), Tables(8, "rum500-ru", 7)
    assert one.state.stock[0].tolist() == many.state.stock[5].tolist()
    policies, parameters = np.array([0] * 4), np.zeros((4, 4))
    assert batch.play_deals(*many.for_kernels, many.all_rows, policies, parameters, 2) > 0
