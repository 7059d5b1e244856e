"""Texts of positions and records of 500 Rum: exact round trips, replay, and what is refused."""

import contextlib
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rummy_env.record import (
    MatchRecord,
    Move,
    Recorder,
    RecordError,
    check_position,
    parse_position,
    parse_record,
    position_text,
    record_text,
    replay,
    replay_steps,
)
from rummy_env.rules import Rum500Rules, make_rules, overrides_of
from rummy_env.rum500 import match
from rummy_env.rum500.actions import NUM_ACTIONS, action_name, parse_action
from rummy_env.rum500.play import apply, deal
from rummy_env.rum500.state import OVER, PHASES, TABLE
from tests.helpers import count, ids
from tests.helpers500 import VARIANTS500, choose, legal, put_row, put_stock, random_rules, row, stock, table, written


def check_same(read: Any, t: Any) -> None:
    for field in TABLE.names or ():
        assert np.array_equal(read[field], t[field]), field


def next_deal(rules: Rum500Rules, t: Any) -> None:
    match.settle(rules, t)
    deal(rules, t, int(match.next_starter(rules, t)))


# Positions.


def walk(variant: str, rules: Rum500Rules, seed: int, moves: int) -> Counter[str]:
    """Reads back the text of every position of some deals of random play; counts what was met."""
    rng, t, met = random.Random(seed), table(rules, seed), Counter[str]()
    for _ in range(moves):
        text = position_text(variant, rules, t)
        name, read_rules, read = parse_position(text)
        assert (name, read_rules) == (variant, rules)
        check_same(read[0], t)
        check_position(rules, t)
        met.update(word.partition("=")[0] for word in text.split())
        met[PHASES[t.phase]] += 1
        if t.phase == OVER:
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
    for seed in range(count(60)):
        met += walk("rum500-ru", random_rules(random.Random(seed)), seed, 120)
    words = {"rules", "melds", "discards0", "drawn", "took", "points", "credit", "scores", "wins", "beyond"}
    assert words <= met.keys()
    assert count(60) < 60 or {"reshuffled", "owed", "barred", "closer", "hand5", "known5"} <= met.keys()


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
    (DRAWS, "stale", to("0x100"), "stale=0x100: not numbers of two melds"),
    (DRAWS, "stale", to(",".join(["0x1"] * 21)), "not numbers of two melds, then of cards in up to 18 more"),
    (DRAWS, "stale", to("x"), "no hexadecimal number"),
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


# Records.


def test_names_of_actions_are_read_back_with_and_without_a_table() -> None:
    for action in range(NUM_ACTIONS):
        assert parse_action(action_name(action)) == action
    rng = random.Random(1)
    for seed in range(count(10, 3)):
        rules = random_rules(rng)
        t = table(rules, seed)
        while t.phase != OVER:
            actions = legal(rules, t)
            for action in actions:
                assert parse_action(action_name(action, t)) == action
                assert parse_action(action_name(action, t).upper()) == action
            apply(rules, t, choose(rng, actions))


def play(variant: str, seed: int, deals: int = 2, moves: int = 10**6, **overrides: Any) -> tuple[MatchRecord, Any]:
    """A record of some deals of random play, kept while the table is played, and the table at its end."""
    rules, rng = make_rules(variant, **overrides), random.Random(seed)
    t = table(rules, seed)
    recorder = Recorder(variant, rules, [f"player {k}" for k in range(rules.num_players)])
    for number in range(deals):
        recorder.begin(t)
        while t.phase != OVER and moves > 0:
            action = choose(rng, legal(rules, t))
            recorder.play(action)
            apply(rules, t, action)
            moves -= 1
        if t.phase != OVER:
            break
        if match.settle(rules, t) >= 0 or number == deals - 1:
            break
        deal(rules, t, int(match.next_starter(rules, t)))
    return recorder.record(), t


def check_record(record: MatchRecord, t: Any, rules: Rum500Rules) -> None:
    """A record reads back as it is, and its replay ends as its table did."""
    text = record_text(record)
    read = parse_record(text)
    assert read == record
    assert record_text(read) == text
    result = replay(read, rules)
    assert result.scores == tuple(t.scores[: rules.num_players])
    assert result.wins == tuple(t.wins[: rules.num_players])


