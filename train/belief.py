"""``python -m train.belief``: fits the weights of :mod:`rummy_env.gin.belief` and prints them as its table.

At decisions of games between scripted players the true other hand stands beside hands drawn uniformly from what the seat does
not see; the weights are those under which the true one is likeliest (a conditional logit), for each part of a deal.
"""

import sys
from itertools import product

import numpy as np
import torch as th
from numpy.typing import NDArray

from agents.scripted import ScriptedAgent
from rummy_env.envs.tables import Tables
from rummy_env.games import rules_of
from rummy_env.gin.belief import FEATURES, FROM_TURN, features_of
from rummy_env.gin.play import resample
from rummy_env.jit import kernel

PLAYERS = ("simple", "greedy", "lookahead", "swift")
TABLES, DECISIONS, SAMPLES = 256, 60, 15


@kernel
def _compare(fields, state, rows, out):
    """Features float64[k, 1 + SAMPLES, len(FEATURES)] of the true other hand and of others that might be."""
    rules = rules_of(fields, state)
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        seat = np.int64(t.to_act)
        for n in range(out.shape[1]):
            if n > 0:
                resample(rules, t, seat)
            features = features_of(rules, t, seat, t.hands[1 - seat])
            for j in range(len(features)):
                out[k, n, j] = features[j]


def gather(variant: str, seed: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Positions of every pairing: the other's turns int64[m], and what :func:`_compare` found of each."""
    turns, found = [], []
    rng = np.random.default_rng(seed)
    for number, pair in enumerate(product(PLAYERS, PLAYERS)):
        players = [ScriptedAgent(name, variant) for name in pair]
        tables = Tables(TABLES, variant, seed + number)
        for _ in range(DECISIONS):
            seats = tables.state.to_act.copy()
            for seat, player in enumerate(players):
                rows = np.flatnonzero(seats == seat)
                if len(rows):
                    tables.step(player.act(*_NOTHING, tables.view(rows), rng), rows)
            tables.start_matches(tables.all_rows[tables.over])
            copies = tables.state.copy()
            out = np.empty((TABLES, 1 + SAMPLES, len(FEATURES)))
            _compare(np.array(tables.rules), copies, tables.all_rows, out)
            turns.append(copies.turns[tables.all_rows, 1 - copies.to_act].astype(np.int64))
            found.append(out)
    return np.concatenate(turns), np.concatenate(found)


_NOTHING = (np.empty((0, 0), np.float32), np.empty((0, 0), np.int8))


def fit(features: NDArray[np.float64], decay: float = 1e-3) -> tuple[NDArray[np.float64], float]:
    """Weights float64[len(FEATURES)] and the mean log-likelihood gained over guessing, in nats."""
    x = th.from_numpy(features)
    weights = th.zeros(features.shape[2], dtype=th.float64, requires_grad=True)
    optimizer = th.optim.LBFGS([weights], max_iter=100, line_search_fn="strong_wolfe")

    def loss() -> th.Tensor:
        optimizer.zero_grad()
        value = -th.log_softmax(x @ weights, 1)[:, 0].mean() + decay * weights.square().sum()
        value.backward()
        return value

    optimizer.step(loss)
    with th.no_grad():
        gain = th.log_softmax(x @ weights, 1)[:, 0].mean() + np.log(features.shape[1])
    return weights.detach().numpy(), float(gain)


def main() -> int:
    """Prints the table; returns the exit status."""
    turns, features = gather("gin-eaai", 3)
    rows = np.searchsorted(FROM_TURN, turns, "right") - 1
    for k, first in enumerate(FROM_TURN):
        weights, gain = fit(features[rows == k])
        print(f"    ({', '.join(f'{w:.2f}' for w in weights)}),  # from turn {first}: {gain:.2f} nats gained")
    return 0


if __name__ == "__main__":
    sys.exit(main())
