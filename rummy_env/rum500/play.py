"""The course of a deal: dealing, the legal actions of each phase, and playing one.

Legal actions are bits in 22 words, ``LEGAL``: bit ``a % 64`` of word ``a // 64`` stands for action ``a``. A lay must leave a
hand that can finish the turn. Kernels trust the action they are given; callers check.
"""

import numpy as np

from rummy_env.bits import U0, U1, bit, has, lowest, nth, popcount, roll, roll_below, stream
from rummy_env.cards import NUM_CARDS, PACK
from rummy_env.deck import shuffle, stock_count
from rummy_env.jit import kernel
from rummy_env.rules import RUM500_BOOK
from rummy_env.rum500.actions import (
    DISCARD,
    DRAW_STOCK,
    JOKER_SET,
    LAY_OFF_SET,
    LAY_RUN,
    LAY_SET,
    NUM_ACTIONS,
    PASS,
    REBIND,
    RUN_PATTERNS,
    SET_PATTERNS,
    SWAP,
    TAKE,
    lay_of,
)
from rummy_env.rum500.melds import (
    JOKER_BITS,
    JOKER_POINTS,
    RUN_LAYS,
    SET_LAYS,
    THREE_CARDS,
    below,
    find_open,
    is_set,
    jokers_in,
    meld_open,
    num_jokers,
    open_places,
    points_in,
    points_of,
    ranks_in,
    suit_of,
    suits_of,
    window_of,
)
from rummy_env.rum500.state import (
    CAPPED,
    DRAW,
    MAX_SEATS,
    OUT,
    OVER,
    PLAY,
    STOCK_OUT,
    TABLE,
)
from rummy_env.scratch import copy_record, on_stack
from rummy_env.state import NO_CARD, NO_SEAT, NOT_ENDED

DEEP = RUM500_BOOK.choice("row_use", "deep")
ALWAYS = RUM500_BOOK.choice("row_use", "always")
TO_SWAPPER = RUM500_BOOK.choice("swap_credit", "swapper")
OPTIONAL = RUM500_BOOK.choice("go_out", "discard_optional")
AT_ONCE = RUM500_BOOK.choice("stock_end", "end")
RESHUFFLE = RUM500_BOOK.choice("stock_end", "reshuffle")

WORDS = 22
LEGAL = np.dtype([("words", "u8", WORDS)])
new_legal = on_stack(LEGAL)
new_trial = on_stack(TABLE)

_SET_SIZE, _RUN_SIZE = len(SET_PATTERNS), len(RUN_PATTERNS)
ON_SET, ABOVE, BELOW = 0, 1, 2


def _lays() -> tuple[np.ndarray, np.ndarray]:
    """By lay of a new meld: the mask of its places, and its jokers' places (255 for none), the lower joker's first."""
    places = np.zeros(LAY_OFF_SET - LAY_SET, dtype=np.uint64)
    jokers = np.full((LAY_OFF_SET - LAY_SET, 2), NO_CARD, dtype=np.int64)
    for action in range(LAY_SET, LAY_OFF_SET):
        cards, by_joker = lay_of(action)
        places[action - LAY_SET] = sum(1 << c for c in cards)
        jokers[action - LAY_SET, : len(by_joker)] = by_joker
    return places, jokers


_PLACES, _JOKER_PLACES = _lays()


@kernel
def num_players(rules, t):
    """How many play at table ``t``."""
    return rules.num_players


# Dealing.


@kernel
def deal(rules, t, starter):
    """Deals the next deal of table ``t``; its cards depend on the table's key and the deal's number alone."""
    t.deck = stream(t.key, np.uint64(t.deal))
    t.deal += 1
    for c in range(54):
        t.stock[c] = c
    shuffle(t, 0, NUM_CARDS + rules.jokers)
    lay_out(rules, t, starter)


@kernel
def lay_out(rules, t, starter):
    """Begins a deal from the pack in ``stock[i]``: the hands from the starter on, the first card of the row, the stock."""
    n, seats = rules.hand_size, rules.num_players
    for k in range(MAX_SEATS):
        t.hands[k] = U0
        t.known[k] = U0
        t.discards[k] = U0
        t.credit[k] = 0
        t.points[k] = 0
    for k in range(seats):
        hand = U0
        for c in range(k * n, k * n + n):
            hand |= bit(t.stock[c])
        t.hands[(starter + k) % seats] = hand
    t.row[0] = t.stock[seats * n]
    t.row_size = 1
    t.stock_at = seats * n + 1
    t.stock_end = NUM_CARDS + rules.jokers
    t.num_melds = 0
    t.melds[:] = U0
    t.laid = U0
    t.reshuffled = U0
    for j in range(2):
        t.joker_as[j] = NO_CARD
        t.joker_meld[j] = 0
        t.joker_by[j] = NO_SEAT
    t.turn = 0
    t.starter = starter
    t.ending = NOT_ENDED
    t.closer = NO_SEAT
    _begin_turn(t, starter)


