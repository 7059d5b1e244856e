"""The arena: the same decks in every seat, intervals clustered by deck, line-ups, ratings, documents and the command."""

import json

import numpy as np
import pytest

from agents import make_agent
from eval.__main__ import main
from eval.arena import Estimate, figures, meet, play, ratio, summary
from eval.ratings import fit, rate, wins_between
from eval.report import line_ups, round_robin, table, to_json
from rummy_env.rules import RulesError


def agent(name: str, variant: str = "gin-es"):
    return make_agent(name, variant)


def test_interval_is_clustered_by_deck():
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
        figures = summary(meet(agent("simple"), agent("simple"), "gin-eaai", 400, 3, games=games))
        won = figures["games_won"] if games else figures["points_per_deal"]
        assert abs(won.mean - (0.5 if games else 0)) < 1.5 * won.half
        assert won.half > 0


def test_both_halves_of_a_pair_see_the_same_decks_and_results_do_not_depend_on_the_chunk(monkeypatch):
    whole = meet(agent("greedy"), agent("lookahead"), "gin-ru", 60, 9)
    monkeypatch.setattr("eval.arena.CHUNK", 17)
    parts = meet(agent("greedy"), agent("lookahead"), "gin-ru", 60, 9)
    order, other = np.argsort(whole.deals.deck, kind="stable"), np.argsort(parts.deals.deck, kind="stable")
    assert np.array_equal(np.sort(whole.deals.points[order, 0]), np.sort(parts.deals.points[other, 0]))
    # deterministic players that are equal see-saw exactly: what one half wins the other loses
    mirror = meet(agent("greedy"), agent("greedy"), "gin-ru", 60, 9)
    by_pair = [mirror.deals.points[mirror.deals.deck == p, 0].sum() for p in range(60)]
    assert by_pair == [0] * 60


def test_rates_add_up_to_one():
    rates = summary(meet(agent("simple"), agent("novice"), "gin-es", 200, 4))["finish"]
    assert sum(rates.values()) == pytest.approx(1)


def test_points_are_zero_sum_between_first_and_second():
    one = meet(agent("greedy"), agent("simple"), "oklahoma-es", 150, 5)
    two = meet(agent("simple"), agent("greedy"), "oklahoma-es", 150, 5)
    assert summary(one)["deals"] == summary(two)["deals"] == 300
    assert one.deals.points[:, 0].sum() * two.deals.points[:, 0].sum() <= 0


@pytest.mark.parametrize("variant", ["gin-es", "gin-openspiel"])
def test_each_agent_begins_one_half_of_a_pair(variant):
    deals = meet(agent("greedy"), agent("simple"), variant, 80, 7).deals
    assert np.bincount(deals.deck, deals.starter == 0).tolist() == [1] * 80


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


RUM = ("random", "layer", "row-miser", "greedy500")


def rum(*names: str):
    return [agent(name, "rum500-ru") for name in names]


def test_every_place_of_a_line_up_sits_on_every_seat_of_a_deck_once():
    played = play(rum(*RUM), "rum500-ru", 30, 5)
    deals = played.deals
    assert np.bincount(deals.deck).tolist() == [4] * 30
    for deck in range(30):
        assert sorted(deals.starter[deals.deck == deck]) == [0, 1, 2, 3]
    out = deals.ending == played.game.state.OUT
    assert (deals.closer[out] >= 0).all()
    assert (deals.closer[~out] == -1).all()


def test_figures_of_a_line_up_share_out_the_places():
    played = play(rum(*RUM), "rum500-ru", 60, 5)
    rows = [figures(played, [place]) for place in range(4)]
    assert sum(row["first_places"].mean for row in rows) == pytest.approx(1)
    assert sum(row["rank"].mean for row in rows) == pytest.approx(10)
    assert sum(row["margin"].mean for row in rows) == pytest.approx(0, abs=1e-9)
    for row in rows:
        assert sum(row["finish"].values()) == pytest.approx(1)
    points = [row["points_per_deal"].mean for row in rows]
    assert points[0] == min(points)
    assert points[3] == max(points)


