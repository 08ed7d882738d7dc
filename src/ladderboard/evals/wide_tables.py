"""Items × systems from a file: losses, correctness, or predictions beside a column of labels."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.evals.loss_matrix import LossMatrix
from ladderboard.inference.measure import ACCURACY, LOSS, Measure
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Array
from ladderboard.tabular import Table, read_table
from ladderboard.tabular.arrays import read_arrays
from ladderboard.tabular.table import locate_error

Kind = Literal["losses", "correct", "predictions"]
Missing = Literal["error", "drop_items", "worst"]
ITEM_NAMES = ("item_id", "item", "id", "query_id")
"""A column of this name, in the first place, names the items and is no system."""


def read_loss_matrix(
    path: str | Path,
    *,
    kind: Kind = "losses",
    labels_column: str | None = None,
    items_column: str | None = None,
    table: str | None = None,
    missing: Missing = "error",
    bounds: tuple[float, float] | None = None,
    metric: Metric | None = None,
    constant: bool = False,
) -> LossMatrix:
    """The loss matrix in a file: one row for each item, one column for each system.

    Parameters
    ----------
    path
        Delimited text or Parquet, also gzipped or zipped (`ladderboard.tabular.read_table`); or ``.npz``, with one
        items × systems array and the names of the systems in a text array (``systems`` or any other name).
    kind
        ``"losses"``: lower is better. ``"correct"``: 1 right, 0 wrong, or a share of credit in between.
        ``"predictions"``: compared with ``labels_column`` by ``metric`` (default: equal is right).
    labels_column, items_column
        The columns (NPZ: arrays) that are no system. A first column called item_id, item, id or query_id names the
        items unless said otherwise.
    table
        The name of the items × systems array in an NPZ file with several.
    missing
        An empty cell is an error, drops its item for all systems, or counts as the worst loss in the table (the upper
        bound where there are ``bounds``; a wrong answer for correctness and predictions).
    bounds
        The losses' lowest and highest possible value; what lies outside is refused.
    metric
        For predictions: the metric whose contributions are the losses, such as AUC (negated where higher is better).
    constant
        Admit systems with the same loss on every item.
    """
    _check_options(kind, missing, labels_column, metric)
    if Path(path).suffix == ".npz":
        cells = _take_arrays(Path(path), labels_column, items_column, table)
    else:
        cells = _take_table(read_table(path), labels_column, items_column, are_numbers=kind != "predictions")
    if cells.labels is not None and metric is not None:
        return _score_by_metric(cells, cells.labels, metric, constant)
    if cells.labels is not None and kind == "predictions":
        losses = _wrong_answers(cells, cells.labels)
    else:
        losses = _read_graded_losses(cells, kind, bounds)
    measure = LOSS if kind == "losses" else ACCURACY
    return _finish(cells, losses, missing=missing, bounds=bounds, measure=measure, constant=constant)


@dataclass(frozen=True, eq=False)
class _Cells:
    """What a file says of each item: a column of values for each system."""

    file: str
    systems: dict[str, Array]
    items: tuple[str, ...]
    labels: Array | None
    place: Callable[[int], str]
    """Where a row is in the file, for messages."""

    def __len__(self) -> int:
        return len(self.items)


def _check_options(kind: str, missing: str, labels_column: str | None, metric: Metric | None) -> None:
    if kind not in get_args(Kind):
        raise ParameterError(f"kind is {kind!r}; it must be one of {', '.join(get_args(Kind))}")
    if missing not in get_args(Missing):
        raise ParameterError(f"missing is {missing!r}; it must be one of {', '.join(get_args(Missing))}")
    if kind == "predictions" and labels_column is None:
        raise ParameterError("predictions need labels_column, the name of the column with the true labels")
    if kind != "predictions" and metric is not None:
        raise ParameterError("a metric scores predictions; losses and correctness are taken as they are")
    if metric is not None and missing != "error":
        raise ParameterError("with a metric no prediction may be missing; fill the gaps in the file")


def _take_table(table: Table, labels_column: str | None, items_column: str | None, *, are_numbers: bool) -> _Cells:
    table.refuse_row_index()
    if items_column is None and table.columns and table.columns[0].lower() in ITEM_NAMES:
        items_column = table.columns[0]
    items = _number_items(len(table)) if items_column is None else tuple(table.names(items_column))
    labels = None if labels_column is None else table.values(labels_column)
    hint = "correct it, or leave the column out"
    read = partial(table.numbers, hint=hint) if are_numbers else table.values
    systems = {name: read(name) for name in table.columns if name not in (labels_column, items_column)}
    return _Cells(table.name, systems, items, labels, table.place)


def _take_arrays(path: Path, labels_column: str | None, items_column: str | None, table: str | None) -> _Cells:
    arrays = read_arrays(path)
    cells = arrays[_table_name(path, arrays, table)]
    systems = dict(zip(_system_names(arrays, cells.shape[1]), cells.T, strict=True))
    if len(systems) < cells.shape[1]:
        raise InputError(f"{path.name}: two systems have the same name; give each its own")
    labels = None if labels_column is None else _take_column(path, arrays, labels_column, len(cells))
    items = _number_items(len(cells))
    if items_column is not None:
        items = tuple(str(name) for name in _take_column(path, arrays, items_column, len(cells)))
    return _Cells(path.name, systems, items, labels, lambda row: f"row {row + 1}")


def _table_name(file: Path, arrays: dict[str, Array], table: str | None) -> str:
    tables = [name for name, array in arrays.items() if array.ndim == 2]
    if table is None and len(tables) == 1:
        return tables[0]
    if table in tables:
        assert table is not None
        return table
    raise InputError(
        f"{file.name}: say which array is items × systems (table=, --table); it has {', '.join(tables) or '-'}"
    )


def _system_names(arrays: dict[str, Array], systems: int) -> list[str]:
    for name in sorted(arrays, key=lambda name: name != "systems"):  # an array called so goes first
        if arrays[name].dtype.kind == "U" and arrays[name].shape == (systems,):
            return [str(system) for system in arrays[name]]
    return [f"system {j + 1}" for j in range(systems)]


def _take_column(file: Path, arrays: dict[str, Array], name: str, items: int) -> Array:
    if name not in arrays:
        raise InputError(f"{file.name} has no array {name!r}; it has {', '.join(arrays)}")
    if arrays[name].shape != (items,):
        raise InputError(f"{file.name}: {name!r} has shape {arrays[name].shape} for {items} items")
    return arrays[name]


def _number_items(items: int) -> tuple[str, ...]:
    return tuple(str(row) for row in range(1, items + 1))


def _read_graded_losses(cells: _Cells, kind: str, bounds: tuple[float, float] | None) -> FloatArray:
    low, high = (0.0, 1.0) if kind == "correct" else bounds or (-np.inf, np.inf)
    columns = []
    for name, given in cells.systems.items():
        if given.dtype.kind not in "biuf":
            raise InputError(f"{cells.file}: the array of {name!r} holds no numbers")
        values = given.astype(np.float64)
        outside = (values < low) | (values > high)
        if outside.any():
            row = int(np.argmax(outside))
            raise InputError(
                f"{cells.file}, {cells.place(row)}, column {name!r}: {values[row]:g} is outside [{low:g}, {high:g}]; "
                f"is it a system's column, and is kind={kind!r} right?"
            )
        columns.append(1 - values if kind == "correct" else values)
    return np.stack(columns, axis=1) if columns else np.empty((len(cells), 0))


def _wrong_answers(cells: _Cells, labels: Array) -> FloatArray:
    """1 where a prediction differs from the label, NaN where it is missing."""
    if _find_absent(labels).any():
        raise InputError(f"{cells.file}, {cells.place(int(np.argmax(_find_absent(labels))))}: the label is missing")
    losses = np.empty((len(cells), len(cells.systems)))
    for j, (name, values) in enumerate(cells.systems.items()):
        if _is_text(values) != _is_text(labels):
            words = ("text", "numbers") if _is_text(values) else ("numbers", "text")
            raise InputError(f"{cells.file}: column {name!r} holds {words[0]}, the labels are {words[1]}")
        losses[:, j] = np.where(_find_absent(values), np.nan, values != labels)
    return losses


def _is_text(values: Array) -> bool:
    return values.dtype.kind in "OUS"


def _find_absent(values: Array) -> Array:
    if values.dtype.kind == "f":
        return np.isnan(values)
    return np.array([value is None for value in values]) if values.dtype.kind == "O" else np.zeros(len(values), bool)


def _score_by_metric(cells: _Cells, labels: Array, metric: Metric, constant: bool) -> LossMatrix:
    try:
        key = AnswerKey(labels, metric)
    except InputError as problem:
        raise locate_error(problem, cells.file, cells.place) from None
    columns = []
    for name, values in cells.systems.items():
        try:
            columns.append(key.evaluate(key.read(values)).losses)
        except InputError as problem:
            raise locate_error(problem, f"{cells.file}, column {name!r}", cells.place) from None
    measure = Measure(metric.name, None if metric.lower_is_better else 0.0)
    losses = np.stack(columns, axis=1) if columns else np.empty((len(cells), 0))
    return LossMatrix.of(losses, systems=tuple(cells.systems), items=cells.items, measure=measure, constant=constant)


def _finish(
    cells: _Cells,
    losses: FloatArray,
    *,
    missing: str,
    bounds: tuple[float, float] | None,
    measure: Measure,
    constant: bool,
) -> LossMatrix:
    """Gaps closed as ``missing`` says, and the last checks."""
    gaps, names, items = np.isnan(losses), tuple(cells.systems), np.array(cells.items, dtype=object)
    if gaps.any() and missing == "error":
        row, column = np.argwhere(gaps)[0]
        raise InputError(
            f"{cells.file}, {cells.place(int(row))}, column {names[column]!r}: the cell is empty"
            f"{_count_more(int(gaps.sum()) - 1)}; fill it, or say that items with empty cells are left out "
            "(missing='drop_items', --missing drop-items) or that such a cell counts as the worst loss ('worst')"
        )
    if missing == "drop_items":
        whole = ~gaps.any(axis=1)
        losses, items = losses[whole], items[whole]
    elif gaps.any():
        losses = np.where(gaps, _worst(losses, bounds, measure), losses)
    return LossMatrix.of(losses, systems=names, items=tuple(items), measure=measure, constant=constant)


def _count_more(cells: int) -> str:
    return "" if cells == 0 else f", and so {'is 1' if cells == 1 else f'are {cells}'} more"


def _worst(losses: FloatArray, bounds: tuple[float, float] | None, measure: Measure) -> float:
    if measure is ACCURACY:
        return 1.0
    if bounds is not None and np.isfinite(bounds[1]):
        return bounds[1]
    if np.isnan(losses).all():
        raise InputError("every cell is empty; there is no worst loss to take")
    return float(np.nanmax(losses))
