"""Gin in plain Python, written from the rules and not from the kernels: melds, the showdown and the score.

Hands and melds are frozensets of card ids and everything is tried out: clarity before speed. The tests hold the
compiled engine against these functions. Settings come as the words of ``settings_in_words``, read by :func:`read`.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, product
from types import SimpleNamespace

PACK = frozenset(range(52))
Cards = frozenset[int]


def rank(card: int) -> int:
    return card % 13


def suit(card: int) -> int:
    return card // 13


def value(card: int) -> int:
    """Ace 1, figures 10, the others their pips."""
    return min(rank(card) + 1, 10)


def total(cards: Iterable[int]) -> int:
    return sum(value(c) for c in cards)


def read(words: dict[str, str]) -> SimpleNamespace:
    """Settings in words as Python values: numbers, True and False for yes and no, and words."""
    flags = {"yes": True, "no": False}
    return SimpleNamespace(**{k: int(v) if v.isdigit() else flags.get(v, v) for k, v in words.items()})


# Melds.


@lru_cache(1 << 16)
def is_meld(cards: Cards) -> bool:
    """Three or four of a rank, or three and more in sequence of one suit, the ace below the two."""
    ranks = sorted(rank(c) for c in cards)
    if len(cards) < 3:
        return False
    if ranks[0] == ranks[-1]:
        return True
    return len({suit(c) for c in cards}) == 1 and ranks == list(range(ranks[0], ranks[0] + len(ranks)))


def _all_melds() -> list[Cards]:
    sets = [frozenset(13 * s + r for s in suits) for r in range(13) for n in (3, 4) for suits in combinations(range(4), n)]
    runs = [frozenset(range(13 * s + a, 13 * s + b)) for s in range(4) for a in range(13) for b in range(a + 3, 14)]
    return sets + runs


MELDS = _all_melds()
MELD_POINTS = {m: total(m) for m in MELDS}
_BY_LOWEST = {c: [m for m in MELDS if min(m) == c] for c in PACK}


def melds_in(hand: Cards) -> list[Cards]:
    return [m for c in sorted(hand) for m in _BY_LOWEST[c] if m <= hand]


def packings(hand: Cards) -> Iterator[tuple[Cards, ...]]:
    """Every way to lay melds down side by side, from none at all to as many as fit."""

    def extend(melds: list[Cards], chosen: tuple[Cards, ...]) -> Iterator[tuple[Cards, ...]]:
        yield chosen
        for i, meld in enumerate(melds):
            yield from extend([m for m in melds[i + 1 :] if not m & meld], (*chosen, meld))

    return extend(melds_in(hand), ())


def loose(hand: Cards, melds: Iterable[Cards]) -> Cards:
    return hand.difference(*melds)


def _most_melded(melds: list[Cards]) -> int:
    best = 0
    for i, meld in enumerate(melds):
        best = max(best, MELD_POINTS[meld] + _most_melded([m for m in melds[i + 1 :] if not m & meld]))
    return best


@lru_cache(1 << 17)
def deadwood(hand: Cards) -> int:
    """Least points outside melds."""
    return total(hand) - _most_melded(melds_in(hand))


def best_packings(hand: Cards) -> list[tuple[Cards, ...]]:
    """All ways to meld that leave the least deadwood; a long run also counts as two short ones side by side."""
    least = deadwood(hand)
    return [p for p in packings(hand) if total(loose(hand, p)) == least]


def merged(packing: Iterable[Cards]) -> tuple[frozenset[Cards], Cards]:
    """The sets of a packing and the cards of its runs: what is left when neighbouring runs count as one."""
    packing = list(packing)
    sets = frozenset(m for m in packing if len({rank(c) for c in m}) == 1)
    return sets, frozenset().union(*(m for m in packing if m not in sets))


def discards(hand: Cards) -> dict[int, int]:
    """For each card, the deadwood that its discard leaves."""
    return {c: deadwood(hand - {c}) for c in hand}


def best_discards(hand: Cards) -> tuple[Cards, int]:
    after = discards(hand)
    least = min(after.values())
    return frozenset(c for c in hand if after[c] == least), least


def draws_below(hand: Cards, points: int) -> Cards:
    """The cards that, drawn and followed by the best discard, leave less than ``points``."""
    return frozenset(c for c in PACK - hand if best_discards(hand | {c})[1] < points)


# The showdown.


@lru_cache(1 << 16)
def layoffs(table: tuple[Cards, ...], cards: Cards) -> frozenset[Cards]:
    """Every set of ``cards`` that can be added, one after another, to the melds on the table."""
    start = (table, frozenset())
    seen, todo = {start}, [start]
    while todo:
        melds, laid = todo.pop()
        for card, i in product(cards - laid, range(len(melds))):
            grown = melds[i] | {card}
            if is_meld(grown):
                state = ((*melds[:i], grown, *melds[i + 1 :]), laid | {card})
                if state not in seen:
                    seen.add(state)
                    todo.append(state)
    return frozenset(laid for _, laid in seen)


def most_laid_off(table: tuple[Cards, ...], cards: Cards) -> int:
    return max(total(laid) for laid in layoffs(table, cards))


def _defences(melds: tuple[Cards, ...], rest: Cards, defender: Cards, answers: bool) -> set[tuple[int, int]]:
    """What each defence against the knocker's melds and loose cards leaves: (knocker's points, defender's)."""
    ends = set()
    for laid in layoffs(melds, defender):
        kept = defender - laid
        if answers:
            for own in packings(kept):
                ends.add((total(rest) - most_laid_off(own, rest), total(loose(kept, own))))
        else:
            ends.add((total(rest), deadwood(kept)))
    return ends


