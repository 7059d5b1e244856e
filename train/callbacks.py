"""What happens around the updates of a run: snapshots, evaluations on mirrored deals, checkpoints, logs, progress."""

import json
import os
import sys
from collections import Counter
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from tqdm import tqdm

from agents.base import make_agent
from agents.learned import LearnedAgent, save_agent
from eval.arena import Estimate, meet, summary
from rummy_env.games import game_of
from rummy_env.reward import PLACE_BONUS
from train.run import Run


class Conductor(BaseCallback):
    """Does everything due between two updates, when weights, tables and generators are consistent.

    ``interrupted`` asks it to save and stop at the next such point.
    """

    def __init__(self, run: Run, quiet: bool = False) -> None:
        super().__init__()
        self.run = run
        self.interrupted = False
        self.opponents = [make_agent(name, run.config.variant) for name in run.config.eval_opponents]
        self._stopping = False
        self._game = game_of(run.config.variant)
        self._sums: Counter[str] = Counter()
        self._bar = None if quiet or not sys.stderr.isatty() else tqdm(total=100, unit="%", bar_format=_BAR)
        self._quiet = quiet
        self._fresh = True

    def _on_step(self) -> bool:
        for info in self.locals["infos"]:
            if info:
                self._sums[info["outcome"]] += 1
                self._sums["won"] += info["points"] > 0
                for name in self._game.state.RESULT:
                    self._sums[name] += info[name]
                self._sums["deals"] += 1
        return not self._stopping

    def _on_rollout_end(self) -> None:
        deals = max(1, self._sums["deals"])
        for name in ("won", *self._game.state.RESULT, *self._game.outcomes()):
            self.logger.record(f"deals/{name}", self._sums[name] / deals)
        self._sums.clear()

    def _on_rollout_start(self) -> None:
        run, progress = self.run, self.run.progress
        if not self._fresh:
            progress.updates += 1
            if progress.updates % run.config.snapshot_every == 0:
                run.pool.offer(run.actor)
        self._fresh = False
        done = self.done_share()
        if done >= 1.0 or self.interrupted:
            # learn() still takes one step before it asks whether to go on: save now
            self._stopping = True
            run.save_last()
            return
        if self._evaluation_due():
            self.evaluate()
            run.save_last()
        if done >= (progress.kept + 1) * run.config.keep_every:
            progress.kept += 1
            run.keep(f"{round(100 * progress.kept * run.config.keep_every):03}pct")
        run.pool.draw(run.rng)
        self._show(done)

    def done_share(self) -> float:
        """How much of the budget is used, 0 to 1."""
        config, model = self.run.config, self.run.model
        if config.minutes:
            # the last evaluation belongs to the budget too
            return model.time_used() / max(1e-9, 60 * config.minutes - self._last_cost())
        return model.num_timesteps / config.steps

    def _last_cost(self) -> float:
        evaluations = self.run.progress.evaluations
        return min(0.2 * 60 * self.run.config.minutes, evaluations[-1]["seconds"] if evaluations else 0.0)

    def _evaluation_due(self) -> bool:
        config, progress, model = self.run.config, self.run.progress, self.run.model
        now = model.time_used() / 60 if config.eval_minutes else progress.updates
        every = config.eval_minutes or config.eval_updates
        if progress.next_evaluation == 0:
            progress.next_evaluation = every
        if now < progress.next_evaluation:
            return False
        progress.next_evaluation = now + every
        return True

    def evaluate(self) -> dict[str, Any]:
        """Plays the same decks against each evaluation opponent, logs the figures, keeps the agent if it earns the most."""
        run, config, model = self.run, self.run.config, self.run.model
        before = model.time_used()
        agent = LearnedAgent(run.actor, "learner")
        settings: dict[str, Any] = dict(config.rules)
        row: dict[str, Any] = {"steps": model.num_timesteps, "minutes": round(before / 60, 3)}
        points = []
        for opponent in self.opponents:
            figures = summary(meet(agent, opponent, config.variant, config.eval_pairs, config.eval_seed, **settings))
            points.append(self._earned(figures))
            row[opponent.name] = _plain(figures)
            self._log(opponent.name, figures)
        run.actor.train()
        row["mean_points"] = sum(points) / len(points) if points else 0.0
        row["seconds"] = round(model.time_used() - before, 2)
        run.progress.evaluations.append({"steps": row["steps"], "seconds": row["seconds"], "mean_points": row["mean_points"]})
        with (run.folder / "eval.jsonl").open("a") as file:
            file.write(json.dumps(row) + "\n")
        if run.progress.best is None or row["mean_points"] > run.progress.best:
            run.progress.best = row["mean_points"]
            save_agent(run.folder / "best", run.actor, run.card(evaluation=row))
        self.say(
            f"{row['minutes']:7.2f} min {model.num_timesteps:>10,} steps   "
            + "   ".join(f"{name} {value:+.2f}" for name, value in zip(config.eval_opponents, points))
            + f"   mean {row['mean_points']:+.2f} points a deal"
        )
        return row

    def finish(self) -> None:
        """The last evaluation and checkpoint, and the model card of a finished run."""
        if not self.interrupted:
            self.evaluate()
            write_model_card(self.run)
            if not self._stopping:  # a run by steps ends with an update and has not saved it
                self.run.save_last()
        self.logger.dump(self.run.model.num_timesteps)
        if self._bar is not None:
            self._bar.close()

    def _earned(self, figures: dict[str, Any]) -> float:
        """What the agent earns a deal by the run's reward, in points."""
        reward, seats = self.run.config.reward, self.run.env.learner.tables.num_seats
        if reward in ("points", "chance"):
            return figures["points_per_deal"].mean
        bonus = PLACE_BONUS * (figures["first_places"].mean - 1 / seats) if reward == "place" else 0.0
        return figures["margin"].mean * (seats - 1) / seats + bonus

    def _log(self, opponent: str, figures: dict[str, Any]) -> None:
        left = f"{self._game.state.RESULT[1]}_at_end"
        self.logger.record(f"eval/{opponent}/points_per_deal", figures["points_per_deal"].mean)
        self.logger.record(f"eval/{opponent}/win_share", figures["first_places"].mean)
        self.logger.record(f"eval/{opponent}/{left}", figures[left])
        for name, share in figures["finish"].items():
            self.logger.record(f"eval/{opponent}/{name}", share)

    def say(self, text: str) -> None:
        """Prints a line, above the progress bar if there is one."""
        if self._bar is not None:
            self._bar.write(text)
        elif not self._quiet:
            print(text, flush=True)

    def _show(self, done: float) -> None:
        if self._bar is not None:
            self._bar.n = min(100, round(100 * done, 1))
            rate = self.run.model.num_timesteps / max(1e-9, self.run.model.time_used())
            self._bar.set_postfix_str(f"{self.run.model.num_timesteps:,} steps, {rate:,.0f}/s")


