"""The course of a deal: dealing, and one ``legal_<phase>`` / ``apply_<phase>`` pair for each phase.

Legal actions are three words: cards that may be discarded, cards that may be put aside on closing, and bits 0 to 3
for draw stock, take upcard, pass and big gin. Kernels trust the action they are given; callers check.
"""

import numpy as np

from rummy_env.bits import U0, U1, bit, has, lowest, nth, popcount, roll, roll_below, stream
from rummy_env.cards import PACK
from rummy_env.deck import shuffle, stock_count
from rummy_env.gin.actions import BIG_GIN, CLOSE, DRAW_STOCK, PASS, TAKE_UPCARD
from rummy_env.gin.actions import DISCARD as DISCARD_CARD
from rummy_env.gin.melds import closing_cards, deadwood
from rummy_env.gin.showdown import close
from rummy_env.gin.state import (
    CAPPED,
    DEAD,
    DISCARD,
    DRAW,
    FIRST_OFFER,
    FORCED_DRAW,
    LAST_KNOCK,
    MEMORY,
    NO_CARD,
    NO_SEAT,
    NOT_ENDED,
    OVER,
    SECOND_OFFER,
)
from rummy_env.jit import kernel
from rummy_env.planes import write_flags
from rummy_env.rules import GIN_BOOK

AFTER_STOCK = GIN_BOOK.choice("knock_after", "stock")
INVERT = GIN_BOOK.choice("first_upcard", "invert")
RESHUFFLE = GIN_BOOK.choice("stock_end", "reshuffle_at_3")
LAST_CHANCE = GIN_BOOK.choice("stock_end", "last_knock_at_2")

MAY_DRAW = U1 << np.uint64(DRAW_STOCK - 104)
MAY_TAKE = U1 << np.uint64(TAKE_UPCARD - 104)
MAY_PASS = U1 << np.uint64(PASS - 104)
MAY_BIG_GIN = U1 << np.uint64(BIG_GIN - 104)


@kernel
def num_players(rules, t):
    """How many play at table ``t``."""
    return 2


@kernel
def limit_of(rules, opening):
    """The most deadwood a knocker may keep, given the opening upcard (Oklahoma: its value, ace 0)."""
    if rules.oklahoma:
        rank = opening % 13
        return 0 if rank == 0 else min(min(rank + 1, 10), rules.knock_limit)
    return rules.knock_limit


@kernel
def deal(rules, t, starter):
    """Deals the next deal of table ``t``; its cards depend on the table's key and the deal's number alone."""
    t.deck = stream(t.key, np.uint64(t.deal))
    t.deal += 1
    for c in range(52):
        t.stock[c] = c
    shuffle(t, 0, 52)
    lay_out(rules, t, starter)


@kernel
def lay_out(rules, t, starter):
    """Begins a deal from the pack in ``stock[i]``: the starter's hand, the other's, the upcard, then the stock."""
    n = rules.hand_size
    for k in range(2):
        seat = starter if k == 0 else 1 - starter
        hand = U0
        for c in range(k * n, k * n + n):
            hand |= bit(t.stock[c])
        t.hands[seat] = hand
        t.known[k] = U0
        t.discards[k] = U0
        t.declined[k] = U0
        t.takes[k] = 0
        t.turns[k] = 0
        t.deadwood[k] = 0
        t.points[k] = 0
    upcard = t.stock[2 * n]
    t.pile = bit(upcard)
    t.opening = upcard
    t.upcard = upcard
    t.reshuffled = U0
    t.earlier = U0
    t.stock_at = 2 * n + 1
    t.stock_end = 52
    t.phase = FIRST_OFFER
    t.starter = starter
    t.to_act = starter
    t.drawn = NO_CARD
    t.from_stock = 0
    t.turn = 0
    t.rethrows = 0
    t.ending = NOT_ENDED
    t.closer = NO_SEAT
    t.aside = NO_CARD


@kernel
def _end(t, ending):
    t.phase = OVER
    t.ending = ending


# The offers of the opening upcard, and the draw.


@kernel
def legal_offer(rules, t):
    return U0, U0, MAY_TAKE | MAY_PASS


@kernel
def apply_offer(rules, t, action):
    seat = np.int64(t.to_act)
    if action == TAKE_UPCARD:
        _take_upcard(t)
        return
    t.declined[seat] |= bit(t.upcard)
    t.to_act = 1 - seat
    if t.phase == SECOND_OFFER:
        t.phase = FORCED_DRAW
    elif rules.first_upcard == INVERT:
        t.phase = DRAW
    else:
        t.phase = SECOND_OFFER


@kernel
def legal_forced_draw(rules, t):
    return U0, U0, MAY_DRAW


@kernel
def legal_draw(rules, t):
    return U0, U0, MAY_DRAW | MAY_TAKE