@pytest.mark.parametrize("variant", VARIANTS500)
def test_record_round_trip_and_replay(variant: str) -> None:
    for seed in range(count(6, 3)):
        check_record(*play(variant, seed, deals=3), make_rules(variant))


def test_record_round_trip_under_random_settings() -> None:
    reshuffles = 0
    for seed in range(count(60, 10)):
        rules = random_rules(random.Random(seed))
        record, t = play("rum500-ru", seed, **overrides_of("rum500-ru", rules))
        check_record(record, t, rules)
        reshuffles += sum(bool(move.stock) for d in record.deals for move in d.moves)
    assert reshuffles


def test_replay_steps_show_each_table_before_its_move() -> None:
    record, _ = play("rum500-ru", 3, deals=1, num_players=5)
    rules = make_rules("rum500-ru", num_players=5)
    t = table(rules, 3)
    for shown, move in replay_steps(record):
        assert position_text("rum500-ru", rules, shown).partition(" scores")[0].partition(" key")[0] == (
            position_text("rum500-ru", rules, t).partition(" scores")[0].partition(" key")[0]
        ).replace("deal=0", "deal=1")
        assert int(t.to_act) == move.seat
        apply(rules, t, move.action)


def test_a_result_names_points_and_credit_of_each_seat() -> None:
    record, t = play("rum500-ru", 4, deals=1, num_players=3)
    lines = record_text(record).splitlines()
    points, credit = (",".join(map(str, values[:3].tolist())) for values in (t.points, t.credit))
    assert any(line.startswith("end ") and line.endswith(f"points={points} credit={credit}") for line in lines)
    assert f"players {' | '.join(record.players)}" in lines


def test_an_unfinished_deal_is_kept() -> None:
    record, _ = play("rum500-ru", 3, moves=7)
    assert record.deals[0].result is None
    assert parse_record(record_text(record)) == record
    assert replay(record).scores == (0, 0, 0, 0)


def test_a_reshuffle_does_not_depend_on_the_generator() -> None:
    record, _ = play("rum500-ru", 9, deals=1, num_players=6, hand_size=8, stock_end="reshuffle")
    moves = list(record.deals[0].moves)
    at = next(i for i, move in enumerate(moves) if len(move.stock) > 1)
    kept = moves[at].stock
    assert moves[at].action >= parse_action("discard AS")
    seats = (0,) * 6
    cut = replace(
        record,
        deals=(replace(record.deals[0], moves=tuple(moves[: at + 1]), result=None),),
        result=replace(record.result, scores=seats, wins=seats, winner=None),
    )
    *_, (t, _) = replay_steps(with_move(cut, at, replace(moves[at], stock=kept[::-1])))
    assert stock(t) == list(kept[::-1])
    with pytest.raises(RecordError, match="no stock is recorded"):
        replay(with_move(record, at, replace(moves[at], stock=())))
    with pytest.raises(RecordError, match="only in the record"):
        replay(with_move(record, 0, replace(moves[0], stock=kept)))
    with pytest.raises(RecordError, match="is no reshuffle"):
        replay(with_move(record, at, replace(moves[at], stock=kept[1:])))


def with_move(record: MatchRecord, at: int, move: Move) -> MatchRecord:
    first, *others = record.deals
    return replace(record, deals=(replace(first, moves=(*first.moves[:at], move, *first.moves[at + 1 :])), *others))


def test_overrides_are_kept_and_other_rules_refused() -> None:
    record, _ = play("rum500-ru", 2, num_players=3, row_use="deep", target=100)
    read = parse_record(record_text(record))
    assert read.rules() == make_rules("rum500-ru", num_players=3, row_use="deep", target=100)
    with pytest.raises(RecordError, match=r"num_players=3 \(expected 4\), row_use=deep \(expected none\)"):
        replay(read, make_rules("rum500-ru", target=100))


