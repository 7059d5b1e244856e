"""One learner a table: seats, opponents, episodes and rewards, shared by all single-agent environments.

An episode is a deal or a match. The reward is the learner's points of each finished deal (or their margin over the mean of
all seats), divided by :data:`POINTS_PER_REWARD`. An illegal action ends the episode, lost with
:data:`ILLEGAL_PENALTY` points, or raises.
An episode that would end before the learner has acted is dealt anew. When an episode is over there is nothing to
choose: its mask is all ones, so that a softmax over a batch in which some tables are done stays finite.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rummy_env.envs import episodes
from rummy_env.envs.chances import win_chances
from rummy_env.envs.tables import Rows, SeatView, Tables
from rummy_env.errors import ActionError
from rummy_env.policy import NUM_PARAMETERS
from rummy_env.reward import CHANCE, NO_CHANCES, REWARDS
from rummy_env.rules import book_of, unknown_name
from rummy_env.search import LEARNER, MOST_CANDIDATES, foretell, value_candidates
from rummy_env.state import NOT_ENDED, new_records, plain

POINTS_PER_REWARD = 25.0
ILLEGAL_PENALTY = 100.0

_OPTIONS = ("opponents", "seat", "episode", "reward", "illegal", "obs", "privileged", "foretold", "shaping", "threads")


@runtime_checkable
class Opponent(Protocol):
    """An opponent that is not compiled: called once a round for all tables that wait for it.

    With an attribute ``outlook`` that is true it is given observations with OUTLOOK_SPEC.
    """

    def act(
        self, obs: NDArray[np.float32], mask: NDArray[np.int8], view: SeatView, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Actions int64[k] for observations float32[k, OBS_SIZE] and masks int8[k, NUM_ACTIONS]."""
        ...


Opponents: TypeAlias = (
    "str | Opponent | Sequence[str | Opponent] | Mapping[str, float] | Sequence[tuple[str | Opponent, float]] | None"
)


class Outcome(NamedTuple):
    """What a step brought, by table: rewards float32, terminations, truncations and illegal actions bool, points int64.

    ``points`` are the learner's of the deals finished in the step (or the penalty).
    """

    rewards: NDArray[np.float32]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    illegal: NDArray[np.bool_]
    points: NDArray[np.int64]


def weighted(opponents: Opponents) -> list[tuple[Any, float]]:
    """Opponents with weights from a name, an object, a list of those, or a mapping or list with weights."""
    if isinstance(opponents, str | Opponent):
        return [(opponents, 1.0)]
    if not isinstance(opponents, Mapping | Sequence):
        raise ValueError(f"opponents={opponents!r} is not possible: a policy's name, an object with act(), or several of them")
    items = list(opponents.items()) if isinstance(opponents, Mapping) else list(opponents)
    pairs = [item if isinstance(item, tuple) else (item, 1.0) for item in items]
    if not pairs or any(not weight >= 0 for _, weight in pairs) or sum(weight for _, weight in pairs) <= 0:
        raise ValueError(f"opponents={opponents!r} is not possible: at least one, with weights not negative and not all 0")
    return pairs


