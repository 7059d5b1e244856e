"""Ids, the public names, and what importing the package costs."""

import doctest
import subprocess
import sys

import gymnasium as gym
import pytest
from gymnasium.envs.registration import EnvSpec

import rummy_env
from rummy_env.envs import registry
from rummy_env.jit import announce_compiling
from rummy_env.rules import VARIANTS, RulesError

NAMED = (  # those of the docs
    "GinRu OklahomaRu GinEs OklahomaEs GinStandard GinEaai GinOpenspiel OklahomaOpenspiel StraightGin Rum500Ru Rum500Standard"
)


def test_every_variant_has_an_id() -> None:
    ids = {name for name in gym.registry if name.startswith("rummy/")}
    assert ids == {rummy_env.env_id(variant) for variant in VARIANTS}
    assert {f"rummy/{name}-v0" for name in NAMED.split()} <= ids
    with pytest.raises(RulesError, match="did you mean 'gin-es'"):
        rummy_env.env_id("gin-ess")


@pytest.mark.parametrize("variant", VARIANTS)
def test_specs_hold_only_text(variant: str) -> None:
    spec = gym.spec(rummy_env.env_id(variant))
    assert isinstance(spec.entry_point, str)
    assert isinstance(spec.vector_entry_point, str)
    assert spec.kwargs == {"variant": variant}
    assert EnvSpec.from_json(spec.to_json()) == spec
    env = gym.make(spec, target=77)
    assert env.unwrapped.learner.tables.variant == variant
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.unwrapped.rules == env.unwrapped.rules


@pytest.mark.filterwarnings("error")
def test_registering_twice_is_silent() -> None:
    registry.register_all()


def test_wrong_settings_are_refused_by_name() -> None:
    with pytest.raises(RulesError, match="knock_limit allows 0 to 100"):
        gym.make("rummy/GinEs-v0", knock_limit=-1)
    with pytest.raises(RulesError, match="unknown option or setting 'knock'"):
        gym.make_vec("rummy/GinEs-v0", 2, knock=3)
    with pytest.raises(RulesError, match="contradicts"):
        gym.make("rummy/OklahomaEs-v0", knock_limit=0)


def test_public_names() -> None:
    for name in rummy_env.__all__:
        assert getattr(rummy_env, name) is not None
        assert name in dir(rummy_env)
    assert sorted(rummy_env.__all__) == sorted(set(rummy_env.__all__))
    assert set(rummy_env.__all__) == {*rummy_env._MODULES, "env_id"} - {"RummyAECEnv"}
    assert rummy_env.__version__
    with pytest.raises(AttributeError, match="no attribute 'tables_of'"):
        rummy_env.tables_of  # noqa: B018
    assert doctest.testmod(rummy_env).failed == doctest.testmod(registry).failed == 0


def run(code: str, **env: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env or None)


def test_importing_is_light() -> None:
    """No compiler, no learning framework, no pictures: only gymnasium beside the package itself."""
    code = (
        "import sys, rummy_env, gymnasium\n"
        "assert 'rummy/GinEs-v0' in gymnasium.registry\n"
        "heavy = {'numba', 'torch', 'PIL', 'pettingzoo', 'matplotlib', 'agents', 'train', 'eval'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    run(code)


@pytest.mark.parametrize(("name", "other"), [("GinEs", "rum500"), ("Rum500Ru", "gin")])
def test_an_environment_loads_no_other_game(name: str, other: str) -> None:
    code = (
        "import sys, gymnasium, rummy_env\n"
        f"gymnasium.make('rummy/{name}-v0').reset(seed=1)\n"
        f"strange = [module for module in sys.modules if module.startswith('rummy_env.{other}')]\n"
        "assert not strange, strange\n"
    )
    run(code)


def test_star_import_needs_no_extra() -> None:
    run("import sys; sys.modules['pettingzoo'] = None; sys.modules['PIL'] = None\nfrom rummy_env import *\nRummyEnv, deadwood")


def test_the_first_compilation_is_announced_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    from rummy_env import jit

    for cold, said in ((True, 1), (False, 0)):
        monkeypatch.setattr(jit, "_announced", set())
        monkeypatch.setattr(jit, "is_cold", lambda game, cold=cold: cold)
        announce_compiling("gin")
        announce_compiling("gin")
        assert capsys.readouterr().err.count("compiling the engine of gin, a minute or two, once") == said
