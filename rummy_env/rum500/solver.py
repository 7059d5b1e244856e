"""The best lay: the melds and lay-offs that place the most points of a hand on a table, exact for hands of up to 12 cards.

All ways to use some cards at once are listed first: sets and runs of the hand, with jokers where cards are missing, and chains
of lay-offs at each end of each run of the table. A search over the natural cards from the lowest up then chooses ways
that share no card, no end of a run and not more jokers than there are.

Three facts keep the list short. Runs of one suit need not interleave: a natural card and a joker can change places. A
card inside a run is replaced by a joker only where the card is of use elsewhere, or stays in the hand because one must.
Jokers at the end of a run of the hand may lie on either side, wherever there is room.
"""

import numpy as np

from rummy_env.bits import U0, U1, bit, has, lowest, popcount
from rummy_env.cards import NUM_CARDS, PACK
from rummy_env.jit import kernel
from rummy_env.rum500.actions import JOKER_SET, LAY_OFF_SET, LAY_RUN, LAY_SET, RUN_PATTERNS, SET_PATTERNS
from rummy_env.rum500.melds import (
    ACE_15_OR_1,
    JOKER_POINTS,
    ace_points,
    hand_points_of,
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
)
from rummy_env.rum500.state import MAX_MELDS
from rummy_env.scratch import on_stack

MAX_WAYS = 512
MAX_NODES = 20_000
NO_END = -1
NO_WAY = -1
NO_LAY = -1

#: Working memory of a search, and what it found. An *end* is twice a table meld's number, plus one for below a run.
PLAN = np.dtype(
    [
        ("points", "i8"),  # most points that can be laid
        ("cards", "u8"),  # natural cards laid
        ("jokers", "i8"),  # how many jokers are laid
        ("action", "i8"),  # a first lay of it, -1 for none
        ("exact", "i8"),  # 0 where the list or the search was cut short
        ("count", "i8"),
        ("way_cards", "u8", MAX_WAYS),
        ("way_places", "u8", MAX_WAYS),  # for chains: the places laid on
        ("way_points", "i2", MAX_WAYS),
        ("way_size", "i2", MAX_WAYS),  # cards used
        ("way_jokers", "i2", MAX_WAYS),
        ("way_end", "i2", MAX_WAYS),
        ("way_action", "i2", MAX_WAYS),
        ("next_way", "i2", MAX_WAYS),  # the next one with the same lowest card
        ("first_way", "i2", NUM_CARDS + 1),  # by lowest card; the last: jokers alone
        ("cards_at", "i2", NUM_CARDS + 3),  # the levels of the search: their lowest card
        ("bound_at", "i2", NUM_CARDS + 3),  # most points the cards from a level on can bring
        ("chosen", "i2", NUM_CARDS + 3),
        ("used_at", "u8", NUM_CARDS + 3),
        ("points_at", "i2", NUM_CARDS + 3),
        ("size_at", "i2", NUM_CARDS + 3),
        ("jokers_at", "i2", NUM_CARDS + 3),
        ("at_end", "i2", 2 * MAX_MELDS),
    ],
    align=True,
)
new_plan = on_stack(PLAN)

_SET_SIZE, _RUN_SIZE = len(SET_PATTERNS), len(RUN_PATTERNS)


def _pattern_numbers(patterns, places) -> np.ndarray:
    """``[cover, jokers]`` as bits to the number of the pattern."""
    table = np.full((1 << places, 1 << places), -1, dtype=np.int64)
    for number, (cover, by_joker) in enumerate(patterns):
        table[sum(1 << k for k in cover), sum(1 << k for k in by_joker)] = number
    return table


_SET_NUMBER, _RUN_NUMBER = _pattern_numbers(SET_PATTERNS, 4), _pattern_numbers(RUN_PATTERNS, 3)


@kernel
def _add(plan, most, cards, jokers, points, end, places, action):
    """Lists a way to use some natural cards and jokers."""
    size = popcount(cards) + jokers
    if size > most:
        return
    n = plan.count
    if n >= MAX_WAYS:
        plan.exact = 0
        return
    plan.count = n + 1
    plan.way_cards[n] = cards
    plan.way_places[n] = places
    plan.way_points[n] = points + JOKER_POINTS * jokers
    plan.way_size[n] = size
    plan.way_jokers[n] = jokers
    plan.way_end[n] = end
    plan.way_action[n] = action
    bucket = lowest(cards) if cards != U0 else NUM_CARDS
    plan.next_way[n] = plan.first_way[bucket]
    plan.first_way[bucket] = n


