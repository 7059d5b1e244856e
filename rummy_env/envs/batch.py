"""Kernels over many tables: what the environments and the arena call, once for all rows they name.

``rows`` is int64[k] and names tables of ``state``; outputs are caller-owned arrays of k rows. ``fields`` are the rules as
int64[23]: a call from Python takes an array in a tenth of the time of a tuple of 23 ints.
"""

import numpy as np

from rummy_env.bits import roll, roll_below, scale, stream
from rummy_env.gin.melds import deadwood
from rummy_env.gin.observe import OBS_SIZE, observe, observe_bits, observe_privileged, write_mask
from rummy_env.gin.outlook import OUTLOOK_SIZE, write_outlook
from rummy_env.gin.play import apply, is_legal, resample
from rummy_env.gin.policies import act
from rummy_env.gin.state import CAPPED, OVER
from rummy_env.jit import kernel
from rummy_env.match import NOBODY, next_deal, settle, start_match
from rummy_env.rules import GinRules

# What a table of a learner waits for.
READY = 0  # the learner's action
WAITING = 1  # the action of an opponent that is not compiled
DONE = 2  # a new episode

RANDOM_SEAT, ALTERNATING_SEAT = 2, 3


@kernel
def rules_of(f):
    """The :class:`GinRules` whose fields an array (or a tuple) holds, in their order."""
    return GinRules(
        *(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10], f[11], f[12], f[13], f[14], f[15], f[16]),
        *(f[17], f[18], f[19], f[20], f[21], f[22]),
    )


@kernel
def seed_tables(state, seed, ids):
    """Keys the decks of each table by (seed, id) and its dice apart from them; phases are set to over."""
    for i in range(ids.shape[0]):
        t = state[i]
        t.key = stream(seed, np.uint64(ids[i]))
        t.dice = stream(~seed, np.uint64(ids[i]))
        t.deal = 0
        t.phase = OVER


@kernel
def start_matches(fields, state, rows):
    """Begins a new match at each table."""
    rules = rules_of(fields)
    for k in range(rows.shape[0]):
        start_match(rules, state[rows[k]])


@kernel
def settle_deals(fields, state, rows, winners):
    """Adds each finished deal to its match and writes the match's winner (or -1); the next deal is not dealt."""
    rules = rules_of(fields)
    for k in range(rows.shape[0]):
        winners[k] = settle(rules, state[rows[k]])


@kernel
def next_deals(fields, state, rows):
    """Deals the next deal of each table's match."""
    rules = rules_of(fields)
    for k in range(rows.shape[0]):
        next_deal(rules, state[rows[k]])


@kernel
def step_tables(fields, state, rows, actions):
    """Plays one action at each table; stops before the first illegal one and returns its place, else -1."""
    rules = rules_of(fields)
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        if not is_legal(rules, t, actions[k]):
            return k
        apply(rules, t, actions[k])
    return -1


@kernel
def observe_tables(fields, state, rows, seats, outlook, obs, masks):
    """Writes observations float32[k, OBS_SIZE or more] of ``seats`` and masks int8[k, 108] of who is to act.

    The outlook follows if ``outlook`` says so, and where ``obs`` is wider still, what only a critic may see.
    A mask is zero where ``seats`` does not act.
    """
    rules = rules_of(fields)
    size = OBS_SIZE + OUTLOOK_SIZE if outlook else OBS_SIZE
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        seat = np.int64(seats[k])
        observe(rules, t, seat, obs[k])
        if outlook:
            write_outlook(rules, t, seat, obs[k, OBS_SIZE:])
        if obs.shape[1] > size:
            observe_privileged(rules, t, seat, obs[k, size:])
        if t.to_act == seat:
            write_mask(rules, t, masks[k])
        else:
            masks[k] = 0


@kernel
def observe_tables_bits(fields, state, rows, seats, words, masks):
    """As :func:`observe_tables`, but the public facts as uint64[k, 9] words."""
    rules = rules_of(fields)
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        observe_bits(t, np.int64(seats[k]), words[k])
        if t.to_act == seats[k]:
            write_mask(rules, t, masks[k])
        else:
            masks[k] = 0


@kernel
def act_tables(fields, state, rows, policy, parameters, actions):
    """Writes a scripted policy's action for the seat to act at each table."""
    rules = rules_of(fields)
    for k in range(rows.shape[0]):
        actions[k] = act(policy, parameters, rules, state[rows[k]])