def test_one_against_three_of_its_own_kind_gets_a_quarter():
    found = summary(meet(*rum("layer", "layer"), "rum500-ru", 30, 2))  # deterministic: the four rotations share out each deck
    assert found["first_places"] == pytest.approx((0.25, 0))
    assert found["margin"] == pytest.approx((0, 0), abs=1e-9)


def test_games_of_a_line_up_have_one_winner():
    played = play(rum(*RUM), "rum500-ru", 5, 3, games=True, target=100)
    assert played.games is not None
    assert len(played.games.won) == 20
    assert np.array_equal(played.games.won.sum(1), np.ones(20))


def test_round_robin_with_four_players_by_the_number_of_agents():
    few = round_robin(rum("layer", "greedy500"), "rum500-ru", 10, 1)
    assert [(m["first"], m["second"]) for m in few["matches"]] == [("layer", "greedy500"), ("greedy500", "layer")]
    four = round_robin(rum(*RUM), "rum500-ru", 10, 1)
    assert [lineup["agents"] for lineup in four["lineups"]] == [list(RUM)]
    assert not four["ratings"]
    more = round_robin(rum(*RUM, "holder"), "rum500-ru", 10, 1)
    assert len(more["lineups"]) == 5
    assert {row["agent"] for row in more["ratings"]} == {*RUM, "holder"}
    assert more["ratings"][-1]["agent"] == "random"
    for document in (few, four, more):
        assert "margin" in table(document)
        json.loads(to_json(document))


def test_a_name_that_sits_twice_has_the_figures_of_both_places():
    document = line_ups(rum("layer", "layer", "random", "greedy500"), "rum500-ru", 20, 4)
    rows = {row["agent"]: row for row in document["lineups"][0]["results"]}
    assert rows["layer"]["deals"] == 160
    assert rows["random"]["deals"] == 80
    total = (
        2 * rows["layer"]["first_places"].mean + rows["random"]["first_places"].mean + rows["greedy500"]["first_places"].mean
    )
    assert total == pytest.approx(1)


def test_a_line_up_of_the_wrong_size_is_refused():
    with pytest.raises(ValueError, match="a line-up of 3 agents is not possible: rum500-ru has 4 players"):
        play(rum("layer", "layer", "random"), "rum500-ru", 5, 1)
    with pytest.raises(RulesError, match="num_players allows 2 to 6"):
        play(rum(*RUM), "rum500-ru", 5, 1, num_players=9)


def test_ratings_recover_strengths():
    strengths = np.array([2.0, 1.0, 0.5])
    chances = strengths[:, None] / (strengths[:, None] + strengths[None, :])
    wins = 10_000 * chances
    np.fill_diagonal(wins, 0)
    found = fit(wins)
    assert found == pytest.approx(400 * np.log10(strengths), abs=0.5)
    assert found.mean() == pytest.approx(0, abs=1e-9)


def test_wins_count_ties_as_halves_and_never_an_entrant_against_itself():
    entrants, values = np.array([[0, 1, 1], [2, 0, 1]]), np.array([[5, 5, 1], [3, 2, 1]])
    assert wins_between(entrants, values, 3).tolist() == [[0, 2.5, 0], [0.5, 0, 0], [1, 1, 0]]


def test_who_never_loses_has_a_rating_and_an_interval():
    decks = np.arange(50)
    rows = rate(["a", "b"], [(decks, np.tile([0, 1], (50, 1)), np.tile([1, 0], (50, 1)))], 1)
    assert [row.agent for row in rows] == ["a", "b"]
    assert 100 < rows[0].rating < 1000
    assert rows[0].half >= 0


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
        (["arena", "simple", "greedy", "--pairs", "0"], "at least one deck"),
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