# Sets of the hand.


@kernel
def _list_sets(rules, hand, usable, most, plan):
    once, twice, thrice = ranks_in(hand)
    ranks = thrice if usable == 0 else (twice if usable == 1 else once)
    while ranks != U0:
        rank = lowest(ranks)
        ranks &= ranks - U1
        held = np.int64(suits_of(hand, rank))
        worth = hand_points_of(rules, rank)
        for suits in range(1, 16):
            if suits & ~held != 0:
                continue
            cards = U0
            for s in range(4):
                if suits >> s & 1:
                    cards |= bit(13 * s + rank)
            count = popcount(cards)
            for jokers in range(max(0, 3 - count), min(usable, 4 - count) + 1):
                by_joker, left = 0, jokers
                for s in range(4):
                    if left > 0 and not suits >> s & 1:
                        by_joker |= 1 << s
                        left -= 1
                action = LAY_SET + rank * _SET_SIZE + _SET_NUMBER[suits | by_joker, by_joker]
                _add(plan, most, cards, jokers, worth * count, NO_END, U0, action)


# Runs of the hand.


@kernel
def _run_action(suit, first, cards):
    """The lay of the three places from rank ``first``, jokers where the suit's ``cards`` have none."""
    by_joker = 0
    for k in range(3):
        if not has(cards, (first + k) % 13):
            by_joker |= 1 << k
    return LAY_RUN + (suit * 13 + first % 13) * _RUN_SIZE + _RUN_NUMBER[7, by_joker]


@kernel
def _list_run(rules, suit, first, size, held, most, usable, jokers, plan):
    """Lists the run of ``size`` places from rank ``first``, ``jokers`` of them inside, with more jokers at its ends."""
    cards, points = U0, 0
    for k in range(size):
        c = (first + k) % 13
        if has(held, c):
            cards |= bit(c)
            points += hand_points_of(rules, c)
    corner = rules.run_corner != 0
    room = 13 - size if corner else min(13 - size, first + 13 - (first + size - 1))
    low_ace = first == 0 and size < 13 and rules.ace_value == ACE_15_OR_1
    for extra in range(max(0, 3 - size), min(usable - jokers, room) + 1):
        start, gained = first, points
        if not corner:
            start = min(first, 11)
        if low_ace and extra > 0 and corner:
            start = 12
        elif low_ace and size + extra >= 2:
            gained += 1 - ace_points(rules)
        _add(
            plan,
            most,
            cards << np.uint64(13 * suit),
            jokers + extra,
            gained,
            NO_END,
            U0,
            _run_action(suit, start, cards),
        )


@kernel
def _list_runs(rules, suit, held, replaced, most, usable, plan):
    """Lists the runs of the cards ``held`` (13 bits) of a suit that have jokers at the places ``replaced``."""
    starts = held
    while starts != U0:
        first = lowest(starts)
        starts &= starts - U1
        jokers, inside = 0, U0
        for size in range(1, 14):
            place = first + size - 1
            if place > 12 and not rules.run_corner and (place > 13 or first == 0):
                break
            place %= 13
            inside |= bit(place)
            if not has(held, place):
                jokers += 1
                if jokers > usable:
                    break
            elif replaced & ~inside == U0:
                _list_run(rules, suit, first, size, held, most, usable, jokers, plan)
        if first == 0 and not rules.run_corner and replaced == U0 and usable == 2:
            ace = U1 << np.uint64(13 * suit)
            _add(plan, most, ace, 2, ace_points(rules), NO_END, U0, _run_action(suit, 11, U1))


# Chains of lay-offs.


@kernel
def _list_chain(rules, t, meld, below, held, replaced, most, usable, plan):
    """Lists the chains at one end of a table's run: natural cards where ``held`` (a mask of cards) has them, else jokers."""
    run = t.melds[meld]
    usable = min(usable, rules.max_jokers_per_meld - jokers_in(t, meld))
    cards, places, jokers, points = U0, U0, 0, 0
    action = np.int64(NO_LAY)
    spot = 2 if below else 1
    while True:
        _, high, low = meld_open(rules.run_corner, run)
        place = low if below else high
        if place == U0:
            return
        c = lowest(place)
        run |= place
        places |= place
        if place & held != U0:
            cards |= place
            points += points_in(rules, c, run)
        else:
            jokers += 1
            if jokers > usable:
                return
        if action == NO_LAY:
            action = (LAY_OFF_SET if place & held != U0 else JOKER_SET) + spot * NUM_CARDS + c
        if replaced & ~places == U0:
            _add(plan, most, cards, jokers, points, 2 * meld + (1 if below else 0), places, action)


