"""The rules of every variant: for each game one NamedTuple of ints, and a table that names its settings.

The games come from three source texts, a Russian and a Spanish one on gin (``-ru``, ``-es``) and a Russian one on 500 Rum,
and from the rules of other systems for comparison (``gin-eaai``: the EAAI 2021 challenge; ``gin-openspiel``,
``oklahoma-openspiel``; ``rum500-standard``: the game as commonly published).

A :class:`GinRules` or :class:`Rum500Rules` holds plain ints so that kernels take it as one value; where a setting is a choice
between words, the int is the position in ``choices`` of its :class:`Setting`. Build one with :func:`make_rules`,
which accepts the words, refuses what is impossible, and is the only place that does.
"""

from typing import Any, TypeAlias

from rummy_env.cards import NUM_CARDS
from rummy_env.rules.gin import GIN_BOOK, GIN_SETTINGS, GinRules
from rummy_env.rules.rum500 import RUM500_BOOK, RUM500_SETTINGS, Rum500Rules
from rummy_env.rules.setting import RuleBook, RulesError, Setting, unknown_name

__all__ = [
    "BOOKS",
    "GIN_BOOK",
    "GIN_SETTINGS",
    "RUM500_BOOK",
    "RUM500_SETTINGS",
    "VARIANTS",
    "GinRules",
    "RuleBook",
    "Rules",
    "RulesError",
    "Rum500Rules",
    "Setting",
    "book_of",
    "check_variant",
    "describe",
    "make_rules",
    "num_seats",
    "overrides_of",
    "pack_size",
    "settings_in_words",
    "unknown_name",
]

Rules: TypeAlias = GinRules | Rum500Rules

BOOKS: tuple[RuleBook, ...] = (GIN_BOOK, RUM500_BOOK)
#: The book in which each variant stands.
VARIANTS: dict[str, RuleBook] = {variant: book for book in BOOKS for variant in book.variants}


def check_variant(variant: str) -> str:
    """Returns the name if it is a variant, else raises RulesError listing those there are."""
    if variant not in VARIANTS:
        raise unknown_name("variant", variant, VARIANTS)
    return variant


def book_of(rules: Rules | str) -> RuleBook:
    """The book of a rule set, or of a variant. Raises RulesError for an unknown variant."""
    if isinstance(rules, str):
        return VARIANTS[check_variant(rules)]
    return next(book for book in BOOKS if isinstance(rules, book.rules))


def make_rules(variant: str = "gin-es", **overrides: Any) -> Any:
    """The rules of a variant (of its game's type) with some settings overridden, by word or number.

    Raises RulesError, which names the setting and what it allows, for anything unknown or impossible.

    >>> make_rules("gin-ru", knock_limit=5, layoff_by="defender").knock_limit
    5
    >>> make_rules("rum500-ru", num_players=3).num_players
    3
    """
    book = book_of(variant)
    codes: dict[str, int] = {}
    for name, value in (book.variants[variant] | overrides).items():
        if name not in book.settings:
            raise unknown_name("setting", name, book.settings)
        code = book.settings[name].code(value)
        if code is None:
            raise RulesError(f"{name}={value!r} is not possible: {name} allows {book.settings[name].allowed()}")
        codes[name] = code
    rules = book.rules(**codes)
    book.refuse(rules)
    return rules


def num_seats(rules: Rules) -> int:
    """How many play."""
    return getattr(rules, "num_players", 2)


def pack_size(rules: Rules) -> int:
    """How many cards are played with: the 52 and the jokers."""
    return NUM_CARDS + getattr(rules, "jokers", 0)


def settings_in_words(rules: Rules) -> dict[str, str]:
    """Each setting's value as it is written in text, in the order of the table."""
    return {name: setting.words(getattr(rules, name)) for name, setting in book_of(rules).settings.items()}


def overrides_of(variant: str, rules: Rules) -> dict[str, str]:
    """The settings in which ``rules`` differ from a variant, in words: what a record must name."""
    base, now = settings_in_words(make_rules(variant)), settings_in_words(rules)
    return {name: now[name] for name in now if now[name] != base[name]}


def describe(variant: str, rules: Rules) -> str:
    """A variant's full rule set in words and values, one setting a line."""
    book, words = book_of(rules), settings_in_words(rules)
    width = max(map(len, words))
    lines = [f"{variant}: {book.heading(rules)}"]
    lines += [f"  {name:<{width}}  {value:<16} {book.settings[name].meaning}" for name, value in words.items()]
    return "\n".join(lines)
