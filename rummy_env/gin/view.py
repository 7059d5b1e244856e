"""A table as text and as a picture, as one seat sees it.

Both are drawn from a :class:`View` alone, which :func:`view_of` fills with what the seat may know: its own hand, the
pile, the counts, and of the other hand the cards that everybody saw it take. With ``reveal``, and when the deal is
over, both hands are open.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rummy_env.cards import card_text, ids_of
from rummy_env.deck import stock_count
from rummy_env.faces import Group, by_rank, card_word, cards_words, hidden_groups
from rummy_env.gin.actions import BIG_GIN as BIG_GIN_ACTION
from rummy_env.gin.actions import CLOSE, DRAW_STOCK, action_name
from rummy_env.gin.melds import best_discards, deadwood
from rummy_env.gin.play import legal, limit_of
from rummy_env.gin.showdown import lay_down
from rummy_env.gin.solver import best_arrangement, split_melds
from rummy_env.gin.state import BIG_GIN, CAPPED, DEAD, DISCARD, ENDINGS, GIN, LAST_KNOCK, NO_CARD, OVER, PHASES, TIE, UNDERCUT
from rummy_env.rules import GIN_BOOK, GinRules

MELD, LOOSE, LAID = "meld", "deadwood", "laid off"
MINUS = GIN_BOOK.choice("scoring", "minus")

_DECIDES = {
    "first_offer": "may take the first upcard or pass",
    "second_offer": "may take the first upcard or pass",
    "forced_draw": "must draw from the stock",
    "draw": "draws from the stock or takes the upcard",
    "discard": "discards or closes",
    "last_knock": "may knock with the upcard or pass",
}


@dataclass(frozen=True)
class Side:
    """One seat: its groups of cards, its points outside melds (None: hidden), its place in the match."""

    seat: int
    name: str
    groups: tuple[Group, ...]
    deadwood: int | None
    after_discard: int | None
    known: tuple[int, ...]
    score: int
    wins: int
    acts: bool

    @property
    def count(self) -> int:
        return sum(len(group.cards) for group in self.groups)


@dataclass(frozen=True)
class View:
    """Everything that is drawn; nothing in it is hidden from the seat it was made for."""

    title: str
    limit: str
    match: str
    phase: str
    status: str
    over: bool
    own: Side
    other: Side
    stock: int
    upcard: int | None
    aside: int | None
    drawn: int | None
    pile: tuple[int, ...]
    reshuffled: tuple[int, ...]


def view_of(variant: str, rules: GinRules, t: Any, seat: int, reveal: bool = False) -> View:
    """What ``seat`` may see of table ``t`` (``state[i]``). Raises ValueError for a seat other than 0 and 1."""
    if seat not in (0, 1):
        raise ValueError(f"seat {seat!r}: the seats are 0 and 1")
    over = bool(t.phase == OVER)
    names = tuple(f"seat {k} (you)" if k == seat else f"seat {k}" for k in range(2))
    sides = [_side(rules, t, k, names[k], open_hand=k == seat or reveal or over) for k in range(2)]
    actor = int(t.to_act)
    sees_drawn = t.phase == DISCARD and (actor == seat or reveal or not t.from_stock)
    phase = PHASES[t.phase]
    return View(
        title=f"{variant}, deal {t.deal}, turn {t.turn}",
        limit=_limit_text(rules, t),
        match=f"match to {'-' if rules.scoring == MINUS else ''}{rules.target}",
        phase=phase,
        status=_ending_text(t) if over else f"seat {actor} {_DECIDES[phase]}",
        over=over,
        own=sides[seat],
        other=sides[1 - seat],
        stock=int(stock_count(t)),
        upcard=_card_or_none(t.upcard),
        aside=_card_or_none(t.aside),
        drawn=int(t.drawn) if sees_drawn else None,
        pile=tuple(ids_of(t.pile)),
        reshuffled=tuple(ids_of(t.reshuffled & ~t.pile)),
    )


def _card_or_none(c: Any) -> int | None:
    return None if c == NO_CARD else int(c)


def _limit_text(rules: GinRules, t: Any) -> str:
    limit = int(limit_of(rules, int(t.opening)))
    text = f"knock limit {limit}" if limit else "only gin closes"
    doubled = rules.spades_double != 0 and t.opening < 13
    return f"{text}, spade opening: points doubled" if doubled else text


def _side(rules: GinRules, t: Any, seat: int, name: str, open_hand: bool) -> Side:
    hand, known = t.hands[seat], t.known[seat]
    points = after = None
    if not open_hand:
        groups = hidden_groups(hand, known)
    elif t.phase == OVER and t.ending < DEAD:
        groups, points = _shown_groups(rules, t, seat), int(t.deadwood[seat])
    else:
        groups, points = _arranged_groups(hand), int(deadwood(hand))
        if t.phase == DISCARD and t.to_act == seat:
            after = int(best_discards(hand, np.uint64(legal(rules, t)[0]))[1])
    acts = bool(t.phase != OVER and t.to_act == seat)
    return Side(seat, name, groups, points, after, tuple(ids_of(known)), int(t.scores[seat]), int(t.wins[seat]), acts)


def _groups(melds: tuple[np.uint64, ...], laid: np.uint64, loose: np.uint64) -> tuple[Group, ...]:
    groups = [Group(MELD, tuple(ids_of(meld))) for meld in melds]
    groups += [Group(LAID, tuple(ids_of(laid))), Group(LOOSE, by_rank(loose))]
    return tuple(group for group in groups if group.cards)


def _arranged_groups(hand: np.uint64) -> tuple[Group, ...]:
    best = best_arrangement(hand)
    return _groups(best.melds, np.uint64(0), best.deadwood)


def _shown_groups(rules: GinRules, t: Any, seat: int) -> tuple[Group, ...]:
    """A seat's cards as they lie after the showdown."""
    closer = int(t.closer)
    shown = lay_down(rules, t.hands[closer], t.hands[1 - closer])
    if seat == closer:
        parts = shown.knocker_sets, shown.knocker_runs, shown.knocker_laid
    else:
        parts = shown.defender_sets, shown.defender_runs, shown.defender_laid
    sets, runs, laid = map(np.uint64, parts)
    return _groups(split_melds(sets, runs), laid, t.hands[seat] & ~sets & ~runs & ~laid)


