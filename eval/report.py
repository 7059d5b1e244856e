"""Arena results as a table for the terminal and as ``rummy-arena/v1`` JSON."""

import json
import math
import platform
from collections.abc import Sequence
from importlib.metadata import version
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from eval.arena import SCHEMA, Deals, Estimate, Games, Played, figures, meet, play, summary
from eval.ratings import rate
from rummy_env.record import write_whole
from rummy_env.rules import Rules, make_rules, num_seats, settings_in_words

#: Most line-ups of more entrants than seats; of more there are, so many are drawn.
MOST_LINEUPS = 70


def document_of(
    variant: str, rules: Rules, decks: int, seed: int, games: bool, names: list[str], **found: Any
) -> dict[str, Any]:
    """A ``rummy-arena/v1`` document with what was ``found``: matches, line-ups, standing, ratings."""
    seats = num_seats(rules)
    by_deals = getattr(rules, "num_deals", 0)
    goal = f"games of {by_deals} deals" if by_deals else f"games to {rules.target}"
    return {
        "schema": SCHEMA,
        "variant": variant,
        "rules": settings_in_words(rules),
        "unit": f"{'mirrored' if seats == 2 else f'{seats} times rotated'} {goal if games else 'deals'}",
        "pairs": decks,
        "seed": seed,
        "interval": f"95%, clustered by {'mirrored pair' if seats == 2 else 'deck'}",
        "agents": names,
        "matches": [],
        "lineups": [],
        "standing": [],
        "ratings": [],
        **found,
        "versions": {"rummy-env": version("rummy-env"), "python": platform.python_version()},
    }


def round_robin(
    agents: Sequence[Agent], variant: str, decks: int, seed: int, *, games: bool = False, **settings: Any
) -> dict[str, Any]:
    """All agents on the same decks; the ``rummy-arena/v1`` document.

    With two players every agent meets every other. With more, agents of the number of players are one line-up; fewer meet one
    against copies of another, each way round; more play every line-up, or :data:`MOST_LINEUPS` drawn of them. More agents
    than players are rated.
    """
    seats = num_seats(make_rules(variant, **settings))
    if seats == 2:
        return tournament(list(combinations(agents, 2)), variant, decks, seed, games=games, **settings)
    if len(agents) < seats:
        return tournament(list(permutations(agents, 2)), variant, decks, seed, games=games, **settings)
    return line_ups(agents, variant, decks, seed, games=games, **settings)


def tournament(
    pairings: Sequence[tuple[Agent, Agent]], variant: str, decks: int, seed: int, *, games: bool = False, **settings: Any
) -> dict[str, Any]:
    """Each pairing, one agent against another on all other seats, on the same decks; the ``rummy-arena/v1`` document.

    ``matches`` has one entry a pairing, from the first one's view; ``standing`` the means over opponents, best first, where
    every agent has met every other.
    """
    rules = make_rules(variant, **settings)
    names = list(dict.fromkeys(agent.name for pairing in pairings for agent in pairing))
    played = [meet(first, second, variant, decks, seed, games=games, **settings) for first, second in pairings]
    matches = [summary(p) for p in played]
    standing, ratings = [], []
    if num_seats(rules) == 2 and len(pairings) == len(names) * (len(names) - 1) // 2:
        standing = _mirrored_standing(names, matches)
        ratings = _ratings(names, played, seed) if len(names) > 2 else []
    return document_of(variant, rules, decks, seed, games, names, matches=matches, standing=standing, ratings=ratings)


def line_ups(
    agents: Sequence[Agent], variant: str, decks: int, seed: int, *, games: bool = False, **settings: Any
) -> dict[str, Any]:
    """Line-ups of at least as many agents as there are players; the ``rummy-arena/v1`` document.

    ``lineups`` has the figures of each name in each line-up; ``standing`` those over all of them, best first.
    """
    rules = make_rules(variant, **settings)
    chosen = list(combinations(agents, num_seats(rules)))
    if len(chosen) > MOST_LINEUPS:
        drawn = np.random.default_rng(seed % (1 << 63)).choice(len(chosen), MOST_LINEUPS, replace=False)
        chosen = [chosen[k] for k in sorted(drawn)]
    played = [play(lineup, variant, decks, seed, games=games, **settings) for lineup in chosen]
    names = list(dict.fromkeys(agent.name for agent in agents))
    standing = [{"agent": name, **figures_of(name, played)} for name in names if any(name in p.names for p in played)]
    return document_of(
        variant,
        rules,
        decks,
        seed,
        games,
        names,
        lineups=[
            {"agents": list(p.names), "results": [{"agent": name, **figures_of(name, [p])} for name in dict.fromkeys(p.names)]}
            for p in played
        ],
        standing=sorted(standing, key=lambda row: -row["first_places"].mean),
        ratings=_ratings(names, played, seed) if len(agents) > num_seats(rules) else [],
    )


def figures_of(name: str, played: Sequence[Played]) -> dict[str, Any]:
    """The figures of the agent of a name over all its places in some line-ups."""
    return figures(_joined([_at_place(p, place) for p in played for place, seated in enumerate(p.names) if seated == name]))


