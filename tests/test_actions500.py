"""The 1401 actions of 500 Rum: their names read back, with and without a table, and they are those of the twin."""

import random

import pytest

from rummy_env.cards import card_text
from rummy_env.errors import ActionError
from rummy_env.rum500 import play
from rummy_env.rum500.actions import (
    LAY_OFF_SET,
    LAY_SET,
    NUM_ACTIONS,
    REBIND,
    SWAP,
    TAKE,
    action_name,
    lay_of,
    menu_entry,
    parse_action,
)
from tests.helpers import JIT, count
from tests.helpers500 import choose, legal, melds, random_rules, table, written
from tests.naive500 import ACTIONS

SPOTS = {"set": "on the set", "high": "above the run", "low": "below the run"}


def expected_name(action: int) -> str:
    """The name of an action, from the twin's list."""
    kind, *details = ACTIONS[action]
    if kind in ("set", "run"):
        return "lay " + " ".join(f"X({card_text(c)})" if by_joker else card_text(c) for c, by_joker in details[0])
    if kind == "lay off":
        return f"lay off {'X as ' if details[2] else ''}{card_text(details[0])} {SPOTS[details[1]]}"
    if kind == "rebind":
        return f"lay a card for {card_text(details[0])}, moving it {details[1]}"
    if kind == "swap":
        return f"swap {card_text(details[1])} for {card_text(details[0])}"
    return {"draw": "draw stock", "take": "take {} and all above", "discard": "discard {}", "pass": "pass"}[kind].format(
        *map(card_text, details)
    )


def test_the_actions_are_those_of_the_twin() -> None:
    assert len(ACTIONS) == NUM_ACTIONS
    assert [action_name(a) for a in range(NUM_ACTIONS)] == [expected_name(a) for a in range(NUM_ACTIONS)]


def test_a_lay_shows_its_places() -> None:
    for action in range(LAY_SET, LAY_OFF_SET):
        places = ACTIONS[action][1]
        assert lay_of(action) == ([c for c, _ in places], [c for c, by_joker in places if by_joker])


def test_every_name_is_read_back() -> None:
    names = {action_name(a) for a in range(NUM_ACTIONS)}
    assert len(names) == NUM_ACTIONS
    for action in range(NUM_ACTIONS):
        name = action_name(action)
        assert parse_action(name) == parse_action(name.lower()) == parse_action(f"  {name.upper()} ") == action


def test_names_at_a_table_are_read_back() -> None:
    kinds = set()
    for seed in range(count(60)):
        rng, rules = random.Random(seed), random_rules(random.Random(seed), jokers=2)
        t = table(rules, seed)
        while actions := legal(rules, t):
            names = {action_name(a, t) for a in actions}
            assert len(names) == len(actions)
            for action in actions:
                assert parse_action(action_name(action, t)) == action
                kinds.add(menu_entry(action, t)[0])
            play.apply(rules, t, choose(rng, actions))
    assert not JIT or kinds >= {"draw", "take", "lay", "lay off", "swap", "discard", "pass"}


def test_a_name_at_a_table_says_what_is_done() -> None:
    """The cards taken are counted, and the jokers named are those that then lie there."""
    for seed in range(count(60)):
        rng, rules = random.Random(seed), random_rules(random.Random(seed), jokers=2, max_jokers_per_meld=2)
        t = table(rules, seed)
        while actions := legal(rules, t):
            action = choose(rng, actions, eager=0.9)
            name, before = action_name(action, t), t.joker_as.tolist()
            play.apply(rules, t, action)
            if TAKE <= action < LAY_SET:
                assert (f"and {t.took - 1} above" in name) == (t.took > 1)
            elif LAY_SET <= action < LAY_OFF_SET:
                shown = melds(t)[-1]
                words = [f"X{j - 51}({card_text(c)})" if j is not None else card_text(c) for c, j in shown]
                assert sorted(name.removeprefix("lay ").split()) == sorted(words)
            elif LAY_OFF_SET <= action < SWAP and " as " in name:
                joker = [j for j in range(2) if t.joker_as[j] != before[j]]
                assert name.startswith(f"lay off X{joker[0] + 1} as {card_text(int(t.joker_as[joker[0]]))} ")
            elif action in range(REBIND, REBIND + 4):
                assert name.startswith(f"lay {card_text(before[(action - REBIND) // 2])} for X")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("take 7d", "take 7D and all above"),
        ("take 7D and 3 above", "take 7D and all above"),
        ("LAY x1(tc) jc qc", "lay X(TC) JC QC"),
        ("lay 7S x1(7h) X2(7D)", "lay 7S X(7H) X(7D)"),
        ("lay off X2 as 6s above the run", "lay off X as 6S above the run"),
        ("lay TC for X1, moving it up", "lay a card for X1, moving it up"),
        ("lay for X2, moving it down", "lay a card for X2, moving it down"),
        ("discard x2", "discard X2"),
    ],
)
def test_other_ways_to_say_it(text: str, name: str) -> None:
    assert action_name(parse_action(text)) == name


@pytest.mark.parametrize(
    "text", ["", "knock", "take", "take 1S", "lay 7S 7H 8D", "lay", "lay X X 7D", "swap X1", "discard", "discard ZZ"]
)
def test_what_is_no_action_is_refused_by_name(text: str) -> None:
    with pytest.raises(ActionError, match="unknown action"):
        parse_action(text)


@pytest.mark.parametrize("action", [-1, NUM_ACTIONS, 99999])
def test_numbers_out_of_range_are_refused(action: int) -> None:
    with pytest.raises(ActionError, match=f"unknown action {action}"):
        action_name(action)
    rules, t = written("2S 3S", "4S")
    assert not play.is_legal(rules, t, action)
