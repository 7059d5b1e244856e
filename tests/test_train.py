"""Training: the command, exact resumption, refusals, and agents that load without unpickling."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch as th
from sb3_contrib import MaskablePPO

from agents import AgentError, make_agent
from agents.learned import load_agent, refuse_empty_masks
from agents.network import ILLEGAL, Actor, choose, masked_logits, sample
from eval.arena import meet
from rummy_env.envs.learner import LearnerTables
from rummy_env.envs.tables import Tables
from rummy_env.games import GAMES
from rummy_env.gin.observe import OBS_SIZE
from train.__main__ import main
from train.callbacks import Conductor
from train.config import ConfigError, TrainConfig, check, load_config, override, to_yaml
from train.run import Run
from train.selfplay import SnapshotPool
from train.vec_env import TablesVecEnv

ROOT = Path(__file__).parent.parent
SMOKE = load_config(ROOT / "configs" / "smoke.yaml")
EVERYONE = {"self": 1.0, "snapshots": 1.0, "simple": 1.0, "lookahead": 0.5}


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A finished smoke run."""
    folder = tmp_path_factory.mktemp("run") / "smoke"
    run = Run.create(replace(SMOKE, opponents=EVERYONE), folder)
    assert run.train(Conductor(run, quiet=True))
    return folder


def test_run_folder_holds_what_it_says(finished):
    for name in ("config.yml", "versions.json", "eval.jsonl", "MODEL_CARD.md", "best/agent.json", "last/agent.safetensors"):
        assert (finished / name).exists(), name
    assert list((finished / "tb").iterdir())
    assert sorted(p.name for p in (finished / "checkpoints").iterdir()) == ["025pct", "050pct", "075pct", "last"]
    assert json.loads((finished / "checkpoints/last/progress.json").read_text())["progress"]["steps"] == SMOKE.steps
    rows = [json.loads(line) for line in (finished / "eval.jsonl").read_text().splitlines()]
    assert rows[-1]["steps"] == SMOKE.steps
    assert set(rows[-1]["simple"]["finish"]) >= {"knock", "gin", "undercut", "dead"}


def test_tensorboard_has_the_curves(finished):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(finished / "tb"))
    events.Reload()
    scalars = set(events.Tags()["scalars"])
    assert scalars >= {
        "eval/simple/points_per_deal",
        "eval/simple/win_share",
        "eval/simple/knock",
        "deals/undercut",
        "deals/deadwood",
        "train/entropy",
        "train/value_loss",
        "time/fps",
    }


def test_agent_loads_from_run_folder_card_and_zip_and_plays_the_same(finished):
    checkpoint = finished / "checkpoints" / "last"
    paths = [finished / "last", finished / "last" / "agent.safetensors", checkpoint / "model.zip", checkpoint]
    agents = [load_agent(path, "gin-es") for path in paths]
    tables = Tables(32, "gin-es", seed=4)
    obs, masks = tables.observe(outlook=True)
    assert all(agent.outlook for agent in agents)
    moves = [agent.act(obs, masks, tables.view(), np.random.default_rng(0)) for agent in agents]
    assert all(np.array_equal(moves[0], other) for other in moves[1:])
    played = meet(make_agent(str(finished), "gin-es"), make_agent("random", "gin-es"), "gin-es", 5, 1)
    assert len(played.deals.points) == 10


def test_checkpoint_still_loads_as_plain_maskable_ppo(finished):
    model = MaskablePPO.load(finished / "checkpoints" / "last" / "model.zip", device="cpu")
    obs = np.zeros((3, model.observation_space.shape[0]), np.float32)
    masks = np.zeros((3, 108), bool)
    masks[:, 104] = True
    assert model.predict(obs, action_masks=masks)[0].tolist() == [104, 104, 104]


def test_wrong_variant_version_or_format_is_refused_by_name(finished, tmp_path):
    with pytest.raises(AgentError, match=r"trained for 'gin-es', not for 'gin-ru'"):
        load_agent(finished / "best", "gin-ru")
    for key, value in (("obs_version", 99), ("format", "rummy-agent/v0")):
        folder = tmp_path / key
        folder.mkdir()
        card = json.loads((finished / "best" / "agent.json").read_text()) | {key: value}
        (folder / "agent.json").write_text(json.dumps(card))
        (folder / "agent.safetensors").write_bytes((finished / "best" / "agent.safetensors").read_bytes())
        with pytest.raises(AgentError, match=f"{key} is"):
            load_agent(folder, "gin-es")
    with pytest.raises(AgentError, match=r"agent\.json is missing"):
        load_agent(tmp_path, "gin-es")
    (tmp_path / "x.zip").write_bytes(b"no zip")
    with pytest.raises(AgentError, match="no checkpoint"):
        load_agent(tmp_path / "x.zip", "gin-es")


def test_resumed_run_ends_with_the_same_weights(finished, tmp_path):
    config = replace(SMOKE, opponents=EVERYONE)
    run = Run.create(config, tmp_path / "cut")
    conductor = Conductor(run, quiet=True)
    # stop as Ctrl-C would: at the end of an update, half way
    original = conductor._on_rollout_start

    def stop_half_way() -> None:
        conductor.interrupted = conductor.interrupted or run.model.num_timesteps >= SMOKE.steps // 2
        original()

    conductor._on_rollout_start = stop_half_way  # type: ignore[method-assign]
    assert not run.train(conductor)
    assert run.model.num_timesteps < SMOKE.steps
    again = Run.resume(tmp_path / "cut")
    assert again.train(Conductor(again, quiet=True))
    whole = load_agent(finished / "last", "gin-es").actor.state_dict()
    parts = load_agent(tmp_path / "cut" / "last", "gin-es").actor.state_dict()
    assert all(th.equal(whole[name], parts[name]) for name in whole)