def _difference(end: tuple[int, int]) -> int:
    return end[1] - end[0]


def _optimal_ends(knocker: Cards, defender: Cards, lays_off: bool, answers: bool) -> set[tuple[int, int]]:
    best: dict[int, set[tuple[int, int]]] = {}
    for melds in best_packings(knocker):
        ends = _defences(melds if lays_off else (), loose(knocker, melds), defender, answers and lays_off)
        worst = min(map(_difference, ends))
        best.setdefault(worst, set()).update(e for e in ends if _difference(e) == worst)
    return best[max(best)]


def _greedy_left(melds: Iterable[Cards], rest: Cards) -> int:
    """Deadwood after the lowest loose card that fits went to the first meld that takes it, again and again."""
    sets, runs = merged(melds)
    table = [*sorted(sets, key=min), *runs_of(runs)]
    while True:
        fits = [(c, i) for c in sorted(rest) for i, m in enumerate(table) if is_meld(m | {c})]
        if not fits:
            return total(rest)
        card, i = fits[0]
        table[i] |= {card}
        rest -= {card}


def runs_of(cards: Cards) -> list[Cards]:
    """Blocks of neighbours of one suit."""
    blocks: list[set[int]] = []
    for c in sorted(cards):
        if blocks and c - 1 in blocks[-1] and rank(c) > 0:
            blocks[-1].add(c)
        else:
            blocks.append({c})
    return [frozenset(b) for b in blocks]


def showdown(rules: SimpleNamespace, knocker: Cards, defender: Cards) -> set[tuple[int, int]]:
    """The points left to knocker and defender; more than one pair where equally good ways lead to several."""
    gin = deadwood(knocker) == 0
    lays_off = rules.layoff_by != "nobody" and (not gin or rules.layoff_on_gin)
    if rules.layoff_choice == "greedy":
        hands = product(best_packings(knocker), best_packings(defender))
        return {(deadwood(knocker), _greedy_left(melds if lays_off else (), loose(defender, own))) for melds, own in hands}
    return _optimal_ends(knocker, defender, lays_off, rules.layoff_by == "both")


# The score.


def score(rules: SimpleNamespace, opening: int, bonus_for_gin: int | None, end: tuple[int, int]) -> tuple[str, int]:
    """How a showdown is called, and the knocker's points for it (negative: the defender's)."""
    knocker, defender = end
    double = suit(opening) == 0 and rules.spades_double != "off"
    times = 2 if double else 1
    bonus_times = 2 if double and rules.spades_double == "all" else 1
    if bonus_for_gin is not None:
        return "gin", defender * times + bonus_for_gin * bonus_times
    if knocker < defender:
        return "knock", (defender - knocker) * times
    if knocker == defender and not rules.undercut_on_tie:
        return "tie", 0
    return "undercut", -((knocker - defender) * times + rules.undercut_bonus * bonus_times)
