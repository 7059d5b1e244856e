"""A game of gin in the terminal: a person against a scripted policy, deal after deal until the match is over."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rummy_env.envs.render import table_text
from rummy_env.envs.tables import Tables
from rummy_env.gin.actions import BIG_GIN, CLOSE, DRAW_STOCK, ActionError, action_name, parse_action
from rummy_env.gin.melds import deadwood
from rummy_env.gin.policies import parse_policy
from rummy_env.gin.state import LAST_KNOCK, OVER
from rummy_env.jit import announce_compiling
from rummy_env.record import Recorder, save_record


class Quit(Exception):
    """The person has had enough: ``q``, or the end of the input."""


class TerminalGame:
    """One match at one table. Setting it up raises RulesError, PolicyError, or ValueError or OSError for
    the record's file.

    ``read`` gives the person's next line for a prompt and raises EOFError at the end of the input.
    """

    def __init__(
        self,
        variant: str,
        opponent: str = "simple",
        seed: int = 0,
        *,
        seat: int = 0,
        record: str | None = None,
        read: Callable[[str], str] = input,
        **settings: Any,
    ) -> None:
        self.policy = parse_policy(opponent)
        announce_compiling()
        self.tables = Tables(1, variant, seed, **settings)
        self.seat, self.opponent, self._read = seat, opponent, read
        players = ("you", opponent) if seat == 0 else (opponent, "you")
        self.recorder = Recorder(variant, self.tables.rules, players)
        self.file = None if record is None else Path(record)
        if self.file is not None and (self.file.is_dir() or not self.file.parent.is_dir()):
            raise ValueError(f"{record}: no file can be written there")
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
        while self.table.phase != OVER:
            if self.table.to_act == self.seat:
                self._do(self._choose())
            else:
                action = int(self.tables.view().scripted(*self.policy)[0])
                print(f"{self.opponent}: {action_name(action)}")
                self._do(action)
        self._save()
        winner = int(self.tables.settle(self.tables.all_rows)[0])
        print(f"\n{self._text()}\n")
        if winner >= 0:
            print("you have won the match" if winner == self.seat else f"{self.opponent} has won the match")
            return False
        return self._ask("Enter for the next deal, q to quit: ").lower() in ("", "y", "yes")

    def _do(self, action: int) -> None:
        self.recorder.play(action)
        self.tables.step([action])

    def _choose(self) -> int:
        """The person's action: asks until one is named that is legal, and confirmed if it ends the deal."""
        actions = np.flatnonzero(self.tables.masks()[0]).tolist()
        print(f"\n{self._text()}\n\n{menu(actions)}\n")
        while True:
            answer = self._ask("your action (number or name, q quits): ")
            try:
                action = read_action(answer, actions)
            except ActionError as error:
                print(error)
                continue
            if action < CLOSE or action in range(DRAW_STOCK, BIG_GIN) or self._confirmed(action):
                return action

    def _confirmed(self, action: int) -> bool:
        t = self.table
        left = int(t.hands[self.seat])
        if t.phase == LAST_KNOCK:
            left |= 1 << int(t.upcard)
        if action != BIG_GIN:
            left &= ~(1 << (action - CLOSE))
        question = f"{action_name(action)}: close with deadwood {int(deadwood(np.uint64(left)))}? (y/n) "
        return self._ask(question).lower() in ("y", "yes")

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
        return table_text(self.tables.variant, self.tables.rules, self.table, self.seat)

    def _save(self) -> None:
        if self.file is not None:
            save_record(self.file, self.recorder.record())


def menu(actions: list[int]) -> str:
    """Legal actions with their numbers from 1, discards and knocks a line each."""
    parts: dict[str, list[str]] = {}
    for number, action in enumerate(actions, 1):
        name = action_name(action)
        kind, word = name, name
        if action < CLOSE:
            kind, word = "discard", name.removeprefix("discard ")
        elif action < DRAW_STOCK:
            kind, word = "knock, aside", name.removeprefix("knock, ").removesuffix(" aside")
        parts.setdefault(kind, []).append(f"{number} {word}")
    lines = [
        f"{kind}: {'  '.join(words)}" if kind in ("discard", "knock, aside") else words[0] for kind, words in parts.items()
    ]
    return "\n".join(f"  {line}" for line in lines)


def read_action(text: str, actions: list[int]) -> int:
    """The action a person means, by its number in ``actions`` (from 1) or by its name; raises ActionError in one line."""
    if text.isascii() and text.isdigit():
        if len(text) > 3 or not 1 <= int(text) <= len(actions):
            raise ActionError(f"there is no action {text}: the numbers run from 1 to {len(actions)}")
        return actions[int(text) - 1]
    try:
        action = parse_action(text)
    except ActionError:
        raise ActionError(f"unknown action {text!r}: a number from 1 to {len(actions)}, a name listed above, or q") from None
    if action not in actions:
        raise ActionError(f"{action_name(action)!r} is not legal now")
    return action
