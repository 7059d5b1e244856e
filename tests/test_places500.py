"""Places of melds: their order round the corner, which of them are melds, and how they print."""

import random

import pytest

from rummy_env.cards import parse_cards
from rummy_env.rules import make_rules
from rummy_env.rum500.places import Place, in_order, is_meld
from tests import naive500
from tests.helpers import ids, mask
from tests.helpers500 import random_rules


def test_places_go_from_the_low_end_round_the_corner() -> None:
    assert in_order(1 << 12 | 1 << 0 | 1 << 1) == [12, 0, 1]
    assert in_order((1 << 13) - 1) == [*range(13)]
    assert in_order(((1 << 13) - 1 & ~(1 << 5)) << 13) == [13 + (6 + k) % 13 for k in range(12)]
    assert in_order(1 << 3 | 1 << 16 | 1 << 42) == [3, 16, 42]


@pytest.mark.parametrize(
    ("cards", "corner", "plain"),
    [
        ("KS AS 2S", True, False),
        ("QS KS AS", True, True),
        ("AS 2S 3S", True, True),
        ("AS 2S", False, False),
        ("3D 4D 6D", False, False),
        ("3D 4D 5D 8D 9D TD", False, False),
        ("5S 5H 5C", True, True),
        ("5S 5H 6C", False, False),
        ("AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH", True, True),
    ],
)
def test_melds(cards: str, corner: bool, plain: bool) -> None:
    rules = [make_rules("rum500-ru", run_corner=word) for word in (True, False)]
    assert [is_meld(r, parse_cards(cards)) for r in rules] == [corner, plain]


def test_random_places_are_judged_as_the_twin_judges_them() -> None:
    rng, found = random.Random(0), 0
    for _ in range(3000):
        rules = random_rules(rng)
        first, size = rng.randrange(52), rng.randint(2, 5)
        cards = {first // 13 * 13 + (first + k + (rng.random() < 0.05)) % 13 for k in range(size)}
        if rng.random() < 0.4:
            cards = {13 * s + (first + (rng.random() < 0.1)) % 13 for s in rng.sample(range(4), min(size, 4))}
        places = naive500.ordered((c, None) for c in cards)
        wanted = naive500.is_meld(naive500.read({"run_corner": "yes" if rules.run_corner else "no"}), places)
        assert is_meld(rules, mask(cards)) == wanted, sorted(cards)
        assert ids(mask(cards)) == frozenset(in_order(mask(cards)))
        found += wanted
    assert found > 500


def test_places_print_with_their_jokers() -> None:
    assert [str(Place(48, None)), str(Place(48, 52))] == ["TC", "X1(TC)"]
    assert [Place(48, None).lies, Place(48, 52).lies] == [48, 52]
