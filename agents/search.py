"""``mc:N``: an agent that tries its candidates in up to N worlds which its seat may believe in.

``mc:256`` searches for the game's rollout policy; ``mc:256+AGENT`` for any other agent: a learned one proposes its likeliest
actions, a scripted one all there are. Options follow N: ``mc:64,caution=2,price=points+pretrained:gin-eaai``.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent, AgentError
from agents.learned import LearnedAgent, refuse_empty_masks
from agents.scripted import ScriptedAgent
from rummy_env.envs.chances import win_chances
from rummy_env.envs.tables import SeatView
from rummy_env.errors import PolicyError
from rummy_env.games import game_of
from rummy_env.monte_carlo import MOST_SEARCHED
from rummy_env.reward import CHANCE, NO_CHANCES, REWARDS
from rummy_env.rules import make_rules, num_seats

MOST_WORLDS = 1_000_000
#: A learned agent proposes what it would do with at least this chance, so many actions at most.
LEAST_CHANCE, MOST_PROPOSED = 0.005, 8


class SearchAgent:
    """A player who searches for ``base``, scripted or learned.

    ``worlds`` is the most a decision sees; another action than the base's is chosen if its mean is better by ``caution``
    standard errors. ``price`` is one of REWARDS; "chance", the default for two players, plays for the match at its score.
    ``rollout`` is the scripted policy that plays worlds out for the seat (default: the game's).
    """

    def __init__(
        self,
        base: Agent,
        variant: str,
        worlds: int,
        *,
        caution: float = 2.0,
        price: str = "",
        rollout: str = "",
        name: str = "mc",
    ) -> None:
        if not isinstance(base, ScriptedAgent | LearnedAgent):
            raise AgentError(f"mc cannot search for {base.name!r}: only for scripted and learned agents")
        if not 1 <= worlds <= MOST_WORLDS:
            raise AgentError(f"mc:{worlds} is not possible: 1 to {MOST_WORLDS:,} worlds")
        if not 0 <= caution <= 100:
            raise AgentError(f"mc: caution={caution} is not possible: 0 to 100")
        two = num_seats(make_rules(variant)) == 2
        price = price or ("chance" if two else "margin")
        allowed = REWARDS if two else tuple(kind for kind in REWARDS if kind != "chance")
        if price not in allowed:
            raise AgentError(f"mc: price={price} is not possible: {' | '.join(allowed)}")
        game = game_of(variant)
        try:
            players = [game.parse_policy(text) for text in (rollout or game.policies.ROLLOUT, *game.policies.ROLLOUT_OTHERS)]
        except PolicyError as error:
            raise AgentError(f"mc: rollout: {error}") from None
        self.base, self.name, self.variant = base, name, variant
        self.worlds, self.caution, self.price = worlds, caution, REWARDS.index(price)
        self._policies = np.array([number for number, _ in players])
        self._parameters = np.array([parameters for _, parameters in players])
        self.needs_observation, self.outlook = base.needs_observation, base.outlook

    def act(
        self, obs: NDArray[np.float32], mask: NDArray[np.int8], view: SeatView, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Actions int64[k], found one table after another. Randomness comes from the tables' dice."""
        return self.search(obs, mask, view)[0]

    def search(
        self, obs: NDArray[np.float32], mask: NDArray[np.int8], view: SeatView
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Actions int64[k], candidates int64[k, MOST_SEARCHED] and their mean leads over the first, in units of the price."""
        proposed = self._proposed(obs, mask, view)
        chances = win_chances(self.variant, view.rules) if self.price == CHANCE else NO_CHANCES
        given = self.worlds, self.caution, self._policies, self._parameters, self.price, chances
        actions, values = view.search(proposed, *given)
        return actions, proposed, values

    def _proposed(self, obs: NDArray[np.float32], mask: NDArray[np.int8], view: SeatView) -> NDArray[np.int64]:
        if isinstance(self.base, ScriptedAgent):
            return view.candidates(self.base.policy, self.base.parameters)
        refuse_empty_masks(mask)
        chances = self.base.chances(obs, mask)
        best = np.argsort(-chances, 1, kind="stable")[:, :MOST_SEARCHED]
        likely = np.take_along_axis(chances, best, 1) >= LEAST_CHANCE
        likely[:, 0] = True
        likely[:, MOST_PROPOSED:] = False
        return np.where(likely, best, -1)


def parse_search(text: str, variant: str, **options: Any) -> SearchAgent:
    """The agent of ``N[,option=value…][+AGENT]``. Raises AgentError that says what is wrong and what is possible."""
    from agents.base import make_agent

    numbers, _, base = text.partition("+")
    worlds, *settings = numbers.split(",")
    if not worlds.isdecimal():
        raise AgentError(f"mc:{text}: write mc:WORLDS, as mc:256 or mc:256+pretrained:NAME")
    given: dict[str, Any] = {}
    for setting in settings:
        key, _, value = setting.partition("=")
        if key not in ("caution", "price", "rollout"):
            raise AgentError(f"mc has no option {key!r} (it has: caution, price, rollout)")
        given[key] = value
    if "caution" in given:
        try:
            given["caution"] = float(given["caution"])
        except ValueError:
            raise AgentError(f"mc: caution={given['caution']} is no number") from None
    agent = make_agent(base or game_of(variant).policies.ROLLOUT, variant, **options)
    return SearchAgent(agent, variant, int(worlds), name=f"mc:{text}", **given)
