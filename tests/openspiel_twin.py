"""OpenSpiel's ``gin_rummy`` behind our actions: the other side of the lock-step test and of the perft counts.

Their cards are ``13 * "scdh".index(suit) + rank`` and ours ``13 * "SHDC".index(suit) + rank``. They knock in moves
(knock, the discard, each meld, pass; then the defender's lay-offs, pass, melds, pass) where our close is one
action and the showdown automatic: a close here plays the knock and the discard, and :func:`showdown_points`
searches the rest.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import pyspiel

from eval.openspiel import theirs as swap
from rummy_env.gin.actions import CLOSE, DRAW_STOCK, PASS, TAKE_UPCARD

GIN = pyspiel.gin_rummy
UTILS = GIN.GinRummyUtils(13, 4, 10)
PHASE = GIN.Phase
KNOCK = GIN.KNOCK_ACTION
SPIEL_PASS = GIN.PASS_ACTION
PLAIN = {GIN.DRAW_UPCARD_ACTION: TAKE_UPCARD, GIN.DRAW_STOCK_ACTION: DRAW_STOCK, SPIEL_PASS: PASS}
SPIEL_PLAIN = {ours: theirs for theirs, ours in PLAIN.items()}

#: Undealt states, to be cloned.
_EMPTY = {
    "gin-openspiel": pyspiel.load_game("gin_rummy").new_initial_state(),
    "oklahoma-openspiel": pyspiel.load_game("gin_rummy", {"oklahoma": True}).new_initial_state(),
}


class OfferedTooFew(Exception):
    """Their knock is not legal although a discard leaves few enough points: their 11-card deadwood is too high."""


def exact(cards: Iterable[int]) -> int:
    """The least deadwood of up to ten of their cards."""
    return UTILS.min_deadwood(list(cards))


class Twin:
    """A deal in OpenSpiel, spoken to in our actions. Player 0 starts."""

    def __init__(self, variant: str, pack: list[int]) -> None:
        """``pack``: our cards in the order player 0's hand, player 1's hand, upcard, stock."""
        self.state = _EMPTY[variant].clone()
        self.pack = [swap(c) for c in pack]
        for card in self.pack[:21]:
            self.state.apply_action(card)

    def copy(self) -> "Twin":
        other = object.__new__(Twin)
        other.state, other.pack = self.state.clone(), self.pack
        return other

    @property
    def to_act(self) -> int:
        return self.state.current_player()

    @property
    def over(self) -> bool:
        """Whether the deal is over, or only the showdown remains."""
        return self.state.is_terminal() or (self.state.current_phase() == PHASE.KNOCK and self._hand_size() == 10)

    def _hand_size(self) -> int:
        return len(self.state.hands()[self.to_act])

    def hands(self) -> list[set[int]]:
        return [{swap(c) for c in hand} for hand in self.state.hands()]

    def table(self) -> set[int]:
        """Our pile: their discards and the upcard."""
        upcard = self.state.upcard()
        return {swap(c) for c in self.state.discard_pile()} | (set() if upcard is None else {swap(upcard)})

    def legal(self) -> set[int]:
        """Our legal actions. Raises OfferedTooFew where their inexact deadwood forbids a knock."""
        if self.over:
            return set()
        theirs = self.state.legal_actions()
        legal = {PLAIN[a] if a in PLAIN else swap(a) for a in theirs if a != KNOCK}
        closes = self._closes()
        if KNOCK in theirs:
            offered = {CLOSE + swap(a) for a in self.state.child(KNOCK).legal_actions()}
            assert offered == closes, (offered, closes)
        elif closes:
            raise OfferedTooFew
        return legal | closes

    def _closes(self) -> set[int]:
        hand = list(self.state.hands()[self.to_act])
        if self.state.current_phase() == PHASE.WALL:
            hand.append(self.state.upcard())
        if len(hand) != 11:
            return set()
        limit = self.state.knock_card()
        return {CLOSE + swap(c) for c in hand if exact(x for x in hand if x != c) <= limit}

    def apply(self, action: int) -> None:
        if action < CLOSE:
            self.state.apply_action(swap(action))
        elif action < DRAW_STOCK:
            self.state.apply_action(KNOCK)
            self.state.apply_action(swap(action - CLOSE))
        else:
            self.state.apply_action(SPIEL_PLAIN[action])
        if self.state.is_chance_node():
            self.state.apply_action(self.pack[52 - self.state.stock_size()])


def arrangements(hand: list[int]) -> Iterator[tuple[frozenset[int], frozenset[int], list[list[int]]]]:
    """(cards in sets, cards in runs, melds) of each arrangement of ten of their cards with the least deadwood."""
    seen = set()
    least = exact(hand)
    for melds in [*UTILS.all_meld_groups(hand), []]:
        used = {c for meld in melds for c in meld}
        if sum(UTILS.card_value(c) for c in hand if c not in used) != least:
            continue
        sets = frozenset(c for meld in melds if UTILS.is_rank_meld(meld) for c in meld)
        runs = frozenset(used - sets)
        if (sets, runs) not in seen:
            seen.add((sets, runs))
            yield sets, runs, melds


def defence(state: Any, defender: int) -> float:
    """The defender's best return from a state in their lay-off phase, by search."""
    memo: dict[Any, float] = {}

    def best(node: Any) -> float:
        if node.is_terminal():
            return node.returns()[defender]
        key = (tuple(sorted(node.hands()[defender])), tuple(sorted(node.layoffs())), node.finished_layoffs())
        if key not in memo:
            memo[key] = max(best(node.child(action)) for action in node.legal_actions())
        return memo[key]

    return best(state)


def showdown_points(twin: Twin) -> dict[tuple[frozenset[int], frozenset[int]], int]:
    """The knocker's points for each of his best arrangements, by (our cards in sets, in runs), against the best defence."""
    knocker = twin.to_act
    values = {}
    for sets, runs, melds in arrangements(list(twin.state.hands()[knocker])):
        state = twin.state.clone()
        for meld in melds:
            state.apply_action(GIN.MELD_ACTION_BASE + UTILS.meld_to_int(sorted(meld)))
        state.apply_action(SPIEL_PASS)
        if state.is_terminal():
            values[ours(sets), ours(runs)] = int(state.returns()[knocker])
        else:
            values[ours(sets), ours(runs)] = -int(defence(state, 1 - knocker))
    return values


def ours(cards: frozenset[int]) -> frozenset[int]:
    return frozenset(swap(c) for c in cards)