@kernel
def apply_draw(rules, t, action):
    seat = t.to_act
    if action == TAKE_UPCARD:
        t.takes[seat] += 1
        _take_upcard(t)
        if rules.max_takes > 0 and np.int64(t.takes[0]) + np.int64(t.takes[1]) >= rules.max_takes:
            _end(t, DEAD)
        return
    card = t.stock[t.stock_at]
    t.stock_at += 1
    t.declined[seat] |= bit(t.upcard)
    _receive(t, card, 1)


@kernel
def _take_upcard(t):
    seat = t.to_act
    card = t.upcard
    t.pile &= ~bit(card)
    t.upcard = NO_CARD
    t.known[seat] |= bit(card)
    t.discards[seat] &= ~bit(card)
    t.declined[seat] &= ~bit(card)
    _receive(t, card, 0)


@kernel
def _receive(t, card, from_stock):
    t.hands[t.to_act] |= bit(card)
    t.drawn = card
    t.from_stock = from_stock
    t.phase = DISCARD


# The discard or the close.


@kernel
def discardable(rules, t):
    """The cards that the seat to act, with one card more in hand, may discard."""
    hand = t.hands[t.to_act]
    return hand if t.from_stock or rules.rediscard_taken else hand & ~bit(t.drawn)


@kernel
def legal_discard(rules, t):
    hand = t.hands[t.to_act]
    cards = discardable(rules, t)
    if rules.knock_after == AFTER_STOCK and not t.from_stock:
        return cards, U0, U0
    closes, big_gin = _ways_to_close(rules, t, hand, cards)
    return cards, closes, big_gin


@kernel
def _ways_to_close(rules, t, hand, cards):
    """Those of ``cards`` that can be put aside on closing with ``hand``, and whether big gin is on offer."""
    big_gin = MAY_BIG_GIN if rules.big_gin_bonus > 0 and deadwood(hand) == 0 else U0
    return closing_cards(hand, cards, limit_of(rules, np.int64(t.opening))), big_gin


@kernel
def apply_discard(rules, t, action):
    seat = np.int64(t.to_act)
    if action >= CLOSE:
        _close(rules, t, seat, action)
        return
    card = bit(action)
    _remember(t, seat, action)
    thrown_back = not t.from_stock and t.drawn == action
    t.hands[seat] &= ~card
    t.known[seat] &= ~card
    t.discards[seat] |= card
    t.pile |= card
    t.upcard = action
    t.drawn = NO_CARD
    t.turn += 1
    t.to_act = 1 - seat
    t.phase = DRAW
    t.rethrows = t.rethrows + 1 if thrown_back else 0
    _end_turn(rules, t)


@kernel
def _remember(t, seat, card):
    slot = np.int64(t.turns[seat]) % MEMORY
    t.pairs[seat, slot, 0] = t.drawn
    t.pairs[seat, slot, 1] = card
    t.turns[seat] += 1


@kernel
def _end_turn(rules, t):
    """What follows a discard: the deal may be dead, the pile reshuffled, or the last knock be offered."""
    left = stock_count(t)
    if t.rethrows >= 2:
        _end(t, DEAD)
    elif rules.stock_end == RESHUFFLE and left <= 3:
        _reshuffle(t)
    elif rules.stock_end == LAST_CHANCE and left <= 2:
        t.phase = LAST_KNOCK
    elif left <= 2:
        _end(t, DEAD)
    if t.phase == DRAW and t.turn >= rules.max_turns:
        _end(t, CAPPED)


@kernel
def _reshuffle(t):
    """Turns the pile over below the cards left in the stock; the upcard stays."""
    left = stock_count(t)
    for k in range(left):
        t.stock[k] = t.stock[np.int64(t.stock_at) + k]
    turned = t.pile & ~bit(t.upcard)
    end = left
    rest = turned
    while rest != U0:
        t.stock[end] = lowest(rest)
        rest &= rest - U1
        end += 1
    shuffle(t, left, end)
    t.stock_at = 0
    t.stock_end = end
    t.pile = bit(t.upcard)
    t.earlier = t.reshuffled & ~turned
    t.reshuffled = turned


@kernel
def _close(rules, t, seat, action):
    t.closer = seat
    if action != BIG_GIN:
        t.aside = action - CLOSE
        t.hands[seat] &= ~bit(action - CLOSE)
        t.known[seat] &= ~bit(action - CLOSE)
    t.phase = OVER
    close(rules, t)


# The last knock of `last_knock_at_2`: the upcard is drawn with it.


@kernel
def legal_last_knock(rules, t):
    hand = t.hands[t.to_act] | bit(t.upcard)
    cards = hand if rules.rediscard_taken else t.hands[t.to_act]
    closes, big_gin = _ways_to_close(rules, t, hand, cards)
    return U0, closes, MAY_PASS | big_gin


