"""The PettingZoo environment of one table, every seat played by an agent in turn (AEC).

>>> from rummy_env.envs import aec
>>> env = aec.env("gin-es")
>>> env.reset(seed=1)
>>> observation, reward, termination, truncation, info = env.last()
>>> sorted(observation)
['action_mask', 'observation']

Players act one after the other, so there is no parallel form: ``pettingzoo.utils.aec_to_parallel`` refuses it, and with it
SuperSuit's vector conversions. Many tables at once are ``gymnasium.make_vec`` (one learner, opponents by name) or
:class:`~rummy_env.envs.tables.Tables` (every seat).
"""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import DependencyNotInstalled
from gymnasium.utils import seeding
from numpy.typing import NDArray

from rummy_env.envs.learner import ILLEGAL_PENALTY, POINTS_PER_REWARD
from rummy_env.envs.render import check_render_mode, rendered
from rummy_env.envs.single import SEEDS, metadata_of
from rummy_env.envs.spaces import action_space, observation_space
from rummy_env.envs.tables import Tables
from rummy_env.errors import ActionError
from rummy_env.games import game_of, is_legal
from rummy_env.jit import announce_compiling
from rummy_env.rules import Rules, unknown_name
from rummy_env.state import NOT_ENDED

try:
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise DependencyNotInstalled("the AEC environment needs PettingZoo: pip install rummy-env[pettingzoo]") from error

_OPTIONS = ("episode", "illegal", "obs", "render_mode")


