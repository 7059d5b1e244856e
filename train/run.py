"""A training run: its folder, the model it trains, checkpoints that resume exactly, and the loop around ``learn``.

``RUN/`` holds ``config.yml``, ``versions.json``, ``eval.jsonl``, ``tb/`` (TensorBoard), ``best/`` and ``last/`` (agents:
safetensors and card), ``checkpoints/`` and, at the end, ``MODEL_CARD.md``. ``checkpoints/last`` is written whole beside
the old one and then takes its place, so that an interrupted run can always be resumed.
"""

import json
import platform
import shutil
import signal
import time
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import torch as th
from stable_baselines3.common.logger import configure

from agents.base import make_agent
from agents.learned import LearnedAgent, card_of, save_agent
from agents.network import sizes
from agents.scripted import ScriptedAgent
from rummy_env.envs.learner import LearnerTables
from rummy_env.games import game_of
from rummy_env.rules import Rules, make_rules
from train.config import ConfigError, TrainConfig, load_config, to_yaml
from train.imitate import imitate
from train.policy import ActorCritic
from train.ppo import LeanMaskablePPO, TensorRolloutBuffer
from train.selfplay import CurrentSelf, SnapshotPool
from train.vec_env import Search, TablesVecEnv

_PACKAGES = ("numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")


@dataclass
class Progress:
    """What a run has done so far, beside weights and tables."""

    steps: int = 0
    updates: int = 0
    seconds: float = 0.0
    best: float | None = None
    next_evaluation: float = 0.0
    kept: int = 0
    evaluations: list[dict[str, Any]] = field(default_factory=list)


