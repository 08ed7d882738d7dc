"""LadderBoot: a gate on the raw losses, a bootstrap average for the release (Neto et al., Algorithm 4)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard.core.records import Evaluation, State, Yardstick
from ladderboard.core.ties import is_lower
from ladderboard.mechanisms.base import Family, Hurdle, Variants
from ladderboard.mechanisms.boot_release import BootRelease
from ladderboard.mechanisms.bootstrap import bootstrap_mean
from ladderboard.mechanisms.gates import check_alpha, paired_standard_error, student_threshold
from ladderboard.mechanisms.participant_words import FEWER_RESAMPLES, NETO, UNPROVEN, ParticipantWords


@dataclass(frozen=True)
class LadderBoot(BootRelease):
    """Accept on the raw losses; release the mean of b bootstrap means of whichever submission is best now.

    Accept iff mean(l_t) < mean(l_best) − c·sd(d)/√n with c = t⁻¹_{n−1}(1 − α) and d = l_best − l_t. The means are the
    raw ones, not the released numbers.

    >>> from ladderboard.guard.leaderboard import Leaderboard
    >>> board = Leaderboard([0, 1] * 50, mechanism=LadderBoot(), seed=1)
    >>> board.submit("us", [0] * 100).value
    0.5009
    >>> board.submit("us", [0, 1] + [0] * 98).value     # no test passed: the stored number again
    0.5009

    Parameters
    ----------
    alpha
        α in (0, 1/2], the level of one comparison.
    replicates
        b, the bootstrap means behind a release: its noise has the standard deviation sd(l)/√(n·b).
    gamma, least_replicates
        γ ≥ 0 and b_min of the adaptive number of replicates b_t = max(b_min, ⌊b_0/t^γ⌋); γ = 0 keeps b constant, the
        paper's discussion suggests a decrease with t (0.5).
    redraw
        True: the paper's fresh noise on every query. False: a reject repeats the stored number.

    Notation
    --------
    α → ``alpha``; b → ``replicates``; l → ``Evaluation.losses``.

    Guarantee
    ---------
    Heuristic, none proven. Given l, a release has mean R_S and standard deviation sd(l)/√(n·b) (sd with divisor n).
    With ``redraw`` the noise of T repetitions averages out like 1/√T. The board may worsen by its noise.

    Departures
    ----------
    The first submission is accepted: the paper compares it with mean(l_0) = 0, which no non-negative loss is below. c
    is F⁻¹(1 − α), not the printed F⁻¹(α). Unless ``redraw``, a reject repeats the stored number. Metrics that are not
    a mean of losses resample their influence values. A release is cut off at the metric's bounds and has six digits.

    Reference
    ---------
    Neto et al. 2016, Reducing overfitting in challenge-based competitions, Algorithm 4 (arXiv 1607.00091).
    """

    name: ClassVar[str] = "ladder_boot"
    label: ClassVar[str] = "boot"
    family: ClassVar[Family] = "bootstrap"
    promise: ClassVar[str] = "shows bootstrap averages of gains; a heuristic, nothing proven"
    variants: ClassVar[Variants] = {
        "ladder_boot_10": {"replicates": 10},
        "ladder_boot_100": {"replicates": 100},
        "ladder_boot_10_redraw": {"replicates": 10, "redraw": True},
    }
    words: ClassVar[ParticipantWords] = ParticipantWords(
        title="LadderBoot",
        lead="The comparison is exact, the score shown is not: it is computed from resampled rows.",
        steps=(
            "Your submission is compared with your best one in a paired test.",
            (
                "If it passes, the score shown becomes the average over some random resamples of the rows. The "
                "fewer resamples, the more noise."
            ),
            "If it does not, the score shown stays the same; no new noise is drawn.",
        ),
        guarantee=(UNPROVEN,),
        limits=("The score shown contains noise, so it may be slightly better or worse than the actual score.",),
        reading=(
            (
                "The score shown is yours plus some noise, drawn once when the submission was recognised. "
                "Submitting it again does not draw new noise."
            ),
        ),
        source=f"{NETO}, Algorithm 4.",
        parameters={
            "alpha": "the significance level of one comparison",
            "replicates": "the number of random resamples behind a score shown; fewer mean more noise",
            **FEWER_RESAMPLES,
        },
    )

    alpha: float = 0.15
    replicates: int = 100

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        self._check_release()

    def passes(self, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> bool:
        step = student_threshold(self.alpha, candidate.yardstick.units) * paired_standard_error(incumbent, candidate)
        return is_lower(candidate.loss, incumbent.loss, by=step)

    def hurdle(self, state: State, yardstick: Yardstick, standard_error: float) -> Hurdle:
        return Hurdle(share=1.0, errors=student_threshold(self.alpha, yardstick.units))

    def first_replicates(self) -> int:
        return self.replicates

    def average(self, evaluation: Evaluation, replicates: int, rng: np.random.Generator) -> float:
        return bootstrap_mean(evaluation.contributions, replicates=replicates, rng=rng)
