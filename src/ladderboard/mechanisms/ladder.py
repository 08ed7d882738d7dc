"""The Ladder with a fixed step (Blum & Hardt, Algorithm 1)."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ladderboard.core import bounds
from ladderboard.core.errors import ParameterError
from ladderboard.core.records import Evaluation, State, Yardstick
from ladderboard.core.score_format import ScoreFormat
from ladderboard.core.ties import is_lower
from ladderboard.mechanisms.base import (
    Family,
    Hurdle,
    Mechanism,
    Ruling,
    Variants,
    clip_to_bounds,
    round_to,
    rounded_values,
)
from ladderboard.mechanisms.participant_words import BLUM_HARDT, KEEPS_SCORE, ONE_PER_TEAM, ParticipantWords


@dataclass(frozen=True)
class Ladder(Mechanism):
    """Accept a submission only where it beats the released score by a fixed step.

    Accept iff R_S(f_t) < R_{t-1} − η; then R_t = [R_S(f_t)]_η, else R_t = R_{t-1}. R_t is released.

    >>> from ladderboard.guard.leaderboard import Leaderboard
    >>> board = Leaderboard([0, 1] * 8, mechanism=Ladder(step_size=0.25))
    >>> [board.submit("us", [0, 1] * (8 - m) + [1, 0] * m).value for m in (4, 3, 1)]
    [0.5, 0.5, 0.0]

    Parameters
    ----------
    step_size
        η > 0, in units of the metric. Default: the step that minimises the error of Theorem 3.1 for n items and
        ``submissions``, times the width of the metric's bounds; refused for unbounded losses.
    submissions
        k, the number of submissions the default step is made for.

    Notation
    --------
    η → ``step_size``; R_t → ``Release.value``; R_S(f_t) → ``Evaluation.loss``.

    Guarantee
    ---------
    For losses in [0, 1], i.i.d. items and a deterministic analyst: P(∃t: |min_{i≤t} R_D(f_i) − R_t| > ε + η) ≤
    exp(−2ε²n + (1/η + 2)·log(4k/η) + 1)  (Theorem 3.1).

    Departures
    ----------
    The first submission is accepted (R_0 = ∞). Its rounding is the paper's: a score may be rounded below its value. A
    multiple of η beyond the metric's bounds is cut off there.

    Reference
    ---------
    Blum & Hardt 2015, The Ladder, Algorithm 1 (arXiv 1502.04585).
    """

    name: ClassVar[str] = "ladder"
    label: ClassVar[str] = "ladder"
    family: ClassVar[Family] = "step"
    promise: ClassVar[str] = "shows only gains of a full step; proven error that grows with log k (losses in [0, 1])"
    shows_scores: ClassVar[bool] = True
    has_gate: ClassVar[bool] = True
    tells_every_attempt: ClassVar[bool] = False
    may_fall: ClassVar[bool] = False
    corrects_for_attempts: ClassVar[bool] = False
    starts_from_baseline: ClassVar[bool] = False
    has_intervals: ClassVar[bool] = True
    releases_standard_error: ClassVar[bool] = False
    is_noisy: ClassVar[bool] = False
    has_budget: ClassVar[bool] = False
    needs_training_score: ClassVar[bool] = False
    satisfies_theorem_3_1: ClassVar[bool] = True
    is_compared: ClassVar[bool] = False
    variants: ClassVar[Variants] = {
        "ladder": lambda board: {"submissions": board.submissions},
        "ladder_.02": {"step_size": 0.02},
    }
    words: ClassVar[ParticipantWords] = ParticipantWords(
        title="Ladder",
        lead="A new score is shown only if it beats your last one by a fixed step.",
        steps=(
            "Your score is compared with the one shown for your team.",
            (
                "If it is better by more than the step, it is rounded to a multiple of the step and becomes the "
                "score shown."
            ),
            KEEPS_SCORE,
        ),
        guarantee=(
            (
                "For k submissions and n rows, the score shown is close to the best true score among your "
                "submissions, whatever you do with the answers. The error is about the cube root of log(kn)/n "
                "(Theorem 3.1 of the paper)."
            ),
        ),
        limits=(
            "One step fits all: on a small test set it is coarse and hides real progress.",
            "Rounding can make the score shown better than the actual score, by up to half a step.",
            ONE_PER_TEAM,
        ),
        reading=("The score shown is yours, rounded to this board's step. Gains smaller than one step do not show.",),
        source=f"{BLUM_HARDT}, Algorithm 1.",
        parameters={
            "step_size": "by how much a file must be better to be recognised, in units of the metric",
            "submissions": "the number of submissions the step is chosen for, where it is not given",
        },
    )

    step_size: float | None = None
    submissions: int = 1000

    def __post_init__(self) -> None:
        if self.step_size is not None and not (0 < self.step_size < math.inf):
            raise ParameterError(f"step_size is {self.step_size}; it must be a positive number")
        if self.submissions < 1:
            raise ParameterError(f"submissions is {self.submissions}; it must be at least 1")

    def check(self, baseline: Evaluation) -> None:
        self.step_for(baseline.yardstick)

    def step_for(self, yardstick: Yardstick) -> float:
        """η for this holdout."""
        if self.step_size is not None:
            return self.step_size
        low, high = yardstick.bounds
        if not math.isfinite(high - low):
            raise ParameterError(
                f"{yardstick.metric} is not bounded, so no step follows from Theorem 3.1; give step_size"
            )
        return bounds.best_step(n=yardstick.units, k=self.submissions) * (high - low)

    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        yardstick = candidate.yardstick
        step = self.step_for(yardstick)
        best = math.inf if state.released is None else yardstick.loss(state.released)
        if not is_lower(candidate.loss, best, by=step):
            return self.repeat_number(state)
        value = clip_to_bounds(yardstick.score(round_to(candidate.loss, step)), yardstick)
        return Ruling(True, True, value, value)

    def bracket_rounding(self, value: float, yardstick: Yardstick) -> tuple[float, float]:
        half = self.step_for(yardstick) / 2
        return clip_to_bounds(value - half, yardstick), clip_to_bounds(value + half, yardstick)

    def hurdle(self, state: State, yardstick: Yardstick, standard_error: float) -> Hurdle:
        return Hurdle(share=1.0, fixed=self.step_for(yardstick))

    def score_format(self, yardstick: Yardstick) -> ScoreFormat:
        return ScoreFormat.of_step(self.step_for(yardstick))

    def values_per_release(self, yardstick: Yardstick) -> float:
        return rounded_values(yardstick, self.step_for(yardstick))

    def parameters(self) -> dict[str, Any]:
        return {"step_size": self.step_size, "submissions": self.submissions}
