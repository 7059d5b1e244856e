"""The golden games of 500 Rum: short annotated deals between its baselines, written as records that replay.

``python -m tests.golden`` writes ``tests/golden/rum500/<name>.txt`` anew, as it does those of gin. After ``#`` stands what a
move led to: the hand of the seat that moved and its points, the points it has laid, the cards in the stock and in the
row, and who decides next among how many legal actions; after a lay, also the melds on the table.
"""

from typing import Any, NamedTuple

import numpy as np

from rummy_env.bits import stream
from rummy_env.cards import card_text, mask_text
from rummy_env.deck import stock_count
from rummy_env.games import GAMES
from rummy_env.history import MatchRecord, Move, deal_lines, end_lines, head_lines, move_lines, result_line
from rummy_env.match import start_match
from rummy_env.policy import parse_policy
from rummy_env.record import Recorder, replay_steps, write_whole
from rummy_env.rules import Rum500Rules, make_rules
from rummy_env.rum500.actions import DISCARD, LAY_SET
from rummy_env.rum500.melds import points_of
from rummy_env.rum500.places import places_of
from rummy_env.rum500.play import apply
from rummy_env.rum500.policies import POLICIES, act
from rummy_env.rum500.state import OVER, PHASES
from rummy_env.state import new_records
from tests.golden import FOLDER
from tests.helpers500 import legal

RUM500 = GAMES["rum500"]
FOLDER500 = FOLDER / "rum500"


class Game(NamedTuple):
    """What a golden game shows, its seed, who plays it, and under which rules."""

    shows: str
    seed: int
    players: tuple[str, ...]
    variant: str = "rum500-ru"


GOLDEN500 = {
    "swap": Game("a joker is swapped for, and laid anew", 760, ("greedy500",) * 4),
    "corner": Game("a run goes round the corner", 1177, ("greedy500",) * 4),
    "duty": Game("cards taken from below the top of the row are laid at once", 665, ("row-miser",) * 4, "rum500-standard"),
}


def play(game: Game) -> MatchRecord:
    """Plays one deal between baselines."""
    rules = make_rules(game.variant)
    t = new_records(1, RUM500.state.TABLE)[0]
    t.key, t.dice = stream(np.uint64(game.seed), np.uint64(0)), stream(np.uint64(game.seed), np.uint64(1))
    start_match(rules, t)
    policies = [parse_policy(name, POLICIES) for name in game.players]
    recorder = Recorder(game.variant, rules, game.players)
    recorder.begin(t)
    while t.phase != OVER:
        action = int(act(*policies[int(t.to_act)], rules, t))
        recorder.play(action)
        apply(rules, t, action)
    return recorder.record()


def hand_text(rules: Rum500Rules, hand: np.uint64) -> str:
    return f"{mask_text(hand)} = {points_of(rules, hand)}" if hand else "no cards"


def table_text(t: Any) -> str:
    """The melds on the table, each in brackets, jokers with the card they stand for."""
    melds = (" ".join(map(str, places_of(t, k))) for k in range(int(t.num_melds)))
    return " ".join(f"[{meld}]" for meld in melds)


def note(rules: Rum500Rules, t: Any, move: Move) -> str:
    """What a move led to."""
    parts = [hand_text(rules, t.hands[move.seat]), f"laid {t.credit[move.seat]}", f"stock {stock_count(t)}, row {t.row_size}"]
    if t.phase != OVER:
        parts.append(f"{PHASES[t.phase]} {t.to_act}: {len(legal(rules, t))}")
    if LAY_SET <= move.action < DISCARD:
        parts.append(table_text(t))
    return "; ".join(parts)


def moves_with_notes(rules: Rum500Rules, record: MatchRecord) -> list[str]:
    """The moves of a record's only deal with their notes."""
    lines: list[str] = []
    last, t = None, None
    for t, move in replay_steps(record):
        if last is None:
            lines.append(f"# row {card_text(int(t.row[0]))}, stock {stock_count(t)}")
            lines += [f"# seat {seat}: {hand_text(rules, t.hands[seat])}" for seat in range(rules.num_players)]
        else:
            lines += noted(rules, t, last)
        last = move
    assert last is not None
    return [*lines, *noted(rules, t, last)]


def noted(rules: Rum500Rules, t: Any, move: Move) -> list[str]:
    """The lines of a move, with a note on the table after it."""
    line, *stock = move_lines(RUM500, move)
    return [f"{line:<24}  # {note(rules, t, move)}", *stock]


def golden_text(name: str) -> str:
    """The text of a golden game."""
    game = GOLDEN500[name]
    record = play(game)
    deal = record.deals[0]
    head = [*head_lines(record), f"# {game.shows}", "", *deal_lines(deal)]
    moves = moves_with_notes(make_rules(game.variant), record)
    return "\n".join([*head, *moves, *end_lines(RUM500, deal), "", result_line(record), ""])


def write_all() -> None:
    """Writes every golden game."""
    FOLDER500.mkdir(exist_ok=True)
    for name in GOLDEN500:
        write_whole(FOLDER500 / f"{name}.txt", golden_text(name))
