"""The games there are, and kernels that every one of them has under one name.

A game is a package (``rummy_env.gin``, ``rummy_env.rum500``) with the same modules, :data:`PARTS`, and the same names in
them. What stands above the games asks :func:`game_of` for one, or calls a kernel made by :func:`by_game`, which takes that of
the game whose table it is given: in compiled code by the table's type, so that it costs nothing and compiles no other game.
"""

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import overload
from numba.np.unsafe.ndarray import to_fixed_tuple
from numpy.typing import NDArray

from rummy_env.jit import KERNEL_OPTIONS
from rummy_env.policy import parse_policy
from rummy_env.rules import BOOKS, RuleBook, Rules, book_of, num_seats

PARTS = ("state", "actions", "play", "match", "observe", "outlook", "policies", "position", "view", "belief")

#: The field of its tables that no other game has.
_MARKS = {"pile": "gin", "row": "rum500"}


class Game(NamedTuple):
    """A game: its name, its rules, and its modules as attributes (``game.actions.NUM_ACTIONS``), loaded when first used."""

    name: str
    book: RuleBook

    def __getattr__(self, part: str) -> Any:
        if part not in PARTS:
            raise AttributeError(f"a game has no {part!r}, but: {', '.join(PARTS)}")
        return import_module(f"rummy_env.{self.name}.{part}")

    def obs_size(self, outlook: bool = False, privileged: bool = False) -> int:
        """The width of an observation with the parts asked for."""
        return self.observe.OBS_SIZE + outlook * self.outlook.OUTLOOK_SIZE + privileged * self.observe.PRIVILEGED_SIZE

    def parse_policy(self, text: str) -> tuple[int, NDArray[np.float64]]:
        """The number of a policy of the game and its parameters, float64[4], as :func:`rummy_env.policy.parse_policy`."""
        return parse_policy(text, self.policies.POLICIES)

    def outcome(self, ending: int, closed: bool) -> str:
        """How a deal ended, as a name of :meth:`outcomes`, for one seat, which has ``closed`` it or not."""
        state = self.state
        own = ending not in state.BY_CLOSER or closed != (ending in state.LOST_BY_CLOSER)
        return state.ENDINGS[ending] if own else f"{state.ENDINGS[ending]}_against"

    def outcomes(self) -> list[str]:
        """All ways a deal can end for one seat: where closing it counts for one seat, also ``knock_against`` and the like."""
        endings = range(1, len(self.state.ENDINGS))
        return list(dict.fromkeys(self.outcome(ending, closed) for ending in endings for closed in (True, False)))


#: The most seats a table of any game has.
MAX_SEATS = 6

GAMES: dict[str, Game] = {book.game: Game(book.game, book) for book in BOOKS}


def game_of(what: Rules | str) -> Game:
    """The game of a rule set or a variant. Raises RulesError for an unknown variant.

    >>> game_of("gin-es").actions.NUM_ACTIONS
    108
    """
    return GAMES[book_of(what).game]


def check_seat(rules: Rules, seat: Any) -> int:
    """Returns a seat that there is; raises ValueError that says which there are."""
    if seat not in range(num_seats(rules)):
        raise ValueError(f"seat={seat!r} is not possible: the seats are 0 to {num_seats(rules) - 1}")
    return int(seat)


def _marked(fields: Any) -> Game:
    return GAMES[next(game for mark, game in _MARKS.items() if mark in fields)]


def _game_at(arguments: tuple[Any, ...]) -> Game:
    """The game of the one table (a record, or numba's type of one) among a kernel's arguments."""
    for argument in arguments:
        record = argument if isinstance(argument, types.Record) else getattr(argument, "dtype", None)
        fields = getattr(record, "fields", None)
        if fields:
            return _marked(fields)
    raise TypeError("no table among the arguments")


def by_game(part: str, name: str) -> Any:
    """The kernel ``name`` of module ``part`` of whichever game the table among its arguments belongs to.

    Works in kernels and in Python.
    """

    def chosen(arguments: tuple[Any, ...]) -> Any:
        return getattr(getattr(_game_at(arguments), part), name)

    def kernel(*arguments: Any) -> Any:
        return chosen(arguments)(*arguments)

    class Template(AbstractTemplate):
        """What numba makes of a call: the chosen kernel's own signature and code, with nothing between."""

        key = kernel

        def generic(self, args: Any, kws: Any) -> Any:
            return types.Dispatcher(chosen(args)).get_call_type(self.context, args, kws)

        def get_impl_key(self, sig: Any) -> Any:
            return types.Dispatcher(chosen(sig.args)).get_impl_key(sig)

    kernel.__name__ = kernel.__qualname__ = name
    infer_global(kernel, types.Function(Template))
    return kernel


def rules_of(fields: Any, state: Any) -> Any:
    """The rules, of the type of the game of ``state``, whose values an array holds in their order."""
    return _marked(state.dtype.fields).book.rules(*fields)


@overload(rules_of, jit_options=KERNEL_OPTIONS)  # type: ignore[arg-type]
def _compiled_rules_of(fields, state):
    make = _marked(state.dtype.fields).book.rules
    count = len(make._fields)
    return lambda fields, state: make(*to_fixed_tuple(fields, count))


deal = by_game("play", "deal")
lay_out = by_game("play", "lay_out")
apply = by_game("play", "apply")
random_action = by_game("play", "random_action")
is_legal = by_game("play", "is_legal")
resample = by_game("play", "resample")
potential = by_game("play", "potential")
first_starter = by_game("match", "first_starter")
next_starter = by_game("match", "next_starter")
settle = by_game("match", "settle")
progress = by_game("match", "progress")
observe = by_game("observe", "observe")
observe_privileged = by_game("observe", "observe_privileged")
observe_bits = by_game("observe", "observe_bits")
write_mask = by_game("play", "write_mask")
write_outlook = by_game("outlook", "write_outlook")
act = by_game("policies", "act")
candidates = by_game("policies", "candidates")
num_players = by_game("play", "num_players")
imagine = by_game("belief", "imagine")
