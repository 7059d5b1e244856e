"""The actor and critic for MaskablePPO: the actor reads what a seat sees, the critic may also see the hidden cards."""

from typing import Any

import numpy as np
import torch as th
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn

from agents.network import Actor, linear, masked_logits, sample
from rummy_env.games import GAMES


class ActorCritic(MaskableActorCriticPolicy):
    """:class:`agents.network.Actor` beside an MLP critic over the whole observation, privileged part included.

    ``forward`` and ``evaluate_actions`` work on masked logits without distribution objects.
    """

    def __init__(
        self,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        lr_schedule: Any,
        game: str = "gin",
        widths: tuple[int, ...] = (256, 256),
        critic_widths: tuple[int, ...] = (128, 128),
        outlook: bool = False,
        **keywords: Any,
    ) -> None:
        self.game = GAMES[game]
        self.widths, self.critic_widths, self.outlook = tuple(widths), tuple(critic_widths), outlook
        super().__init__(observation_space, action_space, lr_schedule, **keywords)

    def _build(self, lr_schedule: Any) -> None:
        self.actor = Actor(self.game, self.widths, self.outlook)
        layers: list[nn.Module] = []
        size = int(np.prod(self.observation_space.shape or ()))
        for width in self.critic_widths:
            layers += [linear(size, width, 2**0.5), nn.ReLU()]
            size = width
        self.critic = nn.Sequential(*layers, linear(size, 1, 1.0))
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]

    def masked_logits(self, obs: th.Tensor, action_masks: Any) -> th.Tensor:
        """The logits of all actions, float32[n, NUM_ACTIONS], those of illegal ones made impossible."""
        logits = self.actor(obs[:, : self.actor.obs_size].float())
        return logits if action_masks is None else masked_logits(logits, th.as_tensor(action_masks).bool())

    def forward(
        self, obs: th.Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[th.Tensor, th.Tensor, th.Tensor]:
        """Actions int64[n], values float32[n, 1] and log-probabilities float32[n]."""
        logits = self.masked_logits(obs, action_masks)
        actions = logits.argmax(-1) if deterministic else sample(logits)
        chosen = logits.gather(1, actions[:, None])[:, 0] - logits.logsumexp(-1)
        return actions, self.predict_values(obs), chosen

    def evaluate_actions(
        self, obs: th.Tensor, actions: th.Tensor, action_masks: Any = None
    ) -> tuple[th.Tensor, th.Tensor, th.Tensor]:
        """Values float32[n, 1], log-probabilities float32[n] and entropies float32[n]."""
        log_probabilities = self.log_probabilities(obs, action_masks)
        chosen = log_probabilities.gather(1, actions.long().view(-1, 1))[:, 0]
        return self.predict_values(obs), chosen, -(log_probabilities.exp() * log_probabilities).sum(-1)

    def log_probabilities(self, obs: th.Tensor, action_masks: Any = None) -> th.Tensor:
        """The log-probabilities of all actions, float32[n, NUM_ACTIONS]."""
        return th.log_softmax(self.masked_logits(obs, action_masks), -1)

    def predict_values(self, obs: th.Tensor) -> th.Tensor:  # type: ignore[override]
        """Values float32[n, 1]."""
        return self.critic(obs.float())

    def get_distribution(self, obs: th.Tensor, action_masks: Any = None) -> MaskableDistribution:  # type: ignore[override]
        """The action distribution, for ``predict``."""
        distribution = self.action_dist.proba_distribution(self.actor(obs[:, : self.actor.obs_size].float()))
        if action_masks is not None:
            distribution.apply_masking(np.asarray(action_masks))
        return distribution
