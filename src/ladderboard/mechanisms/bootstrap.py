"""Bootstrap computations of the Boot and BayesBoot ladders, drawn in blocks so that memory stays bounded."""

import math

import numpy as np

from ladderboard.core.errors import ParameterError, UndefinedMetricError
from ladderboard.core.records import Evaluation, FloatArray
from ladderboard.core.ties import subtract
from ladderboard.metrics._kernels.weights import weight_blocks

QUICK_REPLICATES = 200
"""B of the Bayesian bootstrap in the arena, for the sake of time; the papers take 1000."""


def odds_of_improvement(
    candidate: Evaluation, incumbent: Evaluation, *, replicates: int, rng: np.random.Generator
) -> float:
    """P/(1 − P) with P = (c + 1)/(B + 2), c the replicates of B in which the candidate is strictly better."""
    wins = paired_wins(candidate, incumbent, replicates=replicates, rng=rng)
    return (wins + 1) / (replicates + 1 - wins)


def paired_wins(candidate: Evaluation, incumbent: Evaluation, *, replicates: int, rng: np.random.Generator) -> int:
    """In how many replicates the candidate is better, both scored under the SAME weights.

    Dirichlet(1, …, 1) weights; resampled counts where the metric cannot weigh items.
    """
    is_bayesian = candidate.takes_real_weights and incumbent.takes_real_weights
    blocks = weight_blocks(rng, replicates=replicates, units=candidate.yardstick.units, bayesian=is_bayesian)
    return sum(_wins(candidate, incumbent, weights) for weights in blocks)


def bootstrap_score(evaluation: Evaluation, *, replicates: int, rng: np.random.Generator) -> float:
    """The mean of ``replicates`` bootstrap scores, over those in which the metric is defined."""
    blocks = weight_blocks(
        rng, replicates=replicates, units=evaluation.yardstick.units, bayesian=evaluation.takes_real_weights
    )
    scores = np.concatenate([_scores(evaluation, weights) for weights in blocks])
    defined = scores[np.isfinite(scores)]
    if len(defined) == 0:
        raise UndefinedMetricError(f"{evaluation.yardstick.metric} has no value in any bootstrap replicate")
    return float(defined.mean())


def bootstrap_mean(values: FloatArray, *, replicates: int, rng: np.random.Generator) -> float:
    """The mean of ``replicates`` means of resamples of ``values``, in O(n).

    b resamples of n draws each are n·b draws together, so that one multinomial draw counts them all.
    """
    n = len(values)
    counts = rng.multinomial(n * replicates, np.full(n, 1 / n))
    return float(counts @ values / (n * replicates))


def replicates_at(attempt: int, *, first: int, least: int, gamma: float) -> int:
    """b_t = max(b_min, ⌊b_0/t^γ⌋): fewer replicates, that is more noise, the more has been asked.

    >>> [replicates_at(t, first=100, least=10, gamma=0.5) for t in (1, 4, 50, 10_000)]
    [100, 50, 14, 10]
    """
    return max(least, int(first / attempt**gamma))


def check_odds(odds: float, replicates: int) -> None:
    """Refuse odds below 1 (worse submissions would pass) and odds that so few replicates can never reach."""
    if not 1 <= odds < math.inf:
        raise ParameterError(f"odds is {odds}; it must be at least 1, or worse submissions would pass")
    if replicates < 1:
        raise ParameterError(f"replicates is {replicates}; it must be at least 1")
    if odds > replicates + 1:
        raise ParameterError(f"odds of {odds} can never be reached with {replicates} replicates; take more of them")


def odds_threshold(odds: float) -> float:
    """About how many paired standard errors a gain must exceed to reach these odds: Φ⁻¹(odds/(1 + odds)).

    >>> round(odds_threshold(5.67), 2)
    1.04
    """
    from scipy.special import ndtri

    return float(ndtri(odds / (1 + odds)))


def _wins(candidate: Evaluation, incumbent: Evaluation, weights: FloatArray) -> int:
    gains = subtract(_scores(incumbent, weights), _scores(candidate, weights))
    return int(np.count_nonzero(gains > 0 if candidate.yardstick.lower_is_better else gains < 0))


def _scores(evaluation: Evaluation, weights: FloatArray) -> FloatArray:
    """The replicates' scores; NaN, which is no win, where a resample has none because it lost a class."""
    try:
        return evaluation.replicates(weights)
    except UndefinedMetricError:
        if evaluation.takes_real_weights:  # no weight is zero: the submission itself has no score
            raise
        if len(weights) == 1:
            return np.array([np.nan])
        return np.concatenate([_scores(evaluation, row[None]) for row in weights])
