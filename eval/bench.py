"""``python -m eval bench``: the speed of the library against aims and peers, both measured in the same run.

One thread unless said. Every rate is the best of many short repetitions in CPU time, so that a busy machine disturbs it
little; threads and start-up go by the wall clock. What is not measured (a peer that is not installed, a cold start under
``--quick``) is a row that says so.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eval import bench_peers as peers
from eval.bench_kernels import first_legal, observed_deals, observed_deals500, random_deals, solve_hands
from eval.bench_peers import best_rate
from eval.bench_table import HEAD, SCHEMA, Aim, Row, cells, document, line, machine, machine_text
from eval.bench_table import markdown_table as markdown_table
from rummy_env.envs import batch
from rummy_env.envs.single import RummyEnv
from rummy_env.envs.tables import Tables
from rummy_env.envs.vector import RummyVectorEnv
from rummy_env.gin import solver
from rummy_env.gin.actions import NUM_ACTIONS
from rummy_env.gin.observe import OBS_SIZE
from rummy_env.jit import announce_compiling
from rummy_env.record import write_whole
from rummy_env.rum500.solver import PLAN

_ROOT = Path(__file__).parent.parent


class Plan(NamedTuple):
    """How long to measure: seconds a figure, seconds of training, and which processes are started."""

    seconds: float
    training: float
    starts: int  # processes started for a figure of start-up
    cold: bool


QUICK = Plan(0.4, 5.0, 2, False)
FULL = Plan(2.0, 30.0, 5, True)
Peer = tuple[str, str, Callable[[], float]]  # package, what of it is measured, its rate a second


def _row(name: str, unit: str, aim: Aim, rate: Callable[[], float], peer: Peer | None = None) -> Row:
    """A row from rates a second, ours and a peer's; in nanoseconds if that is the unit."""

    def figure_of(per_second: float) -> float:
        return 1e9 / per_second if unit.startswith("ns") else per_second

    ours = rate()
    if peer is None:
        return Row(name, figure_of(ours), unit, aim.text(), aim.meets(figure_of(ours), None))
    package, what, its_rate = peer
    absent = peers.missing(package)
    if absent:
        return Row(name, figure_of(ours), unit, aim.text(), aim.meets(figure_of(ours), None), absent)
    its = its_rate()
    ratio = ours / its
    return Row(name, figure_of(ours), unit, aim.text(), aim.meets(figure_of(ours), ratio), what, figure_of(its), ratio)


def random_hands(size: int, n: int, pack: int = 52) -> list[list[int]]:
    """``n`` hands of ``size`` card ids of a pack."""
    return np.random.default_rng(size).random((n, pack)).argsort(1)[:, :size].tolist()


def solver_rows(seconds: float) -> Iterator[Row]:
    """The solver on random hands, in batches of 4,096."""
    for name, size, aim, ours, rlcard in (
        ("deadwood of 10 cards, batch", 10, 12, solver.batch_deadwood, peers.rlcard_deadwood),
        ("best of 11 discards, batch", 11, 25, solver.batch_deadwood_after_best_discard, peers.rlcard_best_discard),
    ):
        ids = random_hands(size, 4096)
        rate = partial(_solver_rate, ours, ids, seconds)
        spiel: Peer = ("open_spiel", "OpenSpiel min_deadwood", partial(peers.spiel_deadwood, ids, seconds))
        card: Peer = ("rlcard", "RLCard", partial(rlcard, ids, seconds))
        yield _row(name, "ns a hand", Aim(aim, 80, low=True), rate, spiel)
        yield _row(name, "ns a hand", Aim(aim, 10_000, low=True), rate, card)


def _solver_rate(solve: Callable[..., NDArray[np.int64]], ids: peers.Hands, seconds: float) -> float:
    hands = np.array([sum(1 << c for c in hand) for hand in ids], np.uint64)
    out = np.empty(len(hands), np.int64)
    return best_rate(lambda: len(solve(hands, out)), seconds)


def _scripted_rate(policy: str, variant: str, seconds: float, threads: int = 0, tables: int = 32) -> float:
    """Deals a second of a scripted policy against itself; by the wall clock if ``threads`` are given."""
    table = Tables(tables, variant, 1, threads=max(threads, 1))
    number, parameters = table.game.parse_policy(policy)
    policies, every = np.full(table.num_seats, number), np.tile(parameters, (table.num_seats, 1))

    def work() -> int:
        table.spread(lambda rows: batch.play_deals(*table.for_kernels, rows, policies, every, 20), table.all_rows)
        return tables * 20

    return best_rate(work, seconds, time.perf_counter if threads else time.process_time)


