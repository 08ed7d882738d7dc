"""Means over columns of a metric of one column: several targets, or several labels."""

import math

import numpy as np

from ladderboard.core.errors import UndefinedMetricError
from ladderboard.core.records import FloatArray
from ladderboard.core.scales import LOG, LOGIT
from ladderboard.metrics.auc import Auc
from ladderboard.metrics.base import Metric
from ladderboard.metrics.column_inputs import LabelScores, NumberColumns
from ladderboard.metrics.inputs import Array
from ladderboard.metrics.mae import MeanAbsoluteError
from ladderboard.metrics.rmse import RootMeanSquaredError


class Columnwise(Metric):
    """The mean over columns of another metric; contributions and replicates are the means of the columns' own.

    Items are resampled with all of their columns, so that the error of the mean has the columns' correlation in it.
    To write one: ``of``, and the traits.
    """

    of: Metric
    """The metric of one column."""
    lower_is_better: bool
    paired_test = "t"
    takes_real_weights = True
    relative_cost = 5

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        return float(np.mean([self.of.compute_score(*column, w) for column in _columns(y, p)]))

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        return np.asarray(np.mean([self.of.compute_contributions(*column, w) for column in _columns(y, p)], axis=0))

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        return np.asarray(np.mean([self.of.compute_replicates(*one, weights) for one in _columns(y, p)], axis=0))

    def compute_baseline(self, y: Array) -> Array | float:
        found = [self.of.compute_baseline(column) for column in y.T]
        constants = [one for one in found if not isinstance(one, float)]
        return (
            np.stack(constants, axis=1)
            if constants
            else float(np.mean([one for one in found if isinstance(one, float)]))
        )

    def compute_null_standard_error(self, y: Array) -> float:
        """√(Σ_cd se_c·se_d·ρ_cd²)/m, with ρ the correlations of the labels' columns.

        To first order the sd over permutations of the rows of labels as predictions: then a column's score depends on
        Σ_i y_ic·y_π(i)c alone, and the correlation of two such sums is ρ².
        """
        errors = np.array([self.of.compute_null_standard_error(column) for column in y.T])
        squares = _correlate_columns(y) ** 2
        return math.sqrt(float(errors @ squares @ errors)) / len(errors)


class MeanColumnwiseAuc(Columnwise):
    """The mean over labels of the AUC; every label counts the same.

    Undefined where all items, or none, have a label. Baseline: the null value ½. Equals
    ``sklearn.metrics.roc_auc_score(average="macro")`` of a table of labels.

    >>> MeanColumnwiseAuc().score([[0, 1], [0, 0], [1, 1], [1, 0]], [[0.1, 4], [0.4, 2], [0.35, 3], [0.8, 1]])
    0.875
    """

    name = "mean_columnwise_auc"
    title = "mean columnwise AUC"
    kind = LabelScores()
    of = Auc()
    lower_is_better = False
    bounds = (0.0, 1.0)
    scale = LOGIT
    degree = 0

    def compute_null_standard_error(self, y: Array) -> float:
        counts = y.sum(axis=0)
        if not (counts.all() and (counts < len(y)).all()):
            raise UndefinedMetricError("the AUC of a label needs items that have it and items that have it not")
        return super().compute_null_standard_error(y)


class MeanColumnwiseRmse(Columnwise):
    """The mean over targets of the root mean squared error (MCRMSE); a target in a small unit counts little.

    Baseline: the mean of each target. Equals the mean of ``sklearn.metrics.root_mean_squared_error(multioutput=
    "raw_values")``.

    >>> MeanColumnwiseRmse().score([[1, 0], [2, 5], [3, 0], [4, 1]], [[1, 0], [2, 5], [3, 0], [8, 1]])
    1.0
    """

    name = "mean_columnwise_rmse"
    title = "mean columnwise RMSE"
    kind = NumberColumns()
    of = RootMeanSquaredError()
    lower_is_better = True
    bounds = (0.0, np.inf)
    scale = LOG
    degree = 1


class MeanColumnwiseMae(Columnwise):
    """The mean over targets of the mean absolute error; a target in a small unit counts little.

    Baseline: the median of each target. Equals ``sklearn.metrics.mean_absolute_error`` of several targets.

    >>> MeanColumnwiseMae().score([[1, 0], [2, 5], [3, 0], [4, 1]], [[1, 0], [2, 5], [3, 0], [8, 1]])
    0.5
    """

    name = "mean_columnwise_mae"
    title = "mean columnwise MAE"
    kind = NumberColumns()
    of = MeanAbsoluteError()
    lower_is_better = True
    bounds = (0.0, np.inf)
    scale = LOG
    degree = 1


def _columns(y: Array, p: Array) -> list[tuple[Array, Array]]:
    """Labels and predictions of one column after the other, each in memory of its own."""
    return [(np.ascontiguousarray(y[:, at]), np.ascontiguousarray(p[:, at])) for at in range(y.shape[1])]


def _correlate_columns(y: Array) -> FloatArray:
    """Pearson's correlations of the columns; 0 with a constant one, 1 with itself."""
    centred = y - y.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    unit = np.divide(centred, lengths, out=np.zeros(y.shape), where=lengths > 0)
    correlations = unit.T @ unit
    np.fill_diagonal(correlations, 1.0)
    return np.asarray(correlations)
