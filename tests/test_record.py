"""Texts of positions and records: exact round trips, replay, and what is refused."""

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rummy_env import record as record_module
from rummy_env.errors import ActionError
from rummy_env.gin.play import apply, random_action
from rummy_env.gin.state import OVER, TABLE, State, new_state
from rummy_env.match import next_deal, settle, start_match
from rummy_env.record import (
    MatchRecord,
    Recorder,
    RecordError,
    load_record,
    parse_position,
    parse_record,
    position_text,
    record_text,
    replay,
    replay_steps,
    save_record,
    write_whole,
)
from rummy_env.rules import GIN_BOOK, GinRules, make_rules
from tests import golden


def table(rules: GinRules, seed: int, dice: int = 7) -> State:
    state = new_state(1)
    state.key, state.dice = seed, dice
    start_match(rules, state[0])
    return state


def play(variant: str, seed: int, deals: int = 2, moves: int = 10**6, **overrides: Any) -> tuple[MatchRecord, State]:
    """A record of some deals, kept while the table is played, and the table at its end: odd seeds play to close."""
    rules = make_rules(variant, **overrides)
    state = table(rules, seed)
    t = state[0]
    recorder = Recorder(variant, rules, ("left", "right"))
    for number in range(deals):
        recorder.begin(t)
        while t.phase != OVER and moves > 0:
            action = golden.choose(rules, t, "knock") if seed % 2 else random_action(rules, t)
            recorder.play(action)
            apply(rules, t, action)
            moves -= 1
        if t.phase != OVER or settle(rules, t) >= 0 or number == deals - 1:
            break
        next_deal(rules, t)
    return recorder.record(), state


# Positions.


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
def test_position_round_trip_is_exact(variant: str) -> None:
    rules = make_rules(variant, knock_limit=7) if variant == "gin-ru" else make_rules(variant)
    state = table(rules, seed=5)
    t = state[0]
    phases = set()
    for _ in range(250):
        text = position_text(variant, rules, t)
        name, read_rules, read = parse_position(text)
        assert (name, read_rules) == (variant, rules)
        for field in TABLE.names or ():
            assert np.array_equal(read[field], state[field]), f"{field} in {text}"
        phases.add(int(t.phase))
        if t.phase == OVER:
            settle(rules, t)
            next_deal(rules, t)
        else:
            apply(rules, t, random_action(rules, t))
    assert len(phases) >= 3


def test_a_position_can_be_written_by_hand() -> None:
    rest = "KS,KH,KD,KC,QS,QH,QD,QC,JS,JH,JD,JC,TS,TH,TD,TC,9S,9H,9D,9C,8S,8H,8D,8C,7S,7H,7D,6C,6D,6H,6S"
    text = (
        "variant=gin-es phase=draw act=1 starter=0 opening=7C upcard=7C pile=7C "
        f"hand0=AS,2S,3S,4S,5S,AH,2H,3H,4H,5H hand1=AD,2D,3D,4D,5D,AC,2C,3C,4C,5C stock={rest}"
    )
    _, rules, state = parse_position(text)
    assert (state[0].stock_at, state[0].stock_end) == (21, 52)
    apply(rules, state[0], 104)
    assert state[0].drawn == 12


def middle() -> str:
    rules = make_rules("gin-es")
    state = table(rules, seed=1)
    for _ in range(10):
        apply(rules, state[0], random_action(rules, state[0]))
    return position_text("gin-es", rules, state[0])


