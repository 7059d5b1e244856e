"""Texts of positions of 500 Rum: exact round trips, and what is refused."""

import contextlib
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rummy_env.match import next_deal, settle
from rummy_env.record import RecordError, check_position, parse_position, position_text
from rummy_env.rules import Rum500Rules, make_rules
from rummy_env.rum500.actions import parse_action
from rummy_env.rum500.play import apply
from rummy_env.rum500.state import OVER, PHASES, TABLE
from tests.helpers import count, ids
from tests.helpers500 import VARIANTS500, choose, legal, put_row, put_stock, random_rules, row, stock, table, written


def walk(variant: str, rules: Rum500Rules, seed: int, moves: int) -> Counter[str]:
    """Reads back the text of every position of some deals of random play; counts what was met."""
    rng, t, met = random.Random(seed), table(rules, seed), Counter[str]()
    for _ in range(moves):
        text = position_text(variant, rules, t)
        name, read_rules, read = parse_position(text)
        assert (name, read_rules) == (variant, rules)
        for field in TABLE.names or ():
            assert np.array_equal(read[0][field], t[field]), f"{field} in {text}"
        check_position(rules, t)
        met.update(word.partition("=")[0] for word in text.split())
        met[PHASES[t.phase]] += 1
        if t.phase == OVER:
            settle(rules, t)
            next_deal(rules, t)
        else:
            apply(rules, t, choose(rng, legal(rules, t)))
    return met


@pytest.mark.parametrize("variant", VARIANTS500)
def test_position_round_trip_is_exact(variant: str) -> None:
    met = walk(variant, make_rules(variant), 5, count(300, 10))
    assert {"draw", "play", "melds", "lifted"} <= met.keys()


def test_position_round_trip_under_random_settings() -> None:
    met = Counter[str]()
    for seed in range(count(40)):
        met += walk("rum500-ru", random_rules(random.Random(seed)), seed, 100)
    words = {"rules", "melds", "discards0", "drawn", "took", "points", "credit", "scores", "wins", "beyond"}
    assert words <= met.keys()
    assert count(40) < 40 or {"reshuffled", "owed", "barred", "closer", "hand5", "known5"} <= met.keys()


def test_a_position_can_be_written_by_hand() -> None:
    stock = "KS,KH,KD,KC,QS,QH,QD,JS,JH,JD,TS,TH,TD,9S,9H,9D,9C,8S,8H,8D,8C,7S,7H,7D,7C,6C,6D,6H,6S,5S,5H,5D,5C,4S,4H,4D,TC,X2"
    text = (
        "variant=rum500-ru rules=num_players:2 phase=draw act=1 starter=0 turn=1 credit=40 row=4C "
        f"hand0=AS,2S,3S,AH,2H,3H hand1=AD,2D,3D,AC,2C,3C melds=x1(tc)@0,JC,QC stock={stock}"
    ).replace("credit=40", "credit=40,0")
    _, rules, state = parse_position(text)
    t = state[0]
    assert (t.stock_at, t.stock_end, t.row_size, t.num_melds) == (16, 54, 1, 1)
    assert (t.joker_as.tolist(), t.joker_meld.tolist(), t.joker_by.tolist()) == ([48, 255], [0, 0], [0, 255])
    assert "melds=X1(TC)@0,JC,QC row=4C" in position_text("rum500-ru", rules, t)
    apply(rules, t, parse_action("draw stock"))
    assert t.drawn == 12


def text_of(rules: Rum500Rules, t: Any, *actions: str) -> str:
    for action in actions:
        assert parse_action(action) in legal(rules, t)
        apply(rules, t, parse_action(action))
    return position_text("rum500-ru", rules, t)


def drawing(**settings: Any) -> tuple[Rum500Rules, Any]:
    melds = ("QC KC=X1 AC 2C", "7S 7H 7C")
    return written("2S 5H 9C KH", "3S 7D JD", "4D 6H", row="4S 8H 3D JS", melds=melds, jokers=1, **settings)


def turned() -> str:
    """A position after a reshuffle: all cards but a few were in the row."""
    rules, t = written("KH 3S", "3C 7D", stock_end="reshuffle")
    cards = stock(t)
    put_row(t, cards[1:])
    put_stock(t, cards[:1])
    t.hands[1] |= np.uint64(1 << 3)  # 4S, which lay in the row
    return text_of(rules, t, "draw stock", "discard KH")


DRAWS = text_of(*drawing())
TOOK_ONE = text_of(*drawing(), "take JS")
DREW = text_of(*drawing(), "draw stock")
OWES = text_of(*written("2S 3S KH", "3C 7D", row="4S 8H", row_use="deep"), "take 4S")
ENDED = text_of(*written("KH", "3C 7D", melds=("KS KD KC",)), "draw stock", "lay off KH on the set", "discard AS")
TURNED = turned()


