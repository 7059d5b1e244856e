"""``python -m eval readme``: writes the tables of README.md from the code and from the measured documents in ``docs/``.

Each table stands between ``<!-- NAME -->`` and ``<!-- /NAME -->``; a test compares them, so that README stays true.
"""

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rummy_env.record import write_whole
from rummy_env.rules import BOOKS, RuleBook, make_rules, settings_in_words

ROOT = Path(__file__).parent.parent


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def rules_table(book: RuleBook) -> str:
    """The settings in which a game's variants differ, a row a setting."""
    words = {variant: settings_in_words(make_rules(variant)) for variant in book.variants}
    differing = [name for name in book.settings if len({w[name] for w in words.values()}) > 1]
    rows = [[f"`{name}`", *(words[variant][name] for variant in book.variants)] for name in differing]
    return markdown(["setting", *(f"`{variant}`" for variant in book.variants)], rows)


def rules_tables() -> str:
    """One such table a game."""
    return "\n\n".join(map(rules_table, BOOKS))


def _load(name: str) -> dict[str, Any]:
    return json.loads((ROOT / "docs" / name).read_text())


def _share(estimate: dict[str, float] | None) -> str:
    return "–" if estimate is None else f"{100 * estimate['mean']:.1f} ± {100 * estimate['half']:.1f} %"


def arena_table(name: str) -> str:
    """A measured arena document as a table, from each first agent's view."""
    document = _load(name)
    rows = [
        [
            f"`{m['first']}`",
            f"`{m['second']}`",
            f"{m['points_per_deal']['mean']:+.2f} ± {m['points_per_deal']['half']:.2f}",
            _share(m["games_won"]),
            _share(m["deals_won"]),
            *(f"{100 * m['finish'][key]:.1f} %" for key in ("knock", "gin", "undercut", "undercut_against")),
        ]
        for m in document["matches"]
    ]
    head = ["agent", "against", "points a deal", "games won", "deals won", "knocks", "gins", "undercuts", "undercut by"]
    unit = f"{document['pairs']:,} pairs of {document['unit']}"
    return f"`{document['variant']}`, {unit}, seed {document['seed']}; ± is {document['interval']}.\n\n" + markdown(head, rows)


def _number(estimate: dict[str, float], sign: str = "+") -> str:
    return f"{estimate['mean']:{sign}.2f} ± {estimate['half']:.2f}"


def rotated_table(name: str, wanted: str) -> str:
    """A measured arena document of more than two players: its ``matches`` (one against copies of another) or ``standing``."""
    document = _load(name)
    ratings = {row["agent"]: f"{row['rating']:+.0f} ± {row['half']:.0f}" for row in document["ratings"]}
    rows = [
        [
            f"`{row['first' if wanted == 'matches' else 'agent']}`",
            f"three `{row['second']}`" if wanted == "matches" else ratings[row["agent"]],
            _share(row["first_places"]),
            _number(row["margin"]),
            _number(row["points_per_deal"]),
            _number(row["rank"], ""),
            f"{100 * row['finish']['out']:.1f} %",
        ]
        for row in document[wanted]
    ]
    second = "against" if wanted == "matches" else "rating"
    head = ["agent", second, "first places", "points above the others", "points a deal", "mean rank", "goes out"]
    count = "" if wanted == "matches" else f"{len(document['lineups'])} line-ups, each on "
    unit = f"{count}{document['pairs']:,} decks, {document['unit']}"
    return f"`{document['variant']}`, {unit}, seed {document['seed']}; ± is {document['interval']}.\n\n" + markdown(head, rows)


def _view(match: dict[str, Any], name: str, key: str) -> tuple[float, float]:
    """An estimate of a pairing from one agent's view: its mean and half-width."""
    found = match[key]
    if match["first"] == name:
        return found["mean"], found["half"]
    return (1 - found["mean"] if key == "games_won" else -found["mean"]), found["half"]


