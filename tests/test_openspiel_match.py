"""`eval openspiel`: an agent inside OpenSpiel's engine, on mirrored decks, scored by OpenSpiel."""

import sys

import numpy as np
import pytest

from agents import make_agent
from eval import openspiel
from eval.__main__ import main
from rummy_env.envs.tables import Tables
from rummy_env.gin.state import PHASES


@pytest.fixture
def boards(monkeypatch) -> list:
    """The boards that are played on, each with its agent's points as ``found`` once it is finished."""
    pytest.importorskip("pyspiel")
    made = []

    class Watched(openspiel.Board):
        def __init__(self, *given):
            super().__init__(*given)
            self.found: list[float] = []
            made.append(self)

        def finish(self) -> float:
            self.found.append(super().finish())
            return self.found[-1]

    monkeypatch.setattr(openspiel, "Board", Watched)
    return made


def check(boards: list, decks: int) -> np.ndarray:
    """Every deck was played to its end in both seats, and the points are OpenSpiel's; returns them."""
    assert len(boards) == 2 * decks
    for one, two in zip(boards[:decks], boards[decks:]):
        assert (one.seat, two.seat) == (0, 1)
        assert one.pack == two.pack
        assert sorted(one.pack) == list(range(52))
    assert len({tuple(board.pack) for board in boards}) == decks
    for board in boards:
        assert board.state.is_terminal()
        returns = board.state.returns()
        assert sum(returns) == 0
        assert board.found == [returns[board.seat]]
        assert abs(board.found[0]) <= 98 + 25
    return np.array([board.found[0] for board in boards])


@pytest.mark.parametrize("name", ["openspiel-simple", "lookahead"])
def test_points_are_openspiels_on_mirrored_decks(boards, name):
    found = openspiel.play(make_agent(name, openspiel.VARIANT), 40, 3)
    points = check(boards, 40)
    assert found.mean == pytest.approx(points.mean())
    assert found.half > 0
    if name == "openspiel-simple":  # the same player on both sides, but for the lay-offs
        assert abs(found.mean) < max(3.0, 2 * found.half)
    again = openspiel.play(make_agent(name, openspiel.VARIANT), 40, 3)
    assert again == found


def test_random_play_loses(boards):
    found = openspiel.play(make_agent("random", openspiel.VARIANT), 15, 3)
    check(boards, 15)
    assert found.mean < -15


def test_our_table_keeps_up_until_the_showdown(boards, monkeypatch):
    """At every decision the agent's hand and the upcard are those of OpenSpiel's state."""
    agent, seen = make_agent("greedy", openspiel.VARIANT), []

    class Checked(Tables):
        def view(self, rows=None):
            for row in rows:
                t, board = self.state[row], boards[row]
                hands = [sorted(openspiel.theirs(c) for c in range(52) if int(hand) >> c & 1) for hand in t.hands]
                assert hands == [sorted(hand) for hand in board.state.hands()]
                assert int(t.to_act) == board.seat == board.state.current_player()
                upcard = board.state.upcard()
                if PHASES[t.phase] != "discard":
                    assert openspiel.theirs(int(t.upcard)) == upcard
                assert board.state.stock_size() == int(t.stock_end) - int(t.stock_at)
                seen.append(int(t.phase))
            return super().view(rows)

    monkeypatch.setattr(openspiel, "Tables", Checked)
    openspiel.play(agent, 6, 1)
    assert len(seen) > 50


def test_cards_there_and_back():
    assert [openspiel.theirs(openspiel.theirs(card)) for card in range(52)] == list(range(52))


def test_command(capsys):
    pytest.importorskip("pyspiel")
    assert main(["openspiel", "simple", "--decks", "3"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("simple against OpenSpiel's simple bot: ")
    assert "3 decks in both seats" in out


def test_without_openspiel_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(SystemExit) as stop:
        main(["openspiel", "simple", "--decks", "3"])
    assert stop.value.code == 2
    assert "rummy-env[peers]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["simple", "--decks", "0"], "--decks 0: at least one deck"),
        (["simpel"], "unknown agent 'simpel'"),
        (["mc:0"], "mc:0 is not possible"),
        (["greedy500"], "unknown agent 'greedy500'"),
        ([], "AGENT"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments, word, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["openspiel", *arguments])
    error = capsys.readouterr().err
    assert stop.value.code == 2
    assert word in error
    assert error.count("\n") == 1
