"""One column for each class, as on Kaggle: the labels of a one-hot solution, and the probabilities of a submission."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.metrics.inputs import Array
from ladderboard.tabular.columns import numbers_in
from ladderboard.tabular.problems import join_names

if TYPE_CHECKING:
    import polars

SEPARATORS = ("_", "-", ".", " ")
SHOWN_COLUMNS = 6
RUN_LENGTHS = r"^[0-9]+ [0-9]+(?: [0-9]+ [0-9]+)*$"
NO_MASK = "-1"
"""What some competitions write for an image without a mask; others leave the cell empty."""


def find_class_columns(names: Sequence[str], classes: Sequence[str]) -> tuple[str, ...] | None:
    """Find the column of each class in a file: called like it, or all of them with one word before.

    None where a class has no column, or where the words before them differ.

    >>> find_class_columns(["Status_D", "Status_C"], ["C", "D"])
    ('Status_C', 'Status_D')
    >>> find_class_columns(["class_0", "class_1", "class_2"], ["1", "2", "3"]) is None
    True
    """
    if not names or set(classes) <= set(names):
        return tuple(classes) if names else None
    for one in classes:
        prefix = names[0].removesuffix(one)
        wanted = tuple(prefix + each for each in classes)
        if prefix.endswith(SEPARATORS) and set(wanted) == set(names):
            return wanted
    return None


def is_one_hot(columns: Sequence["polars.Series"]) -> bool:
    """Whether several columns hold nothing but 0 and 1, as where each column is a class."""
    return len(columns) > 1 and all(_is_binary(cells) for cells in columns)


def read_one_hot(columns: Sequence["polars.Series"]) -> Array:
    """The class of each row: the name of the column with its 1.

    Raises `InputError` where a row has no class or several, or a class no row.
    """
    ones = np.stack([numbers_in(cells) == 1 for cells in columns], axis=1)
    names, counts = [cells.name for cells in columns], ones.sum(axis=1)
    wrong = np.flatnonzero(counts != 1)
    if len(wrong):
        found = f"{counts[wrong[0]]} columns are" if counts[wrong[0]] else "no column is"
        raise InputError(
            f"row {wrong[0]}: {found} 1 among {_list(names)}; with a column for each class, each row needs exactly one "
            "1. Where a row may have several labels, choose a metric of several labels"
        )
    empty = [name for place, name in enumerate(names) if not ones[:, place].any()]
    if empty:
        raise InputError(
            f"no row is of class {_list(empty)}, so that predictions of it could not be scored; remove "
            f"{'that column' if len(empty) == 1 else 'those columns'}"
        )
    return np.asarray(np.array(names, dtype=np.str_)[ones.argmax(axis=1)])


def has_run_lengths(cells: "polars.Series") -> bool:
    """Whether a column holds run-length encoded masks, such as "5 3 20 4": pairs of a start and a length."""
    given = cells.drop_nulls()
    masks = given.filter(given != NO_MASK)
    return len(masks) > 0 and bool(masks.str.contains(RUN_LENGTHS).all())


def describe_run_lengths(column: str) -> str:
    """Say why masks are no labels, and what to do."""
    return (
        f"column {column!r} holds run-length encoded masks, which the metrics dice and iou compare; they take three "
        f"label columns: {column!r}, the height and the width of each picture"
    )


def _is_binary(cells: "polars.Series") -> bool:
    numbers = numbers_in(cells.drop_nulls())
    return len(numbers) > 0 and bool(np.isin(numbers, (0, 1)).all())


def _list(names: Sequence[str]) -> str:
    return join_names([repr(name) for name in names[:SHOWN_COLUMNS]], len(names))
