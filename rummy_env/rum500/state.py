"""The state of many tables of 500 Rum at once: a record array with one record per table, as in gin.

A meld on the table is the mask of its *places*: the cards it shows, a joker counting as the card it stands for. Which
places are jokers says ``joker_as``, so that every natural card and every joker lies in exactly one place.
"""

import numpy as np

from rummy_env.state import NOT_ENDED as NOT_ENDED

MAX_SEATS = 6
MAX_MELDS = 18

# Phases: what the seat to act decides.
DRAW = 0  # draw from the stock, take from the row, or pass where the stock is out
PLAY = 1  # lay, lay off and swap, then discard
OVER = 2
PHASES = ("draw", "play", "over")

# Endings: how a deal ended.
OUT = 1  # a player put out (or, where the rules say so, laid) his last card
STOCK_OUT = 2  # the stock was out, and a player passed or the rules end the deal then
CAPPED = 3  # max_turns reached: scored as it stands, a truncation
ENDINGS = ("none", "out", "stock_out", "capped")

#: Fields of one table. Masks are uint64; cards are uint8 with 255 for none; seats are 0 to num_players - 1.
TABLE = np.dtype(
    [
        ("key", "u8"),  # decides every deck of this table
        ("deck", "u8"),  # generator of this deal's shuffles
        ("dice", "u8"),  # generator for scripted policies and random play
        ("hands", "u8", MAX_SEATS),
        ("known", "u8", MAX_SEATS),  # cards of the hand that everybody saw come: from the row, or a joker swapped out
        ("discards", "u8", MAX_SEATS),  # cards this seat has put into the row in this deal
        ("melds", "u8", MAX_MELDS),  # places of each meld, in order of laying
        ("laid", "u8"),  # all cards in melds, jokers by their own bit
        ("reshuffled", "u8"),  # cards of the row that became the stock last
        ("scores", "i4", MAX_SEATS),  # match scores
        ("deal", "u4"),  # deals dealt at this table, this one included
        ("points", "i2", MAX_SEATS),  # points of the finished deal
        ("credit", "i2", MAX_SEATS),  # points of the cards laid so far
        ("wins", "u2", MAX_SEATS),  # deals in which this seat had the most points
        ("match_deals", "u2"),  # deals finished in this match
        ("turn", "u2"),  # turns ended in this deal
        ("stock", "u1", 54),  # cards in drawing order
        ("row", "u1", 54),  # cards in the order in which they were laid
        ("stock_at", "u1"),  # position of the next card
        ("stock_end", "u1"),  # position after the last card
        ("row_size", "u1"),
        ("num_melds", "u1"),
        ("joker_as", "u1", 2),  # card each joker stands for, 255 while it is in no meld
        ("joker_meld", "u1", 2),  # number of its meld
        ("joker_by", "u1", 2),  # seat that laid it
        ("phase", "u1"),
        ("to_act", "u1"),  # seat that decides
        ("starter", "u1"),  # seat that began the deal (the dealer sits before it)
        ("owed", "u1"),  # card that must be laid in this turn
        ("barred", "u1"),  # card that may not be discarded in this turn
        ("drawn", "u1"),  # card drawn from the stock in this turn
        ("took", "u1"),  # cards taken from the row in this turn
        ("ending", "u1"),
        ("closer", "u1"),  # seat that went out, 255 for none
    ],
    align=True,
)

#: Columns by seat that tell how a deal came out, in a record and in training's logs.
RESULT = ("points", "credit")
#: Endings brought about by ``closer``, and those of them that count for another seat.
BY_CLOSER = (OUT,)
LOST_BY_CLOSER = ()
