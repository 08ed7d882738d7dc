"""What labels and predictions a metric takes: reading, checking, and the sentence that says what is wrong.

Every check of predictions here is label-free: its message may be shown to a participant in full.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.errors import InputError, LabelsError, PredictionsError
from ladderboard.records import FloatArray, IntArray

Array = npt.NDArray[Any]

SHOWN_CLASSES = 6
LARGEST_PREDICTION = 1e100
"""Beyond this, squares overflow and a score would be inf."""


@dataclass(frozen=True, eq=False)
class Target:
    """Labels in the form the metrics compute with: numbers, class codes, or (time, event) rows."""

    values: Array
    classes: tuple[Any, ...] = ()
    """The class that each code stands for, in sorted order; empty where labels are not classes."""

    def take(self, items: IntArray) -> "Target":
        return Target(self.values[items], self.classes)

    def __len__(self) -> int:
        return len(self.values)


class InputKind(ABC):
    """A kind of problem: how its labels and predictions are read."""

    description: str
    """One sentence for a user: what predictions look like."""

    @abstractmethod
    def read_labels(self, labels: npt.ArrayLike) -> Target:
        """Check labels. Raises `LabelsError` naming the first offending row (rows count from 0)."""

    @abstractmethod
    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        """Check predictions against the labels' number and classes only. Raises `PredictionsError`."""


class Numbers(InputKind):
    """Real labels, real predictions, optionally bounded below."""

    def __init__(self, smallest: float = -np.inf) -> None:
        self.smallest = smallest
        limit = "" if smallest == -np.inf else f", at least {smallest:g}"
        self.description = f"one finite number for each item{limit}"

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        return Target(self._read(labels, "label", LabelsError))

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        return _of_length(self._read(predictions, "prediction", PredictionsError), len(target))

    def _read(self, values: npt.ArrayLike, word: str, error: type[InputError]) -> FloatArray:
        numbers = read_numbers(values, word, error, dimensions=1)
        refuse_first(numbers < self.smallest, numbers, word, error, f"is below {self.smallest:g}")
        return numbers


class Classes(InputKind):
    """Class labels of any type; predictions are classes too."""

    description = "one of the known classes for each item"

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        values = _read_classes(labels, "label", LabelsError)
        classes, codes = np.unique(values, return_inverse=True)
        if len(classes) < 2:
            raise LabelsError(f"all {len(values)} labels are {classes[0]!r}; at least two classes are needed")
        return Target(_small(codes, len(classes)), tuple(classes.tolist()))

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        values = _of_length(_read_classes(predictions, "prediction", PredictionsError), len(target))
        return _encode(values, target.classes)


class TwoClasses(Classes):
    """Exactly two classes, of which the greater label is the positive one; predictions are classes too."""

    description = "one of the two classes for each item"

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        return _two_classes(labels)


class Scores(InputKind):
    """Two classes; predictions are real scores, higher for the positive class (the greater of the two labels)."""

    description = "one finite number for each item, higher where the positive class (the greater label) is likelier"

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        return _two_classes(labels)

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        numbers = read_numbers(predictions, "prediction", PredictionsError, dimensions=1)
        return _of_length(numbers, len(target))


class Probabilities(InputKind):
    """Classes; predictions are P(positive) for two classes, or one column for each class in sorted order."""

    description = "for two classes P(greater label) for each item; otherwise one column for each class in sorted order"
    sum_tolerance = 1e-3

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        return Classes().read_labels(labels)

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        """Always n × m, columns in the order of ``target.classes``, rows summing to one."""
        table = read_numbers(predictions, "prediction", PredictionsError, dimensions=2)
        table = _of_length(table, len(target))
        table = self._with_both_columns(table, len(target.classes))
        outside = (table < 0) | (table > 1)
        refuse_first(outside, table, "prediction", PredictionsError, "is not a probability between 0 and 1")
        sums = table.sum(axis=1)
        off = np.abs(sums - 1) > self.sum_tolerance
        refuse_first(off, sums, "sum of class probabilities", PredictionsError, "is not 1")
        return np.asarray(table / sums[:, None])

    def _with_both_columns(self, table: FloatArray, classes: int) -> FloatArray:
        if table.shape[1] == 1 and classes == 2:
            return np.hstack([1 - table, table])
        if table.shape[1] != classes:
            raise PredictionsError(
                f"{table.shape[1]} columns of predictions, but there are {classes} classes; "
                f"give one column for each class in sorted order"
            )
        return table


class Survival(InputKind):
    """Labels are rows (time, event); predictions are risk scores, higher for an earlier event."""

    description = "one finite risk for each item, higher where the event is expected sooner"

    def read_labels(self, labels: npt.ArrayLike) -> Target:
        table = read_numbers(labels, "label", LabelsError, dimensions=2)
        if table.shape[1] != 2:
            raise LabelsError(f"{table.shape[1]} label columns; survival labels are two columns: time and event")
        refuse_first(table[:, 0] < 0, table[:, 0], "time", LabelsError, "is negative")
        unknown = (table[:, 1] != 0) & (table[:, 1] != 1)
        refuse_first(unknown, table[:, 1], "event", LabelsError, "is neither 0 (censored) nor 1")
        return Target(table)

    def read_predictions(self, target: Target, predictions: npt.ArrayLike) -> Array:
        numbers = read_numbers(predictions, "prediction", PredictionsError, dimensions=1)
        return _of_length(numbers, len(target))


