"""The labels of a holdout bound to a metric: predictions in, Evaluations out.

This is where the weight and the group of items are taken care of, once for all metrics and mechanisms: everything above
sees ``units`` (items, or groups of items that are dependent, such as the rows of one patient).
"""

import copy
import hashlib
import math
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.core.arrays import read_classes
from ladderboard.core.errors import LabelsError, PredictionsError
from ladderboard.core.records import BASELINE, Evaluation, FloatArray, IntArray, PairedTest, Subset, Yardstick
from ladderboard.metrics._kernels.weights import row_blocks
from ladderboard.metrics.base import PERMUTATIONS, Baseline, Metric, read_weight
from ladderboard.metrics.inputs import Array, Target

SPLITS_REMEMBERED = 4


class AnswerKey:
    """The labels, their weights and groups, and the metric that scores predictions against them.

    ``weight``: one positive number for each item. ``group``: one name for each item; items of a group stay together in
    every split and count as one unit in every standard error.
    """

    def __init__(
        self,
        labels: npt.ArrayLike,
        metric: Metric,
        *,
        weight: npt.ArrayLike | None = None,
        group: npt.ArrayLike | None = None,
    ) -> None:
        target = metric.kind.read_labels(labels)
        self._target = Target(_copy_if_shared(target.values, labels), target.classes, target.positive)
        self.metric = metric.for_classes(self._target.classes)
        given_weight = read_weight(weight, len(self._target))
        self._weight = None if given_weight is None else _copy_if_shared(given_weight, weight)
        self._group = _read_group(group, len(self._target))
        self._remembered_split = lru_cache(maxsize=SPLITS_REMEMBERED)(self._draw_split)

    def part(self, items: IntArray) -> "AnswerKey":
        """The key of these items alone, which still knows every class: a class that only others have is valid here too.

        >>> from ladderboard.metrics import METRICS
        >>> key = AnswerKey(["a", "b", "c", "a"], METRICS["accuracy"]).part(np.array([0, 1, 3]))
        >>> len(key), key.classes
        (3, ('a', 'b', 'c'))
        """
        part = copy.copy(self)
        # What was computed of the whole (baseline, yardstick, splits) does not hold for the part.
        part._forget_computed()
        part._target = self._target.take(items)
        part._weight = None if self._weight is None else self._weight[items]
        part._group = None if self._group is None else np.unique(self._group[items], return_inverse=True)[1]
        part._remembered_split = lru_cache(maxsize=SPLITS_REMEMBERED)(part._draw_split)
        return part

    def _forget_computed(self) -> None:
        for name in ("baseline", "yardstick", "_baseline", "_deciding"):
            vars(self).pop(name, None)

    def __len__(self) -> int:
        """The number of items."""
        return len(self._target)

    @property
    def units(self) -> int:
        """n: the number of independent units, groups or else items."""
        return len(self) if self._group is None else int(self._group.max()) + 1

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes in sorted order, or the negative before the positive one; empty where labels are not classes."""
        return self._target.classes

    @property
    def positive(self) -> Any:
        """The positive class of two, where the metric has one; else None."""
        return self._target.positive

    @property
    def class_columns(self) -> tuple[Any, ...]:
        """The classes, in the order of the columns of their probabilities; empty where those are not predicted."""
        return self.classes if self.metric.kind.takes == "probabilities" else ()

    @property
    def width(self) -> int:
        """The number of columns that predictions may have."""
        return int(self._target.values.shape[1]) if self.metric.kind.has_columns else max(1, len(self.class_columns))

    def digest(self) -> bytes:
        """A hash of the labels, weights and groups in canonical form (the classes 0, 0.0 and False are one)."""
        names = [name if isinstance(name, str | bytes) else float(name) for name in self.classes]
        arrays = (self._target.values, self._weight, self._group)
        parts = [None if array is None else fingerprint(array) for array in arrays]
        return hashlib.blake2b(repr((len(self), names, parts)).encode(), digest_size=32).digest()

    def has_labels(self, labels: npt.ArrayLike) -> bool:
        """Whether these are the same labels in the same order."""
        try:
            given = self.metric.kind.read_labels(labels)
        except LabelsError:
            return False
        return given.classes == self._target.classes and np.array_equal(given.values, self._target.values)

    def read(self, predictions: npt.ArrayLike, *, is_fresh: bool = False) -> Array:
        """Check predictions (label-free) and bring them into their one canonical form, in memory of their own.

        ``is_fresh``: they are in memory of their own already.
        """
        p = self.metric.kind.read_predictions(self._target, predictions)
        self.metric.refuse_undefined(p)
        return p if is_fresh else _copy_if_shared(p, predictions)

    def evaluate(self, predictions: Array, *, submission: str = "", training_score: float | None = None) -> Evaluation:
        """The Evaluation of predictions that `read` returned."""
        if len(predictions) != len(self):
            raise PredictionsError(f"{len(predictions)} predictions for {len(self)} items")
        condensed = self.metric.condense(self._target.values, predictions)
        part = _Part(self.metric, self._target, condensed, self._weight, self._group)
        return self._evaluation(part, submission, training_score)

    def predict_perfectly(self) -> Array:
        """Perfect predictions in canonical form, for rehearsals; they are the labels and must never leave."""
        return self.metric.labels_as_predictions(self._target.values)

    @cached_property
    def baseline(self) -> Evaluation:
        """The Evaluation of the public baseline, the first incumbent."""
        found = self._baseline
        if found.predictions is None:
            whole = _Part(self.metric, self._target, self._target.values, self._weight, self._group)
            return self._constant(found.score, whole, lambda: found.score)
        return self.evaluate(found.predictions, submission=BASELINE)

    @cached_property
    def yardstick(self) -> Yardstick:
        metric, plain = self.metric, self._weight is None and self._group is None
        test: PairedTest = "t" if metric.paired_test == "mcnemar" and not plain else metric.paired_test
        return Yardstick(
            metric=metric.name,
            units=self.units,
            lower_is_better=metric.lower_is_better,
            bounds=metric.bounds,
            scale=metric.scale,
            paired_test=test,
            baseline_score=self._baseline.score,
            null_standard_error=self._null_standard_error(),
            baseline_is_label_free=self._baseline.predictions is None,
            hoeffding_units=self._hoeffding_units(),
            grid_centre=metric.grid_centre,
            jackknife_groups=metric.jackknife_groups,
            spread_is_open=metric.spread_is_open,
        )

    @cached_property
    def _baseline(self) -> Baseline:
        return self.metric.baseline_for(self._target, self._weight)

    @cached_property
    def _deciding(self) -> "AnswerKey | None":
        """The key of the metric that decides, with the same splits; None where that is this one."""
        if self.metric.decides_by is None:
            return None
        key = copy.copy(self)
        key._forget_computed()
        key.metric = self.metric.decides_by
        return key

    def _decide(self, predictions: Array, submission: str) -> Evaluation | None:
        return None if self._deciding is None else self._deciding.evaluate(predictions, submission=submission)

    def _null_standard_error(self) -> float:
        found = self.metric.compute_null_standard_error(self._target.values)
        if not found > 0:
            raise LabelsError("the labels do not vary: the baseline is already perfect and nothing can be compared")
        # Dependent items carry less: as if each group were one item, and Kish's effective number for weights.
        dependence = len(self) / self.units
        unevenness = 1.0 if self._weight is None else float(np.mean(self._weight**2) / np.mean(self._weight) ** 2)
        return found * math.sqrt(dependence * unevenness)

    def _hoeffding_units(self) -> float | None:
        """1/Σc² over the units, c what a unit can move the score by: the items of a group move together."""
        leverages = self.metric.compute_leverages(self._target.values, self._weight)
        if leverages is None:
            return None
        by_unit = leverages if self._group is None else np.bincount(self._group, weights=leverages)
        return round(1 / float(by_unit @ by_unit), 6)  # of 1000 equal items 1000, not 999.9999999999998

    def _evaluation(self, part: "_Part", submission: str, training_score: float | None) -> Evaluation:
        return Evaluation(
            submission=submission,
            yardstick=self.yardstick,
            compute_score=part.score,
            compute_contributions=part.contributions,
            compute_replicates=part.replicates,
            restrict=lambda subset: self._evaluation(part.on(subset), submission, training_score),
            split_units=self._remembered_split,
            compute_possible_losses=part.possible_losses,
            list_plausible_labels=part.list_plausible_labels,
            compute_losses_at=part.compute_losses_at,
            compute_deciding=lambda: self._decide(part.predictions, submission) if part.units == self.units else None,
            takes_real_weights=self.metric.takes_real_weights,
            training_score=training_score,
        )

    def _constant(self, score: float, part: "_Part", compute_score: Callable[[], float]) -> Evaluation:
        """The null value as an Evaluation, for metrics on which a constant prediction has no score."""

        def restrict(subset: Subset) -> Evaluation:
            inside = part.on(subset)
            return self._constant(score, inside, lambda: self._null_value(score, inside.target))

        return Evaluation(
            submission=BASELINE,
            yardstick=self.yardstick,
            compute_score=compute_score,
            compute_contributions=lambda: np.full(part.units, score),
            compute_replicates=lambda weights: np.full(len(weights), score),
            restrict=restrict,
            split_units=self._remembered_split,
        )

    def _null_value(self, score: float, target: Target) -> float:
        """The null value on a part, where the metric has any value there: an AUC without positives has none."""
        shuffled = np.random.default_rng(PERMUTATIONS).permutation(target.values)
        self.metric.compute_score(target.values, self.metric.labels_as_predictions(shuffled))
        return score

    def _draw_split(self, seed: int, fraction: float) -> tuple[Subset, Subset]:
        """Two parts of the units, the first with ``fraction`` of them, stratified as the kind of labels says."""
        rng = np.random.default_rng(seed)
        chosen = np.zeros(self.units, dtype=bool)
        strata = self._strata()
        for stratum in np.flatnonzero(np.bincount(strata)):
            members = rng.permutation(np.flatnonzero(strata == stratum))
            # A stratum of odd size gives its odd unit to either side at random.
            take = int(fraction * len(members) + rng.random())
            chosen[members[:take]] = True
        return Subset(np.flatnonzero(chosen)), Subset(np.flatnonzero(~chosen))

    def _strata(self) -> IntArray:
        strata = self.metric.kind.strata(self._target)
        return strata if self._group is None else _find_most_frequent(strata, self._group, self.units)


def _copy_if_shared(values: Array, given: object) -> Array:
    """A copy where the memory is the caller's: what is changed there later must not change what was scored."""
    is_fresh = isinstance(given, list | tuple) or not np.may_share_memory(values, np.asarray(given))
    return values if is_fresh else values.copy()