@kernel
def _begin_turn(t, seat):
    t.to_act = seat
    t.phase = DRAW
    t.owed = NO_CARD
    t.barred = NO_CARD
    t.drawn = NO_CARD
    t.took = 0


# Whether a turn can be finished.


@kernel
def _may_empty(rules):
    """How many cards must be left to a hand by its last lay: one to put out, or none."""
    return 0 if rules.go_out == OPTIONAL else 1


@kernel
def _can_still_go(rules, t, c):
    """Whether card ``c``, the last of the hand and barred from the row, can leave it or be swapped."""
    optional = rules.go_out == OPTIONAL
    if c >= NUM_CARDS:
        a, b, d = open_places(rules, t, True)
        return optional and (a | b | d) != U0
    for j in range(2):
        if (rules.joker_swap and t.joker_as[j] == c) or (optional and _moves_for(rules, t, j, c)):
            return True
    a, b, d = open_places(rules, t, False)
    return optional and has(a | b | d, c)


@kernel
def _finishes(rules, t):
    """Whether the seat to act, as it stands after a lay and owing nothing, can finish its turn."""
    hand = t.hands[t.to_act]
    if hand == U0:
        return rules.go_out == OPTIONAL
    if t.barred == NO_CARD or hand != bit(t.barred):
        return True
    return _can_still_go(rules, t, np.int64(t.barred))


@kernel
def _placeable_joker(rules, t, hand, most):
    """Whether a joker of ``hand`` can be laid with at most ``most`` cards."""
    a, b, d = open_places(rules, t, True)
    if (a | b | d) != U0:
        return most >= 1
    usable = min(num_jokers(hand), rules.max_jokers_per_meld)
    if most < 3 or usable == 0:
        return False
    once, twice, _ = ranks_in(hand)
    if twice != U0 or (once != U0 and usable == 2):
        return True
    for suit in range(4):
        cards = suit_of(hand & PACK, suit)
        for b0 in range(13 if rules.run_corner else 12):
            window = window_of(cards, b0)
            if popcount(window) + usable >= 3 and window != U0:
                return True
    return False


@kernel
def _placeable(rules, t, hand, c, most):
    """Whether card ``c`` of ``hand`` can be laid with at most ``most`` cards, with those before it in a chain."""
    if c >= NUM_CARDS:
        return _placeable_joker(rules, t, hand, most)
    if most < 1:
        return False
    a, b, d = open_places(rules, t, False)
    if has(a | b | d, c):
        return True
    usable = min(num_jokers(hand), rules.max_jokers_per_meld)
    suit, rank = c // 13, c % 13
    if most >= 3:
        if popcount(suits_of(hand, rank)) + usable >= 3:
            return True
        cards = suit_of(hand & PACK, suit)
        for k in range(3):
            first = (rank - k + 13) % 13
            if (rules.run_corner or first < 12) and popcount(window_of(cards, first)) + usable >= 3:
                return True
    return _chain_reaches(rules, t, hand, c, most, True) or _chain_reaches(rules, t, hand, c, most, False)


@kernel
def _chain_reaches(rules, t, hand, c, most, upwards):
    """Whether lay-offs on a run of its suit, going on upwards or downwards, come to card ``c`` within ``most`` cards."""
    suit = c // 13
    for m in range(t.num_melds):
        if is_set(t.melds[m]) or lowest(t.melds[m]) // 13 != suit:
            continue
        run = t.melds[m]
        jokers = min(num_jokers(hand), rules.max_jokers_per_meld - jokers_in(t, m))
        for _ in range(most):
            _, high, low = meld_open(rules.run_corner, run)
            place = high if upwards or low == U0 else low
            if place == U0:
                break
            if place == bit(c):
                return True
            if place & hand == U0:
                jokers -= 1
                if jokers < 0:
                    break
            run |= place
    return False


