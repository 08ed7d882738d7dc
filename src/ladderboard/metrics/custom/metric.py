"""A metric made from a user's function of labels and predictions."""

import copy
import math
import numbers
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import MetricUnavailableError, ParameterError, UndefinedMetricError, unknown_name
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.core.scales import IDENTITY, Scale
from ladderboard.metrics._families.confusion import class_rates
from ladderboard.metrics._families.forecasts import one_hot
from ladderboard.metrics._kernels.jackknives import STEP, Progress, draw_groups, jackknife
from ladderboard.metrics.base import PERMUTATIONS, Metric
from ladderboard.metrics.custom.options import (
    CONSTANTS,
    KINDS,
    check_baseline,
    check_bounds,
    check_groups,
    read_name,
    takes_weights,
)
from ladderboard.metrics.inputs import Array, Classes

NO_VALUE = "the metric's function gives no value for these predictions"
"""All that is ever told of a failure on the holdout: an exception's own text could quote labels."""

GROUPS = 17
"""Groups of the jackknife. An accept looks at the whole set and at two parts of it, each with its score and a
jackknife: 57 calls at most."""

NO_SPREAD = 1e-9
"""A null standard error below this share of the metric's values is rounding."""

ROUNDING = 1e-9
"""How far a value may lie outside its bounds and be put down to rounding."""


def metric_from_function(
    function: Callable[..., float],
    *,
    lower_is_better: bool,
    name: str | None = None,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    scale: Scale = IDENTITY,
    takes: str = "numbers",
    baseline: str | float | None = None,
    jackknife_groups: int = GROUPS,
    progress: Progress | None = None,
) -> "FunctionMetric":
    """Make a metric of ``function(labels, predictions)`` or ``function(labels, predictions, sample_weight=…)``.

    Parameters
    ----------
    function
        Returns one number. It sees labels and predictions as numpy arrays of its own, which it may change: the labels'
        own values, also where they are classes, and for probabilities an items × classes table with the classes in
        sorted order. With a parameter named ``sample_weight`` it is given weights; their scale must not matter.
    name
        By default the function's.
    bounds, scale
        The range of its values, and the scale on which released numbers lie evenly (see `ladderboard.core.scales`).
    takes
        "numbers", "classes", "two_classes", "scores", "probabilities" or "survival".
    baseline
        "mean" or "median" of numbers, "majority" of classes, "base_rate" for probabilities; or a number, the value
        without skill, where a constant prediction has none. Must be given for scores and survival.
    jackknife_groups
        How many groups of items a standard error is estimated from. With 17 a guard calls the function at most 60 times
        for a submission. More cost as many more calls, and tell small differences apart somewhat better.
    progress
        Called as ``progress(done, total)`` during long work.

    Raises
    ------
    ParameterError
        where an option is unknown or the function cannot be called with two arguments.

    >>> def relative_error(labels, predictions):
    ...     return abs(predictions - labels).mean() / labels.mean()
    >>> metric = metric_from_function(relative_error, lower_is_better=True, bounds=(0, math.inf))
    >>> metric.name, metric.score([1, 2, 3], [1, 4, 4])
    ('relative_error', 0.5)
    """
    if takes not in KINDS:
        raise ParameterError(unknown_name("kind of input", takes, KINDS))
    return FunctionMetric(
        function,
        name=read_name(function, name),
        lower_is_better=lower_is_better,
        bounds=check_bounds(bounds, scale),
        scale=scale,
        takes=takes,
        baseline=check_baseline(baseline, takes),
        groups=check_groups(jackknife_groups),
        progress=progress,
    )


