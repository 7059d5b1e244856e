"""The picture of a card table, drawn with Pillow: felt, cards, name plates, the pile card by card.

Cards are drawn three times as large and scaled down once, then kept. The font is the one inside Pillow, and the
suits are shapes, so that no font of the system is needed.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rummy_env.cards import RANKS

if TYPE_CHECKING:
    from rummy_env.envs.render import Group, Side, View

try:
    from PIL import Image, ImageDraw, ImageFont
except ImportError as error:  # pragma: no cover - depends on the installation
    from gymnasium.error import DependencyNotInstalled

    raise DependencyNotInstalled("pictures of the table need Pillow: pip install rummy-env[viz]") from error

WIDTH, HEIGHT = 720, 480
CARD_W, CARD_H = 58, 82
FINE = 3

WHITE = (252, 251, 246)
BLACK = (28, 30, 34)
RED = (196, 30, 42)
CREAM = (244, 238, 214)
GOLD = (255, 208, 92)
MUTED = (176, 206, 184)
PLATE = (10, 52, 36)
BACK, BACK_LINE = (34, 62, 122), (92, 124, 190)
FACE_DOWN = -1
SPADE, HEART, DIAMOND, CLUB = range(4)


@lru_cache(maxsize=64)
def font(size: int) -> Any:
    """The font inside Pillow; without FreeType its one fixed size."""
    try:
        return ImageFont.load_default(size=size)
    except (ImportError, OSError):
        return ImageFont.load_default()


# Suits and cards.


@lru_cache(maxsize=64)
def suit_shape(suit: int, size: int) -> Any:
    """A suit as a mask of ``size`` by ``size`` pixels, smooth at the edges."""
    n = size * 8
    mask = Image.new("L", (n, n), 0)
    draw = ImageDraw.Draw(mask)

    def disc(x: float, y: float, r: float) -> None:
        draw.ellipse([(x - r) * n, (y - r) * n, (x + r) * n, (y + r) * n], fill=255)

    def shape(*points: tuple[float, float]) -> None:
        draw.polygon([(x * n, y * n) for x, y in points], fill=255)

    if suit == DIAMOND:
        shape((0.5, 0.02), (0.86, 0.5), (0.5, 0.98), (0.14, 0.5))
    elif suit == HEART:
        disc(0.28, 0.31, 0.235)
        disc(0.72, 0.31, 0.235)
        shape((0.075, 0.42), (0.5, 0.97), (0.925, 0.42), (0.72, 0.25), (0.5, 0.3), (0.28, 0.25))
    elif suit == SPADE:
        disc(0.28, 0.56, 0.225)
        disc(0.72, 0.56, 0.225)
        shape((0.085, 0.46), (0.5, 0.02), (0.915, 0.46), (0.72, 0.6), (0.5, 0.62), (0.28, 0.6))
        shape((0.5, 0.5), (0.66, 0.97), (0.34, 0.97))
    else:
        for x, y in ((0.5, 0.25), (0.265, 0.59), (0.735, 0.59)):
            disc(x, y, 0.22)
        disc(0.5, 0.5, 0.14)
        shape((0.5, 0.45), (0.66, 0.97), (0.34, 0.97))
    return mask.resize((size, size), Image.Resampling.BOX)


def ink(card: int) -> tuple[int, int, int]:
    """Red for hearts and diamonds, black for spades and clubs."""
    return RED if card // 13 in (HEART, DIAMOND) else BLACK


def rank_text(card: int) -> str:
    """The rank as it is printed on a card."""
    return "10" if RANKS[card % 13] == "T" else RANKS[card % 13]


@lru_cache(maxsize=256)
def card_picture(card: int, width: int = CARD_W, height: int = CARD_H) -> Any:
    """A card, face up or down, as an RGBA picture with a narrow shadow."""
    w, h, r = width * FINE, height * FINE, 7 * FINE
    whole = Image.new("RGBA", (w + 3 * FINE, h + 3 * FINE), (0, 0, 0, 0))
    draw = ImageDraw.Draw(whole)
    draw.rounded_rectangle([2 * FINE, 2 * FINE, w + 2 * FINE, h + 2 * FINE], r, fill=(0, 20, 10, 90))
    draw.rounded_rectangle([0, 0, w, h], r, fill=(*WHITE, 255), outline=(120, 124, 118, 255), width=FINE)
    if card == FACE_DOWN:
        _draw_back(draw, w, h)
    else:
        _draw_face(whole, card, w, h)
    return whole.resize((width + 3, height + 3), Image.Resampling.LANCZOS)


def _draw_back(draw: Any, w: int, h: int) -> None:
    margin = 5 * FINE
    draw.rounded_rectangle([margin, margin, w - margin, h - margin], 4 * FINE, fill=(*BACK, 255))
    step, inner = 8 * FINE, margin + 3 * FINE
    for y in range(inner + step // 2, h - inner, step):
        for x in range(inner + step // 2, w - inner, step):
            d = 3 * FINE
            draw.polygon([(x, y - d), (x + d, y), (x, y + d), (x - d, y)], fill=(*BACK_LINE, 255))
    draw.rounded_rectangle([margin, margin, w - margin, h - margin], 4 * FINE, outline=(*BACK_LINE, 255), width=FINE)


def _draw_face(whole: Any, card: int, w: int, h: int) -> None:
    colour = ink(card)
    corner = Image.new("RGBA", (w, h), (0, 0, 0, 0))
    draw = ImageDraw.Draw(corner)
    x = 11 * FINE
    draw.text(
        (x, 13 * FINE), rank_text(card), font=font(18 * FINE), fill=colour, anchor="mm", stroke_width=1, stroke_fill=colour
    )
    small = suit_shape(card // 13, 12 * FINE)
    corner.paste(Image.new("RGBA", small.size, (*colour, 255)), (x - small.width // 2, 24 * FINE), small)
    whole.alpha_composite(corner)
    turned = corner.transpose(Image.Transpose.ROTATE_180)
    whole.alpha_composite(turned)
    big = suit_shape(card // 13, 26 * FINE)
    whole.paste(Image.new("RGBA", big.size, (*colour, 255)), ((w - big.width) // 2, (h - big.height) // 2), big)


# The table.


@lru_cache(maxsize=1)
def felt() -> Any:
    """The empty table: green, darker towards the edges, in a wooden frame."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    far = np.sqrt(((x - WIDTH / 2) / WIDTH) ** 2 + ((y - HEIGHT / 2) / HEIGHT) ** 2)
    grain = np.random.default_rng(0).normal(0, 1.6, (HEIGHT, WIDTH))
    light = (1.12 - 0.75 * far)[..., None] * np.array([30, 112, 74]) + grain[..., None]
    picture = Image.fromarray(np.clip(light, 0, 255).astype(np.uint8))
    draw = ImageDraw.Draw(picture)
    draw.rectangle([0, 0, WIDTH - 1, HEIGHT - 1], outline=(74, 46, 26), width=6)
    draw.rectangle([6, 6, WIDTH - 7, HEIGHT - 7], outline=(120, 78, 44), width=1)
    return picture


