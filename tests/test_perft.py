"""The counts of ``data/perft.json`` by the engine, by a naive game, and by OpenSpiel where it plays the same rules."""

import pytest

from rummy_env.cards import card_list
from rummy_env.games import GAMES
from rummy_env.rules import VARIANTS
from tests.helpers import JIT
from tests.perft import DATA, Position, difference, divide, load, main, perft, save

POSITIONS = load()
OPENSPIEL = [p for p in POSITIONS if p.variant.endswith("-openspiel") and not p.overrides and p.starter == 0]


def name_of(position: Position) -> str:
    return position.name.replace(" ", "-")


def check(position: Position, game, depths: range) -> None:
    for depth in depths if JIT else depths[:2]:
        if perft(game, depth) != position.counts[depth - 1]:
            raise AssertionError(
                f"{position.name}, depth {depth}: {perft(game, depth)}, not {position.counts[depth - 1]}\n"
                + difference(position.engine(), position.naive(), depth)
            )


@pytest.mark.parametrize("position", POSITIONS, ids=name_of)
def test_engine(position):
    game = position.engine()
    assert game.phase == position.phase
    check(position, game, range(1, len(position.counts) + 1))


@pytest.mark.parametrize("position", POSITIONS, ids=name_of)
def test_naive_count(position):
    game = position.naive()
    assert game.phase == position.phase
    assert divide(game, 2) == divide(position.engine(), 2)
    check(position, game, range(1, position.naive_depth + 1))


@pytest.mark.slow
@pytest.mark.parametrize("position", POSITIONS, ids=name_of)
def test_naive_count_long(position):
    check(position, position.naive(), range(position.naive_depth + 1, len(position.counts) + 1))


@pytest.mark.parametrize("position", OPENSPIEL, ids=name_of)
def test_openspiel_count(position):
    pytest.importorskip("pyspiel", reason="open_spiel is not installed (the extra 'peers')")
    from tests.openspiel_twin import Twin

    game = position.reach(Twin(position.variant, card_list(position.pack)))
    check(position, game, range(1, len(position.counts) + 1))


def test_positions_cover_the_variants_and_phases():
    assert {p.variant for p in POSITIONS} == set(VARIANTS)
    phases = {phase for game in GAMES.values() for phase in game.state.PHASES}
    assert {p.phase for p in POSITIONS} == phases - {"over"}
    assert len({p.name for p in POSITIONS}) == len(POSITIONS)
    assert all(len(p.counts) >= 4 for p in POSITIONS)


def test_the_file_is_as_written(tmp_path):
    save(POSITIONS, tmp_path / "perft.json")
    assert (tmp_path / "perft.json").read_text() == DATA.read_text()


def test_command(tmp_path, capsys):
    copy = tmp_path / "perft.json"
    save(POSITIONS[:2], copy)
    assert main([], copy) == 0
    assert main(["--divide", POSITIONS[0].name, "2"], copy) == 0
    assert "differs" not in capsys.readouterr().out
    save([POSITIONS[0]._replace(counts=[0, 0])], copy)
    assert main([], copy) == 1
    assert main(["--write"], copy) == 0
    assert load(copy) == [POSITIONS[0]._replace(counts=POSITIONS[0].counts[:2])]


def test_a_wrong_count_is_told_by_first_action():
    position = POSITIONS[0]
    wrong = position._replace(counts=[n + 1 for n in position.counts])
    with pytest.raises(AssertionError, match="take upcard"):
        check(wrong, wrong.engine(), range(1, 2))
