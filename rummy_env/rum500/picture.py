"""The picture of a table of 500 Rum: the other seats at the top, the row and the melds, the own hand at the bottom.

Everything has its place whatever is shown: cards draw together, then shrink, where there are many.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummy_env.faces import FACE_DOWN, SEEN, cards_words
from rummy_env.pictures import (
    BLACK,
    CARD_H,
    CARD_W,
    CREAM,
    DIAMOND,
    GOLD,
    HEART,
    MUTED,
    PLATE,
    PLATE_EDGE,
    RED,
    ROSE,
    card_picture,
    draw_suit,
    font,
    new_table,
    paste,
    rank_text,
)
from rummy_env.rum500.places import Place
from rummy_env.rum500.view import LAY_OFF, MELD, Side, View

WIDTH, HEIGHT = 960, 640
MARGIN = 20
LINE = (60, 132, 96)

# Where things are: the upper edges of the other seats, the row, the melds, the status and the own seat.
OTHERS, ROW, MELDS, STATUS, OWN = 38, 202, 302, 462, 494


class Size(NamedTuple):
    """The size of a card in pixels."""

    width: int
    height: int


def _sizes(most: int, least: int) -> list[Size]:
    return [Size(w, round(w * CARD_H / CARD_W)) for w in range(most, least - 1, -2)]


def draw_table(view: View) -> NDArray[np.uint8]:
    """The picture of a view, ``uint8[HEIGHT, WIDTH, 3]``."""
    picture, draw = new_table(WIDTH, HEIGHT)
    draw.text((MARGIN, 22), view.title, font=font(14), fill=CREAM, anchor="lm")
    draw.text((WIDTH - MARGIN, 22), view.match, font=font(14), fill=CREAM, anchor="rm")
    count = len(view.others)
    wide = (WIDTH - 2 * MARGIN - 8 * (count - 1)) // count
    for k, side in enumerate(view.others):
        _other(picture, draw, side, MARGIN + k * (wide + 8), wide)
    _stock(picture, draw, view)
    _row(picture, draw, view)
    _melds(picture, draw, view.melds)
    _status(draw, view)
    _own(picture, draw, view)
    return np.asarray(picture, dtype=np.uint8).copy()


def _fitted(draw: Any, text: str, size: int, width: int) -> Any:
    """The font of at most ``size`` in which a text is at most ``width`` pixels wide, 8 at the least."""
    while size > 8 and draw.textlength(text, font=font(size)) > width:
        size -= 1
    return font(size)


def _text(draw: Any, at: tuple[int, int], text: str, size: int, width: int, **how: Any) -> None:
    draw.text(at, text, font=_fitted(draw, text, size, width), **how)


def _framed(draw: Any, x: int, y: int, size: Size, colour: tuple[int, int, int]) -> None:
    box = [x - 1, y - 1, x + size.width + 1, y + size.height + 1]
    draw.rounded_rectangle(box, round(8 * size.width / CARD_W), outline=colour, width=3)


# Seats.


def _plate(draw: Any, side: Side, box: tuple[int, int, int, int]) -> None:
    """A dark plate with the seat's name, with a gold edge and a lamp if it is to act."""
    left, top, right, bottom = box
    draw.rounded_rectangle([left, top, right, bottom], 8, fill=PLATE, outline=GOLD if side.acts else PLATE_EDGE)
    draw.ellipse([left + 7, top + 6, left + 17, top + 16], fill=GOLD if side.acts else PLATE_EDGE)
    name = side.name + (", began" if side.began else "")
    _text(draw, (left + 23, top + 11), name, 14, right - left - 80, fill=CREAM, anchor="lm")


