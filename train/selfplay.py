"""Opponents that learn too: the current weights, and a pool of earlier ones."""

import copy
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file

from agents.network import Actor, choose
from rummy_env.envs.tables import SeatView


class CurrentSelf:
    """The policy in training as an opponent: it draws from the same weights that are being updated."""

    def __init__(self, actor: Actor) -> None:
        self.actor = actor
        self.outlook = actor.outlook

    def act(
        self, obs: NDArray[np.float32], mask: NDArray[np.int8], view: SeatView, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Actions int64[k] drawn from the policy."""
        return choose(self.actor, obs, mask, False, rng)


class SnapshotPool:
    """Up to ``size`` earlier policies; one of them, drawn anew for each rollout, plays at all tables.

    When the pool is full it thins out evenly: every second snapshot goes, and from then on one comes half as often.
    """

    def __init__(self, actor: Actor, size: int) -> None:
        self.size = size
        self.outlook = actor.outlook
        self.begin(actor)

    def begin(self, actor: Actor) -> None:
        """Empties the pool but for a copy of ``actor``."""
        self.snapshots: list[Actor] = [copy.deepcopy(actor)]
        self.stride = 1
        self.offered = 0
        self.playing = self.snapshots[0]

    def offer(self, actor: Actor) -> None:
        """Takes a copy of a policy into the pool if its turn has come."""
        self.offered += 1
        if self.offered % self.stride:
            return
        self.snapshots.append(copy.deepcopy(actor))
        if len(self.snapshots) > self.size:
            self.snapshots = self.snapshots[::2]
            self.stride *= 2

    def draw(self, rng: np.random.Generator) -> None:
        """Chooses the snapshot that plays from now on."""
        self.playing = self.snapshots[int(rng.integers(len(self.snapshots)))]

    def act(
        self, obs: NDArray[np.float32], mask: NDArray[np.int8], view: SeatView, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Actions int64[k] drawn from the snapshot that plays."""
        return choose(self.playing, obs, mask, False, rng)

    def save(self, folder: Path) -> dict[str, int]:
        """Writes the snapshots as safetensors files; returns what :meth:`load` needs beside them."""
        folder.mkdir(parents=True, exist_ok=True)
        for k, actor in enumerate(self.snapshots):
            save_file(
                {n: t.detach().contiguous().clone() for n, t in actor.state_dict().items()}, folder / f"{k:03}.safetensors"
            )
        return {"stride": self.stride, "offered": self.offered, "count": len(self.snapshots)}

    def load(self, folder: Path, numbers: dict[str, int]) -> None:
        """Restores what :meth:`save` wrote."""
        template = self.snapshots[0]
        self.snapshots = []
        for k in range(numbers["count"]):
            actor = copy.deepcopy(template)
            actor.load_state_dict(load_file(folder / f"{k:03}.safetensors"))
            self.snapshots.append(actor)
        self.stride, self.offered = numbers["stride"], numbers["offered"]
        self.playing = self.snapshots[-1]
