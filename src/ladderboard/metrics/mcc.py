"""Matthews correlation coefficient, for any number of classes."""

import numpy as np

from ladderboard.core.errors import UndefinedMetricError
from ladderboard.core.records import FloatArray
from ladderboard.core.scales import FISHER_Z
from ladderboard.metrics._families.confusion import ClassShares, ConfusionMetric
from ladderboard.metrics.inputs import Array


class MatthewsCorrelation(ConfusionMetric):
    """(Σh − Σqr)/√((1 − Σq²)(1 − Σr²)) with the shares h, q, r of hits, labels and predictions of each class.

    For two classes the Pearson correlation of the 0/1 codes; for more Gorodkin's R_K, whose least value lies above -1.
    Undefined where all labels or all predictions are one class (scikit-learn answers 0 there). Baseline: the null value
    0. Equals ``sklearn.metrics.matthews_corrcoef`` wherever it is defined.

    Reference
    ---------
    Gorodkin 2004, Comparing two K-category assignments by a K-category correlation coefficient, Computational Biology
    and Chemistry 28.

    >>> round(MatthewsCorrelation().score([0, 0, 1, 1, 2], [0, 0, 1, 2, 2]), 6)
    0.75
    """

    name = "mcc"
    title = "MCC"
    bounds = (-1.0, 1.0)
    scale = FISHER_Z

    def scores_from(self, shares: ClassShares) -> FloatArray:
        spread = _spread(shares.labels) * _spread(shares.predictions)
        if not (spread > 0).all():
            raise UndefinedMetricError(
                "all labels or all predictions of these items are one class, so the Matthews correlation has no value; "
                "score items and predictions of at least two classes, or use accuracy"
            )
        by_chance = (shares.labels * shares.predictions).sum(axis=1)
        return np.asarray((shares.hits.sum(axis=1) - by_chance) / np.sqrt(spread))

    def compute_influence(self, y: Array, p: Array, shares: ClassShares, score: float) -> FloatArray:
        q, r = shares.labels[0], shares.predictions[0]
        spread_of_labels, spread_of_predictions = 1 - q @ q, 1 - r @ r
        # The influence of a share is indicator − share; the product rule does the rest.
        covariance = ((y == p) - shares.hits[0].sum()) - (r[y] + q[p] - 2 * (q @ r))
        variances = (q[y] - q @ q) / spread_of_labels + (r[p] - r @ r) / spread_of_predictions
        return np.asarray(covariance / np.sqrt(spread_of_labels * spread_of_predictions) + score * variances)

    def compute_class_gains(self, rates: FloatArray) -> FloatArray:
        return np.asarray(rates / (1 - rates @ rates))

    def compute_baseline(self, y: Array) -> Array | float:
        return 0.0

    def refuse_undefined(self, p: Array) -> None:
        if (p == p[0]).all():
            raise UndefinedMetricError(
                f"all {len(p)} predictions are one class, so the Matthews correlation has no value; "
                "predict at least two classes"
            )


def _spread(shares: FloatArray) -> FloatArray:
    """1 − Σ share²: the probability that two items differ in class."""
    return np.asarray(1 - np.square(shares).sum(axis=1))
