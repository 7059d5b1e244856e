"""The scripted baselines of 500 Rum as kernels: each chooses for the seat to act from what that seat may know.

They read the own hand and the public state, never hidden cards or the stock's order. Random choices come from the table's
dice. :data:`POLICIES` names them and their parameters.
"""

import numpy as np

from rummy_env.bits import U0, U1, bit, has, lowest, popcount
from rummy_env.cards import NUM_CARDS
from rummy_env.deck import stock_count
from rummy_env.jit import kernel
from rummy_env.policy import Policy
from rummy_env.rum500.actions import DISCARD, DRAW_STOCK, LAY_SET, PASS, SWAP, TAKE
from rummy_env.rum500.melds import JOKER_BITS, hand_points_of, num_jokers, open_places
from rummy_env.rum500.observe import danger_of, may_use, outs_of, row_cards
from rummy_env.rum500.play import (
    ALWAYS,
    DEEP,
    OPTIONAL,
    WORDS,
    apply,
    is_legal,
    legal_actions,
    new_legal,
    random_action,
    unseen_cards,
)
from rummy_env.rum500.solver import NO_LAY, new_plan, points_left, solve
from rummy_env.rum500.state import DRAW, TABLE
from rummy_env.scratch import copy_record, on_stack
from rummy_env.state import NO_CARD

RANDOM, LAYER, ROW_MISER, GREEDY500, HOLDER = range(5)
_GREEDY = {"risk": (0.5, 0, 2), "keep": (3, 0, 20), "fear": (1, 0, 20)}

#: The opponent where none is named.
DEFAULT = "greedy500"
#: Who plays worlds out in a search: for the seat that searches, and in turn for the others.
ROLLOUT, ROLLOUT_OTHERS = "greedy500", ("greedy500",)
#: Who plays worlds out in place of a policy that thinks too long for it.
QUICK: dict[str, str] = {}

#: Every baseline by name; parameters are name: (default, least, most).
POLICIES: dict[str, Policy] = {
    "random": Policy(RANDOM, {}, "uniform over the legal actions"),
    "layer": Policy(LAYER, {}, "draws from the stock, lays all it can, discards its highest useless card"),
    "row-miser": Policy(ROW_MISER, {}, "a layer that takes from the row what it can lay at once, whole"),
    "greedy500": Policy(
        GREEDY500,
        _GREEDY,
        "draws, lays and discards for the points laid at once less `risk` times the points left in hand; `keep` and `fear` "
        "weigh a discard's use to itself and to others",
    ),
    "holder": Policy(
        HOLDER,
        {**_GREEDY, "alarm": (2, 0, 13)},
        "a greedy500 that lays only when it can be out in that turn, or when another has at most `alarm` cards",
    ),
}

new_trial = on_stack(TABLE)
_NO_ACTION = -1


@kernel
def act(policy, parameters, rules, t):
    """The action of a policy (its number and float64[4] parameters) for the seat to act at table ``t``."""
    if policy == RANDOM:
        return random_action(rules, t)
    if t.phase == DRAW:
        return _draw(policy, parameters, rules, t)
    action = _lay(policy, parameters, rules, t)
    if action != _NO_ACTION:
        return action
    return DISCARD + _discard(policy, parameters, rules, t)


@kernel
def candidates(policy, parameters, rules, t, out):
    """Actions worth a try for the seat to act, into ``out`` int64[k]: the policy's own first; returns how many.

    Of the lays only the policy's own is one: the others are which draw, which discard, and to lay nothing more.
    """
    legal = new_legal()
    legal_actions(rules, t, legal)
    out[0] = act(policy, parameters, rules, t)
    count = 1
    for word in range(WORDS):
        rest = legal.words[word]
        while rest != U0:
            action = 64 * word + lowest(rest)
            rest &= rest - U1
            if action != out[0] and (action < LAY_SET or action >= DISCARD) and count < out.shape[0]:
                out[count] = action
                count += 1
    return count


# What can be laid.


@kernel
def must_keep(rules):
    """How many cards the last lay of a turn must leave."""
    return 0 if rules.go_out == OPTIONAL else 1


@kernel
def _lay(policy, parameters, rules, t):
    """The next lay, or -1 to lay nothing more."""
    seat = np.int64(t.to_act)
    if t.owed != NO_CARD:
        return _honour(rules, t)
    if policy == HOLDER and not _hurries(parameters, rules, t) and not _can_be_out(rules, t):
        return _NO_ACTION
    for j in range(2):
        c = np.int64(t.joker_as[j])
        if rules.joker_swap and c != NO_CARD and has(t.hands[seat], c):
            action = SWAP + j * NUM_CARDS + c
            if t.barred == NO_CARD or is_legal(rules, t, action):
                return action
    return best_lay(rules, t)