def strength_table(name: str) -> str:
    """A document of ``python -m eval table``: for each agent, games won and points a deal against each other."""
    document = _load(name)
    names, rows = document["agents"], []
    played = {frozenset((m["first"], m["second"])): m for m in document["matches"]}
    for own in names:
        cells = [f"`{own}`"]
        for other in names:
            match = played.get(frozenset((own, other)))
            if match is None or own == other:
                cells.append("–")
                continue
            won, points = _view(match, own, "games_won"), _view(match, own, "points_per_deal")
            cells.append(f"{100 * won[0]:.1f} ± {100 * won[1]:.1f} %<br>{points[0]:+.1f} ± {points[1]:.1f}")
        rows.append(cells)
    decks = sorted({m["decks"] for m in document["matches"]}, reverse=True)
    unit = f"pairs of {document['unit']} ({' or '.join(f'{n:,}' for n in decks)} a pairing; the fewer where somebody searches)"
    text = f"`{document['variant']}`, {unit}, seed {document['seed']}; games won and points a deal of the agent in the row, "
    return text + f"± is {document['interval']}.\n\n" + markdown(["", *(f"`{other}`" for other in names)], rows)


def finish_table(name: str) -> str:
    """The same document: how each agent's deals end over all its pairings, and its time for a move."""
    document = _load(name)
    keys = ("knock", "gin", "undercut", "undercut_against", "dead")
    rows = []
    for own in document["agents"]:
        first = [m for m in document["matches"] if m["first"] == own]
        second = [m for m in document["matches"] if m["second"] == own]
        shares = {key: [m["finish"][key] for m in first] for key in keys}
        for key, swapped in (("knock", "knock_against"), ("gin", "gin_against"), ("dead", "dead")):
            shares[key] += [m["finish"][swapped] for m in second]
        shares["undercut"] += [m["finish"]["undercut_against"] for m in second]
        shares["undercut_against"] += [m["finish"]["undercut"] for m in second]
        time = [m["ms_per_decision"] for m in first] + [m["ms_second"] for m in second]
        cells = [f"{100 * sum(shares[key]) / len(shares[key]):.1f} %" for key in keys]
        rows.append([f"`{own}`", *cells, f"{min(time):.3g}"])
    return markdown(["agent", "knocks", "gins", "undercuts", "undercut by", "dead", "ms a move"], rows)


def ladder_table(name: str) -> str:
    """A document of ``python -m eval table --ladder``."""
    document = _load(name)
    rows = [
        [
            f"`{m['first']}`",
            f"`{m['second']}`",
            _share(m["games_won"]),
            _number(m["points_per_deal"]),
            f"{m['ms_per_decision']:.2g}",
        ]
        for m in document["matches"]
    ]
    unit = f"{document['pairs']:,} pairs of {document['unit']}, seed {document['seed']}; ± is {document['interval']}"
    head = ["agent", "against", "games won", "points a deal", "ms a move"]
    return f"`{document['variant']}`, {unit}.\n\n" + markdown(head, rows)


def arena_tables(names: tuple[str, ...]) -> str:
    """Several arena documents, one table below the other."""
    return "\n\n".join(map(arena_table, names))


def bench_table() -> str:
    """The measured speeds."""
    from eval.bench import markdown_table

    return markdown_table(_load("bench.json"))


TABLES: dict[str, Callable[[], str]] = {
    "rules": rules_tables,
    "demo": partial(arena_table, "demo.json"),
    "baselines": partial(arena_table, "baselines.json"),
    "rum500": partial(rotated_table, "rum500.json", "matches"),
    "rum500-mixed": partial(rotated_table, "rum500_mixed.json", "standing"),
    "strength": partial(strength_table, "strength.json"),
    "finish": partial(finish_table, "strength.json"),
    "search": partial(ladder_table, "search.json"),
    "variants": partial(arena_tables, ("gin_es.json", "gin_ru.json", "oklahoma_es.json", "oklahoma_ru.json")),
    "exploit": partial(arena_table, "exploit.json"),
    "bench": bench_table,
}


def render(text: str) -> str:
    """README's text with every table written anew."""
    for name, make in TABLES.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if not pattern.search(text):
            raise ValueError(f"README.md has no <!-- {name} --> … <!-- /{name} -->")
        before, after = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        text = pattern.sub((before + make() + "\n" + after).replace("\\", r"\\"), text)
    return text


def main(arguments: list[str]) -> int:
    """Rewrites README.md; returns the exit status."""
    path = ROOT / "README.md"
    write_whole(path, render(path.read_text()))
    return 0
