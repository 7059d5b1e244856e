"""The named parts of an observation: where each lies, what it says, and what it can hold."""

from collections.abc import Iterable
from typing import Any, NamedTuple


class Slice(NamedTuple):
    """A named part of the observation: ``obs[start:stop]``, what it says, and by what the value was divided.

    Its numbers lie between ``least`` and ``most``, whatever the rules, so that all variants of a game share one space.
    """

    name: str
    start: int
    stop: int
    meaning: str
    scale: float = 1.0
    most: float = 1.0
    least: float = 0.0


def lay_out(parts: Iterable[tuple[Any, ...]], start: int = 0) -> tuple[Slice, ...]:
    """Slices one behind the other from ``start`` on, of parts (name, size, meaning[, scale[, most[, least]]]).

    >>> [(part.name, part.stop) for part in lay_out([("hand", 52, "own cards"), ("clock", 2, "turns", 30, 4)])]
    [('hand', 52), ('clock', 54)]
    """
    slices: list[Slice] = []
    for name, size, meaning, *numbers in parts:
        slices.append(Slice(name, start, start + size, meaning, *numbers))
        start += size
    return tuple(slices)


def slice_of(spec: Iterable[Slice], name: str) -> slice:
    """Where a named part lies in the observation. Raises KeyError listing the names."""
    parts = {part.name: part for part in spec}
    if name not in parts:
        raise KeyError(f"no observation slice {name!r}; there are: {', '.join(parts)}")
    return slice(parts[name].start, parts[name].stop)
