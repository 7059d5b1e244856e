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
    from rummy_env.envs.aec import GinAECEnv as GinAECEnv
    from rummy_env.envs.learner import LearnerTables
    from rummy_env.envs.single import GinEnv
    from rummy_env.envs.tables import SeatView, Tables
    from rummy_env.envs.vector import GinVectorEnv
    from rummy_env.gin.actions import NUM_ACTIONS, ActionError, action_name, parse_action
    from rummy_env.gin.observe import OBS_SIZE, OBS_SPEC, OBS_VERSION, obs_slice
    from rummy_env.gin.policies import POLICIES, PolicyError
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
    from rummy_env.record import (
        Recorder,
        RecordError,
        load_record,
        parse_position,
        position_text,
        replay,
        save_record,
    )
    from rummy_env.rules import GIN_SETTINGS, VARIANTS, GinRules, RulesError, describe, gin_rules

_NAMES = {
    "cards": ("card", "card_text", "mask_text", "parse_cards"),
    "envs.aec": ("GinAECEnv",),
    "envs.learner": ("LearnerTables",),
    "envs.single": ("GinEnv",),
    "envs.tables": ("SeatView", "Tables"),
    "envs.vector": ("GinVectorEnv",),
    "gin.actions": ("NUM_ACTIONS", "ActionError", "action_name", "parse_action"),
    "gin.observe": ("OBS_SIZE", "OBS_SPEC", "OBS_VERSION", "obs_slice"),
    "gin.policies": ("POLICIES", "PolicyError"),
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
    "record": ("RecordError", "Recorder", "load_record", "parse_position", "position_text", "replay", "save_record"),
    "rules": ("GIN_SETTINGS", "VARIANTS", "GinRules", "RulesError", "describe", "gin_rules"),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "GIN_SETTINGS",
    "NUM_ACTIONS",
    "OBS_SIZE",
    "OBS_SPEC",
    "OBS_VERSION",
    "POLICIES",
    "VARIANTS",
    "ActionError",
    "Arrangement",
    "GinEnv",
    "GinRules",
    "GinVectorEnv",
    "LearnerTables",
    "MatchScore",
    "PolicyError",
    "RecordError",
    "Recorder",
    "RulesError",
    "SeatView",
    "Tables",
    "action_name",
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
    "gin_draws",
    "gin_rules",
    "improving_draws",
    "is_meld",
    "load_record",
    "mask_text",
    "obs_slice",
    "optimal_arrangements",
    "parse_action",
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