@kernel
def apply_last_knock(rules, t, action):
    if action == PASS:
        _end(t, DEAD)
        return
    seat = np.int64(t.to_act)
    t.hands[seat] |= bit(t.upcard)
    t.pile &= ~bit(t.upcard)
    t.drawn = t.upcard
    t.upcard = NO_CARD
    _close(rules, t, seat, action)


@kernel
def legal(rules, t):
    """The legal actions of the seat to act as (discards, closes, other); all zero when the deal is over."""
    phase = t.phase
    if phase == DISCARD:
        return legal_discard(rules, t)
    if phase == DRAW:
        return legal_draw(rules, t)
    if phase <= SECOND_OFFER:
        return legal_offer(rules, t)
    if phase == FORCED_DRAW:
        return legal_forced_draw(rules, t)
    if phase == LAST_KNOCK:
        return legal_last_knock(rules, t)
    return U0, U0, U0


@kernel
def apply(rules, t, action):
    """Plays a legal action at table ``t``."""
    phase = t.phase
    if phase == DISCARD:
        apply_discard(rules, t, action)
    elif phase in (DRAW, FORCED_DRAW):
        apply_draw(rules, t, action)
    elif phase <= SECOND_OFFER:
        apply_offer(rules, t, action)
    elif phase == LAST_KNOCK:
        apply_last_knock(rules, t, action)


@kernel
def is_legal(rules, t, action):
    """Whether an action (any int) is legal at table ``t``."""
    discards, closes, other = legal(rules, t)
    if action < 0 or action > BIG_GIN:
        return False
    if action < CLOSE:
        return has(discards, action)
    if action < DRAW_STOCK:
        return has(closes, action - CLOSE)
    return has(other, action - DRAW_STOCK)


#: np.int64, for numba compiles a callee once for each literal int it is given.
_FIRST_DISCARD, _FIRST_CLOSE = np.int64(DISCARD_CARD), np.int64(CLOSE)


@kernel
def expand(discards, closes, other, out):
    """Writes three words of legal actions into ``out``, int8[108]: 1 for legal."""
    write_flags(out, _FIRST_DISCARD, discards)
    write_flags(out, _FIRST_CLOSE, closes)
    for k in range(4):
        out[DRAW_STOCK + k] = (other >> np.uint64(k)) & U1


@kernel
def write_mask(rules, t, out):
    """Writes the legal actions of the seat to act into ``out``, int8[108]. All zero when the deal is over."""
    discards, closes, other = legal(rules, t)
    expand(discards, closes, other, out)


@kernel
def pick(discards, closes, other, n):
    """The ``n``-th legal action of three words, in ascending order."""
    count = popcount(discards)
    if n < count:
        return nth(discards, n)
    n -= count
    count = popcount(closes)
    if n < count:
        return CLOSE + nth(closes, n)
    return DRAW_STOCK + nth(other, n - count)


@kernel
def random_action(rules, t):
    """A uniform legal action, drawn from the table's dice."""
    discards, closes, other = legal(rules, t)
    count = popcount(discards) + popcount(closes) + popcount(other)
    return pick(discards, closes, other, roll_below(t, count))


@kernel
def potential(rules, t, seat):
    """What the hand of ``seat`` still costs it: its least deadwood. Shaped rewards pay for lowering it."""
    return deadwood(t.hands[seat])


@kernel
def resample(rules, t, seat):
    """Replaces what ``seat`` cannot see at table ``t`` by a world drawn uniformly from those his history allows.

    Hidden are the other's cards that nobody saw him take, and the stock. Cards turned over at the same reshuffle (or
    never) are interchangeable, and how many of each group he holds is public: each group is permuted within
    its places. Future shuffles, other deals and what the other drew are drawn anew too. Uses the table's dice.
    """
    other = 1 - seat
    hidden = t.hands[other] & ~t.known[other]
    mid_turn = t.phase == DISCARD and t.to_act == other and t.from_stock
    for group in (t.reshuffled, t.earlier, PACK & ~t.reshuffled & ~t.earlier):
        stocked = U0
        for k in range(np.int64(t.stock_at), np.int64(t.stock_end)):
            stocked |= bit(t.stock[k]) & group
        kept = popcount(hidden & group)
        pool = stocked | (hidden & group)
        held = U0
        for _ in range(kept):
            card = bit(nth(pool, roll_below(t, popcount(pool))))
            held |= card
            pool ^= card
        t.hands[other] = (t.hands[other] & ~(hidden & group)) | held
        if mid_turn and has(hidden & group, t.drawn):
            t.drawn = nth(held, roll_below(t, kept))
            mid_turn = False
        for k in range(np.int64(t.stock_at), np.int64(t.stock_end)):
            if has(stocked, t.stock[k]):
                card = nth(pool, roll_below(t, popcount(pool)))
                stocked &= ~bit(t.stock[k])
                pool ^= bit(card)
                t.stock[k] = card
    for k in range(MEMORY):
        t.pairs[other, k, 0] = NO_CARD
    t.deck = roll(t)
    t.key = roll(t)
