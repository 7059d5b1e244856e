"""``python -m train``: trains an agent, or resumes a run.

``python -m train --config configs/gin_es.yaml --minutes 10`` begins a run; flags come after the file.
``python -m train --resume runs/gin-es/NAME`` goes on where a run was interrupted.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch starts its threads

from rummy_env.games import game_of
from rummy_env.jit import announce_compiling
from train.config import ConfigError, load_config, parse_flags


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


def main(arguments: list[str]) -> int:
    """Runs the command; returns the exit status (0 done, 130 interrupted and saved, 2 for bad input)."""
    from agents.base import AgentError
    from rummy_env.errors import PolicyError
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
            config = parse_flags(arguments, base)
            announce_compiling(game_of(config.variant).name)
            run = Run.create(config)
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
