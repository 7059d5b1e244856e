"""A game in the terminal: a person against scripted policies, deal after deal until the match is over."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rummy_env.envs.tables import Tables
from rummy_env.errors import ActionError
from rummy_env.games import Game, check_seat, game_of
from rummy_env.jit import announce_compiling
from rummy_env.record import Recorder, save_record
from rummy_env.rules import make_rules, num_seats
from rummy_env.state import NOT_ENDED


class Quit(Exception):
    """The person has had enough: ``q``, or the end of the input."""


class TerminalGame:
    """One match at one table. Setting it up raises RulesError, PolicyError, or ValueError or OSError for the seat or
    the record's file.

    ``opponents`` are policies (none: the game's DEFAULT), for the other seats in turn and, if there are fewer, again.
    ``read`` gives the person's next line for a prompt and raises EOFError at the end of the input.
    """

    def __init__(
        self,
        variant: str,
        opponents: Sequence[str] = (),
        seed: int = 0,
        *,
        seat: int = 0,
        record: str | None = None,
        read: Callable[[str], str] = input,
        **settings: Any,
    ) -> None:
        rules = make_rules(variant, **settings)
        self.game, self.seat, self._read = game_of(variant), check_seat(rules, seat), read
        seats, opponents = num_seats(rules), opponents or [self.game.policies.DEFAULT]
        others = [k for k in range(seats) if k != seat]
        named = {k: opponents[i % len(opponents)] for i, k in enumerate(others)}
        self.policies = {k: self.game.parse_policy(name) for k, name in named.items()}
        self.names = {k: name if len(named) == 1 else f"seat {k} ({name})" for k, name in named.items()}
        self.file = None if record is None else Path(record)
        if self.file is not None and (self.file.is_dir() or not self.file.parent.is_dir()):
            raise ValueError(f"{record}: no file can be written there")
        announce_compiling(self.game.name)
        self.tables = Tables(1, variant, seed, **settings)
        self.recorder = Recorder(variant, rules, [named.get(k, "you") for k in range(seats)])
        self._save()

    @property
    def table(self) -> Any:
        """The table as it is now."""
        return self.tables.state[0]

    def play(self) -> None:
        """Plays until the match is over or the person quits; the record, if any, is written after each deal and at the end."""
        try:
            while self._play_deal():
                self.tables.next_deals(self.tables.all_rows)
        except Quit:
            pass
        finally:
            self._save()

    def _play_deal(self) -> bool:
        """Plays one deal; whether the person goes on with the match."""
        self.recorder.begin(self.table)
        while self.table.ending == NOT_ENDED:
            seat = int(self.table.to_act)
            if seat == self.seat:
                self._do(self._choose())
            else:
                action = int(self.tables.view().scripted(*self.policies[seat])[0])
                print(f"{self.names[seat]}: {self.game.actions.action_name(action, self.table)}")
                self._do(action)
        self._save()
        winner = int(self.tables.settle(self.tables.all_rows)[0])
        print(f"\n{self._text()}\n")
        if winner >= 0:
            print("you have won the match" if winner == self.seat else f"{self.names[winner]} has won the match")
            return False
        return self._ask("Enter for the next deal, q to quit: ").lower() in ("", "y", "yes")

    def _do(self, action: int) -> None:
        self.recorder.play(action)
        self.tables.step([action])

    def _choose(self) -> int:
        """The person's action: asks until one is named that is legal, and confirmed if it ends the deal."""
        actions = np.flatnonzero(self.tables.masks()[0]).tolist()
        print(f"\n{self._text()}\n\n{menu(self.game, self.table, actions)}\n")
        while True:
            answer = self._ask("your action (number or name, q quits): ")
            try:
                action = read_action(self.game, answer, actions)
            except ActionError as error:
                print(error)
                continue
            question = self.game.view.question(self.tables.rules, self.table, action)
            if not question or self._ask(f"{question} (y/n) ").lower() in ("y", "yes"):
                return action

    def _ask(self, prompt: str) -> str:
        try:
            answer = self._read(prompt).strip()
        except EOFError:
            print()
            raise Quit from None
        if answer.lower() in ("q", "quit"):
            raise Quit
        return answer

    def _text(self) -> str:
        return self.game.view.table_text(self.tables.variant, self.tables.rules, self.table, self.seat)

    def _save(self) -> None:
        if self.file is not None:
            save_record(self.file, self.recorder.record())


def menu(game: Game, t: Any, actions: list[int]) -> str:
    """The legal actions at table ``t`` with their numbers from 1, those of a kind in one line."""
    lines: dict[str, list[str]] = {}
    for number, action in enumerate(actions, 1):
        kind, word = game.actions.menu_entry(action, t)
        lines.setdefault(f"{kind}: " if kind else word, []).append(f"{number} {word}")
    return "\n".join(f"  {head if head.endswith(': ') else ''}{'  '.join(words)}" for head, words in lines.items())


def read_action(game: Game, text: str, actions: list[int]) -> int:
    """The action a person means, by its number in ``actions`` (from 1) or by its name; raises ActionError in one line."""
    if text.isascii() and text.isdigit():
        if len(text) > 3 or not 1 <= int(text) <= len(actions):
            raise ActionError(f"there is no action {text}: the numbers run from 1 to {len(actions)}")
        return actions[int(text) - 1]
    try:
        action = game.actions.parse_action(text)
    except ActionError:
        raise ActionError(f"unknown action {text!r}: a number from 1 to {len(actions)}, a name listed above, or q") from None
    if action not in actions:
        raise ActionError(f"{game.actions.action_name(action)!r} is not legal now")
    return action
