"""Learned agents: weights as safetensors beside a JSON card; nothing is ever unpickled but by ``sb3:``.

An agent folder holds ``agent.safetensors`` (the actor's weights) and ``agent.json``: format, game, variant, the full rules,
obs_version, network sizes, and how it was trained. Folders are written whole or not at all.
"""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch as th
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file

from agents.base import AgentError
from agents.network import Actor, choose, probabilities, sizes
from rummy_env.envs.tables import SeatView
from rummy_env.games import game_of
from rummy_env.rules import Rules, settings_in_words

FORMAT = "rummy-agent/v1"


class LearnedAgent:
    """A trained actor. ``deterministic`` takes the likeliest legal action, else it draws from the policy."""

    needs_observation = True

    def __init__(self, actor: Actor, name: str, *, deterministic: bool = True) -> None:
        self.actor = actor.eval()
        self.outlook = actor.outlook
        self.name = name
        self.deterministic = deterministic

    def act(
        self, obs: NDArray[np.float32], mask: NDArray[np.int8], view: SeatView, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Actions int64[k]; raises AgentError for a row without a legal action."""
        refuse_empty_masks(mask)
        return choose(self.actor, obs, mask, self.deterministic, rng)

    def chances(self, obs: NDArray[np.float32], mask: NDArray[np.int8]) -> NDArray[np.float32]:
        """The policy: how likely each action is, float32[k, NUM_ACTIONS]."""
        return probabilities(self.actor, obs, mask)


class SB3Agent:
    """Any stable-baselines3 or sb3-contrib MaskablePPO zip, played with masks. Loading it unpickles: trusted files only."""

    needs_observation = True

    def __init__(self, path: Path, variant: str, *, deterministic: bool = True) -> None:
        from sb3_contrib import MaskablePPO

        self.model = MaskablePPO.load(path, device="cpu")
        game, shape = game_of(variant), self.model.observation_space.shape
        known = {(game.obs_size(),): False, (game.obs_size(outlook=True),): True}
        if shape not in known:
            version = game.observe.OBS_VERSION
            raise AgentError(
                f"sb3:{path} observes {shape}, {game.name}'s observation version {version} is one of {list(known)}"
            )
        self.outlook = known[shape]
        self.name = f"sb3:{path}"
        self.deterministic = deterministic

    def act(
        self, obs: NDArray[np.float32], mask: NDArray[np.int8], view: SeatView, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Actions int64[k]; raises AgentError for a row without a legal action."""
        refuse_empty_masks(mask)
        return self.model.predict(obs, action_masks=mask.astype(bool), deterministic=self.deterministic)[0].astype(np.int64)


def refuse_empty_masks(mask: NDArray[np.int8]) -> None:
    """Raises AgentError if a row has no legal action: a network would choose among all of them in silence."""
    empty = np.flatnonzero(~mask.any(1))
    if len(empty):
        raise AgentError(f"row {int(empty[0])} has no legal action: its deal is over")


def card_of(variant: str, rules: Rules, actor: Actor, **more: Any) -> dict[str, Any]:
    """An agent's card: what it was trained for, what it reads, and how to build it."""
    return {
        "format": FORMAT,
        "game": actor.game.name,
        "variant": variant,
        "rules": settings_in_words(rules),
        "obs_version": actor.game.observe.OBS_VERSION,
        "network": sizes(actor),
        **more,
    }


def save_agent(folder: Path, actor: Actor, card: dict[str, Any]) -> None:
    """Writes an agent folder; each file appears whole, the card last."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in actor.state_dict().items()}
    save_file(weights, folder / "agent.safetensors.part")
    (folder / "agent.safetensors.part").replace(folder / "agent.safetensors")
    (folder / "agent.json.part").write_text(json.dumps(card, indent=1) + "\n")
    (folder / "agent.json.part").replace(folder / "agent.json")


def load_agent(path: Path, variant: str, *, deterministic: bool = True, any_variant: bool = False) -> LearnedAgent:
    """The agent in a folder, run, card or checkpoint zip. Raises AgentError, naming both sides, if it does not fit.

    ``any_variant`` lets an agent play a variant it was not trained for (transfer experiments).
    """
    if (path / "model.zip").exists():
        path = path / "model.zip"
    if path.suffix == ".zip":
        card, weights = _read_zip(path)
    else:
        card, weights = _read_folder(path)
    game = game_of(variant)
    for key, wanted in (("format", FORMAT), ("game", game.name), ("obs_version", game.observe.OBS_VERSION)):
        if card.get(key) != wanted:
            raise AgentError(f"{path}: {key} is {card.get(key)!r}, this version reads {wanted!r}")
    if card.get("variant") != variant and not any_variant:
        raise AgentError(f"{path} was trained for {card.get('variant')!r}, not for {variant!r}")
    try:
        actor = Actor(game, tuple(card["network"]["widths"]), card["network"]["outlook"])
        actor.load_state_dict(weights)
    except (KeyError, TypeError, RuntimeError) as error:
        raise AgentError(f"{path}: the weights do not fit the network of its card ({str(error).splitlines()[0]})") from None
    return LearnedAgent(actor, str(path), deterministic=deterministic)


def _read_folder(path: Path) -> tuple[dict[str, Any], dict[str, th.Tensor]]:
    folder = path.parent if path.name in ("agent.json", "agent.safetensors") else path
    if not folder.is_dir():
        raise AgentError(f"{path} is no agent: name a run, an agent folder or a checkpoint .zip")
    if not (folder / "agent.json").exists() and (folder / "best" / "agent.json").exists():
        folder = folder / "best"
    try:
        return json.loads((folder / "agent.json").read_text()), load_file(folder / "agent.safetensors")
    except FileNotFoundError as error:
        raise AgentError(f"{path} holds no agent: {Path(error.filename or 'agent.json').name} is missing") from None
    except json.JSONDecodeError as error:
        raise AgentError(f"{folder / 'agent.json'} is no JSON: {error}") from None
    except Exception as error:  # safetensors raises its own class for a broken file
        raise AgentError(f"{folder / 'agent.safetensors'} cannot be read: {error}") from None


def _read_zip(path: Path) -> tuple[dict[str, Any], dict[str, th.Tensor]]:
    """The card and actor weights in a checkpoint of this trainer, read without unpickling."""
    try:
        with zipfile.ZipFile(path) as archive:
            data = json.loads(archive.read("data"))
            with archive.open("policy.pth") as file:
                weights = th.load(file, map_location="cpu", weights_only=True)
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError) as error:
        raise AgentError(f"{path} is no checkpoint of this trainer ({error})") from None
    if not isinstance(data.get("card"), dict):
        raise AgentError(
            f"{path} carries no card: it is not from this trainer; name it as sb3:{path} and say --trust to unpickle it"
        )
    return data["card"], {k.removeprefix("actor."): v for k, v in weights.items() if k.startswith("actor.")}