class FunctionMetric(Metric):
    """A metric that knows its score only by calling a function; made by `metric_from_function`.

    Contributions are those of a jackknife over random groups of the units: by raising a group's weight where the
    function takes ``sample_weight``, else by leaving the group out. It needs a score that is smooth in the items, as a
    mean, a ratio or a correlation is; a maximum or a median is not. Comparisons and intervals use Student's t with one
    degree of freedom less than groups.

    Without ``sample_weight`` replicates need whole-number weights, and items are repeated. The null standard error is
    the sd over 200 seeded permutations of the labels as predictions; probabilities are half-confident ones there,
    half-way between the class frequencies and the certainty of the shuffled class.
    """

    paired_test = "t"
    degree = 0
    relative_cost = 30
    """The function is called again for parts of the items."""

    def __init__(
        self,
        function: Callable[..., float],
        *,
        name: str,
        lower_is_better: bool,
        bounds: tuple[float, float],
        scale: Scale,
        takes: str,
        baseline: str | float,
        groups: int = GROUPS,
        progress: Progress | None = None,
    ) -> None:
        self.takes_real_weights = takes_weights(function)
        self.title = name.replace("_", " ")
        self.name, self.lower_is_better, self.takes, self.without_skill = name, lower_is_better, takes, baseline
        self.bounds, self.scale, self.kind = bounds, scale, KINDS[takes]
        self._function, self._groups = function, groups
        self._progress = _silence if progress is None else progress
        self._classes: Array | None = None

    def rehearse(self, labels: npt.ArrayLike, predictions: npt.ArrayLike) -> float:
        """The score, with the function's own error where it fails: for the organiser's eyes, since it may quote labels.

        Raises `ParameterError` where the function fails, returns no number within the bounds, ignores its weights or
        depends on their scale.
        """
        target, p, _ = self._read(labels, predictions, None)
        bound = self.for_classes(target.classes)
        try:
            returned = bound._call(target.values, p, np.ones(len(target)))
        except Exception as error:
            raise ParameterError(f"{self.name} failed: {type(error).__name__}: {error}") from error
        score = self._check_score(returned)
        if score is None:
            raise ParameterError(f"{self.name} returned {returned!r}; a number within {self.bounds} is needed")
        if self.takes_real_weights:
            bound._rehearse_weights(target.values, p)
        return score

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        if w is not None and not self.takes_real_weights:
            counts = self._counts(w)
            y, p = np.repeat(y, counts, axis=0), np.repeat(p, counts, axis=0)
        return self._value(y, p, np.ones(len(y)) if w is None else w)

    @property
    def jackknife_groups(self) -> int:
        return self._groups

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        return self.compute_unit_contributions(y, p, w, None)

    def compute_unit_contributions(
        self, y: Array, p: Array, w: FloatArray | None, group: IntArray | None
    ) -> FloatArray:
        """Groups of the jackknife are of whole units, so that dependent items are never apart."""
        units = np.arange(len(y)) if group is None else group
        parts = self._draw_groups(int(units.max()) + 1, y)
        number = np.empty(int(units.max()) + 1, dtype=np.intp)
        for g, part in enumerate(parts):
            number[part] = g
        group_of, score = number[units], self.compute_score(y, p, w)

        def change_of(part: IntArray) -> float:
            return self._change(y, p, w, is_inside=group_of == number[part[0]], score=score)

        return jackknife(change_of, score, parts, progress=self._progress)

    def _draw_groups(self, units: int, y: Array) -> list[IntArray]:
        return draw_groups(units, self._groups, y)

    def _change(
        self, y: Array, p: Array, w: FloatArray | None, *, is_inside: npt.NDArray[np.bool_], score: float
    ) -> float:
        """What the items inside add to the score by differing from the others: Σ w(l − s)/Σw for a mean of losses."""
        weight = np.ones(len(y)) if w is None else w
        share = float(weight[is_inside].sum() / weight.sum())
        if self.takes_real_weights:
            raised = self._value(y, p, np.where(is_inside, (1 + STEP) * weight, weight))
            return (raised - score) * (1 + STEP * share) / STEP
        rest = ~is_inside
        return (score - self.compute_score(y[rest], p[rest], None if w is None else w[rest])) * (1 - share)

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        scores = np.empty(len(weights))
        for row, w in enumerate(weights):
            scores[row] = self.compute_score(y, p, w)
            self._progress(row + 1, len(weights))
        return scores

    def compute_baseline(self, y: Array) -> Array | float:
        rule = self.without_skill
        return CONSTANTS[rule](y) if isinstance(rule, str) else rule

    def compute_null_standard_error(self, y: Array) -> float:
        rng = np.random.default_rng(PERMUTATIONS)
        scores = np.empty(PERMUTATIONS)
        for draw in range(PERMUTATIONS):
            scores[draw] = self.compute_score(y, self.labels_as_predictions(rng.permutation(y)))
            self._progress(draw + 1, PERMUTATIONS)
        found = float(np.std(scores, ddof=1))
        if np.ptp(y, axis=0).max() > 0 and found <= NO_SPREAD * self._largest_value(y, scores):
            raise ParameterError(
                f"{self.name} gives the same value whichever prediction stands beside which label, so it cannot tell a "
                "good submission from a shuffled one; use a metric that compares each prediction with its own label"
            )
        return found

    def _largest_value(self, y: Array, scores: FloatArray) -> float:
        """The size of the metric's values: on shuffled labels, and on predictions that are clearly off."""
        guesses = [self.labels_as_predictions(y)]
        if self.takes in ("numbers", "scores"):
            guesses.append(2 * guesses[0] + np.ptp(y))
        elif self.takes != "survival":
            guesses.append(guesses[0][np.zeros(len(y), dtype=np.intp)])
        found = [abs(float(scores.mean()))]
        for guess in guesses:
            with suppress(UndefinedMetricError):
                found.append(abs(self.compute_score(y, guess)))
        return max(found)

    def labels_as_predictions(self, y: Array) -> Array:
        if self.takes == "probabilities":  # half-confident, since a certain and wrong one may be infinitely bad
            rates = class_rates(y)
            return np.asarray((rates + one_hot(y, classes=len(rates))) / 2)
        if self.takes == "survival":
            return np.asarray(-y[:, 0])
        return y.astype(np.float64) if self.takes == "scores" else y

    def for_classes(self, classes: tuple[Any, ...]) -> "FunctionMetric":
        bound = copy.copy(self)
        bound._classes = np.asarray(classes) if classes else None
        return bound

    def _value(self, y: Array, p: Array, w: FloatArray) -> float:
        return self._check(lambda: self._call(y, p, w))

    def _check(self, call: Callable[[], object]) -> float:
        """Call the function; any error in it becomes one fixed error."""
        returned: object = None
        # Left before raising: an error raised inside would carry the function's own error as its context.
        try:
            returned = call()
        except MetricUnavailableError:  # not the function's failure but the platform's: nobody is charged for it
            raise
        except Exception:  # noqa: S110 (told below, in words that depend on no label)
            pass
        score = self._check_score(returned)
        if score is None:
            raise UndefinedMetricError(NO_VALUE)
        return score

    def _call(self, y: Array, p: Array, w: FloatArray) -> object:
        weights = {"sample_weight": w.copy()} if self.takes_real_weights else {}
        labels, predictions = self._decode(y), self._decode(p) if isinstance(self.kind, Classes) else p.copy()
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # a warning could quote labels too
            return self._function(labels, predictions, **weights)

    def _decode(self, codes: Array) -> Array:
        """The classes that codes stand for; a copy of the values where labels are no classes."""
        return codes.copy() if self._classes is None else np.asarray(self._classes[codes])

    def _check_score(self, returned: object) -> float | None:
        """The returned value as a score; None if it is not a finite number within the bounds."""
        if isinstance(returned, np.ndarray) and returned.ndim == 0:
            returned = returned.item()
        if not isinstance(returned, numbers.Real | np.bool_):  # numpy's real numbers are numbers.Real
            return None
        value, (low, high) = float(returned), self.bounds
        slack = ROUNDING * max(1.0, abs(value))
        if not (math.isfinite(value) and low - slack <= value <= high + slack):
            return None
        return min(max(value, low), high)

    def _counts(self, w: FloatArray) -> IntArray:
        counts = np.rint(w)
        if not np.array_equal(counts, w):
            raise ParameterError(
                f"{self.name} takes no sample_weight, so items can only be counted, not weighed; "
                "give whole-number weights, or give the function a parameter sample_weight"
            )
        return counts.astype(np.intp)

    def _rehearse_weights(self, y: Array, p: Array) -> None:
        rng = np.random.default_rng(len(y))
        w, shuffled = rng.exponential(size=len(y)), p[rng.permutation(len(p))]
        even, uneven, doubled = (
            np.array([self._value(y, guess, v) for guess in (p, shuffled)]) for v in (np.ones(len(y)), w, 2 * w)
        )
        if not np.allclose(uneven, doubled, rtol=1e-6, atol=1e-12):
            raise ParameterError(f"{self.name} depends on the scale of sample_weight; divide by the sum of the weights")
        if np.array_equal(even, uneven):
            raise ParameterError(f"{self.name} ignores its sample_weight; use it, or drop the parameter")


def _silence(_done: int, _total: int) -> None:
    """Ignore progress."""
