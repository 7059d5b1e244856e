"""The words ``name=value`` of a position's text: what each game's ``FIELDS`` are made of.

Cards are written ``7D,TC``; a set of cards in id order, a list in its own. A word whose value is the usual one (no cards, 0,
none) is left out. Words that end in a seat's number belong to that seat; numbers of all seats are written ``3,4``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from rummy_env.cards import card, card_list, card_text, mask_of, mask_text
from rummy_env.errors import RecordError
from rummy_env.rules import Rules, num_seats
from rummy_env.state import NO_CARD

REQUIRED = -1  # as usual value: the word must not be missing


class Field(Protocol):
    """One or more words, and the columns of TABLE they stand for."""

    @property
    def names(self) -> tuple[str, ...]:
        """The words."""

    def words(self, rules: Any, t: Any) -> Iterator[str]:
        """The words for table ``t``, those left out whose value is the usual one."""

    def fill(self, rules: Any, t: Any, words: Mapping[str, str]) -> None:
        """Sets the columns, to their usual values where words are missing. Raises RecordError naming the word."""


class Word(NamedTuple):
    """A word: its name, the column of TABLE it shows (whole, or one row of it), its usual value, its text.

    With ``by_seat`` the rows of the column are the seats': those that nobody sits at have no word and the usual value.
    """

    name: str
    column: str
    row: int | None
    usual: Any
    show: Callable[[Any], str]
    read: Callable[[str], Any]
    by_seat: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def words(self, rules: Rules, t: Any) -> Iterator[str]:
        """The word for table ``t``, or none if its value is the usual one."""
        value = t[self.column] if self.row is None else t[self.column][self.row]
        if value.tolist() != self.usual:
            yield f"{self.name}={self.show(value[: num_seats(rules)] if self._of_all_seats else value)}"

    def fill(self, rules: Rules, t: Any, words: Mapping[str, str]) -> None:
        """Sets the column, to its usual value where the word is missing. Raises RecordError naming the word."""
        value = self.usual
        if self.name in words:
            value = self._read(rules, words[self.name])
        elif value == REQUIRED:
            raise RecordError(f"{self.name}= is missing")
        info = np.iinfo(t.dtype[self.column].base)
        for number in np.ravel(np.array(value, dtype=object)):
            if not info.min <= number <= info.max:
                raise RecordError(f"{self.name}={words[self.name]}: {number} is out of range, {info.min} to {info.max}")
        if self.row is None:
            t[self.column] = value
        else:
            t[self.column][self.row] = value

    @property
    def _of_all_seats(self) -> bool:
        return self.by_seat and self.row is None

    def _read(self, rules: Rules, text: str) -> Any:
        value, seats = read_word(self.name, self.read, text), num_seats(rules)
        if self.by_seat and self.row is not None and self.row >= seats:
            raise RecordError(f"{self.name}: the seats are 0 to {seats - 1}")
        if not self._of_all_seats:
            return value
        if len(value) != seats:
            raise RecordError(f"{self.name}={text}: not {seats} numbers 'a,b', one for each seat")
        return [*value, *self.usual[seats:]]


class Row(NamedTuple):
    """Cards in order in a column of TABLE: those from column ``start`` (None: the first) to column ``stop`` are in play.

    What the array holds ``before`` and ``after`` them is without meaning, but part of the table: each is a word of its own. Of
    these two, the one that ``padded`` names may be left out, for zeros; zeros at the end of the array are left out then.
    """

    name: str
    column: str
    start: str | None
    stop: str
    before: str
    after: str
    padded: str
    read: Callable[[str], list[int]]

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, self.before, self.after)

    def words(self, rules: Rules, t: Any) -> Iterator[str]:
        """The words for table ``t``."""
        cards = t[self.column].tolist()
        start, stop = int(t[self.start]) if self.start else 0, int(t[self.stop])
        after = cards[stop:]
        while self.padded == self.after and after and after[-1] == 0:
            after.pop()
        for name, part in ((self.name, cards[start:stop]), (self.before, cards[:start]), (self.after, after)):
            if part and (name != self.padded or any(part)):
                yield f"{name}={','.join(map(card_text, part))}"

    def fill(self, rules: Rules, t: Any, words: Mapping[str, str]) -> None:
        """Sets the three columns. Raises RecordError naming the words."""
        parts = {name: read_word(name, self.read, words[name]) if name in words else [] for name in self.names}
        size, count = t[self.column].size, sum(map(len, parts.values()))
        if self.padded == self.after or not parts[self.padded]:
            parts[self.padded] += [0] * (size - count)
        count = sum(map(len, parts.values()))
        if count != size:
            raise RecordError(f"{self.before}, {self.name} and {self.after} name {count} cards, not {size}")
        t[self.column] = parts[self.before] + parts[self.name] + parts[self.after]
        if self.start:
            t[self.start] = len(parts[self.before])
        t[self.stop] = size - len(parts[self.after])


def read_word(name: str, read: Callable[[str], Any], text: str) -> Any:
    """What ``read`` makes of a word's text. Raises RecordError naming the word for any ValueError."""
    try:
        return read(text)
    except ValueError as error:
        raise RecordError(f"{name}={text}: {error}") from error


