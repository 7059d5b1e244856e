"""The scripted baselines of gin as kernels: each chooses for the seat to act from what that seat may know.

They read the own hand, the public state and the own memory, never the other hand's hidden cards or the stock's
order. Random choices come from the table's dice. Sources: ``novice`` follows RLCard's rule agent, ``simple`` the reference
player of the EAAI 2021 challenge, ``openspiel-simple`` OpenSpiel's bot, ``lookahead`` the idea behind the strongest
public player of that challenge.
"""

import numpy as np

from rummy_env.bits import U0, U1, bit, has, lowest, nth, popcount, roll_below
from rummy_env.cards import POINTS
from rummy_env.gin.actions import BIG_GIN, CLOSE, DISCARD, DRAW_STOCK, PASS, TAKE_UPCARD
from rummy_env.gin.melds import (
    arrange,
    best_discards,
    deadwood,
    deadwood_less_one,
    melded_cards,
    melds_with,
    next_sets,
    points_of,
    run_cards,
    set_ranks,
)
from rummy_env.gin.observe import danger_of, outs_of, unseen_cards
from rummy_env.gin.play import MAY_BIG_GIN, MAY_DRAW, MAY_TAKE, discardable, legal, limit_of, pick, random_action
from rummy_env.gin.state import DISCARD as DISCARD_PHASE
from rummy_env.gin.state import DRAW as DRAW_PHASE
from rummy_env.gin.state import LAST_KNOCK, MEMORY, NO_CARD
from rummy_env.jit import kernel
from rummy_env.policy import Policy

RANDOM, NOVICE, SIMPLE, OPENSPIEL_SIMPLE, GREEDY, LOOKAHEAD, SWIFT = range(7)
_LOOKAHEAD = {"w": (18, 0, 1000), "decay": (0.9, 0, 1), "best": (7, 1, 8)}

#: The opponent where none is named.
DEFAULT = "simple"
#: Who plays worlds out in a search: for the seat that searches, and in turn for the other.
ROLLOUT, ROLLOUT_OTHERS = "swift", ("swift", "swift:late=10")
#: Who plays worlds out in place of a policy that thinks too long for it.
QUICK = {"lookahead": "swift", "stubborn": "swift:early=0"}

#: Every baseline by name; parameters are name: (default, least, most).
POLICIES: dict[str, Policy] = {
    "random": Policy(RANDOM, {}, "uniform over the legal actions"),
    "novice": Policy(NOVICE, {}, "draws at random, discards for least deadwood, goes out at once"),
    "simple": Policy(SIMPLE, {}, "takes what melds, discards for least deadwood, knocks at the first chance"),
    "openspiel-simple": Policy(OPENSPIEL_SIMPLE, {}, "discards the highest unmelded card, knocks at the first chance"),
    "greedy": Policy(
        GREEDY,
        {"knock": (10, 0, 100), "safe": (1, 0, 20)},
        "takes what lowers the deadwood; within `safe` points the discard of least danger; knocks at `knock` or less",
    ),
    "lookahead": Policy(
        LOOKAHEAD,
        {**_LOOKAHEAD, "early": (3, 0, 1000)},
        "weighs the `best` lowest next deadwoods by w * decay^(turn-1); knocks in its first `early` turns, then only gin",
    ),
    "swift": Policy(
        SWIFT,
        {"outs": (3, 0, 100), "danger": (0.5, 0, 100), "early": (3, 0, 1000), "late": (0, 0, 100)},
        "gives away points less `outs` times live outs less `danger` times danger; knocks as lookahead, then at `late` or less",
    ),
    "stubborn": Policy(LOOKAHEAD, {**_LOOKAHEAD, "early": (0, 0, 0)}, "lookahead that closes with gin only"),
}


@kernel
def act(policy, parameters, rules, t):
    """The action of a policy (its number and float64[4] parameters) for the seat to act at table ``t``."""
    if policy == RANDOM:
        return random_action(rules, t)
    if policy == SWIFT and t.phase == DISCARD_PHASE:
        hand = t.hands[t.to_act]
        if deadwood_less_one(hand) > min(_knocks_at(policy, parameters, t), limit_of(rules, np.int64(t.opening))):
            return DISCARD + _swift_discard(parameters, t, discardable(rules, t))
    if policy == SWIFT and t.phase == DRAW_PHASE:
        return TAKE_UPCARD if _takes(policy, rules, t) else DRAW_STOCK
    discards, closes, other = legal(rules, t)
    if t.phase == LAST_KNOCK:
        return _last_knock(policy, parameters, rules, t, closes)
    if t.phase != DISCARD_PHASE:
        if other & MAY_TAKE != U0 and _takes(policy, rules, t):
            return TAKE_UPCARD
        return DRAW_STOCK if other & MAY_DRAW != U0 else PASS
    if other & MAY_BIG_GIN != U0:
        return BIG_GIN
    if policy == NOVICE:
        return _novice(t, discards, closes)
    if policy == SIMPLE:
        card = _simple_discard(t, discards)
    elif policy == OPENSPIEL_SIMPLE:
        card = _openspiel_discard(t, discards)
    elif policy == GREEDY:
        card = _greedy_discard(parameters, t, discards)
    elif policy == LOOKAHEAD:
        card = _lookahead_discard(parameters, t, discards)
    else:
        card = _swift_discard(parameters, t, discards)
    return _close_or_discard(policy, parameters, rules, t, closes, card)


