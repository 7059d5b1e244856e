"""Released agents: each folder is whole, small, loads without unpickling and plays; and how one is made."""

import json
from pathlib import Path

import pytest

from agents import make_agent
from eval.arena import meet
from rummy_env.rules import make_rules, settings_in_words
from train.config import load_config
from train.release import MOST_BYTES, PRETRAINED, main

RELEASED = sorted(path.parent.name for path in PRETRAINED.glob("*/agent.json"))


def test_there_are_released_agents():
    assert "rum500-ru" in RELEASED


@pytest.mark.parametrize("name", RELEASED)
def test_released_folder_is_whole_and_small(name):
    folder = PRETRAINED / name
    assert {path.name for path in folder.iterdir()} == {"agent.json", "agent.safetensors", "config.yml", "MODEL_CARD.md"}
    assert sum(path.stat().st_size for path in folder.iterdir()) < MOST_BYTES
    card = json.loads((folder / "agent.json").read_text())
    config = load_config(folder / "config.yml")
    assert card["rules"] == settings_in_words(make_rules(config.variant, **config.rules))
    assert card["training"]["config"]["seed"] == config.seed
    assert name in (folder / "MODEL_CARD.md").read_text()


@pytest.mark.parametrize("name", RELEASED)
def test_released_agent_plays_its_variant(name):
    variant = json.loads((PRETRAINED / name / "agent.json").read_text())["variant"]
    agent = make_agent(f"pretrained:{name}", variant)
    played = meet(agent, make_agent("random", variant), variant, 10, 3)
    assert played.deals.points[:, 0].mean() > played.deals.points[:, 1].mean()


def test_releasing_what_is_no_run_is_one_line_and_exit_2(tmp_path, capsys):
    assert main([str(tmp_path), "x"]) == 2
    assert "cannot be released" in capsys.readouterr().err
    assert main([]) == 2


def test_a_run_is_released_with_its_recipe(tmp_path, monkeypatch):
    from train.callbacks import Conductor
    from train.run import Run

    monkeypatch.setattr("train.release.PRETRAINED", tmp_path / "pretrained")
    smoke = load_config(Path(__file__).parent.parent / "configs" / "smoke.yaml")
    run = Run.create(smoke, tmp_path / "run")
    assert run.train(Conductor(run, quiet=True))
    assert main([str(tmp_path / "run"), "small"]) == 0
    folder = tmp_path / "pretrained" / "small"
    assert load_config(folder / "config.yml").steps == smoke.steps
    assert "warm start: 1,024 decisions of `lookahead`" in (folder / "MODEL_CARD.md").read_text()
    assert make_agent(str(folder), "gin-es").needs_observation
