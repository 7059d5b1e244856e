"""What a seat sees: one float32 vector of named slices, the legal-action mask, and the same facts as words.

:data:`OBS_SPEC` is the only place that says where a slice lies. Nothing here reads the other seat's hidden cards,
the stock's order or a generator, except :func:`observe_privileged`, which is for a critic in training only.
"""

import numpy as np

from rummy_env.bits import U0, U1, bit, has, lowest, popcount
from rummy_env.cards import PACK, POINTS
from rummy_env.deck import stock_count
from rummy_env.gin.melds import (
    arrange,
    deadwood_less_one,
    melded_cards,
    next_sets,
    run_cards,
    run_change,
    runs_only,
    same_rank,
    set_ranks,
)
from rummy_env.gin.play import AFTER_STOCK, RESHUFFLE, limit_of
from rummy_env.gin.showdown import BY_BOTH
from rummy_env.gin.state import DISCARD, NO_CARD, OVER
from rummy_env.jit import kernel
from rummy_env.planes import write_plane
from rummy_env.spec import Slice, lay_out, slice_of

OBS_VERSION = 1

#: Name, size, meaning, scale, most and least. The match passes 1 only when it is over and bonuses are added.
_PARTS = (
    ("hand", 52, "own cards"),
    ("known", 52, "cards of the opponent that he was seen to take"),
    ("opponent_discards", 52, "cards the opponent has put out"),
    ("opponent_declined", 52, "upcards the opponent refused"),
    ("pile", 52, "cards on the pile, upcard included"),
    ("upcard", 52, "top of the pile"),
    ("reshuffled", 52, "cards turned over at the last reshuffle and not seen since"),
    ("melded", 52, "own cards in melds of the best arrangement"),
    ("after", 52, "with a card to give away: deadwood after giving this one, above the least possible", 10, 14),
    ("outs", 52, "own cards: unseen cards that complete a meld with it and one more own card", 4, 2),
    ("danger", 52, "own cards: live pairs it would complete for the opponent (1 unseen, 4 half known, 16 known)", 8, 12),
    ("phase", 6, "first_offer second_offer forced_draw draw discard last_knock"),
    ("clock", 2, "cards left in the stock (of 31); turns played (of 30)", 1, 400),
    ("takes", 2, "upcards taken: own, opponent's", 8, 1300),
    ("deadwood", 2, "least deadwood now (with a card to give away: after the best); points of all own cards", 50, 3),
    ("low", 11, "that deadwood is 0, 1, … 10"),
    ("if_taken", 6, "upcard on offer: deadwood with it (of 50), gain (of 10), gains, melds, would close, would be gin", 1, 14),
    ("opponent_known", 1, "cards of the opponent known", 4, 4),
    ("turn_state", 2, "own discard: drawn from the stock; closing is allowed and the deadwood within the limit"),
    ("limit", 2, "knock limit (of 10); only gin closes", 1, 10),
    ("rules", 8, "spade doubled, knock after stock only, gin bonus and undercut bonus (of 25), tie undercuts, both lay off, "
     "reshuffles, big gin", 1, 40),
    ("match", 4, "own and opponent's score (of the target), own distance to it, began this deal", 1, 1e5, -1e5),
)  # fmt: skip

OBS_SPEC: tuple[Slice, ...] = lay_out(_PARTS)
OBS_SIZE = OBS_SPEC[-1].stop
#: What :func:`observe_privileged` writes, for a critic in training only.
PRIVILEGED_SPEC: tuple[Slice, ...] = lay_out(
    (
        ("opponent_hand", 52, "all cards of the opponent"),
        ("opponent_melded", 52, "his cards in melds of the best arrangement"),
        ("opponent_deadwood", 1, "his least deadwood (with a card to give away: after the best)", 50, 3),
        ("opponent_low", 11, "that deadwood is 0, 1, … 10"),
    )
)
PRIVILEGED_SIZE = PRIVILEGED_SPEC[-1].stop