def engine_rows(seconds: float) -> Iterator[Row]:
    """Random and scripted play in compiled loops."""
    tables = Tables(32, "gin-es", 1)
    rules, (_, state), rows = tables.rules, tables.for_kernels, tables.all_rows
    obs, masks = np.zeros((32, OBS_SIZE), np.float32), np.zeros((32, NUM_ACTIONS), np.int8)

    def deals() -> int:
        random_deals(rules, state, rows, 10)
        return 320

    def spiel(what: str, **how: bool) -> Peer:
        return "open_spiel", f"OpenSpiel from Python{what}", partial(peers.spiel_random_play, seconds, **how)

    yield _row(
        "random legal play, legal actions only",
        "steps/s",
        Aim(8e6),
        lambda: best_rate(lambda: random_deals(rules, state, rows, 10), seconds),
        spiel(""),
    )
    yield _row(
        "random legal play, legal actions only", "deals/s", Aim(65e3), lambda: best_rate(deals, seconds), spiel("", deals=True)
    )
    yield _row(
        "same with observation and mask written every step",
        "steps/s",
        Aim(2.5e6, 150),
        lambda: best_rate(lambda: observed_deals(rules, state, rows, 5, obs, masks), seconds),
        spiel(", tensor and mask", observed=True),
    )
    bots: Peer = ("open_spiel", "OpenSpiel C++ simple bots", partial(peers.spiel_simple, seconds))
    yield _row(
        "`simple` against `simple`", "deals/s", Aim(150e3, 500), lambda: _scripted_rate("simple", "gin-es", seconds), bots
    )
    yield _row(
        "`openspiel-simple` against itself, rules `gin-openspiel`",
        "deals/s",
        Aim(),
        lambda: _scripted_rate("openspiel-simple", "gin-openspiel", seconds),
        bots,
    )


def rum500_rows(seconds: float) -> Iterator[Row]:
    """500 Rum, which no other package has."""
    tables = Tables(32, "rum500-ru", 1)
    rules, (_, state), rows = tables.rules, tables.for_kernels, tables.all_rows
    obs, masks = tables.observe()
    yield _row(
        "500 Rum: random legal play",
        "steps/s",
        Aim(1e6),
        lambda: best_rate(lambda: random_deals(rules, state, rows, 2), seconds),
    )
    yield _row(
        "500 Rum: same with observation and mask written every step",
        "steps/s",
        Aim(300e3),
        lambda: best_rate(lambda: observed_deals500(rules, state, rows, 1, obs, masks), seconds),
    )
    middle = Tables(32, "rum500-ru", 2)
    number, parameters = middle.game.parse_policy("greedy500")
    for _ in range(20):
        going = middle.all_rows[~middle.over]
        middle.step(middle.view(going).scripted(number, parameters), going)
    hands = np.array([sum(1 << c for c in ids) for ids in random_hands(7, 256, 54)], np.uint64)
    plan = np.zeros(1, PLAN)
    yield _row(
        "500 Rum: best lay of 7 of 54 cards on tables in play",
        "ns a hand",
        Aim(2000, low=True),
        lambda: best_rate(lambda: solve_hands(middle.rules, middle.for_kernels[1], hands, plan[0]), seconds),
    )
    yield _row("500 Rum: four `greedy500`", "deals/s", Aim(5e3), lambda: _scripted_rate("greedy500", "rum500-ru", seconds))
    yield _row("500 Rum: state of a table", "bytes", Aim(600, low=True), lambda: float(tables.game.state.TABLE.itemsize))


def threads_row(seconds: float) -> Row:
    """Two threads against one, scripted play, each in turn so that both meet the same load."""
    name, unit, aim = "two threads ÷ one, `simple` against `simple`", "×", Aim(1.8)
    if (os.cpu_count() or 1) < 2:
        return Row(name, None, unit, aim.text(), None, note="one core only")
    one = two = 0.0
    for _ in range(6):
        one = max(one, _scripted_rate("simple", "gin-es", seconds / 4, 1, 1024))
        two = max(two, _scripted_rate("simple", "gin-es", seconds / 4, 2, 1024))
    return Row(name, two / one, unit, aim.text(), aim.meets(two / one, None))


def _env_rate(seconds: float) -> float:
    """Steps a second of the gymnasium environment, the choice of a random legal action included."""
    env = RummyEnv("gin-es", opponents="simple")
    rng = np.random.default_rng(0)
    picks = rng.random(1 << 12).tolist()
    _, info = env.reset(seed=1)

    def work() -> int:
        nonlocal info
        for pick_at in picks[:500]:
            choices = info["action_mask"].nonzero()[0]
            _, _, terminated, truncated, info = env.step(choices[int(pick_at * len(choices))])
            if terminated or truncated:
                _, info = env.reset()
        return 500

    return best_rate(work, seconds)


def _vector_rate(seconds: float) -> float:
    """Learner steps a second of the vector environment with 1,024 tables, resets not counted."""
    env = RummyVectorEnv(1024, "gin-es", opponents=["simple", "greedy"])
    actions = np.zeros(1024, np.int64)
    _, infos = env.reset(seed=1)
    done = np.zeros(1024, bool)
    start = 0

    def work() -> int:
        nonlocal infos, done, start
        steps = 0
        for _ in range(4):
            first_legal(infos["action_mask"], start, actions)
            start = (start + 41) % NUM_ACTIONS
            steps += 1024 - int(done.sum())  # where an episode has ended, the step begins the next one
            _, _, terminated, truncated, infos = env.step(actions)
            done = terminated | truncated
        return steps

    return best_rate(work, seconds)


