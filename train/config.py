"""The settings of a training run: one dataclass, whose field docstrings are the ``--help``.

Precedence: the defaults here, then ``--config FILE``, then flags. A YAML file holds overrides only, and a key that is
no field is refused by name.
"""

import contextlib
import dataclasses
import difflib
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from rummy_env.games import game_of
from rummy_env.reward import REWARDS
from rummy_env.rules import RulesError, make_rules


class ConfigError(ValueError):
    """A config that cannot be read, or holds a key or value that is not possible."""


@dataclass
class TrainConfig:
    """Train an agent by PPO against scripted players, its own snapshots and itself."""

    variant: str = "gin-es"
    """The variant to train for (`python -m rummy_env rules` lists them)."""
    rules: dict[str, str] = field(default_factory=dict)
    """Settings of the variant to override, by word or number."""
    name: str = "ppo"
    """The run's name: its folder is OUT/VARIANT/NAME-sSEED-TIME."""
    out: str = "runs"
    """Where runs are written."""
    seed: int = 0
    """Decides decks, weights and every random choice of the run."""

    minutes: float = 5.0
    """Wall-clock minutes to train, evaluation included; the schedules follow it. 0: follow `steps` instead."""
    steps: int = 2_000_000
    """Learner decisions to train for when `minutes` is 0: the same seed and threads then give the same agent."""

    tables: int = 512
    """Tables played at once."""
    rollout: int = 32
    """Decisions at each table between two updates."""
    epochs: int = 3
    """Passes over a rollout at each update."""
    batch: int = 2048
    """Decisions in a gradient step."""
    rate: float = 1e-3
    """Adam's learning rate at the start; it falls linearly to `rate_end`."""
    rate_end: float = 5e-5
    """The learning rate at the end."""
    entropy: float = 0.01
    """Weight of the policy's entropy at the start; it falls linearly to `entropy_end`."""
    entropy_end: float = 0.003
    """Weight of the entropy at the end."""
    clip: float = 0.2
    """PPO's clip range."""
    gamma: float = 1.0
    """Discount of later rewards."""
    gae_lambda: float = 0.95
    """λ of the generalised advantage estimate."""
    value_weight: float = 0.5
    """Weight of the value loss."""
    gradient_norm: float = 0.5
    """The gradient's norm is clipped at this."""
    widths: tuple[int, ...] = (256, 256)
    """Hidden layers of the actor."""
    critic_widths: tuple[int, ...] = (128, 128)
    """Hidden layers of the critic."""
    outlook: bool = True
    """Whether the agent is told what the next draw promises (some microseconds a decision)."""
    privileged: bool = True
    """Whether the critic sees the other hands in training (the actor never does)."""
    foretold: tuple[str, ...] = ()
    """Scripted policies that foretell the critic in training how the deal would end if they played on; none: it is not told."""

    start: str = ""
    """The learned agent (`pretrained:NAME` or a path) to go on from, of any variant of the game; nothing is imitated then."""
    imitate: str = ""
    """The scripted policy whose decisions the actor first learns to repeat. Default: the game's, lookahead or greedy500."""
    imitate_decisions: int = 600_000
    """How many of them; 0: start from random weights."""
    critic_first: int = 8
    """Updates in which only the critic learns, so that a warm-started actor is not spoilt by a raw critic."""

    search: str = ""
    """The scripted policy that plays on for the learner in sampled worlds, to value every candidate action, in the searched
    phase. Default: the game's, lookahead or greedy500."""
    search_share: float = 0.0
    """Share of the run, from its beginning, in which the actor learns from searched values; 0: none."""
    search_worlds: int = 6
    """Sampled worlds for each decision of the searched phase."""
    search_epochs: int = 4
    """Passes over a rollout in the searched phase."""

    opponents: dict[str, float] = field(default_factory=dict)
    """Who sits at the other seats, by weight (`--opponents self 0.3 simple 0.7`): names of agents, `self` (the current
    weights) and `snapshots` (earlier ones). Default: self 0.3, snapshots 0.1, simple 0.3, greedy 0.1, lookahead 0.2, or in
    500 Rum self 0.2, snapshots 0.1, greedy500 0.4, holder 0.1, row-miser 0.1, layer 0.1."""
    snapshot_every: int = 20
    """Updates between two snapshots of the policy for the pool."""
    pool: int = 12
    """Snapshots kept: the pool thins out evenly as it fills."""
    episode: str = "deal"
    """What an episode is: `deal` or `match`."""
    reward: str = "points"
    """What a deal earns: its `points`, their `margin` over the mean of all seats (in gin the same), that and a bonus for the
    first `place`, or what it changes in the `chance` to win the match."""
    shaping: float = 0.0
    """Potential-based reward for lowering what the own hand costs (in gin its least deadwood), a point of it (0: none)."""

    eval_minutes: float = 1.0
    """Minutes between two evaluations; 0: evaluate by `eval_updates`."""
    eval_updates: int = 50
    """Updates between two evaluations when `eval_minutes` is 0."""
    eval_pairs: int = 500
    """Mirrored deals against each evaluation opponent."""
    eval_opponents: tuple[str, ...] = ()
    """The opponents of the evaluation; the mean of points over them chooses the best agent. Default: simple greedy lookahead,
    or in 500 Rum greedy500 and row-miser."""
    eval_seed: int = 1_000_003
    """The evaluation's decks, apart from the training's and the reports'."""
    keep_every: float = 0.25
    """A checkpoint is kept for good each time this share of the run is done."""

    threads: int = 2
    """Threads for torch and for the tables."""


