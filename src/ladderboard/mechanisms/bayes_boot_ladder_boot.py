"""The Bayesian bootstrap ladder with a bootstrapped release (Neto et al., Algorithm 6)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard.core.records import Evaluation, State, Yardstick
from ladderboard.mechanisms.base import Family, Hurdle, Variants
from ladderboard.mechanisms.boot_release import BootRelease
from ladderboard.mechanisms.bootstrap import (
    QUICK_REPLICATES,
    bootstrap_score,
    check_odds,
    odds_of_improvement,
    odds_threshold,
)
from ladderboard.mechanisms.participant_words import FEWER_RESAMPLES, NETO, UNPROVEN, ParticipantWords


@dataclass(frozen=True)
class BayesBootLadderBoot(BootRelease):
    """The gate of `BayesBootLadder`, for any metric; the release is the mean of b bootstrap scores of the best.

    Accept iff P/(1 − P) ≥ ``odds`` with P = (c + 1)/(B + 2), c the replicates of B in which the candidate is better.

    >>> from ladderboard.guard.leaderboard import Leaderboard
    >>> board = Leaderboard([0, 1] * 50, metric="auc", mechanism=BayesBootLadderBoot(), seed=1)
    >>> board.submit("us", [0, 1] * 30 + [0] * 40).value
    0.798976

    Parameters
    ----------
    odds, replicates
        The bound and B, as in `BayesBootLadder`.
    release_replicates
        b, the bootstrap scores behind a release.
    gamma, least_replicates
        γ ≥ 0 and b_min of the adaptive number of replicates b_t = max(b_min, ⌊b_0/t^γ⌋); γ = 0 keeps b constant, the
        paper's discussion suggests a decrease with t (0.5).
    redraw
        True: the paper's fresh noise on every query. False: a reject repeats the stored number.

    Notation
    --------
    B → ``replicates``; b → ``release_replicates``.

    Guarantee
    ---------
    Heuristic, none proven; not corrected over k submissions. For a mean of losses a release has, given l, mean R_S and
    standard deviation sd(l)/√((n + 1)·b) (sd with divisor n). The board may worsen by its noise.

    Departures
    ----------
    The first submission is accepted: the paper leaves ŷ_0 undefined. Releases are drawn with Dirichlet weights, as the
    gate is, and by resampling only where a metric cannot weigh items: no replicate can then lose a class, and the
    noise differs by a factor √(n/(n + 1)). Unless ``redraw``, a reject repeats the stored number. A release has six
    digits.

    Reference
    ---------
    Neto et al. 2016, Reducing overfitting in challenge-based competitions, Algorithm 6 (arXiv 1607.00091).
    """

    name: ClassVar[str] = "bayes_boot_ladder_boot"
    label: ClassVar[str] = "bayes boot"
    family: ClassVar[Family] = "bootstrap"
    promise: ClassVar[str] = (
        "shows gains that hold under most Bayesian bootstrap weights, with noise; a heuristic, nothing proven"
    )
    variants: ClassVar[Variants] = {
        "bayes_boot_boot_10": {"replicates": QUICK_REPLICATES, "release_replicates": 10},
    }
    words: ClassVar[ParticipantWords] = ParticipantWords(
        title="Bayesian-bootstrap Ladder with noise",
        lead="The comparison of the Bayesian-bootstrap Ladder, and a score that contains noise on purpose.",
        steps=(
            (
                "The rows are weighted at random a thousand times; your submission must win often enough against "
                "your best one."
            ),
            "If it does, the score shown becomes the average over some further weightings.",
            "If it does not, the score shown stays the same; no new noise is drawn.",
        ),
        guarantee=(UNPROVEN,),
        limits=(
            "The score shown contains noise, so it may be slightly better or worse than the actual score.",
            "There is no correction for the number of attempts.",
        ),
        reading=(
            (
                "The score shown is yours plus some noise, drawn once when the submission was recognised. "
                "Submitting it again does not draw new noise."
            ),
        ),
        source=f"{NETO}, Algorithm 6.",
        parameters={
            "odds": "by which odds a file must be the better one among the resamples",
            "replicates": "the number of random resamples behind a comparison",
            "release_replicates": "the number of random resamples behind a score shown; fewer mean more noise",
            **FEWER_RESAMPLES,
        },
    )

    odds: float = 5.67
    replicates: int = 1000
    release_replicates: int = 100

    def __post_init__(self) -> None:
        check_odds(self.odds, self.replicates)
        self._check_release()

    def passes(self, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> bool:
        return odds_of_improvement(candidate, incumbent, replicates=self.replicates, rng=rng) >= self.odds

    def hurdle(self, state: State, yardstick: Yardstick, standard_error: float) -> Hurdle:
        return Hurdle(share=1.0, errors=odds_threshold(self.odds))

    def first_replicates(self) -> int:
        return self.release_replicates

    def average(self, evaluation: Evaluation, replicates: int, rng: np.random.Generator) -> float:
        return bootstrap_score(evaluation, replicates=replicates, rng=rng)
