"""The arena: agents meet on the same decks in every seat, and every figure carries a 95% interval.

The unit is a deck, played once for each rotation of the line-up round the table, so that the luck of the cards falls out: with
two players that is a mirrored pair. A deck is decided by (seed, number, deal). Intervals are clustered by deck: all its
rotations, and all deals of their games, count as one observation.
"""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from rummy_env.bits import GAMMA
from rummy_env.envs.tables import Tables
from rummy_env.games import Game, game_of
from rummy_env.rules import make_rules, num_seats

SCHEMA = "rummy-arena/v1"
CHUNK = 2048
#: Deals after which a game between players who do not finish counts as shared.
MOST_DEALS = 500
NOBODY = -1


class Estimate(NamedTuple):
    """A mean and the half-width of its 95% interval (NaN, printed as –, from fewer than two decks)."""

    mean: float
    half: float

    def text(self, factor: float = 1.0, digits: int = 1, sign: str = "") -> str:
        """As printed: ``+6.60 ± 0.44``."""
        half = f"{self.half * factor:.{digits}f}" if self.half == self.half else "–"
        return f"{self.mean * factor:{sign}.{digits}f} ± {half}"


class Deals(NamedTuple):
    """Finished deals, one row each. A *place* is a position in the line-up; columns are by place."""

    deck: NDArray[np.int64]
    points: NDArray[np.int64]  # [m, n]
    ending: NDArray[np.int64]
    closer: NDArray[np.int64]  # place of who closed, -1 for nobody
    starter: NDArray[np.int64]  # place of who began
    turns: NDArray[np.int64]
    left: NDArray[np.int64]  # [m, n] the game's second column of a result: deadwood in gin, points laid in 500 Rum


class Games(NamedTuple):
    """Finished games: the deck, and each place's share of the win, float64[m, n], even where nobody won."""

    deck: NDArray[np.int64]
    won: NDArray[np.float64]


class Played(NamedTuple):
    """What came of a line-up: its names and game, the deals, the games if any, and each place's time and decisions."""

    names: tuple[str, ...]
    game: Game
    deals: Deals
    games: Games | None
    seconds: tuple[float, ...]
    decisions: tuple[int, ...]


def ratio(deck: NDArray[np.int64], values: NDArray[Any]) -> Estimate:
    """The mean of ``values`` with a 95% interval clustered by ``deck`` (ratio estimator, linearised)."""
    if len(values) == 0:
        return Estimate(float("nan"), float("nan"))
    _, cluster = np.unique(deck, return_inverse=True)
    counts = np.bincount(cluster).astype(float)
    sums = np.bincount(cluster, values.astype(float))
    mean = sums.sum() / counts.sum()
    n = len(counts)
    if n < 2:
        return Estimate(float(mean), float("nan"))
    spread = np.sqrt(((sums - mean * counts) ** 2).sum() * n / (n - 1)) / counts.sum()
    return Estimate(float(mean), float(1.96 * spread))


def play(lineup: Sequence[Agent], variant: str, decks: int, seed: int, *, games: bool = False, **settings: Any) -> Played:
    """Plays ``decks`` decks, or games on them to the match's end, once in each rotation of the line-up.

    Raises RulesError for an unknown variant or setting, and ValueError for fewer than one deck or another number of agents
    than the variant has players.
    """
    if decks < 1:
        raise ValueError(f"decks={decks} is not possible: at least one deck")
    seats = num_seats(make_rules(variant, **settings))
    if len(lineup) != seats:
        raise ValueError(f"a line-up of {len(lineup)} agents is not possible: {variant} has {seats} players")
    rounds = [
        _Round(lineup, variant, np.arange(low, min(low + CHUNK, decks)), seed, games, settings)
        for low in range(0, decks, CHUNK)
    ]
    for part in rounds:
        part.run()
    deals = Deals(*(np.concatenate(column) for column in zip(*(d for part in rounds for d in part.finished))))
    won = Games(*(np.concatenate(column) for column in zip(*(g for part in rounds for g in part.won)))) if games else None
    return Played(
        tuple(agent.name for agent in lineup),
        game_of(variant),
        deals,
        won,
        tuple(sum(part.seconds[place] for part in rounds) for place in range(seats)),
        tuple(sum(part.decisions[place] for part in rounds) for place in range(seats)),
    )


