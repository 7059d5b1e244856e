"""The state of many tables of gin at once: a record array with one record per table (:mod:`rummy_env.state`)."""

import numpy as np

from rummy_env.state import NO_CARD, NO_SEAT, NOT_ENDED, State, new_records

__all__ = ["NOT_ENDED", "NO_CARD", "NO_SEAT", "State"]  # of every game

# Phases: what the seat to act decides.
FIRST_OFFER = 0  # the starter: take the opening upcard or pass
SECOND_OFFER = 1  # the other: take it or pass
FORCED_DRAW = 2  # both passed: the starter draws from the stock
DRAW = 3  # stock or upcard
DISCARD = 4  # one card more in hand: discard or close
LAST_KNOCK = 5  # two cards left: knock with the upcard or pass
OVER = 6
PHASES = ("first_offer", "second_offer", "forced_draw", "draw", "discard", "last_knock", "over")

# Endings: how a deal ended, beside NOT_ENDED.
KNOCK = 1  # the knocker has less
GIN = 2
BIG_GIN = 3
UNDERCUT = 4  # the defender has less (or as much, where the rules say so)
TIE = 5  # equal, scored 0
DEAD = 6  # the stock ran out, or the rules ended the deal without score
CAPPED = 7  # max_turns reached: a truncation
ENDINGS = ("none", "knock", "gin", "big_gin", "undercut", "tie", "dead", "capped")
BY_CLOSER = (KNOCK, GIN, BIG_GIN, UNDERCUT)  # endings that one seat brings about and one wins,
LOST_BY_CLOSER = (UNDERCUT,)  # and those of them that the other one wins

MAX_SEATS = 2
MEMORY = 16  # turns of a seat that `pairs` remembers

#: What a finished deal left to each seat: columns of TABLE.
RESULT = ("points", "deadwood")

#: Fields of one table. Masks are uint64; cards are uint8 with 255 for none; seats are 0 and 1.
TABLE = np.dtype(
    [
        ("key", "u8"),  # decides every deck of this table
        ("deck", "u8"),  # generator of this deal's shuffles
        ("dice", "u8"),  # generator for scripted policies and random play
        ("hands", "u8", 2),
        ("known", "u8", 2),  # cards of the hand that everybody saw taken from the pile
        ("discards", "u8", 2),  # cards this seat has put out in this deal and not taken back
        ("declined", "u8", 2),  # upcards this seat refused
        ("pile", "u8"),  # all discards on the table, upcard included
        ("reshuffled", "u8"),  # cards turned over at the last reshuffle
        ("earlier", "u8"),  # cards turned over at the reshuffle before, and not since
        ("scores", "i4", 2),  # match scores in the variant's sign
        ("deal", "u4"),  # deals dealt at this table, this one included
        ("points", "i2", 2),  # points of the finished deal, zero-sum
        ("wins", "u2", 2),  # deals won in this match
        ("match_deals", "u2"),  # deals finished in this match
        ("turn", "u2"),  # discards made in this deal
        ("turns", "u2", 2),  # discards made by each seat
        ("takes", "u2", 2),  # upcards taken by each seat in this deal, the opening offer apart
        ("stock", "u1", 52),  # cards in drawing order
        ("stock_at", "u1"),  # position of the next card
        ("stock_end", "u1"),  # position after the last card
        ("phase", "u1"),
        ("to_act", "u1"),  # seat that decides
        ("starter", "u1"),  # seat that began the deal (the dealer is the other)
        ("opening", "u1"),  # the first upcard: Oklahoma's limit, spade doubling
        ("upcard", "u1"),  # top of the pile
        ("drawn", "u1"),  # card drawn in this turn
        ("from_stock", "u1"),  # 1 if `drawn` came from the stock
        ("rethrows", "u1"),  # turns running in which a taken upcard was put out again
        ("pairs", "u1", (2, MEMORY, 2)),  # (card drawn, card discarded) of each seat's last turns
        ("ending", "u1"),
        ("closer", "u1"),  # seat that closed, 255 for none
        ("aside", "u1"),  # card put aside on closing
        ("deadwood", "u1", 2),  # points left after the showdown
    ],
    align=True,
)


def new_state(n: int) -> State:
    """``n`` empty tables, all zero; begin with :func:`rummy_env.match.start_match`."""
    return new_records(n, TABLE)
