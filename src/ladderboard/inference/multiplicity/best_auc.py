"""The best AUC of many classifiers of one true AUC: its distribution, by a saddle-point approximation.

A normal law is no good here: an AUC near 1 cannot exceed it, and with few positives the best of a thousand lies where
that matters (true AUC .9 on 53 positives: the best of 1000 is .955 on average, the normal law says .967, on the logit
scale .950).
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.inference.checks import check_confidence, check_count
from ladderboard.inference.multiplicity.roc_shapes import RocShape

TILTS = 600
STEEPEST = 200.0
"""The tilt, in standard errors, that is reached on either side: tails far below 1e-20."""
SCORES = 801
LARGEST_DEVIATION = 12.0
"""The scores that the distribution is tabulated at reach so many standard errors from the AUC, on the logit scale."""
QUADRATURE = np.linspace(-9.0, 9.0, 241)
"""Nodes of a standard normal; the trapezoidal rule is exact to the last digits for functions so smooth."""


@dataclass(frozen=True, eq=False)
class BestAuc:
    """The best empirical AUC among ``classifiers`` independent ones with this true AUC and ROC shape.

    An empirical AUC is about V̄₁ + V̄₀ − A, V̄₁ the mean over positives of their placement (the share of all negatives
    they exceed) and V̄₀ that over negatives: means of bounded, independent terms, whose tails are those of Lugannani &
    Rice (1980). That sum (the Hájek projection) can exceed 1, and its tail is too heavy; on the probit scale it cannot,
    and is too light. Their geometric mean is taken.

    Guarantee
    ---------
    Heuristic, none proven. In simulations with 60 to 500 items of each class tail probabilities of one in a thousand
    were within a quarter of the truth, which moves the mean of the best of 1000 by less than a tenth of the standard
    error.

    Reference
    ---------
    Møllersen & Holsbø 2023 (arXiv 2303.07272), who simulate this distribution.

    >>> best = BestAuc(RocShape(auc=0.9, shape=1.0, positives=53, negatives=2947), classifiers=1000)
    >>> round(best.mean, 3), [round(end, 3) for end in best.interval(0.95)]
    (0.956, [0.948, 0.966])
    """

    roc: RocShape
    classifiers: int

    def __post_init__(self) -> None:
        check_count(self.classifiers, "classifiers")

    @property
    def true_best(self) -> float:
        return self.roc.auc

    @property
    def luck(self) -> float:
        """By how much the best AUC is expected to exceed the true one."""
        return self.mean - self.true_best

    @cached_property
    def mean(self) -> float:
        scores, cdf = self._distribution
        return float(scores[-1] - np.trapezoid(cdf, scores))

    @cached_property
    def sd(self) -> float:
        scores, cdf = self._distribution
        # E(s_max − X)² = 2∫(s_max − s)·F(s) ds; its mean is s_max − E X.
        gap = scores[-1] - scores
        return math.sqrt(max(0.0, 2 * float(np.trapezoid(gap * cdf, scores)) - (scores[-1] - self.mean) ** 2))

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Where the best AUC falls with this probability."""
        tail = (1 - check_confidence(confidence)) / 2
        return self._quantile(tail), self._quantile(1 - tail)

    def upper_limit(self, confidence: float = 0.95) -> float:
        """The upper end of `interval`."""
        return self.interval(confidence)[1]

    def _quantile(self, probability: float) -> float:
        scores, cdf = self._distribution
        return float(np.interp(probability, cdf, scores))

    @cached_property
    def _distribution(self) -> tuple[FloatArray, FloatArray]:
        """Scores, ascending, and the probability that the best AUC is at most that."""
        scores, survival = single_auc_survival(self.roc)
        with np.errstate(divide="ignore"):
            cdf = np.exp(self.classifiers * np.log1p(-survival))
        return scores, np.maximum.accumulate(cdf)


def single_auc_survival(roc: RocShape) -> tuple[FloatArray, FloatArray]:
    """Scores, ascending, and the probability that one empirical AUC exceeds them."""
    spread = np.linspace(-1, 1, SCORES) * LARGEST_DEVIATION * roc.standard_error / (roc.auc * (1 - roc.auc))
    scores = 1 / (1 + (1 - roc.auc) / roc.auc * np.exp(-spread))  # even on the logit scale: dense near 1
    return scores, np.minimum.accumulate(auc_survival(roc, scores))


def auc_survival(roc: RocShape, scores: FloatArray) -> FloatArray:
    """The probability that one empirical AUC exceeds each of the scores.

    P(AUC > s) = Σ over values v of V̄₁ of P(V̄₁ = v)·P(V̄₀ exceeds what then is needed), on the plain and on the probit
    scale; between the two lies the truth, and near their geometric mean.
    """
    from scipy.special import ndtr, ndtri

    placed, survival = _mean_survival(roc.positive_placements(QUADRATURE), roc.positives)
    others, other_survival = _mean_survival(roc.negative_placements(QUADRATURE), roc.negatives)
    masses, middles = -np.diff(survival), (placed[1:] + placed[:-1]) / 2
    plain = scores[:, None] + roc.auc - middles
    probit = ndtr(ndtri(scores)[:, None] + ndtri(roc.auc) - ndtri(middles))
    tails = [np.interp(needed, others, other_survival, left=1.0, right=0.0) @ masses for needed in (plain, probit)]
    return np.asarray(np.minimum(np.sqrt(tails[0] * tails[1]) / masses.sum(), 1.0))


def _mean_survival(placements: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Values of a mean of ``count`` placements, ascending, and the probability that it exceeds them."""
    # An even number of tilts leaves out 0, where the formula is 0/0.
    slopes = np.sinh(np.linspace(-1, 1, TILTS) * math.asinh(STEEPEST))
    deviation = math.sqrt(float(_cumulants(placements, np.zeros(1))[2][0]) / count)
    tilts = slopes / deviation
    log_mgf, means, variances = _cumulants(placements, tilts / count)
    return means, _lugannani_rice(tilts, means, count * log_mgf, variances / count)


def _cumulants(placements: FloatArray, tilts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """log E[e^{tV}] and the mean and variance of V under the tilted law, V standing at nodes of a standard normal."""
    weights = np.exp(-0.5 * QUADRATURE**2)
    log_terms = tilts[:, None] * placements + np.log(weights / weights.sum())
    largest = log_terms.max(axis=1, keepdims=True)
    terms = np.exp(log_terms - largest)
    total = terms.sum(axis=1)
    mean = terms @ placements / total
    variance = (terms * np.square(placements - mean[:, None])).sum(axis=1) / total
    return largest[:, 0] + np.log(total), mean, variance


def _lugannani_rice(tilts: FloatArray, scores: FloatArray, log_mgf: FloatArray, variance: FloatArray) -> FloatArray:
    """P(AUC > score) = 1 − Φ(w) + φ(w)·(1/u − 1/w), w = ±√(2(t·score − K)), u = t·√K″."""
    from scipy.special import ndtr

    w = np.sign(tilts) * np.sqrt(2 * np.maximum(tilts * scores - log_mgf, 0.0))
    u = tilts * np.sqrt(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        correction = np.exp(-0.5 * w * w) / math.sqrt(2 * math.pi) * (1 / u - 1 / w)
    # Within a hundredth of a standard error of the mean the correction is a difference of huge numbers.
    correction = np.interp(tilts, tilts[np.abs(w) > 0.01], correction[np.abs(w) > 0.01])
    return np.asarray(np.clip(ndtr(-w) + correction, 0.0, 1.0))
