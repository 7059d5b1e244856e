"""The strength table: every pair once, going on where a file stopped, and refusals in one line."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from eval import readme, strength
from eval.__main__ import main

AGENTS = ("random", "simple", "greedy")


@pytest.fixture
def played(monkeypatch) -> list[tuple]:
    """The pairings that are played, in this process."""
    calls, play = [], strength.play_pairing

    def counted(*pairing):
        calls.append(pairing)
        return play(*pairing)

    monkeypatch.setattr(strength, "play_pairing", counted)
    monkeypatch.setattr(strength, "ProcessPoolExecutor", ThreadPoolExecutor)
    return calls


def fill(path, *agents: str, decks: int = 3, more=()) -> dict:
    assert main(["table", *agents, "--decks", str(decks), "--json", str(path), "--workers", "1", *more]) == 0
    return json.loads(path.read_text())


def test_document_of_three_in_processes_of_their_own(tmp_path, capsys):
    document = fill(tmp_path / "s.json", *AGENTS)
    assert document["schema"] == "rummy-arena/v1"
    assert document["variant"] == "gin-eaai"
    assert (document["pairs"], document["seed"], document["agents"]) == (3, strength.SEED, list(AGENTS))
    assert [(m["first"], m["second"]) for m in document["matches"]] == [
        ("random", "simple"),
        ("random", "greedy"),
        ("simple", "greedy"),
    ]
    for match in document["matches"]:
        assert match["decks"] == 3
        assert 0 <= match["games_won"]["mean"] <= 1
    assert document["matches"][0]["games_won"]["mean"] < 0.5
    said = capsys.readouterr()
    assert said.out.count("% of games") == 3
    assert "is complete" in said.err


def test_what_the_file_holds_is_not_played_again(tmp_path, played):
    path = tmp_path / "s.json"
    first = fill(path, *AGENTS)
    assert len(played) == 3
    assert fill(path, *AGENTS) == first
    assert len(played) == 3
    more = fill(path, *AGENTS, "novice")
    assert [pairing[:2] for pairing in played[3:]] == [(name, "novice") for name in AGENTS]
    assert len(more["matches"]) == 6
    assert [m for m in more["matches"] if "novice" not in (m["first"], m["second"])] == first["matches"]


def test_an_interrupted_table_keeps_what_was_finished(tmp_path, monkeypatch, played):
    path, counted = tmp_path / "s.json", strength.play_pairing

    def stops(*pairing):
        if len(played) == 2:
            raise KeyboardInterrupt
        return counted(*pairing)

    monkeypatch.setattr(strength, "play_pairing", stops)
    with pytest.raises(KeyboardInterrupt):
        fill(path, *AGENTS)
    assert len(json.loads(path.read_text())["matches"]) == 2
    monkeypatch.setattr(strength, "play_pairing", counted)
    assert len(fill(path, *AGENTS)["matches"]) == 3
    assert len(played) == 3


@pytest.mark.parametrize("more", [("--seed", "5"), ("--variant", "gin-es"), ("--decks", "2")])
def test_other_decks_are_played(tmp_path, played, more):
    path = tmp_path / "s.json"
    fill(path, "random", "simple")
    document = fill(path, "random", "simple", more=more)
    assert len(played) == 2
    assert len(document["matches"]) == 1


def test_who_searches_plays_fewer_decks():
    names = ["simple", "mc:8", "greedy", "mc:8+greedy"]
    decks = {(a, b): n for a, b, n in strength.pairings(names, 100, 7)}
    assert len(decks) == 6
    assert [pair for pair, n in decks.items() if n == 100] == [("simple", "greedy")]
    assert set(decks.values()) == {100, 7}


def test_a_search_is_written_too(tmp_path, played):
    document = fill(tmp_path / "s.json", "mc:1", "random", more=("--search-decks", "1"))
    assert document["matches"][0]["decks"] == 1


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["simple"], "at least two agents"),
        (["simple", "greedy", "--decks", "0"], "--decks 0: at least 1"),
        (["simple", "greedy", "--search-decks", "-1"], "--search-decks -1: at least 1"),
        (["simple", "greedy", "--workers", "0"], "--workers 0: at least 1"),
        (["simple", "simpel"], "unknown agent 'simpel'"),
        (["simple", "mc:0"], "mc:0 is not possible"),
        (["simple", "greedy", "--variant", "gin-xx"], "unknown variant 'gin-xx'"),
        (["layer", "greedy500", "--variant", "rum500-ru"], "a table is for games of two, rum500-ru has more"),
        (["simple", "greedy", "--json", "nowhere/a.json"], "the folder nowhere does not exist"),
        (["simple", "greedy", "--json", "tests"], "is a folder"),
        (["simple", "greedy", "--json", "README.md"], "README.md holds no table"),
        (["simple", "greedy", "--json", "tests/data/perft.json"], "perft.json holds no table"),
        (["simple", "greedy", "--deks", "3"], "--deks"),
    ],
)
def test_bad_options_are_one_line_and_exit_2(arguments, word, capsys, monkeypatch):
    monkeypatch.setattr(strength, "fill", lambda *_: pytest.fail("was played"))
    with pytest.raises(SystemExit) as stop:
        main(["table", *arguments])
    error = capsys.readouterr().err
    assert stop.value.code == 2
    assert word in error
    assert error.count("\n") == 1


def test_the_ladder_is_searches_against_bots(tmp_path, monkeypatch, played):
    monkeypatch.setattr(strength, "LADDER", ("mc:2", "mc:4"))
    assert main(["table", "--ladder", "--search-decks", "2", "--json", str(tmp_path / "l.json"), "--workers", "1"]) == 0
    assert [pairing[:2] for pairing in played] == [(name, step) for name in ("mc:2", "mc:4") for step in strength.STEPS]


def test_the_ladder_takes_no_agents(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["table", "simple", "--ladder"])
    assert stopped.value.code == 2
    assert "--ladder names its agents itself" in capsys.readouterr().err


def test_tables_show_a_pairing_from_both_sides(tmp_path, monkeypatch):
    document = fill(tmp_path / "s.json", *AGENTS, decks=40)
    monkeypatch.setattr(readme, "_load", lambda name: document)
    rows = [line.split("|")[1:-1] for line in readme.strength_table("s.json").splitlines()[4:]]
    for own, row in zip(AGENTS, rows):
        assert row[0].strip() == f"`{own}`"
    shares = [[float(cell.split(" ±")[0]) if "±" in cell else None for cell in row[1:]] for row in rows]
    for a in range(3):
        for b in range(a):
            assert shares[a][b] + shares[b][a] == pytest.approx(100, abs=0.11)
    simple, greedy = (
        [float(cell.strip(" %")) for cell in line.split("|")[2:7]] for line in readme.finish_table("s.json").splitlines()[3:5]
    )
    match = document["matches"][2]
    met_random = document["matches"][0]["finish"]["knock_against"], document["matches"][1]["finish"]["knock_against"]
    assert simple[0] == pytest.approx(50 * (match["finish"]["knock"] + met_random[0]), abs=0.06)
    assert greedy[0] == pytest.approx(50 * (match["finish"]["knock_against"] + met_random[1]), abs=0.06)
