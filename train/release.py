"""``python -m train.release RUN NAME``: puts a run's best agent into ``agents/pretrained/NAME``, with recipe and model card.

The folder holds ``agent.safetensors``, ``agent.json``, ``config.yml`` (the recipe: ``python -m train --config`` trains it
again) and ``MODEL_CARD.md``. What the agent reaches is measured on decks that neither training nor selection saw.
"""

import dataclasses
import json
import shutil
import sys
from pathlib import Path
from typing import Any

from rummy_env.record import write_whole
from train.config import TrainConfig, load_config, to_yaml

PRETRAINED = Path(__file__).parent.parent / "agents" / "pretrained"
#: Largest file that is released, in bytes.
MOST_BYTES = 5_000_000


def model_card(name: str, card: dict[str, Any]) -> str:
    """The text of a released agent's model card, from its ``agent.json``."""
    training = card["training"]
    config, evaluation = training["config"], card.get("evaluation", {})
    facts = [
        ("game, variant", f"{card['game']}, `{card['variant']}`, observation version {card['obs_version']}"),
        ("network", json.dumps(card["network"])),
        ("trained", f"{training['minutes']:.1f} minutes, {training['steps']:,} decisions, seed {config['seed']}"),
        ("warm start", _warm_start(config)),
    ]
    if config["search_share"]:
        worlds = f"{config['search_worlds']} worlds a decision, played on by `{config['search']}`"
        facts.append(("search", f"the first {100 * config['search_share']:.0f}% of the time, {worlds}"))
    facts += [
        ("opponents", ", ".join(f"`{who}` {weight:g}" for who, weight in config["opponents"].items())),
        ("reward", config["reward"]),
        (
            "critic in training",
            "sees the hidden cards; the actor never does" if config["privileged"] else "sees what the actor sees",
        ),
        ("foretold to the critic", ", ".join(f"`{policy}`" for policy in config.get("foretold", ())) or "nothing"),
        ("chosen", f"best mean of {', '.join(config['eval_opponents'])} on selection decks (seed {config['eval_seed']})"),
        ("at", f"{evaluation.get('minutes', training['minutes'])} minutes"),
    ]
    text = "\n".join(f"- {what}: {words}" for what, words in facts)
    return f"""# {name}

{text}

The recipe is `config.yml`: `python -m train --config agents/pretrained/{name}/config.yml`. It follows the wall clock, on two
cores; a faster or slower machine makes another agent. The selection figures flatter; README's table is from fresh decks.

Use: `python -m eval arena pretrained:{name} OTHERS --variant {card["variant"]}`. It takes the likeliest action; the
arena's `--sample` draws from its policy instead. {_score(config)}
"""


def _score(config: dict[str, Any]) -> str:
    if config["episode"] == "match":
        return "It was trained in whole matches, whose score it sees."
    return "It was trained for single deals and does not know a match's score."


def _warm_start(config: dict[str, Any]) -> str:
    start = config.get("start")
    return f"from `{start}`" if start else f"{config['imitate_decisions']:,} decisions of `{config['imitate']}`"


def release(run: Path, name: str) -> Path:
    """Copies a run's best agent into its folder, which it returns. Raises ValueError that says what is missing or too large."""
    for path in (run / "best" / "agent.json", run / "best" / "agent.safetensors", run / "config.yml"):
        if not path.exists():
            raise ValueError(f"{run} cannot be released: {path} is missing")
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"{path} is larger than {MOST_BYTES:,} bytes")
    folder = PRETRAINED / name
    folder.mkdir(parents=True, exist_ok=True)
    card = json.loads((run / "best" / "agent.json").read_text())
    card["training"]["config"]["out"] = TrainConfig.out
    shutil.copyfile(run / "best" / "agent.safetensors", folder / "agent.safetensors")
    write_whole(folder / "agent.json", json.dumps(card, indent=1) + "\n")
    write_whole(folder / "config.yml", to_yaml(dataclasses.replace(load_config(run / "config.yml"), out=TrainConfig.out)))
    write_whole(folder / "MODEL_CARD.md", model_card(name, card))
    return folder


def main(arguments: list[str]) -> int:
    """The command; returns the exit status."""
    if len(arguments) != 2:
        print("train.release: python -m train.release RUN NAME", file=sys.stderr)
        return 2
    try:
        print(release(Path(arguments[0]), arguments[1]))
    except (ValueError, OSError) as error:
        print(f"train.release: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