#: np.int64, for numba compiles a callee once for each literal int it is given.
_AT = {s.name: np.int64(s.start) for s in OBS_SPEC}
_HAND, _KNOWN, _DISCARDS, _DECLINED = _AT["hand"], _AT["known"], _AT["opponent_discards"], _AT["opponent_declined"]
_PILE, _UPCARD, _RESHUFFLED, _MELDED = _AT["pile"], _AT["upcard"], _AT["reshuffled"], _AT["melded"]
_AFTER, _OUTS, _DANGER = _AT["after"], _AT["outs"], _AT["danger"]
_PHASE, _CLOCK, _TAKES, _DEADWOOD, _LOW = _AT["phase"], _AT["clock"], _AT["takes"], _AT["deadwood"], _AT["low"]
_IF_TAKEN, _OPPONENT_KNOWN, _TURN_STATE = _AT["if_taken"], _AT["opponent_known"], _AT["turn_state"]
_LIMIT, _RULES, _MATCH = _AT["limit"], _AT["rules"], _AT["match"]

BITS_WORDS = ("hand", "known", "opponent_discards", "opponent_declined", "pile", "upcard", "reshuffled", "numbers", "match")


def obs_slice(name: str) -> slice:
    """Where a named slice lies in the observation. Raises KeyError listing the names."""
    return slice_of(OBS_SPEC, name)


@kernel
def unseen_cards(t, seat):
    """The cards ``seat`` has not located: in the stock or hidden in the other hand."""
    return PACK & ~t.hands[seat] & ~t.pile & ~t.known[1 - seat]


#: For each card, which of c-2, c-1, c+1, c+2 (bits 0, 1, 3, 4) exist in its suit.
_WINDOW = np.array([sum(1 << k for k in (0, 1, 3, 4) if 0 <= r + k - 2 <= 12) for r in range(13)] * 4, dtype=np.uint64)
_2 = np.uint64(2)


@kernel
def _neighbours(cards, c):
    """Bits 0, 1, 3, 4: whether ``cards`` holds c-2, c-1, c+1, c+2 of the same suit."""
    return (cards << _2) >> np.uint64(c) & _WINDOW[c]


def _run_outs() -> np.ndarray:
    """``[own, unseen]`` neighbours of a card: how many unseen ones complete a run of three with it."""
    table = np.zeros((32, 32), dtype=np.uint8)
    needs = {0: (1,), 1: (0, 3), 3: (1, 4), 4: (3,)}  # the unseen neighbour, and an own one that makes three
    for own in range(32):
        for unseen in range(32):
            table[own, unseen] = sum(unseen >> k & 1 and any(own >> n & 1 for n in ns) for k, ns in needs.items())
    return table


def _run_dangers() -> np.ndarray:
    """``[unseen, known]`` neighbours of a card: the weighted pairs that it completes to a run."""
    table = np.zeros((32, 32), dtype=np.uint8)
    for unseen in range(32):
        for known in range(32):
            for pair in (3, 10, 24):
                if (unseen | known) & pair == pair:
                    table[unseen, known] += 4 ** (known & pair).bit_count()
    return table


_RUN_OUTS, _RUN_DANGERS = _run_outs(), _run_dangers()


@kernel
def outs_of(hand, unseen, c):
    """How many unseen cards complete a meld with own card ``c`` and one more own card."""
    count = np.int64(_RUN_OUTS[_neighbours(hand, c), _neighbours(unseen, c)])
    rank = same_rank(c)
    return count + (popcount(unseen & rank) if hand & rank & ~bit(c) != U0 else 0)


@kernel
def danger_of(unseen, known, c):
    """How much card ``c`` may help the opponent: his possible pairs that it completes, weighted 1, 4 or 16.

    A pair counts 1 if both cards are unseen, 4 if one of them is known to be his, 16 if both are.
    """
    rank = same_rank(c) & ~bit(c)
    hidden, held = popcount(unseen & rank), popcount(known & rank)
    sets = hidden * (hidden - 1) // 2 + 4 * hidden * held + 8 * held * (held - 1)
    return np.int64(_RUN_DANGERS[_neighbours(unseen, c), _neighbours(known, c)]) + sets


