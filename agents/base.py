"""The agent protocol, and the registry that turns a text into an agent.

An agent acts for a batch of tables at once. It is named by a string, so that configs, records and other processes
can name it too:

- a scripted policy with parameters: ``simple``, ``greedy:knock=6``
- ``mc:N``: a search in N sampled worlds, ``mc:N+AGENT`` for another agent (:mod:`agents.search`)
- ``pretrained:NAME``: a released agent in ``agents/pretrained``
- a path to an agent folder, to its ``agent.json``, or to a training run (its best agent)
- a path to a checkpoint ``.zip`` of this trainer (only its weights are read, nothing is unpickled)
- ``sb3:PATH``: any other stable-baselines3 zip; loading it unpickles, so it needs ``trust=True`` (``--trust``)
"""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rummy_env.envs.tables import SeatView
from rummy_env.errors import PolicyError
from rummy_env.games import game_of


class AgentError(ValueError):
    """An agent that cannot be made: an unknown name, a missing file, or one trained for something else."""


@runtime_checkable
class Agent(Protocol):
    """Anything that plays.

    ``needs_observation`` is False if it asks the view instead (obs and mask may be empty then); ``outlook`` is True if its
    observations are to hold OUTLOOK_SPEC too.
    """

    name: str
    needs_observation: bool
    outlook: bool

    def act(
        self, obs: NDArray[np.float32], mask: NDArray[np.int8], view: SeatView, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Actions int64[k] for the seats to act at k tables.

        ``obs`` float32[k, OBS_SIZE] (or with the outlook), ``mask`` int8[k, NUM_ACTIONS] with at least one legal action a row;
        ``view`` gives what else the seats may know. All randomness comes from ``rng`` or, for scripted policies, from the
        tables' dice.
        """
        ...


def make_agent(text: str, variant: str, *, trust: bool = False, deterministic: bool = True, transfer: bool = False) -> Agent:
    """The agent a text names, for a variant. ``deterministic``: learned agents take their likeliest action.

    ``transfer`` lets a learned agent play a variant it was not trained for.

    Raises AgentError that says what is wrong and what can be named.
    """
    for prefix, make in _PREFIXES.items():
        if text.startswith(prefix):
            return make(text.removeprefix(prefix), variant, trust, deterministic, transfer)
    name, policies = text.partition(":")[0], game_of(variant).policies.POLICIES
    if name in policies:
        from agents.scripted import ScriptedAgent

        try:
            return ScriptedAgent(text, variant)
        except PolicyError as error:
            raise AgentError(str(error)) from None
    if Path(text).exists():
        from agents.learned import load_agent

        return load_agent(Path(text), variant, deterministic=deterministic, any_variant=transfer)
    names = ", ".join([*policies, *(prefix + "…" for prefix in _PREFIXES)])
    raise AgentError(f"unknown agent {text!r}: it is no file, and the names are {names}")


def _pretrained(name: str, variant: str, trust: bool, deterministic: bool, transfer: bool) -> Agent:
    from agents.learned import load_agent

    folder = Path(__file__).parent / "pretrained"
    released = sorted(p.parent.name for p in folder.glob("*/agent.json"))
    if name not in released:
        raise AgentError(f"no released agent {name!r} (there are: {', '.join(released) or 'none yet'})")
    agent = load_agent(folder / name, variant, deterministic=deterministic, any_variant=transfer)
    agent.name = f"pretrained:{name}"
    return agent


def _sb3(path: str, variant: str, trust: bool, deterministic: bool, transfer: bool) -> Agent:
    from agents.learned import SB3Agent

    if not trust:
        raise AgentError(
            f"sb3:{path} would be unpickled, which can run any code in it: say --trust if you know where it is from"
        )
    if not Path(path).exists():
        raise AgentError(f"sb3:{path}: no such file")
    return SB3Agent(Path(path), variant, deterministic=deterministic)


def _search(text: str, variant: str, trust: bool, deterministic: bool, transfer: bool) -> Agent:
    from agents.search import parse_search

    return parse_search(text, variant, trust=trust, deterministic=deterministic, transfer=transfer)


_PREFIXES: dict[str, Callable[[str, str, bool, bool, bool], Agent]] = {"pretrained:": _pretrained, "sb3:": _sb3, "mc:": _search}
