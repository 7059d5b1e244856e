"""What one seat may know of a table of 500 Rum, as named slices of one float32 vector and as packed words.

:data:`OBS_SPEC` is the one place that says which slice is what; values are divided by the slice's scale. Seats are relative:
the observer first, then the players after him in turn, so that one policy plays every seat; seats that nobody holds
are zeros. Everything is computed from the seat's own cards and the public state.
"""

import numpy as np

from rummy_env.bits import U0, U1, bit, has, lowest, popcount
from rummy_env.cards import NUM_CARDS, PACK
from rummy_env.deck import stock_count
from rummy_env.jit import kernel
from rummy_env.rum500.melds import (
    ACE_15_OR_1,
    JOKER_BITS,
    ace_points,
    is_set,
    num_jokers,
    open_places,
    points_of,
    suit_of,
    suits_of,
    window_of,
)
from rummy_env.rum500.play import ALWAYS, AT_ONCE, DEEP, OPTIONAL, RESHUFFLE, TO_SWAPPER, unseen_cards
from rummy_env.rum500.solver import new_plan, points_left, solve
from rummy_env.rum500.state import MAX_SEATS, OVER, PLAY
from rummy_env.spec import Slice, lay_out, slice_of
from rummy_env.state import NO_CARD

OBS_VERSION = 1
_OTHERS = MAX_SEATS - 1

OBS_SPEC: tuple[Slice, ...] = lay_out(
    (
        ("hand", 54, "own cards", 1),
        ("row", 54, "cards in the row", 1),
        ("row_depth", 54, "cards in the row: how many are taken with it, itself included", 10, 6),
        ("table_sets", 52, "places of sets on the table", 1),
        ("table_runs", 52, "places of runs on the table", 1),
        ("table_jokers", 52, "places that a joker holds", 1),
        ("open", 52, "cards that can be laid off on the table", 1),
        ("lay", 54, "own cards: in the lay of most points (a joker counts if one is used)", 1),
        ("outs", 54, "own cards: live cards (unseen or in the row) that complete a meld with it and one more own card", 4, 2),
        ("danger", 54, "own cards: what they would bring another player from the row, see danger_of", 8, 2),
        ("usable", 54, "cards in the row: could be laid at once with own cards and those taken with it", 1),
        ("duty", 54, "the card that must be laid in this turn; half: the card that may not be discarded in it", 1),
        ("known", 54 * _OTHERS, "each other player's cards that were seen to come, 54 a player", 1),
        ("next_discards", 54, "cards the next player has put into the row in this deal", 1),
        ("reshuffled", 54, "cards of the last reshuffle not seen since", 1),
        ("phase", 2, "draw play", 1),
        ("to_act", 1, "the observer is to act", 1),
        ("seats", _OTHERS, "which of the other seats are held", 1),
        ("hand_sizes", MAX_SEATS, "cards in each hand", 10, 6),
        ("credits", MAX_SEATS, "points each has laid in this deal", 100, 100, -100),
        ("clock", 3, "cards in the stock (of 29), in the row (of 20), turns ended (of 100)", 1, 100),
        ("took", 1, "cards taken from the row in this turn", 10, 6),
        ("own_points", 1, "points of the own hand", 50, 20),
        ("lay_points", 2, "most points it can lay now, and points it would be left with", 50, 20),
        ("lay_cards", 2, "cards that lay would leave, and whether the player could be out", 5, 12),
        ("lay_action", 1, "the first lay of it, as the number of the action; 0 for none", 1400),
        ("jokers", 3, "jokers in the own hand, on the table, unseen", 2),
        ("rules", 15, "players, hand size, jokers, corner, deep use, any use, rebind, swap, credit to swapper, jokers a meld, "
         "ace (of 15), low ace, may lay all, stock ends at once, reshuffle", 1),
        ("match", MAX_SEATS + 2, "scores (of the target), share of the deals played, match goes by deals", 1, 1e5, -1e5),
    )
)  # fmt: skip
OBS_SIZE = OBS_SPEC[-1].stop
#: What :func:`observe_privileged` writes, for a critic in training only.
PRIVILEGED_SPEC: tuple[Slice, ...] = lay_out(
    (
        ("other_hands", 54 * _OTHERS, "all cards of each other player", 1),
        ("other_lays", _OTHERS, "most points each could lay now", 50, 20),
        ("other_points", _OTHERS, "points of each other hand", 50, 20),
    )
)
PRIVILEGED_SIZE = PRIVILEGED_SPEC[-1].stop

