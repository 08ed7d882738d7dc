"""Label and prediction files for the command line: the columns of a table that matter, or a NumPy array."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.metrics.inputs import Array
from ladderboard.tabular import Table, read_table
from ladderboard.tabular.alignment import find_places, refuse_repeated_ids
from ladderboard.tabular.arrays import read_array
from ladderboard.tabular.class_columns import (
    describe_run_lengths,
    find_class_columns,
    has_run_lengths,
    is_one_hot,
    read_one_hot,
)
from ladderboard.tabular.table import locate_error


@dataclass(frozen=True)
class ItemColumns:
    """The names of the columns to read from a file; None or empty: not given."""

    values: Sequence[str] = ()
    """The label or prediction columns; where not said, the only one that is nothing else."""
    id: str | None = None
    weight: str | None = None
    group: str | None = None

    def with_id(self, name: str | None) -> "ItemColumns":
        """The same with another id column, where one is named."""
        return self if name is None else replace(self, id=name)

    @property
    def are_named(self) -> bool:
        return bool(self.values or self.id or self.weight or self.group)


@dataclass(frozen=True, eq=False)
class ItemRows:
    """The values of a file for each item, with ids and weights where it has them."""

    path: Path
    values: Array
    ids: list[str] | None = None
    weight: Array | None = None
    group: Array | None = None
    table: Table | None = None
    """What all of it was read from; None: an array."""
    columns: Sequence[str] = ()

    def align_to(self, other: "ItemRows") -> Array:
        """The values in the order of the other file's rows: matched by id where both have ids, else as they are."""
        self._refuse_a_word_among_numbers(other)
        if self.ids is None or other.ids is None:
            return self.values
        refuse_repeated_ids(other.ids, other.path.name)
        return self.values[find_places(other.ids, self.ids, self.path.name)]

    def as_labels(self, *, is_table: bool) -> Any:
        """The values; a table of several labels or targets with the names of its columns."""
        if not is_table or len(self.columns) < 2:
            return self.values
        import polars as pl

        return pl.DataFrame(self.values, schema=list(self.columns))

    def locate(self, error: InputError, order: "ItemRows | None" = None) -> InputError:
        """The error with the file's name, and with the line that it is about, or the id that gave a row its place."""
        ids = None if order is None or self.ids is None else order.ids
        return locate_error(error, self.path.name, self._place if ids is None else lambda row: f"id {ids[row]}")

    def _place(self, row: int) -> str:
        return f"row {row + 1}" if self.table is None else self.table.place(row)

    def _refuse_a_word_among_numbers(self, other: "ItemRows") -> None:
        """One word makes a column of a table text; say where it is rather than that all of the others are text."""
        if self.table is not None and other.values.dtype.kind in "iuf" and self.values.dtype.kind in "OUS":
            for name in self.columns:
                self.table.numbers(name)


def read_rows(
    path: Path,
    columns: ItemColumns,
    *,
    word: str,
    beside: Sequence[str] = (),
    classes: Sequence[str] = (),
    is_table: bool = False,
    are_texts: bool = False,
) -> ItemRows:
    """Read labels or predictions (``word`` says which) from an .npy array or the named columns of a table.

    A column called "id" names the items unless another one is said to. ``beside``: names of columns that are no values
    where nothing is said. ``classes``: those that predictions may have a column for. ``is_table``: labels are all the
    columns that are nothing else, each a label or a target of its own. ``are_texts``: values are what is written,
    and may be empty.
    """
    if path.suffix == ".npy":
        return ItemRows(path, _read_array(path, columns))
    table = read_table(path)
    id_column = columns.id or _column_called_id(table, columns)
    others = {name for name in table.columns if name.lower() in {one.lower() for one in beside}}
    left = [name for name in table.columns if name not in {id_column, columns.weight, columns.group} | others]
    takes_all = (is_table or (are_texts and word == "label")) and not columns.values
    names = left if takes_all else _find_values(table, columns.values, left, word, classes)
    return ItemRows(
        path,
        _read_cells(table, names, are_labels=word == "label" and not is_table, are_texts=are_texts),
        ids=None if id_column is None else table.names(id_column),
        weight=None if columns.weight is None else table.numbers(columns.weight),
        group=None if columns.group is None else table.read_filled(columns.group),
        table=table,
        columns=names,
    )


def _read_array(path: Path, columns: ItemColumns) -> Array:
    if columns.are_named:
        raise ParameterError(
            f"{path.name} is a NumPy array and has no named columns; give a CSV or Parquet file instead"
        )
    return read_array(path)


def _column_called_id(table: Table, columns: ItemColumns) -> str | None:
    taken = {*columns.values, columns.weight, columns.group}
    return next((name for name in table.columns if name.lower() == "id" and name not in taken), None)


def _find_values(
    table: Table, named: Sequence[str], left: Sequence[str], word: str, classes: Sequence[str]
) -> Sequence[str]:
    """The columns that are named, or what they can only be; columns called like classes in the order of those."""
    by_class = find_class_columns(named or left, classes) if classes else None
    if by_class is not None:
        return by_class
    if named:
        return named
    if word == "label" and is_one_hot([table.column(name) for name in left]):
        return left
    if len(left) != 1:
        found = ", ".join(left) or "none"
        raise ParameterError(f"{table.name}: which column has the {word}s? Say it with --column; there are: {found}")
    return left


def _read_cells(table: Table, names: Sequence[str], *, are_labels: bool, are_texts: bool) -> Array:
    if are_texts:
        texts = np.array([table.column(name).fill_null("").to_list() for name in names], dtype=np.str_).T
        return texts[:, 0] if len(names) == 1 else texts
    return _read_labels(table, names) if are_labels else _read_values(table, names)


def _read_labels(table: Table, names: Sequence[str]) -> Array:
    """The labels; of columns that each are a class, the class of each row."""
    columns = [table.column(name) for name in names]
    if len(columns) == 1 and has_run_lengths(columns[0]):
        raise InputError(f"{table.name}: {describe_run_lengths(names[0])}")
    if not is_one_hot(columns) or any(cells.null_count() for cells in columns):
        return _read_values(table, names)
    try:
        return read_one_hot(columns)
    except InputError as error:
        raise locate_error(error, table.name, table.place) from None


def _read_values(table: Table, names: Sequence[str]) -> Array:
    values = [table.read_filled(name) for name in names]
    return values[0] if len(values) == 1 else np.stack(values, axis=1)
