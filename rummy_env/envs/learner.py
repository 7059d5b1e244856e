"""One learner a table: seats, opponents, episodes and rewards, shared by all single-agent environments.

An episode is a deal or a match. The reward is the points of each finished deal from the learner's view, divided by
:data:`POINTS_PER_REWARD`. An illegal action ends the episode, lost with :data:`ILLEGAL_PENALTY` points, or raises.
An episode that would end before the learner has acted is dealt anew. When an episode is over there is nothing to
choose: its mask is all ones, so that a softmax over a batch in which some tables are done stays finite.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rummy_env.envs import batch
from rummy_env.envs.tables import Rows, SeatView, Tables
from rummy_env.gin.actions import NUM_ACTIONS, ActionError
from rummy_env.gin.policies import NUM_PARAMETERS, parse_policy
from rummy_env.gin.state import OVER
from rummy_env.rules import GIN_SETTINGS, unknown_name

POINTS_PER_REWARD = 25.0
ILLEGAL_PENALTY = 100.0

_KEPT = ("learners", "opponent", "_acted", "_status", "_points", "_potential")
_OPTIONS = ("opponents", "seat", "episode", "illegal", "obs", "privileged", "shaping", "threads")
_SEATS = {"0": 0, "1": 1, "random": batch.RANDOM_SEAT, "alternating": batch.ALTERNATING_SEAT}


@runtime_checkable
class Opponent(Protocol):
    """An opponent that is not compiled: called once a round for all tables that wait for it.

    With an attribute ``outlook`` that is true it is given observations with OUTLOOK_SPEC.
    """

    def act(
        self, obs: NDArray[np.float32], mask: NDArray[np.int8], view: SeatView, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Actions int64[k] for observations float32[k, OBS_SIZE] and masks int8[k, 108]."""
        ...


Opponents: TypeAlias = (
    "str | Opponent | Sequence[str | Opponent] | Mapping[str, float] | Sequence[tuple[str | Opponent, float]]"
)


