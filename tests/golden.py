"""The golden games: one short annotated deal of each variant, written as a record that replays.

``python -m tests.golden`` writes ``tests/golden/<variant>.txt`` anew; review the difference before keeping it. The
players are scripts, so that the games do not change with the agents; what stands after ``#`` is the engine's
view after the move: the hand of the seat that moved as melds and loose cards, what is left in the stock, and
who decides next among how many legal actions.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rummy_env.bits import stream
from rummy_env.cards import card_text, mask_text
from rummy_env.deck import stock_count
from rummy_env.games import GAMES
from rummy_env.gin.actions import CLOSE, DRAW_STOCK, PASS, TAKE_UPCARD
from rummy_env.gin.melds import best_discards, deadwood, deadwood_less_one, points_of
from rummy_env.gin.play import apply, legal, limit_of
from rummy_env.gin.showdown import lay_down
from rummy_env.gin.solver import best_arrangement, split_melds
from rummy_env.gin.state import DEAD, FIRST_OFFER, LAST_KNOCK, OVER, PHASES, SECOND_OFFER, new_state
from rummy_env.history import MatchRecord, Move, deal_lines, end_lines, head_lines, move_lines, result_line
from rummy_env.match import start_match
from rummy_env.record import Recorder, replay_steps, write_whole
from rummy_env.rules import GIN_BOOK, GinRules, make_rules

GIN = GAMES["gin"]
FOLDER = Path(__file__).parent / "golden"


class Game(NamedTuple):
    """What a golden game shows, its seed, and the script of each seat."""

    shows: str
    seed: int
    scripts: tuple[str, str]


#: Scripts: ``knock`` closes when it may, ``gin`` only with gin, ``wait`` only after a reshuffle or with the last knock,
#: ``throw`` takes every upcard and throws it back where it may, ``never`` never closes.
GOLDEN = {
    "gin-ru": Game("the pile is reshuffled under the last three cards of the stock", 79, ("wait", "wait")),
    "oklahoma-ru": Game("both players lay off", 1558, ("knock", "knock")),
    "gin-es": Game("the defender lays off a chain of cards on a run", 59, ("knock", "knock")),
    "oklahoma-es": Game("an opening spade doubles the points", 1294, ("knock", "knock")),
    "gin-standard": Game("an undercut", 576, ("knock", "gin")),
    "gin-eaai": Game("a dead deal: two cards are left", 63, ("never", "never")),
    "gin-openspiel": Game("the last knock with the upcard", 63, ("wait", "wait")),
    "oklahoma-openspiel": Game("a taken upcard thrown back twice running ends the deal", 0, ("throw", "throw")),
    "straight-gin": Game("gin, against which nothing is laid off", 940, ("knock", "knock")),
}


def choose(rules: GinRules, t: Any, script: str) -> int:
    """The action of a script: it draws and discards for the least deadwood."""
    discards, closes, _ = map(np.uint64, legal(rules, t))
    hand = t.hands[t.to_act]
    if t.phase == LAST_KNOCK:
        hand |= np.uint64(1 << int(t.upcard))
    if closes and wants_to_close(rules, t, script, hand, closes):
        return CLOSE + heaviest(best_discards(hand, closes)[0])
    if t.phase == LAST_KNOCK:
        return PASS
    if discards:
        back = script == "throw" and not t.from_stock and int(discards) >> int(t.drawn) & 1
        return int(t.drawn) if back else heaviest(best_discards(hand, discards)[0])
    offered = t.phase in (FIRST_OFFER, SECOND_OFFER)
    if int(legal(rules, t)[2]) >> (TAKE_UPCARD - DRAW_STOCK) & 1 and wants_upcard(t, script, hand):
        return TAKE_UPCARD
    return PASS if offered else DRAW_STOCK


def wants_to_close(rules: GinRules, t: Any, script: str, hand: np.uint64, closes: np.uint64) -> bool:
    """Whether a script closes now that it may."""
    if script == "gin":
        return best_discards(hand, closes)[1] == 0
    if script == "wait":
        return t.phase == LAST_KNOCK or t.reshuffled != 0
    return script == "knock"


def wants_upcard(t: Any, script: str, hand: np.uint64) -> bool:
    """Whether taking the upcard and discarding the worst card leaves clearly less deadwood."""
    if script == "throw" and t.phase > SECOND_OFFER:
        return True
    return deadwood_less_one(hand | np.uint64(1 << int(t.upcard))) < deadwood(hand) - 8


def heaviest(cards: np.uint64) -> int:
    """The card of a set with the most points; the higher id among equals."""
    return max((c for c in range(52) if int(cards) >> c & 1), key=lambda c: (min(c % 13 + 1, 10), c))


def play(variant: str, game: Game) -> MatchRecord:
    """Plays one deal between two scripts."""
    rules = make_rules(variant)
    state = new_state(1)
    t = state[0]
    t.key = stream(np.uint64(game.seed), np.uint64(0))
    start_match(rules, t)
    recorder = Recorder(variant, rules, game.scripts)
    recorder.begin(t)
    while t.phase != OVER:
        action = choose(rules, t, game.scripts[t.to_act])
        recorder.play(action)
        apply(rules, t, action)
    return recorder.record()


# Annotations.


def hand_text(hand: np.uint64) -> str:
    """Melds in brackets, loose cards, and their points: ``[7S 8S 9S] 2D KH = 12``."""
    best = best_arrangement(hand)
    words = [f"[{mask_text(meld)}]" for meld in best.melds]
    return " ".join([*words, *([mask_text(best.deadwood)] if best.deadwood else []), "=", str(best.points)])


def note(rules: GinRules, t: Any, seat: int) -> str:
    """What a move led to: the hand of its seat, the stock, and who decides next."""
    text = f"{hand_text(t.hands[seat])}; stock {stock_count(t)}"
    if t.phase == OVER:
        return text
    discards, closes, other = (int(word).bit_count() for word in legal(rules, t))
    count = f"{discards + other} + {closes} closes" if closes else f"{discards + other}"
    return f"{text}; {PHASES[t.phase]} {t.to_act}: {count}"


def showdown_lines(rules: GinRules, t: Any) -> list[str]:
    """Both hands at the end: melds, lay-offs, deadwood."""
    if t.ending >= DEAD:
        return []
    knocker = int(t.closer)
    shown = lay_down(rules, t.hands[knocker], t.hands[1 - knocker])
    parts = [
        (knocker, shown.knocker_sets, shown.knocker_runs, shown.knocker_laid),
        (1 - knocker, shown.defender_sets, shown.defender_runs, shown.defender_laid),
    ]
    lines = []
    for seat, sets, runs, laid in parts:
        melds = " ".join(f"[{mask_text(meld)}]" for meld in split_melds(np.uint64(sets), np.uint64(runs)))
        loose = t.hands[seat] & ~np.uint64(sets) & ~np.uint64(runs) & ~np.uint64(laid)
        role = "closer" if seat == knocker else "defender"
        words = [f"# {role} {seat}: melds {melds or 'none'}"]
        words += [f"lays off {mask_text(laid)}"] if laid else []
        words += [f"deadwood {mask_text(loose) or 'none'} = {points_of(loose)}"]
        lines.append("; ".join(words))
    return lines


def moves_with_notes(rules: GinRules, record: MatchRecord) -> list[str]:
    """The moves of a record's only deal with their notes, then the showdown and the last position."""
    lines: list[str] = []
    last, table = None, None
    for table, move in replay_steps(record):
        if last is None:
            lines.append(f"# opening {card_text(int(table.opening))}, limit {limit_of(rules, int(table.opening))}")
            lines += [f"# seat {seat}: {hand_text(table.hands[seat])}" for seat in range(2)]
        else:
            lines += noted(rules, table, last)
        last = move
    assert last is not None
    return [*lines, *noted(rules, table, last), *showdown_lines(rules, table)]


def noted(rules: GinRules, t: Any, move: Move) -> list[str]:
    """The lines of a move, with a note on the table after it."""
    line, *stock = move_lines(GIN, move)
    return [f"{line:<18}  # {note(rules, t, move.seat)}", *stock]


def golden_text(variant: str) -> str:
    """The text of a variant's golden game."""
    game, rules = GOLDEN[variant], make_rules(variant)
    record = play(variant, game)
    deal = record.deals[0]
    lines = [*head_lines(record), f"# {game.shows}", "", *deal_lines(deal), *moves_with_notes(rules, record)]
    return "\n".join([*lines, *end_lines(GIN, deal), "", result_line(record), ""])


def main() -> None:
    """Writes every golden game, those of 500 Rum too."""
    from tests.golden500 import GOLDEN500, write_all

    FOLDER.mkdir(exist_ok=True)
    for variant in GIN_BOOK.variants:
        write_whole(FOLDER / f"{variant}.txt", golden_text(variant))
    write_all()
    print(f"{len(GIN_BOOK.variants) + len(GOLDEN500)} golden games written to tests/{FOLDER.name}/")


if __name__ == "__main__":
    main()
