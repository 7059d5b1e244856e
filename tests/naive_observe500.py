"""The observation of 500 Rum in plain Python, from the twin of a deal: every slice by name, as its meaning says.

Which of several lays of most points is shown is left open: :func:`check_lay` judges the slices that tell of it.
"""

from collections.abc import Callable, Iterable
from itertools import combinations
from types import SimpleNamespace
from typing import NamedTuple

from tests.naive500 import ACTIONS, JOKERS, Cards, Meld, find_joker, grown, is_joker, is_meld, is_set, lay, ordered, rank, total
from tests.naive500_game import NaiveDeal
from tests.naive500_solver import best_packing

SEATS = 6
Values = tuple[float, ...]


class Seen(NamedTuple):
    """A deal as one seat sees it, with the match around it."""

    words: dict[str, str]
    deal: NaiveDeal
    seat: int
    scores: list[int]
    deals: int

    @property
    def rules(self) -> SimpleNamespace:
        return self.deal.rules

    @property
    def hand(self) -> Cards:
        return frozenset(self.deal.hands[self.seat])

    @property
    def others(self) -> list[int]:
        """The other players, the next one first."""
        n = self.rules.num_players
        return [(self.seat + k) % n for k in range(1, n)]

    @property
    def unseen(self) -> Cards:
        """Cards in the stock or, not seen to come there, in another hand."""
        seen = set(self.hand) | set(self.deal.row) | self.deal.laid()
        return frozenset(range(52 + self.rules.jokers)) - seen.union(*self.deal.known)

    @property
    def keeps(self) -> int:
        """How many cards must be left after a lay now."""
        plays = self.deal.phase == "play" and self.deal.to_act == self.seat
        return int(plays and self.rules.go_out == "discard")


def plane(cards: Iterable[int], size: int = 54) -> Values:
    cards = set(cards)
    return tuple(float(c in cards) for c in range(size))


def by_card(cards: Iterable[int], value: Callable[[int], float]) -> Values:
    """A value for each of some cards, 0 for the others."""
    cards = set(cards)
    return tuple(float(value(c)) if c in cards else 0.0 for c in range(54))


def by_seat(seen: Seen, value: Callable[[int], float], size: int = 1, own: bool = False) -> Values:
    """What the others' seats have, in turn (the observer before them), and nothing for seats that nobody holds."""
    seats = [seen.seat] * own + seen.others
    values = [value(seat) for seat in seats]
    found = [x for v in values for x in (v if isinstance(v, tuple) else (v,))]
    return tuple(map(float, found)) + (0.0,) * (size * (SEATS - 1 + own) - len(found))


def window_melds(rules: SimpleNamespace, card: int) -> list[Meld]:
    """The runs of three that hold a card."""
    suit = card // 13 * 13
    runs = [ordered((suit + (card + first + k) % 13, None) for k in range(3)) for first in (-suit, -1 - suit, -2 - suit)]
    return [run for run in runs if is_meld(rules, run)]


def rank_of(card: int, cards: Iterable[int]) -> set[int]:
    return {c for c in cards if not is_joker(c) and rank(c) == rank(card)}


def outs(seen: Seen, card: int) -> int:
    """Live cards that make a meld with the card and one more; none where three such cards are in the hand already."""
    if is_joker(card):
        return 0
    live = seen.unseen | set(seen.deal.row)
    same = len(rank_of(card, live)) if len(rank_of(card, seen.hand)) == 2 else 0
    windows = [{c for c, _ in run} for run in window_melds(seen.rules, card)]
    return same + sum(len(w & seen.hand) == 2 and bool((w - seen.hand) & live) for w in windows)


def pairs_with(rules: SimpleNamespace, card: int, cards: Iterable[int]) -> int:
    """How many pairs of some cards make a meld with one more."""
    cards = {c for c in cards if not is_joker(c)} - {card}
    sets = list(combinations(rank_of(card, cards), 2))
    return len(sets) + sum({c for c, _ in run} - {card} <= cards for run in window_melds(rules, card))


