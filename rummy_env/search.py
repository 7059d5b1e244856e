"""What actions, and positions, are worth by playing on from them: kernels for any game, used in training.

They are for training, where hidden hands are at hand: those that lie at a table are a fair sample of what its seat should
believe, which no belief of ours is. So worlds keep all hands, and only what is still to come is drawn anew. A learner that is
shown its seat's view alone learns the mean over all hands that go with it.

All candidates of a decision are tried in the same worlds, with the same dice, and scripted policies play every seat to the end
of the deal.
"""

import numpy as np

from rummy_env.bits import roll
from rummy_env.deck import redraw_future
from rummy_env.games import act, apply, candidates, rules_of
from rummy_env.jit import kernel
from rummy_env.reward import earned
from rummy_env.scratch import copy_record
from rummy_env.state import NOT_ENDED

#: Who plays at the learner's seat, among those seated for :func:`foretell`.
LEARNER = -1
#: Most candidates of a decision.
MOST_CANDIDATES = 64


@kernel
def value_candidates(fields, state, rows, work, worlds, seated, policies, parameters, reward, chances, actions, values):
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
            redraw_future(world)
            dice = roll(t)
            for i in range(count):
                copy_record(trial, world)
                trial.dice = dice
                apply(rules, trial, actions[k, i])
                while trial.ending == NOT_ENDED:
                    player = seated[k, trial.to_act]
                    apply(rules, trial, act(policies[player], parameters[player], rules, trial))
                values[k, i] += earned(rules, trial, seat, reward, chances) / worlds


@kernel
def foretell(fields, state, rows, work, learners, seated, first, policies, parameters, reward, chances, out):
    """What the deal at each table would earn its learner if from now on a scripted policy played for it.

    Writes ``out`` float32[k, m], in points, a column for each of the ``policies`` from ``first`` on. Nothing is hidden from
    it, the stock's order least of all: this is for a critic in training. ``seated`` int64[k, MAX_SEATS] says which policy plays
    each other seat, LEARNER at the learner's. ``work`` is one record to play in. 0 where the deal is over.
    """
    rules = rules_of(fields, state)
    trial = work[0]
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        for j in range(out.shape[1]):
            out[k, j] = 0.0
            if t.ending != NOT_ENDED:
                continue
            copy_record(trial, t)
            while trial.ending == NOT_ENDED:
                player = seated[k, trial.to_act]
                player = first + j if player == LEARNER else player
                apply(rules, trial, act(policies[player], parameters[player], rules, trial))
            out[k, j] = earned(rules, trial, learners[k], reward, chances)
