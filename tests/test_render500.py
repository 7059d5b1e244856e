"""Text and picture of a table of 500 Rum: what they show, that all of it fits, and that nothing hidden reaches them."""

import os
import random
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rummy_env.faces import FACE_DOWN, Group
from rummy_env.rules import Rum500Rules, make_rules
from rummy_env.rum500.actions import action_name, parse_action
from rummy_env.rum500.places import Place
from rummy_env.rum500.play import apply, resample
from rummy_env.rum500.state import DRAW, NOT_ENDED, OVER, PHASES, TABLE
from rummy_env.rum500.view import LOOSE, Side, View, question, table_image, table_text, view_of
from rummy_env.state import NO_CARD, new_records
from tests.helpers import count
from tests.helpers500 import choose, legal, table, written

pytest.importorskip("PIL", reason="Pillow is not installed (the extra 'viz')")
from rummy_env import pictures
from rummy_env.rum500 import picture

SETTINGS: list[dict[str, Any]] = [
    {},
    {"num_players": 2, "row_use": "always", "go_out": "discard_optional"},
    {"num_players": 6, "hand_size": 5, "stock_end": "reshuffle", "joker_rebind": True},
]


def copied(t: Any) -> Any:
    state = new_records(1, TABLE)
    state[0] = t
    return state[0]


def positions(rules: Rum500Rules, seed: int, most: int) -> list[Any]:
    """The tables of a deal of random play, each before its move, and its end if that is reached."""
    rng, t, found = random.Random(seed), table(rules, seed), []
    while len(found) < most:
        found.append(copied(t))
        if t.phase == OVER:
            break
        apply(rules, t, choose(rng, legal(rules, t)))
    return found


def other_world(rules: Rum500Rules, t: Any, seat: int, dice: int) -> Any:
    world = copied(t)
    world.dice = dice
    resample(rules, world, seat)
    return world


# What is hidden.


@pytest.mark.parametrize("settings", SETTINGS)
def test_hidden_cards_change_neither_text_nor_picture(settings: dict[str, Any]) -> None:
    rules = make_rules("rum500-ru", **settings)
    compared = revealed = 0
    for number, t in enumerate(positions(rules, 3, count(60))):
        if t.phase == OVER:
            continue
        for seat in range(rules.num_players):
            view = view_of("rum500-ru", rules, t, seat)
            image = table_image("rum500-ru", rules, t, seat) if number % 20 == 0 else None
            world = other_world(rules, t, seat, number)
            assert view_of("rum500-ru", rules, world, seat) == view
            assert table_text("rum500-ru", rules, world, seat) == table_text("rum500-ru", rules, t, seat)
            if image is not None:
                assert np.array_equal(table_image("rum500-ru", rules, world, seat), image)
            compared += 1
            revealed += view_of("rum500-ru", rules, world, seat, True) != view_of("rum500-ru", rules, t, seat, True)
    assert compared >= 4
    assert revealed > 0.8 * compared


def test_hands_are_open_when_revealed_and_when_the_deal_is_over() -> None:
    rules = make_rules("rum500-ru")
    *_, before, over = positions(rules, 1, 10**6)
    assert "##" in table_text("rum500-ru", rules, before, 0)
    for text in (table_text("rum500-ru", rules, before, 0, reveal=True), table_text("rum500-ru", rules, over, 0)):
        assert "##" not in text
    hidden, shown = (view_of("rum500-ru", rules, before, 0, reveal) for reveal in (False, True))
    assert [side.is_open for side in hidden.sides] == [True, False, False, False]
    assert all(side.is_open for side in shown.sides)
    assert not np.array_equal(table_image("rum500-ru", rules, before, 0), table_image("rum500-ru", rules, before, 0, True))


def test_only_the_one_who_drew_sees_the_card() -> None:
    rules, t = written("2S 5H 9C", "3S 7D JD", stock="KH QH")
    apply(rules, t, parse_action("draw stock"))
    assert "drew KH" in table_text("rum500-ru", rules, t, 0)
    assert "KH" not in table_text("rum500-ru", rules, t, 1)
    assert "drew KH" in table_text("rum500-ru", rules, t, 1, reveal=True)


# What the text says.


def test_the_text_of_a_table() -> None:
    rules, t = written(
        "4C 5S 6S X2 KH 9D",
        "TH 2D",
        "7H",
        row="8H 3D JS",
        melds=("QC KC=X1 AC 2C", "7S 7D 7C"),
        stock="4D 6H 2H",
    )
    t.known[1], t.credit[:3], t.scores[:3], t.wins[0] = 1 << 22, (25, -3, 37), (120, 0, -45), 2
    t.starter, t.deal, t.match_deals, t.turn = 2, 4, 3, 9
    assert table_text("rum500-ru", rules, t, 0).splitlines() == [
        "rum500-ru, deal 4, turn 9",
        "match to 500, 3 played",
        "",
        "                 score  won  laid  cards",
        "  seat 1             0    0    -3      2  ## TH",
        "  seat 2, began    -45    0    37      1  ##",
        "> seat 0 (you)     120    2    25      6",
        "",
        "stock       3",
        "row         8H 3D JS   (3)",
        "melds       [QC X1(KC) AC 2C] [7S 7D 7C]",
        "your hand   [5S 6S X2] 4C 9D KH   49 points, could lay 26",
        "draw        seat 0 draws from the stock or takes from the row",
    ]


