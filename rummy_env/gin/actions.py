"""The 108 actions of gin and their names.

====================  =======================================================================
0 to 51               discard that card
52 to 103             close, putting card ``action - 52`` aside (a knock, or gin if nothing is left over)
104                   draw from the stock
105                   take the upcard
106                   pass (an offered first upcard, or the last knock)
107                   close with all cards melded and none put aside (big gin)
====================  =======================================================================

Melding and laying off at the showdown are automatic.
"""

from typing import Any

from rummy_env.cards import NUM_CARDS, CardError, card, card_text
from rummy_env.errors import ActionError

DISCARD = 0
CLOSE = 52
DRAW_STOCK = 104
TAKE_UPCARD = 105
PASS = 106
BIG_GIN = 107
NUM_ACTIONS = 108

_PLAIN = {DRAW_STOCK: "draw stock", TAKE_UPCARD: "take upcard", PASS: "pass", BIG_GIN: "big gin"}


def action_name(action: int, t: Any = None) -> str:
    """The name of an action; in gin it does not depend on the table ``t``.

    >>> action_name(31), action_name(62), action_name(104)
    ('discard 6D', 'knock, JS aside', 'draw stock')
    """
    if 0 <= action < NUM_CARDS:
        return f"discard {card_text(action)}"
    if CLOSE <= action < CLOSE + NUM_CARDS:
        return f"knock, {card_text(action - CLOSE)} aside"
    if action in _PLAIN:
        return _PLAIN[action]
    raise ActionError(f"unknown action {action}: actions run from 0 to {NUM_ACTIONS - 1}")


def menu_entry(action: int, t: Any = None) -> tuple[str, str]:
    """How a menu shows an action: the kind whose line it stands in, and its name there; no kind if it has its own line."""
    name = action_name(action)
    if action < CLOSE:
        return "discard", name.removeprefix("discard ")
    if action < DRAW_STOCK:
        return "knock, aside", name.removeprefix("knock, ").removesuffix(" aside")
    return "", name


def parse_action(text: str) -> int:
    """The action a name stands for: the inverse of :func:`action_name`, upper or lower case. Raises ActionError.

    >>> parse_action("knock, js aside")
    62
    """
    words = text.replace(",", " ").lower().split()
    for action, name in _PLAIN.items():
        if words == name.split():
            return action
    try:
        if len(words) == 2 and words[0] == "discard" and card(words[1]) < NUM_CARDS:
            return card(words[1])
        if len(words) == 3 and words[0] in ("knock", "gin") and words[2] == "aside" and card(words[1]) < NUM_CARDS:
            return CLOSE + card(words[1])
    except CardError as error:
        raise ActionError(f"unknown action {text!r}: {error}") from None
    raise ActionError(f"unknown action {text!r}: 'discard 7D', 'knock, QS aside', {', '.join(map(repr, _PLAIN.values()))}")