@kernel
def _list_table(rules, t, hand, suit, replaced, most, usable, plan):
    """Lists the chains on the runs of a suit; ``replaced`` are cards of the hand in whose places jokers go."""
    held = hand & PACK & ~replaced
    for meld in range(t.num_melds):
        if not is_set(t.melds[meld]) and lowest(t.melds[meld]) // 13 == suit:
            _list_chain(rules, t, meld, False, held, replaced, most, usable, plan)
            _list_chain(rules, t, meld, True, held, replaced, most, usable, plan)


@kernel
def _list_table_sets(rules, t, hand, most, usable, plan):
    for meld in range(t.num_melds):
        free = meld_open(rules.run_corner, t.melds[meld])[0]
        if free == U0:
            continue
        c = lowest(free)
        if free & hand != U0:
            _add(plan, most, free, 0, hand_points_of(rules, c), 2 * meld, free, LAY_OFF_SET + c)
        if usable > 0 and jokers_in(t, meld) < rules.max_jokers_per_meld:
            _add(plan, most, U0, 1, 0, 2 * meld, free, JOKER_SET + c)


@kernel
def _wanted(rules, t, hand):
    """Natural cards of the hand that may be of more use outside the run they would lie in."""
    _, twice, thrice = ranks_in(hand)
    ranks = twice if num_jokers(hand) == 2 else thrice
    cards = U0
    for suit in range(4):
        cards |= ranks << np.uint64(13 * suit)
    a, b, d = open_places(rules, t, False)
    return (cards | a | b | d) & hand & PACK


@kernel
def _list_suit(rules, t, hand, suit, most, usable, plan):
    held = suit_of(hand & PACK, suit)
    shift = np.uint64(13 * suit)
    wanted = suit_of(_wanted(rules, t, hand), suit) if usable > 0 else U0
    first = held if usable > 0 and most < popcount(hand) else wanted
    while True:  # every choice of up to `usable` cards, one of them any where cards must stay, none last
        one = first & (~first + U1)
        second = U0
        if usable == 2 and one != U0:
            second = wanted & ~one if one & wanted == U0 else wanted & first & (first - U1)
        while True:
            replaced = one | (second & (~second + U1))
            if most >= 3:
                _list_runs(rules, suit, held & ~replaced, replaced, most, usable, plan)
            _list_table(rules, t, hand, suit, replaced << shift, most, usable, plan)
            if second == U0:
                break
            second &= second - U1
        if one == U0:
            break
        first &= first - U1


# The search.