def short() -> MatchRecord:
    """A deal of three players that is over after a few moves, which begins with seat 1."""
    rules = make_rules("rum500-ru", num_players=3, hand_size=3, max_turns=3)
    t = table(rules, 1, starter=1)
    recorder = Recorder("rum500-ru", rules, ("left", "right", "far"))
    recorder.begin(t)
    while t.phase != OVER:
        action = max(legal(rules, t)) if t.phase else parse_action("draw stock")
        recorder.play(action)
        apply(rules, t, action)
    return recorder.record()


CHANGES = [
    ("variant rum500-ru", "variant rum500-standard", "is not that of 'rum500-standard'"),
    ("variant rum500-ru", "variant gin-es", "unknown setting 'num_players'"),
    ("jokers=2", "jokers=1", "jokers=1 .here 2"),
    ("players left | right | far", "players left | right", "line .: write players .* 3 names"),
    ("scores=0,0,0", "scores=0,0", "line 7: '0,0' is not 3 numbers"),
    ("wins=0,0,0", "wins=0,0,x", "line 7: 'x' is no whole number"),
    ("pack ", "pack AS ", "line 8: "),
    (" X1", "", "line 8: the pack is not all cards"),
    ("1 draw stock", "3 draw stock", "line 9: unknown line '3 draw stock'"),
    ("1 draw stock", "1 draw a card", "line 9: unknown action 'draw a card'"),
    ("1 draw stock", "1 take upcard", "line 9: unknown action 'take upcard'"),
    ("end capped", "end knock", "unknown ending 'knock' .known: out, stock_out, capped"),
    (" credit=", " deadwood=", "malformed, unknown or repeated word 'deadwood="),
    (" points=", " points=1,", "is not 3 numbers"),
    ("winner=none", "winner=x", "no whole number"),
]


@pytest.mark.parametrize(("old", "new", "message"), CHANGES)
def test_a_broken_record_is_refused(old: str, new: str, message: str) -> None:
    text = record_text(short())
    assert old in text
    with pytest.raises(RecordError, match=message):
        parse_record(text.replace(old, new, 1))


def test_moves_that_are_not_legal_are_refused_with_their_line() -> None:
    text = record_text(short())
    replay(parse_record(text))
    with pytest.raises(RecordError, match="line 9: 'pass' is not legal for seat 1 in phase draw"):
        replay(parse_record(text.replace("1 draw stock", "1 pass", 1)))
    with pytest.raises(RecordError, match="line 9: seat 2 moves, but it is the turn of seat 1"):
        replay(parse_record(text.replace("1 draw stock", "2 draw stock", 1)))
    with pytest.raises(RecordError, match="after the deal's end"):
        replay(parse_record(text.replace("\nend ", "\n1 pass\nend ", 1)))


def test_a_result_that_the_engine_does_not_reach_is_refused() -> None:
    record = short()
    first = record.deals[0]
    assert first.result is not None
    with pytest.raises(RecordError, match="deal 1: the deal says"):
        replay(replace(record, deals=(replace(first, result=replace(first.result, points=(1, 2, 3))),)))
    with pytest.raises(RecordError, match="the record says"):
        replay(replace(record, result=replace(record.result, wins=(1, 1, 1))))
    with pytest.raises(RecordError, match="its moves do not end it"):
        replay(replace(record, deals=(replace(first, moves=first.moves[:-1]),)))
    with pytest.raises(RecordError, match="do not follow"):
        replay(replace(record, deals=(first, replace(first, scores=(99, 0, 0)))))
    with pytest.raises(RecordError, match="the seats are 0 to 2"):
        replay(replace(record, deals=(replace(first, starter=3),)))


@pytest.mark.parametrize("what", ["position", "record"])
def test_any_slip_of_the_pen_is_read_or_refused(what: str) -> None:
    text = DRAWS if what == "position" else record_text(short())
    rng = np.random.default_rng(0)
    letters = "".join(sorted(set(text))) + "#-Ž²"
    for _ in range(count(400)):
        at, wide = rng.integers(len(text)), rng.integers(3)
        broken = text[:at] + "".join(rng.choice(list(letters), rng.integers(3))) + text[at + wide :]
        with contextlib.suppress(RecordError):  # any other error fails the test
            if what == "position":
                parse_position(broken)
            else:
                replay(parse_record(broken))
