"""A warm start: the actor first learns to repeat a scripted policy's decisions, made in bulk by the engine.

The teacher plays every seat; a small share of random moves shows it (and the pupil) positions it would avoid. Every
decision is used once, so the pupil cannot learn the decks by heart.
"""

import numpy as np
import torch as th
import torch.nn.functional as F

from agents.network import Actor, masked_logits
from agents.scripted import ScriptedAgent
from rummy_env.envs.tables import Tables
from train.config import TrainConfig

RANDOM_SHARE = 0.05
RATE = 1e-3
ENTROPY = 0.2  # keeps the pupil undecided enough for PPO to explore from


def imitate(actor: Actor, config: TrainConfig) -> float:
    """Trains the actor on ``config.imitate_decisions`` decisions of ``config.imitate``; returns the last agreement, 0 to 1."""
    tables = Tables(config.batch, config.variant, config.seed + 1, threads=config.threads, **config.rules)
    teacher, wanderer = ScriptedAgent(config.imitate, config.variant), ScriptedAgent("random", config.variant)
    optimizer = th.optim.Adam(actor.parameters(), lr=RATE, fused=True)
    rng = np.random.default_rng([config.seed, 2])
    steps = max(1, config.imitate_decisions // config.batch)
    agreement = 0.0
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 - 0.9 * step / steps)
        obs, masks = tables.observe(outlook=actor.outlook)
        view = tables.view()
        actions = teacher.act(obs, masks, view, rng)
        logits = masked_logits(actor(th.from_numpy(obs)), th.from_numpy(masks.astype(bool)))
        log_probabilities = th.log_softmax(logits, -1)
        entropy = -(log_probabilities.exp() * log_probabilities).sum(-1).mean()
        loss = F.nll_loss(log_probabilities, th.from_numpy(actions)) - ENTROPY * entropy
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        agreement = (logits.argmax(-1).numpy() == actions).mean()
        stray = rng.random(len(actions)) < RANDOM_SHARE
        actions[stray] = wanderer.act(obs, masks, view, rng)[stray]
        tables.step(actions)
        over = tables.over
        if over.any():
            tables.start_matches(tables.all_rows[over])
    return float(agreement)