_BAR = "{l_bar}{bar}| {elapsed}<{remaining} {postfix}"


def _plain(figures: dict[str, Any]) -> dict[str, Any]:
    return {k: list(v) if isinstance(v, Estimate | tuple) else v for k, v in figures.items()}


def write_model_card(run: Run) -> None:
    """Writes ``MODEL_CARD.md``: what was trained, how, and what the selection decks say of it."""
    config, progress = run.config, run.progress
    critic = f"critic {list(config.critic_widths)}{' (sees the hidden cards)' if config.privileged else ''}"
    lines = [
        f"# {config.name}: {config.variant}",
        "",
        f"- trained for {run.model.time_used() / 60:.1f} minutes, {run.model.num_timesteps:,} decisions, seed {config.seed}",
        f"- opponents: {', '.join(f'{name} {weight:g}' for name, weight in config.opponents.items())}",
        f"- actor {list(config.widths)}, {critic}",
        f"- best of {len(progress.evaluations)} evaluations: {progress.best or 0.0:+.2f} points a deal",
        f"  on selection decks (seed {config.eval_seed})",
        "",
        "The best of several noisy evaluations flatters: measure `best/` on fresh decks, e.g.",
        f"`python -m eval arena {os.path.relpath(run.folder)} simple --variant {config.variant} --pairs 2000 --seed 7`.",
    ]
    (run.folder / "MODEL_CARD.md").write_text("\n".join(lines) + "\n")
