"""The text of a position: one line that names every fact of a table, public or hidden, and its generators.

The line is made of words ``name=value``, separated by blanks, in the order of :data:`FIELDS`; a word whose value is
the usual one (no cards, 0, none) is left out. It begins with ``variant=`` and, where settings differ from the
variant's, ``rules=name:value,name:value``. Cards are written ``7D,TC``; a set of cards in id order, the stock in drawing
order. Words that end in 0 or 1 belong to that seat; numbers of both seats are written ``3,4``.

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

Reading checks that each of the 52 cards lies in exactly one place and that the words do not contradict each other.
"""

import difflib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rummy_env.cards import NUM_CARDS, PACK, card, card_list, card_text, mask_of, mask_text
from rummy_env.gin.state import (
    DISCARD,
    DRAW,
    ENDINGS,
    FORCED_DRAW,
    MEMORY,
    NO_CARD,
    NOT_ENDED,
    OVER,
    PHASES,
    TABLE,
    State,
    new_state,
)
from rummy_env.rules import GinRules, gin_rules, overrides_of

NO_SEAT = 255
NOBODY_KNOWS = "--"


class RecordError(ValueError):
    """A text of a position or of a game that is malformed, contradicts itself, or does not replay as it says."""


class Field(NamedTuple):
    """One word of the line: its name, the column of TABLE it shows (of one seat, or whole), its usual value, its text."""

    name: str
    column: str
    seat: int | None
    usual: Any
    show: Callable[[Any], str]
    read: Callable[[str], Any]


def _read_gin_card(text: str) -> int:
    c = card(text)
    if c >= NUM_CARDS:
        raise RecordError(f"gin has no jokers: {text}")
    return c


def _read_cards(text: str) -> list[int]:
    return [_read_gin_card(word) for word in text.split(",")]


def _read_mask(text: str) -> int:
    _read_cards(text)
    return int(mask_of(card_list(text)))


def _read_number(text: str) -> int:
    if not text.isascii() or not text.removeprefix("-").isdigit():
        raise RecordError(f"{text!r} is no whole number")
    return int(text)


