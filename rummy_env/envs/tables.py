"""Batches of tables, every seat: the layer all environments and the arena stand on."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rummy_env.envs import batch
from rummy_env.errors import ActionError
from rummy_env.games import game_of
from rummy_env.monte_carlo import MOST_SEARCHED, search_tables
from rummy_env.rules import Rules, make_rules, num_seats
from rummy_env.state import NOT_ENDED, State, new_records, plain

Rows = NDArray[np.int64]


def _pool(threads: int) -> ThreadPoolExecutor | None:
    """Threads in which interpreted kernels wrap around in silence too (numpy's settings are those of one thread)."""
    return ThreadPoolExecutor(threads, initializer=partial(np.seterr, over="ignore")) if threads > 1 else None


def _for_kernels(rules: Rules, state: State) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Rules and state as plain arrays, which the kernels of :mod:`~rummy_env.envs.batch` take soonest."""
    return np.array(rules), plain(state, game_of(rules).state.TABLE)


class SeatView:
    """What an agent is given beside observations: the tables where it is to act, through what its seats may know.

    ``rules`` and ``seats`` (uint8[k], who is to act) are public. Scripted policies and sampled worlds are the only
    other ways in.
    """

    def __init__(self, rules: Rules, state: State, rows: Rows) -> None:
        self.rules = rules
        self.seats: NDArray[np.uint8] = state.to_act[rows]
        self._state = state
        self._rows = rows

    def scripted(self, policy: int, parameters: NDArray[np.float64]) -> NDArray[np.int64]:
        """The actions int64[k] of a compiled policy, which reads only what the seat to act may know."""
        actions = np.empty(len(self._rows), np.int64)
        batch.act_tables(*_for_kernels(self.rules, self._state), self._rows, policy, parameters, actions)
        return actions

    def search(
        self,
        candidates: NDArray[np.int64],
        worlds: int,
        caution: float,
        policies: NDArray[np.int64],
        parameters: NDArray[np.float64],
        reward: int,
        chances: NDArray[np.float64],
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Actions int64[k] chosen by play in worlds that the seats may believe in, and mean leads over the first candidates.

        As :func:`rummy_env.monte_carlo.search_tables` has them; ``candidates`` int64[k, MOST_SEARCHED].
        """
        dtype = game_of(self.rules).state.TABLE
        work = plain(new_records(3, dtype), dtype), np.empty((3, MOST_SEARCHED)), np.empty(MOST_SEARCHED, np.int64)
        actions, values = np.empty(len(self._rows), np.int64), np.empty((len(self._rows), MOST_SEARCHED))
        given = worlds, caution, policies, parameters, reward, chances
        search_tables(*_for_kernels(self.rules, self._state), self._rows, candidates, *given, *work, actions, values)
        return actions, values

    def candidates(self, policy: int, parameters: NDArray[np.float64]) -> NDArray[np.int64]:
        """What a compiled policy would choose, and other actions worth a try: int64[k, MOST_SEARCHED], -1 behind the last."""
        found = np.empty((len(self._rows), MOST_SEARCHED), np.int64)
        batch.list_candidates(*_for_kernels(self.rules, self._state), self._rows, policy, parameters, found)
        return found

    def sample_worlds(self, rng: np.random.Generator) -> State:
        """Copies of the tables in which what each seat cannot see is drawn uniformly from the worlds it allows."""
        copies: Any = self._state[self._rows].copy()
        copies.dice = rng.integers(0, 1 << 64, len(copies), np.uint64)
        batch.resample_tables(*_for_kernels(self.rules, copies), np.arange(len(copies)), self.seats)
        return copies


class Tables:
    """``n`` tables of one variant, played for every seat.

    ``ids`` (default 0 to n-1) and ``seed`` decide the decks: table id *k* under a seed sees the same deals whatever
    else is played beside it. ``threads`` splits the work of each call. Settings override the variant's.
    Raises RulesError for an unknown variant or setting.

    >>> tables = Tables(2, "gin-es", seed=7)
    >>> tables.step([105, 106])
    >>> tables.state.phase.tolist()
    [4, 1]
    """

    def __init__(
        self,
        n: int,
        variant: str = "gin-es",
        seed: int = 0,
        *,
        ids: ArrayLike | None = None,
        threads: int = 1,
        **settings: Any,
    ) -> None:
        if n < 1:
            raise ValueError(f"n={n} is not possible: at least one table")
        if threads < 1:
            raise ValueError(f"threads={threads} is not possible: at least one thread")
        self.variant = variant
        self.rules: Rules = make_rules(variant, **settings)
        self.game = game_of(variant)
        self.num_seats = num_seats(self.rules)
        self.num_actions: int = self.game.actions.NUM_ACTIONS
        self.state = new_records(n, self.game.state.TABLE)
        size = self.game.obs_size()
        self._ends = np.array([[size, size], [size, self.game.obs_size(outlook=True)]])
        self.all_rows: Rows = np.arange(n)
        self.threads = threads
        self._pool = _pool(threads)
        self._given: Any = None
        self.seed(seed, ids)

    def seed(self, seed: int, ids: ArrayLike | None = None, rows: Rows | None = None) -> None:
        """Starts all tables (or ``rows``) anew under a seed (any int); ``ids`` int[k], by default their rows."""
        rows = self._rows(rows)
        keys = rows if ids is None else np.asarray(ids, np.int64)
        if keys.shape != rows.shape:
            raise ValueError(f"{keys.size} ids were given for {len(rows)} tables")
        state = self.for_kernels[1]
        seeded = state[rows]
        batch.seed_tables(seeded, np.uint64(seed % (1 << 64)), keys)
        state[rows] = seeded
        self.start_matches(rows)

    def __len__(self) -> int:
        return len(self.state)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None, "_given": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._pool = _pool(self.threads)

    @property
    def for_kernels(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Rules and state as plain arrays, as kernels take them."""
        given = self._given
        if given is None or given[0] is not self.rules or given[1] is not self.state:
            self._given = given = self.rules, self.state, _for_kernels(self.rules, self.state)
        return given[2]

    @property
    def over(self) -> NDArray[np.bool_]:
        """bool[n]: which deals are over."""
        return self.state.ending != NOT_ENDED

    def spread(self, work: Callable[..., Any], *arrays: NDArray[Any]) -> None:
        """Calls ``work`` on equal slices of arrays with one row a table, one slice a thread."""
        if self._pool is None or len(arrays[0]) < 2 * self.threads:
            work(*arrays)
            return
        cuts = np.linspace(0, len(arrays[0]), self.threads + 1).astype(int)
        jobs = [self._pool.submit(work, *(a[lo:hi] for a in arrays)) for lo, hi in pairwise(cuts)]
        for job in jobs:
            job.result()

    def start_matches(self, rows: Rows | None = None) -> None:
        """Begins a new match at each table (or at ``rows``) and deals its first deal."""
        batch.start_matches(*self.for_kernels, self._rows(rows))

    def settle(self, rows: Rows) -> NDArray[np.int64]:
        """Adds the finished deals of ``rows`` to their matches; the seats that have won a match, -1 elsewhere."""
        winners = np.empty(len(rows), np.int64)
        batch.settle_deals(*self.for_kernels, rows, winners)
        return winners

    def next_deals(self, rows: Rows) -> None:
        """Deals the next deal of the match at each of ``rows``."""
        batch.next_deals(*self.for_kernels, rows)

    def step(self, actions: ArrayLike, rows: Rows | None = None) -> None:
        """Plays one action at each table (or at ``rows``) for whoever is to act.

        Raises ActionError that names the first table whose action is not legal; tables before it have been played.
        """
        rows = self._rows(rows)
        moves = np.asarray(actions, np.int64)
        if moves.shape != rows.shape:
            raise ValueError(f"actions have shape {moves.shape} for {len(rows)} tables")
        bad = batch.step_tables(*self.for_kernels, rows, moves)
        if bad >= 0:
            raise ActionError(self.illegal_text(int(rows[bad]), int(moves[bad])))

    def illegal_text(self, row: int, action: int) -> str:
        """Says that an action is not legal at a table, and which are."""
        name_of = self.game.actions.action_name
        legal = [name_of(a) for a in np.flatnonzero(self.masks(np.array([row]))[0]).tolist()]
        name = name_of(action) if 0 <= action < self.num_actions else f"action {action}"
        return f"table {row}: {name!r} is not legal (legal: {'; '.join(legal) or 'nothing, the deal is over'})"

    def observe(
        self, seats: ArrayLike | None = None, rows: Rows | None = None, *, outlook: bool = False, privileged: bool = False
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Observations float32[k, OBS_SIZE] of ``seats`` (default: to act) and masks int8[k, NUM_ACTIONS], fresh arrays.

        A mask is zero where the seat is not to act. ``outlook`` appends OUTLOOK_SPEC, and ``privileged`` after that what
        only a critic in training may see.
        """
        rows = self._rows(rows)
        obs = np.empty((len(rows), self.game.obs_size(outlook, privileged)), np.float32)
        masks = np.empty((len(rows), self.num_actions), np.int8)
        fields, state = self.for_kernels
        ends = self._ends[int(outlook)]
        self.spread(
            lambda r, s, o, m: batch.observe_tables(fields, state, r, s, ends, o, m),
            rows,
            self._seats(seats, rows),
            obs,
            masks,
        )
        return obs, masks

    def observe_bits(
        self, seats: ArrayLike | None = None, rows: Rows | None = None
    ) -> tuple[NDArray[np.uint64], NDArray[np.int8]]:
        """The public facts as words uint64[k, BITS_WORDS] and masks int8[k, NUM_ACTIONS]."""
        rows = self._rows(rows)
        words = np.empty((len(rows), len(self.game.observe.BITS_WORDS)), np.uint64)
        masks = np.empty((len(rows), self.num_actions), np.int8)
        batch.observe_tables_bits(*self.for_kernels, rows, self._seats(seats, rows), words, masks)
        return words, masks

    def masks(self, rows: Rows | None = None) -> NDArray[np.int8]:
        """The legal actions of the seat to act, int8[k, NUM_ACTIONS]; all zero where the deal is over."""
        return self.observe_bits(rows=rows)[1]

    def view(self, rows: Rows | None = None) -> SeatView:
        """What an agent to act at ``rows`` may ask of them."""
        return SeatView(self.rules, self.state, self._rows(rows))

    def _rows(self, rows: Rows | None) -> Rows:
        return self.all_rows if rows is None else np.asarray(rows, np.int64)

    def _seats(self, seats: ArrayLike | None, rows: Rows) -> NDArray[np.int64]:
        if seats is None:
            return self.for_kernels[1]["to_act"][rows].astype(np.int64)
        seats = np.asarray(seats, np.int64)
        return seats if seats.shape == rows.shape else np.ascontiguousarray(np.broadcast_to(seats, rows.shape))
