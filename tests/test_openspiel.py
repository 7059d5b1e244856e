"""Lock-step against OpenSpiel: random deals of ``gin-openspiel`` and ``oklahoma-openspiel`` in both engines at once.

After each move the seat to act, the legal actions, the hands, the pile, the stock, the upcard, the deadwood and the
limit are compared; a close is compared by the knocker's points under the best play of both sides. One of their
quirks is let pass, checked exactly, counted, and must stay rare: their knock is not offered although a discard leaves
few enough points, because their deadwood of eleven cards is too high (that of the ten that stay is not). The deal
then goes on without a close on that turn. That they lay off at most two cards on one end of a run changes no
points: three such cards are a run themselves.
"""

import random
from collections import Counter

import numpy as np
import pytest

from rummy_env.deck import stock_count
from rummy_env.gin.actions import CLOSE, DRAW_STOCK, PASS, TAKE_UPCARD, action_name
from rummy_env.gin.melds import deadwood
from rummy_env.gin.play import apply, lay_out, limit_of
from rummy_env.gin.showdown import lay_down
from rummy_env.gin.state import DISCARD, ENDINGS, LAST_KNOCK, OVER, new_state
from rummy_env.rules import make_rules
from tests.helpers import JIT, count, ids, legal

pytest.importorskip("pyspiel", reason="open_spiel is not installed (the extra 'peers')")
from tests import openspiel_twin as spiel

VARIANTS = ("gin-openspiel", "oklahoma-openspiel")
#: How a deal is played: the chance to close when possible, to take the upcard, to throw a taken upcard back (else it
#: stays in hand), and to discard for the least deadwood.
STYLES = {
    "eager": (0.7, 0.3, 0.0, 0.95),
    "patient": (0.1, 0.3, 0.0, 0.95),
    "for gin": (0.0, 0.4, 0.0, 0.97),
    "collector": (0.02, 1.0, 0.0, 0.3),
    "thrower": (0.3, 0.5, 0.15, 0.9),
    "random": (0.3, 0.3, 0.03, 0.5),
}


