"""The arena: mirrored decks, intervals clustered by pair, documents and the command."""

import json

import numpy as np
import pytest

from agents import make_agent
from eval.__main__ import main
from eval.arena import Estimate, finish_rates, play, ratio, summary
from eval.report import round_robin, table, to_json


def agent(name: str, variant: str = "gin-es"):
    return make_agent(name, variant)


def test_interval_is_clustered_by_pair():
    pair = np.repeat(np.arange(100), 2)
    luck = np.random.default_rng(0).normal(size=100)
    same = ratio(pair, np.repeat(luck, 2))  # both halves say the same: no more than 100 observations
    alone = ratio(np.arange(100), luck)
    assert same.mean == pytest.approx(alone.mean)
    assert same.half == pytest.approx(alone.half)
    opposed = ratio(pair, np.stack((luck, -luck), 1).ravel())  # the luck of the deck cancels
    assert opposed.half == pytest.approx(0, abs=1e-12)


def test_interval_of_a_ratio_with_clusters_of_unequal_size():
    rng = np.random.default_rng(1)
    means = []
    covered = 0
    for _ in range(300):
        sizes = rng.integers(1, 6, 200)
        pair = np.repeat(np.arange(200), sizes)
        values = rng.normal(size=200)[pair] + rng.normal(size=len(pair)) + 0.5
        found = ratio(pair, values)
        means.append(found.mean)
        covered += abs(found.mean - 0.5) < found.half
    assert np.mean(means) == pytest.approx(0.5, abs=0.02)
    assert 0.90 < covered / 300 < 0.99


def test_an_agent_against_itself_wins_half():
    for games in (False, True):
        figures = summary(play(agent("simple"), agent("simple"), "gin-eaai", 400, 3, games=games))
        won = figures["games_won"] if games else figures["points_per_deal"]
        assert abs(won.mean - (0.5 if games else 0)) < 1.5 * won.half
        assert won.half > 0


def test_both_halves_of_a_pair_see_the_same_decks_and_results_do_not_depend_on_the_chunk(monkeypatch):
    whole = play(agent("greedy"), agent("lookahead"), "gin-ru", 60, 9)
    monkeypatch.setattr("eval.arena.CHUNK", 17)
    parts = play(agent("greedy"), agent("lookahead"), "gin-ru", 60, 9)
    order, other = np.argsort(whole.deals.pair, kind="stable"), np.argsort(parts.deals.pair, kind="stable")
    assert np.array_equal(np.sort(whole.deals.points[order]), np.sort(parts.deals.points[other]))
    # deterministic players that are equal see-saw exactly: what one half wins the other loses
    mirror = play(agent("greedy"), agent("greedy"), "gin-ru", 60, 9)
    by_pair = [mirror.deals.points[mirror.deals.pair == p].sum() for p in range(60)]
    assert by_pair == [0] * 60


def test_rates_add_up_to_one():
    rates = finish_rates(play(agent("simple"), agent("novice"), "gin-es", 200, 4).deals)
    assert sum(rates.values()) == pytest.approx(1)


def test_points_are_zero_sum_between_first_and_second():
    one = play(agent("greedy"), agent("simple"), "oklahoma-es", 150, 5)
    two = play(agent("simple"), agent("greedy"), "oklahoma-es", 150, 5)
    assert summary(one)["deals"] == summary(two)["deals"] == 300
    assert one.deals.points.sum() * two.deals.points.sum() <= 0


@pytest.mark.parametrize("variant", ["gin-es", "gin-openspiel"])
def test_each_agent_begins_one_half_of_a_pair(variant):
    deals = play(agent("greedy"), agent("simple"), variant, 80, 7).deals
    assert np.bincount(deals.pair, deals.began).tolist() == [1] * 80


def test_document_and_table():
    document = round_robin([agent("simple"), agent("greedy"), agent("random")], "gin-es", 40, 6, games=True)
    data = json.loads(to_json(document))
    assert data["schema"] == "rummy-arena/v1"
    assert data["rules"]["undercut_bonus"] == "20"
    assert len(data["matches"]) == 3
    assert data["standing"][-1]["agent"] == "random"
    assert set(data["matches"][0]["points_per_deal"]) == {"mean", "half"}
    text = table(document)
    assert "greedy" in text
    assert "mean over the others" in text


def test_estimates_print():
    assert Estimate(0.7512, 0.0123).text(100) == "75.1 ± 1.2"
    assert Estimate(1.0, float("nan")).text() == "1.0 ± –"
    assert Estimate(6.6, 0.44).text(digits=2, sign="+") == "+6.60 ± 0.44"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["arena", "simple"], "at least two agents"),
        (["arena", "simple", "simpel"], "unknown agent 'simpel'"),
        (["arena", "simple", "greedy", "--variant", "gin-xx"], "unknown variant 'gin-xx'"),
        (["arena", "simple", "greedy", "--pairs", "0"], "at least one pair"),
        (["arena", "simple", "greedy", "--set", "knock_limit=500"], "knock_limit allows 0 to 100"),
        (["arena", "simple", "greedy", "--set", "knock_limit"], "NAME=VALUE"),
        (["arena", "simple", "sb3:x.zip"], "--trust"),
        (["arena", "simple", "pretrained:none"], "no released agent 'none'"),
        (["arena", "simple", "README.md"], "README.md is no agent"),
        (["arena", "simple", "greedy", "--json", "."], "is a folder"),
        (["arena", "simple", "greedy", "--json", "nowhere/a.json"], "the folder nowhere does not exist"),
        (["arnea"], "unknown command 'arnea'"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments, word, capsys):
    try:
        status = main(arguments)
    except SystemExit as stop:
        status = stop.code
    error = capsys.readouterr().err
    assert status == 2
    assert word in error
    assert error.count("\n") == 1


def test_command_writes_json(tmp_path, capsys):
    assert main(["arena", "simple", "random", "--pairs", "20", "--json", str(tmp_path / "a.json")]) == 0
    assert "simple" in capsys.readouterr().out
    assert json.loads((tmp_path / "a.json").read_text())["pairs"] == 20
