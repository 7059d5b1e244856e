"""Arena results as a table for the terminal and as ``rummy-arena/v1`` JSON."""

import json
import math
import platform
from collections.abc import Sequence
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any

from agents.base import Agent
from eval.arena import SCHEMA, Estimate, play, summary
from rummy_env.record import write_whole
from rummy_env.rules import gin_rules, settings_in_words


def round_robin(
    agents: Sequence[Agent], variant: str, pairs: int, seed: int, *, games: bool = False, **settings: Any
) -> dict[str, Any]:
    """Every agent against every other on the same decks; the ``rummy-arena/v1`` document."""
    return tournament(list(combinations(agents, 2)), variant, pairs, seed, games=games, **settings)


def tournament(
    pairings: Sequence[tuple[Agent, Agent]], variant: str, pairs: int, seed: int, *, games: bool = False, **settings: Any
) -> dict[str, Any]:
    """Each pairing on the same decks; the ``rummy-arena/v1`` document.

    ``matches`` has one entry a pairing, from the first one's view; ``standing`` the means over opponents, best first.
    """
    rules = gin_rules(variant, **settings)
    names = list(dict.fromkeys(agent.name for pairing in pairings for agent in pairing))
    matches = [summary(play(first, second, variant, pairs, seed, games=games, **settings)) for first, second in pairings]
    return {
        "schema": SCHEMA,
        "variant": variant,
        "rules": settings_in_words(rules),
        "unit": f"mirrored {'games to ' + str(rules.target) if games else 'deals'}",
        "pairs": pairs,
        "seed": seed,
        "interval": "95%, clustered by mirrored pair",
        "agents": names,
        "matches": matches,
        "standing": _standing(names, matches) if len(matches) == len(names) * (len(names) - 1) // 2 else [],
        "versions": {"rummy-env": version("rummy-env"), "python": platform.python_version()},
    }


def _standing(names: list[str], matches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mean points per deal (and games won) over all opponents, best first."""
    rows = []
    for name in dict.fromkeys(names):
        points, won = [], []
        for match in matches:
            if name in (match["first"], match["second"]):
                sign = 1 if name == match["first"] else -1
                points.append(sign * match["points_per_deal"].mean)
                if match["games_won"] is not None:
                    won.append(match["games_won"].mean if sign > 0 else 1 - match["games_won"].mean)
        row = {"agent": name, "points_per_deal": sum(points) / len(points)}
        rows.append(row | ({"games_won": sum(won) / len(won)} if won else {}))
    return sorted(rows, key=lambda row: -row["points_per_deal"])


def to_json(document: dict[str, Any]) -> str:
    """The document as JSON: an estimate becomes ``{"mean", "half"}``, what is not a number null."""

    def plain(value: Any) -> Any:
        if isinstance(value, Estimate):
            return {"mean": plain(value.mean), "half": plain(value.half)}
        if isinstance(value, float) and not math.isfinite(value):
            return None
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items()}
        return [plain(v) for v in value] if isinstance(value, list | tuple) else value

    return json.dumps(plain(document), indent=1) + "\n"


def save_json(document: dict[str, Any], path: Path) -> None:
    """Writes the document whole or not at all."""
    write_whole(path, to_json(document))


_HEAD = ("against", "points a deal", "games won", "deals won", "knock", "gin", "undercut", "undercut by", "dead", "ms/move")


def table(document: dict[str, Any]) -> str:
    """The document for a terminal: one block an agent that comes first in a match-up."""
    unit = f"{document['pairs']:,} pairs of {document['unit']}, seed {document['seed']}"
    lines = [f"{document['variant']}: {unit}; ± is {document['interval']}"]
    for name in dict.fromkeys(match["first"] for match in document["matches"]):
        rows = [_HEAD] + [_cells(match) for match in document["matches"] if match["first"] == name]
        lines += ["", name, *aligned(rows)]
    if len(document["standing"]) > 2:
        rows = [("mean over the others", "points a deal", "games won")]
        for row in document["standing"]:
            won = f"{100 * row['games_won']:.1f}%" if "games_won" in row else "-"
            rows.append((row["agent"], f"{row['points_per_deal']:+.2f}", won))
        lines += ["", *aligned(rows)]
    return "\n".join(lines)


def _cells(match: dict[str, Any]) -> tuple[str, ...]:
    finish = match["finish"]
    games = match["games_won"]
    return (
        match["second"],
        match["points_per_deal"].text(digits=2, sign="+"),
        "-" if games is None else games.text(100) + "%",
        match["deals_won"].text(100) + "%",
        *(f"{100 * finish[name]:.1f}%" for name in ("knock", "gin", "undercut", "undercut_against", "dead")),
        f"{match['ms_per_decision'][0]:.3f}",
    )


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines: the first column left, the others right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]).rstrip()
        for row in rows
    ]