def _other(picture: Any, draw: Any, side: Side, x: int, wide: int) -> None:
    """Another seat: its plate with two lines, its cards in up to three lines, and what is known of them."""
    _plate(draw, side, (x, OTHERS, x + wide, OTHERS + 40))
    right = x + wide - 8
    draw.text((right, OTHERS + 11), f"{side.count} cards", font=font(13), fill=MUTED, anchor="rm")
    laid = f"laid {side.laid}" if side.points is None else f"{side.points} points"
    colour = CREAM if side.points is None else GOLD
    draw.text((right, OTHERS + 29), laid, font=font(13), fill=colour, anchor="rm")
    score = f"score {side.score}, won {side.wins}"
    _text(draw, (x + 9, OTHERS + 29), score, 13, wide - 85, fill=CREAM, anchor="lm")
    hidden = [c for group in side.groups for c in group.cards if c == FACE_DOWN]
    shown = [c for group in side.groups for c in group.cards if c != FACE_DOWN]
    _spread(picture, hidden, shown, (x + 4, OTHERS + 47, wide - 10))
    if side.points is not None:
        note = f"laid {side.laid}, in hand {side.in_hand}"
    elif side.in_hand is not None:
        note = f"{side.in_hand} points"
    else:
        note = SEEN if side.known else ""
    draw.text((x + wide // 2, OTHERS + 147), note, font=font(13), fill=MUTED, anchor="mm")


def _spread(picture: Any, hidden: Sequence[int], shown: Sequence[int], box: tuple[int, int, int]) -> None:
    """Cards of another seat in ``box`` (x, y, width), 92 pixels high: the hidden ones close together, then the others."""
    left, top, wide = box
    cards = (*hidden, *shown)
    size, places = Size(34, 48), [(0, 0)] * len(cards)
    for lines, size in ((1, Size(50, 71)), (1, Size(42, 59)), (2, Size(42, 59)), (3, Size(34, 48))):
        least = 2 if lines == 3 else 13
        tried = (_places(len(hidden), len(shown), size, step, wide) for step in range(size.width - 10, least - 1, -1))
        fit = next((found for found in tried if found[-1][1] < lines), None) if cards else None
        if fit is not None:
            places = fit
            break
    spare = wide - size.width - max((x for x, _ in places), default=0)
    for card, (x, line) in zip(cards, places):
        paste(picture, card_picture(card, *size), left + spare // 2 + x, top + 22 * line)


def _places(hidden: int, shown: int, size: Size, step: int, wide: int) -> list[tuple[int, int]]:
    """Where cards come to lie, ``step`` pixels apart: x and line. Hidden ones among others lie closer together."""
    places, x, line = [], 0, 0
    for k in range(hidden + shown):
        if x + size.width > wide:
            x, line = 0, line + 1
        places.append((x, line))
        if k < hidden - 1:
            x += min(step, 7 if shown else 16) if hidden < 16 else 3
        else:
            x += size.width + 4 if k == hidden - 1 else step
    return places


def _own(picture: Any, draw: Any, view: View) -> None:
    """The own seat: its plate in one line, its hand in groups; the drawn card is raised, others are framed."""
    side = view.own
    _plate(draw, side, (MARGIN - 6, OWN, WIDTH - MARGIN + 6, OWN + 22))
    middle = f"score {side.score},  won {side.wins},  laid {side.laid}"
    draw.text((WIDTH // 2, OWN + 11), middle, font=font(14), fill=CREAM, anchor="mm")
    text = f"{side.count} cards,  {side.in_hand} points"
    if side.could_lay:
        text += f",  could lay {side.could_lay}"
    if side.points is not None:
        text = f"in hand {side.in_hand},  {side.points} points"
    draw.text((WIDTH - MARGIN - 4, OWN + 11), text, font=font(14), fill=GOLD, anchor="rm")
    if not side.count:
        return
    size, gap, step = _fan([len(group.cards) for group in side.groups], WIDTH - 2 * MARGIN - 10)
    total = sum(step * (len(group.cards) - 1) + size.width + gap for group in side.groups) - gap
    x = (WIDTH - total) // 2
    for group in side.groups:
        start = x
        for c in group.cards:
            y = OWN + (28 if c == view.drawn else 36)
            paste(picture, card_picture(c, *size), x, y)
            if side.acts and c in (view.owed, view.barred):
                _framed(draw, x, y, size, GOLD if c == view.owed else RED)
            x += step
        x += size.width - step
        if group.kind in (MELD, LAY_OFF):
            draw.text(((start + x) // 2, OWN + 45 + size.height), group.kind, font=font(13), fill=MUTED, anchor="mm")
        x += gap


def _fan(counts: Sequence[int], room: int) -> tuple[Size, int, int]:
    """The largest cards, the gap between groups and the step between cards with which groups fit into ``room`` pixels."""
    inner = max(sum(counts) - len(counts), 1)
    for size in _sizes(CARD_W, 30):
        gap = size.width // 4
        step = (room - size.width * len(counts) - gap * (len(counts) - 1)) // inner
        if step >= size.width // 3:
            return size, gap, min(step, size.width - 8)
    return size, gap, max(step, 1)


# The middle of the table.


def _stock(picture: Any, draw: Any, view: View) -> None:
    x, size = MARGIN + 8, Size(50, 71)
    draw.rounded_rectangle([x, ROW, x + size.width, ROW + size.height], 7, outline=LINE, width=1)
    for k in range(min((view.stock + 7) // 8, 4)):
        paste(picture, card_picture(FACE_DOWN, *size), x + 2 * k, ROW - 2 * k)
    draw.text((x + size.width // 2, ROW + 84), f"stock {view.stock}", font=font(14), fill=CREAM, anchor="mm")


def _row(picture: Any, draw: Any, view: View) -> None:
    """The row from left to right, the newest card last and whole, and what the last reshuffle put out of sight."""
    left, size = MARGIN + 84, Size(50, 71)
    room = WIDTH - MARGIN - 10 - left
    draw.rounded_rectangle([left - 6, ROW - 5, left + room + 6, ROW + size.height + 7], 8, outline=LINE, width=1)
    step = min(size.width - 8, (room - size.width) // max(len(view.row) - 1, 1))
    for k, c in enumerate(view.row):
        paste(picture, card_picture(c, *size), left + k * step, ROW)
    text = f"row {len(view.row)}"
    draw.text((left, ROW + 88), text, font=font(14), fill=CREAM, anchor="lm")
    if view.reshuffled:
        _unseen(picture, draw, view.reshuffled, left + 70, room - 70)


def _unseen(picture: Any, draw: Any, cards: tuple[int, ...], x: int, room: int) -> None:
    """The cards of the last reshuffle that were not seen since, in a line: for each suit its ranks."""
    y = ROW + 88
    by_suit = [[c for c in cards if c // 13 == suit] for suit in range(5)]
    words = [*(" ".join(map(rank_text, part)) for part in by_suit[:4]), cards_words(by_suit[4])]
    title = "unseen since the reshuffle:"
    shown = _fitted(draw, title + "".join(words), 13, room - 100)
    draw.text((x, y), title, font=shown, fill=MUTED, anchor="lm")
    x += round(draw.textlength(title, font=shown)) + 9
    for suit, text in enumerate(words):
        if not by_suit[suit]:
            continue
        colour = ROSE if suit in (HEART, DIAMOND) else CREAM
        if suit < 4:
            draw_suit(picture, suit, x, y - 5, 11, colour)
            x += 14
        draw.text((x, y), text, font=shown, fill=colour, anchor="lm")
        x += round(draw.textlength(text, font=shown)) + 9


def _melds(picture: Any, draw: Any, melds: tuple[tuple[Place, ...], ...]) -> None:
    """The melds one after the other in lines, in the largest size at which all fit."""
    if not melds:
        draw.text((WIDTH // 2, (MELDS + STATUS) // 2), "no melds yet", font=font(14), fill=LINE, anchor="mm")
        return
    room = STATUS - MELDS - 6
    for size in _sizes(50, 20):
        lines = _lines(melds, size)
        pitch = size.height + 6
        if len(lines) * pitch <= room:
            break
    y = MELDS + (room - len(lines) * pitch) // 2
    for line in lines:
        x = (WIDTH - sum(_meld_width(meld, size) for meld in line) - (len(line) - 1) * _gap(size)) // 2
        for meld in line:
            _meld(picture, meld, x, y, size)
            x += _meld_width(meld, size) + _gap(size)
        y += pitch


def _step(size: Size) -> int:
    """How far apart the cards of a meld on the table lie."""
    return size.width // 2 + 1


def _gap(size: Size) -> int:
    """How far apart melds lie."""
    return size.width // 3 + 2


def _meld_width(meld: tuple[Place, ...], size: Size) -> int:
    return _step(size) * (len(meld) - 1) + size.width


def _lines(melds: tuple[tuple[Place, ...], ...], size: Size) -> list[list[tuple[Place, ...]]]:
    """Melds in lines that are no wider than the table."""
    lines: list[list[tuple[Place, ...]]] = []
    free = 0
    for meld in melds:
        wide = _meld_width(meld, size) + _gap(size)
        if wide > free:
            lines.append([])
            free = WIDTH - 2 * MARGIN + _gap(size)
        lines[-1].append(meld)
        free -= wide
    return lines


def _meld(picture: Any, meld: tuple[Place, ...], x: int, y: int, size: Size) -> None:
    for place in meld:
        paste(picture, card_picture(place.lies, *size, None if place.joker is None else place.card), x, y)
        x += _step(size)


def _status(draw: Any, view: View) -> None:
    """Who decides what, or how the deal ended."""
    text = view.status if view.over else f"{view.phase}: {view.status}"
    shown = _fitted(draw, text, 16, WIDTH - 80)
    wide = int(draw.textlength(text, font=shown)) + 28
    x = (WIDTH - wide) // 2
    fill, colour = (GOLD, BLACK) if view.over else (PLATE, GOLD)
    draw.rounded_rectangle([x, STATUS, x + wide, STATUS + 24], 10, fill=fill)
    draw.text((WIDTH // 2, STATUS + 12), text, font=shown, fill=colour, anchor="mm")
