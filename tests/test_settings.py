"""The settings of a variant: the presets, overrides, and what is refused by name."""

import numpy as np
import pytest

from rummy_env.rules import (
    BOOKS,
    GIN_SETTINGS,
    VARIANTS,
    GinRules,
    RulesError,
    book_of,
    describe,
    make_rules,
    overrides_of,
    settings_in_words,
)

ES = {
    "hand_size": "10",
    "knock_limit": "10",
    "oklahoma": "no",
    "spades_double": "off",
    "knock_after": "any",
    "gin_bonus": "25",
    "undercut_bonus": "20",
    "undercut_on_tie": "no",
    "big_gin_bonus": "0",
    "layoff_by": "defender",
    "layoff_choice": "optimal",
    "layoff_on_gin": "no",
    "rediscard_taken": "no",
    "first_upcard": "both_pass",
    "stock_end": "void_at_2",
    "starter": "alternate_scored",
    "target": "100",
    "scoring": "plus",
    "box_bonus": "0",
    "game_bonus": "0",
    "shutout": "0",
}
RUM500 = {
    "num_players": "4",
    "hand_size": "6",
    "jokers": "2",
    "run_corner": "yes",
    "row_use": "none",
    "joker_rebind": "no",
    "joker_swap": "yes",
    "swap_credit": "swapper",
    "max_jokers_per_meld": "2",
    "ace_value": "10",
    "go_out": "discard",
    "stock_end": "row_or_end",
    "target": "500",
    "num_deals": "0",
}
RU = {
    **ES,
    "knock_after": "stock",
    "undercut_bonus": "25",
    "layoff_by": "both",
    "stock_end": "reshuffle_at_3",
    "starter": "alternate",
    "target": "150",
    "scoring": "minus",
}
STANDARD = {**ES, "undercut_bonus": "25", "undercut_on_tie": "yes"}
OPENSPIEL = {
    **ES,
    "undercut_bonus": "25",
    "starter": "seat0",
    "stock_end": "last_knock_at_2",
    "rediscard_taken": "yes",
    "max_takes": "50",
}
PRESETS = {
    "gin-ru": RU,
    "oklahoma-ru": {**RU, "oklahoma": "yes"},
    "gin-es": ES,
    "oklahoma-es": {**ES, "oklahoma": "yes", "spades_double": "all"},
    "gin-standard": STANDARD,
    "gin-eaai": {**STANDARD, "layoff_choice": "greedy"},
    "gin-openspiel": OPENSPIEL,
    "oklahoma-openspiel": {**OPENSPIEL, "oklahoma": "yes"},
    "straight-gin": {**ES, "knock_limit": "0"},
    "rum500-ru": RUM500,
    "rum500-standard": {
        **RUM500,
        "hand_size": "7",
        "run_corner": "no",
        "row_use": "deep",
        "joker_swap": "no",
        "ace_value": "15_or_1_low",
        "go_out": "discard_optional",
    },
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_presets(variant):
    words = settings_in_words(make_rules(variant))
    assert {name: words[name] for name in PRESETS[variant]} == PRESETS[variant]
    assert words.keys() - PRESETS[variant].keys() <= {"max_turns", "max_takes"}


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.game)
def test_every_setting_is_a_field_and_has_a_meaning(book):
    assert tuple(book.settings) == book.rules._fields
    assert all(setting.meaning and setting.allowed() for setting in book.settings.values())
    assert make_rules(next(variant for variant, changes in book.variants.items() if not changes)) == book.rules()


def test_integers_and_flags():
    assert make_rules() == GinRules()
    assert all(isinstance(value, int) for value in make_rules("oklahoma-es", oklahoma=True))


@pytest.mark.parametrize("name", GIN_SETTINGS)
def test_every_value_in_range_is_taken_as_number_and_as_words(name):
    setting = GIN_SETTINGS[name]
    values = range(len(setting.choices)) if setting.choices else {setting.low, (setting.low + setting.high) // 2, setting.high}
    for value in values:
        assert setting.code(value) == setting.code(setting.words(value)) == value


@pytest.mark.parametrize("name", GIN_SETTINGS)
def test_every_value_out_of_range_is_refused_by_name(name):
    setting = GIN_SETTINGS[name]
    low, high = (0, len(setting.choices) - 1) if setting.choices else (setting.low, setting.high)
    wrong = [low - 1, high + 1, str(high + 1), 1.0, np.float64(1), None, "", "nonsense", "--1", "²", "1.5", (1,)]
    for value in wrong + ([] if setting.is_flag else [True]):
        with pytest.raises(RulesError, match=rf"^{name}=.* is not possible: {name} allows"):
            make_rules(**{name: value})


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"hand_size": 26}, "hand_size=26"),
        ({"gin_bonus": -1}, "gin_bonus=-1"),
        ({"oklahoma": True, "knock_limit": 0}, "knock_limit=0"),
        ({"layoff_on_gin": True, "layoff_by": "nobody"}, "layoff_on_gin=yes .* layoff_by=nobody"),
        ({"layoff_choice": "greedy", "layoff_by": "both"}, "layoff_choice=greedy"),
        ({"stock_end": "last_knock_at_2", "knock_after": "stock"}, "stock_end=last_knock_at_2 .* knock_after=stock"),
        ({"knok_limit": 5}, "unknown setting 'knok_limit'; did you mean 'knock_limit'"),
        ({"num_players": 4}, "unknown setting 'num_players'"),
        ({"variant": "gin"}, "unknown variant 'gin'"),
        ({"variant": "gin-rus"}, "did you mean 'gin-ru'"),
    ],
)
def test_impossible_rules_are_refused_by_name(settings, named):
    with pytest.raises(RulesError, match=named):
        make_rules(**settings)


@pytest.mark.parametrize("flag", [True, 1, "yes", "Yes", "true", "1", np.int64(1)])
def test_a_flag_is_taken_in_any_form(flag):
    assert make_rules(oklahoma=flag).oklahoma == 1


def test_overrides():
    rules = make_rules("oklahoma-ru", knock_limit="7", layoff_by="defender", target=np.int64(200))
    assert (rules.knock_limit, rules.layoff_by, rules.target) == (7, 1, 200)
    assert rules._replace(knock_limit=10, layoff_by=2, target=150) == make_rules("oklahoma-ru")
    assert overrides_of("oklahoma-ru", rules) == {"knock_limit": "7", "layoff_by": "defender", "target": "200"}
    assert make_rules("oklahoma-ru", **overrides_of("oklahoma-ru", rules)) == rules


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_is_rebuilt_from_its_words_and_described_in_full(variant):
    rules = make_rules(variant)
    assert overrides_of(variant, rules) == {}
    book = book_of(variant)
    assert make_rules(next(iter(book.variants)), **settings_in_words(rules)) == rules
    text = describe(variant, rules)
    assert all(name in text and setting.meaning in text for name, setting in book.settings.items())
