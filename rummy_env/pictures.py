"""What pictures of card tables are made of, drawn with Pillow: suits, cards, felt.

Cards are drawn three times as large and scaled down once, then kept. The font is the one inside Pillow, and the
suits are shapes, so that no font of the system is needed.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from rummy_env.cards import NUM_CARDS, RANKS
from rummy_env.faces import FACE_DOWN

try:
    from PIL import Image, ImageDraw, ImageFont
except ImportError as error:  # pragma: no cover - depends on the installation
    from gymnasium.error import DependencyNotInstalled

    raise DependencyNotInstalled("pictures of the table need Pillow: pip install rummy-env[viz]") from error

CARD_W, CARD_H = 58, 82
FINE = 3

WHITE = (252, 251, 246)
BLACK = (28, 30, 34)
RED, ROSE = (196, 30, 42), (236, 120, 120)
VIOLET = (104, 52, 148)
CREAM = (244, 238, 214)
GOLD = (255, 208, 92)
MUTED = (176, 206, 184)
PLATE, PLATE_EDGE = (10, 52, 36), (24, 84, 58)
BACK, BACK_LINE = (34, 62, 122), (92, 124, 190)
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


def draw_suit(picture: Any, suit: int, x: int, y: int, size: int, colour: tuple[int, int, int]) -> None:
    """Puts a suit in a colour on a picture, its upper left corner at (x, y)."""
    shape = suit_shape(suit, size)
    picture.paste(Image.new(picture.mode, shape.size, colour), (x, y), shape)


def ink(card: int) -> tuple[int, int, int]:
    """Red for hearts and diamonds, black for spades and clubs, violet for jokers."""
    if card >= NUM_CARDS:
        return VIOLET
    return RED if card // 13 in (HEART, DIAMOND) else BLACK


def rank_text(card: int) -> str:
    """The rank as it is printed on a card."""
    return "10" if RANKS[card % 13] == "T" else RANKS[card % 13]


@lru_cache(maxsize=1024)
def card_picture(card: int, width: int = CARD_W, height: int = CARD_H, shown_as: int | None = None) -> Any:
    """A card, face up or down, as an RGBA picture with a narrow shadow, 3 pixels larger than the card each way.

    ``card`` is an id or ``FACE_DOWN``; a joker may be ``shown_as`` the card it stands for.
    """
    scale = FINE * width / CARD_W
    w, h, r = width * FINE, height * FINE, round(7 * scale)
    whole = Image.new("RGBA", (w + 3 * FINE, h + 3 * FINE), (0, 0, 0, 0))
    draw = ImageDraw.Draw(whole)
    draw.rounded_rectangle([2 * FINE, 2 * FINE, w + 2 * FINE, h + 2 * FINE], r, fill=(0, 20, 10, 90))
    draw.rounded_rectangle([0, 0, w, h], r, fill=(*WHITE, 255), outline=(120, 124, 118, 255), width=FINE)
    if card == FACE_DOWN:
        _draw_back(draw, w, h, scale)
    elif card < NUM_CARDS:
        _draw_face(whole, card, w, h, scale)
    else:
        _draw_joker(whole, card, shown_as, w, h, scale)
    return whole.resize((width + 3, height + 3), Image.Resampling.LANCZOS)


def _draw_back(draw: Any, w: int, h: int, scale: float) -> None:
    margin = round(5 * scale)
    draw.rounded_rectangle([margin, margin, w - margin, h - margin], round(4 * scale), fill=(*BACK, 255))
    step, inner = max(round(8 * scale), 2), margin + round(3 * scale)
    for y in range(inner + step // 2, h - inner, step):
        for x in range(inner + step // 2, w - inner, step):
            d = round(3 * scale)
            draw.polygon([(x, y - d), (x + d, y), (x, y + d), (x - d, y)], fill=(*BACK_LINE, 255))
    box = [margin, margin, w - margin, h - margin]
    draw.rounded_rectangle(box, round(4 * scale), outline=(*BACK_LINE, 255), width=FINE)


def _corner(card: int, w: int, h: int, scale: float) -> Any:
    """Rank and suit in the upper left corner of an empty card."""
    corner = Image.new("RGBA", (w, h), (0, 0, 0, 0))
    draw = ImageDraw.Draw(corner)
    colour, x = ink(card), round(11 * scale)
    at, size = (x, round(13 * scale)), font(round(18 * scale))
    draw.text(at, rank_text(card), font=size, fill=colour, anchor="mm", stroke_width=1, stroke_fill=colour)
    small = round(12 * scale)
    draw_suit(corner, card // 13, x - small // 2, round(24 * scale), small, colour)
    return corner


def _draw_face(whole: Any, card: int, w: int, h: int, scale: float) -> None:
    corner = _corner(card, w, h, scale)
    whole.alpha_composite(corner)
    whole.alpha_composite(corner.transpose(Image.Transpose.ROTATE_180))
    big = round(26 * scale)
    draw_suit(whole, card // 13, (w - big) // 2, (h - big) // 2, big, ink(card))


def _draw_joker(whole: Any, card: int, shown_as: int | None, w: int, h: int, scale: float) -> None:
    """A star with the joker's number; if it is laid, the card is tinted and has the one it stands for in its corner.

    All of that is in the left half, as the next card of a meld may hide the other.
    """
    draw = ImageDraw.Draw(whole)
    if shown_as is not None:
        inset = round(2 * scale)
        draw.rounded_rectangle([inset, inset, w - inset, h - inset], round(5 * scale), fill=(236, 224, 246, 255))
        whole.alpha_composite(_corner(shown_as, w, h, scale))
    x, y, r = (w / 2, h / 2, 20 * scale) if shown_as is None else (w * 0.25, h * 0.66, 14 * scale)
    turns = np.arange(10) * np.pi / 5 - np.pi / 2
    points = [(x + k * r * np.cos(a), y + k * r * np.sin(a)) for k, a in zip([1, 0.48] * 5, turns)]
    draw.polygon(points, fill=(*VIOLET, 255))
    draw.text(
        (x, y), str(card - NUM_CARDS + 1), font=font(round((13 if shown_as is None else 11) * scale)), fill=WHITE, anchor="mm"
    )
    if shown_as is None:
        for place in ((11 * scale, 13 * scale), (w - 11 * scale, h - 13 * scale)):
            size = font(round(18 * scale))
            draw.text(place, "X", font=size, fill=VIOLET, anchor="mm", stroke_width=1, stroke_fill=VIOLET)


def paste(picture: Any, sprite: Any, x: int, y: int) -> None:
    """Puts a card's picture on a table, its upper left corner at (x, y)."""
    picture.paste(sprite, (x, y), sprite)


# The table.


def new_table(width: int, height: int) -> tuple[Any, Any]:
    """An empty table to draw on, and what draws on it."""
    picture = felt(width, height).copy()
    return picture, ImageDraw.Draw(picture)


@lru_cache(maxsize=4)
def felt(width: int, height: int) -> Any:
    """The empty table: green, darker towards the edges, in a wooden frame."""
    y, x = np.mgrid[0:height, 0:width]
    far = np.sqrt(((x - width / 2) / width) ** 2 + ((y - height / 2) / height) ** 2)
    grain = np.random.default_rng(0).normal(0, 1.6, (height, width))
    light = (1.12 - 0.75 * far)[..., None] * np.array([30, 112, 74]) + grain[..., None]
    picture = Image.fromarray(np.clip(light, 0, 255).astype(np.uint8))
    draw = ImageDraw.Draw(picture)
    draw.rectangle([0, 0, width - 1, height - 1], outline=(74, 46, 26), width=6)
    draw.rectangle([6, 6, width - 7, height - 7], outline=(120, 78, 44), width=1)
    return picture
