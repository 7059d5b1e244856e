"""The course of a deal of gin and of a match in plain Python: the twin that the engine is played against."""

from collections.abc import Callable
from types import SimpleNamespace

from rummy_env.gin.actions import BIG_GIN, CLOSE, DRAW_STOCK, PASS, TAKE_UPCARD
from tests.naive import PACK, deadwood, score, showdown, value

OFFERS = ("first_offer", "second_offer")


class Deal:
    """One deal between seats 0 and 1, dealt from the top of ``pack``: the starter, the other, the upcard, the stock.

    ``turn_over`` puts the cards of a reshuffle in their new order.
    """

    def __init__(self, rules: SimpleNamespace, pack: list[int], starter: int, turn_over: Callable[[set[int]], list[int]]):
        n = rules.hand_size
        self.rules, self.turn_over = rules, turn_over
        hands = [set(pack[:n]), set(pack[n : 2 * n])]
        self.hands = hands if starter == 0 else hands[::-1]
        self.pile = [pack[2 * n]]
        self.stock = pack[2 * n + 1 :]
        self.opening = pack[2 * n]
        self.starter = self.to_act = starter
        self.phase, self.ending = "first_offer", "none"
        self.known, self.discards, self.declined = ([set(), set()] for _ in range(3))
        self.takes, self.turns, self.points = [0, 0], [0, 0], [0, 0]
        self.pairs: list[list[tuple[int, int]]] = [[], []]
        self.reshuffles: list[set[int]] = []
        self.drawn: int | None = None
        self.from_stock = False
        self.rethrows = 0
        self.closer: int | None = None
        self.aside: int | None = None
        self.results: dict[tuple[int, int], tuple[str, int]] = {}

    # What may be done.

    def limit(self) -> int:
        if not self.rules.oklahoma:
            return self.rules.knock_limit
        return 0 if value(self.opening) == 1 else min(value(self.opening), self.rules.knock_limit)

    def legal(self) -> set[int]:
        if self.phase in OFFERS:
            return {TAKE_UPCARD, PASS}
        if self.phase == "forced_draw":
            return {DRAW_STOCK}
        if self.phase == "draw":
            return {DRAW_STOCK, TAKE_UPCARD}
        if self.phase == "discard":
            taken = None if self.from_stock else self.drawn
            out = self._cards_out(self.hands[self.to_act], taken)
            may_close = self.from_stock or self.rules.knock_after == "any"
            return out | (self._closes(self.hands[self.to_act], out) if may_close else set())
        if self.phase == "last_knock":
            hand = self.hands[self.to_act] | {self.pile[-1]}
            return {PASS} | self._closes(hand, self._cards_out(hand, self.pile[-1]))
        return set()

    def _cards_out(self, hand: set[int], taken: int | None) -> set[int]:
        return hand if self.rules.rediscard_taken else hand - {taken}

    def _closes(self, hand: set[int], out: set[int]) -> set[int]:
        closes = {CLOSE + c for c in out if deadwood(frozenset(hand - {c})) <= self.limit()}
        if self.rules.big_gin_bonus and deadwood(frozenset(hand)) == 0:
            closes.add(BIG_GIN)
        return closes

    # What happens.

    def play(self, action: int) -> None:
        if self.phase == "last_knock" and action == PASS:
            self._end("dead")
        elif self.phase == "last_knock":
            self.hands[self.to_act].add(self.pile.pop())
            self._close(action)
        elif action == PASS:
            self._pass()
        elif action == DRAW_STOCK:
            self.declined[self.to_act].add(self.pile[-1])
            self._receive(self.stock.pop(0), from_stock=True)
        elif action == TAKE_UPCARD:
            self._take()
        elif action < CLOSE:
            self._discard(action)
        else:
            self._close(action)

    def _pass(self) -> None:
        self.declined[self.to_act].add(self.pile[-1])
        self.to_act = 1 - self.to_act
        if self.phase == "second_offer":
            self.phase = "forced_draw"
        else:
            self.phase = "draw" if self.rules.first_upcard == "invert" else "second_offer"

    def _take(self) -> None:
        seat, card = self.to_act, self.pile.pop()
        self.known[seat].add(card)
        self.discards[seat].discard(card)
        self.declined[seat].discard(card)
        opening = self.phase in OFFERS
        self._receive(card, from_stock=False)
        if not opening:
            self.takes[seat] += 1
            if sum(self.takes) == self.rules.max_takes:
                self._end("dead")

    def _receive(self, card: int, from_stock: bool) -> None:
        self.hands[self.to_act].add(card)
        self.drawn, self.from_stock, self.phase = card, from_stock, "discard"

    def _discard(self, card: int) -> None:
        seat = self.to_act
        self.hands[seat].remove(card)
        self.known[seat].discard(card)
        self.discards[seat].add(card)
        self.pile.append(card)
        self.pairs[seat].append((self.drawn, card))
        self.turns[seat] += 1
        self.rethrows = self.rethrows + 1 if card == self.drawn and not self.from_stock else 0
        self.to_act, self.phase, self.drawn = 1 - seat, "draw", None
        self._after_discard()

    def _after_discard(self) -> None:
        if self.rethrows == 2:
            return self._end("dead")
        if self.rules.stock_end == "reshuffle_at_3":
            if len(self.stock) <= 3:
                self._reshuffle()
        elif len(self.stock) <= 2:
            if self.rules.stock_end == "void_at_2":
                return self._end("dead")
            self.phase = "last_knock"
            return None
        if sum(self.turns) >= self.rules.max_turns:
            self._end("capped")
        return None

    def _reshuffle(self) -> None:
        turned = set(self.pile[:-1])
        self.stock += self.turn_over(turned)
        self.pile = self.pile[-1:]
        self.reshuffles.append(turned)

    def _close(self, action: int) -> None:
        seat = self.closer = self.to_act
        big = action == BIG_GIN
        if not big:
            self.aside = action - CLOSE
            self.hands[seat].remove(self.aside)
        knocker, defender = frozenset(self.hands[seat]), frozenset(self.hands[1 - seat])
        bonus = None
        if deadwood(knocker) == 0:
            bonus = self.rules.big_gin_bonus if big else self.rules.gin_bonus
        for end in showdown(self.rules, knocker, defender):
            ending, points = score(self.rules, self.opening, bonus, end)
            self.results[end] = ("big_gin" if big else ending, points)
        self._end("closed")

    def _end(self, ending: str) -> None:
        self.phase, self.ending = "over", ending

    def places(self) -> list[int]:
        """Every card where it lies: both hands, the pile, the stock, and the card put aside."""
        aside = [] if self.aside is None else [self.aside]
        return [*self.hands[0], *self.hands[1], *self.pile, *self.stock, *aside]

    def is_whole(self) -> bool:
        return len(self.places()) == 52 and set(self.places()) == PACK