#: np.int64, for numba compiles a callee once for each literal int it is given.
_AT = {s.name: np.int64(s.start) for s in OBS_SPEC}
_HAND, _ROW, _DEPTH, _SETS, _RUNS, _JOKERS = (
    _AT[k] for k in ("hand", "row", "row_depth", "table_sets", "table_runs", "table_jokers")
)
_OPEN, _LAY, _OUTS, _DANGER, _USABLE, _DUTY = (_AT[k] for k in ("open", "lay", "outs", "danger", "usable", "duty"))
_KNOWN, _NEXT, _RESHUFFLED, _PHASE, _TO_ACT = (_AT[k] for k in ("known", "next_discards", "reshuffled", "phase", "to_act"))
_HELD, _SIZES, _CREDITS, _CLOCK, _TOOK = (_AT[k] for k in ("seats", "hand_sizes", "credits", "clock", "took"))
_POINTS, _LAY_POINTS, _LAY_CARDS = (_AT[k] for k in ("own_points", "lay_points", "lay_cards"))
_LAY_ACTION, _OWN_JOKERS = _AT["lay_action"], _AT["jokers"]
_RULES, _MATCH = _AT["rules"], _AT["match"]
_WIDE = np.int64(54)

BITS_WORDS = (
    "hand", "sets", "runs", "jokers", "known1", "known2", "known3", "known4", "known5", "reshuffled",
    "row1", "row2", "row3", "row4", "row5", "row6", "row7", "numbers", "sizes",
    "credits1", "credits2", "scores1", "scores2", "scores3",
)  # fmt: skip


def obs_slice(name: str) -> slice:
    """Where a named slice lies in the observation. Raises KeyError listing the names."""
    return slice_of(OBS_SPEC, name)


@kernel
def outs_of(rules, hand, live, c):
    """How many live cards complete a meld with own natural card ``c`` and one more own natural card."""
    suit, rank = c // 13, c % 13
    count = 0
    if popcount(suits_of(hand, rank)) == 2:
        count += popcount(suits_of(live, rank))
    own, others = suit_of(hand & PACK, suit), suit_of(live & PACK, suit)
    for k in range(3):
        first = (rank - k + 13) % 13
        if rules.run_corner or first < 12:
            held = window_of(own, first)
            if popcount(held) == 2 and window_of(others, first) & ~held & np.uint64(7) != U0:
                count += 1
    return count