def changed(text: str, name: str, change: Callable[[str], str]) -> str:
    """A position with the value of one word changed; a word that is missing is changed from nothing."""
    words = dict(word.split("=", 1) for word in text.split())
    words[name] = change(words.get(name, ""))
    return " ".join(f"{name}={value}" for name, value in words.items())


def to(value: str) -> Callable[[str], str]:
    return lambda _: value


BROKEN_POSITIONS = [
    (DRAWS, "hand0", lambda v: v[3:], "lost cards, .*: 2S"),
    (DRAWS, "hand0", lambda v: v + ",8H", "8H is in two places: hand0 and the row"),
    (DRAWS, "hand0", lambda v: v + ",QC", "QC is in two places: hand0 and meld 1"),
    (DRAWS, "hand0", lambda v: v + ",X1", "X1 is in two places: hand0 and meld 1"),
    (DRAWS, "hand0", lambda v: v + ",X2", "X2 is no card of this pack, but in hand0"),
    (DRAWS, "hand0", lambda v: v + ",2S", "appears twice"),
    (DRAWS, "hand0", lambda v: "1Z" + v[2:], "unknown card '1Z'"),
    (DRAWS, "hand3", to("2S"), "hand3: the seats are 0 to 2"),
    (DRAWS, "stock", lambda v: v[3:], "lost cards|cards, not 54"),
    (DRAWS, "known1", to("KH"), "known1 names KH, which hand1 does not hold"),
    (DRAWS, "discards2", to("X2"), "discards2 names a joker that is not in the pack"),
    (DRAWS, "act", to("3"), "act: the seats are 0 to 2, not 3"),
    (DRAWS, "act", to("1"), "after 0 turns from seat 0 on seat 0 is to act"),
    (DRAWS, "starter", to("7"), "starter: the seats are 0 to 2, not 7"),
    (DRAWS, "closer", to("5"), "closer: the seats are 0 to 2, not 5"),
    (DRAWS, "closer", to("1"), "contradicts .*closer"),
    (DRAWS, "phase", to("dinner"), "'dinner' is none of"),
    (DRAWS, "phase", to("over"), "ending= is missing"),
    (DRAWS, "phase", to("play"), "drawn= must name a card"),
    (DRAWS, "ending", to("out"), "contradicts ending=out"),
    (DRAWS, "turn", to("402"), "turn=402: a deal ends after 400 turns"),
    (DRAWS, "turn", to("x"), "no whole number"),
    (DRAWS, "turn", to("70000"), "out of range"),
    (DRAWS, "scores", to("1,2"), "not 3 numbers"),
    (DRAWS, "points", to("1,2,3"), "points= are given when a deal is over"),
    (DRAWS, "drawn", to("KH"), "drawn= belongs into phase play"),
    (DRAWS, "took", to("1"), "took= belongs into phase play"),
    (DRAWS, "owed", to("KH"), "owed= belongs into phase play"),
    (DRAWS, "barred", to("KH"), "barred= belongs into phase play"),
    (DRAWS, "reshuffled", to("KH"), "the rules do not reshuffle"),
    (DRAWS, "key", to("0xZZ"), "hexadecimal"),
    (DRAWS, "variant", to("rum500-mars"), "unknown variant"),
    (DRAWS, "rules", lambda v: v + ",num_deals:-1", "num_deals='-1' is not possible"),
    (DRAWS, "rules", lambda v: v + ",max_jokers_per_meld:0", "QC X1.KC. AC 2C, has too many jokers: at most 0"),
    (DRAWS, "rules", lambda v: v + ",run_corner:no", "meld 1, QC X1.KC. AC 2C, is no set or run"),
    (DRAWS, "melds", lambda v: v.replace("X1(KC)@1", "X1"), "X1 stands for no card: write"),
    (DRAWS, "melds", lambda v: v.replace("X1(KC)@1", "X1(KC)"), "unknown card"),
    (DRAWS, "melds", lambda v: v.replace("@1", "@5"), "the seats are 0 to 2, but X1 was laid by 5"),
    (DRAWS, "melds", lambda v: v.replace("X1(KC)", "X1(QC)"), "QC is twice in one meld"),
    (DRAWS, "melds", lambda v: v.replace("X1(KC)", "X1(X2)"), "stands for no card"),
    (DRAWS, "melds", lambda v: v.replace("7S", "X1(7S)@0"), "X1 is in two melds or places"),
    (DRAWS, "melds", lambda v: v + "/2C,3C,4C", "2C is in two melds or places"),
    (DRAWS, "melds", lambda v: v.replace("AC,", "AC/"), "meld 2, 2C, is no set or run|meld 1, .* is no set or run"),
    (DRAWS, "melds", lambda v: v.replace("7H,7C", "7H"), "lost cards, .*: 7C"),
    (DRAWS, "melds", lambda v: "/".join([v] * 10), "20 melds, but room for 18"),
    (DREW, "drawn", to("8H"), "drawn= must name a card held or laid"),
    (DREW, "took", to("2"), "drawn= must name a card"),
    (DREW, "barred", to("KH"), "barred= must name"),
    (DREW, "owed", to("KH"), "nothing must be laid"),
    (TOOK_ONE, "barred", to("8H"), "barred= must name the card"),
    (TOOK_ONE, "took", to("3"), "barred= must name the card, held or laid, if took=1, and only then"),
    (OWES, "owed", to("2S"), "owed=2S is no card of the hand that was seen to come"),
    (OWES, "owed", to("8H"), "has no legal action"),
    (ENDED, "ending", to("capped"), "contradicts the hands"),
    (ENDED, "ending", to("none"), "ending= is missing"),
    (ENDED, "closer", to("1"), "contradicts the hands"),
    (ENDED, "points", to("1,2"), "gives seat 0 1, its credit less its hand is 10"),
    (TURNED, "rules", to("num_players:2"), "the rules do not reshuffle"),
]


