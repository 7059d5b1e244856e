"""What the benchmark reports: rows, aims, the ``rummy-bench/v1`` document, and its tables."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

SCHEMA = "rummy-bench/v1"
_PACKAGES = ("rummy-env", "numpy", "numba", "gymnasium", "torch", "stable-baselines3", "open_spiel", "rlcard")


class Aim(NamedTuple):
    """At most (``low``) or at least ``value``, and at least ``ratio`` times the peer; 0: no aim."""

    value: float = 0.0
    ratio: float = 0.0
    low: bool = False

    def text(self) -> str:
        """The aim in words."""
        parts = [f"{'≤' if self.low else '≥'} {figure(self.value)}"] if self.value else []
        return ", ".join(parts + ([f"≥ {self.ratio:,.0f}× peer"] if self.ratio else []))

    def meets(self, value: float | None, ratio: float | None) -> bool | None:
        """Whether a figure meets it; None if that cannot be said."""
        if value is None or not (self.value or self.ratio):
            return None
        if self.value and (value > self.value if self.low else value < self.value):
            return False
        if self.ratio:
            return None if ratio is None else ratio >= self.ratio
        return True


class Row(NamedTuple):
    """One line of the benchmark; ``ratio`` is how many times better than the peer, None what was not measured."""

    name: str
    value: float | None
    unit: str
    aim: str
    meets: bool | None
    peer: str | None = None
    peer_value: float | None = None
    ratio: float | None = None
    note: str = ""


def machine() -> dict[str, Any]:
    """The machine in general words, its load, and the versions measured."""
    model = platform.machine()
    cpus = Path("/proc/cpuinfo")
    if cpus.exists():
        names = [line.partition(":")[2].strip() for line in cpus.read_text().splitlines() if line.startswith("model name")]
        model = names[0] if names else model
    versions = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    load = [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else []
    return {"cpu": model, "cores": os.cpu_count(), "system": platform.system(), "load": load, "versions": versions}


def document(rows: list[Row], quick: bool, before: dict[str, Any]) -> dict[str, Any]:
    """The ``rummy-bench/v1`` document; ``before`` is the machine as it was at the beginning."""
    return {
        "schema": SCHEMA,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "quick": quick,
        "machine": before,
        "rows": [row._asdict() for row in rows],
    }


def figure(value: float | None) -> str:
    """Three digits, with k and M."""
    if value is None:
        return "–"
    for size, letter in ((1e6, " M"), (1e4, " k")):
        if abs(value) >= size:
            return f"{value / (1e6 if letter == ' M' else 1e3):.3g}{letter}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def cells(row: dict[str, Any]) -> list[str]:
    """A row as text: what, measured, aim, met, peer, times the peer."""
    peer = row["peer"] or row["note"] or ""
    if row["peer_value"] is not None:
        peer += f": {figure(row['peer_value'])}"
    times = "" if row["ratio"] is None else f"{row['ratio']:,.0f}×"
    met = {True: "yes", False: "no", None: ""}[row["meets"]]
    value = "–" if row["value"] is None else f"{figure(row['value'])} {row['unit']}"
    return [row["name"], value, row["aim"], met, peer, times]


HEAD = ["what", "measured", "aim", "met", "peer", "times the peer"]


def machine_text(machine: dict[str, Any]) -> str:
    """The machine in a line."""
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items() if number != "not installed")
    load = f", load {machine['load'][0]}" if machine["load"] else ""
    return f"{machine['cpu']}, {machine['cores']} cores{load}; {versions}"


def markdown_table(document: dict[str, Any]) -> str:
    """The document as Markdown."""
    lines = [HEAD, ["---"] * len(HEAD), *map(cells, document["rows"])]
    table = "\n".join("| " + " | ".join(texts) + " |" for texts in lines)
    return f"{document['date']}, {machine_text(document['machine'])}. One thread unless said.\n\n{table}"


def line(texts: list[str]) -> str:
    """Cells side by side for the terminal."""
    return "  ".join(cell.ljust(width) for cell, width in zip(texts, (56, 22, 22, 3, 46, 8))).rstrip()
