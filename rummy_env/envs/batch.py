"""Kernels over many tables of any game: what the environments and the arena call, once for all rows they name.

``rows`` is int64[k] and names tables of ``state``; outputs are caller-owned arrays of k rows. ``fields`` are the rules as an
array of int64: a call from Python takes one in a tenth of the time of a tuple of as many ints.
"""

import numpy as np

from rummy_env.bits import stream
from rummy_env.games import (
    act,
    apply,
    candidates,
    is_legal,
    observe,
    observe_bits,
    observe_privileged,
    resample,
    rules_of,
    settle,
    write_mask,
    write_outlook,
)
from rummy_env.jit import kernel
from rummy_env.match import next_deal, start_match
from rummy_env.state import NOT_ENDED


@kernel
def seed_tables(state, seed, ids):
    """Keys the decks of each table by (seed, id) and its dice apart from them."""
    for i in range(ids.shape[0]):
        t = state[i]
        t.key = stream(seed, np.uint64(ids[i]))
        t.dice = stream(~seed, np.uint64(ids[i]))
        t.deal = 0


@kernel
def start_matches(fields, state, rows):
    """Begins a new match at each table."""
    rules = rules_of(fields, state)
    for k in range(rows.shape[0]):
        start_match(rules, state[rows[k]])


@kernel
def settle_deals(fields, state, rows, winners):
    """Adds each finished deal to its match and writes the match's winner (or -1); the next deal is not dealt."""
    rules = rules_of(fields, state)
    for k in range(rows.shape[0]):
        winners[k] = settle(rules, state[rows[k]])


@kernel
def next_deals(fields, state, rows):
    """Deals the next deal of each table's match."""
    rules = rules_of(fields, state)
    for k in range(rows.shape[0]):
        next_deal(rules, state[rows[k]])


@kernel
def step_tables(fields, state, rows, actions):
    """Plays one action at each table; stops before the first illegal one and returns its place, else -1."""
    rules = rules_of(fields, state)
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        if not is_legal(rules, t, actions[k]):
            return k
        apply(rules, t, actions[k])
    return -1


@kernel
def observe_tables(fields, state, rows, seats, ends, obs, masks):
    """Writes observations float32[k, width] of ``seats`` and masks int8[k, NUM_ACTIONS] of who is to act.

    ``ends`` int64[2] is where OBS_SPEC ends and where the outlook behind it does: the same place if it is not asked for.
    Where ``obs`` is wider still, what only a critic may see follows. A mask is zero where ``seats`` does not act.
    """
    rules = rules_of(fields, state)
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        seat = np.int64(seats[k])
        observe(rules, t, seat, obs[k])
        if ends[1] > ends[0]:
            write_outlook(rules, t, seat, obs[k, ends[0] :])
        if obs.shape[1] > ends[1]:
            observe_privileged(rules, t, seat, obs[k, ends[1] :])
        if t.to_act == seat:
            write_mask(rules, t, masks[k])
        else:
            masks[k] = 0


@kernel
def observe_tables_bits(fields, state, rows, seats, words, masks):
    """As :func:`observe_tables`, but the public facts as words uint64[k, BITS_WORDS]."""
    rules = rules_of(fields, state)
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        observe_bits(rules, t, np.int64(seats[k]), words[k])
        if t.to_act == seats[k]:
            write_mask(rules, t, masks[k])
        else:
            masks[k] = 0


@kernel
def act_tables(fields, state, rows, policy, parameters, actions):
    """Writes a scripted policy's action for the seat to act at each table."""
    rules = rules_of(fields, state)
    for k in range(rows.shape[0]):
        actions[k] = act(policy, parameters, rules, state[rows[k]])


@kernel
def list_candidates(fields, state, rows, policy, parameters, out):
    """Writes the actions worth a try for the seat to act at each table into ``out`` int64[k, m], the policy's own first."""
    rules = rules_of(fields, state)
    for k in range(rows.shape[0]):
        count = candidates(policy, parameters, rules, state[rows[k]], out[k])
        out[k, count:] = -1


@kernel
def resample_tables(fields, state, rows, seats):
    """Draws anew, at each table, what the seat cannot see."""
    rules = rules_of(fields, state)
    for k in range(rows.shape[0]):
        resample(rules, state[rows[k]], np.int64(seats[k]))


@kernel
def play_deals(fields, state, rows, policies, parameters, deals):
    """Plays ``deals`` new deals at each table between scripted policies, seat s with ``policies[s]``.

    Returns how many decisions were made. The last deal of each table stays on it.
    """
    rules = rules_of(fields, state)
    moves = 0
    for k in range(rows.shape[0]):
        t = state[rows[k]]
        for _ in range(deals):
            start_match(rules, t)
            while t.ending == NOT_ENDED:
                seat = np.int64(t.to_act)
                apply(rules, t, act(policies[seat], parameters[seat], rules, t))
                moves += 1
    return moves