#: What stands for a field that is empty, by game.
OF_GAME: dict[str, dict[str, Any]] = {
    "gin": {
        "imitate": "lookahead",
        "search": "swift",
        "opponents": {"self": 0.3, "snapshots": 0.1, "simple": 0.3, "greedy": 0.1, "lookahead": 0.2},
        "eval_opponents": ("simple", "greedy", "lookahead"),
    },
    "rum500": {
        "imitate": "greedy500",
        "search": "greedy500",
        "opponents": {"self": 0.2, "snapshots": 0.1, "greedy500": 0.4, "holder": 0.1, "row-miser": 0.1, "layer": 0.1},
        "eval_opponents": ("greedy500", "row-miser"),
    },
}


def _tuples(value: Any, like: Any) -> Any:
    return tuple(value) if isinstance(like, tuple) and isinstance(value, list) else value


def load_config(path: Path | None, base: TrainConfig | None = None) -> TrainConfig:
    """The defaults (or ``base``) with the overrides of a YAML file. Raises ConfigError naming file and key."""
    config = base or TrainConfig()
    if path is None:
        return config
    try:
        values = yaml.safe_load(path.read_text()) or {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path} is no YAML: {' '.join(str(error).split())}") from None
    if not isinstance(values, dict):
        raise ConfigError(f"{path} is no mapping of settings")
    return check(override(config, values, str(path)))