class RummyAECEnv(AECEnv[str, dict[str, NDArray[Any]], int]):
    """A table of a variant as PettingZoo ``AECEnv`` of ``player_0`` (seat 0), ``player_1`` (seat 1) and so on.

    ``observe(agent)`` is a dict of fresh arrays: ``observation`` float32[OBS_SIZE] (``OBS_SPEC``; with ``obs="bits"``
    uint64[BITS_WORDS]), only what that seat may know, and ``action_mask`` int8[NUM_ACTIONS], zero while another seat is to
    act and all ones when the episode is over, when the only action is None.

    Each agent's reward is its points of each finished deal over ``POINTS_PER_REWARD``; in gin rewards sum to zero.
    ``episode="deal"`` ends with the deal, ``"match"`` when the match is won. A deal that reaches ``max_turns``
    is truncated (in a match it is a deal like others). An illegal action ends the episode: who played it loses
    ``ILLEGAL_PENALTY`` points, in equal whole parts to the others; with ``illegal="raise"`` it raises ActionError and
    changes nothing. ``infos[agent]`` holds ``points`` (of the deals finished in the last step), ``ending`` (as in
    :class:`~rummy_env.envs.single.RummyEnv`) and ``illegal_action`` (whether this agent just lost by one).
    Tables are rendered as the seat to act sees them. Other keywords are settings of the rules. Raises RulesError or
    ValueError that names what is not possible.
    """

    def __init__(
        self,
        variant: str = "gin-es",
        *,
        episode: str = "deal",
        illegal: str = "lose",
        obs: str = "float",
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        super().__init__()
        game = game_of(variant)
        for name in settings:
            if name not in game.book.settings:
                raise unknown_name("option or setting", name, (*_OPTIONS, *game.book.settings))
        for name, value, allowed in (
            ("episode", episode, ("deal", "match")),
            ("illegal", illegal, ("lose", "raise")),
            ("obs", obs, ("float", "bits")),
        ):
            if value not in allowed:
                raise ValueError(f"{name}={value!r} is not possible: {name} allows {' | '.join(allowed)}")
        self.render_mode = check_render_mode(render_mode)
        self.metadata = metadata_of(game, name=f"rummy_{game.name}_v0", is_parallelizable=False)
        announce_compiling(game.name)
        self.tables = Tables(1, variant, **settings)
        self.by_match, self.illegal, self.bits = episode == "match", illegal, obs == "bits"
        self.possible_agents = [f"player_{seat}" for seat in range(self.tables.num_seats)]
        self.agents: list[str] = []
        mask = gym.spaces.Box(0, 1, (self.tables.num_actions,), np.int8)
        self.observation_spaces = {
            agent: gym.spaces.Dict({"observation": observation_space(game, self.bits), "action_mask": mask})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: action_space(game) for agent in self.possible_agents}
        self._started = False
        self._over = False

    @property
    def rules(self) -> Rules:
        """The rules at this table."""
        return self.tables.rules

    @property
    def _table(self) -> Any:
        return self.tables.state[0]

    def observation_space(self, agent: str) -> gym.Space[Any]:
        """The space of an agent's observation, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gym.Space[Any]:
        """The space of an agent's actions, the same object each time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deals a new episode; with a seed, the same one each time, and after it the same episodes. Takes no options."""
        if seed is None and not self._started:
            seed = int(seeding.np_random()[0].integers(SEEDS))
        if seed is not None:
            self.tables.seed(seed)
        else:
            self.tables.start_matches()
        self._started, self._over = True, False
        self.agents = list(self.possible_agents)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection: str | None = None
        self._tell("none")
        self.agent_selection = self.agents[self._table.to_act]
        self._show()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """What an agent sees now: ``observation`` and ``action_mask``, fresh arrays."""
        seat = self.possible_agents.index(agent)
        obs: NDArray[Any]
        obs, masks = self.tables.observe_bits(seat) if self.bits else self.tables.observe(seat)
        if self._over:
            masks[:] = 1
        return {"observation": obs[0].copy(), "action_mask": masks[0].copy()}

    def step(self, action: int | None) -> None:
        """Plays an action for the agent to act, or None for one whose episode is over.

        Raises ValueError for None in play, and ActionError for an illegal action if ``illegal="raise"``.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is to act: None is for agents whose episode is over")
        seat = self.possible_agents.index(agent)
        legal = bool(is_legal(self.rules, self._table, int(action)))
        if not legal and self.illegal == "raise":
            raise ActionError(self.tables.illegal_text(0, int(action)))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if legal:
            self.tables.step([int(action)])
            self._after_move()
        else:
            points = [int(ILLEGAL_PENALTY) // (len(self.agents) - 1)] * len(self.agents)
            points[seat] = -int(ILLEGAL_PENALTY)
            self._tell("illegal", points, seat)
            self._finish(truncated=False)
        self._accumulate_rewards()
        if self._over:
            self._deads_step_first()
        self._show()

    def _after_move(self) -> None:
        t, state = self._table, self.tables.game.state
        self._tell("none")
        if t.ending != NOT_ENDED:
            ending = int(t.ending)
            winner = self.tables.settle(self.tables.all_rows)[0] if self.by_match else 0
            over = winner >= 0
            self._tell(state.ENDINGS[ending] if over else "none", t.points.tolist())
            if over:
                self._finish(truncated=ending == state.CAPPED and not self.by_match)
                return
            self.tables.next_deals(self.tables.all_rows)
        self.agent_selection = self.agents[t.to_act]

    def _tell(self, ending: str, points: Sequence[int] | None = None, wrong: int | None = None) -> None:
        """Sets rewards and infos of the last step: points by seat (none are zeros), and who played an illegal action."""
        earned = dict(zip(self.agents, points or [0] * len(self.agents)))
        self.rewards = {agent: points / POINTS_PER_REWARD for agent, points in earned.items()}
        self.infos = {
            agent: {"points": points, "ending": ending, "illegal_action": wrong == k}
            for k, (agent, points) in enumerate(earned.items())
        }

    def _finish(self, truncated: bool) -> None:
        self._over = True
        self.terminations = dict.fromkeys(self.agents, not truncated)
        self.truncations = dict.fromkeys(self.agents, truncated)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """The table as the seat to act sees it: text, a picture, or None (printed in "human", which also prints each step)."""
        drawn = rendered(self.render_mode, self.tables.variant, self.rules, [(self._table, int(self._table.to_act))])
        return None if drawn is None else drawn[0]

    def close(self) -> None:
        """Nothing to close."""


def raw_env(variant: str = "gin-es", **keywords: Any) -> RummyAECEnv:
    """The bare environment: :class:`RummyAECEnv` with its keywords."""
    return RummyAECEnv(variant, **keywords)


def env(variant: str = "gin-es", **keywords: Any) -> AECEnv[str, dict[str, NDArray[Any]], int]:
    """The environment in PettingZoo's usual wrapper, which refuses calls in the wrong order."""
    return wrappers.OrderEnforcingWrapper(raw_env(variant, **keywords))
