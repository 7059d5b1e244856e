"""The best lay against the plain-Python twin: the same points for every hand and table, and lays that really bring them."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy_env.cards import mask_text
from rummy_env.rules import Rum500Rules, make_rules, settings_in_words
from rummy_env.rum500 import play
from rummy_env.rum500.actions import action_name
from rummy_env.rum500.policies import must_keep
from rummy_env.rum500.solver import NO_LAY, PLAN, solve
from rummy_env.rum500.state import PLAY
from tests.helpers import cards, count, ids, mask
from tests.helpers500 import legal, meld, new_table, put_melds
from tests.naive500 import Cards, Table, is_meld, ordered, read, total
from tests.naive500_solver import best_lay, best_packing

JOKERS = frozenset({52, 53})
plan_of_record = np.zeros(1, PLAN).view(np.recarray)[0]


class Spot(NamedTuple):
    """A hand before a table, under some rules."""

    rules: Rum500Rules
    hand: Cards
    melds: Table

    @property
    def words(self) -> dict[str, str]:
        return settings_in_words(self.rules)

    def record(self) -> Any:
        """Seat 0 to play with this hand."""
        t = new_table()
        put_melds(t, self.melds)
        t.hands[0], t.phase = mask(self.hand), PLAY
        t.owed = t.barred = t.drawn = 255
        return t

    def plan(self, most: int) -> Any:
        solve(self.rules, self.record(), mask(self.hand), most, plan_of_record)
        return plan_of_record

    def __str__(self) -> str:
        shown = [" ".join(mask_text(mask([c])) + (f"=X{j - 51}" if j else "") for c, j in m) for m in self.melds]
        return f"hand {mask_text(mask(self.hand))}, table {shown}"


def spot(hand: str, *melds: str, **words) -> Spot:
    return Spot(make_rules("rum500-ru", **words), cards(hand), tuple(map(meld, melds)))


@st.composite
def rules_drawn(draw) -> Rum500Rules:
    most = {"run_corner": 1, "max_jokers_per_meld": 2, "ace_value": 4, "go_out": 1}
    return make_rules("rum500-ru", **{name: draw(st.integers(0, high)) for name, high in most.items()})


@st.composite
def melds_drawn(draw, rules: Rum500Rules, near: list[int], taken: set[int]) -> Table:
    """Up to four melds of cards that are not taken, two runs of a suit and jokers among them."""
    shown: list = []
    for _ in range(draw(st.integers(0, 4))):
        first, size = draw(st.sampled_from(near)), draw(st.sampled_from((3, 3, 3, 4, 5, 9, 12)))
        places = [13 * (first // 13) + (first + k) % 13 for k in range(size)]
        if draw(st.booleans()):
            places = [13 * ((first // 13 + k) % 4) + first % 13 for k in range(3 + size % 2)]
        held = {c: None if draw(st.integers(0, 4)) else min(JOKERS - taken, default=None) for c in places}
        if list(held.values()).count(52) == 2:
            held[[c for c, j in held.items() if j == 52][1]] = 53
        laid = {c if j is None else j for c, j in held.items()}
        new = ordered(held.items())
        if not laid & taken and len(laid) == len(held) and is_meld(read(settings_in_words(rules)), new):
            shown.append(new)
            taken |= laid
    return tuple(shown)


@st.composite
def spots(draw, least: int, most: int) -> Spot:
    """Hands of a few neighbouring ranks and suits, with jokers, before melds of the same cards."""
    rules = draw(rules_drawn())
    low, ranks = draw(st.integers(0, 12)), draw(st.integers(3, 13))
    suits = draw(st.sampled_from(((0, 1), (1, 3), (0, 1, 2), (0, 1, 2, 3))))
    near = [13 * s + (low + k) % 13 for s in suits for k in range(ranks)]
    hand = draw(st.frozensets(st.sampled_from(near), min_size=min(least, len(near) - 2), max_size=most - 2))
    hand |= draw(st.sampled_from((frozenset(), frozenset({52}), frozenset({53}), JOKERS)))
    return Spot(rules, hand, draw(melds_drawn(rules, near, set(hand))))


def check(spot: Spot, twin) -> None:
    """The points are the twin's, they are those of the cards named, and the lays bring them."""
    for keep in (0, 1):
        plan = spot.plan(len(spot.hand) - keep)
        expected = twin(spot.hand, spot.melds, spot.words, keep)
        assert (plan.points, plan.exact) == (expected, 1), f"{spot}, keep {keep}: {plan.points}, not {expected}"
        check_cards(spot, plan, keep)
    check_lays(spot)


