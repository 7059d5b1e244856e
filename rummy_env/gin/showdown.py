"""The showdown: both hands melded, cards laid off, and the points of the deal.

The defender chooses his melds and lay-offs jointly: every set of cards that the knocker's melds can take (fourth of a
set, chains at both ends of a run) is tried with the best arrangement of what remains, so that he breaks a meld
where that saves. Among the knocker's arrangements with equal deadwood the one that leaves him best off counts.
Where both may lay off, the defender also weighs the knocker's answer on his melds, and may lay fewer cards
down as melds to deny it. ``layoff_choice="greedy"`` follows the automatic lay-off of the EAAI 2021 challenge:
each player's first best arrangement, and each loose card, lowest id first, goes to the first meld that takes it.
"""

from typing import NamedTuple

import numpy as np

from rummy_env.bits import U0, U1, bit, lowest, popcount
from rummy_env.cards import ACES
from rummy_env.gin.melds import (
    NOT_ACE,
    arrange,
    next_sets,
    points_of,
    run_cards,
    set_ranks,
    suits_holding,
)
from rummy_env.gin.state import BIG_GIN, GIN, KNOCK, TIE, UNDERCUT
from rummy_env.jit import kernel
from rummy_env.rules import GIN_BOOK

BY_NOBODY = GIN_BOOK.choice("layoff_by", "nobody")
BY_BOTH = GIN_BOOK.choice("layoff_by", "both")
GREEDY = GIN_BOOK.choice("layoff_choice", "greedy")
DOUBLE_ALL = GIN_BOOK.choice("spades_double", "all")


class Showdown(NamedTuple):
    """Points left on both sides, and the cards in sets, in runs and laid off of each (masks)."""

    knocker_points: int
    defender_points: int
    knocker_sets: np.uint64
    knocker_runs: np.uint64
    defender_sets: np.uint64
    defender_runs: np.uint64
    defender_laid: np.uint64
    knocker_laid: np.uint64


@kernel
def set_completions(sets):
    """The fourth card of each set of three."""
    whole = U0
    for rank in range(13):
        if sets & (ACES << np.uint64(rank)) != U0:
            whole |= ACES << np.uint64(rank)
    return whole & ~sets


@kernel
def layable(sets, runs, cards):
    """Those of ``cards`` that can be laid off on these melds, chains included."""
    grown = runs
    while True:
        more = ((grown << U1 & NOT_ACE) | ((grown & NOT_ACE) >> U1)) & cards & ~grown
        if more == U0:
            break
        grown |= more
    return (set_completions(sets) & cards) | (grown & ~runs)


@kernel
def _defend_for_himself(sets, runs, hand):
    """(points left, sets, runs, laid): the defender's best against these melds when the knocker has no answer."""
    universe = layable(sets, runs, hand)
    laid = universe
    best, best_sets, best_laid = 10000, U0, U0
    while True:
        if layable(sets, runs, laid) == laid:
            points, own = arrange(hand & ~laid)
            if points < best:
                best, best_sets, best_laid = points, own, laid
        if laid == U0:
            break
        laid = (laid - U1) & universe
    return best, best_sets, run_cards(hand & ~best_laid & ~best_sets), best_laid


@kernel
def _best_melds_against(hand, laid, loose):
    """(points left, saved by the answer, sets, runs): melds of ``hand`` without ``laid`` that end best for the defender."""
    best, best_points, best_saved, best_sets, best_runs = 10000, 0, 0, U0, U0
    rest = hand & ~laid
    ranks, sets = set_ranks(rest), U0
    while True:
        could = run_cards(rest & ~sets)
        runs = could
        while True:
            if run_cards(runs) == runs:
                points = points_of(rest & ~sets & ~runs)
                saved = points_of(layable(sets, runs, loose))  # the answer: laying off is never worse
                if points + saved < best:
                    best, best_points, best_saved, best_sets, best_runs = points + saved, points, saved, sets, runs
            if runs == U0:
                break
            runs = (runs - U1) & could
        sets = next_sets(rest, ranks, sets)
        if sets == U0:
            return best_points, best_saved, best_sets, best_runs


@kernel
def _defend_against_answer(sets, runs, hand, loose):
    """(points left, saved by the answer, sets, runs, laid): as above when the knocker may lay off ``loose`` afterwards."""
    universe = layable(sets, runs, hand)
    laid = universe
    best, best_points, best_saved, best_sets, best_runs, best_laid = 10000, 0, 0, U0, U0, U0
    while True:
        if layable(sets, runs, laid) == laid:
            points, saved, own_sets, own_runs = _best_melds_against(hand, laid, loose)
            if points + saved < best:
                best, best_points, best_saved = points + saved, points, saved
                best_sets, best_runs, best_laid = own_sets, own_runs, laid
        if laid == U0:
            break
        laid = (laid - U1) & universe
    return best_points, best_saved, best_sets, best_runs, best_laid