def fingerprint(predictions: Array, key: bytes = b"") -> bytes:
    """A keyed hash of canonical predictions: equal predictions, and only those, have the same one."""
    if predictions.dtype.kind in "OU":
        # Each text after its length, so that no two lists of texts have the same bytes.
        content = "".join(f"{len(text)}:{text}" for text in predictions.ravel().tolist())
        return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16, key=key).digest()
    # Adding zero makes -0.0 the same as 0.0; class codes are whole numbers and need no copy.
    values = predictions + 0.0 if predictions.dtype.kind == "f" else predictions
    return hashlib.blake2b(np.ascontiguousarray(values).data.cast("B"), digest_size=16, key=key).digest()


class _Part:
    """Labels and predictions of some items, with the arithmetic of weights and groups."""

    def __init__(
        self, metric: Metric, target: Target, predictions: Array, weight: FloatArray | None, group: IntArray | None
    ) -> None:
        self.metric, self.target, self.predictions = metric, target, predictions
        self.weight, self.group = weight, group

    @property
    def units(self) -> int:
        return len(self.target) if self.group is None else int(self.group.max()) + 1

    def score(self) -> float:
        return self.metric.compute_score(self.target.values, self.predictions, self.weight)

    def contributions(self) -> FloatArray:
        return self.metric.compute_unit_contributions(self.target.values, self.predictions, self.weight, self.group)

    def possible_losses(self) -> Iterator[FloatArray] | None:
        possible = self.metric.compute_possible_losses(self.target.values, self.predictions)
        if possible is None or self.weight is None:
            return possible
        return (self._weigh(losses) for losses in possible)

    def list_plausible_labels(self) -> Iterator[Array] | None:
        return self.metric.list_plausible_labels(self.target.values, self.predictions)

    def compute_losses_at(self, labels: Array) -> FloatArray:
        losses = self.metric.compute_losses_at(labels, self.predictions)
        assert losses is not None, "only metrics that list plausible labels are asked"
        return self._weigh(losses)

    def _weigh(self, losses: FloatArray) -> FloatArray:
        return losses if self.weight is None else losses * (self.weight / self.weight.mean())

    def replicates(self, weights: FloatArray) -> FloatArray:
        scores = np.empty(len(weights))
        for start, stop in row_blocks(len(weights), len(self.predictions)):
            rows = weights[start:stop] if self.group is None else weights[start:stop, self.group]
            rows = rows if self.weight is None else rows * self.weight
            scores[start:stop] = self.metric.compute_replicates(self.target.values, self.predictions, rows)
        return scores

    def on(self, subset: Subset) -> "_Part":
        items = subset.units
        group = None
        if self.group is not None:
            inside = np.full(int(self.group.max()) + 1, -1, dtype=np.intp)
            inside[subset.units] = np.arange(len(subset.units))
            items = np.flatnonzero(inside[self.group] >= 0)
            group = inside[self.group[items]]
        weight = None if self.weight is None else self.weight[items]
        return _Part(self.metric, self.target.take(items), self.predictions[items], weight, group)


def _read_group(group: npt.ArrayLike | None, items: int) -> IntArray | None:
    if group is None:
        return None
    names = read_classes(group, "group", LabelsError, noun="name")
    if len(names) != items:
        raise LabelsError(f"{len(names)} group names for {items} items")
    groups, codes = np.unique(names, return_inverse=True)
    if len(groups) < 2:
        raise LabelsError("all items are in one group; at least two groups are needed")
    return codes.astype(np.intp)


def _find_most_frequent(strata: IntArray, group: IntArray, units: int) -> IntArray:
    """For each group the stratum that most of its items are in; the smallest of several."""
    count = int(strata.max()) + 1
    pairs, items = np.unique(group * count + strata, return_counts=True)
    by_group = np.lexsort((-items, pairs // count))
    first = np.searchsorted((pairs // count)[by_group], np.arange(units))
    return np.asarray(pairs[by_group][first] % count)
