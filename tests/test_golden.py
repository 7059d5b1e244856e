"""The golden games are what the engine plays today, and each replays as a record."""

import pytest

from rummy_env.gin.state import ENDINGS
from rummy_env.record import load_record, replay
from rummy_env.rules import GIN_BOOK, make_rules
from tests.golden import FOLDER, GOLDEN, golden_text


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
def test_golden_game_is_unchanged(variant: str) -> None:
    lines = (FOLDER / f"{variant}.txt").read_text(encoding="utf-8").splitlines()
    now = golden_text(variant).splitlines()
    for number, (kept, played) in enumerate(zip(lines, now), 1):
        assert played == kept, f"{variant}.txt, line {number} (python -m tests.golden writes it anew)"
    assert len(now) == len(lines)


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
def test_golden_game_replays(variant: str) -> None:
    record = load_record(FOLDER / f"{variant}.txt")
    assert replay(record, make_rules(variant)) == record.result


def test_golden_games_cover_what_they_say() -> None:
    assert set(GOLDEN) == set(GIN_BOOK.variants) == {path.stem for path in FOLDER.glob("*.txt")}
    texts = {variant: (FOLDER / f"{variant}.txt").read_text(encoding="utf-8") for variant in GIN_BOOK.variants}
    endings = {line.split()[1] for text in texts.values() for line in text.splitlines() if line.startswith("end ")}
    assert {"knock", "gin", "undercut", "dead"} <= endings <= set(ENDINGS)
    assert "\nstock " in texts["gin-ru"]
    assert "last_knock" in texts["gin-openspiel"]
    assert texts["oklahoma-ru"].count("lays off") == 2
    assert max(map(len, texts.values())) < 8000
