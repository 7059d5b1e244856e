"""What the tests of 500 Rum share: positions written down, a table and its twin moved together, random settings and moves."""

import random
from collections import Counter
from typing import Any

import numpy as np

from rummy_env.bits import stream
from rummy_env.cards import card, card_list
from rummy_env.rules import RulesError, Rum500Rules, make_rules, settings_in_words
from rummy_env.rum500 import play
from rummy_env.rum500.actions import NUM_ACTIONS, action_name, parse_action
from rummy_env.rum500.match import first_starter
from rummy_env.rum500.state import ENDINGS, PHASES, PLAY, TABLE
from rummy_env.state import NO_CARD, NO_SEAT, new_records
from tests.helpers import ids, mask
from tests.naive500 import ACTIONS, Meld, is_meld, is_set, ordered, rank
from tests.naive500_game import NaiveDeal

VARIANTS500 = ("rum500-ru", "rum500-standard")


# Tables of the engine.


def new_table(seed: int = 0) -> Any:
    t = new_records(1, TABLE)[0]
    t.key, t.dice = stream(np.uint64(seed), np.uint64(0)), stream(np.uint64(seed + 1), np.uint64(0))
    return t


def table(rules: Rum500Rules, seed: int = 0, starter: int | None = None) -> Any:
    """A table with the first deal of a match dealt."""
    t = new_table(seed)
    play.deal(rules, t, int(first_starter(rules, t)) if starter is None else starter)
    return t


def legal(rules: Rum500Rules, t: Any) -> set[int]:
    out = np.zeros(NUM_ACTIONS, np.int8)
    play.write_mask(rules, t, out)
    return set(np.flatnonzero(out).tolist())


def row(t: Any) -> list[int]:
    return t.row[: int(t.row_size)].tolist()


def stock(t: Any) -> list[int]:
    """The stock from its top."""
    return t.stock[int(t.stock_at) : int(t.stock_end)].tolist()


def melds(t: Any) -> tuple[Meld, ...]:
    """The melds of the table as the twin has them."""

    joker_of = {key: 52 + j for j, key in enumerate(zip(t.joker_meld.tolist(), t.joker_as.tolist()))}
    places = enumerate(t.melds[: int(t.num_melds)].tolist())
    return tuple(ordered((c, joker_of.get((number, c))) for c in ids(m)) for number, m in places)


def cards_of(t: Any) -> list[int]:
    """All cards where they lie: in hands, the row, the stock, on the table."""
    hands = [c for hand in t.hands for c in ids(hand)]
    return sorted([*hands, *row(t), *stock(t), *ids(t.laid)])


def is_whole(rules: Rum500Rules, t: Any) -> bool:
    """Whether each card of the pack lies in one place."""
    return cards_of(t) == list(range(52 + rules.jokers))


# Positions written down.


def meld(text: str) -> Meld:
    """``"TC=X1 JC QC"``: the places of a meld in any order, a joker after the card it stands for."""
    pairs = [word.partition("=")[::2] for word in text.split()]
    return ordered((card(c), card(j) if j else None) for c, j in pairs)


def put_melds(t: Any, shown: tuple[Meld, ...], by: int = 1) -> None:
    """Lays melds on a table; the jokers were laid by seat ``by``."""
    t.num_melds, t.laid = len(shown), 0
    t.joker_as, t.joker_by = NO_CARD, NO_SEAT
    for number, places in enumerate(shown):
        t.melds[number] = mask(c for c, _ in places)
        t.laid |= mask(c if j is None else j for c, j in places)
        for c, j in places:
            if j is not None:
                t.joker_as[j - 52], t.joker_meld[j - 52], t.joker_by[j - 52] = c, number, by


def written(*hands: str, row: str = "4S", melds: tuple = (), stock: str | None = None, **settings) -> tuple[Rum500Rules, Any]:
    """Rules and a table: seat 0 to draw, with these hands, row and melds; all other cards are in the stock, or those named."""
    rules, t = make_rules("rum500-ru", num_players=len(hands), **settings), new_table()
    play.deal(rules, t, 0)
    t.hands[: len(hands)] = [mask(card_list(hand)) for hand in hands]
    put_melds(t, tuple(map(meld, melds)))
    put_row(t, card_list(row))
    seen = {*card_list(row), *ids(t.laid)}.union(*map(ids, t.hands))
    put_stock(t, [c for c in range(52 + rules.jokers) if c not in seen] if stock is None else card_list(stock))
    return rules, t