@kernel
def can_honour(rules, t, owed):
    """Whether the seat to act, with the cards it holds now, can lay card ``owed`` and finish its turn.

    It may swap for jokers first and lay off on the runs that lead to the card.
    """
    trial = new_trial()
    seat = np.int64(t.to_act)
    for swaps in range(4 if rules.joker_swap else 1):
        copy_record(trial, t)
        possible = True
        for j in range(2):
            if swaps >> j & 1:
                if t.joker_as[j] == NO_CARD or not has(trial.hands[seat], t.joker_as[j]):
                    possible = False
                elif t.joker_as[j] == owed:
                    return True
                else:
                    _swap(rules, trial, j)
        if possible:
            hand = trial.hands[seat]
            most = popcount(hand) - _may_empty(rules)
            if most >= 1 and (_moves_for(rules, trial, 0, owed) or _moves_for(rules, trial, 1, owed)):
                return True
            if _placeable(rules, trial, hand, owed, most):
                return True
    return False


# Lays: new melds, lay-offs, swaps.


@kernel
def joker_to_use(t, hand):
    """The joker of a hand that a lay uses: the one owed, else the one barred, else the lower."""
    if t.owed >= NUM_CARDS and t.owed != NO_CARD and has(hand, t.owed):
        return np.int64(t.owed)
    if t.barred >= NUM_CARDS and t.barred != NO_CARD and has(hand, t.barred):
        return np.int64(t.barred)
    return lowest(hand & JOKER_BITS)


@kernel
def _leave_hand(t, seat, card):
    t.hands[seat] &= ~bit(card)
    t.known[seat] &= ~bit(card)
    t.laid |= bit(card)
    if t.owed == card:
        t.owed = NO_CARD


@kernel
def _put_joker(t, seat, joker, c, meld):
    _leave_hand(t, seat, joker)
    t.joker_as[joker - NUM_CARDS] = c
    t.joker_meld[joker - NUM_CARDS] = meld
    t.joker_by[joker - NUM_CARDS] = seat
    t.credit[seat] += JOKER_POINTS


@kernel
def _put_card(rules, t, seat, c, meld):
    """Puts a natural card that is a place of a meld already."""
    _leave_hand(t, seat, c)
    t.credit[seat] += points_in(rules, c, t.melds[meld])


@kernel
def _lay(rules, t, seat, action):
    meld = np.int64(t.num_melds)
    places = _PLACES[action - LAY_SET]
    t.melds[meld] = places
    t.num_melds += 1
    first, second = _JOKER_PLACES[action - LAY_SET, 0], _JOKER_PLACES[action - LAY_SET, 1]
    if second != NO_CARD:
        _put_joker(t, seat, NUM_CARDS, first, meld)
        _put_joker(t, seat, NUM_CARDS + 1, second, meld)
        places &= ~(bit(first) | bit(second))
    elif first != NO_CARD:
        _put_joker(t, seat, joker_to_use(t, t.hands[seat]), first, meld)
        places &= ~bit(first)
    while places != U0:
        _put_card(rules, t, seat, lowest(places), meld)
        places &= places - U1


@kernel
def _lay_off(rules, t, seat, action):
    spot, c = (action - LAY_OFF_SET) // NUM_CARDS, (action - LAY_OFF_SET) % NUM_CARDS
    by_joker = spot >= 3
    spot %= 3
    meld = np.int64(find_open(rules, t, spot, c))
    t.melds[meld] |= bit(c)
    if by_joker:
        _put_joker(t, seat, joker_to_use(t, t.hands[seat]), c, meld)
    else:
        _put_card(rules, t, seat, c, meld)


@kernel
def _swap(rules, t, j):
    """Seat to act puts the card joker number ``j`` stands for in its place and takes the joker."""
    seat = np.int64(t.to_act)
    c, meld = np.int64(t.joker_as[j]), np.int64(t.joker_meld[j])
    joker = bit(NUM_CARDS + j)
    t.joker_as[j] = NO_CARD
    t.joker_meld[j] = 0
    credit = np.int64(t.credit[seat])
    _put_card(rules, t, seat, c, meld)
    if rules.swap_credit == TO_SWAPPER:
        t.credit[t.joker_by[j]] -= JOKER_POINTS
    else:
        t.credit[seat] = credit
    t.joker_by[j] = NO_SEAT
    t.laid &= ~joker
    t.hands[seat] |= joker
    t.known[seat] |= joker


@kernel
def _free_place(rules, t, j, way):
    """Where joker number ``j`` on the table may move: up (0) or down (1). No bit if nowhere."""
    a, b, d = meld_open(rules.run_corner, t.melds[t.joker_meld[j]])
    return a | b if way == 0 else d