@kernel
def resample_tables(state, rows, seats):
    """Draws anew, at each table, what the seat cannot see."""
    for k in range(rows.shape[0]):
        resample(state[rows[k]], np.int64(seats[k]))


@kernel
def play_deals(fields, state, rows, policies, parameters, deals):
    """Plays ``deals`` new deals at each table between two scripted policies, seat s with ``policies[s]``.

    Returns how many decisions were made. The last deal of each table stays on it.
    """
    rules = rules_of(fields)
    moves = 0
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        for _ in range(deals):
            start_match(rules, t)
            while t.phase != OVER:
                seat = np.int64(t.to_act)
                apply(rules, t, act(policies[seat], parameters[seat], rules, t))
                moves += 1
    return moves


# A learner at one seat, scripted or waiting opponents at the other.


@kernel
def begin_episodes(fields, state, rows, seat_mode, odds, learners, opponents, acted):
    """Starts an episode at each table: chooses the learner's seat and the opponent, and deals.

    ``seat_mode`` is 0 or 1 for a fixed seat, 2 for random, 3 for alternating; ``odds`` float64[m] are cumulative.
    """
    rules = rules_of(fields)
    for k in range(rows.shape[0]):
        i = rows[k]
        t = state[i]
        if seat_mode == RANDOM_SEAT:
            learners[i] = roll_below(t, 2)
        elif seat_mode == ALTERNATING_SEAT:
            learners[i] = 1 - learners[i]
        else:
            learners[i] = seat_mode
        draw = scale(roll(t), 1 << 30) / np.float64(1 << 30)
        opponents[i] = 0
        while opponents[i] < odds.shape[0] - 1 and draw >= odds[opponents[i]]:
            opponents[i] += 1
        acted[i] = 0
        start_match(rules, t)


@kernel
def run_on(fields, state, rows, learners, opponents, acted, policies, parameters, by_match, rewards, status):
    """Plays each table on until the learner is to act, an uncompiled opponent is to act, or the episode is over.

    ``policies`` int64[m] holds -1 for an opponent that is not compiled. Points of finished deals are added to
    ``rewards`` from the learner's view. An episode that ends before the learner has acted is dealt anew.
    """
    rules = rules_of(fields)
    for k in range(rows.shape[0]):
        i = rows[k]
        t = state[i]
        learner, opponent = learners[i], opponents[i]
        while True:
            if t.phase == OVER:
                rewards[i] += t.points[learner]
                over = not by_match or settle(rules, t) != NOBODY
                if over and acted[i]:
                    status[i] = DONE
                    break
                if over:
                    rewards[i] = 0
                    start_match(rules, t)
                else:
                    next_deal(rules, t)
            elif t.to_act == learner:
                status[i] = READY
                break
            elif policies[opponent] < 0:
                status[i] = WAITING
                break
            else:
                apply(rules, t, act(policies[opponent], parameters[opponent], rules, t))


@kernel
def learner_actions(fields, state, rows, actions, acted, illegal):
    """Plays the learner's action at each table, or marks it in ``illegal`` bool[k] and leaves the table as it is."""
    rules = rules_of(fields)
    for k in range(rows.shape[0]):
        i = rows[k]
        t = state[i]
        illegal[k] = not is_legal(rules, t, actions[k])
        acted[i] = 1
        if not illegal[k]:
            apply(rules, t, actions[k])


@kernel
def take_outcomes(state, rows, illegal, status, points, unit, rewards, terminated, truncated, taken):
    """Writes which episodes are over, and how, bool[k]; moves their ``points`` since the last call to ``taken``, int64[k].

    ``rewards`` float32[k] are those points over ``unit``.
    """
    for k in range(rows.shape[0]):
        i = rows[k]
        truncated[k] = status[i] == DONE and state[i].ending == CAPPED and not illegal[k]
        terminated[k] = status[i] == DONE and not truncated[k]
        rewards[k] = points[i] / unit
        taken[k] = np.int64(points[i])
        points[i] = 0


@kernel
def fill_done(rows, status, masks):
    """Allows every action where the episode is over: there is nothing to choose."""
    for k in range(rows.shape[0]):
        if status[rows[k]] == DONE:
            masks[k] = 1


@kernel
def own_deadwood(state, rows, seats, out):
    """Writes the least deadwood, float64[k], of the hand of ``seats[i]`` at each table i of ``rows``."""
    for k in range(rows.shape[0]):
        out[k] = deadwood(state[rows[k]].hands[seats[rows[k]]])
