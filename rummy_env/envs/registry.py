"""The gymnasium ids of the variants, ``rummy/GinEs-v0`` for ``gin-es``: one for each entry of ``VARIANTS``."""

from gymnasium.envs.registration import register, registry

from rummy_env.rules import VARIANTS, check_variant

NAMESPACE = "rummy"
VERSION = 0
_SINGLE = "rummy_env.envs.single:RummyEnv"
_VECTOR = "rummy_env.envs.vector:RummyVectorEnv"


def env_id(variant: str) -> str:
    """The id of a variant; raises RulesError for an unknown one.

    >>> env_id("oklahoma-es")
    'rummy/OklahomaEs-v0'
    """
    name = "".join(word.capitalize() for word in check_variant(variant).split("-"))
    return f"{NAMESPACE}/{name}-v{VERSION}"


def register_all() -> None:
    """Registers every variant that is not yet registered."""
    for variant in VARIANTS:
        name = env_id(variant)
        if name not in registry:
            register(name, entry_point=_SINGLE, vector_entry_point=_VECTOR, kwargs={"variant": variant})
