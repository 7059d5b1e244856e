"""Records of 500 Rum: names of actions, exact round trips, replay, and what is refused."""

import contextlib
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rummy_env.match import next_deal, settle
from rummy_env.record import (
    MatchRecord,
    Move,
    Recorder,
    RecordError,
    parse_record,
    record_text,
    replay,
    replay_steps,
)
from rummy_env.rules import Rum500Rules, make_rules, overrides_of
from rummy_env.rum500.actions import NUM_ACTIONS, action_name, parse_action
from rummy_env.rum500.play import apply
from rummy_env.rum500.state import OVER, TABLE
from tests.helpers import count
from tests.helpers500 import VARIANTS500, choose, legal, random_rules, stock, table


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
        if t.phase != OVER or settle(rules, t) >= 0 or number == deals - 1:
            break
        next_deal(rules, t)
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
    rules = make_rules("rum500-ru", num_players=5)
    record, _ = play("rum500-ru", 3, deals=1, num_players=5)
    t = table(rules, 3)
    for shown, move in replay_steps(record):
        for field in set(TABLE.names or ()) - {"key", "deck", "dice"}:
            assert np.array_equal(shown[field], t[field]), field
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


def test_any_slip_of_the_pen_is_read_or_refused() -> None:
    text = record_text(short())
    rng = np.random.default_rng(0)
    letters = "".join(sorted(set(text))) + "#-Ž²"
    for _ in range(count(300)):
        at, wide = rng.integers(len(text)), rng.integers(3)
        with contextlib.suppress(RecordError):  # any other error fails the test
            replay(parse_record(text[:at] + "".join(rng.choice(list(letters), rng.integers(3))) + text[at + wide :]))