def danger(seen: Seen, card: int) -> int:
    known = [seen.deal.known[seat] for seat in seen.others]
    at_once = any(pairs_with(seen.rules, card, cards) for cards in known)
    if is_joker(card) or card in open_cards(seen) or at_once:
        return 8
    return pairs_with(seen.rules, card, seen.unseen.union(*known))


def open_cards(seen: Seen) -> set[int]:
    """Cards that can be laid off on the table."""
    spots = ("set", "high", "low")
    return {c for c in range(52) for m in seen.deal.melds for spot in spots if grown(seen.rules, m, (c, None), spot)}


def usable(seen: Seen, card: int) -> bool:
    if is_joker(card) or card in open_cards(seen):
        return True
    row = seen.deal.row
    held = seen.hand | set(row[row.index(card) :])
    jokers = min(len(held & set(JOKERS)), seen.rules.max_jokers_per_meld)
    if len(rank_of(card, held)) + jokers >= 3:
        return True
    return any(len({c for c, _ in run} & held) + jokers >= 3 for run in window_melds(seen.rules, card))


def observation(seen: Seen) -> dict[str, Values | None]:
    """What the seat sees; None for the slices that tell of its lay."""
    deal, rules, hand = seen.deal, seen.rules, seen.hand
    going = deal.phase != "over"
    shown = [[c for m in deal.melds if is_set(m) == sets for c, _ in m] for sets in (True, False)]
    jokers = [found[1] for j in JOKERS if (found := find_joker(deal.melds, j))]
    duty = {deal.barred: 0.5} | {deal.owed: 1.0} if going else {}
    return {
        "hand": plane(hand),
        "row": plane(deal.row),
        "row_depth": by_card(deal.row, lambda c: (len(deal.row) - deal.row.index(c)) / 10),
        "table_sets": plane(shown[0], 52),
        "table_runs": plane(shown[1], 52),
        "table_jokers": plane(jokers, 52),
        "open": plane(open_cards(seen), 52),
        "lay": None,
        "outs": by_card(hand, lambda c: outs(seen, c) / 4),
        "danger": by_card(hand, lambda c: danger(seen, c) / 8),
        "usable": by_card(deal.row, lambda c: usable(seen, c)),
        "duty": by_card(set(duty) - {None}, lambda c: duty[c]),
        "known": by_seat(seen, lambda seat: plane(deal.known[seat]), 54),
        "next_discards": plane(deal.discards[seen.others[0]]),
        "reshuffled": plane(deal.reshuffled & seen.unseen),
        "phase": (float(deal.phase == "draw"), float(deal.phase == "play")),
        "to_act": (float(going and deal.to_act == seen.seat),),
        "seats": by_seat(seen, lambda seat: 1),
        "hand_sizes": by_seat(seen, lambda seat: len(deal.hands[seat]) / 10, own=True),
        "credits": by_seat(seen, lambda seat: deal.credit[seat] / 100, own=True),
        "clock": (len(deal.stock) / 29, len(deal.row) / 20, deal.turn / 100),
        "took": (len(deal.took) / 10 if going else 0.0,),
        "own_points": (total(rules, hand) / 50,),
        "lay_points": None,
        "lay_cards": None,
        "lay_action": None,
        "jokers": tuple(len(set(JOKERS) & cards) / 2 for cards in (hand, deal.laid(), seen.unseen)),
        "rules": the_rules(rules),
        "match": the_match(seen),
    }


