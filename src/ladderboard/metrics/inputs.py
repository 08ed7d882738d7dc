"""Kinds of labels and predictions: reading, checking, and the message for what is wrong.

Every check of predictions here is label-free: its message may be shown to a participant in full.
"""

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from ladderboard.core.arrays import Array, read_classes, read_numbers, refuse_first, show_value
from ladderboard.core.errors import InputError, LabelsError, PredictionsError
from ladderboard.core.records import FloatArray, IntArray

__all__ = [
    "Array",
    "Classes",
    "InputKind",
    "Numbers",
    "Probabilities",
    "Scores",
    "Survival",
    "Target",
    "TwoClasses",
    "check_length",
    "read_numbers",
    "refuse_first",
]

SHOWN_CLASSES = 6
FEW_CLASSES = 1000
"""Whole numbers within so small a range are counted."""
MOST_FRACTIONS = 20
"""Grades such as 3.5 may be classes; more different numbers with fractions are measurements."""
ALL_DIFFERENT = 0.9
"""Labels of which so many are different are no classes: of 100 classes drawn 100 times, two in three are."""


@dataclass(frozen=True, eq=False)
class Target:
    """Labels in the form the metrics compute with: numbers, class codes, or (time, event) rows."""

    values: Array
    classes: tuple[Any, ...] = ()
    """The class that each code stands for; empty where labels are not classes.

    In sorted order, except that the positive class of `Scores` and `TwoClasses` is the second.
    """
    positive: Any = None
    """The positive class of two, where the kind of problem has one."""

    def take(self, items: IntArray) -> "Target":
        return Target(self.values[items], self.classes, self.positive)

    def __len__(self) -> int:
        return len(self.values)


class InputKind(ABC):
    """A kind of problem: how its labels and predictions are read."""

    takes: ClassVar[str]
    """What predictions are, in one word: classes, probabilities, scores, numbers, labels (0/1), survival (risks),
    ranking (a list of ids), mask (runs of pixels) or text."""
    description: str
    """One sentence for a user: what predictions look like."""
    has_columns: ClassVar[bool] = False
    """Whether labels and predictions are tables with a column for each target or label."""
    has_texts: ClassVar[bool] = False
    """Whether labels and predictions are texts, and nothing that looks like a number in them is one."""
    has_positive: ClassVar[bool] = False
    """Whether predictions for two classes are about one of them, the positive class."""
    positive: Any = None
    """The positive class that was chosen; None: the greater of the two labels."""
    trusts_classes: bool = False
    """Whether numbers are classes even where they look like measurements: the labels' owner was asked elsewhere."""

    def trusting_classes(self) -> Self:
        """The same kind, which takes every number for a class."""
        chosen = copy.copy(self)
        chosen.trusts_classes = True
        return chosen

    def with_positive(self, positive: Any) -> Self:
        """The same kind with this class as the positive one."""
        chosen = copy.copy(self)
        chosen.positive = positive
        return chosen

    @abstractmethod
    def read_labels(self, labels: npt.ArrayLike) -> Target:
        """Check labels. Raises `LabelsError` naming the first offending row (rows count from 0)."""

    @abstractmethod
    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        """Check predictions against the labels' number and classes only. Raises `PredictionsError`."""

    def strata(self, target: Target) -> IntArray:
        """A code for each item: a split takes its share of the items of every code. Classes, unless a kind differs."""
        return target.values.astype(np.intp) if target.classes else np.zeros(len(target), dtype=np.intp)


class Numbers(InputKind):
    """Real labels, real predictions, optionally bounded below."""

    takes = "numbers"
    labels_are_positive: ClassVar[bool] = False
    """Whether labels, unlike predictions, must be above 0."""

    def __init__(self, smallest: float = -np.inf) -> None:
        self.smallest = smallest
        limit = "" if smallest == -np.inf else f", at least {smallest:g}"
        self.description = f"one finite number for each item{limit}"

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        return Target(self._read(labels, "label", LabelsError))

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        return check_length(self._read(predictions, "prediction", PredictionsError), len(target))

    def _read(self, values: npt.ArrayLike, word: str, error: type[InputError]) -> FloatArray:
        numbers = read_numbers(values, word, error, dimensions=1)
        refuse_first(numbers < self.smallest, numbers, word, error, f"is below {self.smallest:g}")
        return numbers


