"""``python -m train``: trains an agent, or resumes a run.

``python -m train --config configs/gin_es.yaml --minutes 10`` begins a run; flags come after the file.
``python -m train --resume runs/gin-es/NAME`` goes on where a run was interrupted.
"""

import contextlib
import dataclasses
import io
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch starts its threads

from rummy_env.jit import is_cold
from train.config import ConfigError, TrainConfig, check, load_config


def take(flag: str, arguments: list[str]) -> str | None:
    """Removes ``--flag VALUE`` (or ``--flag=VALUE``) from the arguments and returns the value."""
    for k, argument in enumerate(arguments):
        if argument == flag:
            if k + 1 == len(arguments):
                raise ConfigError(f"{flag} needs a value")
            del arguments[k]
            return arguments.pop(k)
        if argument.startswith(flag + "="):
            return arguments.pop(k).removeprefix(flag + "=")
    return None


def parse(arguments: list[str], base: TrainConfig) -> TrainConfig:
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


_HELP = """Train a gin agent by PPO against scripted players, its own snapshots and itself.

--config FILE begins from the overrides in a YAML file; the flags below come after it.
--resume RUN goes on with an interrupted run, with its own config and no other flag."""


def main(arguments: list[str]) -> int:
    """Runs the command; returns the exit status (0 done, 130 interrupted and saved, 2 for bad input)."""
    from agents.base import AgentError
    from rummy_env.gin.policies import PolicyError
    from train.callbacks import Conductor
    from train.run import Run

    try:
        config_file, resumed = take("--config", arguments), take("--resume", arguments)
        if resumed is not None:
            if arguments or config_file:
                raise ConfigError("--resume takes the run's own config: no other flag goes with it")
            run = Run.resume(Path(resumed))
        else:
            base = load_config(Path(config_file) if config_file else None)
            config = parse(arguments, base)
            if is_cold():
                print("compiling the engine (once, about half a minute) …", flush=True)
            try:
                run = Run.create(config)
            except OSError as error:
                raise ConfigError(f"--out {config.out}: {error.filename} cannot be written: {error.strerror}") from None
        conductor = Conductor(run)
    except (ConfigError, PolicyError, AgentError) as error:
        print(f"train: {error}", file=sys.stderr)
        return 2
    print(f"training {run.config.variant} in {run.folder}", flush=True)
    finished = run.train(conductor)
    if not finished:
        print(f"interrupted and saved; go on with: python -m train --resume {run.folder}")
        return 130
    print(f"best agent: {run.folder}/best   curves: tensorboard --logdir {run.folder}/tb")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:  # before the run could take it, or the second one
        print("train: interrupted", file=sys.stderr)
        sys.exit(130)
