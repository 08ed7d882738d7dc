"""Metrics of pairs: a concordant share of the pairs of items that can be compared."""

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from ladderboard.core.errors import UndefinedMetricError
from ladderboard.core.records import FloatArray
from ladderboard.core.scales import LOGIT
from ladderboard.metrics.base import Metric, weighted_contributions
from ladderboard.metrics.inputs import Array


class PairSums(NamedTuple):
    """For each item, the mass of its partners."""

    concordant: FloatArray
    """N_i: partners in concordant pairs, ties by half."""
    comparable: FloatArray
    """D_i: partners in pairs that can be compared."""


class PairMetric(Metric):
    """C = Σ_{i≠j} w_iw_j c_ij / Σ_{i≠j} w_iw_j d_ij: a ratio of U-statistics (d_ij: comparable, c_ij: concordance).

    Contributions are its influence values C + 2(N_i − C·D_i)/D with D = mean(D_i), by the delta method. An item is
    never paired with itself, whatever its weight; where all pairs can be compared the denominator is therefore
    (Σw)² − Σw². Baseline: the null value ½.
    """

    lower_is_better = False
    bounds = (0.0, 1.0)
    scale = LOGIT
    paired_test = "t"
    takes_real_weights = True
    degree = 0

    @abstractmethod
    def compute_pair_sums(self, y: Array, p: Array, w: FloatArray) -> PairSums:
        """N_i and D_i under the weights."""

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        weight = np.ones(len(p)) if w is None else w
        sums = self.compute_pair_sums(y, p, weight)
        pairs = float(weight @ sums.comparable)
        score = float(concordance(weight @ sums.concordant, pairs))
        influence = (2 * weight.sum() / pairs) * (sums.concordant - score * sums.comparable)
        return weighted_contributions(score, influence, w)

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        weights = np.ones((1, len(p))) if w is None else w[None, :]
        return float(self.compute_replicates(y, p, weights)[0])

    def compute_baseline(self, y: Array) -> Array | float:
        return 0.5


def concordance(concordant: FloatArray | float, comparable: FloatArray | float) -> FloatArray:
    """The share, within its bounds also where rounding is not; raises where no pair can be compared."""
    refuse_incomparable(comparable)
    return np.clip(concordant / comparable, 0.0, 1.0)


def refuse_incomparable(comparable: FloatArray | float) -> None:
    """Raise `UndefinedMetricError` where there are no pairs."""
    if not np.all(np.asarray(comparable) > 0):
        raise UndefinedMetricError("there is no pair of items that can be compared")
