"""Cards and their text: both ways, any case, and refusals that name what is wrong."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy_env.cards import CARD_NAMES, JOKERS, CardError, card, card_list, card_text, ids_of, mask_of, mask_text, parse_cards


def test_ids_run_by_suit_and_rank():
    assert (card("AS"), card("KS"), card("AH"), card("KC"), card("X1"), card("X2")) == (0, 12, 13, 51, *JOKERS)
    assert len(set(CARD_NAMES)) == 54


@pytest.mark.parametrize("name", CARD_NAMES)
def test_every_card_prints_and_parses(name):
    assert card_text(card(name)) == name
    assert card(name.lower()) == card(name)


@settings(deadline=None, derandomize=True)
@given(st.sets(st.integers(0, 53)))
def test_every_set_prints_and_parses(some):
    bits = mask_of(some)
    assert parse_cards(mask_text(bits)) == parse_cards(mask_text(bits, sep=",").lower()) == bits
    assert list(ids_of(bits)) == sorted(some)


@pytest.mark.parametrize("text", ["6D TC", "6d tc", "6D,TC", " 6D, TC ", "6DTC"])
def test_forms_of_text(text):
    assert card_list(text) == [card("6D"), card("TC")]


def test_the_order_written_is_kept_in_a_list_and_lost_in_a_set():
    assert card_list("TC 6D") == [card("TC"), card("6D")]
    assert mask_text(parse_cards("TC 6D")) == "6D TC"
    assert parse_cards("") == 0
    assert mask_text(0) == ""


@pytest.mark.parametrize(
    ("text", "named"), [("6D 1S", "'1S'"), ("10D", "'10'"), ("6DT", "'T'"), ("X3", "'X3'"), ("6Z", "'6Z'")]
)
def test_an_unknown_card_is_refused_by_name(text, named):
    with pytest.raises(CardError, match=f"unknown card {named}"):
        parse_cards(text)


@pytest.mark.parametrize("text", ["6D 6D", "6D TC 6d", "6D6D"])
def test_a_card_given_twice_is_refused_by_name(text):
    with pytest.raises(CardError, match="card 6D appears twice"):
        parse_cards(text)


@pytest.mark.parametrize(("ids", "named"), [([54], "54"), ([-1], "-1"), ([3, 3], "4S appears twice"), ([np.int64(60)], "60")])
def test_impossible_ids_are_refused_by_name(ids, named):
    with pytest.raises(CardError, match=named):
        mask_of(ids)


@pytest.mark.parametrize("wrong", [-1, 54, 255])
def test_no_text_for_impossible_ids(wrong):
    with pytest.raises(CardError, match=str(wrong)):
        card_text(wrong)


@pytest.mark.parametrize("wrong", [None, 31, b"6D"])
def test_a_card_is_text(wrong):
    with pytest.raises(CardError, match="unknown card"):
        card(wrong)
