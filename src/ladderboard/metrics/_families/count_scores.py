"""Metrics of a whole corpus: functions of the totals of a few counts of each answer and its label."""

import math
from abc import abstractmethod

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics.base import PERMUTATIONS, Metric, weighted_contributions
from ladderboard.metrics.inputs import Array


class CountMetric(Metric):
    """A score of the totals of several counts for each item, such as a rate of errors by all words together.

    To write one: `count`, `score_means`, `differentiate`, `labels_as_predictions` and a baseline. Such a score is no
    mean of items: its contributions are those of the delta method, and replicates weigh the counts.
    """

    paired_test = "t"
    takes_real_weights = True
    degree = 0
    relative_cost = 100
    least_spread: float
    """The least standard deviation of contributions that the null standard error assumes."""

    @abstractmethod
    def count(self, y: Array, p: Array) -> FloatArray:
        """Items × counts."""

    @abstractmethod
    def score_means(self, means: FloatArray) -> FloatArray:
        """A score for each row of the means of the counts."""

    @abstractmethod
    def differentiate(self, means: FloatArray) -> FloatArray:
        """The derivative of the score by each of the means."""

    def condense(self, y: Array, p: Array) -> Array:
        return p if p.dtype.kind == "f" else self.count(y, p)

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        return float(self.score_means(_average(self.condense(y, p), w)[None, :])[0])

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        counts = self.condense(y, p)
        means = _average(counts, w)
        score = float(self.score_means(means[None, :])[0])
        return weighted_contributions(score, (counts - means) @ self.differentiate(means), w)

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        return self.score_means(weights @ self.condense(y, p) / weights.sum(axis=1, keepdims=True))

    def labels_as_predictions(self, y: Array) -> Array:
        return np.array(y[:, 0])

    def compute_null_standard_error(self, y: Array) -> float:
        """From shuffled labels as answers, but at least as if contributions had the spread of a usual system's."""
        shuffled = self.labels_as_predictions(np.random.default_rng(PERMUTATIONS).permutation(y))
        spread = float(np.std(self.compute_contributions(y, shuffled), ddof=1))
        return max(spread, self.least_spread) / math.sqrt(len(y))


def _average(counts: FloatArray, w: FloatArray | None) -> FloatArray:
    return np.asarray(counts.mean(axis=0) if w is None else w @ counts / w.sum())
