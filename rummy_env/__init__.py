"""Reinforcement learning for rummy games.

Importing the package registers its environments with gymnasium (``gymnasium.make("rummy/GinEs-v0")``) and is quick: the
compiled engine is loaded when one of the names below is first used.

>>> import rummy_env
>>> rummy_env.deadwood("AC 2C 3C 4D 5D 6D 7H 8H 9H TS")
10
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rummy_env.envs.registry import env_id, register_all

if TYPE_CHECKING:
    from rummy_env.cards import card, card_text, mask_text, parse_cards
    from rummy_env.envs.aec import RummyAECEnv as RummyAECEnv
    from rummy_env.envs.learner import LearnerTables
    from rummy_env.envs.single import RummyEnv
    from rummy_env.envs.tables import SeatView, Tables
    from rummy_env.envs.vector import RummyVectorEnv
    from rummy_env.errors import ActionError, PolicyError, RecordError
    from rummy_env.games import Game, game_of
    from rummy_env.gin.solver import (
        Arrangement,
        batch_best_discard,
        batch_deadwood,
        batch_deadwood_after_best_discard,
        best_arrangement,
        best_discard,
        deadwood,
        deadwood_after_each,
        gin_draws,
        improving_draws,
        is_meld,
        optimal_arrangements,
    )
    from rummy_env.match import MatchScore, play_match
    from rummy_env.position import parse_position, position_text
    from rummy_env.record import Recorder, load_record, replay, save_record
    from rummy_env.rules import (
        GIN_SETTINGS,
        RUM500_SETTINGS,
        VARIANTS,
        GinRules,
        RulesError,
        Rum500Rules,
        describe,
        make_rules,
    )

_NAMES = {
    "cards": ("card", "card_text", "mask_text", "parse_cards"),
    "envs.aec": ("RummyAECEnv",),
    "envs.learner": ("LearnerTables",),
    "envs.single": ("RummyEnv",),
    "envs.tables": ("SeatView", "Tables"),
    "envs.vector": ("RummyVectorEnv",),
    "errors": ("ActionError", "PolicyError", "RecordError"),
    "games": ("Game", "game_of"),
    "gin.solver": (
        "Arrangement",
        "batch_best_discard",
        "batch_deadwood",
        "batch_deadwood_after_best_discard",
        "best_arrangement",
        "best_discard",
        "deadwood",
        "deadwood_after_each",
        "gin_draws",
        "improving_draws",
        "is_meld",
        "optimal_arrangements",
    ),
    "match": ("MatchScore", "play_match"),
    "position": ("parse_position", "position_text"),
    "record": ("Recorder", "load_record", "replay", "save_record"),
    "rules": (
        "GIN_SETTINGS",
        "RUM500_SETTINGS",
        "VARIANTS",
        "GinRules",
        "RulesError",
        "Rum500Rules",
        "describe",
        "make_rules",
    ),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "GIN_SETTINGS",
    "RUM500_SETTINGS",
    "VARIANTS",
    "ActionError",
    "Arrangement",
    "Game",
    "GinRules",
    "LearnerTables",
    "MatchScore",
    "PolicyError",
    "RecordError",
    "Recorder",
    "RulesError",
    "Rum500Rules",
    "RummyEnv",
    "RummyVectorEnv",
    "SeatView",
    "Tables",
    "batch_best_discard",
    "batch_deadwood",
    "batch_deadwood_after_best_discard",
    "best_arrangement",
    "best_discard",
    "card",
    "card_text",
    "deadwood",
    "deadwood_after_each",
    "describe",
    "env_id",
    "game_of",
    "gin_draws",
    "improving_draws",
    "is_meld",
    "load_record",
    "make_rules",
    "mask_text",
    "optimal_arrangements",
    "parse_cards",
    "parse_position",
    "play_match",
    "position_text",
    "replay",
    "save_record",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("rummy-env")
    if name not in _MODULES:
        raise AttributeError(f"module 'rummy_env' has no attribute {name!r}")
    value = getattr(import_module(f"rummy_env.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


register_all()
