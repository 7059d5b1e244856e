"""Ratings of more entrants than sit at one table: how often each finishes ahead of each other, on one scale.

Every deal (or game) ranks the entrants at the table; each pair of them is one comparison, a tie half a win for both. The
strengths are those of Bradley and Terry, fitted by the iteration of Hunter (2004), and given as Elo does: 400 points are odds
of ten to one, the mean is 0. One win and one loss against an average player are added to each entrant, so that
who never loses is rated too. Intervals resample the decks.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 200
_SCALE = 400 / np.log(10)


class Rating(NamedTuple):
    """An entrant's rating and the half-width of its 95% interval."""

    agent: str
    rating: float
    half: float


def wins_between(entrants: NDArray[np.int64], values: NDArray[Any], count: int) -> NDArray[np.float64]:
    """How often each of ``count`` entrants was ahead of each other, float64[count, count].

    ``entrants`` int64[m, n] are the players of m tables, ``values`` [m, n] what they are ranked by, the most first.
    Comparisons of an entrant with itself are left out.
    """
    wins = np.zeros((count, count))
    for i in range(entrants.shape[1]):
        for j in range(i + 1, entrants.shape[1]):
            a, b = entrants[:, i], entrants[:, j]
            ahead = np.where(values[:, i] > values[:, j], 1.0, np.where(values[:, i] < values[:, j], 0.0, 0.5))
            np.add.at(wins, (a, b), ahead)
            np.add.at(wins, (b, a), 1 - ahead)
    np.fill_diagonal(wins, 0)
    return wins


def fit(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ratings float64[k] from ``wins`` float64[k, k]."""
    games = wins + wins.T
    won = wins.sum(1) + 1
    strength = np.ones(len(wins))
    for _ in range(2000):
        before = strength
        expected = (games / (strength[:, None] + strength[None, :])).sum(1) + 2 / (strength + 1)
        strength = won / expected
        if np.abs(np.log(strength / before)).max() < 1e-9:
            break
    ratings = _SCALE * np.log(strength)
    return ratings - ratings.mean()


def rate(names: list[str], tables: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]], seed: int) -> list[Rating]:
    """Ratings, best first, from the results of several line-ups.

    ``tables`` has for each line-up: decks int64[m], entrants int64[m, n] as places in ``names``, and values [m, n].
    The resampling is drawn under ``seed``.
    """
    count = len(names)
    by_deck: dict[int, NDArray[np.float64]] = {}
    for decks, entrants, values in tables:
        for deck in np.unique(decks):
            at = decks == deck
            wins = wins_between(entrants[at], values[at], count)
            by_deck[int(deck)] = by_deck.get(int(deck), 0) + wins
    all_wins = np.stack(list(by_deck.values()))
    rng = np.random.default_rng(seed % (1 << 63))
    drawn = [fit(all_wins[rng.integers(len(all_wins), size=len(all_wins))].sum(0)) for _ in range(RESAMPLES)]
    halves = 1.96 * np.std(drawn, axis=0, ddof=1)
    ratings = fit(all_wins.sum(0))
    rows = [Rating(name, float(rating), float(half)) for name, rating, half in zip(names, ratings, halves)]
    return sorted(rows, key=lambda row: -row.rating)
