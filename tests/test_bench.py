"""The benchmark: its schema and texts, and that a missing peer is said. No test here measures time."""

import json

import pytest

from eval import bench, bench_peers
from eval.bench import Plan, main
from eval.bench_table import Aim, Row, document, figure, machine, markdown_table

TINY = Plan(0.01, 0.0, 1, False)


@pytest.fixture
def tiny(monkeypatch):
    """Rows of the solver, the engine and the environments, measured for an instant."""

    def rows(plan):
        yield from bench.solver_rows(TINY.seconds)
        yield from bench.engine_rows(TINY.seconds)
        yield from bench.environment_rows(TINY.seconds)

    monkeypatch.setattr(bench, "rows_of", rows)


def test_command_writes_the_schema_and_both_tables(tiny, tmp_path, capsys):
    assert main(["--quick", "--json", str(tmp_path / "b.json")]) == 0
    text = capsys.readouterr().out
    data = json.loads((tmp_path / "b.json").read_text())
    assert data["schema"] == "rummy-bench/v1"
    for row in data["rows"]:
        assert {"name", "value", "unit", "aim", "meets", "peer", "peer_value", "ratio"} <= set(row)
        assert row["value"] > 0
        assert row["name"] in text
    assert markdown_table(data).count("\n| ") >= len(data["rows"])


def test_a_missing_peer_is_said(monkeypatch):
    monkeypatch.setattr(bench_peers, "find_spec", lambda name: None)
    said = bench_peers.missing("open_spiel")
    assert said
    assert "pip install 'rummy-env[peers]'" in said
    rows = list(bench.solver_rows(TINY.seconds))
    assert any(row.peer and "not installed" in row.peer and row.ratio is None for row in rows)


def test_aims():
    assert Aim(12, 80, low=True).meets(11, 90)
    assert Aim(12, 80, low=True).meets(13, 90) is False
    assert Aim(12, 80, low=True).meets(11, 70) is False
    assert Aim(12, 80, low=True).meets(11, None) is None
    assert Aim(5).meets(6, None)
    assert Aim().meets(6, None) is None
    assert Aim(8e6).text() == "≥ 8 M"


def test_figures_print_three_digits():
    assert [figure(v) for v in (None, 0.912, 11.5, 4321.0, 65_432.0, 8_123_456.0)] == [
        "–",
        "0.912",
        "11.5",
        "4,321",
        "65.4 k",
        "8.12 M",
    ]


def test_document_says_what_was_not_measured():
    data = document([Row("x", None, "s", "≤ 1", None, note="one core only")], True, machine())
    assert "one core only" in markdown_table(data)


def test_bad_flags_exit_with_2(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--quik"])
    assert stop.value.code == 2
