"""Training on 500 Rum, and the searched phase in both games."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch as th

from agents.learned import load_agent
from agents.network import HEADS, Actor, ByCard, Kinds
from rummy_env.games import GAMES
from rummy_env.rum500.actions import DISCARD, LAY_RUN, LAY_SET, NUM_ACTIONS
from train.callbacks import Conductor
from train.config import OF_GAME, ConfigError, check, load_config
from train.run import Run

ROOT = Path(__file__).parent.parent
SMOKE = load_config(ROOT / "configs" / "smoke.yaml")
SMOKE500 = check(
    replace(
        SMOKE,
        variant="rum500-ru",
        imitate="greedy500",
        search="greedy500",
        search_share=0.5,
        search_worlds=2,
        search_epochs=2,
        reward="place",
        opponents={"greedy500": 0.5, "self": 0.5},
        eval_opponents=("layer",),
    )
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    run = Run.create(SMOKE500, tmp_path_factory.mktemp("runs") / "whole")
    assert run.train(Conductor(run, quiet=True))
    return run.folder


def test_a_run_of_500_rum_leaves_an_agent_that_plays(finished):
    agent = load_agent(finished / "best", "rum500-ru")
    assert agent.actor.game.name == "rum500"
    rows = [json.loads(line) for line in (finished / "eval.jsonl").read_text().splitlines()]
    assert {"first_places", "margin", "credit_at_end"} <= set(rows[-1]["layer"])


def test_an_agent_of_one_game_is_refused_at_the_other(finished):
    with pytest.raises(ValueError, match="rum500"):
        load_agent(finished / "best", "gin-es")


def test_a_run_interrupted_in_or_after_the_searched_phase_ends_with_the_same_weights(finished, tmp_path):
    for share in (0.25, 0.75):
        run = Run.create(SMOKE500, tmp_path / f"cut{share}")
        conductor = Conductor(run, quiet=True)
        original = conductor._on_rollout_start

        def stop_early(run=run, conductor=conductor, original=original, share=share) -> None:
            conductor.interrupted = conductor.interrupted or run.model.num_timesteps >= SMOKE.steps * share
            original()

        conductor._on_rollout_start = stop_early  # type: ignore[method-assign]
        assert not run.train(conductor)
        again = Run.resume(run.folder)
        assert again.train(Conductor(again, quiet=True))
        whole = load_agent(finished / "last", "rum500-ru").actor.state_dict()
        parts = load_agent(run.folder / "last", "rum500-ru").actor.state_dict()
        assert all(th.equal(whole[name], parts[name]) for name in whole)


@pytest.mark.parametrize("game", GAMES)
def test_heads_cover_all_actions_and_features_are_of_the_cards(game):
    sizes = [sum(block.sizes) if isinstance(block, Kinds) else block.size for block in HEADS[game].blocks]
    assert sum(sizes) == GAMES[game].actions.NUM_ACTIONS
    names = {part.name: part.stop - part.start for part in (*GAMES[game].observe.OBS_SPEC, *GAMES[game].outlook.OUTLOOK_SPEC)}
    for block in HEADS[game].blocks:
        if isinstance(block, ByCard):
            assert all(names[name] >= block.size for name in block.features + block.outlook)


def test_lays_of_a_kind_share_a_logit_and_the_proposed_one_has_its_own():
    th.manual_seed(0)
    actor = Actor(GAMES["rum500"], (16,), True)
    obs = th.rand(3, actor.obs_size)
    at = next(part.start for part in GAMES["rum500"].observe.OBS_SPEC if part.name == "lay_action")
    obs[:, at] = th.tensor([0.0, (LAY_SET + 7) / 1400, (LAY_RUN + 3) / 1400])
    logits = actor(obs)
    assert logits.shape == (3, NUM_ACTIONS)
    assert logits[0, LAY_SET:LAY_RUN].unique().numel() == 1
    assert logits[1, LAY_SET:LAY_RUN].unique().numel() == 2
    assert logits[1, LAY_SET + 7] != logits[1, LAY_SET + 8]
    assert logits[2, LAY_RUN + 3] != logits[2, LAY_RUN + 4]
    assert logits[2, DISCARD : DISCARD + 54].unique().numel() > 10


@pytest.mark.parametrize("variant", ["gin-es", "rum500-ru"])
def test_what_is_left_open_is_filled_in_by_game(variant):
    config = check(replace(SMOKE, variant=variant, imitate="", search="", opponents={}, eval_opponents=()))
    for name, value in OF_GAME[GAMES["gin" if variant == "gin-es" else "rum500"].name].items():
        assert getattr(config, name) == value


def test_policies_of_the_other_game_are_refused():
    with pytest.raises(ConfigError, match="search='lookahead' is no scripted policy"):
        check(replace(SMOKE500, search="lookahead"))
    with pytest.raises(ConfigError, match="search_share=2 is not possible"):
        check(replace(SMOKE500, search_share=2))


def test_searched_values_move_the_actor_towards_the_better_action(tmp_path):
    """A buffer in which one candidate is always better: its chance must rise, whatever the played actions earned."""
    run = Run.create(replace(SMOKE500, rate=1e-2), tmp_path / "run")
    model, env = run.model, run.env
    model.begin_clock()
    model._setup_learn(SMOKE.steps, None, True)
    env.search = model.search
    obs = env.look()
    env.step_async(np.zeros(len(obs), np.int64))
    masks = th.from_numpy(env.masks.astype(bool))
    several = env.candidates[:, 1] >= 0
    second = th.from_numpy(env.candidates[several, 1])
    env.values[:] = 0
    env.values[:, 1] = 1

    def chance() -> float:
        with th.no_grad():
            log_probabilities = model.policy.log_probabilities(th.from_numpy(obs), masks)
        return log_probabilities[th.from_numpy(several)].gather(1, second[:, None]).exp().mean().item()

    before = chance()
    buffer = model.rollout_buffer
    buffer.env = env
    buffer.reset()
    for _ in range(buffer.buffer_size):
        n = len(obs)
        buffer.add(obs, np.zeros((n, 1)), np.zeros(n), np.zeros(n), th.zeros(n, 1), th.zeros(n), action_masks=env.masks)
    buffer.compute_returns_and_advantage(th.zeros(len(obs)), np.zeros(len(obs)))
    for _ in range(5):
        model.train()
    assert chance() > before + 0.1
