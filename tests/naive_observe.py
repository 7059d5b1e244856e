"""The observation in plain Python, from the twin of a deal and a match: every slice by name, as its meaning says.

A slice whose value the meaning leaves open (which of several best arrangements is shown) is a set of allowed values.
"""

from itertools import combinations
from types import SimpleNamespace

from tests import naive
from tests.naive import PACK, is_meld
from tests.naive_game import Deal, Match

PHASES = ("first_offer", "second_offer", "forced_draw", "draw", "discard", "last_knock")
Values = tuple[float, ...]


def plane(cards) -> Values:
    return tuple(float(c in cards) for c in range(52))


def by_card(hand, values) -> Values:
    """A value for each card of a hand, 0 for the others."""
    return tuple(float(values(c)) if c in hand else 0.0 for c in range(52))


def one_hot(value: int, size: int) -> Values:
    return tuple(float(k == value) for k in range(size))


def arrangements(hand: frozenset[int]) -> list[frozenset[int]]:
    """The melded cards of every best arrangement."""
    return [frozenset().union(*packing) for packing in naive.best_packings(hand)]


def unseen_by(deal: Deal, seat: int) -> frozenset[int]:
    return PACK - deal.hands[seat] - set(deal.pile) - deal.known[1 - seat]


def outs(hand, unseen, card: int) -> int:
    return sum(any(is_meld(frozenset({card, u, own})) for own in hand - {card}) for u in unseen)


def danger(unseen, known, card: int) -> int:
    pairs = combinations(sorted(unseen | known), 2)
    return sum(4 ** len(known & {*pair}) for pair in pairs if is_meld(frozenset({card, *pair})))


def upcard_of(deal: Deal) -> int | None:
    """The top of the pile; after it was taken there is none until the next discard."""
    return None if deal.drawn is not None and not deal.from_stock else deal.pile[-1]


def observation(rules: SimpleNamespace, deal: Deal, match: Match, seat: int) -> dict[str, Values | set[Values]]:
    """What ``seat`` sees of a deal that is going on."""
    other = 1 - seat
    hand, known, unseen = frozenset(deal.hands[seat]), frozenset(deal.known[other]), unseen_by(deal, seat)
    gives = len(hand) > rules.hand_size
    least = naive.best_discards(hand)[1] if gives else naive.deadwood(hand)
    mine = deal.phase == "discard" and deal.to_act == seat
    upcard, limit = upcard_of(deal), deal.limit()
    offered = upcard is not None and deal.phase != "discard"
    return {
        "hand": plane(hand),
        "known": plane(known),
        "opponent_discards": plane(deal.discards[other] - hand),
        "opponent_declined": plane(deal.declined[other]),
        "pile": plane(deal.pile),
        "upcard": plane({upcard}),
        "reshuffled": plane(deal.reshuffles[-1] & unseen if deal.reshuffles else ()),
        "melded": {plane(cards) for cards in arrangements(hand)},
        "after": by_card(hand, lambda c: (naive.deadwood(hand - {c}) - least) / 10) if gives else plane(()),
        "outs": by_card(hand, lambda c: outs(hand, unseen, c) / 4),
        "danger": by_card(hand, lambda c: danger(unseen, known, c) / 8),
        "phase": one_hot(PHASES.index(deal.phase), 6),
        "clock": (len(deal.stock) / 31, sum(deal.turns) / 30),
        "takes": (deal.takes[seat] / 8, deal.takes[other] / 8),
        "deadwood": (least / 50, naive.total(hand) / 50),
        "low": one_hot(least, 11),
        "if_taken": offer(hand, upcard, least, limit) if offered else {(0.0,) * 6},
        "opponent_known": (len(known) / 4,),
        "turn_state": (float(mine and deal.from_stock), float(mine and least <= limit and may_close(rules, deal))),
        "limit": (limit / 10, float(limit == 0)),
        "rules": the_rules(rules, deal),
        "match": (
            match.scores[seat] / rules.target,
            match.scores[other] / rules.target,
            (rules.target - abs(match.scores[seat])) / rules.target,
            float(deal.starter == seat),
        ),
    }


def may_close(rules: SimpleNamespace, deal: Deal) -> bool:
    return rules.knock_after == "any" or deal.from_stock


def offer(hand: frozenset[int], upcard: int, now: int, limit: int) -> set[Values]:
    with_it = hand | {upcard}
    after = naive.best_discards(with_it)[1]
    melds = {float(upcard in cards) for cards in arrangements(with_it)}
    return {(after / 50, (now - after) / 10, float(after < now), m, float(after <= limit), float(after == 0)) for m in melds}


def the_rules(rules: SimpleNamespace, deal: Deal) -> Values:
    return (
        float(rules.spades_double != "off" and naive.suit(deal.opening) == 0),
        float(rules.knock_after == "stock"),
        rules.gin_bonus / 25,
        rules.undercut_bonus / 25,
        float(rules.undercut_on_tie),
        float(rules.layoff_by == "both"),
        float(rules.stock_end == "reshuffle_at_3"),
        float(rules.big_gin_bonus > 0),
    )


def privileged(rules: SimpleNamespace, deal: Deal, seat: int) -> dict[str, Values | set[Values]]:
    """What only a critic may see beside it."""
    hand = frozenset(deal.hands[1 - seat])
    least = naive.best_discards(hand)[1] if len(hand) > rules.hand_size else naive.deadwood(hand)
    return {
        "opponent_hand": plane(hand),
        "opponent_melded": {plane(cards) for cards in arrangements(hand)},
        "opponent_deadwood": (least / 50,),
        "opponent_low": one_hot(least, 11),
    }


def words(deal: Deal, match: Match, seat: int) -> list[int]:
    """The same facts as nine words."""
    other = 1 - seat
    hand, unseen = deal.hands[seat], unseen_by(deal, seat)
    upcard = upcard_of(deal)
    turned = deal.reshuffles[-1] & unseen if deal.reshuffles else set()
    sets = (hand, deal.known[other], deal.discards[other] - hand, deal.declined[other], deal.pile, {upcard} - {None}, turned)
    mine = deal.phase == "discard" and deal.to_act == seat
    fields = (
        (PHASES.index(deal.phase), 0),
        (len(deal.stock), 4),
        (sum(deal.turns), 12),
        (deal.takes[seat], 28),
        (deal.takes[other], 36),
        (int(mine and deal.from_stock), 44),
        (int(deal.starter == seat), 45),
        (int(deal.to_act == seat), 46),
        (deal.opening, 48),
    )
    scores = (match.scores[seat] % (1 << 32)) | (match.scores[other] % (1 << 32)) << 32
    return [*(sum(1 << c for c in cards) for cards in sets), sum(value << at for value, at in fields), scores]
