"""``python -m eval table``: every agent against every other on reporting decks, for README's strength table.

Each finished pairing is written at once, and one that the file already holds on the same decks is not played again: an
interrupted table goes on where it stopped. Agents that search (``mc:…``) play fewer decks: they take a thousand times as long.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import combinations
from pathlib import Path
from typing import Any

from agents.base import AgentError, make_agent
from eval.arena import SCHEMA, meet, summary
from eval.report import document_of, save_json
from rummy_env.rules import RulesError, make_rules, num_seats

AGENTS = (
    "random",
    "novice",
    "simple",
    "openspiel-simple",
    "greedy",
    "lookahead",
    "stubborn",
    "mc:128",
    "pretrained:{variant}",
    "mc:128+pretrained:{variant}",
)
SEED = 77_000_004
#: Who searches, and against whom, in the ladder.
LADDER = ("mc:64", "mc:128", "mc:256", "mc:512", "mc:512+pretrained:{variant}")
STEPS = ("simple", "lookahead")


def pairings(names: Sequence[str], decks: int, search_decks: int) -> list[tuple[str, str, int]]:
    """Every pair of agents, with the decks it plays."""
    searches = {name: name.startswith("mc:") for name in names}
    return [(a, b, search_decks if searches[a] or searches[b] else decks) for a, b in combinations(names, 2)]


def play_pairing(first: str, second: str, variant: str, decks: int, seed: int) -> dict[str, Any]:
    """The figures of one pairing in games, from the first agent's view."""
    played = meet(make_agent(first, variant), make_agent(second, variant), variant, decks, seed, games=True)
    second_ms = 1000 * played.seconds[1] / max(1, played.decisions[1])
    return {"decks": decks, **summary(played), "ms_second": second_ms}


def read(path: Path) -> dict[str, Any]:
    """A table written before. Raises ValueError if the file holds something else, which is not to be written over."""
    try:
        document = json.loads(path.read_text())
        if document["schema"] == SCHEMA and all("decks" in match for match in document["matches"]):
            return document
    except (ValueError, KeyError, TypeError):
        pass
    raise ValueError(f"{path} holds no table")


def fill(path: Path, variant: str, wanted: Sequence[tuple[str, str, int]], seed: int, workers: int) -> dict[str, Any]:
    """Plays what is wanted and not in the file yet; returns the whole document, in the order of ``wanted``."""
    known: dict[tuple[str, str, int], dict[str, Any]] = {}
    before = read(path) if path.exists() else {}
    if (before.get("variant"), before.get("seed")) == (variant, seed):
        known = {(m["first"], m["second"], m["decks"]): m for m in before["matches"]}
    names = list(dict.fromkeys(name for pairing in wanted for name in pairing[:2]))

    def document() -> dict[str, Any]:
        matches = [known[pairing] for pairing in wanted if pairing in known]
        most = max((decks for *_, decks in wanted), default=0)
        return document_of(variant, make_rules(variant), most, seed, True, names, matches=matches)

    with ProcessPoolExecutor(workers) as pool:
        jobs = {pool.submit(play_pairing, a, b, variant, n, seed): (a, b, n) for a, b, n in wanted if (a, b, n) not in known}
        for job in as_completed(jobs):
            a, b, n = jobs[job]
            known[a, b, n] = job.result()
            print(f"{a} against {b}, {n:,} decks: {known[a, b, n]['games_won'].text(100)} % of games", flush=True)
            save_json(document(), path)
    return document()


def parser(make: type[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    """The arguments of ``python -m eval table``."""
    found = make(prog="eval table", description="Every agent against every other in games on reporting decks.")
    found.add_argument("agents", nargs="*", metavar="AGENT", help=f"default: {' '.join(AGENTS)}")
    found.add_argument("--variant", default="gin-eaai", help="default: gin-eaai")
    found.add_argument("--decks", type=int, default=2000, help="mirrored games of a pairing (default: 2000)")
    found.add_argument("--search-decks", type=int, default=200, help="the same where somebody searches (default: 200)")
    found.add_argument("--ladder", action="store_true", help=f"only {', '.join(LADDER)} against {' and '.join(STEPS)}")
    found.add_argument("--seed", type=int, default=SEED, help=f"decides the decks (default: {SEED})")
    found.add_argument("--workers", type=int, default=2, help="pairings played at once (default: 2)")
    found.add_argument("--json", type=Path, metavar="FILE", help="the document, also to go on from (default: in docs/)")
    return found


def main(arguments: list[str], make: type[argparse.ArgumentParser]) -> int:
    """The command; returns the exit status."""
    command = parser(make)
    options = command.parse_args(arguments)
    names = options.agents or [name.format(variant=options.variant) for name in (LADDER + STEPS if options.ladder else AGENTS)]
    wanted = pairings(names, options.decks, options.search_decks)
    if options.ladder:
        wanted = [(name, step, options.search_decks) for name in names[: len(LADDER)] for step in STEPS]
    for option, value in (("--decks", options.decks), ("--search-decks", options.search_decks), ("--workers", options.workers)):
        if value < 1:
            command.error(f"{option} {value}: at least 1")
    try:
        if options.ladder and options.agents:
            command.error("--ladder names its agents itself")
        if len(names) < 2:
            command.error("a table takes at least two agents")
        if num_seats(make_rules(options.variant)) != 2:
            command.error(f"a table is for games of two, {options.variant} has more players: use eval arena")
        for name in names:
            make_agent(name, options.variant)
    except (AgentError, RulesError) as error:
        command.error(str(error))
    path = options.json or Path(__file__).parent.parent / "docs" / ("search.json" if options.ladder else "strength.json")
    if path.is_dir():
        command.error(f"--json {path}: is a folder")
    if not path.parent.is_dir():
        command.error(f"--json {path}: the folder {path.parent} does not exist")
    try:
        if path.exists():
            read(path)
    except ValueError as error:
        command.error(f"--json {error}")
    fill(path, options.variant, wanted, options.seed, options.workers)
    print(f"{path} is complete; python -m eval readme writes it into README.md", file=sys.stderr)
    return 0
