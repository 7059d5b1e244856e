"""MaskablePPO with three overrides that were measured to pay; saved zips still load as MaskablePPO.

The rollout buffer indexes torch tensors and keeps masks as bool; an update records its statistics without leaving
the tensor world at every minibatch; and schedules can follow the wall clock.
"""

import time
from collections.abc import Generator
from typing import Any

import numpy as np
import torch as th
import torch.nn.functional as F
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples
from stable_baselines3.common.utils import explained_variance


class TensorRolloutBuffer(MaskableRolloutBuffer):
    """A rollout whose minibatches are gathered by torch from one flat tensor a field."""

    def reset(self) -> None:
        """Empties the buffer."""
        super().reset()
        self.action_masks = np.ones((self.buffer_size, self.n_envs, self.mask_dims), dtype=bool)

    def get(self, batch_size: int | None = None) -> Generator[MaskableRolloutBufferSamples, None, None]:  # type: ignore[override]
        """Minibatches in a new random order (numpy's global generator, which SB3 seeds)."""
        n = self.buffer_size * self.n_envs
        fields = (
            self.observations,
            self.actions,
            self.values,
            self.log_probs,
            self.advantages,
            self.returns,
            self.action_masks,
        )
        obs, actions, values, log_probs, advantages, returns, masks = (th.from_numpy(x.reshape(n, -1)) for x in fields)
        order = th.from_numpy(np.random.permutation(n))  # noqa: NPY002
        size = batch_size or n
        for start in range(0, n, size):
            at = order[start : start + size]
            yield MaskableRolloutBufferSamples(
                obs[at], actions[at], values[at, 0], log_probs[at, 0], advantages[at, 0], returns[at, 0], masks[at]
            )


class LeanMaskablePPO(MaskablePPO):
    """MaskablePPO whose learning rate and entropy weight fall linearly over a wall-clock or a step budget.

    ``seconds`` (0: the steps of ``learn``) is the wall budget; ``elapsed`` is what earlier sittings of a resumed run used.
    In the first ``critic_first`` updates only the critic learns.
    ``card`` travels in the zip as plain JSON, so that an agent can be read from it without unpickling.
    """

    seconds: float = 0.0
    elapsed: float = 0.0
    entropy_start: float = 0.01
    entropy_end: float = 0.01
    critic_first: int = 0
    card: dict[str, Any] | None = None

    def begin_clock(self) -> None:
        """Starts (or goes on with) the wall budget."""
        self._began = time.monotonic() - self.elapsed

    def time_used(self) -> float:
        """Seconds of the wall budget used so far."""
        return time.monotonic() - self._began

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        used = self.time_used() / self.seconds if self.seconds else num_timesteps / total_timesteps
        self._current_progress_remaining = max(0.0, 1.0 - used)

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "_began"]

    def train(self) -> None:
        """One update: ``n_epochs`` passes over the rollout."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        remaining = self._current_progress_remaining
        self.ent_coef = self.entropy_end + (self.entropy_start - self.entropy_end) * remaining
        clip = self.clip_range(remaining)  # type: ignore[operator]
        parameters = list(self.policy.parameters())
        logs = []
        for _ in range(self.n_epochs):
            for data in self.rollout_buffer.get(self.batch_size):
                loss, log = self._loss(data, clip)
                self.policy.optimizer.zero_grad()
                loss.backward()
                th.nn.utils.clip_grad_norm_(parameters, self.max_grad_norm)
                self.policy.optimizer.step()
                logs.append(log)
            self._n_updates += 1
        for name, value in zip(_LOGGED, th.stack(logs).mean(0).tolist(), strict=True):
            self.logger.record(f"train/{name}", value)
        buffer = self.rollout_buffer
        self.logger.record("train/explained_variance", explained_variance(buffer.values.flatten(), buffer.returns.flatten()))
        self.logger.record("train/entropy_weight", self.ent_coef)
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")

    def _loss(self, data: MaskableRolloutBufferSamples, clip: float) -> tuple[th.Tensor, th.Tensor]:
        values, log_prob, entropy = self.policy.evaluate_actions(data.observations, data.actions, data.action_masks)
        advantages = data.advantages
        if self.normalize_advantage:
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        log_ratio = log_prob - data.old_log_prob
        ratio = log_ratio.exp()
        policy_loss = -th.min(advantages * ratio, advantages * ratio.clamp(1 - clip, 1 + clip)).mean()
        value_loss = F.mse_loss(data.returns, values.flatten())
        mean_entropy = entropy.mean()  # type: ignore[union-attr]
        weight = 0.0 if self._n_updates < self.critic_first * self.n_epochs else 1.0
        with th.no_grad():
            kl = (ratio - 1 - log_ratio).mean()
            clipped = ((ratio - 1).abs() > clip).float().mean()
            log = th.stack((policy_loss, value_loss, mean_entropy, kl, clipped))
        return weight * (policy_loss - self.ent_coef * mean_entropy) + self.vf_coef * value_loss, log


_LOGGED = ("policy_gradient_loss", "value_loss", "entropy", "approx_kl", "clip_fraction")
