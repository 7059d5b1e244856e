"""The record of a match: its parts, and its text.

A record is lines of words; ``#`` begins a comment and empty lines mean nothing::

    rummy-env record 1                      the format's version
    variant gin-ru
    overrides knock_limit=5                 the settings that differ from the variant's (left out if none do)
    rules hand_size=10 knock_limit=5 ...    the full rule set: refused if the engine reads the first two otherwise
    players greedy | simple                 each seat's, seat 0 first (left out if unnamed)

    deal starter=0 scores=0,-20 wins=1,0 played=1       who begins, and the match before this deal
    pack 7D TC ...                          the pack: the starter's hand, the next seat's, the first open card, the stock
    0 pass                                  a seat and its action, one line a move
    1 take upcard
    1 discard KS
    stock 2C 9H ...                         the whole stock after the move above, where it was reshuffled
    0 draw stock
    0 knock, QS aside
    end knock points=12,-12 deadwood=3,15   missing if the deal was not played to its end

    result scores=0,-32 wins=2,0 winner=none            the match after the last finished deal

The example is of gin; other games differ in their moves and endings, and in what the ``end`` line tells beside the
points (``RESULT`` in the game's ``state`` module). A record depends on no generator: packs and reshuffles are written
out. :mod:`rummy_env.record` keeps, replays and
stores records; here they are only printed and parsed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, TypeVar

from rummy_env.cards import CardError, card_list, card_text
from rummy_env.errors import ActionError, RecordError
from rummy_env.games import Game, game_of
from rummy_env.rules import Rules, RulesError, make_rules, num_seats, pack_size, settings_in_words

FORMAT = "rummy-env record"
VERSION = 1
BySeat = tuple[int, ...]
T = TypeVar("T")


@dataclass(frozen=True)
class Move:
    """One action, the order of the stock after it if that was reshuffled, and the line it was read from (0: none)."""

    seat: int
    action: int
    stock: tuple[int, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class DealResult:
    """How a deal ended: a name of ``ENDINGS``, points by seat, and the other column of the game's ``RESULT`` by seat."""

    ending: str
    points: BySeat
    left: BySeat


@dataclass(frozen=True)
class DealRecord:
    """One deal: the match before it, the pack in dealing order, the moves, and the result (None: not finished)."""

    starter: int
    pack: tuple[int, ...]
    scores: BySeat
    wins: BySeat
    played: int = 0
    moves: tuple[Move, ...] = ()
    result: DealResult | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class MatchResult:
    """The match after the last finished deal: scores and deals won by seat, and the seat that won it (None: open)."""

    scores: BySeat
    wins: BySeat
    winner: int | None = None


@dataclass(frozen=True)
class MatchRecord:
    """Deals of one match under one rule set, which ``settings`` names in full; see the module's description."""

    variant: str
    overrides: dict[str, str]
    settings: dict[str, str]
    deals: tuple[DealRecord, ...]
    result: MatchResult
    players: tuple[str, ...]
    version: int = VERSION

    def rules(self) -> Rules:
        """The rules the record was played under. Raises RecordError if the engine reads them otherwise now."""
        return _rules(self.variant, self.overrides, self.settings)


def _rules(variant: str, overrides: dict[str, str], settings: dict[str, str]) -> Rules:
    try:
        rules: Rules = make_rules(variant, **overrides)
    except RulesError as error:
        raise RecordError(f"the record's rules are not known here: {error}") from error
    now = settings_in_words(rules)
    names = [name for name in {**now, **settings} if now.get(name) != settings.get(name)]
    if names:
        said = ", ".join(f"{n}={settings.get(n, 'missing')} (here {now.get(n, 'unknown')})" for n in names)
        raise RecordError(f"the record's rule set is not that of {variant!r}: {said}")
    return rules


# Printing.


def _words(values: dict[str, Any]) -> str:
    return " ".join(f"{name}={_word(value)}" for name, value in values.items())


