"""From deals to a match of 500 Rum: scores add up, the deal goes round, and the highest score wins.

A match goes to the target, or over ``num_deals`` deals where the rules set that. A tie for the highest score then takes one
more deal, and so on.
"""

import numpy as np

from rummy_env.bits import mix, scale, stream
from rummy_env.jit import kernel

NOBODY = -1


@kernel
def first_starter(rules, t):
    """The seat that begins the first deal of a match."""
    return scale(mix(stream(~t.key, np.uint64(t.deal))), rules.num_players)


@kernel
def next_starter(rules, t):
    """The seat that begins the deal after the finished one."""
    return (np.int64(t.starter) + 1) % rules.num_players


@kernel
def leader(rules, values):
    """The seat whose value is the highest, or -1 if several share it."""
    best, tied = 0, False
    for seat in range(1, rules.num_players):
        if values[seat] > values[best]:
            best, tied = seat, False
        elif values[seat] == values[best]:
            tied = True
    return NOBODY if tied else best


@kernel
def settle(rules, t):
    """Adds the finished deal of table ``t`` to its match. Returns the seat that has won the match, or -1."""
    t.match_deals += 1
    most = t.points[0]
    for seat in range(rules.num_players):
        most = max(most, t.points[seat])
        t.scores[seat] += t.points[seat]
    for seat in range(rules.num_players):
        if t.points[seat] == most:
            t.wins[seat] += 1
    return match_winner(rules, t)


@kernel
def progress(rules, t, seat):
    """What a seat has towards winning the match, of the target; below 0 counts as nothing."""
    return max(np.int64(t.scores[seat]), 0)


@kernel
def match_winner(rules, t):
    """The seat with the highest score once the match is due to end, or -1."""
    due = rules.num_deals > 0 and t.match_deals >= rules.num_deals
    for seat in range(rules.num_players):
        if rules.num_deals == 0 and t.scores[seat] >= rules.target:
            due = True
    return leader(rules, t.scores) if due else NOBODY
