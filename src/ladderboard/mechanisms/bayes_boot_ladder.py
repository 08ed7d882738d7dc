"""The Bayesian bootstrap ladder: posterior odds for any metric (Neto et al., Algorithm 5)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard.core.records import Evaluation, State, Yardstick
from ladderboard.mechanisms.base import Mechanism, Ruling, rounded_values
from ladderboard.mechanisms.bootstrap import check_odds, odds_of_improvement
from ladderboard.mechanisms.gates import round_to_one_item


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
    odds: float = 5.67
    replicates: int = 1000

    def __post_init__(self) -> None:
        check_odds(self.odds, self.replicates)

    def rule(self, state: State, candidate: Evaluation, incumbent: Evaluation, rng: np.random.Generator) -> Ruling:
        if state.released is not None:
            found = odds_of_improvement(candidate, incumbent, replicates=self.replicates, rng=rng)
            if found < self.odds:
                return self.rejection(state)
        value = round_to_one_item(candidate.score, candidate.yardstick)
        return Ruling(True, True, value, value)

    def values_per_release(self, yardstick: Yardstick) -> float:
        return rounded_values(yardstick, 1 / yardstick.units)