def _word(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return "none" if value is None else str(value)


def _cards(ids: tuple[int, ...]) -> str:
    return " ".join(map(card_text, ids))


def move_lines(game: Game, move: Move) -> list[str]:
    """A move as it is written: its line, and that of the reshuffled stock."""
    line = f"{move.seat} {game.actions.action_name(move.action)}"
    return [line, f"stock {_cards(move.stock)}"] if move.stock else [line]


def head_lines(record: MatchRecord) -> list[str]:
    """The lines before the first deal."""
    lines = [f"{FORMAT} {record.version}", f"variant {record.variant}"]
    if record.overrides:
        lines.append(f"overrides {_words(record.overrides)}")
    lines.append(f"rules {_words(record.settings)}")
    if any(record.players):
        for name in record.players:
            if name != " ".join(name.split()) or "#" in name or "|" in name:
                raise RecordError(f"a player's name cannot be written: {name!r} (no '#', '|', line breaks or outer blanks)")
        lines.append(f"players {' | '.join(record.players)}")
    return lines


def deal_lines(deal: DealRecord) -> list[str]:
    """The lines of a deal before its first move."""
    values = {"starter": deal.starter, "scores": deal.scores, "wins": deal.wins, "played": deal.played}
    return [f"deal {_words(values)}", f"pack {_cards(deal.pack)}"]


def end_lines(game: Game, deal: DealRecord) -> list[str]:
    """The line that ends a finished deal."""
    result = deal.result
    return [f"end {result.ending} {_words(dict(zip(game.state.RESULT, (result.points, result.left))))}"] if result else []


def result_line(record: MatchRecord) -> str:
    """The last line."""
    return f"result {_words(vars(record.result))}"


def record_text(record: MatchRecord) -> str:
    """The text of a record, which :func:`parse_record` reads back. Raises RecordError for names that cannot be written."""
    lines, game = head_lines(record), game_of(record.variant)
    for deal in record.deals:
        lines += ["", *deal_lines(deal)]
        for move in deal.moves:
            lines += move_lines(game, move)
        lines += end_lines(game, deal)
    return "\n".join([*lines, "", result_line(record), ""])


# Parsing.


class _Parser:
    """Reads the lines of a record one after the other; what is not yet complete is in its fields."""

    def __init__(self) -> None:
        self.number = 0
        self.head: dict[str, Any] = {}
        self.rules: Rules | None = None
        self.seats = 0
        self.deals: list[DealRecord] = []
        self.deal: dict[str, Any] | None = None
        self.moves: list[Move] = []
        self.result: MatchResult | None = None

    def fail(self, message: str) -> NoReturn:
        raise RecordError(f"line {self.number}: {message}")

    def line(self, text: str) -> None:
        """Reads one line that is not empty."""
        word, _, rest = text.partition(" ")
        if self.result is not None:
            self.fail(f"{text!r} after the result")
        if word in map(str, range(self.seats)):
            self.move(int(word), rest)
        elif word in ("variant", "overrides", "rules", "players"):
            self.header(word, rest)
        elif word in ("deal", "pack", "stock", "end", "result"):
            getattr(self, word + "_line")(rest)
        else:
            self.fail(f"unknown line {text!r}")

    def header(self, word: str, rest: str) -> None:
        if self.deals or self.deal is not None:
            self.fail(f"{word!r} belongs before the first deal")
        if word in self.head:
            self.fail(f"{word!r} is given twice")
        if word == "players":
            self.head[word] = tuple(name.strip() for name in rest.split("|"))
        else:
            self.head[word] = rest if word == "variant" else self.values(rest)

    def values(self, text: str, *names: str) -> dict[str, str]:
        """The words ``name=value`` of a line; with ``names``, exactly those."""
        found: dict[str, str] = {}
        for word in text.split():
            name, _, value = word.partition("=")
            if not value or name in found or (names and name not in names):
                self.fail(f"malformed, unknown or repeated word {word!r}")
            found[name] = value
        for name in names:
            if name not in found:
                self.fail(f"{name}= is missing")
        return found

    def whole(self, text: str) -> int:
        if not text.removeprefix("-").isdecimal() or len(text) > 9:
            self.fail(f"{text!r} is no whole number, or too large")
        return int(text)

    def by_seat(self, text: str) -> BySeat:
        words = text.split(",")
        if len(words) != self.seats:
            self.fail(f"{text!r} is not {self.seats} numbers 'a,b', one for each seat")
        return tuple(map(self.whole, words))

    def cards(self, text: str) -> tuple[int, ...]:
        return tuple(self.attempt(card_list, text))

    def attempt(self, read: Callable[[str], T], text: str) -> T:
        try:
            return read(text)
        except (CardError, ActionError) as error:
            self.fail(str(error))

    @property
    def game(self) -> Game:
        return game_of(self.head["variant"])

    def end_head(self) -> None:
        """Takes in the rules, which what follows depends on."""
        head = self.head
        for name in ("variant", "rules"):
            if name not in head:
                self.fail(f"the line {name!r} is missing before the first deal")
        if self.rules is None:
            self.rules = _rules(head["variant"], head.get("overrides", {}), head["rules"])
            self.seats = num_seats(self.rules)
        if len(head.setdefault("players", ("",) * self.seats)) != self.seats:
            self.fail(f"write players 'name of seat 0 | name of seat 1', {self.seats} names")

    def deal_line(self, rest: str) -> None:
        self.finish()
        self.end_head()
        values = self.values(rest, "starter", "scores", "wins", "played")
        self.deal = {"starter": self.whole(values["starter"]), "played": self.whole(values["played"]), "line": self.number}
        self.deal |= {name: self.by_seat(values[name]) for name in ("scores", "wins")}

    def pack_line(self, rest: str) -> None:
        if self.deal is None or "pack" in self.deal:
            self.fail("a pack belongs after each deal's first line")
        self.deal["pack"] = self.cards(rest)
        if self.rules is None or sorted(self.deal["pack"]) != list(range(pack_size(self.rules))):
            self.fail("the pack is not all cards, each once")

    def playing(self) -> dict[str, Any]:
        if self.deal is None or "pack" not in self.deal or "result" in self.deal:
            self.fail("a move, stock or end belongs into a deal, after its pack and before its end")
        return self.deal

    def move(self, seat: int, rest: str) -> None:
        self.playing()
        self.moves.append(Move(seat, self.attempt(self.game.actions.parse_action, rest), (), self.number))

    def stock_line(self, rest: str) -> None:
        self.playing()
        if not self.moves or self.moves[-1].stock:
            self.fail("a stock belongs after the move that reshuffled it")
        self.moves[-1] = replace(self.moves[-1], stock=self.cards(rest))

    def end_line(self, rest: str) -> None:
        ending, _, rest = rest.partition(" ")
        deal, state = self.playing(), self.game.state
        if ending not in state.ENDINGS[1:]:
            self.fail(f"unknown ending {ending!r} (known: {', '.join(state.ENDINGS[1:])})")
        values = self.values(rest, *state.RESULT)
        points, left = (self.by_seat(values[name]) for name in state.RESULT)
        deal["result"] = DealResult(ending, points, left)

    def result_line(self, rest: str) -> None:
        self.finish()
        self.end_head()
        values = self.values(rest, "scores", "wins", "winner")
        winner = None if values["winner"] == "none" else self.whole(values["winner"])
        self.result = MatchResult(self.by_seat(values["scores"]), self.by_seat(values["wins"]), winner)

    def finish(self) -> None:
        """Closes the deal that was read last."""
        if self.deal is None:
            return
        if "pack" not in self.deal:
            self.fail("the deal has no pack")
        self.deals.append(DealRecord(**self.deal, moves=tuple(self.moves)))
        self.deal, self.moves = None, []


def parse_record(text: str) -> MatchRecord:
    """Reads the text of a record. Whether it replays is another question: :func:`rummy_env.record.replay`.

    Raises RecordError, which names the line, for anything malformed, unknown or missing, for another format version,
    and for a rule set that the engine reads otherwise.
    """
    parser = _Parser()
    version = None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        parser.number = number
        if not words:
            continue
        if version is None:
            version = _version(" ".join(words))
        else:
            parser.line(" ".join(words))
    if version is None or parser.result is None:
        raise RecordError("the record is empty" if version is None else "the record is cut off: it has no result line")
    head = parser.head
    overrides = head.get("overrides", {})
    return MatchRecord(head["variant"], overrides, head["rules"], tuple(parser.deals), parser.result, head["players"], version)


def _version(line: str) -> int:
    start, _, version = line.rpartition(" ")
    if start != FORMAT or not version.isdecimal():
        raise RecordError(f"line 1: {line!r} is not '{FORMAT} {VERSION}'")
    if int(version) != VERSION:
        raise RecordError(f"line 1: the record has format version {version}; this engine reads version {VERSION}")
    return int(version)
