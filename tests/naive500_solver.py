"""The most points that a hand can lay in 500 Rum: by trying every sequence of lays, and quicker, by packing melds."""

from types import SimpleNamespace

from tests.naive500 import ACTIONS, JOKERS, Cards, Meld, Table, grown, is_joker, lay, read, value, within_reach

#: Ways to lay some cards of a hand in one meld: the naturals, how many jokers, and the most points they bring there.
Ways = dict[tuple[Cards, int], int]


def best_lay(hand: Cards, table: Table, words: dict, keep: int = 0) -> int:
    """The most points of cards placed on ``table`` by new melds and lay-offs, with at least ``keep`` cards left in hand."""
    rules = read(words)
    memo: dict[tuple[Cards, frozenset], int] = {}

    def most(hand: Cards, table: Table) -> int:
        key = hand, frozenset(table)
        if key not in memo:
            best = 0
            for number in within_reach(hand):
                done = lay(rules, number, hand, table) if ACTIONS[number][0] in ("set", "run", "lay off") else None
                if done and len(done.hand) >= keep:
                    best = max(best, done.points + most(done.hand, done.table))
            memo[key] = best
        return memo[key]

    return most(frozenset(hand), tuple(table))


def best_packing(hand: Cards, table: Table, words: dict, keep: int = 0) -> int:
    """As :func:`best_lay`, quick enough for large hands: what each meld may take is listed, then melds share the hand out.

    It relies on a lay changing nothing for other melds than its own, and on jokers being alike.
    """
    rules = read(words)
    naturals, jokers = frozenset(c for c in hand if not is_joker(c)), len(hand & set(JOKERS))
    found: Ways = {(frozenset(), 0): 0}
    for meld in table:
        ways = _ways_on(rules, {meld: (frozenset(), 0, 0)}, naturals, jokers)
        found = _shared(found, ways, jokers)
    new = _new_melds(rules, hand)
    fresh = _ways_on(rules, new, naturals, jokers)
    best, unseen = dict(found), dict(found)
    while unseen:
        unseen = {key: p for key, p in _shared(unseen, fresh, jokers).items() if p > best.get(key, -1)}
        best |= unseen
    return max(p for (cards, used), p in best.items() if len(cards) + used <= len(hand) - keep)


def _new_melds(rules: SimpleNamespace, hand: Cards) -> dict[Meld, tuple[Cards, int, int]]:
    """All melds that one lay puts down, with the naturals, jokers and points of it."""
    found = {}
    for number in within_reach(hand):
        done = lay(rules, number, hand, ()) if ACTIONS[number][0] in ("set", "run") else None
        if done:
            cards = frozenset(c for c in done.placed if not is_joker(c))
            found[done.table[0]] = (cards, len(done.placed) - len(cards), done.points)
    return found


def _ways_on(rules: SimpleNamespace, start: dict[Meld, tuple[Cards, int, int]], naturals: Cards, jokers: int) -> Ways:
    """All ways to let some melds grow by lay-offs."""
    ways: Ways = {}
    seen: dict[tuple[Meld, Cards, int], int] = {}
    todo = [(meld, *used) for meld, used in start.items()]
    while todo:
        meld, cards, used, points = todo.pop()
        if seen.get((meld, cards, used), -1) >= points:
            continue
        seen[meld, cards, used] = points
        ways[cards, used] = max(points, ways.get((cards, used), 0))
        places = [(c, None) for c in naturals - cards]
        places += [(c, JOKERS[0]) for c in range(52) if used < jokers]
        for place in places:
            for where in ("set", "high", "low"):
                new = grown(rules, meld, place, where)
                if new and place[1] is None:
                    todo.append((new, cards | {place[0]}, used, points + value(rules, place[0], new)))
                elif new:
                    todo.append((new, cards, used + 1, points + 15))
    return ways


def _shared(found: Ways, ways: Ways, jokers: int) -> Ways:
    """The ways of two lots that share no card, together; the first alone too."""
    both: Ways = {}
    for (cards, used), points in found.items():
        for (more, again), bring in {(frozenset(), 0): 0, **ways}.items():
            if not cards & more and used + again <= jokers:
                key = cards | more, used + again
                both[key] = max(points + bring, both.get(key, 0))
    return both