def _at_place(played: Played, place: int) -> Played:
    """The same with that place first."""
    deals, games, n = played.deals, played.games, len(played.names)
    turned = np.roll(np.arange(n), -place)
    back = lambda places: np.where(places < 0, places, (places - place) % n)  # noqa: E731
    return Played(
        tuple(played.names[k] for k in turned),
        played.game,
        deals._replace(
            points=deals.points[:, turned], left=deals.left[:, turned], closer=back(deals.closer), starter=back(deals.starter)
        ),
        None if games is None else games._replace(won=games.won[:, turned]),
        tuple(played.seconds[k] for k in turned),
        tuple(played.decisions[k] for k in turned),
    )


def _joined(parts: Sequence[Played]) -> Played:
    """Line-ups one below the other, as one."""
    games = [p.games for p in parts if p.games is not None]
    return Played(
        parts[0].names,
        parts[0].game,
        Deals(*(np.concatenate(column) for column in zip(*(p.deals for p in parts)))),
        Games(*(np.concatenate(column) for column in zip(*games))) if games else None,
        tuple(map(sum, zip(*(p.seconds for p in parts)))),
        tuple(map(sum, zip(*(p.decisions for p in parts)))),
    )


def _mirrored_standing(names: list[str], matches: list[dict[str, Any]]) -> list[dict[str, Any]]:
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


def _ratings(names: list[str], played: Sequence[Played], seed: int) -> list[dict[str, Any]]:
    """Ratings by games won where games were played, else by the points of each deal."""
    tables: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]] = []
    for p in played:
        deck, values = (p.deals.deck, p.deals.points) if p.games is None else (p.games.deck, p.games.won)
        entrants = np.broadcast_to([names.index(name) for name in p.names], values.shape)
        tables.append((deck, entrants, values))
    return [row._asdict() for row in rate(names, tables, seed)]


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


_MIRRORED = (
    "points_per_deal",
    "games_won",
    "deals_won",
    "knock",
    "gin",
    "undercut",
    "undercut_against",
    "dead",
    "ms_per_decision",
)
_ROTATED = ("points_per_deal", "margin", "first_places", "rank", "games_won", "out", "out_against", "ms_per_decision")
_WORDS = {
    "points_per_deal": "points a deal",
    "undercut_against": "undercut by",
    "out_against": "others out",
    "ms_per_decision": "ms/move",
}


def table(document: dict[str, Any]) -> str:
    """The document for a terminal: a block for each first agent of a match-up, or for a line-up; standing and ratings."""
    unit = f"{document['pairs']:,} {'pairs of' if document['unit'].startswith('mirrored') else 'decks,'} {document['unit']}"
    lines = [f"{document['variant']}: {unit}, seed {document['seed']}; ± is {document['interval']}"]
    columns: tuple[str, ...] = _MIRRORED if document["unit"].startswith("mirrored") else _ROTATED
    if "games" not in document["unit"]:
        columns = tuple(column for column in columns if column != "games_won")
    for name in dict.fromkeys(match["first"] for match in document["matches"]):
        rows = [match for match in document["matches"] if match["first"] == name]
        lines += ["", name, *aligned([_head("against", columns), *(_cells(row["second"], row, columns) for row in rows)])]
    blocks = document["lineups"] if len(document["lineups"]) == 1 else []
    for block in blocks:
        rows = sorted(block["results"], key=lambda row: -row["first_places"].mean)
        lines += ["", *aligned([_head("line-up", columns), *(_cells(row["agent"], row, columns) for row in rows)])]
    if len(document["standing"]) > 2 and not blocks:
        best = document["standing"][0]
        wanted = tuple(column for column in columns if column in best or column in best.get("finish", ()))
        kind = "mean over the others" if document["matches"] else f"over {len(document['lineups'])} line-ups"
        lines += ["", *aligned([_head(kind, wanted), *(_cells(row["agent"], row, wanted) for row in document["standing"])])]
    if document["ratings"]:
        rows = [(row["agent"], f"{row['rating']:+.0f} ± {row['half']:.0f}") for row in document["ratings"]]
        lines += ["", *aligned([("ahead of each other", "rating"), *rows]), "(400 points of rating are odds of 10 to 1)"]
    return "\n".join(lines)


def _head(first: str, columns: Sequence[str]) -> tuple[str, ...]:
    return (first, *(_WORDS.get(column, column.replace("_", " ")) for column in columns))


def _cells(name: str, row: dict[str, Any], columns: Sequence[str]) -> tuple[str, ...]:
    return (
        name,
        *(_cell(column, row["finish"][column] if column in row.get("finish", ()) else row[column]) for column in columns),
    )


def _cell(column: str, value: Any) -> str:
    """A figure as printed: points with a sign, shares in percent."""
    if value is None:
        return "-"
    if column in ("points_per_deal", "margin"):
        return value.text(digits=2, sign="+") if isinstance(value, Estimate) else f"{value:+.2f}"
    if column == "rank":
        return value.text(digits=2)
    if column == "ms_per_decision":
        return f"{value:.3f}"
    return f"{value.text(100)}%" if isinstance(value, Estimate) else f"{100 * value:.1f}%"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines: the first column left, the others right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]).rstrip()
        for row in rows
    ]
