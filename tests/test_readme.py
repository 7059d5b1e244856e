"""README is true: its tour runs, its tables are those of the code and of the measured documents."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

from eval.readme import TABLES, render

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
MODULES = (
    "rummy_env",
    "rummy_env.cards",
    "rummy_env.rules",
    "rummy_env.match",
    "rummy_env.gin.actions",
    "rummy_env.gin.solver",
    "rummy_env.envs.registry",
    "rummy_env.envs.tables",
)


def test_tour_runs():
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code
    test = doctest.DocTestParser().get_doctest(code[1], {}, "README", "README.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test)
    assert runner.failures == 0


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name):
    assert doctest.testmod(import_module(name)).failed == 0


def test_tables_are_up_to_date():
    assert render(README) == README, "run: python -m eval readme"


def test_every_table_has_content():
    for name in TABLES:
        assert re.search(rf"<!-- {name} -->\n.*\|.*\n<!-- /{name} -->", README, re.DOTALL), name


def test_named_files_exist():
    for path in re.findall(r"`((?:rummy_env|agents|eval|train|configs|tests|notebooks|docs)/[\w/.]*)`", README):
        assert (ROOT / path).exists(), path


def test_nothing_speaks_of_the_place_it_was_made():
    words = ("/" + "work/", "/" + "root/", "sand" + "box")
    for path in ROOT.rglob("*"):
        if path.suffix in (".py", ".md", ".yaml", ".toml", ".ipynb", ".json", ".txt", ".lock") and ".venv" not in path.parts:
            text = path.read_text(errors="ignore")
            assert not [word for word in words if word in text], path
