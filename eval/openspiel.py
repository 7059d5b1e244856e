"""``python -m eval openspiel AGENT``: an agent against OpenSpiel's own simple bot, inside OpenSpiel.

OpenSpiel's engine says what is legal and scores every deal; its bot makes its own moves. Beside it the same deal lies on a
table of ours (``gin-openspiel``), from which the agent reads what it sees. Decks are played twice with changed seats.
OpenSpiel's showdown consists of moves: for the agent the melds of its least deadwood are laid down, and the best lay-offs are
searched. Needs the ``peers`` extra.
"""

import argparse
from typing import Any

import numpy as np

from agents.base import Agent, AgentError, make_agent
from eval.arena import Estimate, ratio
from rummy_env.envs.tables import Tables
from rummy_env.gin.actions import CLOSE, DRAW_STOCK, PASS, TAKE_UPCARD

VARIANT = "gin-openspiel"
SEED = 77_000_005


def theirs(card: int) -> int:
    """Our card as OpenSpiel's, or the other way: hearts and clubs change places."""
    return 13 * (0, 3, 2, 1)[card // 13] + card % 13


class Board:
    """One deal on both sides; ``seat`` is the agent's."""

    def __init__(self, pyspiel: Any, game: Any, pack: list[int], seat: int) -> None:
        gin = pyspiel.gin_rummy
        self.knock, self.no, self.melds = gin.KNOCK_ACTION, gin.PASS_ACTION, gin.MELD_ACTION_BASE
        self.plain = {TAKE_UPCARD: gin.DRAW_UPCARD_ACTION, DRAW_STOCK: gin.DRAW_STOCK_ACTION, PASS: gin.PASS_ACTION}
        self.ours = {action: own for own, action in self.plain.items()}
        self.phases, self.utils = gin.Phase, gin.GinRummyUtils(13, 4, 10)
        self.seat, self.pack = seat, [theirs(card) for card in pack]
        self.state = game.new_initial_state()
        self.bot = pyspiel.make_simple_gin_rummy_bot(game.get_parameters(), 1 - seat)
        for card in self.pack[:21]:
            self.state.apply_action(card)

    @property
    def showdown(self) -> bool:
        """Whether somebody has knocked, or the deal is over: our table has then no more to say."""
        phases = self.phases
        return self.state.is_terminal() or self.state.current_phase() in (phases.KNOCK, phases.LAYOFF)

    def _apply(self, action: int) -> None:
        self.state.apply_action(action)
        if not self.state.is_terminal() and self.state.is_chance_node():
            self.state.apply_action(self.pack[52 - self.state.stock_size()])

    def play(self, action: int) -> int:
        """Plays one of our actions for the agent; returns it, or the discard it became because no knock is on offer."""
        if CLOSE <= action < DRAW_STOCK:
            if self.knock not in self.state.legal_actions():
                action -= CLOSE
            else:
                self._apply(self.knock)
                self._apply(theirs(action - CLOSE))
                return action
        self._apply(self.plain[action] if action in self.plain else theirs(action))
        return action

    def reply(self) -> int | None:
        """Lets the bot move; returns its action as one of ours, or None if it knocks."""
        action = self.bot.step(self.state)
        self._apply(action)
        return None if action == self.knock else self.ours.get(action, theirs(action) if action < 52 else None)

    def finish(self) -> float:
        """Plays the showdown; returns the agent's points."""
        state = self.state
        if not state.is_terminal() and state.current_player() == self.seat and state.current_phase() == self.phases.KNOCK:
            for meld in self.utils.best_meld_group(list(state.hands()[self.seat])):
                state.apply_action(self.melds + self.utils.meld_to_int(sorted(meld)))
            state.apply_action(self.no)
        while not state.is_terminal():
            if state.current_player() == self.seat:
                state.apply_action(self._best_lay(state, {})[1])
            else:
                state.apply_action(self.bot.step(state))
        return float(state.returns()[self.seat])

    def _best_lay(self, state: Any, known: dict[Any, tuple[float, int]]) -> tuple[float, int]:
        """The agent's points after the best of its lay-offs and melds, and the first of them."""
        key = (tuple(sorted(state.hands()[self.seat])), tuple(sorted(state.layoffs())), state.finished_layoffs())
        if key not in known:
            found = []
            for action in state.legal_actions():
                child = state.child(action)
                over = child.is_terminal()
                found.append((child.returns()[self.seat] if over else self._best_lay(child, known)[0], action))
            known[key] = max(found)
        return known[key]


def play(agent: Agent, decks: int, seed: int) -> Estimate:
    """The agent's points a deal, each deck in both seats. Raises AgentError if OpenSpiel is not installed."""
    try:
        import pyspiel
    except ImportError:
        raise AgentError("OpenSpiel is not installed: pip install 'rummy-env[peers]'") from None
    game = pyspiel.load_game("gin_rummy")
    tables = Tables(2 * decks, VARIANT, seed, ids=np.tile(np.arange(decks), 2))
    boards = [Board(pyspiel, game, tables.state.stock[row].tolist(), row // decks) for row in range(2 * decks)]
    points = np.zeros(2 * decks)
    rng = np.random.default_rng(seed)
    live = tables.all_rows
    while len(live):
        acting = np.array([boards[row].state.current_player() == boards[row].seat for row in live])
        rows = live[acting]
        if len(rows):
            obs, masks = tables.observe(rows=rows, outlook=agent.outlook)
            chosen = agent.act(obs, masks, tables.view(rows), rng)
            made = np.array([boards[row].play(int(action)) for row, action in zip(rows, chosen)])
            tables.step(made, rows)
        for row in live[~acting]:
            action = boards[row].reply()
            if action is not None:
                tables.step([action], np.array([row]))
        over = np.array([boards[row].showdown for row in live])
        for row in live[over]:
            points[row] = boards[row].finish()
        live = live[~over]
    return ratio(np.tile(np.arange(decks), 2), points)


def main(arguments: list[str], make: type[argparse.ArgumentParser]) -> int:
    """The command; returns the exit status."""
    command = make(prog="eval openspiel", description="An agent against OpenSpiel's simple bot, in its engine.")
    command.add_argument("agent", metavar="AGENT", help=f"an agent, of any variant of gin: it plays {VARIANT}")
    command.add_argument("--decks", type=int, default=1000, help="each is played in both seats (default: 1000)")
    command.add_argument("--seed", type=int, default=SEED, help=f"decides the decks (default: {SEED})")
    options = command.parse_args(arguments)
    if options.decks < 1:
        command.error(f"--decks {options.decks}: at least one deck")
    try:
        found = play(make_agent(options.agent, VARIANT, transfer=True), options.decks, options.seed)
    except AgentError as error:
        command.error(str(error))
    unit = f"{options.decks:,} decks in both seats, seed {options.seed}; ± is 95%, clustered by deck"
    print(f"{options.agent} against OpenSpiel's simple bot: {found.text(1, 2, '+')} points a deal ({unit})")
    return 0