@kernel
def _takes(policy, rules, t):
    hand = t.hands[t.to_act]
    card = np.int64(t.upcard)
    if policy == NOVICE:
        return roll_below(t, 2) == 0
    if policy == SIMPLE:
        return melds_with(hand, card)
    if policy in (LOOKAHEAD, SWIFT) and not melds_with(hand, card):
        return False
    with_it = hand | bit(card)
    after = deadwood_less_one(with_it)
    if policy == OPENSPIEL_SIMPLE:
        return after <= limit_of(rules, np.int64(t.opening)) or has(_sets_first(with_it), card)
    lowers = after < deadwood(hand)
    if policy == GREEDY:
        return lowers
    return lowers and has(melded_cards(with_it), card)


@kernel
def _knocks_at(policy, parameters, t):
    """The most deadwood with which a policy closes now; the rules' limit still holds."""
    if policy == GREEDY:
        return np.int64(parameters[0])
    if policy == LOOKAHEAD:
        return 100 if np.float64(t.turns[t.to_act]) < parameters[3] else 0
    if policy == SWIFT:
        return 100 if np.float64(t.turns[t.to_act]) < parameters[2] else np.int64(parameters[3])
    return 100


@kernel
def candidates(policy, parameters, rules, t, out):
    """The legal actions of the seat to act, into ``out`` int64[k], the policy's own first; returns how many."""
    discards, closes, other = legal(rules, t)
    out[0] = act(policy, parameters, rules, t)
    total = popcount(discards) + popcount(closes) + popcount(other)
    count = 1
    for n in range(total):
        action = pick(discards, closes, other, n)
        if action != out[0] and count < out.shape[0]:
            out[count] = action
            count += 1
    return count


@kernel
def _last_knock(policy, parameters, rules, t, closes):
    if closes == U0:
        return PASS
    cards, least = best_discards(t.hands[t.to_act] | bit(t.upcard), closes)
    return CLOSE + lowest(cards) if least <= _knocks_at(policy, parameters, t) else PASS


@kernel
def _close_or_discard(policy, parameters, rules, t, closes, card):
    """Closes if the policy wants to after the discard it has chosen, or after the best one."""
    if closes == U0:
        return DISCARD + card
    hand = t.hands[t.to_act]
    if policy in (SIMPLE, OPENSPIEL_SIMPLE):
        if not has(closes, card):
            return DISCARD + card
        rest = hand & ~bit(card)
        return CLOSE + card if policy == OPENSPIEL_SIMPLE or melded_cards(rest) != U0 else DISCARD + card
    cards, least = best_discards(hand, closes)
    if least > _knocks_at(policy, parameters, t):
        return DISCARD + card
    return CLOSE + (card if has(cards, card) else lowest(cards))


@kernel
def _any_of(t, cards):
    return nth(cards, roll_below(t, popcount(cards)))


@kernel
def _novice(t, discards, closes):
    hand = t.hands[t.to_act]
    if closes != U0:
        cards, least = best_discards(hand, closes)
        return CLOSE + _any_of(t, cards if least == 0 else closes)
    cards, _ = best_discards(hand, discards)
    return DISCARD + _any_of(t, cards)


@kernel
def _used_with(t, seat, card):
    """The cards that make up, with ``card``, a pair drawn and discarded in one of the turns the seat remembers."""
    used = U0
    for k in range(min(np.int64(t.turns[seat]), MEMORY)):
        drawn, out = t.pairs[seat, k, 0], t.pairs[seat, k, 1]
        if drawn == card:
            used |= bit(out)
        elif out == card and drawn != NO_CARD:
            used |= bit(drawn)
    return used


@kernel
def _simple_discard(t, discards):
    seat = np.int64(t.to_act)
    fresh = discards & ~_used_with(t, seat, t.drawn)
    cards, _ = best_discards(t.hands[seat], fresh if fresh != U0 else discards)
    return _any_of(t, cards)


@kernel
def _or_best(hand, discards, loose):
    """The ``loose`` cards among the discards; where there is none, the one that leaves the least deadwood."""
    if loose != U0:
        return loose
    cards, _ = best_discards(hand, discards)
    return cards & (~cards + U1)


