"""From deals to a match: scores in either sign, boxes, bonuses, and who begins the next deal.

With ``scoring="plus"`` a deal's points are added to its winner's score and the first to reach the target wins.
With ``"minus"`` they are written against the loser, and the first to reach minus the target has lost.
When a match is over, each player is credited ``box_bonus`` for each deal won, and the winner ``game_bonus``,
plus ``shutout`` where the other won no deal.
"""

from typing import NamedTuple

import numpy as np

from rummy_env.bits import mix, scale, stream
from rummy_env.gin.play import deal
from rummy_env.gin.state import CAPPED, DEAD, new_state
from rummy_env.jit import kernel
from rummy_env.rules import GinRules, choice

PLUS = choice("scoring", "plus")
ALTERNATE = choice("starter", "alternate")
ALTERNATE_SCORED = choice("starter", "alternate_scored")
SEAT0 = choice("starter", "seat0")
WINNER = choice("starter", "winner")
NOBODY = -1


@kernel
def start_match(rules, t):
    """Clears the scores of table ``t`` and deals the first deal of a match."""
    for seat in range(2):
        t.scores[seat] = 0
        t.wins[seat] = 0
    t.match_deals = 0
    starter = 0
    if rules.starter != SEAT0:
        starter = scale(mix(stream(~t.key, np.uint64(t.deal))), 2)
    deal(rules, t, starter)


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
def match_winner(rules, t):
    """The seat whose score (or whose opponent's, in minus) has reached the target, or -1."""
    for seat in range(2):
        if rules.scoring == PLUS and t.scores[seat] >= rules.target:
            return seat
        if rules.scoring != PLUS and t.scores[1 - seat] <= -rules.target:
            return seat
    return NOBODY


@kernel
def next_deal(rules, t):
    """Deals the next deal of the match at table ``t``."""
    deal(rules, t, next_starter(rules, t))


class MatchScore(NamedTuple):
    """A match after some deals: scores and deals won by seat, and the winner (None while it goes on)."""

    scores: tuple[int, int]
    wins: tuple[int, int]
    winner: int | None


def play_match(rules: GinRules, deals: list[int], before: tuple[int, int] = (0, 0)) -> MatchScore:
    """Scores deals given as points for seat 0 (negative: for seat 1), from the scores ``before``.

    Stops at the end of the match; raises ValueError if deals are left over then.

    >>> from rummy_env.rules import gin_rules
    >>> play_match(gin_rules("gin-ru"), [12], before=(-60, -140))
    MatchScore(scores=(-60, -152), wins=(1, 0), winner=0)
    """
    table = new_state(1)[0]
    table.scores[:] = before
    winner = NOBODY
    for number, points in enumerate(deals):
        if winner != NOBODY:
            raise ValueError(f"the match is over after {number} deals, but {len(deals)} were given")
        table.points[:] = points, -points
        winner = int(settle(rules, table))
    scores, wins = table.scores.tolist(), table.wins.tolist()
    return MatchScore((scores[0], scores[1]), (wins[0], wins[1]), None if winner == NOBODY else winner)
