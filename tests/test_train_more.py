"""Training from another agent and against any, with a foretold critic, and as a best response to one agent."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch as th

from agents.learned import LearnedAgent, card_of, load_agent, save_agent
from agents.network import Actor
from rummy_env.envs.learner import LearnerTables
from rummy_env.games import game_of
from rummy_env.rules import make_rules
from train import exploit
from train.__main__ import main
from train.callbacks import Conductor
from train.config import ConfigError, TrainConfig, check, load_config, to_yaml
from train.run import Run

ROOT = Path(__file__).parent.parent
TINY = replace(load_config(ROOT / "configs" / "smoke.yaml"), steps=1024, tables=32, eval_pairs=5, imitate_decisions=0)


def saved(folder: Path, variant: str, widths: tuple[int, ...] = (32,), outlook: bool = True) -> tuple[str, Actor]:
    """An untrained agent of some variant, in a folder."""
    th.manual_seed(5)
    actor = Actor(game_of(variant), widths, outlook)
    save_agent(folder, actor, card_of(variant, make_rules(variant), actor))
    return str(folder), actor


def same(one: Actor, two: Actor) -> bool:
    weights = two.state_dict()
    return all(th.equal(value, weights[name]) for name, value in one.state_dict().items())


def test_a_run_starts_from_an_agent_of_another_variant(tmp_path):
    path, actor = saved(tmp_path / "a", "gin-ru")
    config = check(replace(TINY, start=path, imitate_decisions=5000))
    assert config.imitate_decisions == 0
    run = Run.create(config, tmp_path / "run")
    assert same(actor, run.actor)
    assert same(actor, run.pool.snapshots[0])
    assert run.model.critic_first == config.critic_first


def test_a_run_against_a_saved_agent_with_a_foretold_critic_goes_on_exactly(tmp_path):
    start, _ = saved(tmp_path / "a", "gin-ru")
    opponent, _ = saved(tmp_path / "b", "gin-es", (8,), outlook=False)
    config = replace(TINY, start=start, opponents={opponent: 1.0, "swift": 1.0, "self": 1.0}, foretold=("swift", "greedy"))
    config = check(config)
    run = Run.create(config, tmp_path / "whole")
    kinds = [type(who) for who in run.env.learner.opponents]
    assert kinds[:2] == [LearnedAgent, str]
    width = LearnerTables(1, "gin-es", obs="outlook", privileged=True).observe()[0].shape[1]
    assert run.env.observation_space.shape == (width + 2,)
    assert run.train(Conductor(run, quiet=True))
    again = Run.create(config, tmp_path / "cut")
    conductor = Conductor(again, quiet=True)
    start_rollout = conductor._on_rollout_start

    def stop_half_way() -> None:
        conductor.interrupted = conductor.interrupted or again.model.num_timesteps >= 512
        start_rollout()

    conductor._on_rollout_start = stop_half_way  # type: ignore[method-assign]
    assert not again.train(conductor)
    resumed = Run.resume(tmp_path / "cut")
    assert resumed.train(Conductor(resumed, quiet=True))
    assert same(*(load_agent(tmp_path / name / "last", "gin-es").actor for name in ("whole", "cut")))


def test_a_start_that_does_not_fit_is_refused(tmp_path):
    path, _ = saved(tmp_path / "a", "gin-es", (16, 16))
    with pytest.raises(ConfigError, match=r"has the network \{'widths': \[16, 16\].*the config says \{'widths': \[32\]"):
        Run.create(replace(TINY, start=path), tmp_path / "r1")
    path, _ = saved(tmp_path / "b", "gin-es", outlook=False)
    with pytest.raises(ConfigError, match="'outlook': False"):
        Run.create(replace(TINY, start=path), tmp_path / "r2")
    with pytest.raises(ConfigError, match="start='greedy' is no learned agent"):
        Run.create(replace(TINY, start="greedy"), tmp_path / "r3")


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (["--foretold", "nobody"], "foretold: 'nobody' is no scripted policy (there are: random, novice"),
        (["--foretold", "swift", "greedy500"], "foretold: 'greedy500' is no scripted policy"),
        (["--foretold", "greedy:knock=999"], "knock allows 0 to 100"),
        (["--foretold", "swift", "--variant", "rum500-ru"], "foretold: 'swift' is no scripted policy"),
        (["--start", "nobody"], "unknown agent 'nobody'"),
        (["--start", "simple"], "start='simple' is no learned agent"),
        (["--opponents", "nobody", "1"], "unknown agent 'nobody'"),
        (["--reward", "chance", "--variant", "rum500-ru"], "reward='chance' is not possible"),
        (["--reward", "win"], "reward='win' is not possible: points | margin | place | chance"),
    ],
)
def test_bad_flags_are_one_line_and_exit_2(flags, word, tmp_path, capsys):
    small = ["--tables", "4", "--out", str(tmp_path), "--minutes", "0", "--steps", "64"]
    assert main([*flags, *small]) == 2
    error = capsys.readouterr().err
    assert word in error
    assert error.count("\n") == 1


def test_foretold_policies_come_back_from_yaml(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text("variant: gin-eaai\nforetold: [swift, 'greedy:knock=5']\nreward: chance\nstart: pretrained:gin-eaai\n")
    config = load_config(file)
    assert config.foretold == ("swift", "greedy:knock=5")
    assert (config.reward, config.start, config.imitate_decisions) == ("chance", "pretrained:gin-eaai", 0)
    file.write_text(to_yaml(config))
    assert load_config(file) == config
    assert TrainConfig().foretold == ()


# A best response.

_SMALL = "--steps 512 --tables 16 --rollout 16 --batch 128 --widths 16 --critic-widths 16 --eval-pairs 4 --threads 1"


def best_response(victim: str, tmp_path: Path, *more: str) -> int:
    flags = [*_SMALL.split(), "--imitate-decisions", "256", "--critic-first", "1", "--out", str(tmp_path / "runs")]
    return exploit.main([victim, *flags, *more])


def test_a_best_response_writes_its_figures(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(exploit, "DECKS", 8)
    victim, _ = saved(tmp_path / "v", "gin-eaai", (8,))
    assert best_response(victim, tmp_path, "--variant", "gin-eaai") == 0
    (file,) = (tmp_path / "runs").rglob("exploit.json")
    document = json.loads(file.read_text())
    (match,) = document["matches"]
    assert (document["variant"], document["pairs"], document["seed"]) == ("gin-eaai", 8, exploit.REPORT_SEED)
    assert (match["first"], match["second"]) == ("best response, 512 decisions", victim)
    assert np.isfinite(match["points_per_deal"]["mean"])
    config = load_config(file.parent / "config.yml")
    assert (config.opponents, config.eval_opponents) == ({victim: 1.0}, (victim,))
    assert (file.parent / "best" / "agent.json").exists()
    assert "points a deal" in capsys.readouterr().out


def test_a_best_response_in_500_rum_imitates_its_scripted_player(tmp_path, monkeypatch):
    monkeypatch.setattr(exploit, "DECKS", 2)
    assert best_response("layer", tmp_path, "--variant", "rum500-ru") == 0
    (file,) = (tmp_path / "runs").rglob("exploit.json")
    assert load_config(file.parent / "config.yml").imitate == "greedy500"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "python -m train.exploit AGENT"),
        (["--steps", "3"], "python -m train.exploit AGENT"),
        (["nobody"], "unknown agent 'nobody'"),
        (["simple", "--variant", "gin-xx"], "unknown variant 'gin-xx'"),
        (["simple", "--minuts", "3"], "Unrecognized options: --minuts"),
    ],
)
def test_exploit_refuses_in_one_line(arguments, word, tmp_path, capsys):
    assert exploit.main([*arguments, *(["--out", str(tmp_path)] if arguments[:1] in (["nobody"], ["simple"]) else [])]) == 2
    error = capsys.readouterr().err
    assert word in error
    assert error.count("\n") == 1


def test_exploit_explains_itself(capsys):
    assert exploit.main(["--help"]) == 0
    assert "lower bound" in capsys.readouterr().out