def pack_of(rng: random.Random) -> list[int]:
    """A shuffled pack; in half the deals the hands come from two suits or seven ranks, which makes melds and lay-offs."""
    pack = rng.sample(range(52), 52)
    kind = rng.randrange(4)
    if kind == 2:
        suits = rng.sample(range(4), 2)
        pack.sort(key=lambda c: c // 13 not in suits)
    elif kind == 3:
        low = rng.randrange(7)
        pack.sort(key=lambda c: not low <= c % 13 < low + 7)
    if kind >= 2 and rng.random() < 0.5:
        rest = pack[20:]
        rng.shuffle(rest)
        pack[20:] = rest
    return pack


def choose(rng: random.Random, style: str, t, actions: set[int]) -> int:
    """A legal action in a style."""
    close, take, rethrow, careful = STYLES[style]
    closes = sorted(a for a in actions if CLOSE <= a < DRAW_STOCK)
    seat = int(t.to_act)
    if t.phase == LAST_KNOCK:
        return rng.choice(closes) if closes and rng.random() < 0.5 else PASS
    if t.phase != DISCARD:
        return TAKE_UPCARD if TAKE_UPCARD in actions and rng.random() < take else min(actions - {TAKE_UPCARD})
    hand = t.hands[seat]
    after = {c: deadwood(hand & ~np.uint64(1 << c)) for c in sorted(a for a in actions if a < CLOSE)}
    gins = [CLOSE + c for c in after if after[c] == 0 and CLOSE + c in actions]
    if gins and rng.random() < 0.7:
        return rng.choice(gins)
    if closes and rng.random() < close:
        return rng.choice(closes)
    if not t.from_stock:
        if rng.random() < rethrow:
            return int(t.drawn)
        after.pop(int(t.drawn), None)
    if rng.random() < careful:
        least = min(after.values())
        return rng.choice([c for c in after if after[c] == least])
    return rng.choice(list(after))


def compare(rules, t, twin: spiel.Twin) -> None:
    """Asserts that both engines are in the same position."""
    assert (t.phase == OVER) == twin.over
    if twin.over:
        return
    state = twin.state
    assert int(t.to_act) == twin.to_act
    assert [ids(hand) for hand in t.hands] == twin.hands()
    assert ids(t.pile) == twin.table()
    assert stock_count(t) == state.stock_size()
    if t.phase != DISCARD:  # theirs counts as discarded once the stock is drawn
        assert int(t.upcard) == spiel.swap(state.upcard())
    assert limit_of(rules, np.int64(t.opening)) == state.knock_card()
    for seat in range(2):
        if len(state.hands()[seat]) == 10:
            assert deadwood(t.hands[seat]) == state.deadwood()[seat]


def compare_showdown(rules, t, twin: spiel.Twin, seen: Counter) -> None:
    """Asserts that both engines give a closed deal the same points."""
    knocker = int(t.closer)
    points = int(t.points[knocker])
    shown = lay_down(rules, t.hands[knocker], t.hands[1 - knocker])
    arrangement = tuple(ids(m) for m in (shown.knocker_sets, shown.knocker_runs))
    values = spiel.showdown_points(twin)
    seen["arrangements of the knocker"] += len(values)
    assert points == values[arrangement] == max(values.values())


def play_both(variant: str, seed: int, seen: Counter) -> None:
    """One deal in both engines."""
    rng = random.Random(seed)
    rules = make_rules(variant)
    pack = pack_of(rng)
    style = rng.choice(list(STYLES))
    t = new_state(1)[0]
    t.stock[:] = pack
    lay_out(rules, t, 0)
    twin = spiel.Twin(variant, pack)
    line: list[str] = []
    try:
        compare(rules, t, twin)
        while t.phase != OVER:
            actions = legal(rules, t)
            try:
                assert actions == twin.legal()
            except spiel.OfferedTooFew:
                seen["knock not offered"] += 1
                state = twin.state
                cards = list(state.hands()[twin.to_act]) + ([state.upcard()] if t.phase == LAST_KNOCK else [])
                assert spiel.UTILS.min_deadwood(cards) > state.knock_card()
                actions = {a for a in actions if not CLOSE <= a < DRAW_STOCK}
            action = choose(rng, style, t, actions)
            line.append(action_name(action))
            seen["moves"] += 1
            seen["closed at two"] += int(t.phase == LAST_KNOCK and action != PASS)
            seen["could close"] += int(any(CLOSE <= a < DRAW_STOCK for a in actions))
            seen["thrown back"] += int(t.phase == DISCARD and not t.from_stock and action == t.drawn)
            apply(rules, t, action)
            twin.apply(action)
            compare(rules, t, twin)
        finish(rules, t, twin, seen)
    except AssertionError as error:
        raise AssertionError(f"{variant}, seed {seed}, pack {pack}: {', '.join(line)}\n{error}") from error


def finish(rules, t, twin: spiel.Twin, seen: Counter) -> None:
    ending = ENDINGS[t.ending]
    seen[ending] += 1
    if ending == "dead":
        assert twin.state.is_terminal()
        assert twin.state.returns() == [0, 0] == t.points.tolist()
        seen["dead: thrown back twice"] += int(t.rethrows >= 2)
        seen["dead: 50th upcard"] += int(t.takes.sum() >= 50)
        seen["dead: passed at two"] += int(t.rethrows < 2 and t.takes.sum() < 50)
    else:
        compare_showdown(rules, t, twin, seen)


def play_many(variant: str, deals: int) -> Counter:
    seen: Counter = Counter()
    for seed in range(deals):
        play_both(variant, seed, seen)
    print(f"{variant}, {deals} deals: {dict(sorted(seen.items()))}")
    return seen


def check(variant: str, deals: int) -> None:
    """Plays, and asserts that all kinds of endings were met and the quirks were rare."""
    seen = play_many(variant, count(deals))
    if not JIT:
        return
    for kind in ("knock", "gin", "undercut", "tie", "closed at two", "thrown back", "dead: 50th upcard"):
        assert seen[kind] > 0, kind
    assert seen["dead: thrown back twice"] > 0
    assert seen["dead: passed at two"] > 0
    assert seen["knock not offered"] <= 1 + seen["could close"] // 1000


@pytest.mark.parametrize("variant", VARIANTS)
def test_lock_step(variant):
    check(variant, 200)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_lock_step_long(variant):
    check(variant, 3000)