def read_numbers(
    values: npt.ArrayLike, word: str, error: type[InputError], dimensions: int, *, fewest: int = 2
) -> FloatArray:
    """``values`` as finite float64 of one or two dimensions (a vector becomes one column), or a clear refusal."""
    raw = np.asarray(values)
    if np.iscomplexobj(raw):
        raise error(f"{word}s are complex numbers; real ones are needed")
    try:
        numbers = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError):
        raise error(_not_a_number(raw, word)) from None
    numbers = _of_dimensions(numbers, word, error, dimensions, fewest=fewest)
    if not np.isfinite(numbers).all():
        refuse_first(~np.isfinite(numbers), numbers, word, error, "is not a finite number")
    if np.abs(numbers).max() > LARGEST_PREDICTION:
        refuse_first(np.abs(numbers) > LARGEST_PREDICTION, numbers, word, error, "is too large (beyond 1e100)")
    return np.ascontiguousarray(numbers)


def refuse_first(bad: npt.NDArray[np.bool_], values: Array, word: str, error: type[InputError], problem: str) -> None:
    """Raise ``error`` for the first row that is ``bad``; return silently where none is."""
    if not bad.any():
        return
    row = int(np.argwhere(bad)[0][0])
    value = values[tuple(np.argwhere(bad)[0])]
    more = int(bad.reshape(len(bad), -1).any(axis=1).sum()) - 1
    others = f", and so in {more} more rows" if more else ""
    raise error(f"row {row}: {word} {value.item() if hasattr(value, 'item') else value!r} {problem}{others}")


def _of_dimensions(values: Array, word: str, error: type[InputError], dimensions: int, *, fewest: int = 2) -> Array:
    if values.ndim == 2 and dimensions == 1 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim == 1 and dimensions == 2:
        values = values[:, None]
    if values.ndim != dimensions:
        shape = "a vector" if dimensions == 1 else "a table with rows and columns"
        raise error(f"{word}s have shape {values.shape}; {shape} is needed")
    if len(values) < fewest:
        raise error(f"{len(values)} {word}s; at least {fewest} are needed")
    return values


def _of_length(values: Array, expected: int) -> Array:
    if len(values) != expected:
        raise PredictionsError(f"{len(values)} predictions for {expected} items; give one for each item, in order")
    return values


def _not_a_number(values: Array, word: str) -> str:
    for row, value in enumerate(values.ravel() if values.ndim else [values]):
        try:
            float(value)
        except (TypeError, ValueError):
            return f"row {row}: {word} {value!r} is not a number"
    return f"{word}s are not a rectangular table of numbers"


def _read_classes(values: npt.ArrayLike, word: str, error: type[InputError]) -> Array:
    array = _of_dimensions(np.asarray(values), word, error, 1)
    if array.dtype.kind == "f":
        refuse_first(~np.isfinite(array), array, word, error, "is not a class")
    if array.dtype.kind == "O":
        array = _same_kind(array, word, error)
    if array.dtype.kind not in "biufUS":
        raise error(f"{word}s have type {array.dtype}; classes are numbers, booleans or text")
    return array


def _same_kind(values: Array, word: str, error: type[InputError]) -> Array:
    """Objects as text or as numbers; a missing or mixed one is refused by row."""
    wanted: tuple[type, ...] = (str,) if isinstance(values[0], str) else (int, float, np.number, np.bool_)
    for row, value in enumerate(values):
        if not isinstance(value, wanted) or value != value:  # noqa: PLR0124 (NaN is the one value that differs from itself)
            raise error(f"row {row}: {word} {value!r} is not a class like {values[0]!r}")
    return np.array(values.tolist())


def _two_classes(labels: npt.ArrayLike) -> Target:
    target = Classes().read_labels(labels)
    if len(target.classes) != 2:
        raise LabelsError(f"{len(target.classes)} classes in the labels; this metric takes exactly two")
    return target


def _encode(values: Array, classes: tuple[Any, ...]) -> Array:
    """Codes of ``values``; a class that is not known is refused by row."""
    known = np.asarray(classes)
    if (known.dtype.kind in "US") != (values.dtype.kind in "US"):
        raise PredictionsError(f"row 0: prediction {values[0]!r} is not one of the classes {_listed(classes)}")
    if _are_codes(known) and (values.min() >= 0) and (values.max() < len(known)):
        codes = _small(values, len(known))
        unknown = codes != values
    else:
        places = np.minimum(np.searchsorted(known, values), len(known) - 1)
        codes, unknown = _small(places, len(known)), known[places] != values
    refuse_first(unknown, values, "prediction", PredictionsError, f"is not one of the classes {_listed(classes)}")
    return codes


def _are_codes(known: Array) -> bool:
    return known.dtype.kind in "biuf" and bool((known == np.arange(len(known))).all())


def _small(codes: Array, classes: int) -> Array:
    """The smallest integers that hold the codes: comparing and hashing them is then cheap."""
    return np.ascontiguousarray(codes, dtype=np.int8 if classes <= 127 else np.int32)


def _listed(classes: tuple[Any, ...]) -> str:
    shown = ", ".join(repr(one) for one in classes[:SHOWN_CLASSES])
    return shown if len(classes) <= SHOWN_CLASSES else f"{shown}, … ({len(classes)} in all)"
