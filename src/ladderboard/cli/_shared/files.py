"""Label and prediction files for the command line: columns of CSV and Parquet tables, or NumPy arrays."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.metrics.inputs import Array
from ladderboard.tabular.alignment import id_names, places_of, refuse_repeated_ids
from ladderboard.tabular.columns import RawTable, read_table

ROW = re.compile(r"row (?P<row>\d+): ")
"""How errors about arrays begin; their rows count from 0."""


@dataclass(frozen=True)
class Columns:
    """The names of the columns that matter in a file; None or empty: not said."""

    values: Sequence[str] = ()
    """The label or prediction columns; where not said, the only one that is nothing else."""
    id: str | None = None
    weight: str | None = None
    group: str | None = None

    def with_id(self, name: str | None) -> "Columns":
        """The same with another id column, where one is named."""
        return self if name is None else replace(self, id=name)

    @property
    def are_named(self) -> bool:
        return bool(self.values or self.id or self.weight or self.group)


@dataclass(frozen=True, eq=False)
class Rows:
    """What a file says of each item."""

    path: Path
    values: Array
    ids: Array | None = None
    weight: Array | None = None
    group: Array | None = None

    def in_order_of(self, other: "Rows") -> Array:
        """The values in the order of the other file's rows: matched by id where both have ids, else as they are."""
        self._refuse_a_word_among_numbers(other)
        if self.ids is None or other.ids is None:
            return self.values
        wanted = id_names(other.ids)
        refuse_repeated_ids(wanted, other.path.name)
        return self.values[places_of(wanted, id_names(self.ids), self.path.name)]

    def located(self, error: InputError, order: "Rows | None" = None) -> InputError:
        """The error with the file's name, and with the row as the file counts it, or the id that gave it its place."""
        found = ROW.match(str(error))
        if found is None:
            return error
        row = int(found["row"])
        ids = None if order is None or self.ids is None else order.ids
        place = f"row {row + 1}" if ids is None else f"id {ids[row]}"
        return type(error)(f"{self.path.name}, {place}: {str(error)[found.end() :]}")

    def _refuse_a_word_among_numbers(self, other: "Rows") -> None:
        """One word makes a column of a table text; say where it is rather than that all of the others are text."""
        if other.values.dtype.kind not in "biuf" or self.values.dtype.kind not in "OUS":
            return
        for row, value in enumerate(self.values.tolist()):
            try:
                float(value)
            except (TypeError, ValueError):
                raise InputError(f"{self.path.name}, row {row + 1}: {value!r} is not a number") from None


def read_rows(path: Path, columns: Columns, *, word: str) -> Rows:
    """Read labels or predictions (``word`` says which) from a .npy array or the named columns of a table.

    A column called "id" names the items unless another one is said to.
    """
    if path.suffix == ".npy":
        return Rows(path, _read_array(path, columns))
    table = read_table(path)
    others = {"ids": columns.id or _column_called_id(table, columns), "weight": columns.weight, "group": columns.group}
    beside = {role: _read_column(table, name) for role, name in others.items() if name is not None}
    names = columns.values or (_only_column(table.without(*others.values()), word),)
    values = [_read_column(table, name) for name in names]
    return Rows(path, values[0] if len(values) == 1 else np.stack(values, axis=1), **beside)


def _read_array(path: Path, columns: Columns) -> Array:
    if columns.are_named:
        raise ParameterError(
            f"{path.name} is a NumPy array and has no named columns; give a CSV or Parquet file instead"
        )
    try:
        array: Array = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except (OSError, ValueError, EOFError):
        raise InputError(f"{path.name} is not a .npy file of plain numbers or text") from None
    return array


def _column_called_id(table: RawTable, columns: Columns) -> str | None:
    taken = {*columns.values, columns.weight, columns.group}
    return next((name for name in table.columns if name.lower() == "id" and name not in taken), None)


def _only_column(table: RawTable, word: str) -> str:
    if len(table.columns) != 1:
        found = ", ".join(table.columns) or "none"
        raise ParameterError(
            f"{table.path.name}: which column has the {word}s? Say it with --column; there are: {found}"
        )
    return next(iter(table.columns))


def _read_column(table: RawTable, name: str) -> Array:
    values = table.column(name)
    for row, value in enumerate(values if values.dtype.kind == "O" else ()):
        if value is None:
            raise InputError(f"{table.path.name}, row {row + 1}, column {name!r}: the cell is empty")
    return values
