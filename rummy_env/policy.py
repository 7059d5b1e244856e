"""How a scripted policy is named: ``"simple"``, ``"greedy:knock=6"``. Each game has a table of its own, ``POLICIES``."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummy_env.errors import PolicyError

NUM_PARAMETERS = 4


class Policy(NamedTuple):
    """A baseline: its number in the game's ``act``, its parameters with (default, least, most), and what it does."""

    number: int
    parameters: Mapping[str, tuple[float, float, float]]
    meaning: str


def parse_policy(text: str, policies: Mapping[str, Policy]) -> tuple[int, NDArray[np.float64]]:
    """The number of a policy and its parameters, float64[4], from ``"name"`` or ``"name:key=value,…"``.

    Raises PolicyError that names what is wrong and what there is.
    """
    name, _, rest = text.partition(":")
    if name not in policies:
        raise PolicyError(f"unknown policy {name!r} (known: {', '.join(policies)})")
    policy = policies[name]
    values = {key: default for key, (default, _, _) in policy.parameters.items()}
    for part in filter(None, rest.split(",")):
        key, _, number = part.partition("=")
        if key not in values:
            raise PolicyError(f"{name} has no parameter {key!r} (it has: {', '.join(values) or 'none'})")
        _, low, high = policy.parameters[key]
        try:
            values[key] = float(number)
        except ValueError:
            values[key] = float("nan")
        if not low <= values[key] <= high:
            raise PolicyError(f"{name}: {key}={number} is not possible: {key} allows {low:g} to {high:g}")
    parameters = np.zeros(NUM_PARAMETERS)
    parameters[: len(values)] = list(values.values())
    return policy.number, parameters
