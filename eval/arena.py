"""The arena: agents meet on mirrored decks, and every figure carries a 95% interval.

The unit is a mirrored pair: the same decks played twice with the seats exchanged, so that the luck of the cards falls
out. A deck is decided by (seed, pair, deal). Intervals are clustered by pair: the two halves, and all deals of
two mirrored games, count as one observation.
"""

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from rummy_env.envs.tables import Tables
from rummy_env.gin.state import ENDINGS, UNDERCUT

SCHEMA = "rummy-arena/v1"
CHUNK = 2048
#: Deals after which a game between players who do not finish counts as half won.
MOST_DEALS = 500


class Estimate(NamedTuple):
    """A mean and the half-width of its 95% interval (NaN, printed as –, from fewer than two pairs)."""

    mean: float
    half: float

    def text(self, factor: float = 1.0, digits: int = 1, sign: str = "") -> str:
        """As printed: ``+6.60 ± 0.44``."""
        half = f"{self.half * factor:.{digits}f}" if self.half == self.half else "–"
        return f"{self.mean * factor:{sign}.{digits}f} ± {half}"


class Deals(NamedTuple):
    """Finished deals from the first agent's view, one row each."""

    pair: NDArray[np.int64]
    points: NDArray[np.int64]
    ending: NDArray[np.int64]
    closed: NDArray[np.bool_]  # the first agent closed (False: the second, or nobody)
    turns: NDArray[np.int64]
    deadwood: NDArray[np.int64]  # [k, 2] left at the end: the first agent's, the second's
    began: NDArray[np.bool_]  # the first agent began the deal, so the second dealt


class Games(NamedTuple):
    """Finished games: the pair, and 1 if the first agent won, 0 if not, ½ if undecided."""

    pair: NDArray[np.int64]
    won: NDArray[np.float64]


class MatchUp(NamedTuple):
    """What came out between two agents, from the first one's view."""

    first: str
    second: str
    deals: Deals
    games: Games | None
    seconds: tuple[float, float]  # time each agent took to act
    decisions: tuple[int, int]


def ratio(pair: NDArray[np.int64], values: NDArray[Any]) -> Estimate:
    """The mean of ``values`` with a 95% interval clustered by ``pair`` (ratio estimator, linearised)."""
    if len(values) == 0:
        return Estimate(float("nan"), float("nan"))
    _, cluster = np.unique(pair, return_inverse=True)
    counts = np.bincount(cluster).astype(float)
    sums = np.bincount(cluster, values.astype(float))
    mean = sums.sum() / counts.sum()
    n = len(counts)
    if n < 2:
        return Estimate(float(mean), float("nan"))
    spread = np.sqrt(((sums - mean * counts) ** 2).sum() * n / (n - 1)) / counts.sum()
    return Estimate(float(mean), float(1.96 * spread))


def play(first: Agent, second: Agent, variant: str, pairs: int, seed: int, *, games: bool = False, **settings: Any) -> MatchUp:
    """Plays ``pairs`` mirrored deals, or mirrored games to the variant's target.

    Raises RulesError for an unknown variant or setting and ValueError for fewer than one pair.
    """
    if pairs < 1:
        raise ValueError(f"pairs={pairs} is not possible: at least one pair")
    parts = [
        _Round(first, second, variant, np.arange(low, min(low + CHUNK, pairs)), seed, games, settings).run()
        for low in range(0, pairs, CHUNK)
    ]
    deals = Deals(*(np.concatenate(columns) for columns in zip(*(part.deals for part in parts))))
    decided = (
        Games(*(np.concatenate(columns) for columns in zip(*(part.games for part in parts if part.games)))) if games else None
    )
    return MatchUp(
        first.name,
        second.name,
        deals,
        decided,
        (sum(p.seconds[0] for p in parts), sum(p.seconds[1] for p in parts)),
        (sum(p.decisions[0] for p in parts), sum(p.decisions[1] for p in parts)),
    )


