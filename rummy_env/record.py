"""Keeping, replaying and storing games, and the text of a position.

A **record** holds a match: its full rule set, each deal's pack in dealing order and its moves by name, reshuffles and
results, as lines of text (:mod:`rummy_env.history` describes them). It begins with ``rummy-env record`` and the
format's version, needs no generator to be replayed, and is refused if the engine reads its rules otherwise now::

    rummy-env record 1
    variant gin-es
    rules hand_size=10 knock_limit=10 ...
    deal starter=0 scores=0,0 wins=0,0 played=0
    pack 7D TC ...
    0 take upcard
    0 discard KS
    ...
    end knock points=12,-12 deadwood=3,15
    result scores=12,0 wins=1,0 winner=none

A **position** is one table in one line of words ``name=value``, with every hidden card and the generators
(:mod:`rummy_env.position` describes them)::

    variant=gin-es phase=draw act=0 starter=0 opening=KH hand0=AS,KS,... hand1=... upcard=9H pile=9S,9H stock=3S,AD,...
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rummy_env.errors import ActionError, RecordError
from rummy_env.games import apply, check_seat, game_of, is_legal, lay_out, settle
from rummy_env.history import (
    VERSION,
    BySeat,
    DealRecord,
    DealResult,
    MatchRecord,
    MatchResult,
    Move,
    parse_record,
    record_text,
)
from rummy_env.position import check_position, parse_position, position_text
from rummy_env.rules import Rules, num_seats, overrides_of, pack_size, settings_in_words
from rummy_env.state import NOT_ENDED, new_records

__all__ = [
    "DealRecord",
    "DealResult",
    "MatchRecord",
    "MatchResult",
    "Move",
    "RecordError",
    "Recorder",
    "check_position",
    "load_record",
    "parse_position",
    "parse_record",
    "position_text",
    "record_text",
    "replay",
    "replay_steps",
    "save_record",
    "write_whole",
]


class Recorder:
    """Keeps the record of a table while it is played.

    ``begin`` with the table when a deal has been dealt, then ``play`` with each action that is played there. The
    recorder plays along on a copy, so the table may live in any environment, which may deal anew at once.
    """

    def __init__(self, variant: str, rules: Rules, players: Sequence[str] = ()) -> None:
        self.rules = rules
        self._seats = num_seats(rules)
        self._result = MatchResult((0,) * self._seats, (0,) * self._seats)
        names = tuple(players) or ("",) * self._seats
        self._head = MatchRecord(variant, overrides_of(variant, rules), settings_in_words(rules), (), self._result, names)
        self._deals: list[DealRecord] = []
        self._moves: list[Move] = []
        self._state: Any = None

    def begin(self, t: Any) -> None:
        """Starts the record of the deal that has just been dealt at table ``t``. Raises RecordError in mid-deal."""
        if t.phase or t.turn or t.stock_at != self._seats * self.rules.hand_size + 1:
            raise RecordError("a record begins when a deal has just been dealt, before its first action")
        self._keep_unfinished()
        self._state = new_records(1, game_of(self.rules).state.TABLE)
        self._state[0] = t
        pack = tuple(t.stock[: pack_size(self.rules)].tolist())
        deal = DealRecord(int(t.starter), pack, *_match_of(self.rules, t), int(t.match_deals))
        if not self._deals:
            self._result = MatchResult(deal.scores, deal.wins)
        self._deals.append(deal)

    def play(self, action: int) -> None:
        """Notes the next action. Raises ActionError if it is not legal now."""
        if self._state is None:
            raise ActionError("a record begins with a deal: call begin() first")
        t = self._state[0]
        if not is_legal(self.rules, t, int(action)):
            raise ActionError(_refusal(self.rules, t, action))
        seat = int(t.to_act)
        self._moves.append(Move(seat, int(action), _apply(self.rules, t, int(action))))
        if t.ending != NOT_ENDED:
            self._deals[-1] = replace(self._deals[-1], moves=tuple(self._moves), result=_result_of(self.rules, t))
            self._moves = []
            self._result = _settle(self.rules, t)

    def record(self) -> MatchRecord:
        """The record so far; a deal still in play is kept without a result."""
        deals = self._deals
        if self._moves:
            deals = [*deals[:-1], replace(deals[-1], moves=tuple(self._moves))]
        return replace(self._head, deals=tuple(deals), result=self._result)

    def _keep_unfinished(self) -> None:
        self._deals = list(self.record().deals)
        self._moves = []


def _by_seat(rules: Rules, values: Any) -> BySeat:
    return tuple(values[: num_seats(rules)].tolist())


def _match_of(rules: Rules, t: Any) -> tuple[BySeat, BySeat]:
    return _by_seat(rules, t.scores), _by_seat(rules, t.wins)


def _result_of(rules: Rules, t: Any) -> DealResult:
    state = game_of(rules).state
    return DealResult(state.ENDINGS[t.ending], *(_by_seat(rules, t[column]) for column in state.RESULT))


def _settle(rules: Rules, t: Any) -> MatchResult:
    winner = int(settle(rules, t))
    return MatchResult(*_match_of(rules, t), None if winner < 0 else winner)


def _refusal(rules: Rules, t: Any, action: int) -> str:
    game = game_of(rules)
    name = game.actions.action_name(action)
    if t.ending != NOT_ENDED:
        return f"action {name!r} after the deal's end"
    return f"{name!r} is not legal for seat {t.to_act} in phase {game.state.PHASES[t.phase]}"


def _stock(t: Any) -> tuple[int, ...]:
    return tuple(t.stock[int(t.stock_at) : int(t.stock_end)].tolist())


def _apply(rules: Rules, t: Any, action: int) -> tuple[int, ...]:
    """Plays an action; returns the whole stock if that reshuffled it."""
    before = int(t.stock_at)
    apply(rules, t, action)
    return _stock(t) if int(t.stock_at) < before else ()


# Replay.


def replay_steps(record: MatchRecord, rules: Rules | None = None) -> Iterator[tuple[Any, Move]]:
    """Replays a record, yielding the table before each move, and the move; the table then changes in place.

    ``rules``, if given, are those the record is expected to be played under. Raises RecordError, which names the line
    (or the deal and move), where the format, the rule set, a move, a reshuffle or a result is not what the engine says.
    """
    if record.version != VERSION:
        raise RecordError(f"the record has format version {record.version}; this engine replays version {VERSION}")
    own = record.rules()
    if rules is not None and rules != own:
        here = settings_in_words(rules)
        names = [f"{n}={v} (expected {here[n]})" for n, v in settings_in_words(own).items() if here[n] != v]
        raise RecordError(f"the record was played under other rules: {', '.join(names)}")
    reached: MatchResult | None = None
    for number, deal in enumerate(record.deals, 1):
        where = f"line {deal.line}" if deal.line else f"deal {number}"
        if reached is not None and (reached.scores, reached.wins) != (deal.scores, deal.wins):
            raise RecordError(f"{where}: scores {deal.scores} and wins {deal.wins} do not follow from {reached}")
        state = new_records(1, game_of(own).state.TABLE)
        yield from _replay_deal(own, deal, state[0], number, where)
        reached = MatchResult(deal.scores, deal.wins)
        if deal.result is not None:
            reached = _settle(own, state[0])
    if reached is not None and reached != record.result:
        raise RecordError(f"the record says {record.result}, its deals give {reached}")


def replay(record: MatchRecord, rules: Rules | None = None) -> MatchResult:
    """Replays a whole record with the current engine and returns its result. Raises as :func:`replay_steps`."""
    for _ in replay_steps(record, rules):
        pass
    return record.result


def _replay_deal(rules: Rules, deal: DealRecord, t: Any, number: int, where: str) -> Iterator[tuple[Any, Move]]:
    seats = num_seats(rules)
    if sorted(deal.pack) != list(range(pack_size(rules))):
        raise RecordError(f"{where}: the pack is not all cards, each once")
    t.stock[:] = range(len(t.stock))
    t.stock[: len(deal.pack)] = deal.pack
    try:
        check_seat(rules, deal.starter)
        t.scores[:seats], t.wins[:seats], t.match_deals = deal.scores, deal.wins, deal.played
    except (OverflowError, ValueError) as error:
        raise RecordError(f"{where}: {error}") from error
    t.deal = deal.played + 1
    lay_out(rules, t, deal.starter)
    for count, move in enumerate(deal.moves, 1):
        at = f"line {move.line}" if move.line else f"deal {number}, move {count}"
        if not is_legal(rules, t, move.action):
            raise RecordError(f"{at}: {_refusal(rules, t, move.action)}")
        if t.to_act != move.seat:
            raise RecordError(f"{at}: seat {move.seat} moves, but it is the turn of seat {t.to_act}")
        yield t, move
        _set_stock(t, _apply(rules, t, move.action), move.stock, at)
    if deal.result is not None and t.ending == NOT_ENDED:
        raise RecordError(f"{where}: the deal has a result, but its moves do not end it")
    if t.ending != NOT_ENDED and deal.result != _result_of(rules, t):
        raise RecordError(f"{where}: the deal says {deal.result}, the engine says {_result_of(rules, t)}")


def _set_stock(t: Any, shuffled: tuple[int, ...], recorded: tuple[int, ...], at: str) -> None:
    """Puts the recorded stock in the place of the one this engine's generator shuffled: the same cards, the top kept."""
    if bool(shuffled) != bool(recorded):
        raise RecordError(
            f"{at}: the stock is reshuffled " + ("here, but no stock is recorded" if shuffled else "only in the record")
        )
    if not recorded:
        return
    left = len(shuffled) - int(t.reshuffled).bit_count()
    if sorted(shuffled) != sorted(recorded) or shuffled[:left] != recorded[:left]:
        raise RecordError(f"{at}: the recorded stock is no reshuffle under the {left} cards left")
    t.stock[: len(recorded)] = recorded


# Files.


def write_whole(path: str | Path, text: str) -> None:
    """Writes a file whole or not at all: into a temporary file beside it, which then takes its name. Raises OSError."""
    path = Path(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def save_record(path: str | Path, record: MatchRecord) -> None:
    """Writes a record to a file, whole or not at all. Raises OSError."""
    write_whole(path, record_text(record))


def load_record(path: str | Path) -> MatchRecord:
    """Reads a record from a file. Raises OSError, and RecordError naming the file and line."""
    try:
        return parse_record(Path(path).read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: this is no text: {error}") from error
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from error