class Classes(InputKind):
    """Class labels of any type; predictions are classes too."""

    takes = "classes"
    description = "one of the known classes for each item"

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        return _read_classes(labels, is_trusting=self.trusts_classes)

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        values = read_classes(predictions, "prediction", PredictionsError, like=target.classes[0])
        return _encode(check_length(values, len(target)), target.classes)


class TwoClasses(Classes):
    """Exactly two classes, one of them positive; predictions are classes too."""

    description = "one of the two classes for each item"
    has_positive = True

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        return _two_classes(labels, self.positive)


class Scores(InputKind):
    """Two classes; predictions are real scores, higher for the positive class."""

    takes = "scores"
    description = "one finite number for each item, higher where the positive class is likelier"
    has_positive = True

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        return _two_classes(labels, self.positive)

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        table = read_numbers(predictions, "prediction", PredictionsError, dimensions=2)
        if table.shape[1] > 1:
            raise PredictionsError(
                f"{table.shape[1]} columns of predictions; give one score for each item, such as the column of "
                f"probabilities of the class {show_value(target.classes[1])}"
            )
        return check_length(table[:, 0], len(target))


class Probabilities(InputKind):
    """Classes; predictions are P(positive) for two classes, or one column for each class in sorted order."""

    takes = "probabilities"
    description = "for two classes P(positive class) for each item; otherwise one column for each class in sorted order"
    has_positive = True
    sum_tolerance = 1e-3

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        target = _read_classes(labels, is_trusting=self.trusts_classes)
        if len(target.classes) != 2:
            return target
        positive = target.classes[1] if self.positive is None else self.positive
        _refuse_other_positive(positive, target.classes)
        return Target(target.values, target.classes, positive)

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        """Always n × m, columns in the order of ``target.classes``, rows summing to one."""
        table = read_numbers(predictions, "prediction", PredictionsError, dimensions=2)
        table = check_length(table, len(target))
        outside = (table < 0) | (table > 1)  # before 1 − p stands beside p, so that the refusal shows what was given
        refuse_first(outside, table, "prediction", PredictionsError, "is not a probability between 0 and 1")
        table = self._complete_columns(table, target)
        sums = table.sum(axis=1)
        off = np.abs(sums - 1) > self.sum_tolerance
        refuse_first(off, sums, "sum of class probabilities", PredictionsError, "is not 1")
        return np.asarray(table / sums[:, None])

    def _complete_columns(self, table: FloatArray, target: Target) -> FloatArray:
        classes = len(target.classes)
        if table.shape[1] == 1 and classes == 2:
            other = 1 - table
            return np.hstack([other, table] if target.positive == target.classes[1] else [table, other])
        if table.shape[1] != classes:
            raise PredictionsError(
                f"{table.shape[1]} columns of predictions, but there are {classes} classes; "
                f"give one column for each class in sorted order"
            )
        return table


class Survival(InputKind):
    """Labels are rows (time, event); predictions are risk scores, higher for an earlier event."""

    takes = "survival"
    description = "one finite risk for each item, higher where the event is expected sooner"

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        table = read_numbers(labels, "label", LabelsError, dimensions=2)
        if table.shape[1] != 2:
            raise LabelsError(f"{table.shape[1]} label columns; survival labels are two columns: time and event")
        refuse_first(table[:, 0] < 0, table[:, 0], "time", LabelsError, "is negative")
        unknown = (table[:, 1] != 0) & (table[:, 1] != 1)
        refuse_first(unknown, table[:, 1], "event", LabelsError, "is neither 0 (censored) nor 1")
        _refuse_incomparable(table)
        return Target(table)

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        numbers = read_numbers(predictions, "prediction", PredictionsError, dimensions=1)
        return check_length(numbers, len(target))

    def strata(self, target: Target) -> IntArray:
        """Observed and censored items: it is the observed ones that carry the comparisons."""
        return np.asarray(target.values[:, 1], dtype=np.intp)


def check_length(values: Array, expected: int) -> Array:
    """The predictions, of which there must be one for each item."""
    if len(values) != expected:
        raise PredictionsError(f"{len(values)} predictions for {expected} items; give one for each item, in order")
    return values


