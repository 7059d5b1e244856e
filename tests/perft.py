"""Perft: how many sequences of legal actions of each length there are from fixed positions.

``data/perft.json`` holds the positions: a variant with overrides, the pack in the order :func:`lay_out` deals it
(starter's hand, the others' in turn, the open card, the stock), the starter, the actions that lead there, and the counts
for one action, two, and so on. A sequence that ends the deal early is not counted at greater lengths.

    python -m tests.perft                        checks the counts
    python -m tests.perft --write                counts anew and rewrites the file
    python -m tests.perft --divide NAME DEPTH    counts behind each first action, engine and naive game side by side
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from rummy_env.cards import card_list
from rummy_env.deck import shuffle
from rummy_env.games import apply, game_of, lay_out, write_mask
from rummy_env.rules import GinRules, Rules, Rum500Rules, make_rules, settings_in_words
from rummy_env.rum500.state import TABLE as TABLE500
from rummy_env.state import new_records
from tests.naive import read
from tests.naive500_game import NaiveDeal
from tests.naive_game import Deal

DATA = Path(__file__).parent / "data" / "perft.json"


class Game(Protocol):
    """What is counted: a deal under way."""

    def legal(self) -> set[int]: ...
    def apply(self, action: int) -> None: ...
    def copy(self) -> "Game": ...


class EngineGame:
    """A deal in the compiled engine."""

    def __init__(self, rules: Rules, pack: Sequence[int], starter: int) -> None:
        self.rules, self.game = rules, game_of(rules)
        self.state = new_records(1, self.game.state.TABLE)
        self.state[0].stock[: len(pack)] = pack
        lay_out(rules, self.state[0], starter)

    def copy(self) -> "EngineGame":
        other = object.__new__(EngineGame)
        other.rules, other.game, other.state = self.rules, self.game, self.state.copy()
        return other

    def legal(self) -> set[int]:
        mask = np.zeros(self.game.actions.NUM_ACTIONS, np.int8)
        write_mask(self.rules, self.state[0], mask)
        return set(np.flatnonzero(mask).tolist())

    def apply(self, action: int) -> None:
        apply(self.rules, self.state[0], action)

    @property
    def phase(self) -> str:
        return self.game.state.PHASES[self.state[0].phase]


class NaiveGame(Deal):
    """A deal of gin in plain Python, which may not be asked to draw a card shuffled in the deal, nor what a close scores."""

    def __init__(self, rules: GinRules, pack: Sequence[int], starter: int) -> None:
        super().__init__(read(settings_in_words(rules)), list(pack), starter, turn_over=sorted)

    def copy(self) -> "NaiveGame":
        return _clone_of(self)

    def apply(self, action: int) -> None:
        self.play(action)

    def _close(self, action: int) -> None:
        self._end("closed")


class NaiveGame500(NaiveDeal):
    """A deal of 500 Rum in plain Python, whose first reshuffle is that of an engine whose generator begins at 0."""

    def __init__(self, rules: Rum500Rules, pack: Sequence[int], starter: int) -> None:
        super().__init__(settings_in_words(rules), list(pack), starter, _shuffled_first)

    def copy(self) -> "NaiveGame500":
        return _clone_of(self)


def _shuffled_first(cards: list[int]) -> list[int]:
    t = new_records(1, TABLE500)[0]
    t.stock[: len(cards)] = cards
    shuffle(t, 0, len(cards))
    return t.stock[: len(cards)].tolist()


def _clone_of(game: Any) -> Any:
    other = object.__new__(type(game))
    other.__dict__.update({name: _clone(value) for name, value in game.__dict__.items()})
    return other


def _clone(value: Any) -> Any:
    """A copy of lists of lists, sets and dicts; all else as it is."""
    if isinstance(value, list):
        return [_clone(item) for item in value]
    return value.copy() if isinstance(value, set | dict) else value


NAIVE: dict[str, Any] = {"gin": NaiveGame, "rum500": NaiveGame500}
#: How many sequences a naive game goes on from in a quick test.
NAIVE_LIMIT = 600


class Position(NamedTuple):
    """One entry of the data file."""

    name: str
    variant: str
    overrides: dict[str, Any]
    starter: int
    pack: str
    moves: str
    phase: str
    counts: list[int]

    @property
    def rules(self) -> Rules:
        return make_rules(self.variant, **self.overrides)

    @property
    def naive_depth(self) -> int:
        """How deep a quick test counts with the naive game."""
        return sum(count <= NAIVE_LIMIT for count in [1, *self.counts[:3]])

    def reach(self, game: Any) -> Any:
        """Plays the position's moves in a fresh game."""
        for move in filter(None, self.moves.split("; ")):
            action = game_of(self.variant).actions.parse_action(move)
            assert action in game.legal(), f"{self.name}: {move!r} is not legal"
            game.apply(action)
        return game

    def engine(self) -> EngineGame:
        return self.reach(EngineGame(self.rules, card_list(self.pack), self.starter))

    def naive(self) -> Any:
        return self.reach(NAIVE[game_of(self.variant).name](self.rules, card_list(self.pack), self.starter))


