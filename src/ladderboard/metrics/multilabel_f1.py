"""F1 of several labels for each item: of all decisions, of each label, of each item."""

import numpy as np

from ladderboard.core.errors import UndefinedMetricError
from ladderboard.core.records import FloatArray
from ladderboard.core.scales import PROPORTION
from ladderboard.metrics._families.confusion import ClassShares
from ladderboard.metrics._families.label_tables import LabelTableMetric, find_best_constant, mark_labels
from ladderboard.metrics.base import MeanMetric
from ladderboard.metrics.column_inputs import LabelDecisions
from ladderboard.metrics.inputs import Array


class MultilabelMicroF1(LabelTableMetric):
    """2tp/(2tp + fp + fn) of all decisions about all labels together, so that frequent labels count most.

    Undefined where no item has a label and none is predicted. Baseline: the k most frequent labels for every item, with
    the best k. Equals ``sklearn.metrics.f1_score(average="micro")``.

    >>> MultilabelMicroF1().score([[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 0], [1, 1]])
    0.8571428571428572
    """

    name = "multilabel_micro_f1"
    title = "micro F1 of labels"

    def scores_from(self, shares: ClassShares) -> FloatArray:
        occurring = (shares.labels + shares.predictions).sum(axis=1)
        _refuse_empty(occurring)
        return np.asarray(2 * shares.hits.sum(axis=1) / occurring)

    def compute_influence(self, y: Array, p: Array, shares: ClassShares, score: float) -> FloatArray:
        occurring = float((shares.labels + shares.predictions).sum())
        return np.asarray((2.0 * (y & p).sum(axis=1) - score * (y.sum(axis=1) + p.sum(axis=1))) / occurring)

    def compute_label_gains(self, y: Array) -> FloatArray:
        return np.full(y.shape[1], 1 / max(int(y.sum()), 1))

    def compute_baseline(self, y: Array) -> Array | float:
        return find_best_constant(y)


class MultilabelMacroF1(LabelTableMetric):
    """The mean over labels of 2tp/(2tp + fp + fn), so that every label counts the same.

    A label that no scored item has and for which none is predicted is left out of the mean, also under a row of
    weights. Baseline: every label for every item, the best constant. Equals ``sklearn.metrics.f1_score(average="macro",
    zero_division=np.nan)``.

    >>> MultilabelMacroF1().score([[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 0], [1, 1]])
    0.8333333333333333
    """

    name = "multilabel_macro_f1"
    title = "macro F1 of labels"

    def scores_from(self, shares: ClassShares) -> FloatArray:
        occurring = shares.labels + shares.predictions
        _refuse_empty(occurring.sum(axis=1))
        return np.asarray(_compute_label_f1(shares).sum(axis=1) / np.count_nonzero(occurring, axis=1))

    def compute_influence(self, y: Array, p: Array, shares: ClassShares, score: float) -> FloatArray:
        occurring = (shares.labels + shares.predictions)[0]
        kept = np.flatnonzero(occurring)
        f1 = _compute_label_f1(shares)[0, kept]
        influence = (2.0 * (y & p)[:, kept] - f1 * (y + p)[:, kept]) / occurring[kept]
        return np.asarray(influence.mean(axis=1))

    def compute_label_gains(self, y: Array) -> FloatArray:
        counts = y.sum(axis=0).astype(np.float64)
        gains = np.divide(1.0, counts, out=np.zeros(len(counts)), where=counts > 0)
        return np.asarray(gains / max(np.count_nonzero(counts), 1))

    def compute_baseline(self, y: Array) -> Array | float:
        return np.ones_like(y)


class MultilabelSamplesF1(MeanMetric):
    """The mean over items of 2tp/(2tp + fp + fn) of the item's labels: the "mean F1" of Kaggle's tagging competitions.

    An item without labels for which none is predicted has 1. Baseline: the k most frequent labels for every item, with
    the best k. Equals ``sklearn.metrics.f1_score(average="samples", zero_division=1)``.

    >>> MultilabelSamplesF1().score([[1, 0], [0, 0], [1, 1]], [[1, 0], [0, 0], [1, 0]])
    0.8888888888888888
    """

    name = "multilabel_samples_f1"
    title = "mean F1 of items"
    kind = LabelDecisions()
    lower_is_better = False
    bounds = (0.0, 1.0)
    scale = PROPORTION
    degree = 0

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        occurring = y.sum(axis=1, dtype=np.float64) + p.sum(axis=1)
        hits = (y & p).sum(axis=1, dtype=np.float64)
        return np.asarray(np.divide(2 * hits, occurring, out=np.ones(len(y)), where=occurring > 0))

    def compute_baseline(self, y: Array) -> Array | float:
        order = np.argsort(-y.sum(axis=0), kind="stable")
        candidates = [mark_labels(y, order[:count]) for count in range(len(order) + 1)]
        return max(candidates, key=lambda table: float(self.compute_losses(y, table).mean()))


def _refuse_empty(occurring: FloatArray) -> None:
    if not occurring.all():
        raise UndefinedMetricError(
            "no label is given or predicted for these items, so F1 has no value; score items some of which have labels"
        )


def _compute_label_f1(shares: ClassShares) -> FloatArray:
    """F1 of each label; 0 for a label without weight."""
    occurring = shares.labels + shares.predictions
    return np.divide(2 * shares.hits, occurring, out=np.zeros_like(shares.hits), where=occurring > 0)