def check_lay(seen: Seen, lay_plane: Values, points: Values, left: Values, action: int) -> None:
    """The cards shown bring the most points, as many are left as is said, and the action begins such a lay."""
    best = best_packing(seen.hand, seen.deal.melds, seen.words, seen.keeps)
    assert abs(points[0] * 50 - best) < 1e-3, f"{points[0] * 50} points shown, {best} can be laid"
    cards = {c for c in range(54) if lay_plane[c]}
    naturals = frozenset(cards - set(JOKERS))
    assert cards <= seen.hand
    jokers = len(seen.hand) - round(left[0] * 5) - len(naturals)
    held = sorted(seen.hand & set(JOKERS))
    assert cards - naturals == (set(held) if jokers else set())
    used = naturals | set(held[:jokers])
    assert best_packing(used, seen.deal.melds, seen.words) == best
    assert len(used) <= len(seen.hand) - seen.keeps
    assert round(left[1] * 5) == (len(seen.hand) - len(used) <= 1)
    stay, unpaid = total(seen.rules, seen.hand - used), total(seen.rules, seen.hand) - best
    assert min(abs(points[1] * 50 - p) for p in (stay, unpaid)) < 1e-3
    assert (action == 0) == (best == 0)
    if action:
        assert ACTIONS[action][0] in ("set", "run", "lay off")
        done = lay(seen.rules, action, used, seen.deal.melds)
        assert done, "the action is no lay of these cards"
        assert done.points + best_packing(done.hand, done.table, seen.words) == best


def the_rules(rules: SimpleNamespace) -> Values:
    ace = 15 if rules.ace_value == "15_or_1_low" else int(rules.ace_value)
    flags = (rules.run_corner, rules.row_use == "deep", rules.row_use == "always", rules.joker_rebind, rules.joker_swap)
    ends = (rules.go_out == "discard_optional", rules.stock_end == "end", rules.stock_end == "reshuffle")
    return (
        *(rules.num_players / 6, rules.hand_size / 13, rules.jokers / 2),
        *map(float, flags),
        *(float(rules.swap_credit == "swapper"), rules.max_jokers_per_meld / 2),
        *(ace / 15, float(rules.ace_value == "15_or_1_low")),
        *map(float, ends),
    )


def the_match(seen: Seen) -> Values:
    scores = by_seat(seen, lambda seat: seen.scores[seat] / seen.rules.target, own=True)
    by_deals = seen.rules.num_deals > 0
    return (*scores, seen.deals / seen.rules.num_deals if by_deals else 0.0, float(by_deals))


def privileged(seen: Seen) -> dict[str, Values]:
    """What only a critic may see beside it."""
    hands = seen.deal.hands
    return {
        "other_hands": by_seat(seen, lambda seat: plane(hands[seat]), 54),
        "other_lays": by_seat(seen, lambda seat: best_packing(frozenset(hands[seat]), seen.deal.melds, seen.words) / 50),
        "other_points": by_seat(seen, lambda seat: total(seen.rules, hands[seat]) / 50),
    }


def words(seen: Seen) -> list[int]:
    """The same facts as 24 words."""
    deal, n = seen.deal, seen.rules.num_players
    seats = [seen.seat, *seen.others]
    shown = [[c for m in deal.melds if is_set(m) == sets for c, _ in m] for sets in (True, False)]
    jokers = [found[1] for j in JOKERS if (found := find_joker(deal.melds, j))]
    known = [deal.known[seat] for seat in seen.others] + [set()] * (SEATS - n)
    row = deal.row + [255] * (56 - len(deal.row))
    none = {None: 255}
    phase = ("draw", "play", "over").index(deal.phase)
    numbers = ((phase, 0), (len(deal.stock), 4), (len(deal.row), 12), (deal.turn, 20), (none.get(deal.owed, deal.owed), 36))
    numbers += ((none.get(deal.barred, deal.barred), 44), (len(deal.took), 52), (int(deal.to_act == seen.seat), 60))
    return [
        *(sum(1 << c for c in set(cards)) for cards in (seen.hand, *shown, jokers, *known, deal.reshuffled & seen.unseen)),
        *packed(row, 8, 7),
        sum(value << at for value, at in numbers),
        *packed([len(deal.hands[seat]) for seat in seats], 8, 1),
        *packed([deal.credit[seat] for seat in seats], 16, 2),
        *packed([seen.scores[seat] for seat in seats], 32, 3),
    ]


def packed(values: list[int], bits: int, count: int) -> list[int]:
    """Numbers packed into words of 64 bits, the first in the low bits."""
    each = 64 // bits
    parts = [values[k * each : (k + 1) * each] for k in range(count)]
    return [sum((value % (1 << bits)) << (bits * i) for i, value in enumerate(part)) for part in parts]
