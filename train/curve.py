"""The learning curve of a run as a picture."""

import json
from pathlib import Path

from matplotlib.figure import Figure


def plot_curve(run_folder: Path, picture: Path) -> None:
    """Draws the evaluations in ``eval.jsonl``: points a deal against each opponent over minutes, with 95% intervals."""
    rows = [json.loads(line) for line in (run_folder / "eval.jsonl").read_text().splitlines()]
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    minutes = [row["minutes"] for row in rows]
    for opponent in [key for key, value in rows[0].items() if isinstance(value, dict)]:
        means = [row[opponent]["points_per_deal"][0] for row in rows]
        halves = [row[opponent]["points_per_deal"][1] for row in rows]
        axes.errorbar(minutes, means, halves, marker="o", markersize=3, capsize=2, label=f"against {opponent}")
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set_xlabel("minutes of training")
    axes.set_ylabel("points a deal (mirrored decks)")
    axes.legend(frameon=False)
    axes.grid(alpha=0.25)
    figure.savefig(picture, dpi=110)
