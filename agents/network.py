"""The actor network of gin: an MLP over the observation with a skip head over the features of each card.

The trunk puts out a few weights that multiply the features of every own card straight into its discard and its
closing logit, so that "the card with most points and fewest outs" need not be learned 52 times over.
"""

from typing import Any

import numpy as np
import torch as th
from torch import nn

from rummy_env.cards import POINTS
from rummy_env.envs.tables import obs_size
from rummy_env.gin.actions import NUM_ACTIONS
from rummy_env.gin.observe import obs_slice
from rummy_env.gin.outlook import OUTLOOK_SPEC

#: Slices with one value for each card that the skip head reads, beside the card's points.
CARD_FEATURES = ("hand", "melded", "after", "outs", "danger", "opponent_discards")
ILLEGAL = -1e9


def linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    """A linear layer with orthogonal weights of a gain and no bias to begin with."""
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class GinActor(nn.Module):
    """Observation float32[n, obs_size] to logits float32[n, 108]; ``widths`` are the hidden layers'.

    With ``outlook`` it reads OUTLOOK_SPEC too.
    """

    points: th.Tensor

    def __init__(self, widths: tuple[int, ...] = (256, 256), outlook: bool = False) -> None:
        super().__init__()
        self.widths = tuple(widths)
        self.outlook = outlook
        self.obs_size = obs_size(outlook)
        layers: list[nn.Module] = []
        size = self.obs_size
        for width in self.widths:
            layers += [linear(size, width, 2**0.5), nn.ReLU()]
            size = width
        self.trunk = nn.Sequential(*layers)
        self.head = linear(size, NUM_ACTIONS, 0.01)
        self._slices = [obs_slice(name) for name in CARD_FEATURES]
        if outlook:
            self._slices.append(slice(OUTLOOK_SPEC[0].start, OUTLOOK_SPEC[0].stop))
        self.skip = linear(size, 2 * (len(self._slices) + 1), 0.01)
        self.register_buffer("points", th.as_tensor(POINTS / 10.0, dtype=th.float32), persistent=False)

    def forward(self, obs: th.Tensor) -> th.Tensor:
        hidden = self.trunk(obs)
        logits = self.head(hidden)
        hand = obs[:, self._slices[0]]
        features = th.stack([*(obs[:, s] for s in self._slices), hand * self.points], 1)
        weights = self.skip(hidden).view(len(obs), 2, -1)
        by_card = th.bmm(weights, features).view(len(obs), 104)
        return th.cat((logits[:, :104] + by_card, logits[:, 104:]), 1)


def masked_logits(logits: th.Tensor, mask: th.Tensor) -> th.Tensor:
    """Logits with the illegal actions (mask False) made impossible."""
    return logits.masked_fill(~mask, ILLEGAL)


def sample(logits: th.Tensor, exponential: th.Tensor | None = None) -> th.Tensor:
    """Actions int64[n] drawn from masked logits: the largest of logits - log(standard exponential) (Gumbel trick).

    ``exponential`` gives the draws; an exact zero among them must not lift an illegal action above a legal one.
    """
    draws = th.empty_like(logits).exponential_() if exponential is None else exponential
    return (logits - draws.clamp_(min=1e-30).log_()).argmax(-1)


def sizes(actor: GinActor) -> dict[str, Any]:
    """What it takes to build the same network again."""
    return {"widths": list(actor.widths), "outlook": actor.outlook}


@th.no_grad()
def choose(actor: GinActor, obs: np.ndarray, mask: np.ndarray, deterministic: bool, rng: np.random.Generator) -> np.ndarray:
    """Actions int64[n] of a network for observations float32[n, obs_size] and masks int8[n, 108]."""
    logits = masked_logits(actor(th.from_numpy(obs)), th.from_numpy(mask.astype(bool)))
    if deterministic:
        return logits.argmax(-1).numpy()
    return sample(logits, th.from_numpy(rng.standard_exponential(logits.shape, np.float32))).numpy()
