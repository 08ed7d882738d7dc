"""Metrics of label decisions that are functions of three shares of every label: hits, labels, predictions."""

import math
from abc import abstractmethod

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import PROPORTION
from ladderboard.metrics._families.confusion import ClassShares
from ladderboard.metrics.base import Metric, weighted_contributions
from ladderboard.metrics.column_inputs import LabelDecisions
from ladderboard.metrics.inputs import Array


class LabelTableMetric(Metric):
    """A score of 0/1 decisions, a column for each label, from the `ClassShares` of the labels; higher is better.

    To write one: `scores_from`, `compute_influence`, `compute_label_gains` and a baseline.
    """

    kind = LabelDecisions()
    lower_is_better = False
    bounds = (0.0, 1.0)
    scale = PROPORTION
    paired_test = "t"
    takes_real_weights = True
    degree = 0
    relative_cost = 3

    @abstractmethod
    def scores_from(self, shares: ClassShares) -> FloatArray:
        """One score for each row of shares; raises `UndefinedMetricError` where a row has none."""

    @abstractmethod
    def compute_influence(self, y: Array, p: Array, shares: ClassShares, score: float) -> FloatArray:
        """The derivative of the score by the weight of each item, from the one row of ``shares``; weighted mean 0."""

    @abstractmethod
    def compute_label_gains(self, y: Array) -> FloatArray:
        """By how much the score rises with each hit of a label, where predictions are shuffled rows of labels."""

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        return float(self._compute_bounded_scores(_find_shares(y, p, w))[0])

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        shares = _find_shares(y, p, w)
        score = float(self._compute_bounded_scores(shares)[0])
        return weighted_contributions(score, self.compute_influence(y, p, shares, score), w)

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        return self._compute_bounded_scores(_find_row_shares(y, p, weights))

    def compute_null_standard_error(self, y: Array) -> float:
        """The exact sd over all permutations of the rows of labels as predictions.

        Shuffling keeps all margins, so the score is Σ_i Σ_c g_c·y_ic·y_π(i)c plus a constant: a permutation statistic
        of the products a_ij = Σ_c g_c·y_ic·y_jc, whose variance is that of the doubly centred a (Hoeffding 1951). Its
        sum of squares is that of the labels' covariances, for which no n × n table is needed.
        """
        centred = (y - y.mean(axis=0)) * np.sqrt(self.compute_label_gains(y))
        return float(np.linalg.norm(centred.T @ centred)) / math.sqrt(len(y) - 1)

    def _compute_bounded_scores(self, shares: ClassShares) -> FloatArray:
        # Rounding can carry a perfect score past its bound in the last digit.
        return np.clip(self.scores_from(shares), *self.bounds)


def find_best_constant(y: Array) -> Array:
    """The row of the k most frequent labels, for all k, with which micro F1 is largest; the same for every item."""
    order = np.argsort(-y.sum(axis=0), kind="stable")
    counts = y.sum(axis=0)[order].astype(np.float64)
    chosen = np.arange(1, len(order) + 1)
    best = int(np.argmax(2 * np.cumsum(counts) / (counts.sum() + chosen * len(y))))
    return mark_labels(y, order[: best + 1])


def mark_labels(y: Array, columns: Array) -> Array:
    """The same decision for every item: 1 in these columns."""
    table = np.zeros_like(y)
    table[:, columns] = 1
    return table


def _find_shares(y: Array, p: Array, w: FloatArray | None) -> ClassShares:
    """The shares of the total weight under one weighting of the items (None: all equal), as one row."""
    return _find_row_shares(y, p, np.ones((1, len(y))) if w is None else w[None, :])


def _find_row_shares(y: Array, p: Array, weights: FloatArray) -> ClassShares:
    """The shares under each row of ``weights``."""
    table = np.hstack([y & p, y, p]).astype(np.float64)
    hits, labels, predictions = np.split(weights @ table / weights.sum(axis=1, keepdims=True), 3, axis=1)
    return ClassShares(hits, labels, predictions)
