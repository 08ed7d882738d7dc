"""Metrics of class predictions that are functions of three shares of every class: hits, labels, predictions.

In the words of the confusion matrix, in shares of the total weight: hits are its diagonal (tp), labels its row sums
(tp + fn) and predictions its column sums (tp + fp).
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics.base import Metric, weighted_contributions
from ladderboard.metrics.inputs import Array, Classes

DENSE_COLUMNS = 100
"""Up to so many columns a product with a dense table of indicators is faster than one with a sparse table."""


@dataclass(frozen=True, eq=False)
class ClassShares:
    """Shares of the total weight, rows × classes: one row for each weighting of the items."""

    hits: FloatArray
    """Items that are of the class and predicted to be."""
    labels: FloatArray
    """Items that are of the class."""
    predictions: FloatArray
    """Items that are predicted to be of the class."""

    @classmethod
    def from_totals(cls, hits: FloatArray, labels: FloatArray, predictions: FloatArray) -> "ClassShares":
        whole = labels.sum(axis=-1, keepdims=True)
        # Each margin by its own sum: the only class of a constant then has a share of exactly one.
        return cls(hits / whole, labels / whole, predictions / predictions.sum(axis=-1, keepdims=True))


class ConfusionMetric(Metric):
    """A score that is a function of `ClassShares`; higher is better.

    To write one: `scores_from`, `compute_influence`, `compute_class_gains` and a baseline.
    """

    kind = Classes()
    lower_is_better = False
    paired_test = "t"
    takes_real_weights = True
    degree = 0
    relative_cost = 1

    @abstractmethod
    def scores_from(self, shares: ClassShares) -> FloatArray:
        """One score for each row of shares; raises `UndefinedMetricError` where a row has none."""

    @abstractmethod
    def compute_influence(self, y: Array, p: Array, shares: ClassShares, score: float) -> FloatArray:
        """The derivative of the score by the weight of each item, from the one row of ``shares``; weighted mean 0."""

    @abstractmethod
    def compute_class_gains(self, rates: FloatArray) -> FloatArray:
        """By how much the score rises from none to all of each class hit, where predictions are shuffled labels."""

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        return float(self._compute_bounded_scores(class_shares(y, p, w))[0])

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        shares = class_shares(y, p, w)
        score = float(self._compute_bounded_scores(shares)[0])
        return weighted_contributions(score, self.compute_influence(y, p, shares, score), w)

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        return self._compute_bounded_scores(compute_row_shares(y, p, weights))

    def compute_null_standard_error(self, y: Array) -> float:
        """The exact sd over all permutations of the labels as predictions, which drawn ones would only estimate.

        Shuffling keeps both margins, so the score is linear in the hits, with weights gain_c/q_c for a class of share
        q_c. The hits are jointly hypergeometric: Cov(h_c, h_d) = q_c²(q_d² + [c = d]·(1 − 2q_c))/(n − 1).
        """
        rates = class_rates(y)
        gain = self.compute_class_gains(rates)
        return math.sqrt(((gain @ rates) ** 2 + gain**2 @ (1 - 2 * rates)) / (len(y) - 1))

    def _compute_bounded_scores(self, shares: ClassShares) -> FloatArray:
        # Rounding can carry a perfect score past its bound in the last digit.
        return np.clip(self.scores_from(shares), *self.bounds)


def class_rates(y: Array) -> FloatArray:
    """The share of each class code among the labels."""
    return np.asarray(np.bincount(y) / len(y))


def class_shares(y: Array, p: Array, w: FloatArray | None) -> ClassShares:
    """The shares under one weighting of the items (None: all equal), as one row."""
    classes = _count_classes(y, p)
    hit = y == p

    def totals(codes: Array, weights: FloatArray | None) -> FloatArray:
        return np.bincount(codes, weights, minlength=classes).astype(np.float64)[None, :]

    return ClassShares.from_totals(totals(y[hit], None if w is None else w[hit]), totals(y, w), totals(p, w))


def compute_row_shares(y: Array, p: Array, weights: FloatArray) -> ClassShares:
    """The shares under each row of ``weights``, by one product with the items' class indicators."""
    classes = _count_classes(y, p)
    totals = np.asarray(weights @ _indicators(y, p, classes))
    hits, labels, predictions = np.split(totals, 3, axis=1)
    return ClassShares.from_totals(hits, labels, predictions)


def _indicators(y: Array, p: Array, classes: int) -> Any:
    """Items × (hits of each class, labels of each class, predictions of each class); sparse where that is wide."""
    from scipy.sparse import csr_array

    items, hit = np.arange(len(y)), np.flatnonzero(y == p)
    rows = np.concatenate([hit, items, items])
    columns = np.concatenate([y[hit].astype(np.intp), y.astype(np.intp) + classes, p.astype(np.intp) + 2 * classes])
    table = csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(y), 3 * classes))
    return table.toarray() if 3 * classes <= DENSE_COLUMNS else table


def _count_classes(y: Array, p: Array) -> int:
    """At least two, so that the positive class has a column even where some items show none of it."""
    return max(int(y.max()), int(p.max()), 1) + 1
