"""Text and picture of a table: what they show, in every phase, and that nothing hidden reaches them."""

import subprocess
import sys

import numpy as np
import pytest

from rummy_env.bits import stream
from rummy_env.gin.play import apply, random_action, resample
from rummy_env.gin.state import OVER, PHASES, State, new_state
from rummy_env.match import next_deal, settle, start_match
from rummy_env.record import load_record, replay_steps
from rummy_env.rules import GIN_BOOK, GinRules, make_rules
from tests import golden

pytest.importorskip("PIL", reason="Pillow is not installed (the extra 'viz')")
from rummy_env.faces import FACE_DOWN
from rummy_env.gin import picture
from rummy_env.gin.view import table_image, table_text, view_of


def positions(variant: str, seed: int, count: int, script: str = "") -> list[State]:
    """Tables met in random play, or in play by a script of the golden games, one move after the other."""
    rules = make_rules(variant)
    state = new_state(1)
    t = state[0]
    t.key, t.dice = stream(np.uint64(seed), np.uint64(0)), seed
    start_match(rules, t)
    found = []
    for _ in range(count):
        found.append(state.copy())
        if t.phase == OVER:
            settle(rules, t)
            next_deal(rules, t)
        else:
            apply(rules, t, golden.choose(rules, t, script) if script else random_action(rules, t))
    return found


def other_world(state: State, seat: int, dice: int) -> State:
    copy = state.copy()
    copy.dice = dice
    resample(make_rules("gin-es"), copy[0], seat)
    copy.dice = state.dice
    return copy


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
def test_hidden_cards_change_neither_text_nor_picture(variant: str) -> None:
    rules = make_rules(variant)
    compared = revealed = 0
    for number, state in enumerate(positions(variant, seed=3, count=90)):
        if state[0].phase == OVER:
            continue
        for seat in range(2):
            text = table_text(variant, rules, state[0], seat)
            image = table_image(variant, rules, state[0], seat) if number % 6 == 0 else None
            for dice in (1, 2):
                world = other_world(state, seat, dice)
                assert table_text(variant, rules, world[0], seat) == text
                assert view_of(variant, rules, world[0], seat) == view_of(variant, rules, state[0], seat)
                if image is not None:
                    assert np.array_equal(table_image(variant, rules, world[0], seat), image)
                compared += 1
                revealed += table_text(variant, rules, world[0], seat, True) != table_text(variant, rules, state[0], seat, True)
    assert compared > 100
    assert revealed > 0.9 * compared


def test_reveal_opens_the_other_hand() -> None:
    rules = make_rules("gin-es")
    state = positions("gin-es", seed=1, count=8)[-1]
    assert "##" in table_text("gin-es", rules, state[0], 0)
    assert "##" not in table_text("gin-es", rules, state[0], 0, reveal=True)
    hidden, shown = (view_of("gin-es", rules, state[0], 0, reveal) for reveal in (False, True))
    assert hidden.other.deadwood is None
    assert shown.other.deadwood is not None
    assert FACE_DOWN not in [c for group in shown.other.groups for c in group.cards]
    assert not np.array_equal(table_image("gin-es", rules, state[0], 0), table_image("gin-es", rules, state[0], 0, True))


def test_every_phase_is_drawn() -> None:
    phases = set()
    for variant, script in (("gin-openspiel", "wait"), ("gin-ru", "wait"), ("oklahoma-es", "knock")):
        rules = make_rules(variant)
        for state in positions(variant, seed=63, count=70, script=script):
            t = state[0]
            text = table_text(variant, rules, t, 0)
            assert PHASES[t.phase] in text
            if int(t.phase) not in phases:
                image = table_image(variant, rules, t, int(t.to_act))
                check_image(image)
                phases.add(int(t.phase))
    assert phases == set(range(len(PHASES)))


def check_image(image: np.ndarray) -> None:
    assert image.dtype == np.uint8
    assert image.shape == (picture.HEIGHT, picture.WIDTH, 3)
    assert image.shape[0] % 2 == image.shape[1] % 2 == 0
    assert image.flags.c_contiguous
    assert image.flags.writeable
    assert image.std() > 20


@pytest.mark.parametrize("variant", GIN_BOOK.variants)
def test_the_end_of_each_golden_game(variant: str) -> None:
    rules: GinRules = make_rules(variant)
    record = load_record(golden.FOLDER / f"{variant}.txt")
    *_, (t, _) = replay_steps(record)
    texts = [table_text(variant, rules, t, seat) for seat in range(2)]
    result = record.deals[0].result
    assert result is not None
    for text in texts:
        assert "##" not in text
        assert result.ending in text
        assert str(max(result.points)) in text
    check_image(table_image(variant, rules, t, 0))


def test_the_text_of_a_showdown() -> None:
    record = load_record(golden.FOLDER / "oklahoma-ru.txt")
    *_, (t, _) = replay_steps(record)
    assert table_text("oklahoma-ru", make_rules("oklahoma-ru"), t, 0).splitlines() == [
        "oklahoma-ru, deal 1, turn 3, knock limit 10",
        "match to -150: seat 0 has 0 (1 won), seat 1 has -29 (0 won)",
        "",
        "seat 1        [3H 4H 5H] laid off 3S 4S; 3D 6C 7D 9D JH   deadwood 35",
        "stock         28",
        "upcard        TD",
        "pile          KS QH TD   (3)",
        "put aside     TS",
        "seat 0 (you)  [5S 6S 7S] [9C TC JC] laid off 2H; AS AD 4D   deadwood 6   seen taken: TC",
        "over          knock: seat 0 wins 29; deadwood 6 against 35",
    ]


def test_oklahoma_limits_and_doubling_are_named() -> None:
    rules = make_rules("oklahoma-es")
    state = positions("oklahoma-es", seed=1, count=1)[0]
    for opening, words in ((0, "only gin closes, spade opening: points doubled"), (13 + 4, "knock limit 5\n")):
        state.opening = opening
        assert words in table_text("oklahoma-es", rules, state[0], 0)


def test_a_wrong_seat_is_refused() -> None:
    rules = make_rules("gin-es")
    state = positions("gin-es", seed=1, count=1)[0]
    with pytest.raises(ValueError, match="seat 2"):
        table_text("gin-es", rules, state[0], 2)


def test_every_card_looks_different_and_suits_have_their_colour() -> None:
    faces = [np.asarray(picture.card_picture(c)) for c in (FACE_DOWN, *range(52))]
    assert len({face.tobytes() for face in faces}) == 53
    for card in range(52):
        face = faces[card + 1].astype(int)
        red = (face[..., 0] - face[..., 2] > 90).sum()
        assert (red > 100) == (card // 13 in (1, 2))


def test_a_missing_pillow_is_named() -> None:
    code = (
        "import sys; sys.modules['PIL'] = None\n"
        "from rummy_env.gin import view\n"
        "from rummy_env.gin.state import new_state\n"
        "from rummy_env.match import start_match\n"
        "from rummy_env.rules import make_rules\n"
        "rules, state = make_rules('gin-es'), new_state(1)\n"
        "start_match(rules, state[0])\n"
        "assert '##' in view.table_text('gin-es', rules, state[0], 0)\n"
        "view.table_image('gin-es', rules, state[0], 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "DependencyNotInstalled" in done.stderr
    assert "pip install rummy-env[viz]" in done.stderr