def perft(game: Game, depth: int) -> int:
    """The number of sequences of exactly ``depth`` legal actions."""
    if depth == 1:
        return len(game.legal())
    return sum(divide(game, depth).values())


def divide(game: Game, depth: int) -> dict[int, int]:
    """The count behind each first action."""
    counts = {}
    for action in sorted(game.legal()):
        child = game.copy()
        child.apply(action)
        counts[action] = 1 if depth == 1 else perft(child, depth - 1)
    return counts


def difference(ours: EngineGame, reference: Game, depth: int) -> str:
    """The counts behind each first action in two games, with a mark where they differ."""
    mine, other = divide(ours, depth), divide(reference, depth)
    action_name = ours.game.actions.action_name
    lines = []
    for action in sorted({*mine, *other}):
        mark = "" if mine.get(action) == other.get(action) else "  <-- differs"
        lines.append(f"  {action_name(action):<20} {mine.get(action, '-'):>8} {other.get(action, '-'):>8}{mark}")
    return "\n".join([f"  {'first action':<20} {'engine':>8} {'naive':>8}", *lines])


def load(path: Path = DATA) -> list[Position]:
    return [Position(**entry) for entry in json.loads(path.read_text())]


def save(positions: Sequence[Position], path: Path = DATA) -> None:
    """Writes one field a line."""
    entries = []
    for position in positions:
        fields = [f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in position._asdict().items()]
        entries.append("  {\n" + ",\n".join(fields) + "\n  }")
    path.write_text("[\n" + ",\n".join(entries) + "\n]\n")


def count(position: Position) -> Position:
    """The position with the engine's phase and counts, to as many lengths as it names."""
    game = position.engine()
    counts = [perft(game, depth) for depth in range(1, len(position.counts) + 1)]
    return position._replace(phase=game.phase, counts=counts)


def main(argv: Sequence[str] | None = None, path: Path = DATA) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.perft", description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="count anew and rewrite the data file")
    parser.add_argument("--divide", nargs=2, metavar=("NAME", "DEPTH"), help="counts behind each first action")
    args = parser.parse_args(argv)
    positions = load(path)
    if args.divide:
        name, depth = args.divide
        chosen = next(p for p in positions if p.name == name)
        print(difference(chosen.engine(), chosen.naive(), int(depth)))
        return 0
    counted = [count(position) for position in positions]
    wrong = [(old, new) for old, new in zip(positions, counted) if old != new]
    for old, new in wrong:
        print(f"{old.name}: {old.phase} {old.counts} in the file, {new.phase} {new.counts} now")
    print(f"{len(positions)} positions, {len(wrong)} differ")
    if args.write:
        save(counted, path)
        return 0
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
