"""From deals to a match, in any game: what begins it and what comes next. Each game's rules are in its ``match`` module."""

from collections.abc import Sequence
from typing import NamedTuple

from rummy_env.games import deal, first_starter, game_of, next_starter, settle
from rummy_env.jit import kernel
from rummy_env.rules import Rules, num_seats
from rummy_env.state import new_records

NOBODY = -1


@kernel
def start_match(rules, t):
    """Clears the scores of table ``t`` and deals the first deal of a match."""
    for seat in range(len(t.scores)):
        t.scores[seat] = 0
        t.wins[seat] = 0
    t.match_deals = 0
    deal(rules, t, first_starter(rules, t))


@kernel
def next_deal(rules, t):
    """Deals the next deal of the match at table ``t``."""
    deal(rules, t, next_starter(rules, t))


class MatchScore(NamedTuple):
    """A match after some deals: scores and deals won by seat, and the winner (None while it goes on)."""

    scores: tuple[int, ...]
    wins: tuple[int, ...]
    winner: int | None


def play_match(rules: Rules, deals: Sequence[int | Sequence[int]], before: Sequence[int] = ()) -> MatchScore:
    """Scores deals, each given as points by seat, from the scores ``before`` (default: none).

    In a game of two a deal may be given as one number, points for seat 0 (negative: for seat 1). Stops at the end of the
    match; raises ValueError if deals are left over then.

    >>> from rummy_env.rules import make_rules
    >>> play_match(make_rules("gin-ru"), [12], before=(-60, -140))
    MatchScore(scores=(-60, -152), wins=(1, 0), winner=0)
    """
    seats = num_seats(rules)
    t = new_records(1, game_of(rules).state.TABLE)[0]
    t.scores[:seats] = before or [0] * seats
    winner = NOBODY
    for number, given in enumerate(deals):
        if winner != NOBODY:
            raise ValueError(f"the match is over after {number} deals, but {len(deals)} were given")
        t.points[:seats] = (given, -given) if isinstance(given, int) else given
        winner = int(settle(rules, t))
    scores, wins = (tuple(column[:seats].tolist()) for column in (t.scores, t.wins))
    return MatchScore(scores, wins, None if winner == NOBODY else winner)
