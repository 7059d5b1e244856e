"""Rendering for all environments; what a table looks like says each game's ``view`` module."""

from collections.abc import Iterable
from typing import Any

import gymnasium as gym

from rummy_env.games import game_of
from rummy_env.rules import Rules

RENDER_MODES = ("human", "ansi", "rgb_array")


def check_render_mode(mode: str | None) -> str | None:
    """Returns a render mode that there is, or None; raises ValueError that lists them."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode={mode!r} is not possible: render_mode allows {' | '.join(RENDER_MODES)}")
    return mode


def rendered(
    mode: str | None, variant: str, rules: Rules, seen: Iterable[tuple[Any, int]], end: str = "\n\n"
) -> tuple[Any, ...] | None:
    """What ``render()`` gives for tables and the seats they are seen from: texts, pictures, or None.

    "human" prints the texts, an empty line between them and ``end`` after the last; without a mode it warns.
    """
    if mode is None:
        gym.logger.warn("render() does nothing without a render_mode: make the environment with one, such as 'ansi'")
        return None
    view = game_of(variant).view
    draw = view.table_image if mode == "rgb_array" else view.table_text
    drawn = tuple(draw(variant, rules, t, seat) for t, seat in seen)
    if mode != "human":
        return drawn
    print(*drawn, sep="\n\n", end=end, flush=True)
    return None
