"""The command line: rules, solver, and a game in the terminal, as a person meets them."""

import io
import subprocess
import sys

import numpy as np
import pytest

from rummy_env.__main__ import main
from rummy_env.errors import ActionError
from rummy_env.games import GAMES, game_of
from rummy_env.gin.actions import action_name
from rummy_env.record import load_record, replay
from rummy_env.rules import VARIANTS
from rummy_env.terminal import TerminalGame, menu, read_action


def run(words: list[str], text: str = "") -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "rummy_env", *words], input=text, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("variant", VARIANTS)
def test_rules_of_a_variant(variant: str, capsys: pytest.CaptureFixture) -> None:
    assert main(["rules", variant]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{variant}: ")
    assert "players" in lines[0]
    assert [line.split()[0] for line in lines[1:]] == list(VARIANTS[variant].settings)


def test_rules_lists_variants_and_takes_settings(capsys: pytest.CaptureFixture) -> None:
    assert main(["rules"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(VARIANTS)
    assert main(["rules", "gin-ru", "knock_limit=5", "layoff_by=defender"]) == 0
    out = capsys.readouterr().out
    assert "knock_limit      5 " in out
    assert "defender" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rules", "gin-rx"], "did you mean 'gin-ru'"),
        (["rules", "gin-ru", "knock=3"], "unknown setting 'knock'"),
        (["rules", "gin-ru", "loose"], "write name=value"),
        (["solve", "7C 7C"], "appears twice"),
        (["solve", "7Z"], "unknown card '7Z'"),
        (["solve", ""], "the hand is empty"),
        (["solve", "X1 7C"], "without X1"),
        (["play", "gin-xx"], "unknown variant"),
        (["play", "gin-es", "--opponent", "nobody"], "unknown policy 'nobody'"),
        (["play", "gin-es", "opponent=greedy"], "unknown setting 'opponent'"),
        (["play", "gin-es", "--record", "/no/such/folder/x"], "no file can be written there"),
    ],
)
def test_errors_are_one_line_and_status_2(words: list[str], said: str, capsys: pytest.CaptureFixture) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert not captured.out
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("rummy_env: ")
    assert said in captured.err


@pytest.mark.parametrize("words", [[], ["deal"], ["play"], ["play", "gin-es", "--seed", "x"]])
def test_wrong_usage_is_one_line_and_status_2(words: list[str], capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_solve(capsys: pytest.CaptureFixture) -> None:
    assert main(["solve", "7C 7D 7H 7S 8S 9S", "TC TD TH AH 2H"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "hand         7S 8S 9S AH 2H 7H TH 7D TD 7C TC   (11 cards)",
        "melds        [7H 7D 7C] [TH TD TC] [7S 8S 9S]   deadwood 3: AH 2H",
        "discard      2H   leaves 1",
        "better with  AS 6S TS AD AC",
        "gin with     nothing",
    ]
    assert main(["solve", "3S 3H 3D 4D 5D"]) == 0
    out = capsys.readouterr().out
    assert "[3D 4D 5D]   deadwood 6: 3S 3H" in out
    assert "gin with" in out
    assert main(["solve", "7S 8S 9S 7H 7D KS 2C"]) == 0
    assert "\nor           " not in capsys.readouterr().out
    assert main(["solve", "JS QS KS KH KD"]) == 0
    assert "\nor " in capsys.readouterr().out


# The game.


class Person:
    """Answers prompts: noisily, then by what the game says is legal; keeps what was asked."""

    def __init__(self, game_seed: int, deals: int = 1):
        self.rng, self.asked, self.deals = np.random.default_rng(game_seed), [], deals

    def __call__(self, prompt: str) -> str:
        self.asked.append(prompt)
        if "next deal" in prompt:
            self.deals -= 1
            return "" if self.deals else "q"
        if "(y/n)" in prompt:
            return "y"
        actions = np.flatnonzero(self.game.tables.masks()[0]).tolist()
        if self.rng.random() < 0.2:
            return str(self.rng.choice(["", "0", "999", "9" * 5000, "fly", "discard ZZ", "½", "-1", "big  gin"]))
        action = int(self.rng.choice(actions))
        name = self.game.game.actions.action_name(action)
        return name.upper() if self.rng.random() < 0.5 else str(actions.index(action) + 1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_are_played_and_recorded(variant: str, tmp_path, capsys: pytest.CaptureFixture) -> None:
    file, usual = tmp_path / "game.txt", game_of(variant).policies.DEFAULT
    person = Person(5, deals=2)
    game = TerminalGame(variant, [usual, "random"], 5, seat=1, record=str(file), read=person)
    person.game = game
    game.play()
    out = capsys.readouterr().out
    assert "##" in out
    assert "unknown action" in out or "there is no action" in out
    record = load_record(file)
    assert record.players == (usual, "you", "random", usual)[: game.tables.num_seats]
    assert record.deals[0].result is not None
    replay(record)


def test_bad_input_keeps_the_position_and_asks_again(capsys: pytest.CaptureFixture) -> None:
    answers = iter(["fly", "99", "discard KS", "knock", "q"])
    game = TerminalGame("gin-es", ["simple"], 3, read=lambda prompt: next(answers))
    game.play()
    out = capsys.readouterr().out
    assert out.count("gin-es, deal") == 1
    assert (
        len([line for line in out.splitlines() if "unknown action" in line or "no action" in line or "not legal" in line]) == 4
    )


def test_closing_is_confirmed_and_can_be_taken_back(capsys: pytest.CaptureFixture) -> None:
    asked: list[str] = []

    def read(prompt: str) -> str:
        asked.append(prompt)
        if "(y/n)" in prompt:
            return "n" if len([p for p in asked if "(y/n)" in p]) == 1 else "y"
        if "next deal" in prompt:
            raise EOFError
        actions = np.flatnonzero(game.tables.masks()[0]).tolist()
        closes = [action for action in actions if 52 <= action < 104]
        return action_name(closes[0] if closes else actions[0])

    game = TerminalGame("gin-es", ["stubborn"], 1, knock_limit=100, read=read)
    game.play()
    questions = [prompt for prompt in asked if "(y/n)" in prompt]
    assert len(questions) == 2
    assert questions[0] == questions[1]
    left = int(questions[0].split("deadwood ")[1].split("?")[0])
    t = game.table
    assert t.closer == 0
    assert left >= t.deadwood[0]
    assert "you" in capsys.readouterr().out


def test_numbers_and_names_of_actions() -> None:
    actions = [0, 13, 60, 104, 107]
    gin = GAMES["gin"]
    text = menu(gin, None, actions)
    assert text.splitlines() == ["  discard: 1 AS  2 AH", "  knock, aside: 3 9S", "  4 draw stock", "  5 big gin"]
    assert [read_action(gin, word, actions) for word in ("2", "discard ah", "knock 9s aside", "BIG GIN")] == [13, 13, 60, 107]
    for word in ("0", "6", "pass", "", "٣", "9" * 5000):
        with pytest.raises(ActionError):
            read_action(gin, word, actions)


def test_the_end_of_input_and_q_end_quietly(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    for text in ("", "q\n", "Q\n"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        assert main(["play", "gin-ru", "--seed", "3"]) == 0
        captured = capsys.readouterr()
        assert "gin-ru against simple, seed 3" in captured.out
        assert not captured.err


def test_a_reader_that_leaves_is_no_error() -> None:
    command = [sys.executable, "-m", "rummy_env", "play", "gin-es", "--seed", "3"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stdin is not None
        process.stdin.write(b"1\n" * 50)
        process.stdin.close()
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()
    assert process.returncode == 0


def test_it_runs_as_a_command() -> None:
    done = run(["rules", "gin-es"])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("gin-es: ")
    done = run(["play", "gin-es", "--seed", "3"], "\xff\xfe\nq\n")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