def to_draw(*hands: str, **where: Any) -> "Pair":
    """A table written down and its twin."""
    return Pair(*written(*hands, **where))


def to_play(*hands: str, **where: Any) -> "Pair":
    """As :func:`to_draw`, after seat 0 has drawn a card of no matter from the stock."""
    rules, t = written(*hands, **where)
    t.phase = PLAY
    return Pair(rules, t)


def put_row(t: Any, cards: list[int]) -> None:
    t.row[: len(cards)], t.row_size = cards, len(cards)


def put_stock(t: Any, cards: list[int]) -> None:
    t.stock[: len(cards)], t.stock_at, t.stock_end = cards, 0, len(cards)


# A table and its twin.


def card_or_none(value: int) -> int | None:
    return None if value == NO_CARD else int(value)


def twin_of(rules: Rum500Rules, t: Any) -> NaiveDeal:
    """The twin of a table as it stands; a reshuffle of it takes the order of the table's."""
    deal = NaiveDeal(settings_in_words(rules), list(range(54)), int(t.starter), lambda back: stock(t))
    n = rules.num_players
    deal.row, deal.stock, deal.melds = row(t), stock(t), melds(t)
    deal.hands, deal.known, deal.discards = ([set(ids(m)) for m in t[name][:n]] for name in ("hands", "known", "discards"))
    deal.joker_by = {52 + j: int(t.joker_by[j]) for j in range(2) if t.joker_as[j] != NO_CARD}
    deal.credit, deal.turn, deal.to_act = t.credit[:n].tolist(), int(t.turn), int(t.to_act)
    deal.phase, deal.ending, deal.closer = PHASES[t.phase], ENDINGS[t.ending], card_or_none(t.closer)
    deal.owed, deal.barred, deal.drawn = map(card_or_none, (t.owed, t.barred, t.drawn))
    deal.reshuffled = set(ids(t.reshuffled))
    return deal


class Pair:
    """A table of the engine and its twin, moved together and compared after every move. ``met`` counts what they met."""

    def __init__(self, rules: Rum500Rules, t: Any, deal: NaiveDeal | None = None):
        self.rules, self.t = rules, t
        self.deal = deal or twin_of(rules, t)
        self.met: Counter[str] = Counter()
        self.cards = cards_of(t)
        assert len(set(self.cards)) == len(self.cards)
        self.compare()

    @classmethod
    def dealt(cls, rules: Rum500Rules, seed: int, starter: int | None = None) -> "Pair":
        t = table(rules, seed, starter)
        assert is_whole(rules, t)
        return cls.of_pack(rules, t)

    @classmethod
    def of_pack(cls, rules: Rum500Rules, t: Any) -> "Pair":
        """A table just dealt and a twin that deals the same pack itself."""
        pack = t.stock[: 52 + rules.jokers].tolist()
        return cls(rules, t, NaiveDeal(settings_in_words(rules), pack, int(t.starter), lambda back: stock(t)))

    def play(self, action: int) -> None:
        self.note(action)
        play.apply(self.rules, self.t, action)
        self.deal.apply(action)
        self.compare()

    def do(self, *actions: str) -> "Pair":
        """Plays actions written as text, each of which must be legal."""
        for text in actions:
            action = parse_action(text)
            assert action in self.legal, f"{text} is not among {sorted(self.names())}"
            self.play(action)
        return self

    def names(self, *kinds: str) -> set[str]:
        """The legal actions as text: all, or those that begin with one of some words."""
        return {name for name in map(action_name, self.legal) if name.startswith(kinds or "")}

    def compare(self) -> None:
        t, deal, n = self.t, self.deal, self.rules.num_players
        for name in ("hands", "known", "discards"):
            assert [set(ids(m)) for m in t[name]] == getattr(deal, name) + [set()] * (6 - n), name
        assert (row(t), stock(t)) == (deal.row, deal.stock)
        assert (melds(t), set(ids(t.laid))) == (tuple(map(ordered, deal.melds)), deal.laid())
        assert {52 + j: by for j, by in enumerate(t.joker_by.tolist()) if by != NO_SEAT} == deal.joker_by
        assert {52 + j for j, c in enumerate(t.joker_as.tolist()) if c != NO_CARD} == deal.joker_by.keys()
        assert t.credit.tolist() == deal.credit + [0] * (6 - n)
        assert (PHASES[t.phase], t.to_act, t.turn, t.starter) == (deal.phase, deal.to_act, deal.turn, deal.starter)
        assert (ENDINGS[t.ending], card_or_none(t.closer)) == (deal.ending, deal.closer)
        assert [*map(card_or_none, (t.owed, t.barred, t.drawn))] == [deal.owed, deal.barred, deal.drawn]
        assert (t.took, set(ids(t.reshuffled))) == (len(deal.took), deal.reshuffled)
        assert t.points.tolist() == (deal.points() if deal.phase == "over" else [0] * n) + [0] * (6 - n)
        assert cards_of(t) == self.cards
        assert all(is_meld(deal.rules, m) for m in deal.melds)
        self.legal = deal.legal()
        assert bool(self.legal) == (deal.phase != "over")
        differ = self.legal ^ legal(self.rules, t)
        assert not differ, [action_name(a, t) for a in differ]
        self.note_table()

    # What was met.

    def note(self, action: int) -> None:
        self.last = kind = ACTIONS[action][0]
        self.met[kind_of(action)] += 1
        for duty in ("owed", "barred"):
            self.met[f"{kind} {duty}"] += getattr(self.deal, duty) is not None

    def note_table(self) -> None:
        deal = self.deal
        self.met["reshuffled"] += bool(deal.reshuffled)
        for places in deal.melds:
            self.met["two jokers in a meld"] += sum(j is not None for _, j in places) == 2
            self.met["corner run"] += not is_set(places) and any(rank(c) == 0 for c, _ in places[1:-1])
        if deal.phase == "over":
            self.met[f"end {deal.ending}"] += 1
            self.met["out by a lay"] += deal.ending == "out" and self.last != "discard"