class LearnerTables:
    """``n`` tables with one learner each.

    ``seat`` is the learner's, or "random" or "alternating" (the next one) by episode. ``opponents`` names compiled policies, or
    holds objects with :meth:`Opponent.act` (None: the game's DEFAULT policy): for each episode and each other seat one is
    drawn by weight. ``episode`` is "deal" or "match"; ``reward`` is "points", "margin" (the points less the mean over all
    seats, which in gin is the same), "place" (the margin, and a bonus for the first place) or, for two players, "chance" (what
    a deal changes in the chance to win the match), as :mod:`rummy_env.reward` has them; ``illegal`` is "lose" or "raise";
    ``obs`` is "float" (OBS_SPEC), "outlook" (with OUTLOOK_SPEC) or "bits".

    ``shaping`` adds that many times the fall since the last decision of what the own hand costs (in gin its least deadwood, in
    500 Rum its points), over POINTS_PER_REWARD, to the reward. This is potential-based: the potential is minus that cost,
    and 0 once the episode is over, so that over an episode the additions sum to the first hand's cost, whatever is
    played (undiscounted; with a discount below 1 they do not).

    ``foretold`` names scripted policies: for each of them a number is appended to the observation, what the learner would earn
    if from now on that policy played for it, on the stock and the hands as they lie. That is for a critic in training, whose
    noise it takes away, as ``privileged`` is.

    Other keywords are settings of the rules. Raises RulesError, PolicyError or ValueError, which name what is wrong.
    """

    def __init__(
        self,
        n: int,
        variant: str = "gin-es",
        seed: int = 0,
        *,
        opponents: Opponents = None,
        seat: str | int = "random",
        episode: str = "deal",
        reward: str = "points",
        illegal: str = "lose",
        obs: str = "float",
        privileged: bool = False,
        foretold: Sequence[str] = (),
        shaping: float = 0.0,
        threads: int = 1,
        **settings: Any,
    ) -> None:
        known = book_of(variant).settings
        for name in settings:
            if name not in known:
                raise unknown_name("option or setting", name, (*_OPTIONS, *known))
        self.tables = Tables(n, variant, seed, threads=threads, **settings)
        seats: dict[str, int] = {str(k): k for k in range(self.tables.num_seats)}
        seats |= {"random": episodes.RANDOM_SEAT, "alternating": episodes.ALTERNATING_SEAT}
        for name, value, allowed in (
            ("seat", str(seat), tuple(seats)),
            ("episode", episode, ("deal", "match")),
            ("reward", reward, REWARDS),
            ("illegal", illegal, ("lose", "raise")),
            ("obs", obs, ("float", "outlook", "bits")),
        ):
            if value not in allowed:
                raise ValueError(f"{name}={value!r} is not possible: {name} allows {' | '.join(allowed)}")
        if (privileged or foretold) and obs == "bits":
            raise ValueError(f"{'privileged=True' if privileged else 'foretold'} does not go with obs='bits'")
        self.seat_mode, self.by_match, self.reward = seats[str(seat)], episode == "match", REWARDS.index(reward)
        self.bits, self.outlook, self.privileged = obs == "bits", obs == "outlook", privileged
        self.illegal, self.shaping = illegal, shaping
        self.chances = win_chances(variant, self.tables.rules) if self.reward == CHANCE else NO_CHANCES
        self.foretold = [self.tables.game.parse_policy(name) for name in foretold]
        # in a match a deal that reaches max_turns is a deal like others
        self._capped = -1 if self.by_match else self.tables.game.state.CAPPED
        self._episodes = new_records(n, episodes.EPISODE)
        self.set_opponents(opponents)
        self.reset(seed)

    def set_opponents(self, opponents: Opponents) -> None:
        """Replaces the opponents; they are drawn for an episode, so one under way may go on against others.

        Raises PolicyError or ValueError.
        """
        pairs = weighted(self.tables.game.policies.DEFAULT if opponents is None else opponents)
        self.opponents = [opponent for opponent, _ in pairs]
        policies, parameters = np.full(len(pairs), -1), np.zeros((len(pairs), NUM_PARAMETERS))
        quick, quick_parameters = policies.copy(), parameters.copy()
        game = self.tables.game
        for k, opponent in enumerate(self.opponents):
            if isinstance(opponent, str):
                policies[k], parameters[k] = game.parse_policy(opponent)
                quick[k], quick_parameters[k] = game.parse_policy(game.policies.QUICK.get(opponent.partition(":")[0], opponent))
        weights = np.array([weight for _, weight in pairs], float)
        # an episode under way keeps its opponents' numbers, which must still exist
        self.opponent[:] = np.minimum(self.opponent, len(pairs) - 1)
        self._quick, self._quick_parameters = quick, quick_parameters
        self._policies, self._parameters, self._odds = policies, parameters, np.cumsum(weights / weights.sum())
        self._all_compiled = bool((policies >= 0).all())

    @property
    def learners(self) -> NDArray[np.int64]:
        """int64[n]: the learners' seats, a fresh array."""
        return self._episodes.learner.copy()

    @property
    def opponent(self) -> NDArray[np.int64]:
        """int64[n, MAX_SEATS]: by table and seat, the number in ``opponents`` of who plays there in this episode."""
        return self._episodes.opponents

    def __len__(self) -> int:
        return len(self.tables)

    def reset(
        self,
        seed: int | None = None,
        rows: Rows | None = None,
        *,
        ids: ArrayLike | None = None,
        seat: int | None = None,
    ) -> None:
        """Begins new episodes at all tables (or ``rows``); with a seed, those tables start anew under it.

        ``ids`` int[k] are the tables' ids under the seed (default: their rows); ``seat`` seats the learner in these
        episodes, whatever the usual way.
        """
        if seed is not None:
            self.tables.seed(seed, ids, rows)
            if rows is None:
                self.rng = np.random.default_rng(seed % (1 << 64))
        rows = self.tables.all_rows if rows is None else rows
        if seed is not None:
            self._episodes.learner[rows] = self.tables.num_seats - 1
        self._begin(rows, self.seat_mode if seat is None else seat)

    def place(self, row: int, t: Any, seat: int) -> None:
        """Goes on at one table from position ``t`` (``state[i]``) as a new episode, with the learner on ``seat``.

        The table keeps its dice and opponents. Raises ValueError for a finished deal.
        """
        if t.ending != NOT_ENDED:
            raise ValueError("an episode cannot begin at a finished deal")
        state, rows = self.tables.state, np.array([row])
        dice = state.dice[row]
        state[row] = t
        state.dice[row] = dice
        episode = self._episodes[row]
        # who would have sat there takes the learner's place
        episode.opponents[episode.learner] = episode.opponents[seat]
        episode.learner, episode.acted = seat, 0
        self._start(rows)

    def step(self, actions: NDArray[np.int64], rows: Rows | None = None) -> Outcome:
        """Plays the learners' actions at all tables (or ``rows``) and on to their next decision or the episode's end.

        Tables that are done show the finished deal until :meth:`reset` begins a new episode there. With
        ``illegal="raise"`` an illegal action raises ActionError and every table stays as it was.
        """
        rows = self.tables.all_rows if rows is None else rows
        actions = np.asarray(actions, np.int64)
        if actions.shape != rows.shape:
            raise ValueError(f"actions have shape {actions.shape} for {len(rows)} tables")
        if self.illegal == "raise":
            self._refuse_illegal(rows, actions)
        given, n = self._for_kernels, len(rows)
        bad, done = np.empty(n, bool), np.empty(n, bool)
        points, rewards = np.empty(n, np.int64), np.empty(n, np.float32)
        self.tables.spread(lambda r, a, b: episodes.learner_actions(*given, r, a, b), rows, actions, bad)
        if bad.any():
            self._run(rows[~bad])
            episodes.lose_episodes(given[2], rows[bad], ILLEGAL_PENALTY)
        else:
            self._run(rows)
        episodes.take_outcomes(given[2], rows, POINTS_PER_REWARD, rewards, points, done)
        if self.shaping:
            rewards += self._shape(rows, done)
        truncated = done & (given[1]["ending"][rows] == self._capped)
        return Outcome(rewards, done & ~truncated, truncated, bad, points)

    def observe(self, rows: Rows | None = None) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """What the learners see now: observations [k, width] and masks int8[k, NUM_ACTIONS], fresh arrays."""
        seats = self.learners if rows is None else self.learners[rows]
        rows = self.tables.all_rows if rows is None else rows
        obs: NDArray[Any]
        if self.bits:
            obs, masks = self.tables.observe_bits(seats, rows)
        else:
            obs, masks = self.tables.observe(seats, rows, outlook=self.outlook, privileged=self.privileged)
            if self.foretold:
                obs = np.concatenate((obs, self._foretell(rows)), 1)
        episodes.fill_done(self._for_kernels[2], rows, masks)
        return obs, masks

    def masks(self, rows: Rows | None = None) -> NDArray[np.int8]:
        """The legal actions of the learners, int8[k, NUM_ACTIONS], a fresh array; all ones where an episode is over."""
        rows = self.tables.all_rows if rows is None else rows
        masks = self.tables.masks(rows)
        episodes.fill_done(self._for_kernels[2], rows, masks)
        return masks

    def candidate_values(
        self, worlds: int, policy: int, parameters: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """What each learner could do now, and what it would earn in the mean of ``worlds`` sampled worlds, for training.

        Actions int64[n, MOST_CANDIDATES], -1 behind the last, and their values in points by the tables' reward. Worlds keep
        the hands as they lie (:mod:`rummy_env.search`); in them a scripted policy plays for the learner, and for opponents that
        are not compiled, the others play themselves or by their QUICK form. Uses the tables' dice.
        """
        n, tables = len(self), self.tables
        fields, state = tables.for_kernels
        policies, given = np.append(self._quick, policy), np.vstack((self._quick_parameters, parameters))
        searcher = len(self._policies)
        seated = np.where(self._policies[self.opponent] < 0, searcher, self.opponent)
        seated[np.arange(n), self._episodes.learner] = searcher
        actions, values = np.empty((n, MOST_CANDIDATES), np.int64), np.empty((n, MOST_CANDIDATES))
        dtype = tables.game.state.TABLE

        def value(rows: Rows, seats: Any, into: Any, worth: Any) -> None:
            work = plain(new_records(2, dtype), dtype)
            value_candidates(fields, state, rows, work, worlds, seats, policies, given, *self._price, into, worth)

        tables.spread(value, tables.all_rows, seated, actions, values)
        return actions, values

    def _foretell(self, rows: Rows) -> NDArray[np.float32]:
        """What the learners would earn, in units of the reward, if each of the ``foretold`` policies played on for them."""
        fields, state = self.tables.for_kernels
        first = len(self._policies)
        policies = np.append(self._quick, [number for number, _ in self.foretold])
        parameters = np.vstack((self._quick_parameters, *(values for _, values in self.foretold)))
        opponent, learners = self.opponent[rows], self.learners[rows]
        seated = np.where(self._policies[opponent] < 0, first, opponent)
        seated[np.arange(len(rows)), learners] = LEARNER
        out = np.empty((len(rows), len(self.foretold)), np.float32)
        dtype = self.tables.game.state.TABLE

        def tell(rows: Rows, learners: Any, seats: Any, into: Any) -> None:
            work = plain(new_records(1, dtype), dtype)
            foretell(fields, state, rows, work, learners, seats, first, policies, parameters, *self._price, into)

        self.tables.spread(tell, rows, learners, seated, out)
        return out / np.float32(POINTS_PER_REWARD)

    def _refuse_illegal(self, rows: Rows, actions: NDArray[np.int64]) -> None:
        inside = (actions >= 0) & (actions < self.tables.num_actions)
        legal = inside & (self.tables.masks(rows)[np.arange(len(rows)), np.where(inside, actions, 0)] == 1)
        if not legal.all():
            at = int(np.flatnonzero(~legal)[0])
            raise ActionError(self.tables.illegal_text(int(rows[at]), int(actions[at])))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All there is to know of the tables, so that :meth:`set_arrays` puts another instance where this one is."""
        return {"episodes": np.asarray(self._episodes), "state": np.asarray(self.tables.state)}

    def set_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restores what :meth:`arrays` gave."""
        self._episodes[:] = arrays["episodes"]
        self.tables.state[:] = arrays["state"]

    @property
    def _price(self) -> tuple[int, NDArray[np.float64]]:
        return self.reward, self.chances

    @property
    def _for_kernels(self) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]:
        return *self.tables.for_kernels, plain(self._episodes, episodes.EPISODE)

    def _begin(self, rows: Rows, seat_mode: int) -> None:
        episodes.begin_episodes(*self._for_kernels, rows, seat_mode, self._odds)
        self._start(rows)

    def _start(self, rows: Rows) -> None:
        self._episodes.points[rows] = 0
        self._episodes.reward[rows] = 0
        self._run(rows)
        if self.shaping:
            self._episodes.potential[rows] = self._potentials(rows)

    def _run(self, rows: Rows) -> None:
        """Plays on until every table of ``rows`` is ready or done, asking uncompiled opponents once a round."""
        tables, given = self.tables, self._for_kernels
        more = *self._price, self.by_match, self._policies, self._parameters
        while len(rows):
            tables.spread(lambda r: episodes.run_on(*given, r, *more), rows)
            if self._all_compiled:
                return
            rows = rows[self._episodes.status[rows] == episodes.WAITING]
            asked = self.opponent[rows, tables.state.to_act[rows]]
            for k in np.unique(asked):
                waiting = rows[asked == k]
                obs, masks = tables.observe(rows=waiting, outlook=getattr(self.opponents[k], "outlook", False))
                tables.step(self.opponents[k].act(obs, masks, tables.view(waiting), self.rng), waiting)

    def _potentials(self, rows: Rows) -> NDArray[np.float64]:
        out = np.empty(len(rows))
        episodes.potentials(*self._for_kernels, rows, out)
        return out

    def _shape(self, rows: Rows, done: NDArray[np.bool_]) -> NDArray[np.float32]:
        after = np.where(done, 0.0, self._potentials(rows))
        fall = self._episodes.potential[rows] - after
        self._episodes.potential[rows] = after
        return (self.shaping * fall / POINTS_PER_REWARD).astype(np.float32)
