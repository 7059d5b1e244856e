"""Gin's match: scores in either sign, boxes, bonuses, and who begins the next deal.

With ``scoring="plus"`` a deal's points are added to its winner's score and the first to reach the target wins.
With ``"minus"`` they are written against the loser, and the first to reach minus the target has lost.
When a match is over, each player is credited ``box_bonus`` for each deal won, and the winner ``game_bonus``,
plus ``shutout`` where the other won no deal.
"""

import numpy as np

from rummy_env.bits import mix, scale, stream
from rummy_env.gin.state import CAPPED, DEAD
from rummy_env.jit import kernel
from rummy_env.rules import GIN_BOOK

PLUS = GIN_BOOK.choice("scoring", "plus")
ALTERNATE = GIN_BOOK.choice("starter", "alternate")
ALTERNATE_SCORED = GIN_BOOK.choice("starter", "alternate_scored")
SEAT0 = GIN_BOOK.choice("starter", "seat0")
WINNER = GIN_BOOK.choice("starter", "winner")
NOBODY = -1


@kernel
def first_starter(rules, t):
    """The seat that begins the first deal of a match."""
    return 0 if rules.starter == SEAT0 else scale(mix(stream(~t.key, np.uint64(t.deal))), 2)


@kernel
def next_starter(rules, t):
    """The seat that begins the deal after the finished one."""
    before = np.int64(t.starter)
    closed = t.ending != DEAD and t.ending != CAPPED
    if rules.starter == SEAT0:
        return 0
    if rules.starter == ALTERNATE or (rules.starter == ALTERNATE_SCORED and closed):
        return 1 - before
    if rules.starter == ALTERNATE_SCORED or t.points[0] == 0:
        return before
    winner = 0 if t.points[0] > 0 else 1
    return winner if rules.starter == WINNER else 1 - winner


@kernel
def settle(rules, t):
    """Adds the finished deal of table ``t`` to its match. Returns the seat that has won the match, or -1."""
    t.match_deals += 1
    for seat in range(2):
        points = np.int64(t.points[seat])
        if points > 0:
            t.wins[seat] += 1
        if (points > 0) == (rules.scoring == PLUS):
            t.scores[seat] += points
    winner = match_winner(rules, t)
    if winner != NOBODY:
        for seat in range(2):
            t.scores[seat] += rules.box_bonus * np.int64(t.wins[seat])
        t.scores[winner] += rules.game_bonus
        if t.wins[1 - winner] == 0:
            t.scores[winner] += rules.shutout
    return winner


@kernel
def progress(rules, t, seat):
    """What a seat has towards winning the match, of the target: in either sign the points it has earned."""
    return np.int64(t.scores[seat]) if rules.scoring == PLUS else -np.int64(t.scores[1 - seat])


@kernel
def match_winner(rules, t):
    """The seat whose score (or whose opponent's, in minus) has reached the target, or -1."""
    for seat in range(2):
        if rules.scoring == PLUS and t.scores[seat] >= rules.target:
            return seat
        if rules.scoring != PLUS and t.scores[1 - seat] <= -rules.target:
            return seat
    return NOBODY