def _swapped(text: str, name: str, change: Any) -> str:
    words = [word if not word.startswith(f"{name}=") else f"{name}={change(word.partition('=')[2])}" for word in text.split()]
    return " ".join(words)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("stock", lambda v: v[3:] + "," + v[3:5], "in two places: the stock and the stock"),
        ("hand0", lambda v: v[3:], "lost cards"),
        ("stock", lambda v: v[3:], "cards, not 52"),
        ("hand0", lambda v: v + "," + v[:2], "twice"),
        ("hand1", lambda v: "1Z" + v[2:], "unknown card '1Z'"),
        ("hand1", lambda v: "X1" + v[2:], "no jokers"),
        ("phase", lambda v: "dinner", "'dinner' is none of"),
        ("phase", lambda v: "over", "contradicts ending"),
        ("act", lambda v: "2", "seats are 0 and 1"),
        ("turn", lambda v: "70000", "out of range"),
        ("turn", lambda v: "x", "no whole number"),
        ("turns", lambda v: "1", "not 2 numbers"),
        ("key", lambda v: "0xZZ", "hexadecimal"),
        ("key", lambda v: "-0x1", "out of range"),
        ("variant", lambda v: "gin-mars", "unknown variant"),
        ("pairs0", lambda v: "AS>2S>3S", "drawn>discarded"),
    ],
)
def test_a_broken_position_is_refused(name: str, change: Any, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        parse_position(_swapped(middle(), name, change))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("hnad0=AS", "did you mean 'hand0'"),
        ("nonsense", "malformed word"),
        ("earlier=", "malformed word"),
        ("act=0", "given twice"),
        ("rules=knock_limit", "malformed"),
        ("rules=knock_limit:500", "knock_limit='500' is not possible"),
        ("known0=KC known1=KC", "does not hold|given twice"),
    ],
)
def test_a_word_too_many_is_refused(more: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        parse_position(f"{middle()} {more}")


@pytest.mark.parametrize("name", ["variant", "phase", "act", "starter", "opening", "upcard"])
def test_a_missing_word_is_named(name: str) -> None:
    text = " ".join(word for word in middle().split() if not word.startswith(f"{name}="))
    with pytest.raises(RecordError, match=name):
        parse_position(text)


# Records.


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
def test_record_round_trip_and_replay(variant: str) -> None:
    for seed in range(4):
        record, state = play(variant, seed, deals=3)
        text = record_text(record)
        read = parse_record(text)
        assert read == record
        assert record_text(read) == text
        result = replay(read, make_rules(variant))
        assert result.scores == tuple(state[0].scores)
        assert result.wins == tuple(state[0].wins)


def test_replay_steps_show_each_table_before_its_move() -> None:
    record, _ = play("gin-es", 3, deals=1)
    rules, state = make_rules("gin-es"), table(make_rules("gin-es"), 3)
    for t, move in replay_steps(record):
        assert t.hands.tolist() == state[0].hands.tolist()
        assert int(t.to_act) == move.seat
        apply(rules, state[0], move.action)


def test_an_unfinished_deal_is_kept() -> None:
    record, _ = play("gin-es", 3, moves=7)
    assert record.deals[0].result is None
    assert parse_record(record_text(record)) == record
    assert replay(record).scores == (0, 0)


def test_a_reshuffle_does_not_depend_on_the_generator() -> None:
    record, _ = play("gin-ru", 2, deals=1)
    assert any(move.stock for move in record.deals[0].moves)
    read = parse_record(record_text(record))
    moves = list(read.deals[0].moves)
    at = next(i for i, move in enumerate(moves) if move.stock)
    kept = moves[at].stock
    with pytest.raises(RecordError, match=f"line {moves[at].line}: the recorded stock is no reshuffle"):
        replay(_with_move(read, at, replace(moves[at], stock=kept[::-1])))
    with pytest.raises(RecordError, match="no stock is recorded"):
        replay(_with_move(read, at, replace(moves[at], stock=())))
    with pytest.raises(RecordError, match="only in the record"):
        replay(_with_move(read, 0, replace(moves[0], stock=kept)))


def _with_move(record: MatchRecord, at: int, move: Any) -> MatchRecord:
    deal = record.deals[0]
    return replace(record, deals=(replace(deal, moves=(*deal.moves[:at], move, *deal.moves[at + 1 :])), *record.deals[1:]))


def test_overrides_are_kept_and_other_rules_refused() -> None:
    record, _ = play("gin-es", 2, knock_limit=30, undercut_bonus=10)
    read = parse_record(record_text(record))
    assert read.rules() == make_rules("gin-es", knock_limit=30, undercut_bonus=10)
    with pytest.raises(RecordError, match=r"knock_limit=30 \(expected 10\)"):
        replay(read, make_rules("gin-es"))


CHANGES = [
    ("rummy-env record 1", "rummy-env record 2", "line 1: the record has format version 2"),
    ("rummy-env record 1", "chess", "line 1"),
    ("gin_bonus=25", "gin_bonus=24", "gin_bonus=24 .here 25"),
    ("gin_bonus=25", "", "gin_bonus=missing"),
    ("rules hand", "rules feathers=1 hand", "feathers=1 .here unknown"),
    ("variant gin-standard", "variant gin-ru", "is not that of 'gin-ru'"),
    ("variant gin-standard", "variant gin-moon", "unknown variant"),
    ("variant gin-standard\n", "", "line 'variant' is missing"),
    ("deal starter=0", "deal strater=0", "line 6: malformed, unknown or repeated word 'strater=0'"),
    ("deal starter=0", "deal", "line 6: starter= is missing"),
    ("\npack ", "\npack AS ", "line 7"),
    ("0 pass", "0 sing", "line 8: unknown action 'sing'"),
    ("0 pass", "2 pass", "line 8: unknown line"),
    ("\nend ", "\nend happily ", "unknown ending 'happily'"),
    ("result scores=", "result points=", "points="),
    ("\nresult", "\n#result", "cut off"),
]


@pytest.mark.parametrize(("old", "new", "message"), CHANGES)
def test_a_broken_record_is_refused(old: str, new: str, message: str) -> None:
    text = record_text(undercut())
    assert old in text
    with pytest.raises(RecordError, match=message):
        parse_record(text.replace(old, new, 1))


def undercut() -> MatchRecord:
    """The golden undercut, which begins with a pass of seat 0."""
    return golden.play("gin-standard", golden.GOLDEN["gin-standard"])


def test_an_illegal_move_is_refused_with_its_line() -> None:
    text = record_text(undercut())
    with pytest.raises(RecordError, match="line 8: 'draw stock' is not legal for seat 0 in phase first_offer"):
        replay(parse_record(text.replace("\n0 pass", "\n0 draw stock", 1)))
    with pytest.raises(RecordError, match="line 8: seat 1 moves, but it is the turn of seat 0"):
        replay(parse_record(text.replace("\n0 pass", "\n1 pass", 1)))
    with pytest.raises(RecordError, match="after the deal's end"):
        replay(parse_record(text.replace("\nend ", "\n0 pass\nend ", 1)))


def test_a_result_that_the_engine_does_not_reach_is_refused() -> None:
    record = undercut()
    deal = record.deals[0]
    assert deal.result is not None
    wrong = replace(deal, result=replace(deal.result, points=(1, -1)))
    with pytest.raises(RecordError, match="deal 1: the deal says"):
        replay(replace(record, deals=(wrong,)))
    with pytest.raises(RecordError, match="the record says"):
        replay(replace(record, result=replace(record.result, scores=(1, 1))))
    with pytest.raises(RecordError, match="its moves do not end it"):
        replay(replace(record, deals=(replace(deal, moves=deal.moves[:-1]),)))
    with pytest.raises(RecordError, match="do not follow"):
        replay(replace(record, deals=(deal, replace(deal, scores=(99, 0)))))
    with pytest.raises(RecordError, match=r"deal 1: .*out of bounds"):
        replay(replace(record, deals=(replace(deal, wins=(-1, 0)),)))
    with pytest.raises(RecordError, match="version 7"):
        replay(replace(record, version=7))


def test_the_recorder_refuses_illegal_actions_and_deals_under_way() -> None:
    rules = make_rules("gin-es")
    state = table(rules, 1)
    recorder = Recorder("gin-es", rules)
    with pytest.raises(ActionError, match="begins with a deal"):
        recorder.play(104)
    recorder.begin(state[0])
    with pytest.raises(ActionError, match="not legal for seat"):
        recorder.play(104)
    apply(rules, state[0], 106)
    with pytest.raises(RecordError, match="just been dealt"):
        recorder.begin(state[0])


def test_names_that_cannot_be_written_are_refused() -> None:
    record, _ = play("gin-es", 1, deals=1)
    with pytest.raises(RecordError, match="cannot be written"):
        record_text(replace(record, players=("a|b", "c")))
    assert parse_record(record_text(replace(record, players=("", "the other one")))).players == ("", "the other one")


def test_files_are_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record, _ = play("gin-es", 1)
    path = tmp_path / "game.txt"
    save_record(path, record)
    assert load_record(path) == record

    def fail(_: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(record_module.os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, "half a ga")
    assert load_record(path) == record
    assert [p.name for p in tmp_path.iterdir()] == ["game.txt"]


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text("rummy-env record 1\nvariant gin-es\nfoo\n", encoding="utf-8")
    with pytest.raises(RecordError, match=r"game.txt: line 3: unknown line 'foo'"):
        load_record(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(RecordError, match=r"game.txt"):
        load_record(path)


@pytest.mark.parametrize("what", ["position", "record"])
def test_any_slip_of_the_pen_is_read_or_refused(what: str) -> None:
    text = middle() if what == "position" else record_text(undercut())
    rng = np.random.default_rng(0)
    letters = "".join(sorted(set(text))) + "#-Ž²"
    for _ in range(300):
        at, wide = rng.integers(len(text)), rng.integers(3)
        broken = text[:at] + "".join(rng.choice(list(letters), rng.integers(3))) + text[at + wide :]
        with contextlib.suppress(RecordError):  # any other error fails the test
            if what == "position":
                parse_position(broken)
            else:
                replay(parse_record(broken))
