"""Readers of arrays: anything that `numpy.asarray` takes becomes numbers or classes, or a refusal that names the row.

``word`` is what a value is called ("label", "prediction", "weight"), ``error`` the class of the refusal; rows count
from 0.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray

Array = npt.NDArray[Any]

LARGEST_NUMBER = 1e100
"""Beyond this, squares overflow and a score would be inf."""
SHOWN_CHARACTERS = 60


def read_numbers(
    values: npt.ArrayLike, word: str, error: type[InputError], dimensions: int, *, fewest: int = 2
) -> FloatArray:
    """``values`` as finite float64 of one or two dimensions (a vector becomes one column), or a clear refusal."""
    raw = _make_array(values, word, error)
    if raw.dtype.kind in "cmM":
        raise error(f"{_plural(word)} have type {raw.dtype}; real numbers are needed")
    try:
        numbers = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise error(_describe_not_a_number(raw, word)) from None
    numbers = _check_dimensions(numbers, word, error, dimensions, fewest=fewest)
    # One comparison for all: it is false for NaN, for infinity and for what is too large.
    if not (numbers.min() >= -LARGEST_NUMBER and numbers.max() <= LARGEST_NUMBER):
        refuse_first(~np.isfinite(numbers), numbers, word, error, "is not a finite number")
        refuse_first(np.abs(numbers) > LARGEST_NUMBER, numbers, word, error, "is too large (beyond 1e100)")
    return np.ascontiguousarray(numbers)


def read_classes(
    values: npt.ArrayLike, word: str, error: type[InputError], *, like: object = None, noun: str = "class"
) -> Array:
    """``values`` as a vector of numbers, booleans or text, all of one kind.

    ``like`` is a known value that tells the kind; without it the first one does. ``noun``: what a value should be.
    """
    array = _check_dimensions(_make_array(values, word, error), word, error, 1)
    if array.dtype.kind in "US" and isinstance(values, list | tuple):
        # NumPy turns a list of numbers with one text into texts; look at what was given instead.
        array = _check_dimensions(np.array(values, dtype=object), word, error, 1)
    if array.dtype.kind == "f":
        refuse_first(~np.isfinite(array), array, word, error, f"is not a {noun}")
    if array.dtype.kind == "O":
        array = _check_kind(array, word, error, like=array[0] if like is None else like, noun=noun)
    if array.dtype.kind not in "biufUS":
        raise error(f"{word}s have type {array.dtype}; numbers, booleans or text are needed")
    return array


def read_texts(values: npt.ArrayLike, word: str, error: type[InputError], dimensions: int = 1) -> Array:
    """``values`` as texts in an array of objects, so that its memory is that of the texts, or a clear refusal."""
    is_list = isinstance(values, list | tuple)
    array = np.array(values, dtype=object) if is_list else _make_array(values, word, error)
    if dimensions == 2 and array.ndim == 1 and len(array) and any(isinstance(one, list | tuple) for one in array):
        raise error(_describe_ragged(values, word))
    array = _check_dimensions(array, word, error, dimensions)
    if array.dtype.kind not in "OU":
        raise error(f"{_plural(word)} have type {array.dtype}; text is needed")
    for place, value in enumerate(array.ravel().tolist()):
        if not isinstance(value, str):
            raise error(f"row {place // max(1, array[0:1].size)}: {word} {show_value(value)} is not text")
    return array.astype(object)


def refuse_first(bad: npt.NDArray[np.bool_], values: Array, word: str, error: type[InputError], problem: str) -> None:
    """Raise ``error`` for the first row that is ``bad``; return silently where none is."""
    if not bad.any():
        return
    rows = bad.reshape(len(bad), -1).any(axis=1)
    first = tuple(np.argwhere(bad)[0])
    more = int(rows.sum()) - 1
    others = f", and so in {more} more {'row' if more == 1 else 'rows'}" if more else ""
    raise error(f"row {first[0]}: {word} {show_value(values[first])} {problem}{others}")


def show_value(value: object) -> str:
    """Format a value as its owner would write it, shortened to fit a line."""
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def _make_array(values: npt.ArrayLike, word: str, error: type[InputError]) -> Array:
    if isinstance(values, np.ma.MaskedArray):
        refuse_first(np.ma.getmaskarray(values), values.data, word, error, "is masked")
    try:
        array = np.asarray(values)
    except ValueError:
        raise error(_describe_ragged(values, word)) from None
    except (TypeError, RuntimeError) as problem:  # such as a tensor on another device, which says so
        raise error(f"{_plural(word)} cannot be made an array: {problem}") from None
    if array.ndim == 0:
        kind = type(array.item() if array.dtype.kind == "O" else values).__name__
        raise error(f"{_plural(word)} are of type {kind}; give a list, an array or a column")
    return array


def _check_dimensions(values: Array, word: str, error: type[InputError], dimensions: int, *, fewest: int = 2) -> Array:
    if values.ndim == 2 and dimensions == 1 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim == 1 and dimensions == 2:
        values = values[:, None]
    if values.ndim != dimensions or 0 in values.shape[1:]:
        shape = "a vector" if dimensions == 1 else "a table with rows and columns"
        raise error(f"{_plural(word)} have shape {values.shape}; {shape} is needed")
    if len(values) < fewest:
        raise error(f"{len(values)} {word if len(values) == 1 else _plural(word)}; at least {fewest} are needed")
    return values


def _plural(word: str) -> str:
    return f"{word}es" if word.endswith("s") else f"{word}s"


def _describe_ragged(values: npt.ArrayLike, word: str) -> str:
    """Rows of different lengths: name the first that is not like the row before it."""
    rows = list(values)  # type: ignore[arg-type]  # what asarray found ragged is a sequence
    lengths = [len(row) if isinstance(row, list | tuple | np.ndarray) else None for row in rows]
    for row in range(1, len(rows)):
        if lengths[row] != lengths[row - 1]:
            return f"row {row}: {word} {show_value(rows[row])} has another shape than the rows before it"
    for row, given in enumerate(rows):
        if isinstance(given, list | tuple) and any(isinstance(cell, list | tuple | np.ndarray) for cell in given):
            return f"row {row}: {word} {show_value(given)} has another shape than the rows before it"
    return f"{_plural(word)} are not a rectangular table"


def _describe_not_a_number(values: Array, word: str) -> str:
    columns = max(1, values.size // max(1, len(values))) if values.ndim else 1
    for place, value in enumerate(values.ravel().tolist()):
        try:
            float(value)
        except (TypeError, ValueError, OverflowError):
            return f"row {place // columns}: {word} {show_value(value)} is not a number"
    return f"{_plural(word)} are not numbers"


def _check_kind(values: Array, word: str, error: type[InputError], *, like: object, noun: str) -> Array:
    """Objects as text or as numbers; a missing or mixed one is refused by row."""
    wanted: tuple[type, ...] = (str,) if isinstance(like, str) else (int, float, np.number, np.bool_)
    for row, value in enumerate(values):
        if not isinstance(value, wanted) or value != value:  # noqa: PLR0124 (NaN is the one value that differs from itself)
            example = f" like {show_value(like)}" if row or value is not like else ""
            raise error(f"row {row}: {word} {show_value(value)} is not a {noun}{example}")
    return np.array(values.tolist())
