"""Average precision: the step-wise area under the precision-recall curve."""

import math
from typing import NamedTuple

import numpy as np

from ladderboard.core.errors import UndefinedMetricError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.core.scales import PROPORTION
from ladderboard.metrics._kernels.ranking import Ranking, rank
from ladderboard.metrics._kernels.running_mass import RunningMass
from ladderboard.metrics._kernels.scratch import Scratch, take_rows
from ladderboard.metrics.base import Metric, weighted_contributions
from ladderboard.metrics.inputs import Array, Scores


class AveragePrecision(Metric):
    """The mean, over the positive items, of the precision at their own threshold; two classes.

    AP = (1/N₁) Σ_{i positive} T_i/K_i with K_i the items and T_i the positives that are scored at least as high as i:
    no interpolation, equal scores share one threshold. Equals ``sklearn.metrics.average_precision_score``.

    Contributions are the influence values of this ratio,
    φ_j = AP + (n/N₁)·[y_j(T_j/K_j − AP) + Σ_{i: s_i ≤ s_j} y_i(y_jK_i − T_i)/K_i²], by running sums after one sort.

    Baseline: a constant prediction, whose average precision is the base rate. The null standard error is exact for
    a random order of the items (`_compute_random_variance`).

    >>> AveragePrecision().score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.8333333333333333
    """

    name = "average_precision"
    title = "average precision"
    degree = 0
    relative_cost = 1
    paired_test = "t"
    takes_real_weights = True
    kind = Scores()
    lower_is_better = False
    bounds = (0.0, 1.0)
    spread_is_open = True  # the few positives at the top decide a good score, and none does without skill
    scale = PROPORTION

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        return _trace_curve(y, p, w).area

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        curve = _trace_curve(y, p, w)
        # What item j changes at the thresholds of the positives below or level with it: sums from the bottom up.
        raised = curve.ranking.through(np.cumsum(curve.positive / curve.reached))
        lowered = curve.ranking.through(np.cumsum(curve.positive * curve.precision / curve.reached))
        own = curve.precision - curve.area + raised
        influence = np.where(curve.positive > 0, own, 0.0) - lowered
        influence *= curve.reached[0] / curve.positives
        return weighted_contributions(curve.area, curve.ranking.in_item_order(influence), w)

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        ranking = rank(-p)
        is_positive = y[ranking.order] == 1
        _refuse_no_positives(is_positive.any())
        threshold = ranking.through(np.arange(len(y)))[is_positive]
        masses = _Masses(
            positives=ranking.order[is_positive],
            true=RunningMass(ranking.order[is_positive], np.cumsum(is_positive)[threshold]),
            false=RunningMass(ranking.order[~is_positive], np.cumsum(~is_positive)[threshold]),
        )
        scratch = Scratch()
        return np.concatenate([masses.areas(panel, scratch) for panel in scratch.panels(weights)])

    def compute_baseline(self, y: Array) -> Array | float:
        return np.full(len(y), y.mean())

    def compute_null_standard_error(self, y: Array) -> float:
        return math.sqrt(_compute_random_variance(len(y), int(np.count_nonzero(y))))


class _Curve(NamedTuple):
    """The precision-recall curve; arrays are in ascending order of the predictions."""

    ranking: Ranking
    positive: FloatArray
    """The weight of an item if it is positive, else 0."""
    reached: FloatArray
    """K: the mass scored at least as high as the item."""
    precision: FloatArray
    """T/K at the item's threshold."""
    positives: float
    area: float


def _trace_curve(y: Array, p: Array, w: FloatArray | None) -> _Curve:
    ranking = rank(p)
    positive = y[ranking.order].astype(np.float64)
    weight = np.ones(len(y))
    if w is not None:
        weight = w[ranking.order]
        positive *= weight
    reached, found = _sum_from_the_top(ranking, weight), _sum_from_the_top(ranking, positive)
    positives = float(found[0])
    _refuse_no_positives(positives > 0)
    precision = found / reached
    area = min(1.0, float(positive @ precision) / positives)  # rounding stays within the bounds
    return _Curve(ranking, positive, reached, precision, positives, area)


def _sum_from_the_top(ranking: Ranking, mass: FloatArray) -> FloatArray:
    """The mass of the items at least as high as each place."""
    running = np.cumsum(mass[::-1])[::-1]
    if ranking.ends is None:
        return running
    starts = np.append(0, ranking.ends[:-1] + 1)
    return np.repeat(running[starts], np.diff(ranking.ends, prepend=-1))


class _Masses(NamedTuple):
    """True and false positives at the thresholds of the positives, from the top down."""

    positives: IntArray
    true: RunningMass
    false: RunningMass

    def areas(self, weights: FloatArray, scratch: Scratch) -> FloatArray:
        """One average precision for each column of ``weights`` (items × weightings)."""
        own = take_rows(weights, self.positives, scratch.table("own", len(self.positives), weights.shape[1]))
        found, reached = self.true.look_up(weights, scratch, "found"), self.false.look_up(weights, scratch, "reached")
        reached += found
        # Where items of weight zero reach nothing they have found nothing either: a precision of 0 that weighs 0.
        found /= np.maximum(reached, np.finfo(np.float64).tiny, out=reached)
        positives = own.sum(axis=0)
        _refuse_no_positives((positives > 0).all())
        areas = np.einsum("ib,ib->b", own, found) / positives
        return np.asarray(np.minimum(areas, 1.0))  # rounding stays within the bounds


def _refuse_no_positives(are_some: bool | np.bool_) -> None:
    if not are_some:
        raise UndefinedMetricError("average precision needs positive items")


def _compute_random_variance(n: int, positives: int) -> float:
    """The variance of AP over all orders of n items without ties, exactly.

    AP = (1/N₁) Σ_k y_kT_k/k, and the moments of y_kT_k, T_k = y_1 + … + y_k, are those of drawing without replacement:
    with q_r the probability that r given places are positive,
    E[y_kT_k] = q₁ + (k−1)q₂, E[y_kT_k²] = q₁ + 3(k−1)q₂ + (k−1)(k−2)q₃ and, for k < l,
    E[y_kT_ky_lT_l] = 2q₂ + (3k+l−5)q₃ + (k−1)(l−3)q₄. Sums over k and k < l are harmonic numbers.

    >>> _compute_random_variance(2, 1)  # the positive first (AP = 1) or second (AP = 1/2)
    0.0625
    """
    q1, q2, q3, q4 = _all_positive(n, positives)
    inverse = 1 / np.arange(1, n + 1)
    h, h2 = float(inverse.sum()), float(inverse @ inverse)  # Σ 1/k, Σ 1/k²
    mean = q1 * h + q2 * (n - h)
    squares = q1 * h2 + 3 * q2 * (h - h2) + q3 * (n - 3 * h + 2 * h2)
    both, later, earlier = (h * h - h2) / 2, n - h, n * h - n  # Σ_{k<l} of 1/(kl), 1/l, 1/k
    products = (2 * q2 - 5 * q3 + 3 * q4) * both + q3 * (3 * later + earlier)
    products += q4 * (n * (n - 1) / 2 - 3 * later - earlier)
    return (squares + 2 * products - mean * mean) / positives**2


def _all_positive(n: int, positives: int) -> list[float]:
    """The probabilities that 1, 2, 3, 4 given places of a random order are all positive."""
    chances, chance = [], 1.0
    for drawn in range(4):
        chance *= (positives - drawn) / (n - drawn) if positives > drawn else 0.0
        chances.append(chance)
    return chances