@kernel
def _write_cards(t, seat, out):
    """The slices of zeros and ones but ``melded``; zeros for all that follow it."""
    other = 1 - seat
    write_plane(out, _HAND, t.hands[seat])
    write_plane(out, _KNOWN, t.known[other])
    write_plane(out, _DISCARDS, t.discards[other] & ~t.hands[seat])
    write_plane(out, _DECLINED, t.declined[other])
    write_plane(out, _PILE, t.pile)
    write_plane(out, _UPCARD, bit(t.upcard) if t.upcard != NO_CARD else U0)
    write_plane(out, _RESHUFFLED, t.reshuffled & unseen_cards(t, seat))
    out[_AFTER:OBS_SIZE] = 0.0


@kernel
def _write_own(rules, t, seat, out):
    """All slices by card; returns the deadwood the own hand comes down to."""
    hand = t.hands[seat]
    unseen = unseen_cards(t, seat)
    known = t.known[1 - seat]
    _write_cards(t, seat, out)
    if popcount(hand) > rules.hand_size and t.phase != OVER:
        least, sets = _write_after(hand, out)
    else:
        least, sets = arrange(hand)
    write_plane(out, _MELDED, sets | run_cards(hand & ~sets))
    total = 0
    cards = hand
    while cards != U0:
        c = lowest(cards)
        cards &= cards - U1
        total += POINTS[c]
        out[_OUTS + c] = outs_of(hand, unseen, c) * 0.25
        out[_DANGER + c] = danger_of(unseen, known, c) * 0.125
    out[_DEADWOOD] = least * 0.02
    out[_DEADWOOD + 1] = total * 0.02
    if least <= 10:
        out[_LOW + least] = 1.0
    return least


@kernel
def _write_after(hand, out):
    """For each card the deadwood after giving it away, above the least possible.

    Returns that least, and the cards in sets of the best arrangement of the whole hand.
    """
    least = deadwood_less_one(hand)
    whole, whole_sets = runs_only(hand), U0
    ranks, sets = set_ranks(hand), U0
    while True:  # a card is given away under every choice of sets that leaves it out; the first leaves out all
        rest = hand & ~sets
        points = runs_only(rest)
        if points < whole:
            whole, whole_sets = points, sets
        above = points - least
        cards = rest
        while cards != U0:
            c = lowest(cards)
            cards &= cards - U1
            value = np.float32((above + run_change(rest, c)) * 0.1)
            out[_AFTER + c] = value if sets == U0 else min(value, out[_AFTER + c])
        sets = next_sets(hand, ranks, sets)
        if sets == U0:
            return least, whole_sets


@kernel
def _write_offer(t, seat, now, limit, out):
    """What the upcard on offer would do for the own hand."""
    with_it = t.hands[seat] | bit(t.upcard)
    after = deadwood_less_one(with_it)
    out[_IF_TAKEN] = after * 0.02
    out[_IF_TAKEN + 1] = (now - after) * 0.1
    out[_IF_TAKEN + 2] = 1.0 if after < now else 0.0
    out[_IF_TAKEN + 3] = 1.0 if has(melded_cards(with_it), t.upcard) else 0.0
    out[_IF_TAKEN + 4] = 1.0 if after <= limit else 0.0
    out[_IF_TAKEN + 5] = 1.0 if after == 0 else 0.0


