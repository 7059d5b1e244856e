"""The meld solver against the plain-Python twin: the same answer for every hand, of every size, rich or poor."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy_env.bits import has, lowest, nth, popcount, stream
from rummy_env.cards import PACK, CardError, ids_of, mask_of, parse_cards
from rummy_env.gin import melds, solver
from rummy_env.gin.play import deal
from rummy_env.gin.state import new_state
from rummy_env.jit import kernel
from rummy_env.rules import make_rules
from tests import naive
from tests.helpers import JIT, cards, count, hands_of, ids, mask, rich_hands

SIZES = (7, 8, 9, 10, 11)
DRAWN_FROM = {"any": hands_of, "rich": rich_hands}
HANDS = st.frozensets(st.integers(0, 51), max_size=11)

every_size = pytest.mark.parametrize("size", SIZES)
either_kind = pytest.mark.parametrize("kind", DRAWN_FROM)


def masks(hands) -> np.ndarray:
    return np.array([mask(h) for h in hands], dtype=np.uint64)


def check_deadwood(hands) -> None:
    found = solver.batch_deadwood(masks(hands))
    wrong = [(sorted(h), int(f), naive.deadwood(h)) for h, f in zip(hands, found) if f != naive.deadwood(h)]
    assert not wrong


def check_discards(hands) -> None:
    least = solver.batch_deadwood_after_best_discard(masks(hands))
    first = solver.batch_best_discard(masks(hands))
    for hand, points, card in zip(hands, least, first):
        after = naive.discards(hand)
        assert points == min(after.values())
        assert card == min(c for c in hand if after[c] == points)


@every_size
@either_kind
def test_deadwood_is_that_of_the_twin(kind, size):
    check_deadwood(DRAWN_FROM[kind](count(3000), size, seed=size))


@either_kind
@pytest.mark.parametrize("size", [8, 11])
def test_best_discard_is_that_of_the_twin(kind, size):
    check_discards(DRAWN_FROM[kind](count(3000), size, seed=size + 20))


@pytest.mark.slow
@every_size
@either_kind
def test_deadwood_is_that_of_the_twin_long(kind, size):
    check_deadwood(DRAWN_FROM[kind](count(100_000), size, seed=size + 40))


@pytest.mark.slow
@either_kind
def test_best_discard_is_that_of_the_twin_long(kind):
    check_discards(DRAWN_FROM[kind](count(100_000), 11, seed=60))


def merged(found: solver.Arrangement):
    return naive.merged(ids(m) for m in found.melds)


@either_kind
def test_all_optimal_arrangements_are_found(kind):
    for hand in DRAWN_FROM[kind](count(700), 10, seed=1):
        found = solver.optimal_arrangements(mask(hand))
        assert len({merged(a) for a in found}) == len(found)
        assert {merged(a) for a in found} == {naive.merged(p) for p in naive.best_packings(hand)}
        assert merged(solver.best_arrangement(mask(hand))) in map(merged, found)


@settings(max_examples=count(300), deadline=None, derandomize=True)
@given(HANDS)
def test_an_arrangement_splits_the_hand_into_melds_and_deadwood(hand):
    """UB-010: a card is in one meld only."""
    for found in solver.optimal_arrangements(mask(hand)):
        parts = [*found.melds, found.deadwood]
        assert sum(int(p).bit_count() for p in parts) == len(hand)
        assert ids(np.bitwise_or.reduce(parts)) == hand
        assert all(naive.is_meld(ids(m)) and solver.is_meld(m) for m in found.melds)
        assert naive.total(ids(found.deadwood)) == found.points == naive.deadwood(hand)
    assert ids(melds.melded_cards(mask(hand))) == hand - ids(solver.best_arrangement(mask(hand)).deadwood)


@settings(max_examples=count(1000), deadline=None, derandomize=True)
@given(st.frozensets(st.integers(0, 51), max_size=6))
def test_is_meld_is_that_of_the_twin(some):
    assert solver.is_meld(mask(some)) == naive.is_meld(some)


def test_every_meld_is_a_meld():
    assert len(naive.MELDS) == 65 + 4 * 66
    assert all(solver.is_meld(mask(m)) for m in naive.MELDS)


@either_kind
def test_discards_and_closing_cards_are_those_of_the_twin(kind):
    """UB-025: the cards that may be put aside, for the usual limit, for 5 and for gin only."""
    for hand in DRAWN_FROM[kind](count(500), 11, seed=2):
        bits, after = mask(hand), naive.discards(hand)
        assert solver.deadwood_after_each(bits) == after
        best, least = solver.best_discard(bits)
        assert (ids(best), least) == naive.best_discards(hand)
        assert melds.deadwood_less_one(bits) == least
        forbidden = min(ids(best))
        allowed = bits & ~np.uint64(1 << forbidden)
        second = min(after[c] for c in hand - {forbidden})
        assert melds.best_discards(bits, allowed) == (mask(c for c in hand - {forbidden} if after[c] == second), second)
        for limit in (0, 5, 10):
            closing = {c for c in hand if after[c] <= limit}
            assert ids(melds.closing_cards(bits, bits, limit)) == closing
            assert ids(melds.closing_cards(bits, allowed, limit)) == closing - {forbidden}


@either_kind
def test_draws_are_those_of_the_twin(kind):
    for hand in DRAWN_FROM[kind](count(25, share=5), 10, seed=3):
        assert ids(solver.improving_draws(mask(hand))) == naive.draws_below(hand, naive.deadwood(hand))
        assert ids(solver.gin_draws(mask(hand))) == naive.draws_below(hand, 1)


@settings(max_examples=count(400), deadline=None, derandomize=True)
@given(HANDS.filter(len))
def test_melds_with_finds_any_meld_that_holds_the_card(hand):
    for card in sorted(naive.PACK - hand)[:8]:
        melding = any(card in m for m in naive.melds_in(hand | {card}))
        assert bool(melds.melds_with(mask(hand), card)) == melding


def test_small_hands():
    assert solver.deadwood(0) == 0
    assert solver.best_arrangement("").melds == ()
    assert solver.best_discard("KS") == (parse_cards("KS"), 0)
    assert solver.deadwood("KS QS") == 20
    assert solver.gin_draws("") == PACK
    with pytest.raises(CardError, match="no discard"):
        solver.best_discard("")


@pytest.mark.parametrize(
    ("hand", "named"),
    [("AS X1", "X1"), ("AS AS", "AS"), ("AS 1S", "1S"), (1 << 53, "X2"), (1 << 60, "60"), (-1, "-1"), (PACK, "52")],
)
def test_an_impossible_hand_is_refused_by_name(hand, named):
    with pytest.raises(CardError, match=named):
        solver.deadwood(hand)


@settings(max_examples=count(500), deadline=None, derandomize=True)
@given(st.frozensets(st.integers(0, 53)), st.integers(0, 53))
def test_masks_agree_with_python_ints(some, card):
    """UB-089: uint64 all the way, with 54 cards and at the last bits."""
    bits, whole = mask_of(some), sum(1 << c for c in some)
    assert bits.dtype == np.uint64
    assert int(bits) == whole
    assert list(ids_of(bits)) == sorted(some)
    assert popcount(bits) == len(some)
    assert bool(has(bits, card)) == (card in some)
    for n, c in enumerate(sorted(some)):
        assert nth(bits, n) == c
    if some:
        assert lowest(bits) == min(some)
    in_gin = some - {52, 53}
    assert melds.points_of(mask(in_gin)) == naive.total(in_gin)
    assert ids(melds.run_cards(mask(in_gin))) == frozenset().union(*(b for b in naive.runs_of(in_gin) if len(b) >= 3))


@kernel
def _deal_hands(rules, t, hands):
    for i in range(hands.shape[0]):
        deal(rules, t, 0)
        hands[i, 0], hands[i, 1] = t.hands[0], t.hands[1]


def test_dealt_deadwood_has_the_known_mean_and_spread():
    """56.57 and 13.78 are those of ten cards dealt from one pack."""
    n = count(1_000_000, share=1000)
    t = new_state(1)[0]
    t.key = stream(np.uint64(2026), np.uint64(0))
    hands = np.zeros((n, 2), np.uint64)
    _deal_hands(make_rules(), t, hands)
    assert not (hands[:, 0] & hands[:, 1]).any()
    points = solver.batch_deadwood(hands.reshape(-1))
    tolerance = 0.05 if JIT else 5 * 13.78 / np.sqrt(2 * n)
    assert points.mean() == pytest.approx(56.57, abs=tolerance)
    assert points.std() == pytest.approx(13.78, abs=tolerance)


def test_the_worst_hand():
    """UB-011: no ten cards hold more than 98."""
    assert solver.deadwood("KS KC QD QH JS JC TD TH 9S 9C") == 98
    assert naive.deadwood(cards("KS KC QD QH JS JC TD TH 9S 9C")) == 98
