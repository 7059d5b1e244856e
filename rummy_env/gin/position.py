"""Gin's words in the text of a position (:mod:`rummy_env.position`), in their order, and which positions there are.

====================  ======================================================================================
phase act starter     what is decided, by whom; who began the deal
opening upcard pile   the first open card; the top of the pile; all cards of the pile, the top included
hand known            a seat's cards; those of them that everybody saw it take
discards declined     cards a seat put out and did not take back; upcards it refused
drawn source          the card drawn in this turn; ``stock`` or ``pile``
stock                 the cards left, the next one first
reshuffled earlier    the cards turned over at the last reshuffle, and at the one before and not since
turn turns takes      discards in all and by seat; upcards taken by seat
rethrows              turns running in which a taken upcard was put out again
ending closer aside   how the deal ended, who closed, with which card put aside; then points and deadwood
scores wins           of the match by seat; ``played``: its finished deals; ``deal``: deals dealt at this table
pairs                 a seat's last turns as ``drawn>discarded``, ``--`` for a card nobody knows
spent beyond          what the stock's array holds before and after the cards left; without meaning in play
key deck dice         the generators, in hexadecimal
====================  ======================================================================================
"""

from typing import Any

from rummy_env.cards import NUM_CARDS, card_text, ids_of, mask_text
from rummy_env.errors import RecordError
from rummy_env.fields import REQUIRED, Field, Maker, Word, check_conservation
from rummy_env.gin.state import (
    DISCARD,
    DRAW,
    ENDINGS,
    FORCED_DRAW,
    MEMORY,
    NO_CARD,
    NO_SEAT,
    NOT_ENDED,
    OVER,
    PHASES,
)
from rummy_env.rules import GinRules

NOBODY_KNOWS = "--"

_make = Maker(cards=NUM_CARDS, seats=2)


def _show_pairs(slots: Any) -> str:
    def one(c: int) -> str:
        return NOBODY_KNOWS if c == NO_CARD else card_text(c)

    pairs = slots.tolist()
    while pairs and pairs[-1] == [0, 0]:
        pairs.pop()
    return ",".join(f"{one(drawn)}>{one(discarded)}" for drawn, discarded in pairs)


def _read_pairs(text: str) -> list[list[int]]:
    pairs = [
        [NO_CARD if side == NOBODY_KNOWS else _make.read_card(side) for side in word.split(">")] for word in text.split(",")
    ]
    if len(pairs) > MEMORY or any(len(pair) != 2 for pair in pairs):
        raise RecordError(f"{text!r} is not up to {MEMORY} turns 'drawn>discarded'")
    return pairs + [[0, 0]] * (MEMORY - len(pairs))


def _pairs(seat: int) -> Word:
    return Word(f"pairs{seat}", "pairs", seat, [[0, 0]] * MEMORY, _show_pairs, _read_pairs)


#: The words after ``variant`` and ``rules`` in their order.
FIELDS: tuple[Field, ...] = (
    _make.choice("phase", PHASES, REQUIRED),
    _make.number("act", "to_act", REQUIRED),
    _make.number("starter", usual=REQUIRED),
    _make.card("opening"),
    *_make.each_seat("hand", "hands"),
    *_make.each_seat("known"),
    _make.card("upcard"),
    _make.cards("pile"),
    *_make.each_seat("discards"),
    *_make.each_seat("declined"),
    _make.card("drawn"),
    _make.choice("source", ("pile", "stock"), 0, "from_stock"),
    _make.stock(),
    _make.cards("reshuffled"),
    _make.cards("earlier"),
    _make.number("turn"),
    _make.numbers("turns"),
    _make.numbers("takes"),
    _make.number("rethrows"),
    _make.choice("ending", ENDINGS, NOT_ENDED),
    _make.number("closer", usual=NO_SEAT),
    _make.card("aside"),
    _make.numbers("points"),
    _make.numbers("deadwood"),
    _make.numbers("scores"),
    _make.numbers("wins"),
    _make.number("played", "match_deals"),
    _make.number("deal"),
    _pairs(0),
    _pairs(1),
    _make.hex("key"),
    _make.hex("deck"),
    _make.hex("dice"),
)


def check_position(rules: GinRules, t: Any) -> None:
    """Raises RecordError, naming the cards or words, where table ``t`` is in no state that a deal can be in."""
    _check_conservation(t)
    for name in ("to_act", "starter"):
        if t[name] > 1:
            raise RecordError(f"{name}: seats are 0 and 1, not {t[name]}")
    if t["closer"] not in (0, 1, NO_SEAT):
        raise RecordError(f"closer: seats are 0 and 1, not {t['closer']}")
    if t["opening"] == NO_CARD:
        raise RecordError("opening= is missing")
    for seat in range(2):
        unheld = t["known"][seat] & ~t["hands"][seat]
        if unheld:
            raise RecordError(f"known{seat} names {mask_text(unheld)}, which hand{seat} does not hold")
    if t["upcard"] != NO_CARD and not int(t["pile"]) >> int(t["upcard"]) & 1:
        raise RecordError(f"the upcard {card_text(int(t['upcard']))} is not in the pile")
    _check_phase(rules, t)


def _check_conservation(t: Any) -> None:
    places = {"hand0": ids_of(t["hands"][0]), "hand1": ids_of(t["hands"][1]), "the pile": ids_of(t["pile"])}
    stock = t["stock"][int(t["stock_at"]) : int(t["stock_end"])].tolist()
    aside = [] if t["aside"] == NO_CARD else [int(t["aside"])]
    check_conservation(NUM_CARDS, places | {"the stock": stock, "put aside": aside})


def _check_phase(rules: GinRules, t: Any) -> None:
    phase, seat = int(t["phase"]), int(t["to_act"])
    if (phase == OVER) != (t["ending"] != NOT_ENDED):
        raise RecordError(f"phase={PHASES[phase]} contradicts ending={ENDINGS[t['ending']]}")
    if phase == OVER:
        return
    if t["aside"] != NO_CARD:
        raise RecordError("a card is put aside only when the deal is over")
    for k in range(2):
        held, due = int(t["hands"][k]).bit_count(), rules.hand_size + int(phase == DISCARD and k == seat)
        if held != due:
            raise RecordError(f"hand{k} holds {held} cards, but {due} in phase {PHASES[phase]}")
    if phase == DISCARD:
        if t["drawn"] == NO_CARD or not int(t["hands"][seat]) >> int(t["drawn"]) & 1:
            raise RecordError(f"drawn= must name a card of hand{seat} in phase discard")
    elif t["upcard"] == NO_CARD:
        raise RecordError(f"upcard= is missing in phase {PHASES[phase]}")
    if phase in (FORCED_DRAW, DRAW) and t["stock_at"] == t["stock_end"]:
        raise RecordError(f"the stock is empty in phase {PHASES[phase]}")