@kernel
def _may_move(rules, t, j, way):
    """Whether joker number ``j``, which lies on the table, has a place to move to."""
    return rules.joker_rebind != 0 and _free_place(rules, t, j, way) != U0


@kernel
def _moves_for(rules, t, j, c):
    """Whether joker number ``j`` stands for card ``c`` and may move so that the card is laid in its place."""
    return t.joker_as[j] == c and (_may_move(rules, t, j, 0) or _may_move(rules, t, j, 1))


@kernel
def _rebind(rules, t, seat, action):
    j, way = (action - REBIND) // 2, (action - REBIND) % 2
    c, meld = np.int64(t.joker_as[j]), np.int64(t.joker_meld[j])
    place = _free_place(rules, t, j, way)
    t.melds[meld] |= place
    t.joker_as[j] = lowest(place)
    _put_card(rules, t, seat, c, meld)


@kernel
def _apply_lay(rules, t, action):
    seat = np.int64(t.to_act)
    if action < LAY_OFF_SET:
        _lay(rules, t, seat, action)
    elif action < SWAP:
        _lay_off(rules, t, seat, action)
    elif action < REBIND:
        _swap(rules, t, (action - SWAP) // NUM_CARDS)
    else:
        _rebind(rules, t, seat, action)


# Legal actions.


@kernel
def _allow(legal, action):
    legal.words[action >> 6] |= U1 << np.uint64(action & 63)


@kernel
def _allow_all(legal, first, actions):
    """Allows action ``first + k`` for each bit k of a word."""
    word, shift = first >> 6, np.uint64(first & 63)
    legal.words[word] |= actions << shift
    if shift != U0:
        rest = actions >> (np.uint64(64) - shift)
        if rest != U0:
            legal.words[word + 1] |= rest


@kernel
def _legal_draw(rules, t, legal):
    stocked = stock_count(t) > 0
    _allow(legal, DRAW_STOCK if stocked else PASS)
    size = np.int64(t.row_size)
    for k in range(size):
        c = np.int64(t.row[k])
        duty = rules.row_use == ALWAYS or (rules.row_use == DEEP and k < size - 1)
        if not duty or _take_honoured(rules, t, c):
            _allow(legal, TAKE + c)


@kernel
def _take_honoured(rules, t, c):
    trial = new_trial()
    copy_record(trial, t)
    _take(rules, trial, c)
    return can_honour(rules, trial, c)


@kernel
def _legal_lays(rules, t, legal):
    """Every lay for which the hand has the cards, and enough of them to keep one to put out."""
    hand = t.hands[t.to_act]
    most = popcount(hand) - _may_empty(rules)
    usable = min(num_jokers(hand), rules.max_jokers_per_meld)
    if most >= 3:
        _legal_sets(hand, most, usable, legal)
        _legal_runs(rules, hand, usable, legal)
    if most >= 1 and t.num_melds > 0:
        a, b, d = open_places(rules, t, False)
        _allow_all(legal, LAY_OFF_SET, a & hand)
        _allow_all(legal, LAY_OFF_SET + NUM_CARDS, b & hand)
        _allow_all(legal, LAY_OFF_SET + 2 * NUM_CARDS, d & hand)
        if usable > 0:
            a, b, d = open_places(rules, t, True)
            _allow_all(legal, JOKER_SET, a)
            _allow_all(legal, JOKER_SET + NUM_CARDS, b)
            _allow_all(legal, JOKER_SET + 2 * NUM_CARDS, d)
    for j in range(2):
        if t.joker_as[j] != NO_CARD and has(hand, t.joker_as[j]):
            if rules.joker_swap:
                _allow(legal, SWAP + j * NUM_CARDS + np.int64(t.joker_as[j]))
            for way in range(2):
                if most >= 1 and _may_move(rules, t, j, way):
                    _allow(legal, REBIND + 2 * j + way)


@kernel
def _legal_sets(hand, most, usable, legal):
    once, twice, thrice = ranks_in(hand)
    ranks = thrice if usable == 0 else (twice if usable == 1 else once)
    while ranks != U0:
        rank = lowest(ranks)
        ranks &= ranks - U1
        patterns = SET_LAYS[suits_of(hand, rank), usable]
        _allow_all(legal, LAY_SET + rank * _SET_SIZE, patterns if most >= 4 else patterns & THREE_CARDS)


@kernel
def _legal_runs(rules, hand, usable, legal):
    for suit in range(4):
        a = suit_of(hand & PACK, suit)
        b = below(a)
        c = below(b)
        if usable == 0:
            firsts = a & b & c
        elif usable == 1:
            firsts = (a & b) | (a & c) | (b & c)
        else:
            firsts = a | b | c
        if not rules.run_corner:
            firsts &= np.uint64(0xFFF)
        while firsts != U0:
            rank = lowest(firsts)
            firsts &= firsts - U1
            _allow_all(legal, LAY_RUN + (suit * 13 + rank) * _RUN_SIZE, RUN_LAYS[window_of(a, rank), usable])


@kernel
def _keep_finishing(rules, t, legal):
    """Takes out the lays after which the turn cannot be finished, or the card owed cannot be laid any more.

    While a card is owed, only lays that use it are left, and what prepares them: swaps, and lay-offs on runs of its suit.
    """
    trial = new_trial()
    owed = np.int64(t.owed)
    for word in range(WORDS):
        rest = legal.words[word]
        while rest != U0:
            action = 64 * word + lowest(rest)
            rest &= rest - U1
            copy_record(trial, t)
            _apply_lay(rules, trial, action)
            if trial.owed == NO_CARD:
                kept = _finishes(rules, trial)
            else:
                kept = _prepares(owed, action) and can_honour(rules, trial, owed)
            if not kept:
                legal.words[word] &= ~(U1 << np.uint64(action & 63))


@kernel
def _prepares(owed, action):
    """Whether a lay that does not use the card owed may come before it."""
    if action >= SWAP:
        return action < REBIND
    if action < LAY_OFF_SET:
        return False
    spot, c = (action - LAY_OFF_SET) // NUM_CARDS % 3, (action - LAY_OFF_SET) % NUM_CARDS
    return spot != ON_SET and owed < NUM_CARDS and owed // 13 == c // 13


@kernel
def legal_actions(rules, t, legal):
    """Writes the legal actions of the seat to act into ``legal`` (LEGAL); none when the deal is over."""
    for word in range(WORDS):
        legal.words[word] = U0
    if t.phase == DRAW:
        _legal_draw(rules, t, legal)
    elif t.phase == PLAY:
        _legal_lays(rules, t, legal)
        if t.owed != NO_CARD or t.barred != NO_CARD:
            _keep_finishing(rules, t, legal)
        if t.owed == NO_CARD:
            cards = t.hands[t.to_act]
            if t.barred != NO_CARD:
                cards &= ~bit(t.barred)
            _allow_all(legal, DISCARD, cards)


@kernel
def is_legal(rules, t, action):
    """Whether an action (any int) is legal at table ``t``."""
    if action < 0 or action >= NUM_ACTIONS:
        return False
    legal = new_legal()
    legal_actions(rules, t, legal)
    return (legal.words[action >> 6] >> np.uint64(action & 63)) & U1 != U0


@kernel
def expand(legal, out):
    """Writes legal actions into ``out``, int8[1401]: 1 for legal."""
    out[:] = 0
    for word in range(WORDS):
        rest = legal.words[word]
        while rest != U0:
            out[64 * word + lowest(rest)] = 1
            rest &= rest - U1


@kernel
def write_mask(rules, t, out):
    """Writes the legal actions of the seat to act into ``out``, int8[1401]. All zero when the deal is over."""
    legal = new_legal()
    legal_actions(rules, t, legal)
    expand(legal, out)


@kernel
def pick(t, legal):
    """One of the legal actions, each as likely, drawn from the table's dice."""
    count = 0
    for word in range(WORDS):
        count += popcount(legal.words[word])
    n = roll_below(t, count)
    for word in range(WORDS):
        here = popcount(legal.words[word])
        if n < here:
            return 64 * word + nth(legal.words[word], n)
        n -= here
    return PASS


@kernel
def random_action(rules, t):
    """A uniform legal action, drawn from the table's dice."""
    legal = new_legal()
    legal_actions(rules, t, legal)
    return pick(t, legal)


# Playing an action.


@kernel
def _take(rules, t, c):
    """Takes card ``c`` of the row and all laid after it."""
    seat = np.int64(t.to_act)
    size = np.int64(t.row_size)
    first = size - 1
    while t.row[first] != c:
        first -= 1
    taken = U0
    for k in range(first, size):
        taken |= bit(t.row[k])
    t.hands[seat] |= taken
    t.known[seat] |= taken
    t.row_size = first
    t.took = size - first
    if t.took == 1:
        t.barred = c
    if rules.row_use == ALWAYS or (rules.row_use == DEEP and t.took > 1):
        t.owed = c
    t.phase = PLAY


@kernel
def _end(rules, t, ending, closer):
    """Scores the deal: cards laid count for a player, cards in his hand against him."""
    t.phase = OVER
    t.ending = ending
    t.closer = closer
    for seat in range(rules.num_players):
        t.points[seat] = t.credit[seat] - points_of(rules, t.hands[seat])


@kernel
def _discard(rules, t, c):
    seat = np.int64(t.to_act)
    t.hands[seat] &= ~bit(c)
    t.known[seat] &= ~bit(c)
    t.discards[seat] |= bit(c)
    t.row[t.row_size] = c
    t.row_size += 1
    t.turn += 1
    if t.hands[seat] == U0:
        _end(rules, t, OUT, seat)
    elif stock_count(t) == 0 and rules.stock_end == AT_ONCE:
        _end(rules, t, STOCK_OUT, NO_SEAT)
    elif t.turn >= rules.max_turns:
        _end(rules, t, CAPPED, NO_SEAT)
    else:
        if stock_count(t) == 0 and rules.stock_end == RESHUFFLE and t.row_size > 1:
            _reshuffle(t)
        _begin_turn(t, (seat + 1) % rules.num_players)


@kernel
def _reshuffle(t):
    """Shuffles the row but its last card into a new stock."""
    last = np.int64(t.row_size) - 1
    turned = U0
    for k in range(last):
        t.stock[k] = t.row[k]
        turned |= bit(t.row[k])
    shuffle(t, 0, last)
    t.stock_at = 0
    t.stock_end = last
    t.row[0] = t.row[last]
    t.row_size = 1
    t.reshuffled = turned


@kernel
def apply(rules, t, action):
    """Plays a legal action at table ``t``."""
    seat = np.int64(t.to_act)
    if action == DRAW_STOCK:
        t.drawn = t.stock[t.stock_at]
        t.stock_at += 1
        t.hands[seat] |= bit(t.drawn)
        t.phase = PLAY
    elif action < LAY_SET:
        _take(rules, t, action - TAKE)
    elif action == PASS:
        _end(rules, t, STOCK_OUT, NO_SEAT)
    elif action >= DISCARD:
        _discard(rules, t, action - DISCARD)
    else:
        _apply_lay(rules, t, action)
        if t.hands[seat] == U0:
            _end(rules, t, OUT, seat)


# What a seat cannot see.


@kernel
def unseen_cards(rules, t, seat):
    """The cards ``seat`` has not located: in the stock or hidden in another hand."""
    seen = t.hands[seat] | t.laid
    for k in range(t.row_size):
        seen |= bit(t.row[k])
    for k in range(rules.num_players):
        seen |= t.known[k]
    return full_pack(rules) & ~seen


@kernel
def full_pack(rules):
    """All cards played with."""
    return (U1 << np.uint64(NUM_CARDS + rules.jokers)) - U1


@kernel
def resample(rules, t, seat):
    """Replaces what ``seat`` cannot see at table ``t`` by another world that its history allows, drawn by the table's dice.

    Hidden are the cards of the other hands that nobody saw come, and the stock. Cards of the last reshuffle, and the others,
    are permuted each within their places: how many of each a hand holds is kept.
    """
    unseen = unseen_cards(rules, t, seat)
    for k in range(2):
        group = unseen & (t.reshuffled if k == 0 else ~t.reshuffled)
        pool = group
        for other in range(rules.num_players):
            if other == seat:
                continue
            hidden = t.hands[other] & group & ~t.known[other]
            held = U0
            for _ in range(popcount(hidden)):
                card = bit(nth(pool, roll_below(t, popcount(pool))))
                held |= card
                pool ^= card
            t.hands[other] = (t.hands[other] & ~hidden) | held
            if t.to_act == other and t.drawn != NO_CARD and has(hidden, t.drawn):
                t.drawn = nth(held, roll_below(t, popcount(held)))
        for at in range(np.int64(t.stock_at), np.int64(t.stock_end)):
            if has(group, t.stock[at]):
                card = nth(pool, roll_below(t, popcount(pool)))
                pool ^= bit(card)
                t.stock[at] = card
    t.deck = roll(t)
    t.key = roll(t)


@kernel
def potential(rules, t, seat):
    """The points a seat holds in its hand: what shaping rewards the fall of."""
    return points_of(rules, t.hands[seat])