class Run:
    """Everything a training run consists of; :meth:`create` begins one, :meth:`resume` goes on with one."""

    def __init__(self, config: TrainConfig, folder: Path) -> None:
        self.config, self.folder = config, folder
        self.progress = Progress()
        self.rules: Rules = make_rules(config.variant, **config.rules)
        self.rng = np.random.default_rng([config.seed, 1])
        th.set_num_threads(config.threads)
        learner = LearnerTables(
            config.tables,
            config.variant,
            config.seed,
            episode=config.episode,
            reward=config.reward,
            obs="outlook" if config.outlook else "float",
            privileged=config.privileged,
            foretold=config.foretold,
            shaping=config.shaping,
            threads=config.threads,
            **config.rules,
        )
        self.env = TablesVecEnv(learner)
        self.model = self._model()
        self.pool = SnapshotPool(self.actor, config.pool)
        learner.set_opponents([(self._opponent(name), weight) for name, weight in config.opponents.items()])
        learner.reset(config.seed)

    def _opponent(self, name: str) -> Any:
        """Who sits at another seat: a compiled policy by its name, the actor in training, its snapshots, or any agent."""
        if name == "self":
            return CurrentSelf(self.actor)
        if name == "snapshots":
            return self.pool
        agent = make_agent(name, self.config.variant)
        return name if isinstance(agent, ScriptedAgent) else agent

    @property
    def actor(self):
        """The network in training."""
        return self.model.policy.actor

    @classmethod
    def create(cls, config: TrainConfig, folder: Path | None = None) -> "Run":
        """Begins a run in a new folder, named by variant, name, seed and time unless ``folder`` says otherwise.

        Raises ConfigError if the folder holds a run or cannot be written.
        """
        if folder is None:
            stamp = time.strftime("%Y%m%d-%H%M%S")
            folder = Path(config.out) / config.variant / f"{config.name}-s{config.seed}-{stamp}"
        if (folder / "config.yml").exists():
            raise ConfigError(f"{folder} holds a run already: resume it with --resume {folder}, or choose another name")
        try:
            (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"{error.filename} cannot be written: {error.strerror}") from None
        run = cls(config, folder)
        (folder / "config.yml").write_text(to_yaml(config))
        (folder / "versions.json").write_text(json.dumps(versions(config.variant), indent=1) + "\n")
        return run

    @classmethod
    def resume(cls, folder: Path) -> "Run":
        """Goes on with a run from its last checkpoint. Raises ConfigError if there is none that fits."""
        last = folder / "checkpoints" / "last"
        if not (last / "progress.json").exists():
            raise ConfigError(f"{folder} is no run that can be resumed: checkpoints/last/progress.json is missing")
        saved = json.loads((last / "progress.json").read_text())
        config = load_config(folder / "config.yml")
        now = game_of(config.variant).observe.OBS_VERSION
        if saved["obs_version"] != now:
            raise ConfigError(f"{folder} was trained on observation version {saved['obs_version']}, this is {now}")
        run = cls(config, folder)
        run._restore(last, saved)
        return run

    def _model(self) -> LeanMaskablePPO:
        config = self.config
        model = LeanMaskablePPO(
            ActorCritic,
            self.env,
            learning_rate=_Linear(config.rate, config.rate_end),
            n_steps=config.rollout,
            batch_size=config.batch,
            n_epochs=config.epochs,
            gamma=config.gamma,
            gae_lambda=config.gae_lambda,
            clip_range=config.clip,
            vf_coef=config.value_weight,
            max_grad_norm=config.gradient_norm,
            rollout_buffer_class=TensorRolloutBuffer,
            policy_kwargs={
                "game": game_of(config.variant).name,
                "widths": config.widths,
                "critic_widths": config.critic_widths,
                "outlook": config.outlook,
                "optimizer_kwargs": {"fused": True, "eps": 1e-5},
            },
            seed=config.seed,
            device="cpu",
        )
        model.seconds = 60 * config.minutes
        model.critic_first = config.critic_first if config.imitate_decisions or config.start else 0
        if config.start:
            begin_from(model.policy.actor, config)
        if config.search_share:
            model.search = Search(config.search_worlds, *game_of(config.variant).parse_policy(config.search))
            model.search_share, model.search_epochs = config.search_share, config.search_epochs
        model.entropy_start, model.entropy_end = config.entropy, config.entropy_end
        model.set_logger(configure(str(self.folder / "tb"), ["tensorboard"]))
        return model

    def card(self, **more: Any) -> dict[str, Any]:
        """The card of the agent as it is now."""
        training = {"config": json.loads(json.dumps(self.config.__dict__)), "steps": self.model.num_timesteps}
        training["minutes"] = round(self.model.time_used() / 60, 2)
        return card_of(self.config.variant, self.rules, self.actor, training=training, **more)

    def save_last(self) -> None:
        """Writes the checkpoint from which the run goes on exactly, and the agent as it is."""
        target = self.folder / "checkpoints" / "last"
        part, old = target.with_name("last.part"), target.with_name("last.old")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        self._write(part)
        if target.exists():
            shutil.rmtree(old, ignore_errors=True)
            target.rename(old)
        part.rename(target)
        shutil.rmtree(old, ignore_errors=True)
        save_agent(self.folder / "last", self.actor, self.card())

    def keep(self, name: str) -> None:
        """Keeps the agent as it is for good, in ``checkpoints/NAME``."""
        save_agent(self.folder / "checkpoints" / name, self.actor, self.card())

    def _write(self, folder: Path) -> None:
        model, learner, progress = self.model, self.env.learner, self.progress
        progress.steps, progress.seconds = model.num_timesteps, model.time_used()
        model.card = self.card()
        model.save(folder / "model.zip", exclude=["rollout_buffer", "lr_schedule", "learning_rate", "clip_range"])
        pool = self.pool.save(folder / "pool")
        arrays: dict[str, Any] = {f"learner_{name}": value for name, value in learner.arrays().items()}
        generator: Any = np.random.get_state()  # noqa: NPY002
        arrays |= {
            "lengths": self.env._lengths,
            "returns": self.env._returns,
            "starts": np.asarray(model._last_episode_starts),
            "torch": th.get_rng_state().numpy(),
            "numpy": generator[1],
            "numpy_at": np.array(generator[2]),
        }
        np.savez(folder / "tables.npz", **arrays)
        saved = {
            "obs_version": game_of(self.config.variant).observe.OBS_VERSION,
            "progress": progress.__dict__,
            "n_updates": model._n_updates,
            "pool": pool,
            "rng": self.rng.bit_generator.state,
            "opponents_rng": learner.rng.bit_generator.state,
        }
        (folder / "progress.json").write_text(json.dumps(saved, indent=1) + "\n")

    def _restore(self, folder: Path, saved: dict[str, Any]) -> None:
        model, learner = self.model, self.env.learner
        self.progress = Progress(**saved["progress"])
        model.set_parameters(str(folder / "model.zip"), device="cpu")  # weights and optimiser only: nothing is unpickled
        self.pool.load(folder / "pool", saved["pool"])
        with np.load(folder / "tables.npz", allow_pickle=False) as arrays:
            learner.set_arrays({name.removeprefix("learner_"): arrays[name] for name in arrays if name.startswith("learner_")})
            self.env._lengths, self.env._returns = arrays["lengths"], arrays["returns"]
            model._last_episode_starts = arrays["starts"]
            th.set_rng_state(th.from_numpy(arrays["torch"]))
            np.random.set_state(("MT19937", arrays["numpy"], int(arrays["numpy_at"]), 0, 0.0))  # noqa: NPY002
        self.rng.bit_generator.state = saved["rng"]
        learner.rng.bit_generator.state = saved["opponents_rng"]
        model.num_timesteps, model._n_updates = self.progress.steps, saved["n_updates"]
        model.elapsed = self.progress.seconds
        model._last_obs = self.env.look()

    def train(self, callback: Any) -> bool:
        """Trains to the end of the budget; False if it was interrupted (and saved) before.

        The first Ctrl-C stops and saves at the end of the update under way, the second stops at once.
        """
        config, model = self.config, self.model
        model.begin_clock()
        goal = 1 << 60 if config.minutes else config.steps
        before = signal.getsignal(signal.SIGINT)

        def stop(number: int, frame: Any) -> None:
            callback.interrupted = True
            signal.signal(signal.SIGINT, signal.default_int_handler)

        signal.signal(signal.SIGINT, stop)
        try:
            if config.imitate_decisions and not model.num_timesteps:
                agreement = imitate(self.actor, config)
                self.pool.begin(self.actor)
                callback.say(f"warm start: repeats {100 * agreement:.0f}% of {config.imitate}'s decisions")
            if model.num_timesteps < goal:
                # learn() counts its steps from num_timesteps when it is told not to reset them
                model.learn(goal - model.num_timesteps, callback, log_interval=1, reset_num_timesteps=False)
        finally:
            signal.signal(signal.SIGINT, before)
        callback.finish()
        return not callback.interrupted


def begin_from(actor: Any, config: TrainConfig) -> None:
    """Gives an actor the weights of the agent to start from. Raises ConfigError if its network is another."""
    agent = make_agent(config.start, config.variant, transfer=True)
    if not isinstance(agent, LearnedAgent):
        raise ConfigError(f"start={config.start!r} is no learned agent")
    if sizes(agent.actor) != sizes(actor):
        raise ConfigError(f"start={config.start!r} has the network {sizes(agent.actor)}, the config says {sizes(actor)}")
    actor.load_state_dict(agent.actor.state_dict())


@dataclass
class _Linear:
    """A schedule from ``start`` (remaining 1) to ``end`` (remaining 0)."""

    start: float
    end: float

    def __call__(self, remaining: float) -> float:
        return self.end + (self.start - self.end) * remaining


def versions(variant: str) -> dict[str, str]:
    """The versions a run for a variant was made with."""
    found = {"python": platform.python_version(), "obs_version": str(game_of(variant).observe.OBS_VERSION)}
    for name in ("rummy-env", *_PACKAGES):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
