"""The text of a position: one line that names every fact of a table, public or hidden, and its generators.

The line is made of words ``name=value``, separated by blanks (:mod:`rummy_env.fields`), in the order of the game's ``FIELDS``,
which its ``position`` module describes. It begins with ``variant=`` and, where settings differ from the variant's,
``rules=name:value,name:value``. Reading checks that each card lies in exactly one place and that the words do not
contradict each other.
"""

import difflib
from typing import Any

from rummy_env.errors import RecordError
from rummy_env.games import game_of
from rummy_env.rules import Rules, make_rules, overrides_of
from rummy_env.state import State, new_records


def position_text(variant: str, rules: Rules, t: Any) -> str:
    """The line that names everything about table ``t`` (``state[i]``); :func:`parse_position` reads it back exactly."""
    words = [f"variant={variant}"]
    changed = overrides_of(variant, rules)
    if changed:
        words.append("rules=" + ",".join(f"{name}:{value}" for name, value in changed.items()))
    for field in game_of(variant).position.FIELDS:
        words += field.words(rules, t)
    return " ".join(words)


def parse_position(text: str) -> tuple[str, Rules, State]:
    """Reads a line of :func:`position_text`: the variant, its rules, and a state of one table.

    The words may come in any order. Raises RecordError, which names the word, for anything malformed, unknown, given
    twice or out of range, for cards that are lost or lie in two places, and for a position no deal can be in.
    """
    words = _split(text)
    if "variant" not in words:
        raise RecordError("the position names no variant: 'variant=gin-es' is missing")
    variant = words.pop("variant")
    try:
        rules: Rules = make_rules(variant, **_read_overrides(words.pop("rules", "")))
    except RecordError:
        raise
    except ValueError as error:
        raise RecordError(str(error)) from error
    game = game_of(variant)
    fields = game.position.FIELDS
    _refuse_unknown(words, ["variant", "rules", *(name for field in fields for name in field.names)])
    state = new_records(1, game.state.TABLE)
    for field in fields:
        field.fill(rules, state[0], words)
    check_position(rules, state[0])
    return variant, rules, state


def check_position(rules: Rules, t: Any) -> None:
    """Raises RecordError, naming the cards or words, where table ``t`` is in no state that a deal can be in."""
    game_of(rules).position.check_position(rules, t)


def _split(text: str) -> dict[str, str]:
    words: dict[str, str] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not equals or not name or not value:
            raise RecordError(f"malformed word {word!r}: a position is made of words 'name=value'")
        if name in words:
            raise RecordError(f"{name} is given twice")
        words[name] = value
    return words


def _refuse_unknown(words: dict[str, str], known: list[str]) -> None:
    for name in words:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            raise RecordError(f"unknown word {name!r}" + (f"; did you mean {close[0]!r}?" if close else ""))


def _read_overrides(text: str) -> dict[str, str]:
    overrides: dict[str, str] = {}
    for word in filter(None, text.split(",")):
        name, colon, value = word.partition(":")
        if not colon or not value or name in overrides:
            raise RecordError(f"rules={text}: {word!r} is malformed or given twice; write 'name:value,name:value'")
        overrides[name] = value
    return overrides
