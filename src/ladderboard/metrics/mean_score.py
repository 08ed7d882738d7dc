"""The mean of scores that a grader gave to items, as a metric."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import LabelsError, ParameterError, PredictionsError, UndefinedMetricError
from ladderboard.core.records import FloatArray
from ladderboard.core.scales import proportion_between
from ladderboard.metrics.base import MeanMetric
from ladderboard.metrics.inputs import Array, InputKind, Target, read_numbers, refuse_first


class GradedItems(InputKind):
    """Items without labels; "predictions" are the scores that a grader outside gave them, within bounds."""

    takes = "scores of items"

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.description = f"one score for each item, from {low:g} to {high:g}"

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        """The items, of which only the number matters."""
        count = len(np.asarray(labels))
        if count < 2:
            raise LabelsError(f"{count} items; at least 2 are needed")
        return Target(np.zeros(count, dtype=np.int8))

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        scores = read_numbers(predictions, "score", PredictionsError, dimensions=1)
        if len(scores) != len(target):
            raise PredictionsError(f"{len(scores)} scores for {len(target)} items; give one for each item")
        if scores.min() < self.low or scores.max() > self.high:
            outside = (scores < self.low) | (scores > self.high)
            refuse_first(outside, scores, "score", PredictionsError, f"is outside {self.low:g} to {self.high:g}")
        return scores


class MeanScore(MeanMetric):
    """The mean of item scores within bounds: pass or fail, a grade, Dice, ROUGE (not in `METRICS`: it has bounds).

    Nothing is known of the items, so the scale is that of the worst case: the null standard error is
    (high − low)/(2√n), that of scores at either bound half of the time, and the grid is even on asin √ of the score as
    a share of the bounds. The baseline is a constant: the worse bound, unless a better one is given.

    >>> metric = MeanScore((0, 5))
    >>> metric.score(["a", "b", "c"], [5, 4, 0]), metric.null_standard_error(range(400))
    (3.0, 0.125)
    """

    name = "mean_score"
    title = "mean score"
    degree = 0

    def __init__(
        self,
        bounds: tuple[float, float] = (0.0, 1.0),
        *,
        lower_is_better: bool = False,
        baseline: float | None = None,
        name: str = "mean_score",
    ) -> None:
        self.name = name
        self.low, self.high = _read_bounds(bounds)
        self.lower_is_better = bool(lower_is_better)
        self.without_skill = float((self.high if lower_is_better else self.low) if baseline is None else baseline)
        if not self.low <= self.without_skill <= self.high:
            raise ParameterError(f"baseline is {baseline}; it must lie within the bounds {self.low:g} to {self.high:g}")
        self.bounds = (self.low, self.high)
        self.kind = GradedItems(*self.bounds)
        self.scale = proportion_between(*self.bounds)
        self.grid_centre = (self.low + self.high) / 2

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling: a scale is made of functions."""
        return _make, (self.bounds, self.lower_is_better, self.without_skill, self.name)

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        if np.isnan(p).any():
            raise UndefinedMetricError("an item has no score, so the mean of all has no value")
        return np.asarray(p)

    def compute_baseline(self, y: Array) -> Array | float:
        return self.without_skill

    def compute_null_standard_error(self, y: Array) -> float:
        return (self.high - self.low) / (2 * math.sqrt(len(y)))


def _read_bounds(bounds: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError):
        raise ParameterError(f"bounds are {bounds!r}; give the lowest and the highest possible score") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ParameterError(f"bounds are {low:g} and {high:g}; give two finite numbers, the lower one first")
    return low, high


def _make(bounds: tuple[float, float], lower_is_better: bool, baseline: float, name: str) -> MeanScore:
    return MeanScore(bounds, lower_is_better=lower_is_better, baseline=baseline, name=name)