class _Round:
    """One batch of mirrored pairs: table k and table k + n see the same decks, with the seats exchanged."""

    def __init__(
        self,
        first: Agent,
        second: Agent,
        variant: str,
        pairs: NDArray[np.int64],
        seed: int,
        games: bool,
        settings: dict[str, Any],
    ) -> None:
        n = len(pairs)
        self.agents = (first, second)
        self.tables = Tables(2 * n, variant, seed, ids=np.concatenate((pairs, pairs)), **settings)
        # the decks are the same in both halves; the dice of scripted policies are not
        self.tables.state.dice[n:] = ~self.tables.state.dice[n:]
        self.pair = np.concatenate((pairs, pairs))
        self.first_seat = np.repeat([0, 1], n)
        self.games = games
        self.rng = np.random.default_rng([seed % (1 << 63), int(pairs[0])])
        self.finished: list[Deals] = []
        self.won: list[Games] = []
        self.seconds, self.decisions = [0.0, 0.0], [0, 0]

    def run(self) -> MatchUp:
        live = self.tables.all_rows
        while len(live):
            over = self.tables.over[live]
            if over.any():
                live = np.concatenate((live[~over], self._end_deals(live[over])))
            self._act(live)
        deals = Deals(*(np.concatenate(column) for column in zip(*self.finished)))
        games = Games(*(np.concatenate(column) for column in zip(*self.won))) if self.games else None
        names = [agent.name for agent in self.agents]
        return MatchUp(
            names[0], names[1], deals, games, (self.seconds[0], self.seconds[1]), (self.decisions[0], self.decisions[1])
        )

    def _act(self, live: NDArray[np.int64]) -> None:
        second_acts = self.tables.state.to_act[live] != self.first_seat[live]
        for k, agent in enumerate(self.agents):
            rows = live[second_acts == bool(k)]
            if not len(rows):
                continue
            obs, masks = self.tables.observe(rows=rows, outlook=agent.outlook) if agent.needs_observation else _NOTHING
            began = time.perf_counter()
            actions = agent.act(obs, masks, self.tables.view(rows), self.rng)
            self.seconds[k] += time.perf_counter() - began
            self.decisions[k] += len(rows)
            self.tables.step(actions, rows)

    def _end_deals(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Notes finished deals; returns the rows whose game goes on with a next deal."""
        state, seat = self.tables.state, self.first_seat[rows]
        deadwood = np.stack((state.deadwood[rows, seat], state.deadwood[rows, 1 - seat]), 1)
        self.finished.append(
            Deals(
                self.pair[rows],
                state.points[rows, seat].astype(np.int64),
                state.ending[rows].astype(np.int64),
                state.closer[rows] == seat,
                state.turn[rows].astype(np.int64),
                deadwood.astype(np.int64),
                state.starter[rows] == seat,
            )
        )
        if not self.games:
            return rows[:0]
        winners = self.tables.settle(rows)
        undecided = (winners < 0) & (state.match_deals[rows] >= MOST_DEALS)
        ended = (winners >= 0) | undecided
        won = np.where(undecided, 0.5, winners == seat)
        self.won.append(Games(self.pair[rows][ended], won[ended]))
        self.tables.next_deals(rows[~ended])
        return rows[~ended]


_NOTHING = (np.empty((0, 0), np.float32), np.empty((0, 0), np.int8))


def finish_rates(deals: Deals) -> dict[str, float]:
    """Shares of all deals by how they ended; ``undercut_by`` is the first agent undercutting the other."""
    decided = [name for name in ENDINGS if name not in ("none", "undercut")]
    rates: dict[str, float] = {}
    for name in decided:
        at = deals.ending == ENDINGS.index(name)
        if name in ("knock", "gin", "big_gin"):
            rates[name] = float((at & deals.closed).mean())
            rates[f"{name}_against"] = float((at & ~deals.closed).mean())
        else:
            rates[name] = float(at.mean())
    undercut = deals.ending == UNDERCUT
    rates["undercut"] = float((undercut & ~deals.closed).mean())
    rates["undercut_against"] = float((undercut & deals.closed).mean())
    return rates


def summary(match_up: MatchUp) -> dict[str, Any]:
    """The figures of a match-up from the first agent's view: estimates and rates."""
    deals, games = match_up.deals, match_up.games
    return {
        "first": match_up.first,
        "second": match_up.second,
        "deals": len(deals.points),
        "points_per_deal": ratio(deals.pair, deals.points),
        "deals_won": ratio(deals.pair, deals.points > 0),
        "deals_lost": ratio(deals.pair, deals.points < 0),
        "games": 0 if games is None else len(games.won),
        "games_won": None if games is None else ratio(games.pair, games.won),
        "finish": finish_rates(deals),
        "turns_per_deal": float(deals.turns.mean()),
        "deadwood_at_end": float(deals.deadwood[:, 0].mean()),
        "ms_per_decision": tuple(1000 * s / max(1, n) for s, n in zip(match_up.seconds, match_up.decisions)),
    }
