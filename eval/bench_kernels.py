"""The compiled loops that the benchmark times."""

import numpy as np

from rummy_env.bits import popcount, roll_below
from rummy_env.games import apply, random_action
from rummy_env.gin.observe import observe
from rummy_env.gin.play import expand, legal, pick
from rummy_env.jit import kernel
from rummy_env.match import start_match
from rummy_env.rum500 import play as rum500
from rummy_env.rum500.observe import observe as observe500
from rummy_env.rum500.solver import solve
from rummy_env.state import NOT_ENDED


@kernel
def random_deals(rules, state, rows, deals):
    """Random legal play of ``deals`` deals at each table; returns the steps."""
    steps = 0
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        for _ in range(deals):
            start_match(rules, t)
            while t.ending == NOT_ENDED:
                apply(rules, t, random_action(rules, t))
                steps += 1
    return steps


@kernel
def observed_deals(rules, state, rows, deals, obs, masks):
    """As :func:`random_deals`, writing observation and mask of the seat to act before every step."""
    steps = 0
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        for _ in range(deals):
            start_match(rules, t)
            while t.ending == NOT_ENDED:
                discards, closes, other = legal(rules, t)
                observe(rules, t, np.int64(t.to_act), obs[k])
                expand(discards, closes, other, masks[k])
                count = popcount(discards) + popcount(closes) + popcount(other)
                apply(rules, t, pick(discards, closes, other, roll_below(t, count)))
                steps += 1
    return steps


@kernel
def observed_deals500(rules, state, rows, deals, obs, masks):
    """As :func:`observed_deals`, of 500 Rum."""
    steps = 0
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        for _ in range(deals):
            start_match(rules, t)
            while t.ending == NOT_ENDED:
                actions = rum500.new_legal()
                rum500.legal_actions(rules, t, actions)
                observe500(rules, t, np.int64(t.to_act), obs[k])
                rum500.expand(actions, masks[k])
                apply(rules, t, rum500.pick(t, actions))
                steps += 1
    return steps


@kernel
def solve_hands(rules, state, hands, plan):
    """Solves each hand, uint64[n], on each table of ``state``, one card kept; returns how many."""
    for k in range(state.shape[0]):
        for i in range(hands.shape[0]):
            solve(rules, state[k], hands[i], 6, plan)
    return state.shape[0] * hands.shape[0]


@kernel
def first_legal(masks, start, actions):
    """Writes the first legal action from place ``start`` on, round the end, of each mask: cheap and varied."""
    for k in range(masks.shape[0]):
        a = start
        while masks[k, a] == 0:
            a = a + 1 if a + 1 < masks.shape[1] else 0
        actions[k] = a
