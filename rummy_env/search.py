"""What actions are worth, by playing on from them in sampled worlds: a kernel for any game.

A world is a table in which what the seat to act cannot see is drawn anew. All candidates of a decision are tried in the same
worlds, with the same dice, and scripted policies play every seat to the end of the deal.
"""

import numpy as np

from rummy_env.bits import roll
from rummy_env.games import act, apply, candidates, resample, rules_of
from rummy_env.jit import kernel
from rummy_env.reward import earned
from rummy_env.scratch import copy_record
from rummy_env.state import NOT_ENDED

#: Most candidates of a decision.
MOST_CANDIDATES = 64


@kernel
def value_candidates(fields, state, rows, work, worlds, seated, policies, parameters, reward, actions, values):
    """For the seat to act at each table: its candidate actions, and what they earn on average over some worlds.

    ``seated`` int64[k, MAX_SEATS] says which of the ``policies`` int64[m], with ``parameters`` float64[m, 4], plays each seat;
    ``work`` are two records to play in. Writes ``actions`` int64[k, MOST_CANDIDATES], -1 behind the last, the action of the
    seat's own policy first, and ``values`` float64[k, MOST_CANDIDATES] in points, by ``reward`` (the number of one of REWARDS).
    """
    rules = rules_of(fields, state)
    world, trial = work[0], work[1]
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        seat = np.int64(t.to_act)
        own = seated[k, seat]
        count = candidates(policies[own], parameters[own], rules, t, actions[k])
        actions[k, count:] = -1
        values[k] = 0.0
        if count == 1:
            continue
        for _ in range(worlds):
            copy_record(world, t)
            world.dice = roll(t)
            resample(rules, world, seat)
            dice = roll(t)
            for i in range(count):
                copy_record(trial, world)
                trial.dice = dice
                apply(rules, trial, actions[k, i])
                while trial.ending == NOT_ENDED:
                    player = seated[k, trial.to_act]
                    apply(rules, trial, act(policies[player], parameters[player], rules, trial))
                values[k, i] += earned(rules, trial, seat, reward) / worlds
