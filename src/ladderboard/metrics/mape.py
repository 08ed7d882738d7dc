"""Mean absolute percentage error, as a fraction."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import LabelsError
from ladderboard.core.records import FloatArray
from ladderboard.core.scales import LOG
from ladderboard.metrics.base import MeanMetric
from ladderboard.metrics.inputs import Array, Numbers, Target, refuse_first

STEPS = 16
"""Between the smallest and the largest label that is looked at."""


class PositiveLabels(Numbers):
    """Positive labels; predictions are any numbers."""

    labels_are_positive = True

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        target = super().read_labels(labels)
        refuse_first(target.values <= 0, target.values, "label", LabelsError, "is not positive, as a percentage needs")
        return target


class MeanPercentageError(MeanMetric):
    """The mean of |y − p|/y, a fraction: 0.25 is 25 percent. Labels must be positive.

    Errors above a label count without limit and those below it at most 1, so that low predictions are favoured.
    Baseline: the best constant, the median of the labels weighted by 1/y. Equals
    ``sklearn.metrics.mean_absolute_percentage_error``.

    >>> MeanPercentageError().score([1, 2, 4], [1, 3, 3])
    0.25
    """

    name = "mape"
    title = "MAPE"
    degree = 0
    kind = PositiveLabels()
    lower_is_better = True
    bounds = (0.0, np.inf)
    scale = LOG

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        return np.asarray(np.abs(y - p) / y)

    def compute_baseline(self, y: Array) -> Array | float:
        order = np.sort(y)
        mass = np.cumsum(1 / order)
        return np.full_like(y, order[np.searchsorted(mass, mass[-1] / 2)])

    def compute_possible_losses(self, y: Array, p: Array) -> Iterator[FloatArray] | None:
        """With labels in between too: the difference of two losses may be largest at the greater prediction."""
        labels = np.geomspace(y.min(), y.max(), STEPS + 1)
        return (self.compute_losses(np.full_like(y, label), p) for label in labels)

    def list_plausible_labels(self, y: Array, p: Array) -> Iterator[Array] | None:
        listed = super().list_plausible_labels(y, p)
        assert listed is not None, "losses are unbounded"
        low, high = listed
        return (low * (high / low) ** (step / STEPS) for step in range(STEPS + 1))