# Random settings and moves.

SETTINGS: dict[str, tuple] = {
    "num_players": (2, 3, 4, 5, 6),
    "hand_size": (3, 5, 6, 7, 10, 13),
    "jokers": (0, 1, 2),
    "run_corner": (True, False),
    "row_use": ("none", "deep", "always"),
    "joker_rebind": (True, False),
    "joker_swap": (True, False),
    "swap_credit": ("swapper", "owner"),
    "max_jokers_per_meld": (0, 1, 2),
    "ace_value": ("10", "15", "11", "1", "15_or_1_low"),
    "go_out": ("discard", "discard_optional"),
    "stock_end": ("row_or_end", "end", "reshuffle"),
    "max_turns": (20, 60, 400),
    "target": (60, 500),
    "num_deals": (0, 2),
}


def random_rules(rng: random.Random, **fixed: Any) -> Rum500Rules:
    """A variant with most settings drawn at random."""
    while True:
        chosen = {name: rng.choice(values) for name, values in SETTINGS.items() if rng.random() < 0.8}
        try:
            return make_rules(rng.choice(VARIANTS500), **{**chosen, **fixed})
        except RulesError:
            continue


def kind_of(action: int) -> str:
    """What an action does, lays with the number of jokers they use: ``draw``, ``set with 1 jokers``, ``rebind up``."""
    kind, *details = ACTIONS[action]
    if kind in ("set", "run"):
        return f"{kind} with {sum(by_joker for _, by_joker in details[0])} jokers"
    if kind == "lay off":
        return f"lay off {'joker' if details[2] else 'card'} {details[1]}"
    return f"rebind {details[1]}" if kind == "rebind" else kind


def choose(rng: random.Random, actions: set[int], eager: float = 0.7) -> int:
    """A legal action: often a lay, and then of any kind as likely, so that rare kinds are met."""
    lays: dict[str, list[int]] = {}
    for action in sorted(actions):
        if ACTIONS[action][0] not in ("draw", "take", "discard", "pass"):
            lays.setdefault(kind_of(action), []).append(action)
    if lays and rng.random() < eager:
        return rng.choice(lays[rng.choice(sorted(lays))])
    return rng.choice(sorted(actions))