def check_cards(spot: Spot, plan: Any, keep: int) -> None:
    laid = ids(plan.cards)
    assert laid <= spot.hand - JOKERS
    assert 0 <= plan.jokers <= len(spot.hand & JOKERS)
    assert len(laid) + plan.jokers <= len(spot.hand) - keep
    less = total(read(spot.words), laid) + 15 * plan.jokers - plan.points
    assert less in {14 * n for n in range(5)} if spot.words["ace_value"] == "15_or_1_low" else less == 0
    assert (plan.action == NO_LAY) == (plan.points == 0)


def check_lays(spot: Spot) -> None:
    """Laying as the plan says, planning anew after each lay, brings what the first plan promised."""
    rules, t, keep = spot.rules, spot.record(), must_keep(spot.rules)
    promised = spot.plan(len(spot.hand) - keep).points
    while t.phase == PLAY:
        solve(rules, t, t.hands[0], int(t.hands[0]).bit_count() - keep, plan_of_record)
        if plan_of_record.action == NO_LAY:
            break
        assert plan_of_record.action in legal(rules, t), f"{spot}: {action_name(int(plan_of_record.action), t)}"
        play.apply(rules, t, int(plan_of_record.action))
    assert t.credit[0] == promised, f"{spot}: {t.credit[0]} laid, not {promised}"


WORKED = [  # hand, melds on the table, cards to keep, most points
    ("7S 7H 7D 2C", (), 1, 21, {}),
    ("7S 7H 7D", (), 1, 0, {}),
    ("7S 7H 7D", (), 0, 21, {}),
    ("5D 6D 7D 7S 7H 2C", (), 1, 21, {}),
    ("5D 6D 7D 8D 8S 8H 2C", (), 1, 42, {}),
    ("QC JC X1 3H", (), 1, 35, {}),
    ("8D TD 3H", ("5D 6D 7D",), 1, 8, {}),
    ("8D TD X1 3H", ("5D 6D 7D",), 1, 33, {}),
    ("KS AS 2S 9D", (), 1, 22, {}),
    ("X1 X2 KS 3D", (), 1, 40, {}),
    ("X1 X2", (), 0, 0, {}),
    ("X1 4C", ("KS KH KD",), 1, 15, {}),
    ("2S 9D TD", ("8D 7D 6D",), 1, 19, {}),
    ("KS AS 2S 9D X1 X2", (), 1, 55, {"run_corner": "no", "ace_value": "15_or_1_low"}),
    ("KS AS 2S 9D X1 X2", (), 1, 27, {"max_jokers_per_meld": 0, "ace_value": "15"}),
    ("AS 2S 3S 9D", (), 1, 6, {"ace_value": "15_or_1_low"}),
    # a joker takes the place of the card that must stay in the hand
    ("AS 2S 3S X1", (), 1, 28, {}),
    ("AS 2S 3S 4S 5S 6S 7S 8S 9S X1", (), 1, 67, {"run_corner": "no"}),
    # two jokers that may not lie in one meld: one frees a card for the set of the other
    ("8S 9S TS 9H X1 X2", (), 0, 66, {"max_jokers_per_meld": 1}),
    ("5S 6S 7S 5H 6H 7H 5D 6D 7D 6C X1 X2", (), 0, 90, {"max_jokers_per_meld": 1}),
    # one suit only, more cards than a run has room for
    ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS X1 X2", (), 0, 94, {}),
    ("AS 2S X1", ("3S 4S 5S 6S 7S 8S 9S TS JS QS KS",), 0, 27, {}),
]


@pytest.mark.parametrize(("hand", "melds", "keep", "most", "words"), WORKED)
def test_worked_by_hand(hand, melds, keep, most, words):
    case = spot(hand, *melds, **words)
    assert case.plan(len(case.hand) - keep).points == most
    assert best_packing(case.hand, case.melds, case.words, keep) == most
    if len(case.hand) < 8:
        assert best_lay(case.hand, case.melds, case.words, keep) == most


@settings(max_examples=count(120), deadline=None, derandomize=True)
@given(spots(2, 7))
def test_small_hands_are_laid_as_by_every_sequence(spot):
    check(spot, best_lay)
    assert best_packing(spot.hand, spot.melds, spot.words) == best_lay(spot.hand, spot.melds, spot.words)


@settings(max_examples=count(200), deadline=None, derandomize=True)
@given(spots(7, 12))
def test_large_hands_are_laid_as_by_packing(spot):
    check(spot, best_packing)


@pytest.mark.slow
@settings(max_examples=count(4000), deadline=None)
@given(spots(2, 8))
def test_small_hands_are_laid_as_by_every_sequence_long(spot):
    check(spot, best_lay)


@pytest.mark.slow
@settings(max_examples=count(4000), deadline=None)
@given(spots(7, 12))
def test_large_hands_are_laid_as_by_packing_long(spot):
    check(spot, best_packing)
