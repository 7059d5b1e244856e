"""The picture of a table of gin: both hands, name plates, the stock, and the pile card by card."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rummy_env.faces import FACE_DOWN
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
    WHITE,
    Image,
    ImageDraw,
    card_picture,
    felt,
    font,
    ink,
    paste,
    rank_text,
    suit_shape,
)

if TYPE_CHECKING:
    from rummy_env.faces import Group
    from rummy_env.gin.view import Side, View

WIDTH, HEIGHT = 720, 480


def draw_table(view: "View") -> NDArray[np.uint8]:
    """The picture of a view, ``uint8[HEIGHT, WIDTH, 3]``."""
    picture = felt(WIDTH, HEIGHT).copy()
    draw = ImageDraw.Draw(picture)
    draw.text((18, 22), view.title, font=font(14), fill=CREAM, anchor="lm")
    draw.text((WIDTH - 18, 22), f"{view.limit},  {view.match}", font=font(14), fill=CREAM, anchor="rm")
    _plate(draw, view.other, 37)
    _hand(picture, draw, view.other, 66, view.drawn, view.over)
    _stock(picture, draw, view)
    _pile(picture, draw, view)
    _status(draw, view)
    _plate(draw, view.own, 329)
    _hand(picture, draw, view.own, 366, view.drawn, view.over)
    return np.asarray(picture, dtype=np.uint8).copy()


def _plate(draw: Any, side: "Side", y: int) -> None:
    """A seat's name, score and deadwood on a dark plate, with a gold edge and a lamp if it is to act."""
    draw.rounded_rectangle([14, y, WIDTH - 15, y + 22], 8, fill=PLATE, outline=GOLD if side.acts else PLATE_EDGE)
    draw.ellipse([22, y + 6, 32, y + 16], fill=GOLD if side.acts else PLATE_EDGE)
    draw.text((40, y + 11), side.name, font=font(14), fill=CREAM, anchor="lm")
    score = f"score {side.score},  won {side.wins}"
    draw.text((WIDTH // 2, y + 11), score, font=font(14), fill=CREAM, anchor="mm")
    if side.deadwood is None:
        text = f"{side.count} cards"
    elif side.after_discard is None:
        text = f"deadwood {side.deadwood}"
    else:
        text = f"deadwood {side.deadwood},  {side.after_discard} after the best discard"
    draw.text((WIDTH - 24, y + 11), text, font=font(14), fill=MUTED if side.deadwood is None else GOLD, anchor="rm")


def _hand(picture: Any, draw: Any, side: "Side", y: int, drawn: int | None, captions: bool) -> None:
    """A row of cards, group by group; the drawn card is raised, and at the end each group has a caption."""
    gap, room = 16, WIDTH - 60
    fits = (room - CARD_W * len(side.groups) - gap * (len(side.groups) - 1)) // max(side.count - len(side.groups), 1)
    step = min(CARD_W - 8, fits)
    width = sum(step * (len(group.cards) - 1) + CARD_W for group in side.groups) + gap * (len(side.groups) - 1)
    x = (WIDTH - width) // 2
    for group in side.groups:
        for k, card in enumerate(group.cards):
            paste(picture, card_picture(card), x + step * k, y - 8 if card == drawn and card != FACE_DOWN else y)
        wide = step * (len(group.cards) - 1) + CARD_W
        _caption(draw, group, x + wide // 2, y + CARD_H + 11, captions)
        x += wide + gap


def _caption(draw: Any, group: "Group", x: int, y: int, wanted: bool) -> None:
    if wanted or group.kind == "seen taken":
        draw.text((x, y), group.kind, font=font(13), fill=GOLD if group.kind == "laid off" else MUTED, anchor="mm")


def _stock(picture: Any, draw: Any, view: "View") -> None:
    """The stock with its count, the upcard, and the card put aside."""
    y = 178
    for x in (38, 132):
        draw.rounded_rectangle([x, y, x + CARD_W, y + CARD_H], 7, outline=(60, 132, 96), width=1)
    depth = min((view.stock + 7) // 8, 4)
    for k in range(depth):
        paste(picture, card_picture(FACE_DOWN), 38 + 2 * k, y - 2 * k)
    draw.text((38 + CARD_W // 2, y + CARD_H + 13), f"stock {view.stock}", font=font(14), fill=CREAM, anchor="mm")
    if view.upcard is not None:
        paste(picture, card_picture(view.upcard), 132, y)
    draw.text((132 + CARD_W // 2, y + CARD_H + 13), "upcard", font=font(14), fill=CREAM, anchor="mm")
    if view.aside is not None:
        paste(picture, card_picture(view.aside), 226, y)
        draw.text((226 + CARD_W // 2, y + CARD_H + 13), "put aside", font=font(14), fill=CREAM, anchor="mm")


def _pile(picture: Any, draw: Any, view: "View") -> None:
    """The cards of the pile in a grid of suits and ranks: white on the pile, grey if reshuffled into the stock."""
    left, top, step, row = 352, 174, 26, 25
    for suit in range(4):
        y = top + row * suit
        shape = suit_shape(suit, 14)
        colour = (236, 120, 120) if suit in (HEART, DIAMOND) else (14, 32, 24)
        picture.paste(Image.new("RGB", shape.size, colour), (left - 20, y + 4), shape)
        for rank in range(13):
            _chip(draw, 13 * suit + rank, left + step * rank, y, view)
    text = f"pile {len(view.pile)}" + (f",  {len(view.reshuffled)} reshuffled (grey)" if view.reshuffled else "")
    draw.text((left + step * 13 // 2, top + row * 4 + 9), text, font=font(14), fill=CREAM, anchor="mm")


def _chip(draw: Any, card: int, x: int, y: int, view: "View") -> None:
    box = [x, y, x + 22, y + 21]
    if card in view.pile:
        draw.rounded_rectangle(box, 4, fill=WHITE, outline=GOLD if card == view.upcard else WHITE, width=2)
        draw.text((x + 11, y + 11), rank_text(card), font=font(14), fill=ink(card), anchor="mm")
    elif card in view.reshuffled:
        draw.rounded_rectangle(box, 4, fill=(116, 146, 128))
        draw.text((x + 11, y + 11), rank_text(card), font=font(14), fill=(40, 66, 52), anchor="mm")
    else:
        draw.rounded_rectangle(box, 4, outline=(66, 138, 100))


def _status(draw: Any, view: "View") -> None:
    """Who decides what, or how the deal ended."""
    text = view.status if view.over else f"{view.phase.replace('_', ' ')}: {view.status}"
    size = 16
    wide = int(draw.textlength(text, font=font(size))) + 28
    x = (WIDTH - wide) // 2
    fill, colour = (GOLD, BLACK) if view.over else (PLATE, GOLD)
    draw.rounded_rectangle([x, 296, x + wide, 320], 10, fill=fill)
    draw.text((WIDTH // 2, 308), text, font=font(size), fill=colour, anchor="mm")
