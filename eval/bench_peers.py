"""The other side of the benchmark: what OpenSpiel and RLCard do in the same time, through their documented calls.

Each function returns a rate a second. :func:`missing` says what to install where a peer is not there.
"""

import random
import time
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

_MODULES = {"open_spiel": "pyspiel", "rlcard": "rlcard"}
Hands = Sequence[Sequence[int]]


def missing(peer: str) -> str | None:
    """What to do about a peer that is not installed; None if it is."""
    return None if find_spec(_MODULES[peer]) else f"{peer} not installed: pip install 'rummy-env[peers]'"


def best_rate(work: Callable[[], int], seconds: float, clock: Callable[[], float] = time.process_time) -> float:
    """Things done a second by ``work``, which returns how many it did: the best of all its calls within some seconds.

    By default in seconds of this process's own CPU time, so that waiting for others does not count.

    Calls should be short, so that on a busy machine some of them run undisturbed, and each should do the same or a mean
    amount, so that the best is the least disturbed and not the luckiest.
    """
    work()  # loads and compiles
    best, end = 0.0, time.perf_counter() + seconds
    while True:
        began = clock()
        done = work()
        best = max(best, done / (clock() - began))
        if time.perf_counter() >= end:
            return best


def _each(hands: Hands, call: Callable[[Any], Any]) -> Callable[[], int]:
    """Work that calls ``call`` on every hand."""

    def work() -> int:
        for hand in hands:
            call(hand)
        return len(hands)

    return work


@cache
def _spiel_game() -> Any:
    import pyspiel

    return pyspiel.load_game("gin_rummy")


def spiel_deadwood(hands: Hands, seconds: float) -> float:
    """OpenSpiel's ``min_deadwood`` from Python, hands a second."""
    import pyspiel

    return best_rate(_each(hands[:4000], pyspiel.gin_rummy.GinRummyUtils(13, 4, 10).min_deadwood), seconds)


def spiel_random_play(seconds: float, *, observed: bool = False, deals: bool = False) -> float:
    """Random legal play in OpenSpiel from Python, steps (or deals) a second; ``observed``: tensor and mask at each step."""
    game = _spiel_game()

    def deal(rng: random.Random) -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            legal = state.legal_actions()
            if not state.is_chance_node():
                steps += 1
                if observed:
                    state.observation_tensor()
                    state.legal_actions_mask()
            state.apply_action(rng.choice(legal))
        return 1 if deals else steps

    def work() -> int:
        rng = random.Random(0)
        return sum(deal(rng) for _ in range(10))

    return best_rate(work, seconds)


def spiel_simple(seconds: float) -> float:
    """OpenSpiel's C++ ``evaluate_bots`` with its simple bot at both seats, deals a second."""
    import pyspiel

    game = _spiel_game()
    bots = [pyspiel.make_simple_gin_rummy_bot(game.get_parameters(), seat) for seat in range(2)]

    def work() -> int:
        for seed in range(10):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
        return 10

    return best_rate(work, seconds)


def rlcard_deadwood(hands: Hands, seconds: float) -> float:
    """RLCard's best meld cluster and its deadwood, hands a second."""
    from rlcard.games.gin_rummy.utils import melding, utils

    def call(hand: Any) -> int:
        clusters = melding.get_best_meld_clusters(hand)
        return utils.get_deadwood_count(hand, clusters[0] if clusters else [])

    return best_rate(_each([[utils.get_card(c) for c in hand] for hand in hands[:500]], call), seconds)


def rlcard_best_discard(hands: Hands, seconds: float) -> float:
    """The best discard as RLCard's rule agent finds it: every meld cluster without each card; hands a second."""
    from rlcard.games.gin_rummy.utils import melding, utils

    def left(hand: Any) -> int:
        clusters = melding.get_meld_clusters(hand)
        return min((utils.get_deadwood_count(hand, c) for c in clusters), default=utils.get_deadwood_count(hand, []))

    def call(hand: Any) -> int:
        return min(left(hand[:i] + hand[i + 1 :]) for i in range(len(hand)))

    return best_rate(_each([[utils.get_card(c) for c in hand] for hand in hands[:100]], call), seconds)


def rlcard_env_steps(seconds: float) -> float:
    """RLCard's ``env.step`` with random legal actions, steps a second."""
    import rlcard

    env = rlcard.make("gin-rummy", config={"seed": 0})

    def work() -> int:
        rng = random.Random(0)
        env.seed(0)
        steps = 0
        for _ in range(4):
            state, _ = env.reset()
            while not env.is_over():
                state, _ = env.step(rng.choice(list(state["legal_actions"])))
                steps += 1
        return steps

    return best_rate(work, seconds)