def read_number(text: str) -> int:
    """A whole number. Raises RecordError."""
    if not text.isascii() or not text.removeprefix("-").isdigit():
        raise RecordError(f"{text!r} is no whole number")
    return int(text)


def read_hex(text: str) -> int:
    """A number from 0 to 2 ** 64 - 1, in hexadecimal. Raises RecordError."""
    try:
        return int(text, 16)
    except ValueError:
        raise RecordError(f"{text!r} is no hexadecimal number") from None


class Maker:
    """Makes the fields of a game with ``cards`` cards and up to ``seats`` seats."""

    def __init__(self, cards: int, seats: int) -> None:
        self.count, self.seats = cards, seats

    def read_card(self, text: str) -> int:
        """A card of the game. Raises RecordError or CardError."""
        c = card(text)
        if c >= self.count:
            raise RecordError(f"the game has no jokers: {text}")
        return c

    def read_cards(self, text: str) -> list[int]:
        """Cards in the order written. Raises RecordError or CardError."""
        return [self.read_card(word) for word in text.split(",")]

    def _read_mask(self, text: str) -> int:
        self.read_cards(text)
        return int(mask_of(card_list(text)))

    def number(self, name: str, column: str = "", usual: int = 0) -> Word:
        """A number."""
        return Word(name, column or name, None, usual, lambda value: str(int(value)), read_number)

    def numbers(self, name: str, column: str = "", usual: int = 0) -> Word:
        """A number of each seat."""

        def show(values: Any) -> str:
            return ",".join(map(str, values.tolist()))

        def read(text: str) -> list[int]:
            return [read_number(word) for word in text.split(",")]

        return Word(name, column or name, None, [usual] * self.seats, show, read, by_seat=True)

    def hex(self, name: str) -> Word:
        """A generator's state."""
        return Word(name, name, None, 0, lambda value: f"{int(value):#x}", read_hex)

    def card(self, name: str, column: str = "", row: int | None = None) -> Word:
        """A card, or none."""
        return Word(name, column or name, row, NO_CARD, lambda value: card_text(int(value)), self.read_card)

    def cards(self, name: str, column: str = "", row: int | None = None, by_seat: bool = False) -> Word:
        """A set of cards."""
        return Word(name, column or name, row, 0, lambda value: mask_text(value, ","), self._read_mask, by_seat)

    def each_seat(self, name: str, column: str = "") -> list[Word]:
        """A set of cards of each seat."""
        return [self.cards(f"{name}{seat}", column or name, seat, by_seat=True) for seat in range(self.seats)]

    def choice(self, name: str, words: tuple[str, ...], usual: int, column: str = "") -> Word:
        """One of some words, by its number."""

        def read(text: str) -> int:
            if text not in words:
                raise RecordError(f"{text!r} is none of {', '.join(words)}")
            return words.index(text)

        return Word(name, column or name, None, usual, lambda value: words[int(value)], read)

    def stock(self) -> Row:
        """The stock, next card first; ``spent`` and ``beyond`` are what its array holds before and after the cards left."""
        return Row("stock", "stock", "stock_at", "stock_end", "spent", "beyond", "spent", self.read_cards)


def check_conservation(count: int, places: Mapping[str, Iterable[int]]) -> None:
    """Raises RecordError, naming cards and places, unless each of the first ``count`` cards lies in exactly one place."""
    where: list[list[str]] = [[] for _ in range(count)]
    for place, cards in places.items():
        for c in cards:
            if c >= count:
                raise RecordError(f"{card_text(c)} is no card of this pack, but in {place}")
            where[c].append(place)
    for c, found in enumerate(where):
        if len(found) > 1:
            raise RecordError(f"{card_text(c)} is in two places: {' and '.join(found)}")
    lost = mask_of(c for c, found in enumerate(where) if not found)
    if lost:
        raise RecordError(f"lost cards, in no hand, pile or stock: {mask_text(lost)}")
