"""MaskablePPO with four overrides that were measured to pay; saved zips still load as MaskablePPO.

The rollout buffer indexes torch tensors and keeps masks as bool; an update records its statistics without leaving
the tensor world at every minibatch; schedules can follow the wall clock; and in the first share of a run the actor can
learn from searched values instead of its own luck.

The searched phase: at each decision every candidate action is valued by a few sampled worlds that a scripted policy plays to
the end. The actor's logits are then fitted to these values, so that it prefers what is worth more. That is one step of policy
improvement over the scripted policy, without bias however few the worlds, and a decision tells as much as many played ones.
"""

import time
from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np
import torch as th
import torch.nn.functional as F
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3.common.utils import explained_variance

from rummy_env.search import MOST_CANDIDATES
from train.vec_env import Search, TablesVecEnv

#: A logit is worth so much, in units of the reward (of 25 points): what is 3 points better is e times as likely.
TEMPERATURE = 0.12
#: The weight of a candidate that the actor would never choose, where one it always chooses has 1.
LEAST_WEIGHT = 0.03
#: The weight of the searched loss beside the critic's.
SEARCHED_WEIGHT = 0.1


class Samples(NamedTuple):
    """A minibatch; ``candidates`` and ``searched`` have no columns but in the searched phase."""

    observations: th.Tensor
    actions: th.Tensor
    old_values: th.Tensor
    old_log_prob: th.Tensor
    advantages: th.Tensor
    returns: th.Tensor
    action_masks: th.Tensor
    candidates: th.Tensor
    searched: th.Tensor


class TensorRolloutBuffer(MaskableRolloutBuffer):
    """A rollout whose minibatches are gathered by torch from one flat tensor a field; ``env`` is where it comes from."""

    env: TablesVecEnv | None = None

    def reset(self) -> None:
        """Empties the buffer."""
        super().reset()
        self.action_masks = np.ones((self.buffer_size, self.n_envs, self.mask_dims), dtype=bool)
        width = MOST_CANDIDATES if self.env is not None and self.env.search is not None else 0
        self.candidates = np.zeros((self.buffer_size, self.n_envs, width), np.int64)
        self.searched = np.zeros((self.buffer_size, self.n_envs, width), np.float32)

    def add(self, *arguments: Any, **keywords: Any) -> None:
        """Adds a step, with the values of its decisions if they were searched."""
        if self.env is not None and self.env.search is not None:
            self.candidates[self.pos], self.searched[self.pos] = self.env.candidates, self.env.values
        super().add(*arguments, **keywords)

    def get(self, batch_size: int | None = None) -> Generator[Samples, None, None]:  # type: ignore[override]
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
            self.candidates,
            self.searched,
        )
        obs, actions, values, log_probs, advantages, returns, *more = (th.from_numpy(x.reshape(n, x.size // n)) for x in fields)
        order = th.from_numpy(np.random.permutation(n))  # noqa: NPY002
        size = batch_size or n
        for start in range(0, n, size):
            at = order[start : start + size]
            yield Samples(
                obs[at], actions[at], values[at, 0], log_probs[at, 0], advantages[at, 0], returns[at, 0], *(x[at] for x in more)
            )


class LeanMaskablePPO(MaskablePPO):
    """MaskablePPO whose learning rate and entropy weight fall linearly over a wall-clock or a step budget.

    ``seconds`` (0: the steps of ``learn``) is the wall budget; ``elapsed`` is what earlier sittings of a resumed run used.
    In the first ``critic_first`` updates only the critic learns. While less than ``search_share`` of the budget is used
    the actor learns from ``search``, in ``search_epochs`` passes.
    ``card`` travels in the zip as plain JSON, so that an agent can be read from it without unpickling.
    """

    seconds: float = 0.0
    elapsed: float = 0.0
    entropy_start: float = 0.01
    entropy_end: float = 0.01
    critic_first: int = 0
    search: Search | None = None
    search_share: float = 0.0
    search_epochs: int = 4
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
        return [*super()._excluded_save_params(), "_began", "search"]

    def collect_rollouts(self, env: Any, callback: Any, rollout_buffer: Any, *arguments: Any, **keywords: Any) -> bool:
        """A rollout; in the searched phase with the values of its decisions."""
        self._update_current_progress_remaining(self.num_timesteps, self._total_timesteps)
        env.search = self.search if 1 - self._current_progress_remaining < self.search_share else None
        rollout_buffer.env = env
        return super().collect_rollouts(env, callback, rollout_buffer, *arguments, **keywords)

    rollout_buffer: TensorRolloutBuffer

    def train(self) -> None:
        """One update: ``n_epochs`` passes over the rollout."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        remaining = self._current_progress_remaining
        self.ent_coef = self.entropy_end + (self.entropy_start - self.entropy_end) * remaining
        clip = self.clip_range(remaining)  # type: ignore[operator]
        parameters = list(self.policy.parameters())
        logs = []
        searched = self.rollout_buffer.candidates.shape[-1] > 0
        for epoch in range(self.search_epochs if searched else self.n_epochs):
            for data in self.rollout_buffer.get(self.batch_size):
                # more passes over played returns would only teach the critic their noise
                loss, log = self._searched_loss(data, critic=epoch == 0) if searched else self._loss(data, clip)
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

    def _loss(self, data: Samples, clip: float) -> tuple[th.Tensor, th.Tensor]:
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

    def _searched_loss(self, data: Samples, critic: bool) -> tuple[th.Tensor, th.Tensor]:
        """The actor's logits as values: how far they are from the searched values over TEMPERATURE, squared.

        Both less their mean over a decision's candidates, so that a world's luck counts for nothing; likely candidates weigh
        more. With ``critic`` the critic learns too.
        """
        logits = self.policy.masked_logits(data.observations, data.action_masks)  # type: ignore[operator]
        log_probabilities = th.log_softmax(logits, -1)
        known = data.candidates >= 0
        at = data.candidates.clamp(min=0)
        valued = logits.gather(1, at).masked_fill(~known, 0.0)
        with th.no_grad():
            weight = (log_probabilities.gather(1, at).exp() + LEAST_WEIGHT) * known
            weight /= weight.sum(1, keepdim=True)
            target = data.searched.masked_fill(~known, 0.0) / TEMPERATURE
            target -= (weight * target).sum(1, keepdim=True)
        apart = valued - (weight * valued).sum(1, keepdim=True) - target
        policy_loss = SEARCHED_WEIGHT * (weight * apart.square()).sum(1).mean()
        value_loss = th.zeros(())
        if critic:
            value_loss = F.mse_loss(data.returns, self.policy.predict_values(data.observations).flatten())
        entropy = -(log_probabilities.exp() * log_probabilities).sum(-1).mean()
        with th.no_grad():
            log = th.stack((policy_loss, value_loss, entropy, th.zeros(()), th.zeros(())))
        return policy_loss + self.vf_coef * value_loss, log


_LOGGED = ("policy_gradient_loss", "value_loss", "entropy", "approx_kl", "clip_fraction")
