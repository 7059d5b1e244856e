"""The outlook slices: promises against brute force, and blind to hidden cards."""

import numpy as np
import pytest

from rummy_env.cards import ids_of
from rummy_env.gin.observe import unseen_cards
from rummy_env.gin.outlook import BEST_DRAWS, OUTLOOK_SIZE, OUTLOOK_SPEC, write_outlook
from rummy_env.gin.solver import deadwood
from rummy_env.gin.state import DISCARD, DRAW
from rummy_env.rules import GIN_BOOK
from tests.blind import met_in_play, other_worlds
from tests.helpers import count


def promise(hand: frozenset[int], unseen: list[int]) -> float:
    """The mean of the seven lowest deadwoods after an unseen draw and the best discard."""

    def after(card: int) -> int:
        whole = hand | {card}
        return min(deadwood(sum(1 << c for c in whole - {out})) for out in whole)

    best = sorted(after(card) for card in unseen)[:BEST_DRAWS]
    return sum(best) / len(best)


def expected(tables, i: int) -> np.ndarray:
    table = tables.state[i]
    seat = int(table.to_act)
    hand, unseen = frozenset(ids_of(table.hands[seat])), list(ids_of(unseen_cards(table, seat)))
    out = np.zeros(OUTLOOK_SIZE)
    if len(hand) > tables.rules.hand_size:
        gifts = {c: promise(hand - {c}, unseen) for c in hand}
        least = min(gifts.values())
        for c, value in gifts.items():
            out[c] = (value - least) / 10
        out[52] = least / 50
    else:
        out[52] = promise(hand, unseen) / 50
        if table.upcard < 52:
            whole = hand | {int(table.upcard)}
            out[53] = min(promise(whole - {c}, unseen) for c in whole) / 50
    return out


@pytest.mark.parametrize("variant", ["gin-es", "oklahoma-ru"])
def test_promises_are_the_means_of_the_lowest_next_deadwoods(variant):
    phases = set()
    found = np.zeros(OUTLOOK_SIZE, np.float32)
    for tables in met_in_play(variant, 1, count(24, 6), policy="simple"):
        if tables.over[0]:
            continue
        write_outlook(tables.rules, tables.state[0], int(tables.state.to_act[0]), found)
        np.testing.assert_allclose(found, expected(tables, 0), atol=1e-5)
        phases.add(int(tables.state.phase[0]))
    assert phases >= {DRAW, DISCARD}


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
def test_hidden_cards_change_no_promise(variant):
    for number, tables in enumerate(met_in_play(variant, 32, count(30, 6), policy="simple", seed=3)):
        world = other_worlds(tables, tables.state.to_act, dice=number)
        np.testing.assert_array_equal(tables.observe(outlook=True)[0], world.observe(outlook=True)[0])


def test_slices_follow_the_observation():
    assert OUTLOOK_SPEC[0].stop == OUTLOOK_SPEC[1].start
    assert OUTLOOK_SPEC[-1].stop - OUTLOOK_SPEC[0].start == OUTLOOK_SIZE
