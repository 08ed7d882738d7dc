"""The parameter-free Ladder with a level of significance (Neto et al., Algorithm 3)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard.core.records import Evaluation, State, Yardstick
from ladderboard.core.score_format import ScoreFormat
from ladderboard.mechanisms.base import Family, Hurdle, Mechanism, Ruling, Variants, rounded_values
from ladderboard.mechanisms.gates import beats_release, check_alpha, round_to_one_item, student_threshold
from ladderboard.mechanisms.participant_words import KEEPS_SCORE, NETO, UNPROVEN, ParticipantWords


@dataclass(frozen=True)
class SignificanceLadder(Mechanism):
    """Accept a submission that beats the released score by c paired standard errors, c from Student's t.

    Accept iff R_S(f_t) < R_{t-1} − c·sd(d)/√n with c = t⁻¹_{n−1}(1 − α); then R_t = [R_S(f_t)]_{1/n}, else
    R_t = R_{t-1}. R_t is released.

    >>> from ladderboard.guard.leaderboard import Leaderboard
    >>> board = Leaderboard([0, 1] * 8, mechanism=SignificanceLadder(alpha=0.01))
    >>> [board.submit("us", [0, 1] * m + [0] * (16 - 2 * m)).value for m in (0, 4, 6)]
    [0.5, 0.5, 0.125]

    Parameters
    ----------
    alpha
        α in (0, 1/2], the level of one comparison (0.15, at which c is about 1, the parameter-free Ladder's).

    Notation
    --------
    α → ``alpha``; c_α → `gates.student_threshold`; l → ``Evaluation.losses``; R_t → ``Release.value``.

    Guarantee
    ---------
    Heuristic, none proven. The level holds for one comparison with an incumbent chosen independently of the holdout;
    it is not corrected over k submissions, so α·k of them may pass by luck.

    Departures
    ----------
    c is F⁻¹(1 − α); the paper prints F⁻¹(α), which is negative for α < 1/2 and would let worse submissions pass. The
    first submission is accepted. The paper's rounding is kept: where it went up, the identical submission is accepted
    again (with the same number). Metrics that are not a mean of losses take their influence values for l.

    Reference
    ---------
    Neto et al. 2016, Reducing overfitting in challenge-based competitions, Algorithm 3 (arXiv 1607.00091).
    """

    name: ClassVar[str] = "significance_ladder"
    label: ClassVar[str] = "signif"
    family: ClassVar[Family] = "significance"
    promise: ClassVar[str] = "shows only gains at level α; a heuristic, not corrected for many submissions"
    shows_scores: ClassVar[bool] = True
    has_gate: ClassVar[bool] = True
    tells_every_attempt: ClassVar[bool] = False
    may_fall: ClassVar[bool] = False
    corrects_for_attempts: ClassVar[bool] = False
    starts_from_baseline: ClassVar[bool] = False
    has_intervals: ClassVar[bool] = False
    releases_standard_error: ClassVar[bool] = False
    is_noisy: ClassVar[bool] = False
    has_budget: ClassVar[bool] = False
    needs_training_score: ClassVar[bool] = False
    satisfies_theorem_3_1: ClassVar[bool] = False
    is_compared: ClassVar[bool] = True
    variants: ClassVar[Variants] = {
        "significance_.01": {"alpha": 0.01},
        "significance_.15": {"alpha": 0.15},
        "significance_.5": {"alpha": 0.5},
    }
    words: ClassVar[ParticipantWords] = ParticipantWords(
        title="Significance Ladder",
        lead="A one-sided paired t-test decides whether a submission is better.",
        steps=(
            "Your submission is compared with your best one, row by row.",
            "If the gain is significant at this board's level, its score is shown.",
            KEEPS_SCORE,
        ),
        guarantee=(UNPROVEN,),
        limits=("The level holds for a single comparison: of many submissions that are no better, some pass by luck.",),
        reading=("The score shown is yours. It changes only after a significant gain over your best submission.",),
        source=f"{NETO}, Algorithm 3.",
        parameters={
            "alpha": "the significance level of one comparison",
        },
    )

    alpha: float = 0.15

    def __post_init__(self) -> None:
        check_alpha(self.alpha)

    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        threshold = student_threshold(self.alpha, candidate.yardstick.units)
        if not beats_release(state, candidate, incumbent, threshold=threshold):
            return self.repeat_number(state)
        value = round_to_one_item(candidate.score, candidate.yardstick)
        return Ruling(True, True, value, value)

    def hurdle(self, state: State, yardstick: Yardstick, standard_error: float) -> Hurdle:
        return Hurdle(share=1.0, errors=student_threshold(self.alpha, yardstick.units))

    def score_format(self, yardstick: Yardstick) -> ScoreFormat:
        return ScoreFormat.of_step(1 / yardstick.units)

    def values_per_release(self, yardstick: Yardstick) -> float:
        return rounded_values(yardstick, 1 / yardstick.units)