def test_resume_refuses_what_is_no_run(tmp_path, capsys):
    assert main(["--resume", str(tmp_path)]) == 2
    assert "no run that can be resumed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (["--minuts", "3"], "Unrecognized options: --minuts"),
        (["--rate", "abc"], "could not convert string to float: 'abc'"),
        (["--config"], "--config needs a value"),
        (["--resume"], "--resume needs a value"),
        (["--widths", "0"], "widths=(0,) is not possible"),
        (["--gamma", "7"], "gamma=7.0 is not possible: 0 to 1"),
        (["--clip", "0"], "clip=0.0 is not possible: above 0"),
        (["--out", str(ROOT / "README.md")], "cannot be written"),
    ],
)
def test_bad_flags_are_one_line_and_exit_2(flags, word, capsys):
    assert main(flags) == 2
    error = capsys.readouterr().err
    assert word in error
    assert error.count("\n") == 1


def test_help_names_config_and_resume(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    text = capsys.readouterr().out
    assert "--config FILE" in text
    assert "--resume RUN" in text


def test_a_run_is_not_written_over(finished):
    with pytest.raises(ConfigError, match="holds a run already"):
        Run.create(SMOKE, finished)


def test_config_precedence_and_refusals(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text("variant: gin-ru\nminutes: 2\nwidths: [64, 64]\n")
    config = load_config(file)
    assert (config.variant, config.minutes, config.widths) == ("gin-ru", 2.0, (64, 64))
    assert load_config(file) == config
    again = tmp_path / "again.yaml"
    again.write_text(to_yaml(config))
    assert load_config(again) == config
    for text, word in (
        ("minuts: 3", "unknown key 'minuts'; did you mean 'minutes'"),
        ("minutes: long", "minutes must be float"),
        ("variant: gin-xx", "unknown variant 'gin-xx'"),
        ("tables: 0", "tables=0"),
        ("rules: {knock_limit: 200}", "knock_limit allows 0 to 100"),
        ("- a", "no mapping"),
        ("a: [", "no YAML"),
    ):
        file.write_text(text)
        with pytest.raises(ConfigError, match=word):
            load_config(file)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "none.yaml")
    with pytest.raises(ConfigError, match="episode"):
        check(override(TrainConfig(), {"episode": "year"}, "test"))


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda p: p.stem)
def test_shipped_configs_load(path):
    check(load_config(path))


def test_command_trains_and_names_the_agent(tmp_path):
    command = [
        sys.executable,
        "-m",
        "train",
        "--config",
        str(ROOT / "configs" / "smoke.yaml"),
        "--out",
        str(tmp_path),
        "--steps",
        "1024",
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert "best agent:" in done.stdout
    for flags, word in ((["--config", "none.yaml"], "cannot be read"), (["--variant", "gin-xx"], "unknown variant")):
        failed = subprocess.run([sys.executable, "-m", "train", *flags], capture_output=True, text=True, cwd=ROOT, check=False)
        assert failed.returncode == 2
        assert word in failed.stderr
        assert "Traceback" not in failed.stderr


def test_vec_env_masks_are_one_array_and_episodes_are_reported():
    env = TablesVecEnv(LearnerTables(16, "gin-es", seed=1))
    env.reset()
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(200):
        masks = env.env_method("action_masks")
        assert masks.shape == (16, 108)
        actions = (rng.random(masks.shape) * masks).argmax(1)
        _, rewards, dones, infos = env.step(actions)
        for k in np.flatnonzero(dones):
            ended += 1
            assert infos[k]["episode"]["l"] > 0
            assert infos[k]["points"] / 25 == pytest.approx(rewards[k])
    assert ended > 10
    with pytest.raises(AttributeError, match="no method 'x'"):
        env.env_method("x")


def test_the_critic_sees_hidden_cards_and_the_actor_does_not():
    run_obs = LearnerTables(4, "gin-es", seed=1, privileged=True).observe()[0]
    actor = Actor(GAMES["gin"], (16,))
    with pytest.raises(RuntimeError):
        actor(th.from_numpy(run_obs))
    assert actor(th.from_numpy(run_obs[:, :OBS_SIZE])).shape == (4, 108)


def test_masks_are_never_overruled_even_by_an_exact_zero_draw():
    logits = masked_logits(th.zeros(1, 4), th.tensor([[True, False, True, False]]))
    assert logits[0, 1] == ILLEGAL
    draws = th.tensor([[1.0, 0.0, 2.0, 0.0]])
    assert sample(logits, draws).item() == 0


def test_ten_thousand_moves_without_an_illegal_one():
    tables = Tables(256, "gin-ru", seed=2)
    actor, rng = Actor(GAMES["gin"], (16,)), np.random.default_rng(0)
    for _ in range(40):
        over = tables.over
        if over.any():
            tables.start_matches(np.flatnonzero(over))
        obs, masks = tables.observe()
        tables.step(choose(actor, obs, masks, False, rng))  # raises for an illegal action


def test_an_empty_mask_is_refused():
    with pytest.raises(AgentError, match="row 1 has no legal action"):
        refuse_empty_masks(np.array([[1, 0], [0, 0]], np.int8))


def test_pool_thins_out_evenly():
    actor = Actor(GAMES["gin"], (4,))
    pool = SnapshotPool(actor, 4)
    for k in range(40):
        with th.no_grad():
            actor.blocks[0].head.bias.fill_(k)
        pool.offer(actor)
    ages = [int(snapshot.blocks[0].head.bias[0]) for snapshot in pool.snapshots]
    assert len(ages) <= 4
    assert ages == sorted(ages)
    assert max(np.diff(ages)) <= 16
