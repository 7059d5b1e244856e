"""The golden games of 500 Rum are what the engine plays today, show what they say, and each replays as a record."""

import pytest

from rummy_env.record import load_record, replay
from rummy_env.rules import make_rules
from tests.golden500 import FOLDER500, GOLDEN500, golden_text


@pytest.mark.parametrize("name", GOLDEN500)
def test_golden_game_is_unchanged(name: str) -> None:
    assert golden_text(name) == (FOLDER500 / f"{name}.txt").read_text(encoding="utf-8"), "python -m tests.golden writes it anew"


@pytest.mark.parametrize("name", GOLDEN500)
def test_golden_game_replays(name: str) -> None:
    record = load_record(FOLDER500 / f"{name}.txt")
    assert replay(record, make_rules(GOLDEN500[name].variant)) == record.result


def test_golden_games_show_what_they_say() -> None:
    texts = {name: (FOLDER500 / f"{name}.txt").read_text(encoding="utf-8") for name in GOLDEN500}
    assert set(GOLDEN500) == {path.stem for path in FOLDER500.glob("*.txt")}
    assert " swap " in texts["swap"]
    assert any(run in texts["corner"] for run in ("KS AS 2S", "KH AH 2H", "KD AD 2D", "KC AC 2C"))
    assert texts["duty"].count(" take ") > 2