@kernel
def _fits(rules, t, plan, level, way):
    """Whether a way goes with those chosen below a level."""
    used = plan.used_at[level]
    if plan.way_cards[way] & used != U0 or plan.way_jokers[way] > plan.jokers_at[level]:
        return False
    end = np.int64(plan.way_end[way])
    if end == NO_END:
        return True
    if plan.at_end[end] != NO_WAY:
        return False
    other = np.int64(plan.at_end[end ^ 1])
    if other == NO_WAY:
        return True
    if plan.way_places[way] & plan.way_places[other] != U0:
        return False
    jokers = np.int64(plan.way_jokers[way]) + np.int64(plan.way_jokers[other])
    return jokers == 0 or jokers + jokers_in(t, end // 2) <= rules.max_jokers_per_meld


@kernel
def _set_levels(rules, hand, plan):
    """One level for each lowest card of a way, and two for jokers alone; returns how many."""
    levels = 0
    for c in range(NUM_CARDS):
        if plan.first_way[c] != NO_WAY:
            plan.cards_at[levels] = c
            levels += 1
    for level in range(levels):
        c = np.int64(plan.cards_at[level])
        plan.bound_at[level] = points_of(rules, hand & PACK & ~(bit(c) - U1))
    if plan.first_way[NUM_CARDS] != NO_WAY:
        for _ in range(2):
            plan.cards_at[levels] = NUM_CARDS
            plan.bound_at[levels] = 0
            levels += 1
    return levels


@kernel
def _keep(plan, level):
    """Notes the ways chosen below a level as the best."""
    plan.points = plan.points_at[level]
    plan.cards = plan.used_at[level]
    plan.action = NO_LAY
    plan.jokers = 0
    for k in range(level):
        way = np.int64(plan.chosen[k])
        if way != NO_WAY:
            plan.jokers += plan.way_jokers[way]
            if plan.action == NO_LAY:
                plan.action = plan.way_action[way]


@kernel
def _leave(plan, level):
    """Frees the end that the way chosen at a level took."""
    way = np.int64(plan.chosen[level])
    if way != NO_WAY and plan.way_end[way] != NO_END:
        plan.at_end[plan.way_end[way]] = NO_WAY


@kernel
def _enter(plan, level):
    """What is used above a level, after the way chosen there."""
    way = np.int64(plan.chosen[level])
    plan.used_at[level + 1] = plan.used_at[level]
    plan.points_at[level + 1] = plan.points_at[level]
    plan.size_at[level + 1] = plan.size_at[level]
    plan.jokers_at[level + 1] = plan.jokers_at[level]
    if way != NO_WAY:
        plan.used_at[level + 1] |= plan.way_cards[way]
        plan.points_at[level + 1] += plan.way_points[way]
        plan.size_at[level + 1] += plan.way_size[way]
        plan.jokers_at[level + 1] -= plan.way_jokers[way]
        if plan.way_end[way] != NO_END:
            plan.at_end[plan.way_end[way]] = way


@kernel
def _search(rules, t, hand, most, plan):
    levels = _set_levels(rules, hand, plan)
    plan.used_at[0] = U0
    plan.points_at[0] = 0
    plan.size_at[0] = 0
    plan.jokers_at[0] = min(num_jokers(hand), rules.max_jokers_per_meld * 2)
    nodes, level, fresh = 0, 0, True
    way = np.int64(NO_WAY)
    while level >= 0:
        if fresh:
            if plan.points_at[level] > plan.points:
                _keep(plan, level)
            nodes += 1
            if nodes > MAX_NODES:
                plan.exact = 0
                return
            hopeless = (
                level == levels
                or plan.points_at[level] + plan.bound_at[level] + JOKER_POINTS * np.int64(plan.jokers_at[level]) <= plan.points
            )
            if hopeless:
                level -= 1
                fresh = False
                continue
            way = np.int64(plan.first_way[plan.cards_at[level]])
        else:
            way = np.int64(plan.chosen[level])
            _leave(plan, level)
            if way == NO_WAY:
                level -= 1
                continue
            way = np.int64(plan.next_way[way])
        while way != NO_WAY and not (plan.size_at[level] + plan.way_size[way] <= most and _fits(rules, t, plan, level, way)):
            way = np.int64(plan.next_way[way])
        plan.chosen[level] = way
        _enter(plan, level)
        level += 1
        fresh = True


@kernel
def solve(rules, t, hand, most, plan):
    """Finds the most points that at most ``most`` cards of a hand bring on table ``t`` by lays and lay-offs, without swaps.

    The result is in ``plan`` (PLAN): points, cards, jokers, a first action, and whether it is exact.
    """
    plan.points = 0
    plan.cards = U0
    plan.jokers = 0
    plan.action = NO_LAY
    plan.exact = 1
    if most < 1:
        return
    usable = min(num_jokers(hand), rules.max_jokers_per_meld)
    if usable == 0 and _hopeless(rules, t, hand):
        return
    plan.count = 0
    for bucket in range(NUM_CARDS + 1):
        plan.first_way[bucket] = NO_WAY
    for end in range(2 * t.num_melds):
        plan.at_end[end] = NO_WAY
    if most >= 3:
        _list_sets(rules, hand, usable, most, plan)
    for suit in range(4):
        _list_suit(rules, t, hand, suit, most, usable, plan)
    _list_table_sets(rules, t, hand, most, usable, plan)
    if plan.count > 0:
        _search(rules, t, hand, most, plan)


@kernel
def _hopeless(rules, t, hand):
    """Whether a hand without a usable joker has no lay at all, seen at a glance."""
    if ranks_in(hand)[2] != U0:
        return False
    for suit in range(4):
        cards = suit_of(hand & PACK, suit)
        if cards & (cards >> U1 | (cards << np.uint64(12))) & (cards >> np.uint64(2) | (cards << np.uint64(11))) != U0:
            return False
    a, b, d = open_places(rules, t, False)
    return (a | b | d) & hand == U0


@kernel
def points_left(rules, hand, plan):
    """The points a hand is left with after the lay of a plan found for it."""
    return points_of(rules, hand & ~plan.cards) - JOKER_POINTS * plan.jokers
