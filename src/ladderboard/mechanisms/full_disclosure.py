"""Full disclosure: every submission gets its rounded score, and the board shows the best."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import Evaluation, State, Yardstick
from ladderboard.core.score_format import ScoreFormat
from ladderboard.mechanisms.base import Family, Mechanism, Ruling, Variants, clip_to_bounds, round_to, rounded_values
from ladderboard.mechanisms.participant_words import BLUM_HARDT, ParticipantWords


@dataclass(frozen=True)
class FullDisclosure(Mechanism):
    """Tell every submission its score, rounded: what hosting platforms do ("the Kaggle mechanism").

    ``value`` = [R_S(f_t)]_a for every attempt, ``board_value`` = the best of them so far. "Accepted" means that the
    submission became the best; no test stands behind the word.

    >>> from ladderboard.guard.leaderboard import Leaderboard
    >>> board = Leaderboard([0, 1] * 4, mechanism=FullDisclosure())
    >>> [board.submit("us", [0, 1] * (4 - m) + [1, 0] * m).value for m in (2, 3, 1)]
    [0.5, 0.75, 0.25]

    Parameters
    ----------
    precision
        a > 0, the rounding of every score, in units of the metric (1e-5).

    Notation
    --------
    a → ``precision``; R_S(f_t) → ``Evaluation.score``.

    Guarantee
    ---------
    Only for submissions fixed in advance: with probability 1 − δ all k scores are within √(log(2k/δ)/(2n)) of the
    truth (losses in [0, 1]). An adaptive analyst reaches an error of Ω(√(k/n)) (Corollary 5.2). The leakage meter
    counts t·log2 V bits.

    Departures
    ----------
    The minimum over the rounded scores is kept beside them, so that the board can be compared with the other
    mechanisms. A rounded score beyond the metric's bounds is cut off there.

    Reference
    ---------
    Blum & Hardt 2015, The Ladder, sections 1 and 5 (arXiv 1502.04585).
    """

    name: ClassVar[str] = "full_disclosure"
    label: ClassVar[str] = "full"
    family: ClassVar[Family] = "disclosure"
    promise: ClassVar[str] = "shows every score; nothing is proven once submissions depend on earlier answers"
    shows_scores: ClassVar[bool] = True
    has_gate: ClassVar[bool] = False
    tells_every_attempt: ClassVar[bool] = True
    may_fall: ClassVar[bool] = False
    corrects_for_attempts: ClassVar[bool] = False
    starts_from_baseline: ClassVar[bool] = False
    has_intervals: ClassVar[bool] = False
    releases_standard_error: ClassVar[bool] = False
    is_noisy: ClassVar[bool] = False
    has_budget: ClassVar[bool] = False
    needs_training_score: ClassVar[bool] = False
    satisfies_theorem_3_1: ClassVar[bool] = False
    is_compared: ClassVar[bool] = False
    variants: ClassVar[Variants] = {
        "full_disclosure": {"precision": 1e-5},
        "full_disclosure_coarse": lambda board: {"precision": board.items**-0.5},
    }
    words: ClassVar[ParticipantWords] = ParticipantWords(
        title="Full disclosure",
        lead="Every submission gets its score, rounded. This is what most platforms do.",
        steps=(
            "Your score is computed and rounded.",
            "You see that score, and the board shows your best one.",
        ),
        guarantee=(
            "Only for submissions that were fixed in advance: all their scores are close to the truth at once.",
        ),
        limits=(
            (
                "Anyone who reacts to the scores can climb this board without skill: submit guesses, keep the "
                "lucky ones, take their majority vote. It is offered for comparison, and for boards that are read "
                "only once."
            ),
        ),
        reading=("The score shown is your score on the public rows, rounded. Part of it may be luck.",),
        source=f"{BLUM_HARDT}, sections 1 and 5.",
        parameters={
            "precision": "what scores are rounded to, in units of the metric",
        },
    )

    precision: float = 1e-5

    def __post_init__(self) -> None:
        if not 0 < self.precision < math.inf:
            raise ParameterError(f"precision is {self.precision}; it must be a positive number")

    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        yardstick = candidate.yardstick
        value = clip_to_bounds(round_to(candidate.score, self.precision), yardstick)
        if state.released is None or yardstick.is_better(value, than=state.released):
            return Ruling(True, True, value, value)
        return Ruling(False, False, value, state.released)

    def score_format(self, yardstick: Yardstick) -> ScoreFormat:
        return ScoreFormat.of_step(self.precision)

    def values_per_release(self, yardstick: Yardstick) -> float:
        return rounded_values(yardstick, self.precision)
