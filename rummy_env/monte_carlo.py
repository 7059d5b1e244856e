"""Choosing by play: candidates of a decision tried in worlds that the seat may believe in. A kernel for any game.

All candidates are tried in the same worlds with the same dice, so that most of the luck falls out of their differences. They
are weeded out by halves (sequential halving: Karnin, Koren and Somekh 2013); the first candidate, the choice of the player
who searches, stays to the end, and is kept unless another is better by some standard errors.
"""

import math

import numpy as np

from rummy_env.bits import roll
from rummy_env.deck import redraw_future
from rummy_env.games import act, apply, imagine, rules_of
from rummy_env.jit import kernel
from rummy_env.reward import earned
from rummy_env.scratch import copy_record
from rummy_env.state import NOT_ENDED

#: Most candidates of a decision that are searched.
MOST_SEARCHED = 24
#: Worlds between two looks at whether the leader is clear, and by how many standard errors it then must lead.
LOOK, CLEAR = 16, 3.0


@kernel
def _mean(tally, k):
    return tally[0, k] / tally[2, k] if tally[2, k] > 0 else 0.0


@kernel
def _error(tally, k):
    """The standard error of a candidate's mean lead over the first one."""
    n = tally[2, k]
    if n < 2:
        return 1e9
    mean = tally[0, k] / n
    return math.sqrt(max(tally[1, k] / n - mean * mean, 0.0) / (n - 1))


@kernel
def _leader(tally, alive, count):
    """Where in ``alive`` the candidate with the best mean stands."""
    best = 0
    for k in range(1, count):
        if _mean(tally, alive[k]) > _mean(tally, alive[best]):
            best = k
    return best


@kernel
def _is_clear(tally, alive, count):
    """Whether the leader is ahead of all others by more than luck."""
    best = alive[_leader(tally, alive, count)]
    error = _error(tally, best) if best != 0 else 0.0
    for k in range(count):
        other = alive[k]
        if other == best:
            continue
        apart = error + (_error(tally, other) if other != 0 else 0.0)
        if _mean(tally, best) - _mean(tally, other) < CLEAR * apart:
            return False
    return True


@kernel
def _halve(tally, alive, count):
    """Keeps the better half of the candidates, and the first; returns how many stay."""
    for k in range(2, count):  # insertion by falling mean, behind the first candidate
        moved = alive[k]
        at = k
        while at > 1 and _mean(tally, alive[at - 1]) < _mean(tally, moved):
            alive[at] = alive[at - 1]
            at -= 1
        alive[at] = moved
    return max(2, (count + 1) // 2)


@kernel
def _play_out(rules, trial, seat, own, other, policies, parameters, reward, chances):
    """The price of the deal for ``seat`` when two scripted policies, by number in ``policies``, play it to its end."""
    while trial.ending == NOT_ENDED:
        player = own if trial.to_act == seat else other
        apply(rules, trial, act(policies[player], parameters[player], rules, trial))
    return earned(rules, trial, seat, reward, chances)


@kernel
def search_tables(
    fields, state, rows, candidates, worlds, caution, policies, parameters, reward, chances, work, tally, alive, actions, values
):
    """Chooses for the seat to act at each table among ``candidates`` int64[k, MOST_SEARCHED], -1 behind the last.

    At most ``worlds`` worlds a decision. Of ``policies`` int64[m] the first plays on for the seat, the others take turns at the
    other seats, one a world. ``reward`` is the number of one of REWARDS. Another candidate than the first is chosen if its
    mean is better by ``caution`` standard errors. ``work`` are three records, ``tally`` float64[3, MOST_SEARCHED] and ``alive``
    int64[MOST_SEARCHED] are to work in. Writes ``actions`` int64[k] and ``values`` float64[k, MOST_SEARCHED], the mean leads
    over the first candidate, in units of the reward. Uses the tables' dice.
    """
    rules = rules_of(fields, state)
    believed, world, trial = work[0], work[1], work[2]
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        seat = np.int64(t.to_act)
        count = 0
        tally[:] = 0.0
        while count < MOST_SEARCHED and candidates[k, count] >= 0:
            alive[count] = count
            count += 1
        rounds = 1
        while (1 << rounds) < count:
            rounds += 1
        played = 0
        copy_record(believed, t)
        while count > 1 and played < worlds:
            believed.dice = roll(t)
            imagine(rules, believed, seat, played == 0)
            copy_record(world, believed)
            world.dice = roll(t)
            redraw_future(world)
            other = 1 + played % (policies.shape[0] - 1)
            played += 1
            base = 0.0
            for n in range(count):
                copy_record(trial, world)
                apply(rules, trial, candidates[k, alive[n]])
                value = _play_out(rules, trial, seat, 0, other, policies, parameters, reward, chances)
                if n == 0:
                    base = value
                lead = value - base
                tally[0, alive[n]] += lead
                tally[1, alive[n]] += lead * lead
                tally[2, alive[n]] += 1
            if played % LOOK == 0 and _is_clear(tally, alive, count):
                break
            if count > 2 and played * rounds % worlds < rounds:
                count = _halve(tally, alive, count)
        best = alive[_leader(tally, alive, count)] if count > 0 else 0
        actions[k] = candidates[k, best if _mean(tally, best) > caution * _error(tally, best) else 0]
        for n in range(MOST_SEARCHED):
            values[k, n] = _mean(tally, n)