def environment_rows(seconds: float) -> Iterator[Row]:
    """The environments, stepped from Python."""
    steps: Peer = ("rlcard", "RLCard env.step", partial(peers.rlcard_env_steps, seconds))
    yield _row("gymnasium `Env.step` from Python", "steps/s", Aim(50e3, 5), lambda: _env_rate(seconds), steps)
    yield _row("`VectorEnv` of 1,024, scripted opponents", "learner steps/s", Aim(400e3), lambda: _vector_rate(seconds))


def training_row(seconds: float) -> Row:
    """Training with the real environment against a free one, in a process of its own."""
    name, unit, aim = "training, real environment ÷ free one", "×", Aim(0.9)
    absent = [module for module in ("torch", "sb3_contrib") if not find_spec(module)]
    if absent:
        return Row(
            name, None, unit, aim.text(), None, note=f"{' and '.join(absent)} not installed: pip install 'rummy-env[train]'"
        )
    best = json.loads(_python("-m", "train.throughput", str(seconds)))
    ratio = best["real"] / best["free"]
    note = f"{best['real']:,.0f} frames/s of {best['free']:,.0f}"
    return Row(name, ratio, unit, aim.text(), aim.meets(ratio, None), note=note)


_IMPORT = "import time; t = time.perf_counter(); import rummy_env; print(time.perf_counter() - t)"
_FIRST_DEAL = """
import time; began = time.perf_counter()
import gymnasium, numpy as np, rummy_env
env = gymnasium.make("rummy/GinEs-v0", opponents="simple")
obs, info = env.reset(seed=1)
done = False
while not done:
    obs, reward, terminated, truncated, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    done = terminated or truncated
print(time.perf_counter() - began)
"""


def _python(*arguments: str, **environment: str) -> str:
    """The output of a fresh Python process, in which the packages are found as here."""
    path = os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    variables = os.environ | {"PYTHONPATH": path} | environment
    done = subprocess.run([sys.executable, *arguments], env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments[:2])} failed:\n{done.stderr}")
    return done.stdout.splitlines()[-1]


def start_rows(plan: Plan) -> Iterator[Row]:
    """Start-up in fresh processes; a cold one compiles into an empty folder."""

    def row(name: str, code: str, limit: float, times: int, **environment: str) -> Row:
        value = min(float(_python("-c", code, **environment)) for _ in range(times))
        aim = Aim(limit, low=True)
        return Row(name, value, "s", aim.text(), aim.meets(value, None))

    yield row("`import rummy_env`", _IMPORT, 0.5, plan.starts)
    yield row("import and first deal, compiled cache warm", _FIRST_DEAL, 2, plan.starts)
    cold = "import and first deal, compiled cache cold"
    if not plan.cold:
        yield Row(cold, None, "s", Aim(40, low=True).text(), None, note="left out by --quick")
        return
    with tempfile.TemporaryDirectory() as folder:
        yield row(cold, _FIRST_DEAL, 40, 1, RUMMY_ENV_CACHE=folder)


def rows_of(plan: Plan) -> Iterator[Row]:
    """All rows as they are measured."""
    yield from solver_rows(plan.seconds)
    yield from engine_rows(plan.seconds)
    yield from rum500_rows(plan.seconds)
    yield threads_row(plan.seconds)
    yield from environment_rows(plan.seconds)
    yield training_row(plan.training)
    yield from start_rows(plan)


def bench(quick: bool = False) -> list[Row]:
    """Measures everything; ``quick`` within 45 seconds."""
    return list(rows_of(QUICK if quick else FULL))


def main(arguments: list[str]) -> int:
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="eval bench", description="Measures speed against aims and peers.")
    parser.add_argument("--quick", action="store_true", help="within 45 seconds, without a cold start")
    parser.add_argument("--json", type=Path, metavar="FILE", help=f"write the {SCHEMA} document there")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    options = parser.parse_args(arguments)
    before = machine()
    announce_compiling("gin")
    announce_compiling("rum500")
    if not options.markdown:
        print(machine_text(before), line(HEAD), sep="\n\n", flush=True)
    rows = []
    for row in rows_of(QUICK if options.quick else FULL):
        rows.append(row)
        if not options.markdown:
            print(line(cells(row._asdict())), flush=True)
    result = document(rows, options.quick, before)
    if options.markdown:
        print(markdown_table(result))
    if options.json:
        try:
            write_whole(options.json, json.dumps(result, indent=1, ensure_ascii=False) + "\n")
        except OSError as error:
            parser.error(f"--json {options.json}: {error.strerror}")
    return 0