class Outcome(NamedTuple):
    """What a step brought, by table: rewards float32, terminations, truncations and illegal actions bool, points int64.

    ``points`` are those of the deals finished in the step (or the penalty): the reward before scaling and shaping.
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

    ``seat`` is 0, 1, "random" or "alternating" by episode; ``opponents`` names compiled policies, or holds objects with
    :meth:`Opponent.act`, drawn by weight for each episode; ``episode`` is "deal" or "match"; ``illegal`` is "lose"
    or "raise"; ``obs`` is "float" (OBS_SPEC), "outlook" (with OUTLOOK_SPEC) or "bits".

    ``shaping`` adds that many times the fall of the own deadwood since the last decision, over POINTS_PER_REWARD, to the
    reward. This is potential-based: the potential is minus the deadwood, and 0 once the episode is over, so that over
    an episode the additions sum to the first deadwood, whatever is played (undiscounted; with a discount below 1
    they do not).

    Other keywords are settings of the rules. Raises RulesError, PolicyError or ValueError, which name what is wrong.
    """

    def __init__(
        self,
        n: int,
        variant: str = "gin-es",
        seed: int = 0,
        *,
        opponents: Opponents = "simple",
        seat: str | int = "random",
        episode: str = "deal",
        illegal: str = "lose",
        obs: str = "float",
        privileged: bool = False,
        shaping: float = 0.0,
        threads: int = 1,
        **settings: Any,
    ) -> None:
        for name in settings:
            if name not in GIN_SETTINGS:
                raise unknown_name("option or setting", name, (*_OPTIONS, *GIN_SETTINGS))
        for name, value, allowed in (
            ("seat", str(seat), tuple(_SEATS)),
            ("episode", episode, ("deal", "match")),
            ("illegal", illegal, ("lose", "raise")),
            ("obs", obs, ("float", "outlook", "bits")),
        ):
            if value not in allowed:
                raise ValueError(f"{name}={value!r} is not possible: {name} allows {' | '.join(allowed)}")
        if privileged and obs == "bits":
            raise ValueError("privileged=True does not go with obs='bits'")
        self.tables = Tables(n, variant, seed, threads=threads, **settings)
        self.seat_mode, self.by_match, self.illegal = _SEATS[str(seat)], episode == "match", illegal
        self.bits, self.outlook, self.privileged, self.shaping = obs == "bits", obs == "outlook", privileged, shaping
        self.learners = np.zeros(n, np.int64)
        self.opponent = np.zeros(n, np.int64)
        self._acted = np.zeros(n, np.uint8)
        self._status = np.zeros(n, np.uint8)
        self._points = np.zeros(n)
        self._potential = np.zeros(n)
        self.set_opponents(opponents)
        self.reset(seed)

    def set_opponents(self, opponents: Opponents) -> None:
        """Replaces the opponents; each is drawn for an episode, so an episode under way may go on against another.

        Raises PolicyError or ValueError.
        """
        pairs = weighted(opponents)
        self.opponents = [opponent for opponent, _ in pairs]
        policies, parameters = np.full(len(pairs), -1), np.zeros((len(pairs), NUM_PARAMETERS))
        for k, opponent in enumerate(self.opponents):
            if isinstance(opponent, str):
                policies[k], parameters[k] = parse_policy(opponent)
        weights = np.array([weight for _, weight in pairs], float)
        # an episode under way keeps its opponent's number, which must still exist
        np.minimum(self.opponent, len(pairs) - 1, out=self.opponent)
        self._policies, self._parameters, self._odds = policies, parameters, np.cumsum(weights / weights.sum())
        self._all_compiled = bool((policies >= 0).all())

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

        ``ids`` int[k] are the tables' ids under the seed (default: their rows); ``seat`` 0 or 1 seats the learner
        in these episodes, whatever the usual way.
        """
        if seed is not None:
            self.tables.seed(seed, ids, rows)
            if rows is None:
                self.rng = np.random.default_rng(seed % (1 << 64))
        rows = self.tables.all_rows if rows is None else rows
        if seed is not None:
            self.learners[rows] = 1
        self._begin(rows, self.seat_mode if seat is None else seat)

    def place(self, row: int, t: Any, seat: int) -> None:
        """Goes on at one table from position ``t`` (``state[i]``) as a new episode, with the learner on ``seat``.

        The table keeps its dice. Raises ValueError for a finished deal.
        """
        if t.phase == OVER:
            raise ValueError("an episode cannot begin at a finished deal")
        state, rows = self.tables.state, np.array([row])
        dice = state.dice[row]
        state[row] = t
        state.dice[row] = dice
        self.learners[row] = seat
        self._acted[row] = 0
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
        fields, state = self.tables.for_kernels
        n = len(rows)
        bad, terminated, truncated = np.empty(n, bool), np.empty(n, bool), np.empty(n, bool)
        points, rewards = np.empty(n, np.int64), np.empty(n, np.float32)
        self.tables.spread(
            lambda r, a, b: batch.learner_actions(fields, state, r, a, self._acted, b),
            rows,
            actions,
            bad,
        )
        wrong = np.count_nonzero(bad)
        self._run(rows[~bad] if wrong else rows)
        if wrong:
            self._status[rows[bad]] = batch.DONE
            self._points[rows[bad]] = -ILLEGAL_PENALTY
        batch.take_outcomes(
            state, rows, bad, self._status, self._points, POINTS_PER_REWARD, rewards, terminated, truncated, points
        )
        if self.shaping:
            rewards += self._shape(rows, terminated | truncated)
        return Outcome(rewards, terminated, truncated, bad, points)

    def observe(self, rows: Rows | None = None) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """What the learners see now: observations [k, width] and masks int8[k, 108], fresh arrays."""
        seats = self.learners if rows is None else self.learners[rows]
        rows = self.tables.all_rows if rows is None else rows
        obs: NDArray[Any]
        if self.bits:
            obs, masks = self.tables.observe_bits(seats, rows)
        else:
            obs, masks = self.tables.observe(seats, rows, outlook=self.outlook, privileged=self.privileged)
        batch.fill_done(rows, self._status, masks)
        return obs, masks

    def masks(self, rows: Rows | None = None) -> NDArray[np.int8]:
        """The legal actions of the learners, int8[k, 108], a fresh array; all ones where an episode is over."""
        rows = self.tables.all_rows if rows is None else rows
        masks = self.tables.masks(rows)
        batch.fill_done(rows, self._status, masks)
        return masks

    def _refuse_illegal(self, rows: Rows, actions: NDArray[np.int64]) -> None:
        inside = (actions >= 0) & (actions < NUM_ACTIONS)
        legal = inside & (self.tables.masks(rows)[np.arange(len(rows)), np.where(inside, actions, 0)] == 1)
        if not legal.all():
            at = int(np.flatnonzero(~legal)[0])
            raise ActionError(self.tables.illegal_text(int(rows[at]), int(actions[at])))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All there is to know of the tables, so that :meth:`set_arrays` puts another instance where this one is."""
        return {name: getattr(self, name) for name in _KEPT} | {"state": np.asarray(self.tables.state)}

    def set_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restores what :meth:`arrays` gave."""
        for name in _KEPT:
            getattr(self, name)[:] = arrays[name]
        self.tables.state[:] = arrays["state"]

    def _begin(self, rows: Rows, seat_mode: int) -> None:
        batch.begin_episodes(
            *self.tables.for_kernels,
            rows,
            seat_mode,
            self._odds,
            self.learners,
            self.opponent,
            self._acted,
        )
        self._start(rows)

    def _start(self, rows: Rows) -> None:
        self._points[rows] = 0
        self._run(rows)
        if self.shaping:
            self._potential[rows] = self._own_deadwood(rows)

    def _run(self, rows: Rows) -> None:
        """Plays on until every table of ``rows`` is ready or done, asking uncompiled opponents once a round."""
        tables = self.tables
        fields, state = tables.for_kernels
        while len(rows):
            tables.spread(
                lambda r: batch.run_on(
                    fields,
                    state,
                    r,
                    self.learners,
                    self.opponent,
                    self._acted,
                    self._policies,
                    self._parameters,
                    self.by_match,
                    self._points,
                    self._status,
                ),
                rows,
            )
            if self._all_compiled:
                return
            rows = rows[self._status[rows] == batch.WAITING]
            for k in np.unique(self.opponent[rows]):
                waiting = rows[self.opponent[rows] == k]
                obs, masks = tables.observe(rows=waiting, outlook=getattr(self.opponents[k], "outlook", False))
                tables.step(self.opponents[k].act(obs, masks, tables.view(waiting), self.rng), waiting)

    def _own_deadwood(self, rows: Rows) -> NDArray[np.float64]:
        out = np.empty(len(rows))
        batch.own_deadwood(self.tables.for_kernels[1], rows, self.learners, out)
        return out

    def _shape(self, rows: Rows, done: NDArray[np.bool_]) -> NDArray[np.float32]:
        after = np.where(done, 0.0, self._own_deadwood(rows))
        fall = self._potential[rows] - after
        self._potential[rows] = after
        return (self.shaping * fall / POINTS_PER_REWARD).astype(np.float32)