@kernel
def _could_answer(hand, loose):
    """Whether any arrangement of the defender's hand could take one of the knocker's loose cards."""
    sets = U0
    ranks = set_ranks(hand)
    while ranks != U0:
        rank = np.uint64(lowest(ranks))
        sets |= hand & (ACES << rank)
        if popcount(suits_holding(hand, rank)) == 4:
            sets &= ~bit(lowest(hand & (ACES << rank)))
        ranks &= ranks - U1
    return layable(sets, run_cards(hand), loose | hand) & loose != U0


@kernel
def _greedy(knocker, defender, may_lay_off):
    knocker_points, knocker_sets = arrange(knocker)
    knocker_runs = run_cards(knocker & ~knocker_sets)
    _, sets = arrange(defender)
    runs = run_cards(defender & ~sets)
    loose = defender & ~sets & ~runs
    laid, grown_sets, grown_runs = U0, knocker_sets, knocker_runs
    rest = loose if may_lay_off else U0
    while rest != U0:
        card = rest & (~rest + U1)
        rest ^= card
        if layable(grown_sets, U0, card) != U0:
            grown_sets |= card
        elif layable(U0, grown_runs, card) != U0:
            grown_runs |= card
        else:
            continue
        laid |= card
        rest = loose & ~laid
    return Showdown(knocker_points, points_of(loose & ~laid), knocker_sets, knocker_runs, sets, runs, laid, U0)


@kernel
def lay_down(rules, knocker, defender):
    """The :class:`Showdown` of two hands (uint64 masks), the knocker's with his card put aside."""
    least, _ = arrange(knocker)
    may_lay_off = rules.layoff_by != BY_NOBODY and (least > 0 or rules.layoff_on_gin != 0)
    if rules.layoff_choice == GREEDY:
        return _greedy(knocker, defender, may_lay_off)
    best, kept = -10000, Showdown(0, 0, U0, U0, U0, U0, U0, U0)
    ranks, sets = set_ranks(knocker), U0
    while True:
        runs = run_cards(knocker & ~sets)
        if points_of(knocker & ~sets & ~runs) == least:
            outcome = _respond(rules, sets, runs, knocker & ~sets & ~runs, defender, may_lay_off)
            if outcome.defender_points - outcome.knocker_points > best:
                best, kept = outcome.defender_points - outcome.knocker_points, outcome
        sets = next_sets(knocker, ranks, sets)
        if sets == U0:
            return kept


@kernel
def _respond(rules, sets, runs, loose, defender, may_lay_off):
    """The :class:`Showdown` of one arrangement of the knocker against the defender's best."""
    saved, answer = 0, U0
    if not may_lay_off:
        points, own_sets = arrange(defender)
        own_runs, laid = run_cards(defender & ~own_sets), U0
    elif rules.layoff_by == BY_BOTH and _could_answer(defender, loose):
        points, saved, own_sets, own_runs, laid = _defend_against_answer(sets, runs, defender, loose)
        answer = layable(own_sets, own_runs, loose)
    else:
        points, own_sets, own_runs, laid = _defend_for_himself(sets, runs, defender)
    return Showdown(points_of(loose) - saved, points, sets, runs, own_sets, own_runs, laid, answer)


@kernel
def score(rules, opening, gin_bonus, knocker_points, defender_points):
    """(ending, points for the knocker) of a showdown; ``gin_bonus`` < 0 says that it was no gin.

    The points are negative after an undercut. ``opening`` is the first upcard's id: a spade may double.
    """
    difference = defender_points - knocker_points
    if gin_bonus >= 0:
        ending, difference, bonus, sign = GIN, defender_points, gin_bonus, 1
    elif difference > 0:
        ending, bonus, sign = KNOCK, 0, 1
    elif difference == 0 and not rules.undercut_on_tie:
        ending, bonus, sign = TIE, 0, 1
    else:
        ending, difference, bonus, sign = UNDERCUT, -difference, rules.undercut_bonus, -1
    factor = 2 if opening < 13 and rules.spades_double != 0 else 1
    if rules.spades_double == DOUBLE_ALL:
        bonus *= factor
    return ending, sign * (difference * factor + bonus)


@kernel
def close(rules, t):
    """Ends the deal of table ``t`` with the showdown of its hands; ``closer`` and ``aside`` are set."""
    knocker = np.int64(t.closer)
    defender = 1 - knocker
    shown = lay_down(rules, t.hands[knocker], t.hands[defender])
    melded_out = arrange(t.hands[knocker])[0] == 0
    big = melded_out and popcount(t.hands[knocker]) > rules.hand_size
    bonus = -1
    if melded_out:
        bonus = rules.big_gin_bonus if big else rules.gin_bonus
    ending, points = score(rules, t.opening, bonus, shown.knocker_points, shown.defender_points)
    t.ending = BIG_GIN if big else ending
    t.deadwood[knocker] = shown.knocker_points
    t.deadwood[defender] = shown.defender_points
    t.points[knocker] = points
    t.points[defender] = -points
