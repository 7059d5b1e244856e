"""A table of 500 Rum as text and as a picture, as one seat sees it.

Both are drawn from a :class:`View` alone, which :func:`view_of` fills with what the seat may know: its own hand, the row,
the melds, the counts, and of the other hands the cards that everybody saw come. With ``reveal``, and when the deal is
over, all hands are open.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rummy_env.cards import card_text, ids_of
from rummy_env.deck import stock_count
from rummy_env.faces import Group, by_rank, card_word, cards_words, hidden_groups
from rummy_env.rules import Rum500Rules
from rummy_env.rum500.actions import action_name
from rummy_env.rum500.melds import points_of
from rummy_env.rum500.places import Place, places_of
from rummy_env.rum500.play import OPTIONAL, apply, unseen_cards
from rummy_env.rum500.solver import NO_LAY, PLAN, solve
from rummy_env.rum500.state import CAPPED, DRAW, ENDINGS, OUT, OVER, PHASES, PLAY, TABLE
from rummy_env.state import NO_CARD, NOT_ENDED, new_records

MELD, LAY_OFF, LOOSE = "meld", "lay off", "loose"
TEXT_WIDTH = 100


@dataclass(frozen=True)
class Side:
    """One seat: its groups of cards, the points it has laid, its place in the match.

    ``in_hand`` are the points of its hand and ``could_lay`` those of the best lay (None: hidden, or the deal is over);
    ``points`` is how the deal counts for it, once it is over.
    """

    seat: int
    name: str
    groups: tuple[Group, ...]
    known: tuple[int, ...]
    laid: int
    in_hand: int | None
    could_lay: int | None
    points: int | None
    score: int
    wins: int
    acts: bool
    began: bool

    @property
    def count(self) -> int:
        return sum(len(group.cards) for group in self.groups)

    @property
    def is_open(self) -> bool:
        return self.in_hand is not None


@dataclass(frozen=True)
class View:
    """Everything that is drawn; nothing in it is hidden from the seat it was made for.

    ``sides`` begins with that seat, the others follow in turn; ``row`` is in order of laying.
    """

    title: str
    match: str
    phase: str
    status: str
    over: bool
    sides: tuple[Side, ...]
    stock: int
    row: tuple[int, ...]
    melds: tuple[tuple[Place, ...], ...]
    reshuffled: tuple[int, ...]
    drawn: int | None
    owed: int | None
    barred: int | None

    @property
    def own(self) -> Side:
        return self.sides[0]

    @property
    def others(self) -> tuple[Side, ...]:
        return self.sides[1:]


def view_of(variant: str, rules: Rum500Rules, t: Any, seat: int, reveal: bool = False) -> View:
    """What ``seat`` may see of table ``t`` (``state[i]``). Raises ValueError for a seat that nobody holds."""
    seats = rules.num_players
    if seat not in range(seats):
        raise ValueError(f"seat {seat!r}: the seats are 0 to {seats - 1}")
    over = bool(t.phase == OVER)
    order = [(seat + k) % seats for k in range(seats)]
    sees_drawn = t.drawn != NO_CARD and (int(t.to_act) == seat or reveal)
    return View(
        title=f"{variant}, deal {t.deal}, turn {t.turn}",
        match=_match_text(rules, t),
        phase=PHASES[t.phase],
        status=_ending_text(rules, t) if over else _decides_text(t, sees_drawn),
        over=over,
        sides=tuple(_side(rules, t, k, open_hand=k == seat or reveal or over, own=k == seat) for k in order),
        stock=int(stock_count(t)),
        row=tuple(t.row[: int(t.row_size)].tolist()),
        melds=tuple(places_of(t, m) for m in range(int(t.num_melds))),
        reshuffled=() if over else tuple(ids_of(t.reshuffled & unseen_cards(rules, t, seat))),
        drawn=int(t.drawn) if sees_drawn and not over else None,
        owed=_card_or_none(t.owed),
        barred=_card_or_none(t.barred),
    )


def _card_or_none(c: Any) -> int | None:
    return None if c == NO_CARD else int(c)


def _match_text(rules: Rum500Rules, t: Any) -> str:
    goal = f"match of {rules.num_deals} deals" if rules.num_deals else f"match to {rules.target}"
    return f"{goal}, {t.match_deals} played"


def _decides_text(t: Any, sees_drawn: bool) -> str:
    """Who decides what, in one sentence."""
    if t.phase == DRAW:
        if stock_count(t) == 0:
            return f"seat {t.to_act} takes from the row or passes, which ends the deal"
        return f"seat {t.to_act} draws from the stock or takes from the row"
    words = [f"seat {t.to_act} lays and discards"]
    if t.took:
        words.append(f"took {t.took} from the row")
    elif sees_drawn:
        words.append(f"drew {card_text(int(t.drawn))}")
    if t.owed != NO_CARD:
        words.append(f"must lay {card_text(int(t.owed))}")
    if t.barred != NO_CARD and int(t.hands[t.to_act]) >> int(t.barred) & 1:
        words.append(f"may not discard {card_text(int(t.barred))}")
    return ", ".join(words)


def _ending_text(rules: Rum500Rules, t: Any) -> str:
    """How a deal ended, in one sentence."""
    ending = int(t.ending)
    how = ENDINGS[ending].replace("_", " ") + (", turn limit reached" if ending == CAPPED else "")
    if ending == OUT:
        how = f"out: seat {t.closer} is out"
    points = t.points[: rules.num_players].tolist()
    best = [k for k, p in enumerate(points) if p == max(points)]
    verb = "has" if len(best) == 1 else "have"
    return f"{how}; {' and '.join(f'seat {k}' for k in best)} {verb} most, {max(points)}"


# Seats.


def _side(rules: Rum500Rules, t: Any, seat: int, open_hand: bool, own: bool) -> Side:
    hand, known = t.hands[seat], t.known[seat]
    over = t.phase == OVER
    could_lay = None
    if not open_hand:
        groups = hidden_groups(hand, known)
    elif over:
        groups = _groups(LOOSE, by_rank(hand))
    else:
        groups, could_lay = _arranged(rules, t, seat)
    return Side(
        seat=seat,
        name=f"seat {seat} (you)" if own else f"seat {seat}",
        groups=groups,
        known=tuple(ids_of(known)),
        laid=int(t.credit[seat]),
        in_hand=int(points_of(rules, hand)) if open_hand else None,
        could_lay=could_lay,
        points=int(t.points[seat]) if over else None,
        score=int(t.scores[seat]),
        wins=int(t.wins[seat]),
        acts=bool(not over and t.to_act == seat),
        began=bool(t.starter == seat),
    )


def _groups(kind: str, cards: tuple[int, ...]) -> tuple[Group, ...]:
    return (Group(kind, cards),) if cards else ()


def _arranged(rules: Rum500Rules, t: Any, seat: int) -> tuple[tuple[Group, ...], int]:
    """A hand as the lay of most points leaves it: its melds, what it lays off, the rest; and those points.

    The lay is played out on a copy of the table, without regard to a card that must be laid.
    """
    trial, plan = _copy(t), new_records(1, PLAN)[0]
    trial.to_act, trial.phase, trial.owed, trial.barred = seat, PLAY, NO_CARD, NO_CARD
    keep = int(rules.go_out != OPTIONAL and t.phase == PLAY and t.to_act == seat)
    while True:
        hand = trial.hands[seat]
        solve(rules, trial, hand, int(hand).bit_count() - keep, plan)
        if plan.action == NO_LAY:
            break
        apply(rules, trial, int(plan.action))
    groups: tuple[Group, ...] = ()
    rest = int(t.hands[seat]) & ~int(trial.hands[seat])
    for m in range(int(t.num_melds), int(trial.num_melds)):
        cards = tuple(place.lies for place in places_of(trial, m))
        groups += _groups(MELD, cards)
        rest &= ~sum(1 << c for c in cards)
    groups += _groups(LAY_OFF, by_rank(rest)) + _groups(LOOSE, by_rank(trial.hands[seat]))
    return groups, int(trial.credit[seat]) - int(t.credit[seat])


def _copy(t: Any) -> Any:
    state = new_records(1, TABLE)
    state[0] = t
    return state[0]


# Text.


def table_text(variant: str, rules: Rum500Rules, t: Any, seat: int, reveal: bool = False) -> str:
    """Table ``t`` (``state[i]``) in lines of text as ``seat`` sees it; ``reveal`` opens the other hands too.

    ``>`` marks the seat to act; hidden cards print as ``##``, melds in brackets, a joker as ``X1(TC)``. Raises ValueError for
    a seat that nobody holds.
    """
    view = view_of(variant, rules, t, seat, reveal)
    rows = [
        ("stock", [str(view.stock)]),
        ("row", [*map(card_word, view.row or (None,)), f"  ({len(view.row)})"]),
        ("melds", [f"[{' '.join(map(str, meld))}]" for meld in view.melds] or ["none"]),
    ]
    if view.reshuffled:
        rows.append(("reshuffled", [*map(card_word, view.reshuffled)]))
    rows += [("your hand", _hand_words(view.own)), (view.phase, view.status.split())]
    lines = [line for name, words in rows for line in _wrapped(f"{name:<10}  ", words)]
    return "\n".join([view.title, view.match, "", *_score_lines(view), "", *lines])


def _score_lines(view: View) -> list[str]:
    """A line for each seat, the observer's last: match, points laid, and the cards of the others."""
    names = {side.seat: side.name + (", began" if side.began else "") for side in view.sides}
    width = max(map(len, names.values()))
    heads = ("score", "won", "laid", "in hand", "points", "cards") if view.over else ("score", "won", "laid", "cards")
    lines = [f"  {'':<{width}}  {'  '.join(heads)}"]
    for side in (*view.others, view.own):
        numbers = {"score": side.score, "won": side.wins, "laid": side.laid, "in hand": side.in_hand, "points": side.points}
        numbers["cards"] = side.count
        start = f"{'>' if side.acts else ' '} {names[side.seat]:<{width}}  "
        start += "  ".join(f"{numbers[head]:>{len(head)}}" for head in heads)
        words = [] if side is view.own else _hand_words(side)
        lines += [line.rstrip() for line in _wrapped(f"{start}  ", words)]
    return lines


