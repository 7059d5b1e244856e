"""500 Rum in plain Python, written from the rules and not from the engine: actions, melds and lays.

A place of a meld is a pair ``(card, joker)``: the card it counts as, and the joker that stands for it or None. A meld is
a tuple of places, a set by suit and a run from its low to its high end; a table is a tuple of melds in order of laying.
Everything is tried out on copies: clarity before speed. Settings are a plain dict of words, read by :func:`read`.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, pairwise
from types import SimpleNamespace
from typing import NamedTuple

JOKERS = (52, 53)
Place = tuple[int, int | None]
Meld = tuple[Place, ...]
Table = tuple[Meld, ...]
Cards = frozenset[int]

#: The settings of ``rum500-ru``.
DEFAULTS = {
    "num_players": 4,
    "hand_size": 6,
    "jokers": 2,
    "run_corner": "yes",
    "row_use": "none",
    "joker_rebind": "no",
    "joker_swap": "yes",
    "swap_credit": "swapper",
    "max_jokers_per_meld": 2,
    "ace_value": "10",
    "go_out": "discard",
    "stock_end": "row_or_end",
    "max_turns": 400,
    "target": 500,
    "num_deals": 0,
}
STANDARD = {
    **DEFAULTS,
    "hand_size": 7,
    "run_corner": "no",
    "row_use": "deep",
    "joker_swap": "no",
    "ace_value": "15_or_1_low",
    "go_out": "discard_optional",
}


def read(words: dict) -> SimpleNamespace:
    """Settings over the defaults as Python values: numbers, True and False, words (``ace_value`` stays a word)."""
    flags = {"yes": True, "no": False}
    unknown = words.keys() - DEFAULTS.keys()
    assert not unknown, f"unknown settings {unknown}"
    values = {}
    for name, word in {**DEFAULTS, **words}.items():
        text = str(word)
        values[name] = word if isinstance(word, bool) else flags.get(text, int(text) if text.isdigit() else text)
    values["ace_value"] = str(values["ace_value"])
    return SimpleNamespace(**values)


def rank(card: int) -> int:
    return card % 13


def suit(card: int) -> int:
    return card // 13


def is_joker(card: int) -> bool:
    return card in JOKERS


def after(card: int) -> int:
    """The next card of the suit, the ace after the king."""
    return suit(card) * 13 + (rank(card) + 1) % 13


def before(card: int) -> int:
    return suit(card) * 13 + (rank(card) - 1) % 13


# The actions by number, as (kind, details...).


def _with_jokers(cards: tuple[int, ...]) -> Iterator[tuple[tuple[int, bool], ...]]:
    """The cards with no joker among them, then with each one, then with each two of them played by jokers."""
    for n in (0, 1, 2):
        for chosen in combinations(range(len(cards)), n):
            yield tuple((c, i in chosen) for i, c in enumerate(cards))


def _all_actions() -> list[tuple]:
    actions: list[tuple] = [("draw",)]
    actions += [("take", c) for c in range(54)]
    for r in range(13):
        for n in (3, 4):
            for suits in combinations(range(4), n):
                actions += [("set", places) for places in _with_jokers(tuple(13 * s + r for s in suits))]
    for first in range(52):
        actions += [("run", places) for places in _with_jokers((first, after(first), after(after(first))))]
    for by_joker in (False, True):
        for where in ("set", "high", "low"):
            actions += [("lay off", c, where, by_joker) for c in range(52)]
    actions += [("swap", j, c) for j in JOKERS for c in range(52)]
    actions += [("rebind", j, way) for j in JOKERS for way in ("up", "down")]
    actions += [("discard", c) for c in range(54)]
    actions.append(("pass",))
    return actions


ACTIONS = _all_actions()
NUMBER = {action: i for i, action in enumerate(ACTIONS)}


# Melds.


def is_set(meld: Meld) -> bool:
    return len({rank(c) for c, _ in meld}) == 1


def ordered(places: Iterable[Place]) -> Meld:
    """Places in any order as a meld: a set by suit, a run from the place that has none before it."""
    by_card = dict(places)
    cards = sorted(by_card)
    if len({rank(c) for c in cards}) > 1:
        first = next((c for c in cards if before(c) not in by_card), cards[0])
        chain = [first]
        while after(chain[-1]) in by_card and len(chain) < len(cards):
            chain.append(after(chain[-1]))
        cards = chain + [c for c in cards if c not in chain]
    return tuple((c, by_card[c]) for c in cards)


def is_meld(rules: SimpleNamespace, meld: Meld) -> bool:
    """Whether places in order are a set or a run with a natural card and not too many jokers."""
    cards = [c for c, _ in meld]
    jokers = [j for _, j in meld if j is not None]
    if len(set(cards)) < len(cards) or len(jokers) == len(meld) or len(jokers) > rules.max_jokers_per_meld:
        return False
    if is_set(meld):
        return len(meld) in (3, 4)
    if not 3 <= len(meld) <= 13 or any(after(a) != b for a, b in pairwise(cards)):
        return False
    return rules.run_corner or not any(rank(c) == 0 for c in cards[1:-1])


def value(rules: SimpleNamespace, card: int, meld: Meld = ()) -> int:
    """Points of a card in hand, or placed in ``meld`` as it is after the card was placed."""
    if is_joker(card):
        return 15
    if rank(card) > 0:
        return min(rank(card) + 1, 10)
    if rules.ace_value != "15_or_1_low":
        return int(rules.ace_value)
    ranks = {rank(c) for c, _ in meld}
    return 1 if 1 in ranks and 12 not in ranks else 15


def total(rules: SimpleNamespace, cards: Iterable[int]) -> int:
    return sum(value(rules, c) for c in cards)


# Lays: what an action of laying does to a hand and the table.


class Lay(NamedTuple):
    hand: Cards
    table: Table
    placed: Cards  #: the cards that went from the hand to the table
    points: int  #: their points
    taken: int | None  #: the joker swapped into the hand


def _needs(action: tuple) -> tuple[Cards, int] | None:
    """The naturals and how many jokers a lay takes from the hand, or None where the action is no lay."""
    kind, *details = action
    if kind in ("set", "run"):
        return frozenset(c for c, by_joker in details[0] if not by_joker), sum(j for _, j in details[0])
    if kind == "lay off":
        return frozenset() if details[2] else frozenset(details[:1]), int(details[2])
    return {"swap": (frozenset(details[1:]), 0), "rebind": (frozenset(), 0)}.get(kind)


NEEDS = {number: needs for number, action in enumerate(ACTIONS) if (needs := _needs(action))}


@lru_cache(1 << 14)
def within_reach(hand: Cards) -> dict[int, None]:
    """The numbers of all lays for which the hand has the naturals and the jokers, whatever the table."""
    held = len(hand & set(JOKERS))
    return {number: None for number, (naturals, jokers) in NEEDS.items() if jokers <= held and naturals <= hand}


def lay(rules: SimpleNamespace, number: int, hand: Cards, table: Table, first: tuple = ()) -> Lay | None:
    """What a lay does, or None where it cannot be. Of two jokers in hand the one in ``first`` is used first, else X1."""
    kind, *details = ACTIONS[number]
    if number not in within_reach(hand):
        return None
    held = sorted(hand & set(JOKERS), key=lambda j: (first.index(j) if j in first else len(first), j))
    if kind in ("set", "run"):
        return _new_meld(rules, details[0], hand, table, held)
    if kind == "lay off":
        card, where, by_joker = details
        return _lay_off(rules, (card, held[0] if by_joker else None), where, hand, table)
    if kind == "swap":
        return _swap(rules, *details, hand, table) if rules.joker_swap else None
    return _rebind(rules, *details, hand, table) if rules.joker_rebind else None


def _new_meld(rules, places, hand, table, held) -> Lay | None:
    used = iter(sorted(held[: sum(by_joker for _, by_joker in places)]))
    meld = tuple((c, next(used) if by_joker else None) for c, by_joker in places)
    if not is_meld(rules, meld):
        return None
    placed = frozenset(c if j is None else j for c, j in meld)
    return Lay(hand - placed, (*table, meld), placed, sum(value(rules, c, meld) for c in placed), None)


def grown(rules: SimpleNamespace, meld: Meld, place: Place, where: str) -> Meld | None:
    """The meld with one place more, or None. What fits a run at both ends goes to the high one."""
    card = place[0]
    if (where == "set") != is_set(meld):
        return None
    if where == "set":
        new = tuple(sorted((*meld, place), key=lambda p: p[0]))
    elif where == "high":
        new = (*meld, place) if after(meld[-1][0]) == card else ()
    else:
        fits = before(meld[0][0]) == card and not grown(rules, meld, place, "high")
        new = (place, *meld) if fits else ()
    return new if new and is_meld(rules, new) else None


def _lay_off(rules, place, where, hand, table) -> Lay | None:
    melds = [(i, new) for i, m in enumerate(table) if (new := grown(rules, m, place, where))]
    assert len(melds) < 2, "a lay-off that fits two melds"
    if not melds:
        return None
    i, new = melds[0]
    card = place[0] if place[1] is None else place[1]
    return Lay(hand - {card}, (*table[:i], new, *table[i + 1 :]), frozenset({card}), value(rules, card, new), None)


def find_joker(table: Table, joker: int) -> tuple[int, int] | None:
    """The number of the meld that holds a joker, and the card it stands for."""
    return next(((i, c) for i, meld in enumerate(table) for c, j in meld if j == joker), None)


def _natural_for(meld: Meld, joker: int) -> Meld:
    return tuple((c, None if j == joker else j) for c, j in meld)


def _swap(rules, joker, card, hand, table) -> Lay | None:
    found = find_joker(table, joker)
    if found is None or found[1] != card:
        return None
    i = found[0]
    new = _natural_for(table[i], joker)
    left = hand - {card} | {joker}
    return Lay(left, (*table[:i], new, *table[i + 1 :]), frozenset({card}), value(rules, card, new), joker)


def _rebind(rules, joker, way, hand, table) -> Lay | None:
    found = find_joker(table, joker)
    if found is None or found[1] not in hand:
        return None
    i, card = found
    new = _moved(rules, _natural_for(table[i], joker), joker, way)
    if new is None:
        return None
    return Lay(hand - {card}, (*table[:i], new, *table[i + 1 :]), frozenset({card}), value(rules, card, new), None)


def _moved(rules, meld, joker, way) -> Meld | None:
    if not is_set(meld):
        place = after(meld[-1][0]) if way == "up" else before(meld[0][0])
        return grown(rules, meld, (place, joker), "high" if way == "up" else "low")
    free = {13 * s + rank(meld[0][0]) for s in range(4)} - {c for c, _ in meld}
    return grown(rules, meld, (free.pop(), joker), "set") if free and way == "up" else None
