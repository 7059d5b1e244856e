"""The actor network: an MLP over the observation with a skip head over the features of each card.

The trunk puts out a few weights that multiply the features of every card straight into the logits of the actions with that
card (in gin its discard and its close), so that "the card with most points and fewest outs" need not be learned 52
times over. :data:`SKIPS` says for each game which features and which actions.
"""

from typing import Any, NamedTuple

import numpy as np
import torch as th
from numpy.typing import NDArray
from torch import nn

from rummy_env.cards import NUM_CARDS, POINTS
from rummy_env.games import Game
from rummy_env.gin import actions as gin
from rummy_env.spec import slice_of


class Skip(NamedTuple):
    """What the skip head of a game joins.

    ``features`` are observation slices that begin with a number for each of the 52 cards, the own hand first, and ``outlook``
    those that the outlook adds; the ``points`` of own cards, float32[52], are one more. Each of ``actions``, in ascending
    order, is where 52 actions begin, one a card.
    """

    features: tuple[str, ...]
    outlook: tuple[str, ...]
    actions: tuple[int, ...]
    points: NDArray[np.float32]


SKIPS: dict[str, Skip] = {
    "gin": Skip(
        features=("hand", "melded", "after", "outs", "danger", "opponent_discards"),
        outlook=("promise",),
        actions=(gin.DISCARD, gin.CLOSE),
        points=(POINTS / 10.0).astype(np.float32),
    ),
}
ILLEGAL = -1e9


def linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """A linear layer with orthogonal weights of a gain and no bias to begin with."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class Actor(nn.Module):
    """Observation float32[n, obs_size] to logits float32[n, NUM_ACTIONS] of a game; ``widths`` are the hidden layers'.

    With ``outlook`` it reads OUTLOOK_SPEC too.
    """

    points: th.Tensor

    def __init__(self, game: Game, widths: tuple[int, ...] = (256, 256), outlook: bool = False) -> None:
        super().__init__()
        self.game = game
        self.widths = tuple(widths)
        self.outlook = outlook
        self.obs_size = game.obs_size(outlook)
        layers: list[nn.Module] = []
        size = self.obs_size
        for width in self.widths:
            layers += [linear(size, width, 2**0.5), nn.ReLU()]
            size = width
        self.trunk = nn.Sequential(*layers)
        self.head = linear(size, game.actions.NUM_ACTIONS, 0.01)
        skip = SKIPS[game.name]
        spec = (*game.observe.OBS_SPEC, *game.outlook.OUTLOOK_SPEC)
        starts = [slice_of(spec, name).start for name in skip.features + (skip.outlook if outlook else ())]
        self._slices, self._actions = ([slice(start, start + NUM_CARDS) for start in some] for some in (starts, skip.actions))
        self.skip = linear(size, len(self._actions) * (len(self._slices) + 1), 0.01)
        self.register_buffer("points", th.from_numpy(skip.points), persistent=False)

    def forward(self, obs: th.Tensor) -> th.Tensor:
        hidden = self.trunk(obs)
        logits = self.head(hidden)
        hand = obs[:, self._slices[0]]
        features = th.stack([*(obs[:, s] for s in self._slices), hand * self.points], 1)
        weights = self.skip(hidden).view(len(obs), len(self._actions), -1)
        by_card = th.bmm(weights, features)
        parts, end = [], 0
        for k, at in enumerate(self._actions):
            parts += [logits[:, end : at.start], logits[:, at] + by_card[:, k]]
            end = at.stop
        return th.cat((*parts, logits[:, end:]), 1)


def masked_logits(logits: th.Tensor, mask: th.Tensor) -> th.Tensor:
    """Logits with the illegal actions (mask False) made impossible."""
    return logits.masked_fill(~mask, ILLEGAL)


def sample(logits: th.Tensor, exponential: th.Tensor | None = None) -> th.Tensor:
    """Actions int64[n] drawn from masked logits: the largest of logits - log(standard exponential) (Gumbel trick).

    ``exponential`` gives the draws; an exact zero among them must not lift an illegal action above a legal one.
    """
    draws = th.empty_like(logits).exponential_() if exponential is None else exponential
    return (logits - draws.clamp_(min=1e-30).log_()).argmax(-1)


def sizes(actor: Actor) -> dict[str, Any]:
    """What it takes to build the same network again."""
    return {"widths": list(actor.widths), "outlook": actor.outlook}


@th.no_grad()
def choose(actor: Actor, obs: np.ndarray, mask: np.ndarray, deterministic: bool, rng: np.random.Generator) -> np.ndarray:
    """Actions int64[n] of a network for observations float32[n, obs_size] and masks int8[n, NUM_ACTIONS]."""
    logits = masked_logits(actor(th.from_numpy(obs)), th.from_numpy(mask.astype(bool)))
    if deterministic:
        return logits.argmax(-1).numpy()
    return sample(logits, th.from_numpy(rng.standard_exponential(logits.shape, np.float32))).numpy()
