"""``python -m train.demo [VARIANT] [FLAGS]``: trains a small agent, judges it on fresh decks, and leaves everything to look at.

About five minutes of training by ``configs/demo.yaml`` (500 Rum: ``configs/demo_rum500.yaml``), then the same decks in every
seat against scripted players (:data:`JUDGES`), on decks that neither training nor selection has seen. Flags are those of
``python -m train``.
"""

import dataclasses
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch starts its threads

from rummy_env.games import game_of
from rummy_env.jit import announce_compiling
from rummy_env.rules import RulesError
from train.config import ConfigError, TrainConfig, load_config, parse_flags

#: By game: the recipe, and who judges (in gin in whole games).
DEMOS = {"gin": "demo.yaml", "rum500": "demo_rum500.yaml"}
JUDGES = {"gin": ("random", "novice", "simple", "greedy"), "rum500": ("random", "layer", "row-miser", "greedy500")}
REPORT_SEED = 77_000_001
PAIRS = 500


def main(arguments: list[str]) -> int:
    """Runs the demo; returns the exit status."""
    try:
        variant = arguments.pop(0) if arguments and not arguments[0].startswith("-") else "gin-es"
        recipe = DEMOS[game_of(variant).name]
        config = dataclasses.replace(load_config(Path(__file__).parent.parent / "configs" / recipe), variant=variant)
        return _run(parse_flags(arguments, config))
    except (ConfigError, RulesError) as error:
        print(f"train.demo: {error}", file=sys.stderr)
        return 2


def _run(config: TrainConfig) -> int:
    from agents.base import make_agent
    from eval.report import save_json, table, tournament
    from train.callbacks import Conductor
    from train.curve import plot_curve
    from train.run import Run

    game = game_of(config.variant)
    announce_compiling(game.name)
    folder = Path("demo") / f"{config.variant}-{time.strftime('%Y%m%d-%H%M%S')}"
    run = Run.create(config, folder)
    print(f"training on {config.variant} for {config.minutes:g} minutes; points a deal on selection decks:", flush=True)
    if not run.train(Conductor(run)):
        print(f"interrupted and saved; go on with: python -m train --resume {folder}")
        return 130
    print("judging the best agent on fresh decks …\n", flush=True)
    agent = make_agent(str(folder / "best"), config.variant)
    agent.name = "your agent"
    pairings = [(agent, make_agent(name, config.variant)) for name in JUDGES[game.name]]
    games = game.name == "gin"
    document = tournament(pairings, config.variant, PAIRS, REPORT_SEED, games=games, **config.rules)
    print(table(document))
    save_json(document, folder / "results.json")
    plot_curve(folder, folder / "learning_curve.png")
    print(f"""
{folder}/
  best/               the agent: safetensors and its card
  results.json        the table above, with intervals
  learning_curve.png  points a deal over minutes
curves:      tensorboard --logdir {folder}/tb
more:        python -m eval arena {folder} {game.policies.DEFAULT} --variant {config.variant} --decks 1000
longer:      python -m train --config configs/{config.variant.replace("-", "_")}.yaml --minutes 30""")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
