"""The Bayesian bootstrap ladder: posterior odds for any metric (Neto et al., Algorithm 5)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard.core.records import Evaluation, State, Yardstick
from ladderboard.core.score_format import ScoreFormat
from ladderboard.mechanisms.base import Family, Hurdle, Mechanism, Ruling, Variants, rounded_values
from ladderboard.mechanisms.bootstrap import QUICK_REPLICATES, check_odds, odds_of_improvement, odds_threshold
from ladderboard.mechanisms.gates import round_to_one_item
from ladderboard.mechanisms.participant_words import KEEPS_SCORE, NETO, UNPROVEN, ParticipantWords


@dataclass(frozen=True)
class BayesBootLadder(Mechanism):
    """Accept a submission whose odds of being better reach a bound, under the Bayesian bootstrap.

    B weight vectors w ~ Dirichlet(1, …, 1), the same w for both predictions; c counts the replicates in which the
    candidate is strictly better; P = (c + 1)/(B + 2). Accept iff P/(1 − P) ≥ ``odds``; then the score is released,
    rounded to 1/n; else the stored number is repeated.

    >>> from ladderboard.guard.leaderboard import Leaderboard
    >>> board = Leaderboard([0, 1] * 50, metric="auc", mechanism=BayesBootLadder(), seed=1)
    >>> board.submit("us", [0, 1] * 30 + [0] * 40).value
    0.8
    >>> board.submit("us", [0, 1] * 40 + [0] * 20).accepted
    True

    Parameters
    ----------
    odds
        The bound, at least 1: (1 − α)/α is 99, 5.67, 1 for α = .01, .15, .5.
    replicates
        B, at least ``odds`` − 1, or nothing could ever pass.

    Notation
    --------
    B → ``replicates``; the score of ŷ under w → ``Evaluation.replicates``.

    Guarantee
    ---------
    Heuristic, none proven; not corrected over k submissions. A candidate that repairs items and breaks none is better
    under every weight: it passes at any odds, even by a single item. The number of wins carries a Monte Carlo error of
    at most √B/2, so that a submission at the bound may pass on one attempt and not on another.

    Departures
    ----------
    The first submission is accepted: the paper leaves ŷ_0 undefined, and lists a b that Algorithm 5 does not use. The
    rounding is to 1/n as in Algorithm 2. Where a metric cannot weigh items, items are resampled instead.

    Reference
    ---------
    Neto et al. 2016, Reducing overfitting in challenge-based competitions, Algorithm 5 (arXiv 1607.00091); Rubin 1981,
    The Bayesian bootstrap.
    """

    name: ClassVar[str] = "bayes_boot_ladder"
    label: ClassVar[str] = "bayes"
    family: ClassVar[Family] = "bootstrap"
    promise: ClassVar[str] = "shows gains that hold under most Bayesian bootstrap weights; a heuristic, nothing proven"
    shows_scores: ClassVar[bool] = True
    has_gate: ClassVar[bool] = True
    tells_every_attempt: ClassVar[bool] = False
    may_fall: ClassVar[bool] = True
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
        "bayes_boot_99": {"odds": 99, "replicates": QUICK_REPLICATES},
        "bayes_boot_5.67": {"odds": 5.67, "replicates": QUICK_REPLICATES},
    }
    words: ClassVar[ParticipantWords] = ParticipantWords(
        title="Bayesian-bootstrap Ladder",
        lead="A submission is recognised if it is better under most of a thousand random weightings of the rows.",
        steps=(
            "The rows are weighted at random a thousand times, the same way for your submission and your best one.",
            "If your submission wins often enough, its score is shown.",
            KEEPS_SCORE,
        ),
        guarantee=(UNPROVEN,),
        limits=(
            (
                "A submission that corrects predictions and breaks none wins under every weighting, even if it "
                "corrects a single row."
            ),
            "There is no correction for the number of attempts.",
        ),
        reading=(
            "The score shown is yours. It changes only if your submission wins under most weightings of the rows.",
        ),
        source=f"{NETO}, Algorithm 5.",
        parameters={
            "odds": "by which odds a file must be the better one among the resamples",
            "replicates": "the number of random resamples behind a comparison",
        },
    )

    odds: float = 5.67
    replicates: int = 1000

    def __post_init__(self) -> None:
        check_odds(self.odds, self.replicates)

    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        if state.released is not None:
            found = odds_of_improvement(candidate, incumbent, replicates=self.replicates, rng=rng)
            if found < self.odds:
                return self.repeat_number(state)
        value = round_to_one_item(candidate.score, candidate.yardstick)
        return Ruling(True, True, value, value)

    def hurdle(self, state: State, yardstick: Yardstick, standard_error: float) -> Hurdle:
        return Hurdle(share=1.0, errors=odds_threshold(self.odds))

    def score_format(self, yardstick: Yardstick) -> ScoreFormat:
        return ScoreFormat.of_step(1 / yardstick.units)

    def values_per_release(self, yardstick: Yardstick) -> float:
        return rounded_values(yardstick, 1 / yardstick.units)