def _read_hex(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        raise RecordError(f"{text!r} is no hexadecimal number") from None


def _read_pair(text: str) -> list[int]:
    words = text.split(",")
    if len(words) != 2:
        raise RecordError(f"{text!r} is not two numbers 'a,b'")
    return [_read_number(word) for word in words]


def _show_pair(values: Any) -> str:
    return f"{int(values[0])},{int(values[1])}"


def _number(name: str, column: str = "", usual: int = 0) -> Field:
    return Field(name, column or name, None, usual, lambda value: str(int(value)), _read_number)


def _numbers(name: str) -> Field:
    return Field(name, name, None, [0, 0], _show_pair, _read_pair)


def _hex(name: str) -> Field:
    return Field(name, name, None, 0, lambda value: f"{int(value):#x}", _read_hex)


def _card(name: str) -> Field:
    return Field(name, name, None, NO_CARD, lambda value: card_text(int(value)), _read_gin_card)


def _cards(name: str, column: str = "", seat: int | None = None) -> Field:
    return Field(name, column or name, seat, 0, lambda value: mask_text(value, ","), _read_mask)


def _each_seat(name: str, column: str = "") -> list[Field]:
    return [_cards(f"{name}{seat}", column or name, seat) for seat in range(2)]


def _choice(name: str, words: tuple[str, ...], usual: int, column: str = "") -> Field:
    def read(text: str) -> int:
        if text not in words:
            raise RecordError(f"{text!r} is none of {', '.join(words)}")
        return words.index(text)

    return Field(name, column or name, None, usual, lambda value: words[int(value)], read)


def _show_pairs(slots: Any) -> str:
    def one(c: int) -> str:
        return NOBODY_KNOWS if c == NO_CARD else card_text(c)

    pairs = slots.tolist()
    while pairs and pairs[-1] == [0, 0]:
        pairs.pop()
    return ",".join(f"{one(drawn)}>{one(discarded)}" for drawn, discarded in pairs)


def _read_pairs(text: str) -> list[list[int]]:
    pairs = [
        [NO_CARD if side == NOBODY_KNOWS else _read_gin_card(side) for side in word.split(">")] for word in text.split(",")
    ]
    if len(pairs) > MEMORY or any(len(pair) != 2 for pair in pairs):
        raise RecordError(f"{text!r} is not up to {MEMORY} turns 'drawn>discarded'")
    return pairs + [[0, 0]] * (MEMORY - len(pairs))


def _pairs(seat: int) -> Field:
    return Field(f"pairs{seat}", "pairs", seat, [[0, 0]] * MEMORY, _show_pairs, _read_pairs)


#: The words after ``variant`` and ``rules`` in their order, without the three parts of the stock.
FIELDS: tuple[Field, ...] = (
    _choice("phase", PHASES, -1),
    _number("act", "to_act", -1),
    _number("starter", usual=-1),
    _card("opening"),
    *_each_seat("hand", "hands"),
    *_each_seat("known"),
    _card("upcard"),
    _cards("pile"),
    *_each_seat("discards"),
    *_each_seat("declined"),
    _card("drawn"),
    _choice("source", ("pile", "stock"), 0, "from_stock"),
    _cards("reshuffled"),
    _cards("earlier"),
    _number("turn"),
    _numbers("turns"),
    _numbers("takes"),
    _number("rethrows"),
    _choice("ending", ENDINGS, NOT_ENDED),
    _number("closer", usual=NO_SEAT),
    _card("aside"),
    _numbers("points"),
    _numbers("deadwood"),
    _numbers("scores"),
    _numbers("wins"),
    _number("played", "match_deals"),
    _number("deal"),
    _pairs(0),
    _pairs(1),
    _hex("key"),
    _hex("deck"),
    _hex("dice"),
)
_STOCK = ("stock", "spent", "beyond")
_BY_NAME = {field.name: field for field in FIELDS}
_KNOWN = ("variant", "rules", *_BY_NAME, *_STOCK)


def _value(field: Field, t: Any) -> Any:
    value = t[field.column]
    return value if field.seat is None else value[field.seat]


def position_text(variant: str, rules: GinRules, t: Any) -> str:
    """The line that names everything about table ``t`` (``state[i]``); :func:`parse_position` reads it back exactly."""
    words = [f"variant={variant}"]
    changed = overrides_of(variant, rules)
    if changed:
        words.append("rules=" + ",".join(f"{name}:{value}" for name, value in changed.items()))
    for field in FIELDS:
        value = _value(field, t)
        if value.tolist() != field.usual:
            words.append(f"{field.name}={field.show(value)}")
        if field.name == "source":
            words += _stock_words(t)
    return " ".join(words)


def _stock_words(t: Any) -> list[str]:
    cards, at, end = t["stock"].tolist(), int(t["stock_at"]), int(t["stock_end"])
    parts = {"stock": cards[at:end], "spent": cards[:at] if any(cards[:at]) else [], "beyond": cards[end:]}
    return [f"{name}={','.join(map(card_text, part))}" for name, part in parts.items() if part]


def parse_position(text: str) -> tuple[str, GinRules, State]:
    """Reads a line of :func:`position_text`: the variant, its rules, and a state of one table.

    The words may come in any order. Raises RecordError, which names the word, for anything malformed, unknown, given
    twice or out of range, for cards that are lost or lie in two places, and for a position no deal can be in.
    """
    words = _split(text)
    if "variant" not in words:
        raise RecordError("the position names no variant: 'variant=gin-es' is missing")
    variant = words.pop("variant")
    try:
        rules = gin_rules(variant, **_read_overrides(words.pop("rules", "")))
    except RecordError:
        raise
    except ValueError as error:
        raise RecordError(str(error)) from error
    state = new_state(1)
    _fill_stock(state[0], {name: words.pop(name, "") for name in _STOCK})
    for field in FIELDS:
        _fill(field, state[0], words)
    check_position(rules, state[0])
    return variant, rules, state


def _split(text: str) -> dict[str, str]:
    words: dict[str, str] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not equals or not name or not value:
            raise RecordError(f"malformed word {word!r}: a position is made of words 'name=value'")
        if name not in _KNOWN:
            close = difflib.get_close_matches(name, _KNOWN, n=1)
            raise RecordError(f"unknown word {name!r}" + (f"; did you mean {close[0]!r}?" if close else ""))
        if name in words:
            raise RecordError(f"{name} is given twice")
        words[name] = value
    return words


def _read_overrides(text: str) -> dict[str, str]:
    overrides: dict[str, str] = {}
    for word in filter(None, text.split(",")):
        name, colon, value = word.partition(":")
        if not colon or not value or name in overrides:
            raise RecordError(f"rules={text}: {word!r} is malformed or given twice; write 'name:value,name:value'")
        overrides[name] = value
    return overrides


def _fill(field: Field, t: Any, words: dict[str, str]) -> None:
    """Sets the column of one word, to its usual value where the word is missing."""
    value = field.usual
    if field.name in words:
        value = _read(field.name, field.read, words[field.name])
    elif field.usual == -1:
        raise RecordError(f"{field.name}= is missing")
    info = np.iinfo(TABLE[field.column].base)
    for number in np.ravel(np.array(value, dtype=object)):
        if not info.min <= number <= info.max:
            raise RecordError(f"{field.name}={words[field.name]}: {number} is out of range, {info.min} to {info.max}")
    if field.seat is None:
        t[field.column] = value
    else:
        t[field.column][field.seat] = value


def _read(name: str, read: Callable[[str], Any], text: str) -> Any:
    try:
        return read(text)
    except ValueError as error:
        raise RecordError(f"{name}={text}: {error}") from error


def _fill_stock(t: Any, parts: dict[str, str]) -> None:
    cards = {name: _read(name, _read_cards, text) if text else [] for name, text in parts.items()}
    count = len(cards["stock"]) + len(cards["beyond"])
    spent = cards["spent"] or [0] * (NUM_CARDS - count)
    if count + len(spent) != NUM_CARDS:
        raise RecordError(f"spent, stock and beyond name {count + len(spent)} cards, not {NUM_CARDS}")
    t["stock"] = spent + cards["stock"] + cards["beyond"]
    t["stock_at"] = len(spent)
    t["stock_end"] = NUM_CARDS - len(cards["beyond"])


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
    places = {"hand0": int(t["hands"][0]), "hand1": int(t["hands"][1]), "the pile": int(t["pile"])}
    stock = t["stock"][int(t["stock_at"]) : int(t["stock_end"])].tolist()
    where: list[list[str]] = [[] for _ in range(NUM_CARDS)]
    for place, mask in places.items():
        for c in range(NUM_CARDS):
            if mask >> c & 1:
                where[c].append(place)
    for c in stock:
        where[c].append("the stock")
    if t["aside"] != NO_CARD:
        where[t["aside"]].append("put aside")
    for c, found in enumerate(where):
        if len(found) > 1:
            raise RecordError(f"{card_text(c)} is in two places: {' and '.join(found)}")
    lost = mask_of(c for c, found in enumerate(where) if not found) & PACK
    if lost:
        raise RecordError(f"lost cards, in no hand, pile or stock: {mask_text(lost)}")


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
