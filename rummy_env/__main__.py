"""The command line: ``python -m rummy_env rules | solve | play``.

``rules [VARIANT [name=value …]]``  a variant's whole rule set, or the list of variants
``solve "7C 7D …"``                 the best arrangements of a hand of gin, its discards and its draws
``play VARIANT [name=value …]``     a game against scripted policies

Wrong input ends with status 2 and one line on stderr.
"""

import argparse
import io
import os
import secrets
import sys
from typing import Any, NoReturn


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"rummy_env: {message} (--help shows how)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m rummy_env", description="Rummy games: rules, gin's solver, and a game in the terminal.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="rules | solve | play")
    rules = commands.add_parser("rules", help="print a variant's rule set, or list the variants")
    rules.add_argument("variant", nargs="?")
    rules.add_argument("settings", nargs="*", metavar="name=value", help="settings that differ from the variant's")
    solve = commands.add_parser("solve", help="the best arrangements, discards and draws of a hand of gin")
    solve.add_argument("cards", nargs="+", help="the hand, such as '7C 7D 7H AS'")
    play = commands.add_parser("play", help="play against scripted policies")
    play.add_argument("variant")
    play.add_argument("settings", nargs="*", metavar="name=value", help="settings that differ from the variant's")
    opponent = "a policy, such as 'greedy:knock=6' (default: the game's); again for the next of several opponents"
    play.add_argument("--opponent", action="append", metavar="POLICY", help=opponent)
    play.add_argument("--seed", type=int, help="of the cards (default: drawn at random, and printed)")
    play.add_argument("--seat", type=int, default=0, help="yours (default: 0)")
    play.add_argument("--record", metavar="FILE", help="write the hand history to a file")
    return parser


def _settings(words: list[str]) -> dict[str, Any]:
    for word in words:
        if "=" not in word:
            raise ValueError(f"{word!r} is no setting: write name=value")
    return dict(word.split("=", 1) for word in words)


def show_rules(variant: str | None, settings: list[str]) -> str:
    """A variant's rule set, or one line for each variant with what it changes. Raises ValueError that names what is wrong."""
    from rummy_env.rules import VARIANTS, describe, make_rules, overrides_of

    if variant is not None:
        return describe(variant, make_rules(variant, **_settings(settings)))
    width = max(map(len, VARIANTS))
    lines = []
    for name, book in VARIANTS.items():
        base = next(known for known, changes in book.variants.items() if not changes)
        changes = " ".join(f"{setting}={value}" for setting, value in overrides_of(base, make_rules(name)).items())
        lines.append(f"{name:<{width}}  {f'{base} with {changes}' if changes else book.origin}")
    return "\n".join(lines)


def solve(text: str) -> str:
    """What the solver says about a hand, in lines. Raises CardError that names what is wrong."""
    from rummy_env.cards import mask_text
    from rummy_env.gin import solver

    hand = solver.hand_mask(text)
    if not hand:
        raise ValueError("the hand is empty: name its cards, such as '7C 7D 7H AS'")
    lines = [("hand", f"{mask_text(hand)}   ({int(hand).bit_count()} cards)")]
    for number, best in enumerate(solver.optimal_arrangements(hand)):
        melds = " ".join(f"[{mask_text(meld)}]" for meld in best.melds) or "no meld"
        left = f"deadwood {best.points}" + (f": {mask_text(best.deadwood)}" if best.deadwood else "")
        lines.append(("or" if number else "melds", f"{melds}   {left}"))
    cards, points = solver.best_discard(hand)
    lines.append(("discard", f"{mask_text(cards)}   leaves {points}"))
    if int(hand).bit_count() < solver.MAX_HAND:
        lines.append(("better with", mask_text(solver.improving_draws(hand)) or "nothing"))
        lines.append(("gin with", mask_text(solver.gin_draws(hand)) or "nothing"))
    return "\n".join(f"{name:<11}  {words}" for name, words in lines)


def play(arguments: argparse.Namespace) -> None:
    """A match against a policy. Raises ValueError or OSError that names what is wrong."""
    from rummy_env.rules import make_rules

    settings = _settings(arguments.settings)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    make_rules(arguments.variant, **settings)
    from rummy_env.games import game_of
    from rummy_env.terminal import TerminalGame

    seed = secrets.randbits(32) if arguments.seed is None else arguments.seed
    opponents = arguments.opponent or [game_of(arguments.variant).policies.DEFAULT]
    game = TerminalGame(arguments.variant, opponents, seed, seat=arguments.seat, record=arguments.record, **settings)
    print(f"{arguments.variant} against {', '.join(opponents)}, seed {seed}")
    game.play()


def main(words: list[str]) -> int:
    """Runs a command; 0 when done, 2 for bad input, 130 when interrupted."""
    arguments = _parser().parse_args(words)
    try:
        if arguments.command == "rules":
            print(show_rules(arguments.variant, arguments.settings))
        elif arguments.command == "solve":
            print(solve(" ".join(arguments.cards)))
        else:
            play(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # nobody reads any more: what is still in the buffer must not fail at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print()
        return 130
    except (ValueError, OSError) as error:
        print(f"rummy_env: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
