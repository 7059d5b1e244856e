"""The benchmark: every row is measured or says why not, aims are judged, documents follow the schema. No timings."""

import json

import numpy as np
import pytest

from eval import bench, bench_peers
from eval.bench import Plan, document, machine, markdown_table
from eval.bench_table import Aim, Row, cells, figure
from rummy_env.games import game_of, rules_of
from rummy_env.jit import kernel
from rummy_env.rules import VARIANTS, make_rules
from rummy_env.state import new_records, plain

TINY = Plan(seconds=0.0, training=0.0, starts=1, cold=False)
FIELDS = ["name", "value", "unit", "aim", "meets", "peer", "peer_value", "ratio", "note"]


@pytest.fixture
def no_peers(monkeypatch):
    monkeypatch.setattr(bench_peers, "_MODULES", {"open_spiel": "no_such_module", "rlcard": "no_such_module"})


@pytest.fixture
def no_processes(monkeypatch):
    monkeypatch.setattr(
        bench, "_python", lambda *arguments, **environment: '{"real": 9, "free": 10}' if "-m" in arguments else "1"
    )


def test_every_row_is_measured_or_says_why_not(no_peers, no_processes):
    rows = list(bench.rows_of(TINY))
    assert len(rows) == 21
    for row in rows:
        assert row.value is None or row.value > 0
        assert row.value is not None or row.note
        assert row.peer_value is None
        assert row.ratio is None
    missing = [row for row in rows if row.peer]
    assert len(missing) == 10
    for row in missing:
        assert "not installed: pip install 'rummy-env[peers]'" in row.peer
        assert row.meets is None or not row.aim.endswith("peer") or row.meets is False
    assert [row.note for row in rows if row.value is None] == ["left out by --quick"]


def test_document_follows_the_schema_and_prints(no_peers, no_processes, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench, "QUICK", TINY)
    path = tmp_path / "bench.json"
    assert bench.main(["--quick", "--json", str(path)]) == 0
    printed = capsys.readouterr().out
    written = json.loads(path.read_text())
    assert written["schema"] == "rummy-bench/v1"
    assert written["quick"] is True
    assert set(written) == {"schema", "date", "quick", "machine", "rows"}
    assert written["machine"]["cores"] >= 1
    assert written["machine"]["versions"]["open_spiel"]
    for row in written["rows"]:
        assert list(row) == FIELDS
        assert row["name"] in printed
        assert row["name"] in markdown_table(written)


def test_markdown_is_one_table(no_peers, no_processes, monkeypatch, capsys):
    monkeypatch.setattr(bench, "QUICK", TINY)
    assert bench.main(["--quick", "--markdown"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len(lines) == 23
    assert len({line.count("|") for line in lines}) == 1


def test_a_file_that_cannot_be_written_is_refused_by_name(no_peers, no_processes, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench, "QUICK", TINY)
    with pytest.raises(SystemExit):
        bench.main(["--quick", "--json", str(tmp_path / "no" / "file.json")])
    assert "file.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("aim", "value", "ratio", "meets"),
    [
        (Aim(12, 80, low=True), 11, 81, True),
        (Aim(12, 80, low=True), 13, 81, False),
        (Aim(12, 80, low=True), 11, 79, False),
        (Aim(12, 80, low=True), 11, None, None),
        (Aim(12, 80, low=True), 13, None, False),
        (Aim(100), 100, None, True),
        (Aim(100), 99, None, False),
        (Aim(100), None, None, None),
        (Aim(), 5, 3, None),
    ],
)
def test_aims(aim, value, ratio, meets):
    assert aim.meets(value, ratio) is meets


def test_ratio_is_times_better_whatever_the_unit():
    peer = ("open_spiel", "it", lambda: 100.0)
    for unit, ours, theirs in (("ns a hand", 1e6, 1e7), ("steps/s", 1000.0, 100.0)):
        if bench_peers.missing("open_spiel"):
            pytest.skip("open_spiel is not installed")
        row = bench._row("x", unit, Aim(1, 10, low=unit.startswith("ns")), lambda: 1000.0, peer)
        assert (row.value, row.peer_value, row.ratio) == (ours, theirs, 10.0)


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (8.456, "8.46"), (1234.5, "1,234"), (65432, "65.4 k"), (2.5e6, "2.5 M")]
)
def test_figures(value, text):
    assert figure(value) == text


def test_cells_name_the_peer_and_its_value():
    row = Row("x", 2.0, "s", "≤ 3", True, "it", 20.0, 10.0)
    assert cells(row._asdict()) == ["x", "2 s", "≤ 3", "yes", "it: 20", "10×"]
    assert "x" in markdown_table(document([row], False, machine()))


def test_peers_give_rates():
    hands = bench.random_hands(10, 20)
    if not bench_peers.missing("open_spiel"):
        assert bench_peers.spiel_deadwood(hands, 0) > 0
        assert bench_peers.spiel_random_play(0, observed=True) > 0
        assert bench_peers.spiel_random_play(0, deals=True) > 0
        assert bench_peers.spiel_simple(0) > 0
    if not bench_peers.missing("rlcard"):
        assert bench_peers.rlcard_deadwood(hands, 0) > 0
        assert bench_peers.rlcard_best_discard(bench.random_hands(11, 5), 0) > 0
        assert bench_peers.rlcard_env_steps(0) > 0


@kernel
def unpacked(fields, state):
    return rules_of(fields, state)


@pytest.mark.parametrize("variant", VARIANTS)
def test_rules_pass_through_an_array(variant):
    """All fields, in their order, and of the game's own type."""
    rules, state = make_rules(variant), new_records(1, game_of(variant).state.TABLE)
    for unpack in (rules_of, unpacked):
        there = unpack(np.array(rules), plain(state, game_of(variant).state.TABLE))
        assert there == rules
        assert type(there) is type(rules)