@kernel
def best_lay(rules, t):
    """The first lay of the best plan that may be begun now, or -1."""
    hand = t.hands[t.to_act]
    plan = new_plan()
    most = popcount(hand) - must_keep(rules)
    while most > 0:
        solve(rules, t, hand, most, plan)
        if plan.action == NO_LAY:
            return _NO_ACTION
        if t.barred == NO_CARD or is_legal(rules, t, np.int64(plan.action)):
            return np.int64(plan.action)
        most = popcount(plan.cards) + plan.jokers - 1
    return _NO_ACTION


@kernel
def _honour(rules, t):
    """Of the legal lays while a card is owed, the one that leaves most points laid in the turn."""
    legal = new_legal()
    trial = new_trial()
    plan = new_plan()
    seat = np.int64(t.to_act)
    legal_actions(rules, t, legal)
    best, chosen = np.int64(-1), np.int64(0)
    for action in range(LAY_SET, DISCARD):
        if (legal.words[action >> 6] >> np.uint64(action & 63)) & U1 == U0:
            continue
        copy_record(trial, t)
        apply(rules, trial, action)
        hand = trial.hands[seat]
        solve(rules, trial, hand, popcount(hand) - must_keep(rules), plan)
        worth = np.int64(trial.credit[seat]) - t.credit[seat] + plan.points + (1000 if trial.owed == NO_CARD else 0)
        if worth > best:
            best, chosen = worth, action
    return chosen


@kernel
def _hurries(parameters, rules, t):
    """Whether another player is close to going out, or the stock to its end."""
    for seat in range(rules.num_players):
        if seat != t.to_act and popcount(t.hands[seat]) <= parameters[3]:
            return True
    return stock_count(t) < rules.num_players


@kernel
def _can_be_out(rules, t):
    """Whether all cards but the one to put out can be laid now."""
    hand = t.hands[t.to_act]
    plan = new_plan()
    size = popcount(hand)
    solve(rules, t, hand, size - must_keep(rules), plan)
    return popcount(plan.cards) + plan.jokers >= size - 1


# The draw.


@kernel
def _draw(policy, parameters, rules, t):
    refuse = DRAW_STOCK if stock_count(t) > 0 else PASS
    if policy == LAYER:
        return refuse
    seat = np.int64(t.to_act)
    hand = t.hands[seat]
    a, b, d = open_places(rules, t, False)
    table = a | b | d
    plan = new_plan()
    size = np.int64(t.row_size)
    solve(rules, t, hand, popcount(hand), plan)
    before = np.int64(plan.points)
    if policy == ROW_MISER:
        best = np.float64(before)
    else:
        drawn = 0.0 if refuse == PASS else 1.0
        best = worth_of(parameters[0], before, points_left(rules, hand, plan) + 7 * drawn)
    chosen = refuse
    cards = hand
    for k in range(size - 1, -1, -1):
        c = np.int64(t.row[k])
        cards |= bit(c)
        if not may_use(rules, t, cards, table, c):
            continue
        solve(rules, t, cards, popcount(cards) - must_keep(rules), plan)
        if plan.points <= before:
            continue
        if policy == ROW_MISER:
            if not _lays_all(plan, cards & ~hand, hand):
                continue
            worth = np.float64(plan.points)
        else:
            worth = worth_of(parameters[0], np.int64(plan.points), points_left(rules, cards, plan))
        if worth > best and _may_take(rules, t, c, k):
            best, chosen = worth, TAKE + c
    return chosen


@kernel
def worth_of(risk, laid, left):
    """Points laid at once, less the risk of those left in hand."""
    return np.float64(laid) - risk * np.float64(left)


@kernel
def _lays_all(plan, taken, hand):
    """Whether a plan uses all cards taken; jokers of the hand may be used in place of those taken."""
    jokers = num_jokers(taken)
    return taken & ~plan.cards & ~JOKER_BITS == U0 and plan.jokers >= jokers


@kernel
def _may_take(rules, t, c, k):
    duty = rules.row_use == ALWAYS or (rules.row_use == DEEP and k < t.row_size - 1)
    return not duty or is_legal(rules, t, TAKE + c)


# The discard.


@kernel
def _discard(policy, parameters, rules, t):
    """The card to put out: never a joker if another may go."""
    seat = np.int64(t.to_act)
    hand = t.hands[seat]
    cards = hand
    if t.barred != NO_CARD:
        cards &= ~bit(t.barred)
    if cards & ~JOKER_BITS != U0:
        cards &= ~JOKER_BITS
    unseen = unseen_cards(rules, t, seat)
    live = unseen | row_cards(t)
    a, b, d = open_places(rules, t, False)
    best, chosen = -1e9, 0
    while cards != U0:
        c = lowest(cards)
        cards &= cards - U1
        outs = outs_of(rules, hand, live, c) if c < NUM_CARDS else 0
        if policy in (LAYER, ROW_MISER):
            worth = np.float64(hand_points_of(rules, c)) - (100.0 if outs > 0 else 0.0)
        else:
            worth = parameters[0] * hand_points_of(rules, c) - parameters[1] * outs
            worth -= parameters[2] * min(danger_of(rules, t, seat, unseen, a | b | d, c), 8)
        if worth > best:
            best, chosen = worth, c
    return chosen