@kernel
def danger_of(rules, t, seat, unseen, taken_by_table, c):
    """What card ``c`` would bring another player from the row.

    8 if it can be laid off on the table (``taken_by_table``) or completes a meld with two cards known in one hand; else one for
    each pair of cards that completes a meld with it, both unseen or one known in a hand and one unseen.
    """
    if c >= NUM_CARDS or has(taken_by_table, c):
        return 8
    count = 0
    for k in range(1, rules.num_players):
        other = (seat + k) % rules.num_players
        if _completes(rules, t.known[other], c):
            return 8
    hidden = unseen
    for k in range(1, rules.num_players):
        hidden |= t.known[(seat + k) % rules.num_players]
    pairs = popcount(suits_of(hidden, c % 13))
    count += pairs * (pairs - 1) // 2
    cards = suit_of(hidden & PACK, c // 13)
    for k in range(3):
        first = (c % 13 - k + 13) % 13
        if (rules.run_corner or first < 12) and popcount(window_of(cards, first)) == 2:
            count += 1
    return count


@kernel
def _completes(rules, cards, c):
    """Whether ``cards`` without ``c`` hold two that make a meld with it."""
    others = cards & ~bit(c) & PACK
    if popcount(suits_of(others, c % 13)) >= 2:
        return True
    suit = suit_of(others, c // 13)
    for k in range(3):
        first = (c % 13 - k + 13) % 13
        if (rules.run_corner or first < 12) and popcount(window_of(suit, first)) == 2:
            return True
    return False


@kernel
def may_use(rules, t, cards, table, c):
    """Whether card ``c``, taken into the hand ``cards`` (itself included), could be laid, seen at a glance.

    ``table`` are the cards that can be laid off. Chains of lay-offs that only lead to ``c`` are not looked for.
    """
    if c >= NUM_CARDS or has(table, c):
        return True
    usable = min(num_jokers(cards), rules.max_jokers_per_meld)
    if usable == 2 or popcount(suits_of(cards, c % 13)) + usable >= 3:
        return True
    suit = suit_of(cards & PACK, c // 13)
    for k in range(3):
        first = (c % 13 - k + 13) % 13
        if (rules.run_corner or first < 12) and popcount(window_of(suit, first)) + usable >= 3:
            return True
    return False


@kernel
def _plane(out, start, cards):
    """Writes ones where a set has cards, into zeros."""
    while cards != U0:
        out[start + lowest(cards)] = 1.0
        cards &= cards - U1


@kernel
def row_cards(t):
    """The cards of the row as a set."""
    cards = U0
    for k in range(t.row_size):
        cards |= bit(t.row[k])
    return cards


@kernel
def table_places(t):
    """The places of sets and of runs on the table."""
    sets, runs = U0, U0
    for m in range(t.num_melds):
        if is_set(t.melds[m]):
            sets |= t.melds[m]
        else:
            runs |= t.melds[m]
    return sets, runs


@kernel
def _write_row(rules, t, seat, table, out):
    taken = t.hands[seat]
    size = np.int64(t.row_size)
    for k in range(size - 1, -1, -1):
        c = np.int64(t.row[k])
        taken |= bit(c)
        out[_ROW + c] = 1.0
        out[_DEPTH + c] = (size - k) * 0.1
        if may_use(rules, t, taken, table, c):
            out[_USABLE + c] = 1.0


@kernel
def _write_own(rules, t, seat, unseen, table, out):
    hand = t.hands[seat]
    live = unseen | row_cards(t)
    cards = hand
    while cards != U0:
        c = lowest(cards)
        cards &= cards - U1
        out[_HAND + c] = 1.0
        if c < NUM_CARDS:
            out[_OUTS + c] = outs_of(rules, hand, live, c) * 0.25
        out[_DANGER + c] = danger_of(rules, t, seat, unseen, table, c) * 0.125
    plan = new_plan()
    size = popcount(hand)
    least = 0 if rules.go_out == OPTIONAL or t.phase != PLAY or t.to_act != seat else 1
    solve(rules, t, hand, size - least, plan)
    _plane(out, _LAY, plan.cards)
    if plan.jokers > 0:
        _plane(out, _LAY, hand & JOKER_BITS)
    points = points_of(rules, hand)
    left = size - popcount(plan.cards) - plan.jokers
    out[_POINTS] = points * 0.02
    out[_LAY_POINTS] = plan.points * 0.02
    out[_LAY_POINTS + 1] = points_left(rules, hand, plan) * 0.02
    out[_LAY_CARDS] = left * 0.2
    out[_LAY_CARDS + 1] = 0.2 if left <= 1 else 0.0
    out[_LAY_ACTION] = max(np.int64(0), np.int64(plan.action)) / 1400.0
    out[_OWN_JOKERS] = num_jokers(hand) * 0.5
    out[_OWN_JOKERS + 1] = num_jokers(t.laid) * 0.5
    out[_OWN_JOKERS + 2] = num_jokers(unseen) * 0.5


@kernel
def _write_players(rules, t, seat, out):
    for k in range(rules.num_players):
        other = (seat + k) % rules.num_players
        out[_SIZES + k] = popcount(t.hands[other]) * 0.1
        out[_CREDITS + k] = t.credit[other] * 0.01
        out[_MATCH + k] = t.scores[other] / np.float64(rules.target)
        if k > 0:
            out[_HELD + k - 1] = 1.0
            _plane(out, _KNOWN + _WIDE * (k - 1), t.known[other])
    if rules.num_deals > 0:
        out[_MATCH + MAX_SEATS] = t.match_deals / np.float64(rules.num_deals)
        out[_MATCH + MAX_SEATS + 1] = 1.0
    _plane(out, _NEXT, t.discards[(seat + 1) % rules.num_players])


@kernel
def _write_rules(rules, out):
    out[_RULES] = rules.num_players / 6.0
    out[_RULES + 1] = rules.hand_size / 13.0
    out[_RULES + 2] = rules.jokers * 0.5
    out[_RULES + 3] = rules.run_corner
    out[_RULES + 4] = 1.0 if rules.row_use == DEEP else 0.0
    out[_RULES + 5] = 1.0 if rules.row_use == ALWAYS else 0.0
    out[_RULES + 6] = rules.joker_rebind
    out[_RULES + 7] = rules.joker_swap
    out[_RULES + 8] = 1.0 if rules.swap_credit == TO_SWAPPER else 0.0
    out[_RULES + 9] = rules.max_jokers_per_meld * 0.5
    out[_RULES + 10] = ace_points(rules) / 15.0
    out[_RULES + 11] = 1.0 if rules.ace_value == ACE_15_OR_1 else 0.0
    out[_RULES + 12] = 1.0 if rules.go_out == OPTIONAL else 0.0
    out[_RULES + 13] = 1.0 if rules.stock_end == AT_ONCE else 0.0
    out[_RULES + 14] = 1.0 if rules.stock_end == RESHUFFLE else 0.0


@kernel
def observe(rules, t, seat, out):
    """Writes what ``seat`` sees at table ``t`` into ``out``, float32[OBS_SIZE], laid out as OBS_SPEC says."""
    out[:OBS_SIZE] = 0.0
    unseen = unseen_cards(rules, t, seat)
    a, b, d = open_places(rules, t, False)
    table = a | b | d
    sets, runs = table_places(t)
    _plane(out, _SETS, sets)
    _plane(out, _RUNS, runs)
    _plane(out, _OPEN, table)
    for j in range(2):
        if t.joker_as[j] != NO_CARD:
            out[_JOKERS + np.int64(t.joker_as[j])] = 1.0
    _write_row(rules, t, seat, table, out)
    _write_own(rules, t, seat, unseen, table, out)
    _write_players(rules, t, seat, out)
    _write_rules(rules, out)
    _plane(out, _RESHUFFLED, t.reshuffled & unseen)
    if t.phase != OVER:
        out[_PHASE + np.int64(t.phase)] = 1.0
        out[_TO_ACT] = 1.0 if t.to_act == seat else 0.0
        out[_TOOK] = t.took * 0.1
        if t.barred != NO_CARD:
            out[_DUTY + np.int64(t.barred)] = 0.5
        if t.owed != NO_CARD:
            out[_DUTY + np.int64(t.owed)] = 1.0
    out[_CLOCK] = stock_count(t) / 29.0
    out[_CLOCK + 1] = t.row_size * 0.05
    out[_CLOCK + 2] = t.turn * 0.01


@kernel
def observe_privileged(rules, t, seat, out):
    """Writes what only a critic in training may see into ``out``, float32[PRIVILEGED_SIZE] (PRIVILEGED_SPEC)."""
    out[:PRIVILEGED_SIZE] = 0.0
    plan = new_plan()
    for k in range(1, rules.num_players):
        hand = t.hands[(seat + k) % rules.num_players]
        _plane(out, _WIDE * (k - 1), hand)
        solve(rules, t, hand, popcount(hand), plan)
        out[_WIDE * _OTHERS + k - 1] = plan.points * 0.02
        out[_WIDE * _OTHERS + _OTHERS + k - 1] = points_of(rules, hand) * 0.02


@kernel
def observe_bits(rules, t, seat, out):
    """Writes the same facts, the rules apart, as 24 words, uint64[24] (BITS_WORDS), for cheap storage.

    ``jokers`` are the places that jokers hold, the row is eight cards a word (first laid in the low byte, 255 for none).
    ``numbers`` packs phase (bits 0-3), stock count (4-11), row size (12-19), turn (20-35), owed (36-43), barred card (44-51),
    cards taken (52-59) and whether the observer is to act (60); ``sizes`` the hand sizes, a byte a player, own first;
    ``credits`` four 16-bit and ``scores`` two 32-bit numbers a word in the same order (two's complement).
    """
    sets, runs = table_places(t)
    out[0] = t.hands[seat]
    out[1] = sets
    out[2] = runs
    out[3] = U0
    for j in range(2):
        if t.joker_as[j] != NO_CARD:
            out[3] |= bit(t.joker_as[j])
    for k in range(_OTHERS):
        out[4 + k] = t.known[(seat + k + 1) % rules.num_players] if k + 1 < rules.num_players else U0
    out[9] = t.reshuffled & unseen_cards(rules, t, seat)
    for k in range(7):
        word = U0
        for i in range(8):
            at = 8 * k + i
            c = np.int64(t.row[at]) if at < t.row_size else 255
            word |= np.uint64(c) << np.uint64(8 * i)
        out[10 + k] = word
    out[17] = _numbers(t, seat)
    sizes, credit1, credit2 = U0, U0, U0
    for k in range(3):
        out[21 + k] = U0
    for k in range(rules.num_players):
        other = (seat + k) % rules.num_players
        sizes |= np.uint64(popcount(t.hands[other])) << np.uint64(8 * k)
        credit = np.uint64(np.int64(t.credit[other])) & np.uint64(0xFFFF)
        if k < 4:
            credit1 |= credit << np.uint64(16 * k)
        else:
            credit2 |= credit << np.uint64(16 * (k - 4))
        score = np.uint64(np.int64(t.scores[other])) & np.uint64(0xFFFFFFFF)
        out[21 + k // 2] |= score << np.uint64(32 * (k % 2))
    out[18] = sizes
    out[19] = credit1
    out[20] = credit2


@kernel
def _numbers(t, seat):
    numbers = np.uint64(t.phase) | np.uint64(stock_count(t)) << np.uint64(4) | np.uint64(t.row_size) << np.uint64(12)
    numbers |= np.uint64(t.turn) << np.uint64(20) | np.uint64(t.owed) << np.uint64(36) | np.uint64(t.barred) << np.uint64(44)
    return numbers | np.uint64(t.took) << np.uint64(52) | np.uint64(1 if t.to_act == seat else 0) << np.uint64(60)
