"""The course of a deal of 500 Rum and of a match in plain Python: the twin that the engine is played against."""

from collections.abc import Callable, Iterator

from tests.naive500 import ACTIONS, JOKERS, NUMBER, Cards, Lay, Table, is_joker, lay, read, suit, total, within_reach


class NaiveDeal:
    """One deal, dealt from the top of ``pack``: the starter's hand, the next seat's, ..., the first row card, the stock.

    ``reshuffle`` is given the row cards that go back into the stock and returns them in their new order.
    """

    def __init__(self, words: dict, pack: list[int], starter: int = 0, reshuffle: Callable[[list[int]], list[int]] = list):
        rules = self.rules = read(words)
        n, size = rules.num_players, rules.hand_size
        self.hands: list[set[int]] = [set() for _ in range(n)]
        for k in range(n):
            self.hands[(starter + k) % n] = set(pack[k * size : (k + 1) * size])
        self.row = [pack[n * size]]
        self.stock = pack[n * size + 1 :]
        self.melds: Table = ()
        self.joker_by: dict[int, int] = {}
        self.credit = [0] * n
        self.known: list[set[int]] = [set() for _ in range(n)]
        self.discards: list[set[int]] = [set() for _ in range(n)]
        self.reshuffle, self.reshuffled = reshuffle, set[int]()
        self.starter = self.to_act = starter
        self.phase, self.ending = "draw", "none"
        self.turn = 0
        self.closer: int | None = None
        self._clear_turn()

    def _clear_turn(self) -> None:
        self.owed: int | None = None
        self.barred: int | None = None
        self.drawn: int | None = None
        self.took: set[int] = set()

    @property
    def hand(self) -> Cards:
        return frozenset(self.hands[self.to_act])

    # What may be done.

    def legal(self) -> set[int]:
        if self.phase == "draw":
            return self._legal_draws()
        if self.phase == "play":
            return self._legal_lays() | self._legal_discards()
        return set()

    def _legal_draws(self) -> set[int]:
        draws = {NUMBER[("draw",)] if self.stock else NUMBER[("pass",)]}
        for card in self.row:
            taken, owed, barred = self._take(card)
            if owed is None or self._honourable(owed, barred, self.hand | taken, self.melds, {}):
                draws.add(NUMBER[("take", card)])
        return draws

    def _take(self, card: int) -> tuple[Cards, int | None, int | None]:
        """What a take brings: the cards, the one that must be placed, the one that may not be put back."""
        taken = self.row[self.row.index(card) :]
        owes = self.rules.row_use == "always" or (self.rules.row_use == "deep" and len(taken) > 1)
        return frozenset(taken), card if owes else None, card if len(taken) == 1 else None

    def _lays(self, owed: int | None, barred: int | None, hand: Cards, table: Table) -> Iterator[tuple[int, Lay]]:
        for number in within_reach(hand):
            done = lay(self.rules, number, hand, table, (owed, barred))
            if done:
                yield number, done

    def _may_leave(self, barred: int | None, hand: Cards, table: Table) -> bool:
        """Whether a turn can end from here: by a discard, without one, or after the barred card went to the table."""
        if hand - {barred}:
            return True
        if not hand:
            return self.rules.go_out == "discard_optional"
        return any(self._may_leave(barred, done.hand, done.table) for _, done in self._lays(None, barred, hand, table))

    def _prepares(self, number: int, owed: int) -> bool:
        """Swaps, and lay-offs on runs of the owed card's suit, may come before the owed card."""
        kind, *details = ACTIONS[number]
        on_run = kind == "lay off" and details[1] != "set"
        return kind == "swap" or (on_run and not is_joker(owed) and suit(details[0]) == suit(owed))

    def _honourable(self, owed: int, barred: int | None, hand: Cards, table: Table, memo: dict) -> bool:
        """Whether preparations and then a lay can bring the owed card to the table and leave a hand to go on with."""
        key = hand, table
        if key not in memo:
            memo[key] = any(
                self._honours(owed, barred, number, done, memo) for number, done in self._lays(owed, barred, hand, table)
            )
        return memo[key]

    def _honours(self, owed: int, barred: int | None, number: int, done: Lay, memo: dict) -> bool:
        if owed in done.placed:
            return self._may_leave(barred, done.hand, done.table)
        return self._prepares(number, owed) and self._honourable(owed, barred, done.hand, done.table, memo)

    def _legal_lays(self) -> set[int]:
        owed, barred = self.owed, self.barred
        lays, memo = set(), {}
        for number, done in self._lays(owed, barred, self.hand, self.melds):
            if not self._may_leave(barred, done.hand, done.table):
                continue
            if owed is None or self._honours(owed, barred, number, done, memo):
                lays.add(number)
        return lays

    def _legal_discards(self) -> set[int]:
        return set() if self.owed is not None else {NUMBER["discard", c] for c in self.hand - {self.barred}}

    # What happens.

    def apply(self, action: int) -> None:
        kind, *details = ACTIONS[action]
        if kind == "draw":
            self.drawn = self.stock.pop(0)
            self.hands[self.to_act].add(self.drawn)
            self.phase = "play"
        elif kind == "take":
            self._apply_take(*details)
        elif kind == "discard":
            self._apply_discard(*details)
        elif kind == "pass":
            self._end("stock_out")
        else:
            self._apply_lay(action)

    def _apply_take(self, card: int) -> None:
        taken, self.owed, self.barred = self._take(card)
        self.took = set(taken)
        self.row = self.row[: self.row.index(card)]
        self.hands[self.to_act] |= taken
        self.known[self.to_act] |= taken
        self.phase = "play"

    def _apply_lay(self, action: int) -> None:
        seat = self.to_act
        done = lay(self.rules, action, self.hand, self.melds, (self.owed, self.barred))
        assert done, f"not a lay: {ACTIONS[action]}"
        self.hands[seat], self.melds = set(done.hand), done.table
        self.known[seat] &= done.hand
        if done.taken is None:
            self.credit[seat] += done.points
        else:
            laid_by = self.joker_by.pop(done.taken)
            self.known[seat].add(done.taken)
            if self.rules.swap_credit == "swapper":
                self.credit[seat] += done.points
                self.credit[laid_by] -= 15
        for joker in done.placed & set(JOKERS):
            self.joker_by[joker] = seat
        if self.owed in done.placed:
            self.owed = None
        if not done.hand:
            self.closer = seat
            self._end("out")

    def _apply_discard(self, card: int) -> None:
        seat = self.to_act
        self.hands[seat].remove(card)
        self.known[seat].discard(card)
        self.discards[seat].add(card)
        self.row.append(card)
        self.turn += 1
        if not self.hands[seat]:
            self.closer = seat
            self._end("out")
        elif self.rules.stock_end == "end" and not self.stock:
            self._end("stock_out")
        elif self.turn >= self.rules.max_turns:
            self._end("capped")
        else:
            self._next_turn()

    def _next_turn(self) -> None:
        if self.rules.stock_end == "reshuffle" and not self.stock and len(self.row) > 1:
            back = self.row[:-1]
            self.reshuffled = set(back)
            self.stock = list(self.reshuffle(back))
            self.row = self.row[-1:]
        self.to_act = (self.to_act + 1) % self.rules.num_players
        self.phase = "draw"
        self._clear_turn()

    def _end(self, ending: str) -> None:
        self.phase, self.ending = "over", ending

    # What it is worth, and where the cards are.

    def points(self) -> list[int]:
        """What each seat would score now: the cards it has laid less the cards it holds."""
        return [credit - total(self.rules, hand) for credit, hand in zip(self.credit, self.hands)]

    def laid(self) -> set[int]:
        """The cards on the table themselves, jokers as jokers."""
        return {c if j is None else j for meld in self.melds for c, j in meld}

    def places(self) -> list[int]:
        """Every card where it lies: hands, row, stock, table."""
        table = [c if j is None else j for meld in self.melds for c, j in meld]
        return [*(c for hand in self.hands for c in hand), *self.row, *self.stock, *table]

    def is_whole(self) -> bool:
        return sorted(self.places()) == list(range(52 + self.rules.jokers))


class NaiveMatch:
    """Scores of a match, deal by deal."""

    def __init__(self, words: dict, starter: int):
        self.rules, self.starter = read(words), starter
        self.scores, self.wins = [0] * self.rules.num_players, [0] * self.rules.num_players
        self.deals = 0
        self.winner: int | None = None

    def add(self, points: list[int]) -> None:
        self.deals += 1
        self.scores = [a + b for a, b in zip(self.scores, points)]
        self.wins = [w + (p == max(points)) for w, p in zip(self.wins, points)]
        self.starter = (self.starter + 1) % self.rules.num_players
        best = max(self.scores)
        enough = self.deals >= self.rules.num_deals if self.rules.num_deals else best >= self.rules.target
        if enough and self.scores.count(best) == 1:
            self.winner = self.scores.index(best)