@kernel
def _sets_first(hand):
    """The melded cards of the best arrangement that has most cards in sets."""
    least, _ = arrange(hand)
    most, kept = -1, U0
    ranks, sets = set_ranks(hand), U0
    while True:
        melded = sets | run_cards(hand & ~sets)
        if popcount(sets) > most and points_of(hand & ~melded) == least:
            most, kept = popcount(sets), melded
        sets = next_sets(hand, ranks, sets)
        if sets == U0:
            return kept


@kernel
def _openspiel_discard(t, discards):
    hand = t.hands[t.to_act]
    loose = _or_best(hand, discards, discards & ~_sets_first(hand))
    best, kept = -1, 0
    while loose != U0:
        card = lowest(loose)
        loose &= loose - U1
        # their ids order the suits S C D H, ours S H D C
        order = card % 13 * 4 + (0, 3, 2, 1)[card // 13]
        if order > best:
            best, kept = order, card
    return kept


@kernel
def _greedy_discard(parameters, t, discards):
    """Within ``safe`` points of the least deadwood: least danger, then least deadwood, then most points."""
    hand = t.hands[t.to_act]
    other = 1 - np.int64(t.to_act)
    unseen, known = unseen_cards(t, np.int64(t.to_act)), t.known[other]
    _, least = best_discards(hand, discards)
    best, kept = np.int64(1) << 40, 0
    rest = discards
    while rest != U0:
        card = lowest(rest)
        rest &= rest - U1
        after = deadwood(hand & ~bit(card))
        if after <= least + np.int64(parameters[1]):
            order = (danger_of(unseen, known, card) * 256 + after) * 16 + 10 - POINTS[card]
            if order < best:
                best, kept = order, card
    return kept


@kernel
def _insert(lowest_eight, value):
    """Keeps the eight lowest of some values below 255, sorted, one a byte, lowest in the low byte."""
    shift = np.uint64(0)
    while shift < np.uint64(64) and (lowest_eight >> shift & np.uint64(255)) <= value:
        shift += np.uint64(8)
    if shift == np.uint64(64):
        return lowest_eight
    low = lowest_eight & ((U1 << shift) - U1)
    high = lowest_eight >> shift << shift
    return low | np.uint64(value) << shift | (high << np.uint64(8))


@kernel
def mean_of_best_draws(hand, unseen, count):
    """The mean of the ``count`` (at most 8) lowest deadwoods that a hand can have after an unseen draw and a discard."""
    lowest_eight = ~U0
    draws = popcount(unseen)
    rest = unseen
    while rest != U0:
        card = rest & (~rest + U1)
        rest ^= card
        lowest_eight = _insert(lowest_eight, np.uint64(deadwood_less_one(hand | card)))
    n = min(count, draws)
    total = 0
    for k in range(n):
        total += np.int64(lowest_eight >> np.uint64(8 * k) & np.uint64(255))
    return total / n if n > 0 else np.float64(deadwood(hand))


@kernel
def _lookahead_danger(unseen, known, card):
    """High where the card completes a meld for cards the opponent is known to hold, negative where its neighbours are dead."""
    danger = danger_of(unseen, known, card)
    return -2.0 if danger == 0 else (6.0 if danger >= 16 else 0.25 * danger)


@kernel
def _lookahead_discard(parameters, t, discards):
    seat = np.int64(t.to_act)
    hand = t.hands[seat]
    unseen, known = unseen_cards(t, seat), t.known[1 - seat]
    loose = _or_best(hand, discards, discards & ~melded_cards(hand))
    highest = 0
    rest = loose
    while rest != U0:
        highest = max(highest, POINTS[lowest(rest)])
        rest &= rest - U1
    weight = parameters[0] * parameters[1] ** np.float64(t.turns[seat])
    best, kept = 1e9, 0
    while loose != U0:
        card = lowest(loose)
        loose &= loose - U1
        if POINTS[card] < highest - 5:
            continue
        after = hand & ~bit(card)
        value = deadwood(after) + weight * mean_of_best_draws(after, unseen, np.int64(parameters[2]))
        value += _lookahead_danger(unseen, known, card)
        if value < best:
            best, kept = value, card
    return kept


@kernel
def _swift_discard(parameters, t, discards):
    """Of the unmelded cards the one with most points less what its outs and its danger are worth."""
    seat = np.int64(t.to_act)
    hand = t.hands[seat]
    unseen, known = unseen_cards(t, seat), t.known[1 - seat]
    loose = _or_best(hand, discards, discards & ~melded_cards(hand))
    best, kept = -1e9, 0
    while loose != U0:
        card = lowest(loose)
        loose &= loose - U1
        value = POINTS[card] - parameters[0] * outs_of(hand, unseen, card) - parameters[1] * danger_of(unseen, known, card)
        if value > best:
            best, kept = value, card
    return kept
