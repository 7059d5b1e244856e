"""The gymnasium environment of one table: one learner against opponents, the engine of all others with n = 1."""

from operator import index
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from rummy_env.envs.learner import LearnerTables
from rummy_env.envs.render import RENDER_MODES, check_render_mode, rendered
from rummy_env.envs.spaces import spaces_of
from rummy_env.errors import ActionError
from rummy_env.games import Game, check_seat, game_of
from rummy_env.jit import announce_compiling
from rummy_env.position import parse_position, position_text
from rummy_env.rules import Rules, unknown_name

_RESET_OPTIONS = ("seat", "table", "position")
SEEDS = 1 << 62


def metadata_of(game: Game, **more: Any) -> dict[str, Any]:
    """What gymnasium asks an environment of a game about itself."""
    return {"render_modes": list(RENDER_MODES), "render_fps": 2, "obs_version": game.observe.OBS_VERSION, **more}


class RummyEnv(gym.Env[NDArray[Any], np.int64]):
    """A table of a variant as ``gymnasium.Env``.

    Observations float32[OBS_SIZE] (``OBS_SPEC`` of the game), or words uint64[BITS_WORDS] with ``obs="bits"``; NUM_ACTIONS
    actions. ``info`` has the same keys after :meth:`reset` and :meth:`step`, and every array is fresh:

    ``action_mask``     int8[NUM_ACTIONS], the legal actions; all ones when the episode is over
    ``seat``            the learner's seat in this episode
    ``ending``          how the episode's last deal ended, a name of ``ENDINGS``; "none" in play, "illegal" by an illegal action
    ``points``          the learner's points of the deals finished in this step
    ``illegal_action``  whether the episode was just lost by an illegal action

    The reward is points (or their margin) over ``POINTS_PER_REWARD``. An illegal action ends the episode with minus
    ``ILLEGAL_PENALTY`` points; with ``illegal="raise"`` it raises ActionError and changes nothing. A deal that reaches
    ``max_turns`` is truncated. ``render_mode`` is "human" (prints), "ansi" (text) or "rgb_array" (uint8[h, w, 3]), all from
    the learner's seat and without a display. ``seed`` is that of a first reset without one; other keywords are those of
    :class:`~rummy_env.envs.learner.LearnerTables`, settings of the rules among them. The environment pickles if its
    opponents do, as names always do.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self, variant: str = "gin-es", *, render_mode: str | None = None, seed: int | None = None, **keywords: Any
    ) -> None:
        self.render_mode = check_render_mode(render_mode)
        self.game = game_of(variant)
        announce_compiling(self.game.name)
        self.learner = LearnerTables(1, variant, **keywords)
        self.metadata = metadata_of(self.game)
        self.observation_space, self.action_space = spaces_of(self.learner)
        self._first_seed = seed
        self._started = False
        self._done = True

    @property
    def rules(self) -> Rules:
        """The rules at this table."""
        return self.learner.tables.rules

    @property
    def seat(self) -> int:
        """The learner's seat in this episode."""
        return int(self.learner.learners[0])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begins an episode; with a seed, the same one each time, and after it the same episodes.

        ``options``: ``seat`` seats the learner for this episode; ``table`` k plays, with a seed, what table k of
        the vector environment plays; ``position`` is the text of a position of these rules to begin from.
        Raises ValueError (RecordError for the position) that names what is wrong.
        """
        super().reset(seed=seed)
        options = options or {}
        for name in options:
            if name not in _RESET_OPTIONS:
                raise unknown_name("reset option", name, _RESET_OPTIONS)
        seat, table = options.get("seat"), options.get("table")
        if seat is not None:
            seat = check_seat(self.rules, seat)
        if seed is None and not self._started:
            seed = int(self.np_random.integers(SEEDS)) if self._first_seed is None else self._first_seed
        elif seed is None and table is not None:
            raise ValueError("the option 'table' goes with a seed")
        self.learner.reset(seed, ids=None if table is None else [table], seat=seat)
        self._started, self._done = True, False
        if "position" in options:
            self._place(options["position"], seat)
        obs, info = self._look("none", 0, False)
        self._show()
        return obs, info

    def _place(self, text: str, seat: int | None) -> None:
        _, rules, state = parse_position(text)
        if rules != self.rules:
            raise ValueError("the position was reached under other rules than this environment's")
        self.learner.place(0, state[0], int(state[0].to_act) if seat is None else seat)

    def step(self, action: np.int64 | int) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Plays an action and on to the learner's next decision: obs, reward, terminated, truncated, info.

        Raises ResetNeeded when the episode is over, and ActionError for what is no whole number, or for an illegal action
        if ``illegal="raise"``.
        """
        if self._done:
            raise ResetNeeded("the episode is over: call reset() first")
        try:
            number = index(action)
        except TypeError:
            last = self.game.actions.NUM_ACTIONS - 1
            raise ActionError(f"{action!r} is no action: actions are whole numbers from 0 to {last}") from None
        outcome = self.learner.step(np.array([number], np.int64))
        terminated, truncated = bool(outcome.terminations[0]), bool(outcome.truncations[0])
        illegal = bool(outcome.illegal[0])
        self._done = terminated or truncated
        ending = self.game.state.ENDINGS[self.learner.tables.state.ending[0]] if self._done else "none"
        obs, info = self._look("illegal" if illegal else ending, int(outcome.points[0]), illegal)
        self._show()
        return obs, float(outcome.rewards[0]), terminated, truncated, info

    def _look(self, ending: str, points: int, illegal: bool) -> tuple[NDArray[Any], dict[str, Any]]:
        obs, masks = self.learner.observe()
        return obs[0], {
            "action_mask": masks[0],
            "seat": self.seat,
            "ending": ending,
            "points": points,
            "illegal_action": illegal,
        }

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, bool[NUM_ACTIONS], a fresh array: what sb3-contrib's MaskablePPO asks for."""
        return self.learner.masks()[0].astype(bool)

    def position(self) -> str:
        """The whole table, hidden cards included, as one line of text that ``reset(options={"position": …})`` takes."""
        tables = self.learner.tables
        return position_text(tables.variant, tables.rules, tables.state[0])

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """The table from the learner's seat: text, a picture, or None (printed in "human", which also prints each step)."""
        tables = self.learner.tables
        drawn = rendered(self.render_mode, tables.variant, tables.rules, [(tables.state[0], self.seat)])
        return None if drawn is None else drawn[0]
