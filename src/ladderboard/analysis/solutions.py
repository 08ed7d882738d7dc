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
from ladderboard.tabular import Table, read_table
from ladderboard.tabular.alignment import find_places, refuse_repeated_ids

ITEM_NAMES = ("item_id", "item", "id", "query_id")
"""A first column of this name names the items."""
USAGES = ("public", "private", "ignored")


@dataclass(frozen=True, eq=False)
class SolutionTable:
    """The labels by id. ``usage`` says for each row public, private or ignored; None: the file does not say."""

    file: str
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
            raise InputError(f"{self.file} says itself which rows are public; leave the public share out")
        if share is None or not 0 < share < 1:
            raise InputError(
                f"{self.file} does not say which rows are public (a column Usage of Public and Private); "
                f"give the public share, a number between 0 and 1"
            )
        part, _ = AnswerKey(self.labels, metric).baseline.split(seed, share)
        mask = np.zeros(len(self.labels), dtype=bool)
        mask[part.units] = True
        return mask

    def align(self, table: Table, columns: Sequence[str]) -> list[Array]:
        """Columns of a table that names the same items, in the solution's order, without the ignored rows."""
        rows = find_places(self.ids, table.names(find_id_column(table, self.id_column)), table.name)[self.scored]
        return [table.read_filled(name)[rows] for name in columns]


def read_solution(
    path: str | Path,
    *,
    id_column: str | None = None,
    label_columns: Sequence[str] = (),
    usage_column: str | None = None,
) -> SolutionTable:
    """The solution in a file with one row for each item.

    The id column is the first one where it is called item_id, item, id or query_id; the label is the column called
    label, or the only one left; a column called Usage (Public, Private or Ignored) makes the split. Columns of other
    names are said.
    """
    table = read_table(path)
    if id_column is not None:
        table.column(id_column)  # one that is named must be there
    id_column = find_id_column(table, id_column)
    ids = table.names(id_column)
    refuse_repeated_ids(ids, table.name)
    usage_column = usage_column or next((name for name in table.columns if name.lower() == "usage"), None)
    names = tuple(label_columns) or (_find_only_label(table, id_column, usage_column),)
    return SolutionTable(
        file=table.name,
        id_column=id_column,
        ids=tuple(ids),
        all_labels=join_columns([table.read_filled(name) for name in names]),
        usage=None if usage_column is None else _usage(table, usage_column),
    )


def join_columns(columns: Sequence[Array]) -> Array:
    """One column as it is, several as a table."""
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


def find_id_column(table: Table, given: str | None) -> str:
    """Find the id column: the one of that name, or else a first column named like an id."""
    first = table.columns[0] if table.columns else ""
    if given in table.columns or (given is not None and first.lower() not in ITEM_NAMES):
        assert given is not None
        table.column(given)
        return given
    if first.lower() not in ITEM_NAMES:
        raise InputError(
            f"{table.name}: which column names the items? Name it, or put one called id first; "
            f"it has {', '.join(table.columns)}"
        )
    return first


def _find_only_label(table: Table, id_column: str, usage_column: str | None) -> str:
    left = [name for name in table.columns if name not in (id_column, usage_column)]
    if "label" in left or len(left) == 1:
        return "label" if "label" in left else left[0]
    raise InputError(f"{table.name}: which column has the labels? Name it; there are: {', '.join(left) or 'none'}")


def _usage(table: Table, column: str) -> Array:
    words = [name.lower() for name in table.names(column)]
    for row, word in enumerate(words):
        if word not in USAGES:
            raise table.error(f"{word!r} is none of Public, Private and Ignored", row, column)
    return np.array(words)