class Match:
    """Scores of a match, deal by deal."""

    def __init__(self, rules: SimpleNamespace):
        self.rules = rules
        self.scores, self.wins = [0, 0], [0, 0]
        self.winner: int | None = None

    def add(self, points: int) -> None:
        """Scores a deal: the points of seat 0 (negative: of seat 1)."""
        if points:
            won = 0 if points > 0 else 1
            self.wins[won] += 1
            if self.rules.scoring == "plus":
                self.scores[won] += abs(points)
            else:
                self.scores[1 - won] -= abs(points)
            if max(map(abs, self.scores)) >= self.rules.target:
                self._finish(won)

    def _finish(self, winner: int) -> None:
        self.winner = winner
        for seat in (0, 1):
            self.scores[seat] += self.rules.box_bonus * self.wins[seat]
        self.scores[winner] += self.rules.game_bonus
        if self.wins[1 - winner] == 0:
            self.scores[winner] += self.rules.shutout

    def next_starter(self, starter: int, ending: str, points: int) -> int:
        """Who begins the deal after one that ``starter`` began, by its ending and the points of seat 0."""
        closed = ending not in ("dead", "capped")
        if self.rules.starter == "seat0":
            return 0
        if self.rules.starter == "alternate":
            return 1 - starter
        if self.rules.starter == "alternate_scored":
            return 1 - starter if closed else starter
        if points == 0:
            return starter
        won = 0 if points > 0 else 1
        return won if self.rules.starter == "winner" else 1 - won