def draw_table(view: "View") -> NDArray[np.uint8]:
    """The picture of a view, ``uint8[HEIGHT, WIDTH, 3]``."""
    picture = felt().copy()
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
    draw.rounded_rectangle([14, y, WIDTH - 15, y + 22], 8, fill=PLATE, outline=GOLD if side.acts else (24, 84, 58))
    draw.ellipse([22, y + 6, 32, y + 16], fill=GOLD if side.acts else (24, 84, 58))
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


def _paste(picture: Any, card: int, x: int, y: int) -> None:
    sprite = card_picture(card)
    picture.paste(sprite, (x, y), sprite)


def _hand(picture: Any, draw: Any, side: "Side", y: int, drawn: int | None, captions: bool) -> None:
    """A row of cards, group by group; the drawn card is raised, and at the end each group has a caption."""
    gap, room = 16, WIDTH - 60
    fits = (room - CARD_W * len(side.groups) - gap * (len(side.groups) - 1)) // max(side.count - len(side.groups), 1)
    step = min(CARD_W - 8, fits)
    width = sum(step * (len(group.cards) - 1) + CARD_W for group in side.groups) + gap * (len(side.groups) - 1)
    x = (WIDTH - width) // 2
    for group in side.groups:
        for k, card in enumerate(group.cards):
            _paste(picture, card, x + step * k, y - 8 if card == drawn and card != FACE_DOWN else y)
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
        _paste(picture, FACE_DOWN, 38 + 2 * k, y - 2 * k)
    draw.text((38 + CARD_W // 2, y + CARD_H + 13), f"stock {view.stock}", font=font(14), fill=CREAM, anchor="mm")
    if view.upcard is not None:
        _paste(picture, view.upcard, 132, y)
    draw.text((132 + CARD_W // 2, y + CARD_H + 13), "upcard", font=font(14), fill=CREAM, anchor="mm")
    if view.aside is not None:
        _paste(picture, view.aside, 226, y)
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
