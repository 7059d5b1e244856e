"""``python -m eval``: ``arena`` lets agents meet, ``table`` all of them, ``openspiel`` theirs, ``bench`` measures speed."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch starts its threads

from agents.base import AgentError, make_agent
from rummy_env.rules import RulesError, make_rules


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line and exit 2."""

    def error(self, message: str) -> NoReturn:
        """Prints the message and exits."""
        print(f"{self.prog}: {message} (see --help)", file=sys.stderr)
        raise SystemExit(2)


def arena_parser() -> argparse.ArgumentParser:
    """The arguments of ``python -m eval arena``."""
    parser = OneLineParser(
        prog="eval arena",
        description="Agents meet on the same decks in every seat. With two players, more than two agents play a round robin. "
        "With n players, n agents are one line-up (names may repeat), fewer meet one against n-1 copies of another, more play "
        "all line-ups and are rated. Agents are scripted policies (simple, greedy:knock=6), pretrained:NAME, paths to runs, "
        "agent folders or checkpoints, or sb3:PATH with --trust.",
    )
    parser.add_argument("agents", nargs="+", metavar="AGENT")
    parser.add_argument("--variant", default="gin-es", help="default: gin-es")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="override a setting of the variant")
    parser.add_argument(
        "--decks",
        "--pairs",
        type=int,
        default=1000,
        help="decks, each played once in every rotation of the seats: mirrored pairs of deals, or of games (default: 1000)",
    )
    parser.add_argument("--seed", type=int, default=1, help="decides the decks (default: 1)")
    parser.add_argument(
        "--first", action="store_true", help="only the first agent meets the others, each of them on all other seats"
    )
    parser.add_argument("--games", action="store_true", help="play games to the variant's target")
    parser.add_argument(
        "--sample", action="store_true", help="learned agents draw from their policy instead of taking the likeliest"
    )
    parser.add_argument("--trust", action="store_true", help="allow sb3: files, which are unpickled")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rummy-arena/v1 document there")
    return parser


def settings_of(parser: argparse.ArgumentParser, words: list[str]) -> dict[str, Any]:
    """Overrides given as NAME=VALUE."""
    pairs = [word.partition("=") for word in words]
    for name, equals, _ in pairs:
        if not equals:
            parser.error(f"--set {name}: write NAME=VALUE")
    return {name: value for name, _, value in pairs}


def _refuse_unwritable(parser: argparse.ArgumentParser, path: Path) -> None:
    """Says so before anything is played if a result could not be written."""
    if path.is_dir():
        parser.error(f"--json {path}: is a folder")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        parser.error(f"--json {path}: the folder {path.parent} does not exist or cannot be written")


def arena(arguments: list[str]) -> int:
    """Plays and prints match-ups or line-ups."""
    from eval.report import round_robin, save_json, table, tournament

    parser = arena_parser()
    options = parser.parse_args(arguments)
    if len(options.agents) < 2:
        parser.error("an arena takes at least two agents")
    if options.decks < 1:
        parser.error(f"--decks {options.decks}: at least one deck")
    settings = settings_of(parser, options.set)
    try:
        make_rules(options.variant, **settings)
        agents = [
            make_agent(text, options.variant, trust=options.trust, deterministic=not options.sample) for text in options.agents
        ]
    except (RulesError, AgentError) as error:
        parser.error(str(error))
    if options.json:
        _refuse_unwritable(parser, options.json)
    played = options.variant, options.decks, options.seed
    if options.first:
        document = tournament([(agents[0], other) for other in agents[1:]], *played, games=options.games, **settings)
    else:
        document = round_robin(agents, *played, games=options.games, **settings)
    print(table(document))
    if options.json:
        try:
            save_json(document, options.json)
        except OSError as error:
            parser.error(f"--json {options.json}: {error.strerror}")
    return 0


_USAGE = """python -m eval arena A B [C…] …   agents meet on the same decks in every seat
python -m eval table …            every agent against every other on reporting decks
python -m eval openspiel AGENT …  an agent against OpenSpiel's own bot, inside OpenSpiel
python -m eval bench …            speed against peers
python -m eval readme             write README's tables from the code and docs/"""


def main(arguments: list[str]) -> int:
    """Runs a command; returns the exit status."""
    commands = {"arena": arena, "table": _table, "openspiel": _openspiel, "bench": _bench, "readme": _readme}
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_USAGE)
        return 0 if arguments else 2
    if arguments[0] not in commands:
        print(f"eval: unknown command {arguments[0]!r} (there are: {', '.join(commands)})", file=sys.stderr)
        return 2
    return commands[arguments[0]](arguments[1:])


def _readme(arguments: list[str]) -> int:
    from eval import readme

    return readme.main(arguments)


def _table(arguments: list[str]) -> int:
    from eval import strength

    return strength.main(arguments, OneLineParser)


def _openspiel(arguments: list[str]) -> int:
    from eval import openspiel

    return openspiel.main(arguments, OneLineParser)


def _bench(arguments: list[str]) -> int:
    from eval import bench

    return bench.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