def test_the_text_of_an_end() -> None:
    rules, t = written("KH", "TH 2D", melds=("QC KC=X1 AC 2C",), stock="4D 6H", num_deals=5)
    t.credit[:2] = 12, 47
    for action in ("draw stock", "discard 4D", "draw stock", "discard 6H", "pass"):
        apply(rules, t, parse_action(action))
    assert table_text("rum500-ru", rules, t, 1).splitlines() == [
        "rum500-ru, deal 1, turn 2",
        "match of 5 deals, 0 played",
        "",
        "                 score  won  laid  in hand  points  cards",
        "  seat 0, began      0    0    12       10       2      1  KH",
        "  seat 1 (you)       0    0    47       12      35      2",
        "",
        "stock       0",
        "row         4S 4D 6H   (3)",
        "melds       [QC X1(KC) AC 2C]",
        "your hand   2D TH",
        "over        stock out; seat 1 has most, 35",
    ]


def test_duties_of_the_turn_are_named() -> None:
    rules, t = written("KH 5D 6D", "TH 2D", row="7D JS QS", row_use="deep")
    apply(rules, t, parse_action("take 7D"))
    assert "took 3 from the row, must lay 7D" in table_text("rum500-ru", rules, t, 1)
    rules, t = written("KH 5D 6D", "TH 2D", row="7D JS QS")
    apply(rules, t, parse_action("take QS"))
    assert "took 1 from the row, may not discard QS" in table_text("rum500-ru", rules, t, 1)
    rules, t = written("KH 5D 6D", "TH 2D", stock="")
    assert "passes, which ends the deal" in table_text("rum500-ru", rules, t, 0)


def test_a_lay_off_is_marked_and_needs_a_card_to_put_out() -> None:
    rules, t = written("TC 3D", "TH 2D", melds=("JC QC KC",))
    assert "lay off TC; 3D   13 points, could lay 10" in table_text("rum500-ru", rules, t, 0)
    rules, t = written("TC 9C", "TH 2D", melds=("JC QC KC",))
    assert "lay off 9C TC;" in table_text("rum500-ru", rules, t, 0)
    t.phase = 1
    assert "lay off TC; 9C" in table_text("rum500-ru", rules, t, 0)


def test_long_rows_and_hands_are_wrapped() -> None:
    rules, t = written("2S 5H 9C", "3S 7D JD")
    t.row[:40], t.row_size = [*range(40)], 40
    t.hands[1] = t.known[1] = (1 << 40) - 1
    lines = table_text("rum500-ru", rules, t, 0).splitlines()
    assert max(map(len, lines)) <= 101
    assert sum(line.count("AS") for line in lines) == 2


def test_a_wrong_seat_is_refused() -> None:
    rules, t = written("2S 5H 9C", "3S 7D JD")
    for seat in (2, -1):
        with pytest.raises(ValueError, match=f"seat {seat}: the seats are 0 to 1"):
            table_text("rum500-ru", rules, t, seat)


def test_the_end_of_the_deal_is_asked_about() -> None:
    rules, t = written("KH 5D", "TH 2D", stock="4D", go_out="discard_optional", melds=("6D 7D 8D", "KS KD KC"))
    t.credit[0] = 30
    assert question(rules, t, parse_action("draw stock")) == ""
    apply(rules, t, parse_action("draw stock"))
    for action in ("lay off KH on the set", "lay off 5D below the run"):
        assert question(rules, t, parse_action(action)) == ""
        apply(rules, t, parse_action(action))
    assert question(rules, t, parse_action("discard 4D")) == "discard 4D: end the deal with 45 points for you?"
    last = parse_action("lay off 4D below the run")
    assert question(rules, t, last) == f"{action_name(last)}: end the deal with 49 points for you?"
    assert t.ending == NOT_ENDED
    rules, t = written("KH 5D", "TH 2D", stock="")
    assert question(rules, t, parse_action("pass")) == "pass: end the deal with -15 points for you?"


# Pictures.


