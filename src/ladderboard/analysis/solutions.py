"""The solution of a competition from its file: labels by id, and which rows are public."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import IntArray
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Array
from ladderboard.tabular.alignment import id_names, places_of, refuse_repeated_ids
from ladderboard.tabular.columns import ITEM_NAMES, RawTable, read_table

USAGES = ("public", "private", "ignored")


@dataclass(frozen=True, eq=False)
class Solution:
    """The labels by id. ``usage`` says for each row public, private or ignored; None: the file does not say."""

    path: Path
    id_column: str
    ids: tuple[str, ...] = field(repr=False)
    all_labels: Array = field(repr=False)
    usage: Array | None = field(default=None, repr=False)

    @property
    def scored(self) -> IntArray:
        """The rows that count: all but the ignored ones."""
        return np.arange(len(self.ids)) if self.usage is None else np.flatnonzero(self.usage != "ignored")

    @property
    def labels(self) -> Array:
        """The labels that count."""
        return self.all_labels[self.scored]

    def public(self, *, share: float | None, metric: Metric, seed: int) -> Array:
        """True where a row that counts is public: as the file says, or a seeded ``share`` of each class."""
        if self.usage is not None and share is None:
            return np.asarray(self.usage[self.scored] == "public")
        if self.usage is not None:
            raise InputError(f"{self.path.name} says itself which rows are public; leave the public share out")
        if share is None or not 0 < share < 1:
            raise InputError(
                f"{self.path.name} does not say which rows are public (a column Usage of Public and Private); "
                f"give the public share, a number between 0 and 1"
            )
        part, _ = AnswerKey(self.labels, metric).baseline.split(seed, share)
        mask = np.zeros(len(self.labels), dtype=bool)
        mask[part.units] = True
        return mask

    def aligned(self, table: RawTable, columns: Sequence[str]) -> list[Array]:
        """Columns of a table that names the same items, in the solution's order, without the ignored rows."""
        names = id_names(filled_column(table, id_column_of(table, self.id_column)))
        rows = places_of(self.ids, names, table.path.name)[self.scored]
        return [filled_column(table, name)[rows] for name in columns]


def read_solution(
    path: str | Path,
    *,
    id_column: str | None = None,
    label_columns: Sequence[str] = (),
    usage_column: str | None = None,
) -> Solution:
    """The solution in a file with one row for each item.

    The id column is the first one where it is called item_id, item, id or query_id; the label is the column called
    label, or the only one left; a column called Usage (Public, Private or Ignored) makes the split. Columns of other
    names are said.
    """
    table = read_table(path)
    if id_column is not None:
        table.column(id_column)  # one that is named must be there
    id_column = id_column_of(table, id_column)
    ids = id_names(filled_column(table, id_column))
    refuse_repeated_ids(ids, table.path.name)
    usage_column = usage_column or next((name for name in table.columns if name.lower() == "usage"), None)
    names = tuple(label_columns) or (_only_label(table, id_column, usage_column),)
    labels = [filled_column(table, name) for name in names]
    return Solution(
        path=table.path,
        id_column=id_column,
        ids=tuple(ids),
        all_labels=joined(labels),
        usage=None if usage_column is None else _usage(table, usage_column),
    )


def joined(columns: Sequence[Array]) -> Array:
    """One column as it is, several as a table."""
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


def id_column_of(table: RawTable, given: str | None) -> str:
    """The column of that name, or else a first column whose name says that it names the items."""
    first = next(iter(table.columns), "")
    if given in table.columns or (given is not None and first.lower() not in ITEM_NAMES):
        assert given is not None
        table.column(given)
        return given
    if first.lower() not in ITEM_NAMES:
        raise InputError(
            f"{table.path.name}: which column names the items? Name it, or put one called id first; "
            f"it has {', '.join(table.columns)}"
        )
    return first


def _only_label(table: RawTable, id_column: str, usage_column: str | None) -> str:
    left = table.without(id_column, usage_column).columns
    if "label" in left or len(left) == 1:
        return "label" if "label" in left else next(iter(left))
    raise InputError(f"{table.path.name}: which column has the labels? Name it; there are: {', '.join(left) or 'none'}")


def _usage(table: RawTable, column: str) -> Array:
    words = [str(value).strip().lower() for value in filled_column(table, column)]
    for row, word in enumerate(words):
        if word not in USAGES:
            raise InputError(
                f"{table.path.name}, row {row + 1}, column {column!r}: {word!r} is none of Public, Private and Ignored"
            )
    return np.array(words)


def filled_column(table: RawTable, name: str) -> Array:
    """A column without empty cells; the first empty one is named."""
    values = table.column(name)
    if values.dtype.kind == "O":
        absent = np.array([value is None for value in values], dtype=bool)
    else:
        absent = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    if absent.any():
        raise InputError(f"{table.path.name}, row {int(np.argmax(absent)) + 1}, column {name!r}: the cell is empty")
    if not len(values):
        raise InputError(f"{table.path.name} has no rows")
    return values