@pytest.mark.parametrize(("text", "name", "change", "message"), BROKEN_POSITIONS)
def test_a_broken_position_is_refused(text: str, name: str, change: Any, message: str) -> None:
    parse_position(text)
    with pytest.raises(RecordError, match=message):
        parse_position(changed(text, name, change))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("mleds=AS", "did you mean 'melds'"),
        ("pile=AS", "unknown word 'pile'"),
        ("melds=", "malformed"),
        ("act=0", "given twice"),
    ],
)
def test_a_word_too_many_is_refused(more: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        parse_position(f"{DRAWS} {more}")


@pytest.mark.parametrize("name", ["variant", "phase", "act", "starter"])
def test_a_missing_word_is_named(name: str) -> None:
    text = " ".join(word for word in DRAWS.split() if not word.startswith(f"{name}="))
    with pytest.raises(RecordError, match=name):
        parse_position(text)


def set_field(name: str, value: Any, at: int | None = None) -> Callable[[Any], None]:
    def change(t: Any) -> None:
        if at is None:
            t[name] = value
        else:
            t[name][at] = value

    return change


def empty_row(t: Any) -> None:
    put_stock(t, stock(t) + row(t))
    put_row(t, [])


def empty_stock(t: Any) -> None:
    put_row(t, row(t) + stock(t))
    put_stock(t, [])


def empty_hand(t: Any) -> None:
    put_stock(t, [*stock(t), *ids(t.hands[1])])
    t.hands[1] = 0


BROKEN_TABLES = [
    (set_field("joker_meld", 1, 0), {}, "X1 lies in no place of a meld"),
    (set_field("joker_as", 0, 0), {}, "X1 lies in no place of a meld"),
    (set_field("joker_as", 255, 0), {}, "the melds show QC KC AC 2C 7S 7H 7C|the melds show"),
    (set_field("joker_by", 255, 0), {}, "X1 was laid by 255"),
    (set_field("joker_by", 9, 1), {}, "X2 was laid by 9"),
    (set_field("laid", 7), {}, "the melds show .*, but AS 2S 3S is laid"),
    (set_field("hands", 1 << 5, 5), {}, "6S is in two places: hand5 and the stock"),
    (empty_row, {}, "the row is empty in phase draw"),
    (empty_stock, {"stock_end": "end"}, "the stock is empty, which ends the deal"),
    (empty_stock, {"stock_end": "reshuffle"}, "the stock is empty, but the row was not reshuffled"),
    (empty_hand, {}, "hand1 is empty in phase draw"),
]


@pytest.mark.parametrize(("change", "settings", "message"), BROKEN_TABLES)
def test_a_broken_table_is_refused(change: Any, settings: dict[str, Any], message: str) -> None:
    rules, t = drawing(**settings)
    check_position(rules, t)
    change(t)
    with pytest.raises(RecordError, match=message):
        check_position(rules, t)


def test_a_deal_is_not_capped_before_its_time() -> None:
    rules, t = drawing(max_turns=1)
    text_of(rules, t, "draw stock", "discard KH")
    check_position(rules, t)
    with pytest.raises(RecordError, match="ending=capped after 1 of 2 turns"):
        check_position(rules._replace(max_turns=2), t)


def test_any_slip_of_the_pen_is_read_or_refused() -> None:
    rng = np.random.default_rng(0)
    letters = "".join(sorted(set(DRAWS))) + "#-Ž²"
    for _ in range(count(400)):
        at, wide = rng.integers(len(DRAWS)), rng.integers(3)
        with contextlib.suppress(RecordError):  # any other error fails the test
            parse_position(DRAWS[:at] + "".join(rng.choice(list(letters), rng.integers(3))) + DRAWS[at + wide :])