def check_image(image: np.ndarray) -> None:
    """An image of the right kind that leaves the frame of the table free: nothing runs over its edge."""
    assert image.dtype == np.uint8
    assert image.shape == (picture.HEIGHT, picture.WIDTH, 3)
    assert image.shape[0] % 2 == image.shape[1] % 2 == 0
    assert image.flags.c_contiguous
    assert image.flags.writeable
    assert image.std() > 20
    empty = np.asarray(pictures.felt(picture.WIDTH, picture.HEIGHT))
    frame = np.ones(image.shape[:2], bool)
    frame[7:-7, 7:-7] = False
    assert np.array_equal(image[frame], empty[frame])


@pytest.mark.parametrize("settings", SETTINGS)
def test_every_phase_is_drawn(settings: dict[str, Any]) -> None:
    rules = make_rules("rum500-ru", **settings)
    phases = set()
    for t in positions(rules, 5, 10**6):
        assert PHASES[t.phase] in table_text("rum500-ru", rules, t, 0)
        if int(t.phase) not in phases:
            check_image(table_image("rum500-ru", rules, t, int(t.to_act)))
            phases.add(int(t.phase))
    assert phases == set(range(len(PHASES)))


def crowded(view: View) -> View:
    """A table with more of everything than a deal can bring at once."""
    sets = [tuple(Place(13 * s + rank, None) for s in range(3)) for rank in range(13)]
    runs = [tuple(Place(39 + 3 * k + i, 52 if k == i == 0 else None) for i in range(3)) for k in range(4)]
    melds = (*sets, *runs, (Place(51, None), Place(39, 53), Place(40, None)))

    def full(side: Side, groups: int) -> Side:
        cards = tuple(Group("meld", (5 * k, 5 * k + 1, 5 * k + 2)) for k in range(groups))
        hidden = Group("hidden", (FACE_DOWN,) * 12) if side is not view.own else Group(LOOSE, tuple(range(40, 54)))
        return replace(side, groups=(*cards, hidden), score=-12345, wins=123, laid=321, began=True, known=(1, 2))

    sides = tuple(full(side, 8) for side in view.sides)
    everything = tuple(range(54))
    return replace(view, melds=melds, row=everything, reshuffled=everything, sides=sides, status=view.status * 2)


@pytest.mark.parametrize("players", range(2, 7))
def test_pictures_have_room_for_all(players: int) -> None:
    rules = make_rules("rum500-ru", num_players=players)
    view = view_of("rum500-ru", rules, table(rules, players), 0)
    check_image(picture.draw_table(view))
    check_image(picture.draw_table(crowded(view)))
    longest = tuple(tuple(Place(13 * s + r, None) for r in range(13)) for s in range(4))
    check_image(picture.draw_table(replace(view, melds=longest, over=True)))


def test_duties_and_the_drawn_card_are_drawn() -> None:
    rules, t = written("2S 5H 9C", "3S 7D JD", stock="KH QH")
    t.phase, t.drawn = 1, 10
    view = view_of("rum500-ru", rules, t, 0)
    images = [
        picture.draw_table(replace(view, owed=owed, barred=barred)) for owed, barred in ((None, None), (1, None), (None, 1))
    ]
    images.append(picture.draw_table(replace(view, drawn=1)))
    assert len({image.tobytes() for image in images}) == 4


def test_every_card_looks_different_and_suits_have_their_colour() -> None:
    faces = [np.asarray(pictures.card_picture(c, 28, 40)) for c in (FACE_DOWN, *range(54))]
    laid = [np.asarray(pictures.card_picture(j, 28, 40, shown_as=c)) for j in (52, 53) for c in range(52)]
    assert len({face.tobytes() for face in faces + laid}) == 55 + 104
    for card in range(52):
        face = faces[card + 1].astype(int)
        red = (face[..., 0] - face[..., 2] > 90).sum()
        assert (red > 30) == (card // 13 in (1, 2))


def test_a_missing_pillow_is_named() -> None:
    code = (
        "import sys; sys.modules['PIL'] = None\n"
        "from rummy_env.rum500.view import table_image, table_text\n"
        "from tests.helpers500 import written\n"
        "rules, t = written('2S 5H 9C', '3S 7D JD')\n"
        "assert '##' in table_text('rum500-ru', rules, t, 0)\n"
        "table_image('rum500-ru', rules, t, 0)\n"
    )
    interpreted = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=interpreted)
    assert done.returncode == 1
    assert "DependencyNotInstalled" in done.stderr
    assert "pip install rummy-env[viz]" in done.stderr


def test_a_table_just_dealt_shows_who_begins() -> None:
    rules = make_rules("rum500-standard", num_players=3)
    t = table(rules, 4, starter=1)
    view = view_of("rum500-standard", rules, t, 2)
    assert [side.seat for side in view.sides] == [2, 0, 1]
    assert [side.began for side in view.sides] == [side.acts for side in view.sides] == [False, False, True]
    assert (t.phase, view.drawn, view.owed, view.barred) == (DRAW, None, None, None)
    assert t.drawn == NO_CARD