def _refuse_incomparable(labels: FloatArray) -> None:
    """At least one item must be known to outlive an observed event."""
    times, observed = labels[:, 0], labels[:, 1] == 1
    if not observed.any():
        raise LabelsError(f"all {len(labels)} items are censored; at least one observed event is needed")
    first = times[observed].min()
    if not ((times > first) | ((times == first) & ~observed)).any():
        raise LabelsError("no item is known to outlive another one's event, so that no two items can be compared")


def _read_classes(labels: npt.ArrayLike, *, is_trusting: bool) -> Target:
    values = read_classes(labels, "label", LabelsError)
    classes, codes = _number_classes(values)
    if len(classes) < 2:
        raise LabelsError(f"all {len(values)} labels are {show_value(classes[0])}; at least two classes are needed")
    if not is_trusting and are_measurements(classes, len(values)):
        raise LabelsError(
            f"the labels are {len(classes):,} different numbers on {len(values):,} items, but this metric compares "
            "classes; name a regression metric such as rmse or mae, or give classes as texts"
        )
    return Target(_small(codes, len(classes)), tuple(classes.tolist()))


def _two_classes(labels: npt.ArrayLike, positive: Any) -> Target:
    """The labels with the positive class as code 1: the greater one, unless another was chosen."""
    target = _read_classes(labels, is_trusting=True)
    if len(target.classes) != 2:
        raise LabelsError(f"{len(target.classes)} classes in the labels; this metric takes exactly two")
    if positive is None or positive == target.classes[1]:
        return Target(target.values, target.classes, target.classes[1])
    _refuse_other_positive(positive, target.classes)
    return Target(1 - target.values, target.classes[::-1], positive)


def _refuse_other_positive(positive: Any, classes: tuple[Any, ...]) -> None:
    if positive not in classes:
        raise LabelsError(f"no label is {show_value(positive)}, the positive class; they are {_join_classes(classes)}")


def are_measurements(classes: Array, items: int) -> bool:
    """Whether they are numbers that hardly repeat, or many with fractions: nobody predicts those exactly."""
    if classes.dtype.kind not in "iuf" or len(classes) <= MOST_FRACTIONS:
        return False
    has_fractions = classes.dtype.kind == "f" and bool((classes != np.rint(classes)).any())
    return has_fractions or len(classes) > ALL_DIFFERENT * items


def _number_classes(values: Array) -> tuple[Array, Array]:
    """The classes in sorted order, and the code of each value."""
    if values.dtype.kind in "iu" and int(values.max()) - int(values.min()) < FEW_CLASSES:
        # Counted rather than sorted: ten times as fast for ten million labels.
        least = values.min()
        shifted = values - least if least else values
        present = np.bincount(shifted) > 0
        return np.flatnonzero(present).astype(values.dtype) + least, (np.cumsum(present) - 1).astype(np.int16)[shifted]
    classes, codes = np.unique(values, return_inverse=True)
    return classes, codes


def _encode(values: Array, classes: tuple[Any, ...]) -> Array:
    """Codes of ``values``; a class that is not known is refused by row."""
    known = np.asarray(classes)
    if (known.dtype.kind in "US") != (values.dtype.kind in "US"):
        raise PredictionsError(
            f"row 0: prediction {show_value(values[0])} is not one of the classes {_join_classes(classes)}"
        )
    if _are_codes(known) and (values.min() >= 0) and (values.max() < len(known)):
        codes = _small(values, len(known))
        unknown = codes != values
    else:
        order = np.argsort(known)  # the positive class of two comes second, whatever its name
        places = order[np.minimum(np.searchsorted(known, values, sorter=order), len(known) - 1)]
        codes, unknown = _small(places, len(known)), known[places] != values
    refuse_first(unknown, values, "prediction", PredictionsError, f"is not one of the classes {_join_classes(classes)}")
    return codes


def _are_codes(known: Array) -> bool:
    return known.dtype.kind in "biuf" and bool((known == np.arange(len(known))).all())


def _small(codes: Array, classes: int) -> Array:
    """The smallest integers that hold the codes: comparing and hashing them is then cheap."""
    return np.ascontiguousarray(codes, dtype=np.int8 if classes <= 127 else np.int32)


def _join_classes(classes: tuple[Any, ...]) -> str:
    first = ", ".join(show_value(one) for one in classes[:SHOWN_CLASSES])
    return first if len(classes) <= SHOWN_CLASSES else f"{first}, … ({len(classes)} in all)"