def _hand_words(side: Side) -> list[str]:
    """A hand as words: ``[5S 6S 7S] lay off 4H; AS KD``, then what is to say of it."""
    words: list[str] = []
    for group in side.groups:
        if group.kind == MELD:
            words.append(f"[{cards_words(group.cards)}]")
        elif group.kind == LAY_OFF:
            words += ["lay off", *map(card_word, group.cards[:-1]), f"{card_word(group.cards[-1])};"]
        else:
            words += map(card_word, group.cards)
    words = words or ["none"]
    notes = [] if side.in_hand is None or side.points is not None else [f"{side.in_hand} points"]
    if side.could_lay:
        notes.append(f"could lay {side.could_lay}")
    if side.is_open and side.known:
        notes.append(f"seen taken: {cards_words(side.known)}")
    return words + [f"  {', '.join(notes)}"] * bool(notes)


def _wrapped(start: str, words: list[str]) -> list[str]:
    """``start`` and the words behind it, in lines of up to TEXT_WIDTH columns where the words allow it."""
    lines, line = [], start
    for word in words:
        if len(line) + len(word) > TEXT_WIDTH and line.strip() and line != start:
            lines.append(line.rstrip())
            line = " " * len(start)
        line += word + " "
    return [*lines, line.rstrip()]


# Picture and question.


def table_image(variant: str, rules: Rum500Rules, t: Any, seat: int, reveal: bool = False) -> NDArray[np.uint8]:
    """Table ``t`` as a picture of 960 by 640 pixels, ``uint8[640, 960, 3]``, as ``seat`` sees it from the near side.

    Needs no display. Raises ValueError for a seat that nobody holds, and gymnasium's DependencyNotInstalled where
    Pillow is missing.
    """
    view = view_of(variant, rules, t, seat, reveal)
    from rummy_env.rum500 import picture

    return picture.draw_table(view)


def question(rules: Rum500Rules, t: Any, action: int) -> str:
    """What to ask a person before a legal action: whether to end the deal with so many points; '' for other actions."""
    trial = _copy(t)
    apply(rules, trial, action)
    if trial.ending == NOT_ENDED:
        return ""
    return f"{action_name(action, t)}: end the deal with {trial.points[t.to_act]} points for you?"
