"""Kernels for tables with a learner at one seat and scripted or waiting opponents at the others.

``episodes`` holds one record of :data:`EPISODE` for each table of ``state``; ``rows`` names tables of both.
"""

import numpy as np

from rummy_env.bits import roll, roll_below, scale
from rummy_env.games import MAX_SEATS, act, apply, is_legal, num_players, potential, rules_of, settle
from rummy_env.jit import kernel
from rummy_env.match import NOBODY, next_deal, start_match
from rummy_env.reward import earned
from rummy_env.state import NOT_ENDED

# What a table waits for.
READY = 0  # the learner's action
WAITING = 1  # the action of an opponent that is not compiled
DONE = 2  # a new episode

# Ways to seat the learner, beside a fixed seat.
RANDOM_SEAT = -1
ALTERNATING_SEAT = -2

#: One learner's episode.
EPISODE = np.dtype(
    [
        ("learner", "i8"),  # its seat
        ("opponents", "i8", MAX_SEATS),  # by seat, the number of the opponent there
        ("reward", "f8"),  # earned since the learner's last decision, before scaling and shaping
        ("points", "i8"),  # the learner's points of the deals finished since then
        ("potential", "f8"),  # at that decision, where rewards are shaped
        ("acted", "u1"),  # whether the learner has had a decision
        ("status", "u1"),
    ],
    align=True,
)


@kernel
def begin_episodes(fields, state, episodes, rows, seat_mode, odds):
    """Starts an episode at each table: chooses the learner's seat and the opponents at the others, and deals.

    ``seat_mode`` is a seat, RANDOM_SEAT or ALTERNATING_SEAT; ``odds`` float64[m] are the opponents', cumulative.
    """
    rules = rules_of(fields, state)
    for k in range(rows.shape[0]):
        t, e = state[rows[k]], episodes[rows[k]]
        seats = num_players(rules, t)
        if seat_mode == RANDOM_SEAT:
            e.learner = roll_below(t, seats)
        elif seat_mode == ALTERNATING_SEAT:
            e.learner = (e.learner + 1) % seats
        else:
            e.learner = seat_mode
        for seat in range(seats):
            if seat == e.learner:
                continue
            draw = scale(roll(t), 1 << 30) / np.float64(1 << 30)
            opponent = 0
            while opponent < odds.shape[0] - 1 and draw >= odds[opponent]:
                opponent += 1
            e.opponents[seat] = opponent
        e.acted = 0
        start_match(rules, t)


@kernel
def run_on(fields, state, episodes, rows, reward, chances, by_match, policies, parameters):
    """Plays each table on until the learner is to act, an uncompiled opponent is to act, or the episode is over.

    ``policies`` int64[m] holds -1 for an opponent that is not compiled. ``reward`` is what a deal earns, the number of one
    of REWARDS. An episode that ends before the learner has acted is dealt anew.
    """
    rules = rules_of(fields, state)
    for k in range(rows.shape[0]):
        t, e = state[rows[k]], episodes[rows[k]]
        while True:
            if t.ending != NOT_ENDED:
                e.points += np.int64(t.points[e.learner])
                e.reward += earned(rules, t, e.learner, reward, chances)
                over = not by_match or settle(rules, t) != NOBODY
                if over and e.acted:
                    e.status = DONE
                    break
                if over:
                    e.reward = 0.0
                    e.points = 0
                    start_match(rules, t)
                else:
                    next_deal(rules, t)
                continue
            if t.to_act == e.learner:
                e.status = READY
                break
            opponent = e.opponents[t.to_act]
            if policies[opponent] < 0:
                e.status = WAITING
                break
            apply(rules, t, act(policies[opponent], parameters[opponent], rules, t))


@kernel
def learner_actions(fields, state, episodes, rows, actions, illegal):
    """Plays the learner's action at each table, or marks it in ``illegal`` bool[k] and leaves the table as it is."""
    rules = rules_of(fields, state)
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        illegal[k] = not is_legal(rules, t, actions[k])
        episodes[rows[k]].acted = 1
        if not illegal[k]:
            apply(rules, t, actions[k])


@kernel
def lose_episodes(episodes, rows, penalty):
    """Ends the episodes of ``rows``, lost with ``penalty`` points."""
    for k in range(rows.shape[0]):
        e = episodes[rows[k]]
        e.status = DONE
        e.reward = -penalty
        e.points = -penalty


@kernel
def take_outcomes(episodes, rows, unit, rewards, points, done):
    """Moves what was earned since the last call to ``rewards`` float32[k], over ``unit``, and ``points`` int64[k].

    Writes which episodes are over, bool[k].
    """
    for k in range(rows.shape[0]):
        e = episodes[rows[k]]
        done[k] = e.status == DONE
        rewards[k] = e.reward / unit
        points[k] = e.points
        e.reward = 0.0
        e.points = 0


@kernel
def fill_done(episodes, rows, masks):
    """Allows every action where the episode is over: there is nothing to choose."""
    for k in range(rows.shape[0]):
        if episodes[rows[k]].status == DONE:
            masks[k] = 1


@kernel
def potentials(fields, state, episodes, rows, out):
    """Writes the potential, float64[k], of the learner's seat at each table."""
    rules = rules_of(fields, state)
    for k in range(rows.shape[0]):
        out[k] = potential(rules, state[rows[k]], episodes[rows[k]].learner)
