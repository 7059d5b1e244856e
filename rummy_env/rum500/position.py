"""The words of 500 Rum in the text of a position (:mod:`rummy_env.position`), in their order, and which positions there are.

====================  ======================================================================================
phase act starter     what is decided, by whom; who began the deal
hand known            a seat's cards; those of them that everybody saw come
melds                 the melds in order of laying, ``/`` between them: ``QC,X1(KC)@2,AC`` is a run with joker X1 as the
                      king, laid by seat 2
row stock             the row, first laid first; the cards left in the stock, the next one first
discards              cards a seat has put into the row in this deal
reshuffled            cards of the row that became the stock last
drawn took            of this turn: the card drawn from the stock; how many cards were taken from the row
owed barred           of this turn: the card that must be laid; the card that may not be discarded
turn                  turns ended in this deal
ending closer         how the deal ended, who went out; then points
credit                points laid so far by seat
scores wins           of the match by seat; ``played``: its finished deals; ``deal``: deals dealt at this table
lifted spent beyond   what the arrays hold beside the cards of the row and of the stock; without meaning in play
key deck dice         the generators, in hexadecimal
====================  ======================================================================================
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rummy_env.cards import JOKERS, card, card_text, ids_of, mask_text
from rummy_env.errors import RecordError
from rummy_env.fields import REQUIRED, Field, Maker, Row, check_conservation, read_word
from rummy_env.rules import Rules, Rum500Rules, pack_size
from rummy_env.rum500.actions import NUM_ACTIONS
from rummy_env.rum500.melds import jokers_in, points_of
from rummy_env.rum500.places import Place, is_meld, places_of
from rummy_env.rum500.play import ALWAYS, AT_ONCE, DEEP, RESHUFFLE, write_mask
from rummy_env.rum500.state import CAPPED, DRAW, ENDINGS, MAX_MELDS, MAX_SEATS, OUT, OVER, PHASES
from rummy_env.state import NO_CARD, NO_SEAT, NOT_ENDED

_make = Maker(cards=54, seats=MAX_SEATS)
_JOKER = re.compile(r"(X[12])\((\w+)\)@(\d)", re.IGNORECASE)


class Melds:
    """The words of the melds, from which follow the columns of the melds, of the jokers, and of all cards laid."""

    names = ("melds",)

    def words(self, rules: Rules, t: Any) -> Iterator[str]:
        """The words for table ``t``."""
        melds = [",".join(_place_text(t, place) for place in places_of(t, m)) for m in range(int(t["num_melds"]))]
        if melds:
            yield f"melds={'/'.join(melds)}"

    def fill(self, rules: Rules, t: Any, words: Mapping[str, str]) -> None:
        """Sets the columns. Raises RecordError naming the words."""
        t["melds"], t["num_melds"], t["laid"] = 0, 0, 0
        t["joker_as"], t["joker_meld"], t["joker_by"] = NO_CARD, 0, NO_SEAT
        melds = read_word("melds", _read_melds, words["melds"]) if "melds" in words else []
        for number, meld in enumerate(melds):
            _put_meld(t, number, meld)


def _place_text(t: Any, place: Place) -> str:
    return str(place) if place.joker is None else f"{place}@{t['joker_by'][place.joker - JOKERS[0]]}"


def _read_place(text: str) -> tuple[Place, int]:
    """A place and the seat that laid its joker. Raises RecordError or CardError."""
    joker = _JOKER.fullmatch(text)
    place = Place(card(joker[2]), card(joker[1])) if joker else Place(card(text), None)
    if place.card in JOKERS:
        raise RecordError(f"{text} stands for no card: write X1(TC)@0 for a joker as the ten of clubs, laid by seat 0")
    return place, int(joker[3]) if joker else NO_SEAT


def _read_melds(text: str) -> list[list[tuple[Place, int]]]:
    """Melds as their places. Raises RecordError or CardError."""
    melds = [list(map(_read_place, meld.split(","))) for meld in text.split("/")]
    if len(melds) > MAX_MELDS:
        raise RecordError(f"there are {len(melds)} melds, but room for {MAX_MELDS}")
    return melds


def _put_meld(t: Any, number: int, meld: list[tuple[Place, int]]) -> None:
    """Lays a meld. Raises RecordError for a place or a joker that is taken."""
    t["num_melds"] = number + 1
    for place, by in meld:
        if int(t["melds"][number]) >> place.card & 1:
            raise RecordError(f"{card_text(place.card)} is twice in one meld")
        if int(t["laid"]) >> place.lies & 1:
            raise RecordError(f"{card_text(place.lies)} is in two melds or places")
        t["melds"][number] |= np.uint64(1 << place.card)
        t["laid"] |= np.uint64(1 << place.lies)
        if place.joker is not None:
            j = place.joker - JOKERS[0]
            t["joker_as"][j], t["joker_meld"][j], t["joker_by"][j] = place.card, number, by


#: The words after ``variant`` and ``rules`` in their order.
FIELDS: tuple[Field, ...] = (
    _make.choice("phase", PHASES, REQUIRED),
    _make.number("act", "to_act", REQUIRED),
    _make.number("starter", usual=REQUIRED),
    *_make.each_seat("hand", "hands"),
    *_make.each_seat("known"),
    Melds(),
    Row("row", "row", None, "row_size", "", "lifted", "lifted", _make.read_cards),
    _make.stock(),
    *_make.each_seat("discards"),
    _make.cards("reshuffled"),
    _make.card("drawn"),
    _make.number("took"),
    _make.card("owed"),
    _make.card("barred"),
    _make.number("turn"),
    _make.choice("ending", ENDINGS, NOT_ENDED),
    _make.number("closer", usual=NO_SEAT),
    _make.numbers("points"),
    _make.numbers("credit"),
    _make.numbers("scores"),
    _make.numbers("wins"),
    _make.number("played", "match_deals"),
    _make.number("deal"),
    _make.hex("key"),
    _make.hex("deck"),
    _make.hex("dice"),
)


def check_position(rules: Rum500Rules, t: Any) -> None:
    """Raises RecordError, naming the cards or words, where table ``t`` is in no state that a deal can be in."""
    _check_seats(rules, t)
    _check_places(rules, t)
    _check_cards(rules, t)
    for m in range(int(t["num_melds"])):
        _check_meld(rules, t, m)
    if t["phase"] == OVER:
        _check_end(rules, t)
    else:
        _check_turn(rules, t)


def _holds(mask: Any, c: Any) -> bool:
    return bool(int(mask) >> int(c) & 1)


def _check_seats(rules: Rum500Rules, t: Any) -> None:
    seats = range(rules.num_players)
    for name, value in (("act", t["to_act"]), ("starter", t["starter"]), ("closer", t["closer"])):
        if value not in seats and (name != "closer" or value != NO_SEAT):
            raise RecordError(f"{name}: the seats are 0 to {seats[-1]}, not {value}")
    for j, by in enumerate(t["joker_by"]):
        if (by != NO_SEAT or t["joker_as"][j] != NO_CARD) and by not in seats:
            raise RecordError(f"melds: the seats are 0 to {seats[-1]}, but X{j + 1} was laid by {by}")


def _check_places(rules: Rum500Rules, t: Any) -> None:
    """Whether each joker lies in a place of its meld, and what is laid is what the melds show."""
    laid = 0
    for m in range(int(t["num_melds"])):
        laid |= sum(1 << place.lies for place in places_of(t, m))
    for j in range(2):
        c, m = int(t["joker_as"][j]), int(t["joker_meld"][j])
        if c != NO_CARD and not (m < t["num_melds"] and _holds(t["melds"][m], c)):
            raise RecordError(f"X{j + 1} lies in no place of a meld")
    if laid != int(t["laid"]):
        raise RecordError(f"the melds show {mask_text(laid)}, but {mask_text(t['laid'])} is laid")


def _check_cards(rules: Rum500Rules, t: Any) -> None:
    """Whether each card of the pack lies in one place, and what is said of cards goes with it."""
    hands = {f"hand{k}": ids_of(t["hands"][k]) for k in range(MAX_SEATS)}
    melds = {f"meld {m + 1}": [p.lies for p in places_of(t, m)] for m in range(int(t["num_melds"]))}
    row, stock = t["row"][: int(t["row_size"])].tolist(), t["stock"][int(t["stock_at"]) : int(t["stock_end"])].tolist()
    check_conservation(pack_size(rules), hands | melds | {"the row": row, "the stock": stock})
    for k in range(MAX_SEATS):
        unheld = t["known"][k] & ~t["hands"][k]
        if unheld:
            raise RecordError(f"known{k} names {mask_text(unheld)}, which hand{k} does not hold")
    for name in (*(f"discards{k}" for k in range(MAX_SEATS)), "reshuffled"):
        strange = (int(t["discards"][int(name[-1])]) if name != "reshuffled" else int(t[name])) >> pack_size(rules)
        if strange:
            raise RecordError(f"{name} names a joker that is not in the pack")
    if t["reshuffled"] and rules.stock_end != RESHUFFLE:
        raise RecordError("reshuffled= names cards, but the rules do not reshuffle the row")


def _check_meld(rules: Rum500Rules, t: Any, m: int) -> None:
    places, jokers = places_of(t, m), int(jokers_in(t, m))
    text = f"meld {m + 1}, {' '.join(map(str, places)) or 'no card'}"
    if not is_meld(rules, t["melds"][m]):
        raise RecordError(f"{text}, is no set or run")
    if jokers > rules.max_jokers_per_meld or jokers == len(places):
        raise RecordError(f"{text}, has too many jokers: at most {rules.max_jokers_per_meld} and one card or more")


def _check_end(rules: Rum500Rules, t: Any) -> None:
    ending, closer = int(t["ending"]), int(t["closer"])
    if ending == NOT_ENDED:
        raise RecordError("phase=over, but ending= is missing")
    if (ending == OUT) != (closer != NO_SEAT) or any((k == closer) != (not t["hands"][k]) for k in range(rules.num_players)):
        raise RecordError(f"ending={ENDINGS[ending]} closer={closer if closer != NO_SEAT else 'none'} contradicts the hands")
    if ending == CAPPED and t["turn"] < rules.max_turns:
        raise RecordError(f"ending=capped after {t['turn']} of {rules.max_turns} turns")
    for k in range(rules.num_players):
        due = int(t["credit"][k]) - int(points_of(rules, t["hands"][k]))
        if t["points"][k] != due:
            raise RecordError(f"points= gives seat {k} {t['points'][k]}, its credit less its hand is {due}")


def _check_turn(rules: Rum500Rules, t: Any) -> None:
    """What holds while a deal is played."""
    phase, seat = PHASES[t["phase"]], int(t["to_act"])
    if t["ending"] != NOT_ENDED or t["closer"] != NO_SEAT:
        raise RecordError(f"phase={phase} contradicts ending={ENDINGS[t['ending']]} or closer=")
    if t["points"].any():
        raise RecordError("points= are given when a deal is over, credit= in play")
    for k in range(rules.num_players):
        if not t["hands"][k]:
            raise RecordError(f"hand{k} is empty in phase {phase}")
    if t["turn"] >= rules.max_turns:
        raise RecordError(f"turn={t['turn']}: a deal ends after {rules.max_turns} turns")
    due = (int(t["starter"]) + int(t["turn"])) % rules.num_players
    if seat != due:
        raise RecordError(f"act={seat}, but after {t['turn']} turns from seat {t['starter']} on seat {due} is to act")
    if t["phase"] == DRAW:
        _check_draw(rules, t)
    else:
        _check_duties(rules, t)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    write_mask(rules, t, mask)
    if not mask.any():
        raise RecordError(f"seat {seat} has no legal action: owed= or barred= names a card it cannot lay")


def _check_draw(rules: Rum500Rules, t: Any) -> None:
    for name, none in (("drawn", NO_CARD), ("took", 0), ("owed", NO_CARD), ("barred", NO_CARD)):
        if t[name] != none:
            raise RecordError(f"{name}= belongs into phase play")
    if t["row_size"] == 0:
        raise RecordError("the row is empty in phase draw")
    if t["stock_at"] == t["stock_end"]:
        if rules.stock_end == AT_ONCE:
            raise RecordError("the stock is empty, which ends the deal")
        if rules.stock_end == RESHUFFLE and t["row_size"] > 1:
            raise RecordError("the stock is empty, but the row was not reshuffled")


def _check_duties(rules: Rum500Rules, t: Any) -> None:
    """What the turn's draw left to do."""
    hand, took = int(t["hands"][int(t["to_act"])]), int(t["took"])
    held = {name: t[name] != NO_CARD and _holds(hand | int(t["laid"]), t[name]) for name in ("drawn", "barred")}
    if (took == 0) != held["drawn"] or (t["drawn"] != NO_CARD) != held["drawn"]:
        raise RecordError("drawn= must name a card held or laid in phase play, or took= how many cards of the row were taken")
    if (took == 1) != held["barred"] or (t["barred"] != NO_CARD) != held["barred"]:
        raise RecordError("barred= must name the card, held or laid, if took=1, and only then")
    if t["owed"] != NO_CARD:
        if not (took > 0 and (rules.row_use == ALWAYS or (rules.row_use == DEEP and took > 1))):
            raise RecordError("owed= names a card, but nothing must be laid")
        if not _holds(t["known"][int(t["to_act"])], t["owed"]):
            raise RecordError(f"owed={card_text(int(t['owed']))} is no card of the hand that was seen to come")