def override(config: TrainConfig, values: dict[str, Any], where: str) -> TrainConfig:
    """A config with some fields replaced. Raises ConfigError for a key that is no field or a value of another kind."""
    known = {f.name: getattr(config, f.name) for f in dataclasses.fields(TrainConfig)}
    for key, value in values.items():
        if key not in known:
            close = difflib.get_close_matches(str(key), known, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ConfigError(f"{where}: unknown key {key!r}{hint} (known: {', '.join(known)})")
        default = known[key]
        value = _tuples(value, default)
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not type(default):
            raise ConfigError(f"{where}: {key} must be {type(default).__name__}, not {value!r}")
        known[key] = value
    return dataclasses.replace(config, **known)


def check(config: TrainConfig) -> TrainConfig:
    """Returns the config, what is left open filled in; raises ConfigError naming the first setting that is not possible."""
    try:
        make_rules(config.variant, **config.rules)
    except (RulesError, TypeError) as error:
        raise ConfigError(str(error)) from None
    positive: tuple[str, ...] = ("tables", "rollout", "epochs", "batch", "snapshot_every", "pool", "eval_updates", "eval_pairs")
    positive += ("search_worlds", "search_epochs", "threads")
    for name in positive:
        if getattr(config, name) < 1:
            raise ConfigError(f"{name}={getattr(config, name)} is not possible: at least 1")
    game = game_of(config.variant)
    config = dataclasses.replace(
        config, **{name: value for name, value in OF_GAME[game.name].items() if not getattr(config, name)}
    )
    policies = game.policies.POLICIES
    for policy in config.foretold:
        if policy.partition(":")[0] not in policies:
            raise ConfigError(f"foretold: {policy!r} is no scripted policy (there are: {', '.join(policies)})")
    if config.start:
        config = dataclasses.replace(config, imitate_decisions=0)
    for name, used in (("imitate", config.imitate_decisions > 0), ("search", config.search_share > 0)):
        policy = getattr(config, name)
        if used and policy.partition(":")[0] not in policies:
            raise ConfigError(f"{name}={policy!r} is no scripted policy (there are: {', '.join(policies)})")
    for name in (
        "minutes",
        "imitate_decisions",
        "critic_first",
        "rate",
        "rate_end",
        "entropy",
        "entropy_end",
        "eval_minutes",
        "shaping",
    ):
        if getattr(config, name) < 0:
            raise ConfigError(f"{name}={getattr(config, name)} is not possible: not below 0")
    for name in ("widths", "critic_widths"):
        if not getattr(config, name) or min(getattr(config, name)) < 1:
            raise ConfigError(f"{name}={getattr(config, name)} is not possible: one or more layers of at least 1")
    for name in ("gamma", "gae_lambda"):
        if not 0 <= getattr(config, name) <= 1:
            raise ConfigError(f"{name}={getattr(config, name)} is not possible: 0 to 1")
    for name in ("clip", "value_weight", "gradient_norm"):
        if not getattr(config, name) > 0:
            raise ConfigError(f"{name}={getattr(config, name)} is not possible: above 0")
    if config.minutes == 0 and config.steps < 1:
        raise ConfigError("minutes=0 needs steps of at least 1")
    for name, allowed in (("episode", ("deal", "match")), ("reward", REWARDS)):
        if getattr(config, name) not in allowed:
            raise ConfigError(f"{name}={getattr(config, name)!r} is not possible: {' | '.join(allowed)}")
    if config.reward == "chance" and game.name != "gin":
        others = " | ".join(reward for reward in REWARDS if reward != "chance")
        raise ConfigError(f"reward='chance' is not possible in {config.variant}: {others}")
    if (
        not config.opponents
        or not all(weight >= 0 for weight in config.opponents.values())
        or not sum(config.opponents.values())
    ):
        raise ConfigError("opponents must have at least one name with a weight above 0, none below")
    if not 0 <= config.search_share <= 1:
        raise ConfigError(f"search_share={config.search_share} is not possible: 0 to 1")
    if not 0 < config.keep_every <= 1:
        raise ConfigError(f"keep_every={config.keep_every} is not possible: above 0, at most 1")
    return config


def parse_flags(arguments: list[str], base: TrainConfig) -> TrainConfig:
    """The config with the flags' values. Raises ConfigError, in one line, for flags that cannot be read."""
    import tyro

    # an empty mapping lets tyro take any keys; what no flag names keeps the file's or the default's
    bare = dataclasses.replace(base, opponents={}, rules={})
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            config = tyro.cli(TrainConfig, args=arguments, default=bare, prog="python -m train", description=_HELP)
    except SystemExit as stop:
        if stop.code in (0, None):
            raise
        # below a title, in a box or, where the encoding has none, between rules of dashes
        lines = [line.strip("│╰╯─ ") for line in said.getvalue().splitlines()[1:]]
        text = " ".join(line for line in lines if line.strip("-"))
        words = " ".join(text.partition("For full helptext")[0].split())
        raise ConfigError(f"{words} (see --help)") from None
    config.opponents, config.rules = config.opponents or base.opponents, config.rules or base.rules
    return check(config)


_HELP = """Train an agent by PPO against scripted players, its own snapshots and itself.

--config FILE begins from the overrides in a YAML file; the flags below come after it.
--resume RUN goes on with an interrupted run, with its own config and no other flag."""


def to_yaml(config: TrainConfig) -> str:
    """The whole config as YAML, readable by :func:`load_config`."""
    values = {k: list(v) if isinstance(v, tuple) else v for k, v in dataclasses.asdict(config).items()}
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
