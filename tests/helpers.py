"""What the tests share: hands as masks and as sets, tables dealt by hand, actions as text, and sizes of runs."""

from collections.abc import Iterable

import numba
import numpy as np

from rummy_env.bits import stream
from rummy_env.cards import card_list, ids_of
from rummy_env.gin import play
from rummy_env.gin.actions import CLOSE, DRAW_STOCK, NUM_ACTIONS, action_name, parse_action
from rummy_env.gin.state import PHASES, new_state
from rummy_env.match import start_match
from rummy_env.rules import GinRules

JIT = not numba.config.DISABLE_JIT


def count(n: int, share: int = 30) -> int:
    """``n`` trials, or far fewer where the kernels are interpreted."""
    return n if JIT else max(n // share, 5)


def mask(cards: Iterable[int]) -> np.uint64:
    return np.uint64(sum(1 << int(c) for c in cards))


def cards(text: str) -> frozenset[int]:
    return frozenset(card_list(text))


def ids(bits: int | np.uint64) -> frozenset[int]:
    return frozenset(ids_of(bits))


def hands_of(n: int, size: int, seed: int, among: Iterable[int] = range(52)) -> list[frozenset[int]]:
    """``n`` random hands from some cards."""
    among = np.array(list(among))
    order = np.random.default_rng(seed).random((n, len(among))).argpartition(size - 1, axis=1)[:, :size]
    return [frozenset(row) for row in among[order].tolist()]


def rich_hands(n: int, size: int, seed: int) -> list[frozenset[int]]:
    """Hands full of melds: from four neighbouring ranks, from five scattered ones, or from two suits."""
    rng = np.random.default_rng(seed)
    found: list[frozenset[int]] = []
    while len(found) < n:
        low = rng.integers(10)
        kinds = (range(low, low + 4), rng.choice(13, 5, replace=False), None)
        for ranks in kinds:
            suits = range(4) if ranks is not None else rng.choice(4, 2, replace=False)
            among = [13 * int(s) + int(r) for s in suits for r in (range(13) if ranks is None else ranks)]
            found += hands_of(4, size, int(rng.integers(1 << 32)), among)
    return found[:n]


# Tables.


def table(rules: GinRules, seed: int = 0, index: int = 0):
    """A table with the first deal of a match dealt."""
    t = new_state(1)[0]
    t.key = stream(np.uint64(seed), np.uint64(index))
    t.dice = stream(np.uint64(seed + 1), np.uint64(index))
    start_match(rules, t)
    return t


def dealt(rules: GinRules, first: str, second: str = "", upcard: str = "", stock: str = "", starter: int = 0):
    """A table whose deal is written down: the starter's hand, the other's, the upcard, and the stock from its top.

    What is left out is filled up from the rest of the pack, high cards first.
    """
    t = new_state(1)[0]
    named = [card_list(x) for x in (first, second, upcard, stock)]
    rest = [c for c in sorted(range(52), key=lambda c: (-(c % 13), c)) if not any(c in part for part in named)]
    pack: list[int] = []
    for part, size in zip(named, (rules.hand_size, rules.hand_size, 1, 52)):
        size = min(size, 52 - len(pack))
        assert len(part) <= size, f"too many cards: {len(part)}, not {size}"
        pack += part + [rest.pop(0) for _ in range(size - len(part))]
    t.stock[:] = pack
    play.lay_out(rules, t, starter)
    return t


def legal(rules: GinRules, t) -> set[int]:
    """The legal actions as ids."""
    discards, closes, other = play.legal(rules, t)
    return {*ids(discards), *(CLOSE + c for c in ids(closes)), *(DRAW_STOCK + k for k in ids(other))}


def legal_names(rules: GinRules, t) -> set[str]:
    return {action_name(a) for a in legal(rules, t)}


def do(rules: GinRules, t, *actions: str) -> None:
    """Plays actions written as text, each of which must be legal."""
    for text in actions:
        action = parse_action(text)
        assert action in legal(rules, t), f"{text} is not among {sorted(legal_names(rules, t))}"
        play.apply(rules, t, action)


def pass_turns(rules: GinRules, t, n: int) -> None:
    """``n`` turns in which the card drawn from the stock is thrown away."""
    for _ in range(n):
        if PHASES[t.phase] in ("first_offer", "second_offer"):
            do(rules, t, "pass", "pass")
        play.apply(rules, t, DRAW_STOCK)
        play.apply(rules, t, int(t.drawn))


def phase(t) -> str:
    return PHASES[t.phase]


def stock(t) -> list[int]:
    """The stock from its top."""
    return t.stock[int(t.stock_at) : int(t.stock_end)].tolist()


ALL_ACTIONS = range(-1, NUM_ACTIONS + 2)