def _ending_text(t: Any) -> str:
    """How a deal ended, in one sentence."""
    ending = int(t.ending)
    if ending in (DEAD, CAPPED):
        return "dead deal, no points" if ending == DEAD else "turn limit reached, no points"
    closer = int(t.closer)
    against = f"deadwood {t.deadwood[closer]} against {t.deadwood[1 - closer]}"
    if ending == TIE:
        return f"tie, no points: seat {closer} knocked, {against}"
    if ending == UNDERCUT:
        return f"undercut: seat {1 - closer} wins {t.points[1 - closer]}; seat {closer} knocked, {against}"
    what = {GIN: "gin", BIG_GIN: "big gin"}.get(ending, ENDINGS[ending])
    return f"{what}: seat {closer} wins {t.points[closer]}; {against}"


def question(rules: GinRules, t: Any, action: int) -> str:
    """What to ask a player of table ``t`` before an action that cannot be mended: nothing, but before a close."""
    if action < CLOSE or action in range(DRAW_STOCK, BIG_GIN_ACTION):
        return ""
    left = int(t.hands[t.to_act])
    if t.phase == LAST_KNOCK:
        left |= 1 << int(t.upcard)
    if action != BIG_GIN_ACTION:
        left &= ~(1 << (action - CLOSE))
    return f"{action_name(action)}: close with deadwood {int(deadwood(np.uint64(left)))}?"


# Text.


def table_text(variant: str, rules: GinRules, t: Any, seat: int, reveal: bool = False) -> str:
    """Table ``t`` (``state[i]``) in lines of text as ``seat`` sees it; ``reveal`` opens the other hand too.

    Hidden cards print as ``##``, melds in brackets. Raises ValueError for a seat other than 0 and 1.
    """
    view = view_of(variant, rules, t, seat, reveal)
    scores = ", ".join(f"seat {side.seat} has {side.score} ({side.wins} won)" for side in _in_order(view))
    rows = [
        (view.other.name, side_text(view.other)),
        ("stock", str(view.stock)),
        ("upcard", card_word(view.upcard)),
        ("pile", f"{cards_words(view.pile)}   ({len(view.pile)})"),
    ]
    if view.reshuffled:
        rows.append(("reshuffled", cards_words(view.reshuffled)))
    if view.aside is not None:
        rows.append(("put aside", card_text(view.aside)))
    rows += [(view.own.name, side_text(view.own)), (view.phase, view.status)]
    width = max(len(name) for name, _ in rows)
    lines = [f"{view.title}, {view.limit}", f"{view.match}: {scores}", ""]
    return "\n".join([*lines, *(f"{name:<{width}}  {text}" for name, text in rows)])


def _in_order(view: View) -> tuple[Side, Side]:
    return (view.own, view.other) if view.own.seat == 0 else (view.other, view.own)


def side_text(side: Side) -> str:
    """One seat's cards and what is known of them in a line."""
    words = []
    for group in side.groups:
        text = cards_words(group.cards)
        words.append(f"[{text}]" if group.kind == MELD else f"laid off {text};" if group.kind == LAID else text)
    notes = [] if side.deadwood is None else [f"deadwood {side.deadwood}"]
    if side.after_discard is not None:
        notes[0] += f", {side.after_discard} after the best discard"
    if side.known:
        notes.append(f"seen taken: {cards_words(side.known)}")
    return "   ".join([" ".join(words), *notes])


# Picture.


def table_image(variant: str, rules: GinRules, t: Any, seat: int, reveal: bool = False) -> NDArray[np.uint8]:
    """Table ``t`` as a picture of 720 by 480 pixels, ``uint8[480, 720, 3]``, as ``seat`` sees it from the near side.

    Needs no display. Raises ValueError for a seat other than 0 and 1, and gymnasium's DependencyNotInstalled where
    Pillow is missing.
    """
    view = view_of(variant, rules, t, seat, reveal)
    from rummy_env.gin import picture

    return picture.draw_table(view)
