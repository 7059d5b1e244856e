"""A setting of the rules: what it means, which values it takes, and how they are written; and a game's book of them."""

import difflib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple


class RulesError(ValueError):
    """A setting that is unknown, out of range, or impossible together with another."""


class Setting(NamedTuple):
    """What a setting means and which values it takes: a range of ints, ``choices`` between words, or yes and no."""

    meaning: str
    low: int = 0
    high: int = 1
    choices: tuple[str, ...] = ()

    @property
    def is_flag(self) -> bool:
        return not self.choices and (self.low, self.high) == (0, 1)

    def allowed(self) -> str:
        """The values in words: ``"0 to 100"``, ``"stock | any"``, ``"yes | no"``."""
        if self.choices:
            return " | ".join(self.choices)
        return "yes | no" if self.is_flag else f"{self.low} to {self.high}"

    def code(self, value: Any) -> int | None:
        """The int a value stands for, or None if it is not allowed."""
        if isinstance(value, str) and self.is_flag:
            value = {"yes": 1, "no": 0, "true": 1, "false": 0}.get(value.lower(), value)
        if self.choices and str(value) in self.choices:
            return self.choices.index(str(value))
        if isinstance(value, str) and self.choices:
            return None
        if isinstance(value, str) and value.removeprefix("-").isdecimal():
            value = int(value)
        if isinstance(value, bool) and not self.is_flag:
            return None
        if isinstance(value, str | float) or not hasattr(value, "__index__") or (self.choices and not isinstance(value, int)):
            return None
        high = len(self.choices) - 1 if self.choices else self.high
        return int(value) if self.low <= int(value) <= high else None

    def words(self, code: int) -> str:
        """How a stored int prints."""
        if self.choices:
            return self.choices[code]
        return ("no", "yes")[code] if self.is_flag else str(code)


class RuleBook(NamedTuple):
    """All there is to say of one game's rules.

    ``rules`` is the NamedTuple of ints that kernels take, ``settings`` the meaning of its fields, ``variants`` what each
    variant changes of the first one, which has the defaults. ``refuse`` raises RulesError for settings that contradict each
    other; ``heading`` is a variant's first line in words; ``origin`` says where the first variant comes from.
    """

    game: str
    rules: type[Any]
    settings: dict[str, Setting]
    variants: dict[str, dict[str, Any]]
    refuse: Callable[[Any], None]
    heading: Callable[[Any], str]
    origin: str

    def choice(self, setting: str, word: str) -> int:
        """The int that stands for a word of a setting, for use as a constant in kernels."""
        return self.settings[setting].choices.index(word)


def unknown_name(kind: str, name: str, known: Iterable[str]) -> RulesError:
    """The error that refuses a name: it says which name is close, and which there are."""
    known = list(known)
    close = difflib.get_close_matches(str(name), known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return RulesError(f"unknown {kind} {name!r}{hint} (known: {', '.join(known)})")
