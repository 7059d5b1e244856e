"""The actor network: an MLP over the observation with a skip head over the features of each card.

The trunk puts out a few weights that multiply the features of every card straight into the logits of the actions with that
card (in gin its discard and its close), so that "the card with most points and fewest outs" need not be learned 52
times over. :data:`HEADS` says for each game of which blocks its logits consist, in the order of its actions.
"""

from typing import Any, NamedTuple

import numpy as np
import torch as th
from torch import nn

from rummy_env.cards import POINTS
from rummy_env.games import Game
from rummy_env.gin import actions as gin
from rummy_env.rum500 import actions as rum500
from rummy_env.spec import slice_of


class Plain(NamedTuple):
    """``size`` actions with a logit each."""

    size: int


class ByCard(NamedTuple):
    """``size`` actions, one a card: a logit each, and a weight for each of the card's ``features``.

    Features are observation slices that begin with a number a card, ``outlook`` those that the outlook adds. ``own`` actions
    have the points of the own cards as one more.
    """

    size: int
    features: tuple[str, ...]
    outlook: tuple[str, ...] = ()
    own: bool = True


class Kinds(NamedTuple):
    """Actions of some kinds, ``sizes`` of each, with one logit a kind."""

    sizes: tuple[int, ...]


class Head(NamedTuple):
    """The blocks of a game's logits, and the observation slice (or "") with a proposed action, which gets one logit more."""

    blocks: tuple[Plain | ByCard | Kinds, ...]
    proposal: str = ""


_GIN = ("hand", "melded", "after", "outs", "danger", "opponent_discards")
HEADS: dict[str, Head] = {
    "gin": Head(
        (
            ByCard(gin.CLOSE - gin.DISCARD, _GIN, ("promise",)),
            ByCard(gin.DRAW_STOCK - gin.CLOSE, _GIN, ("promise",)),
            Plain(gin.NUM_ACTIONS - gin.DRAW_STOCK),
        )
    ),
    "rum500": Head(
        (
            Plain(1),
            ByCard(54, ("row", "row_depth", "usable"), ("take_points", "take_left"), own=False),
            Kinds(
                (
                    rum500.LAY_RUN - rum500.LAY_SET,
                    rum500.LAY_OFF_SET - rum500.LAY_RUN,
                    *[52] * 6,
                    rum500.REBIND - rum500.SWAP,
                    rum500.DISCARD - rum500.REBIND,
                )
            ),
            ByCard(54, ("hand", "lay", "outs", "danger", "duty")),
            Plain(1),
        ),
        proposal="lay_action",
    ),
}
ILLEGAL = -1e9
#: Points of every card for the skip head, in tens: an ace as gin counts it, a joker 15.
_POINTS = np.append(POINTS, [15, 15]).astype(np.float32) / 10


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
        self.blocks = nn.ModuleList(_Block(game, block, size, outlook) for block in HEADS[game.name].blocks)
        proposal = HEADS[game.name].proposal
        self.proposed = linear(size, 1, 0.01) if proposal else None
        self._proposal = next(((s.start, s.scale) for s in game.observe.OBS_SPEC if s.name == proposal), None)

    def forward(self, obs: th.Tensor) -> th.Tensor:
        hidden = self.trunk(obs)
        logits = th.cat([block(hidden, obs) for block in self.blocks], 1)
        if self.proposed is None or self._proposal is None:
            return logits
        start, scale = self._proposal
        action = (obs[:, start] * scale).round().long()[:, None]
        return logits.scatter_add(1, action, self.proposed(hidden) * (action > 0))


class _Block(nn.Module):
    """The logits of one block of actions, float32[n, size], from the trunk's output and the observation."""

    points: th.Tensor

    def __init__(self, game: Game, block: Plain | ByCard | Kinds, size: int, outlook: bool) -> None:
        super().__init__()
        self.kinds: th.Tensor | None = None
        self.features: list[slice] = []
        self.own = False
        if isinstance(block, Kinds):
            self.head = linear(size, len(block.sizes), 0.01)
            self.register_buffer("kind", th.repeat_interleave(th.tensor(block.sizes)), persistent=False)
            return
        self.head = linear(size, block.size, 0.01)
        self.kind = None
        if isinstance(block, ByCard):
            spec = (*game.observe.OBS_SPEC, *game.outlook.OUTLOOK_SPEC)
            starts = [slice_of(spec, name).start for name in block.features + (block.outlook if outlook else ())]
            self.features = [slice(start, start + block.size) for start in starts]
            self.own = block.own
            self.skip = linear(size, len(self.features) + block.own, 0.01)
            self.register_buffer("points", th.from_numpy(_POINTS[: block.size]), persistent=False)

    def forward(self, hidden: th.Tensor, obs: th.Tensor) -> th.Tensor:
        logits = self.head(hidden)
        if self.kind is not None:
            return logits[:, self.kind]
        if not self.features:
            return logits
        features = [obs[:, at] for at in self.features]
        if self.own:
            features.append(features[0] * self.points)
        return logits + th.bmm(self.skip(hidden)[:, None], th.stack(features, 1))[:, 0]


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
def probabilities(actor: Actor, obs: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The chance of each action, float32[n, NUM_ACTIONS], for observations float32[n, obs_size] and their masks."""
    return masked_logits(actor(th.from_numpy(obs)), th.from_numpy(mask.astype(bool))).softmax(-1).numpy()


@th.no_grad()
def choose(actor: Actor, obs: np.ndarray, mask: np.ndarray, deterministic: bool, rng: np.random.Generator) -> np.ndarray:
    """Actions int64[n] of a network for observations float32[n, obs_size] and masks int8[n, NUM_ACTIONS]."""
    logits = masked_logits(actor(th.from_numpy(obs)), th.from_numpy(mask.astype(bool)))
    if deterministic:
        return logits.argmax(-1).numpy()
    return sample(logits, th.from_numpy(rng.standard_exponential(logits.shape, np.float32))).numpy()
