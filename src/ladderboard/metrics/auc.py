"""AUC: the area under the receiver operating characteristic."""

import math
from typing import NamedTuple

import numpy as np

from ladderboard.core.errors import UndefinedMetricError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.core.scales import LOGIT
from ladderboard.metrics._kernels.ranking import Ranking, place_blocks, rank
from ladderboard.metrics._kernels.running_mass import RunningMass
from ladderboard.metrics._kernels.scratch import Scratch, take_rows
from ladderboard.metrics.base import Metric, shares_within_classes
from ladderboard.metrics.inputs import Array, Scores


class Auc(Metric):
    """P(a positive item is scored above a negative one) + ½ P(they are tied); two classes.

    Equals ``sklearn.metrics.roc_auc_score``. Contributions are DeLong's: with placement values V (the share of the
    other class that an item is on the right side of, ties by half), φ_i = AUC + √(n_c/(n_c − 1))·(n/n_c)·(V_i − AUC)
    for an item of class c, so that sd(φ)/√n is DeLong's standard error times √(n/(n − 1)). One sort in all.

    Baseline: the null value ½, whose standard error is that of the Wilcoxon statistic, √((n₁ + n₀ + 1)/(12 n₁n₀)).

    Reference: DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837; Sun & Xu 2014 for the computation from ranks.

    >>> Auc().score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """

    name = "auc"
    title = "AUC"
    degree = 0
    relative_cost = 1
    takes_real_weights = True
    kind = Scores()
    lower_is_better = False
    bounds = (0.0, 1.0)
    scale = LOGIT
    paired_test = "z"

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        return _trace_roc(y, p, w).area

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        roc = _trace_roc(y, p, w)
        (slope1, offset1), (slope0, offset0) = roc.influence_lines(int(np.count_nonzero(y)), len(y))
        contributions = np.empty(len(y))
        for places in place_blocks(len(y)):
            items = roc.ranking.order[places]
            of_positives = slope1 * roc.negatives_below[places] + offset1
            of_negatives = slope0 * roc.positives_below[places] + offset0
            influence = np.where(roc.is_positive[places], of_positives, of_negatives)
            contributions[items] = influence if w is None else influence * (w[items] / roc.mean_weight)
        contributions += roc.area
        return contributions

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        ranking = rank(p)
        is_positive = y[ranking.order] == 1
        _refuse_one_class(is_positive.any() and not is_positive.all())
        positives, below = ranking.order[is_positive], _negatives_below(ranking, is_positive)
        masses = RunningMass(ranking.order[~is_positive], np.append(below, len(y) - len(positives)))
        scratch = Scratch()
        return np.concatenate([_areas(panel, positives, masses, scratch) for panel in scratch.panels(weights)])

    def compute_baseline(self, y: Array) -> Array | float:
        return 0.5

    def compute_leverages(self, y: Array, w: FloatArray | None = None) -> FloatArray | None:
        """An item is in 1/n_c of the pairs: Σc² is 1/n₁ + 1/n₀ (Agarwal et al. 2005, JMLR 6:393)."""
        return shares_within_classes(y, w)

    def compute_null_standard_error(self, y: Array) -> float:
        n1 = int(np.count_nonzero(y))
        n0 = len(y) - n1
        return math.sqrt((n1 + n0 + 1) / (12 * n1 * n0))


class _Roc(NamedTuple):
    """What scores and contributions need; arrays are in ascending order of the predictions."""

    ranking: Ranking
    is_positive: Array
    positives_below: Array
    """For negatives: the mass of positives below, ties by half."""
    negatives_below: Array
    """For positives: the mass of negatives below, ties by half."""
    positives: float
    negatives: float
    area: float

    @property
    def mean_weight(self) -> float:
        return (self.positives + self.negatives) / len(self.is_positive)

    def influence_lines(self, n1: int, n: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """(slope, offset) for positives and for negatives: influence = slope·(mass of the other class below) + offset.

        A positive has V = (negatives below)/W₀ and a negative V = 1 − (positives below)/W₁.
        """
        total = self.positives + self.negatives
        gain1 = _correction(n1) * total / self.positives
        gain0 = _correction(n - n1) * total / self.negatives
        return (gain1 / self.negatives, -gain1 * self.area), (-gain0 / self.positives, gain0 * (1 - self.area))


def _trace_roc(y: Array, p: Array, w: FloatArray | None) -> _Roc:
    ranking = rank(p)
    is_positive = y[ranking.order] == 1
    positives, negatives = _running_classes(is_positive, None if w is None else w[ranking.order])
    all_positives, all_negatives = float(positives[-1]), float(negatives[-1])
    _refuse_one_class(all_positives > 0 and all_negatives > 0)
    discordant = _discordant(positives, negatives, ranking.ends)
    return _Roc(
        ranking,
        is_positive,
        ranking.halfway(positives),
        ranking.halfway(negatives),
        all_positives,
        all_negatives,
        area=max(0.0, 1 - discordant / (all_positives * all_negatives)),  # rounding stays within the bounds
    )


def _running_classes(is_positive: Array, w: FloatArray | None) -> tuple[Array, Array]:
    """The running mass of the positives and of the negatives; counts are whole numbers and exact."""
    if w is not None:
        return np.cumsum(np.where(is_positive, w, 0.0)), np.cumsum(np.where(is_positive, 0.0, w))
    positives = np.cumsum(is_positive, dtype=np.int32)
    return positives, np.arange(1, len(positives) + 1, dtype=np.int32) - positives


def _discordant(positives: Array, negatives: Array, ends: Array | None) -> float:
    """The mass of pairs whose positive is below the negative, ties by half: the area above the curve."""
    if ends is None and positives.dtype.kind == "i":
        # Where the places are all different the running count is 1, 2, …, n₁ at the positives themselves.
        n1 = int(positives[-1])
        return float(positives.sum(dtype=np.int64) - n1 * (n1 + 1) // 2)
    if ends is not None:
        positives, negatives = positives[ends], negatives[ends]
    heights = positives - np.diff(positives, prepend=0) / 2
    return float(heights @ np.diff(negatives, prepend=0))


def _negatives_below(ranking: Ranking, is_positive: Array) -> IntArray:
    """How many negatives lie below each positive; with ties a second row: how many lie below or level with it."""
    negatives = np.cumsum(~is_positive)
    level = ranking.through(negatives)[is_positive]
    if ranking.ends is None:
        return level
    below = 2 * ranking.halfway(negatives)[is_positive] - level
    return np.stack([below.astype(np.intp), level])


def _areas(weights: FloatArray, positives: IntArray, masses: RunningMass, scratch: Scratch) -> FloatArray:
    """One AUC for each column of ``weights`` (items × weightings)."""
    columns = weights.shape[1]
    found = masses.look_up(weights, scratch, "below")
    below, all_negatives = found[:-1].reshape(-1, len(positives), columns), found[-1]
    own = take_rows(weights, positives, scratch.table("own", len(positives), columns))
    concordant = sum(np.einsum("ib,ib->b", own, mass) for mass in below) / len(below)
    pairs = own.sum(axis=0) * all_negatives
    _refuse_one_class((pairs > 0).all())
    return np.asarray(np.minimum(concordant / pairs, 1.0))  # rounding stays within the bounds


def _refuse_one_class(are_both: bool | np.bool_) -> None:
    if not are_both:
        raise UndefinedMetricError("the AUC needs items of both classes")


def _correction(items: int) -> float:
    """√(n/(n − 1)): a class's sample variance of placement values, not its second moment (1 for a single item)."""
    return math.sqrt(items / max(items - 1, 1))