@kernel
def _write_numbers(rules, t, seat, limit, out):
    other = 1 - seat
    if t.phase != OVER:
        out[_PHASE + np.int64(t.phase)] = 1.0
    out[_CLOCK] = stock_count(t) / 31.0
    out[_CLOCK + 1] = t.turn / 30.0
    out[_TAKES] = t.takes[seat] * 0.125
    out[_TAKES + 1] = t.takes[other] * 0.125
    out[_OPPONENT_KNOWN] = popcount(t.known[other]) * 0.25
    out[_TURN_STATE] = 1.0 if t.phase == DISCARD and t.to_act == seat and t.from_stock else 0.0
    out[_LIMIT] = limit * 0.1
    out[_LIMIT + 1] = 1.0 if limit == 0 else 0.0
    out[_RULES] = 1.0 if rules.spades_double != 0 and t.opening < 13 else 0.0
    out[_RULES + 1] = 1.0 if rules.knock_after == AFTER_STOCK else 0.0
    out[_RULES + 2] = rules.gin_bonus * 0.04
    out[_RULES + 3] = rules.undercut_bonus * 0.04
    out[_RULES + 4] = 1.0 if rules.undercut_on_tie else 0.0
    out[_RULES + 5] = 1.0 if rules.layoff_by == BY_BOTH else 0.0
    out[_RULES + 6] = 1.0 if rules.stock_end == RESHUFFLE else 0.0
    out[_RULES + 7] = 1.0 if rules.big_gin_bonus > 0 else 0.0
    target = np.float64(rules.target)
    out[_MATCH] = t.scores[seat] / target
    out[_MATCH + 1] = t.scores[other] / target
    out[_MATCH + 2] = (target - abs(t.scores[seat])) / target
    out[_MATCH + 3] = 1.0 if t.starter == seat else 0.0


@kernel
def observe(rules, t, seat, out):
    """Writes what ``seat`` sees at table ``t`` into ``out``, float32[OBS_SIZE], laid out as OBS_SPEC says."""
    limit = limit_of(rules, np.int64(t.opening))
    least = _write_own(rules, t, seat, out)
    _write_numbers(rules, t, seat, limit, out)
    if t.phase == OVER:
        return
    if t.phase != DISCARD and t.upcard != NO_CARD:
        _write_offer(t, seat, least, limit, out)
    if t.phase == DISCARD and t.to_act == seat and least <= limit:
        out[_TURN_STATE + 1] = 1.0 if rules.knock_after != AFTER_STOCK or t.from_stock else 0.0


@kernel
def observe_privileged(rules, t, seat, out):
    """Writes what only a critic in training may see into ``out``, float32[PRIVILEGED_SIZE] (PRIVILEGED_SPEC)."""
    hand = t.hands[1 - seat]
    least, sets = arrange(hand)
    if popcount(hand) > rules.hand_size:
        least = deadwood_less_one(hand)
    write_plane(out, np.int64(0), hand)
    write_plane(out, np.int64(52), sets | run_cards(hand & ~sets))
    out[104:PRIVILEGED_SIZE] = 0.0
    out[104] = least * 0.02
    if least <= 10:
        out[105 + least] = 1.0


@kernel
def observe_bits(rules, t, seat, out):
    """Writes the same facts, the rules apart, as nine words, uint64[9] (BITS_WORDS), for cheap storage.

    ``numbers`` packs phase (bits 0-3), stock count (4-11), turn (12-27), own and opponent's takes (28-35, 36-43),
    drawn from stock (44), began the deal (45), to act (46) and the opening upcard (48-55); ``match`` the own and the
    opponent's score (bits 0-31 and 32-63, two's complement).
    """
    other = 1 - seat
    out[0] = t.hands[seat]
    out[1] = t.known[other]
    out[2] = t.discards[other] & ~t.hands[seat]
    out[3] = t.declined[other]
    out[4] = t.pile
    out[5] = bit(t.upcard) if t.upcard != NO_CARD else U0
    out[6] = t.reshuffled & unseen_cards(t, seat)
    mine = t.phase == DISCARD and t.to_act == seat and t.from_stock
    numbers = np.uint64(t.phase) | np.uint64(stock_count(t)) << np.uint64(4) | np.uint64(t.turn) << np.uint64(12)
    numbers |= np.uint64(min(t.takes[seat], 255)) << np.uint64(28) | np.uint64(min(t.takes[other], 255)) << np.uint64(36)
    numbers |= np.uint64(1 if mine else 0) << np.uint64(44) | np.uint64(1 if t.starter == seat else 0) << np.uint64(45)
    numbers |= np.uint64(1 if t.to_act == seat else 0) << np.uint64(46) | np.uint64(t.opening) << np.uint64(48)
    out[7] = numbers
    low = np.uint64(0xFFFFFFFF)
    out[8] = np.uint64(np.int64(t.scores[seat])) & low | np.uint64(np.int64(t.scores[other])) << np.uint64(32)