class _Round:
    """One batch of decks: with k of them table r * k + i plays deck i in rotation r, place p on seat (p + r) % n."""

    def __init__(
        self,
        lineup: Sequence[Agent],
        variant: str,
        decks: NDArray[np.int64],
        seed: int,
        games: bool,
        settings: dict[str, Any],
    ) -> None:
        n, k = len(lineup), len(decks)
        self.lineup = lineup
        self.deck = np.tile(decks, n)
        self.tables = Tables(n * k, variant, seed, ids=self.deck, **settings)
        self.rotation = np.repeat(np.arange(n), k)
        # the decks are the same in every rotation; the dice of scripted policies are not
        for r in range(1, n):
            at = self.rotation == r
            self.tables.state.dice[at] = ~self.tables.state.dice[at] + np.uint64((r - 1) * int(GAMMA) % (1 << 64))
        self.seats = (np.arange(n) + self.rotation[:, None]) % n
        self.games = games
        self.rng = np.random.default_rng([seed % (1 << 63), int(decks[0])])
        self.finished: list[Deals] = []
        self.won: list[Games] = []
        self.seconds, self.decisions = [0.0] * n, [0] * n

    def run(self) -> None:
        live = self.tables.all_rows
        while len(live):
            over = self.tables.over[live]
            if over.any():
                live = np.concatenate((live[~over], self._end_deals(live[over])))
            self._act(live)

    def _places(self, rows: NDArray[np.int64], seats: NDArray[Any]) -> NDArray[np.int64]:
        return (seats.astype(np.int64) - self.rotation[rows]) % len(self.lineup)

    def _act(self, live: NDArray[np.int64]) -> None:
        places = self._places(live, self.tables.state.to_act[live])
        for place, agent in enumerate(self.lineup):
            rows = live[places == place]
            if not len(rows):
                continue
            obs, masks = self.tables.observe(rows=rows, outlook=agent.outlook) if agent.needs_observation else _NOTHING
            began = time.perf_counter()
            actions = agent.act(obs, masks, self.tables.view(rows), self.rng)
            self.seconds[place] += time.perf_counter() - began
            self.decisions[place] += len(rows)
            self.tables.step(actions, rows)

    def _end_deals(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Notes finished deals; returns the rows whose game goes on with a next deal."""
        state, seats, n = self.tables.state, self.seats[rows], len(self.lineup)
        closed = state.closer[rows] < n
        self.finished.append(
            Deals(
                self.deck[rows],
                np.take_along_axis(state.points[rows], seats, 1).astype(np.int64),
                state.ending[rows].astype(np.int64),
                np.where(closed, self._places(rows, state.closer[rows]), NOBODY),
                self._places(rows, state.starter[rows]),
                state.turn[rows].astype(np.int64),
                np.take_along_axis(state[self.tables.game.state.RESULT[1]][rows], seats, 1).astype(np.int64),
            )
        )
        if not self.games:
            return rows[:0]
        winners = self.tables.settle(rows)
        undecided = (winners < 0) & (state.match_deals[rows] >= MOST_DEALS)
        ended = (winners >= 0) | undecided
        won = np.where(undecided[:, None], 1 / n, seats == winners[:, None])
        self.won.append(Games(self.deck[rows][ended], won[ended]))
        self.tables.next_deals(rows[~ended])
        return rows[~ended]


_NOTHING = (np.empty((0, 0), np.float32), np.empty((0, 0), np.int8))


def finish_rates(game: Game, endings: NDArray[np.int64], closed: NDArray[np.bool_]) -> dict[str, float]:
    """Shares of all deals by how they ended for one seat, which has ``closed`` them or not: the game's outcomes."""
    rates = dict.fromkeys(game.outcomes(), 0.0)
    for ending in np.unique(endings):
        for own in (True, False):
            rates[game.outcome(int(ending), own)] += float(((endings == ending) & (closed == own)).mean())
    return rates


def figures(played: Played, places: Sequence[int] = (0,)) -> dict[str, Any]:
    """The figures of the agent that held some places of a line-up: estimates and rates.

    ``first_places`` is the share of deals with the most points, shared where several have them, ``rank`` the mean rank (1 is
    the most points), ``margin`` the points above the mean of the others; ``deals_won`` counts only deals with more points
    than anybody else, ``deals_lost`` those in which somebody had more.
    """
    deals, games = played.deals, played.games
    n = deals.points.shape[1]
    deck = np.tile(deals.deck, len(places))
    own = np.concatenate([deals.points[:, place] for place in places])
    everybody = np.tile(deals.points, (len(places), 1))
    closed = np.concatenate([deals.closer == place for place in places])
    ahead = (everybody > own[:, None]).sum(1)
    level = (everybody == own[:, None]).sum(1)
    decisions = sum(played.decisions[place] for place in places)
    return {
        "deals": len(own),
        "points_per_deal": ratio(deck, own),
        "margin": ratio(deck, (own * n - everybody.sum(1)) / (n - 1)),
        "first_places": ratio(deck, (ahead == 0) / level),
        "rank": ratio(deck, 1 + ahead + (level - 1) / 2),
        "deals_won": ratio(deck, (ahead == 0) & (level == 1)),
        "deals_lost": ratio(deck, ahead > 0),
        "games": 0 if games is None else len(games.won) * len(places),
        "games_won": None
        if games is None
        else ratio(np.tile(games.deck, len(places)), np.concatenate([games.won[:, place] for place in places])),
        "finish": finish_rates(played.game, np.tile(deals.ending, len(places)), closed),
        "turns_per_deal": float(deals.turns.mean()),
        f"{played.game.state.RESULT[1]}_at_end": float(np.mean([deals.left[:, place].mean() for place in places])),
        "ms_per_decision": 1000 * sum(played.seconds[place] for place in places) / max(1, decisions),
    }


def meet(first: Agent, second: Agent, variant: str, decks: int, seed: int, *, games: bool = False, **settings: Any) -> Played:
    """One agent against another that holds all other seats: :func:`play` of that line-up, the first at place 0."""
    seats = num_seats(make_rules(variant, **settings))
    return play([first, *[second] * (seats - 1)], variant, decks, seed, games=games, **settings)


def summary(played: Played) -> dict[str, Any]:
    """The figures of a :func:`meet` from the first agent's view."""
    return {"first": played.names[0], "second": played.names[-1]} | figures(played)
