"""Items × systems from a file: one row for each item, one column for each system."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.core.words import pluralise
from ladderboard.evals.column_names import refuse_other_things
from ladderboard.evals.direction import Direction, describe_unknown_direction
from ladderboard.evals.gaps import PartialMatrix, close_gaps
from ladderboard.evals.left_out import Note, list_names
from ladderboard.evals.loss_matrix import LossMatrix
from ladderboard.evals.metric_tables import refuse_models_by_metrics
from ladderboard.evals.npz_files import read_npz, take_array
from ladderboard.evals.number_cells import has_percents, has_verdicts, read_numbers, refuse_wrong_way
from ladderboard.evals.options import Kind, Missing, ReadOptions
from ladderboard.evals.predictions import Place, find_wrong_answers, score_by_metric
from ladderboard.evals.table_columns import Columns, assign_columns
from ladderboard.evals.table_refusals import (
    refuse_counting_systems,
    refuse_far_off,
    refuse_markers,
    refuse_pairs,
    refuse_repeated_items,
    refuse_strange_header,
    refuse_summary_rows,
)
from ladderboard.evals.turned_tables import refuse_systems_as_rows
from ladderboard.inference.measure import ACCURACY, Measure
from ladderboard.metrics import find_metric
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Array
from ladderboard.tabular import Table, read_table

__all__ = ["Kind", "Missing", "read_loss_matrix", "read_wide_arrays", "read_wide_table"]


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

    `read_results` reads this and many other formats; here the file is known to be such a table, of losses unless
    ``kind`` says otherwise.

    Parameters
    ----------
    path
        Delimited text or Parquet, also gzipped or zipped (`ladderboard.tabular.read_table`); or ``.npz``, with one
        items × systems array and the names of the systems in a text array (``systems`` or any other name).
    kind
        ``"losses"``: lower is better. ``"correct"``: 1 right, 0 wrong, or a share of credit in between.
        ``"predictions"``: compared with ``labels_column`` by ``metric`` (default: equal is right).
    labels_column, items_column
        The columns (NPZ: arrays) that are no system. Columns named like an id and row numbers are no systems either.
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
    options = ReadOptions(
        kind=kind,
        labels_column=labels_column,
        items_column=items_column,
        table=table,
        missing=missing,
        bounds=bounds,
        constant=constant,
    )
    path = Path(path)
    if path.suffix == ".npz":
        return read_wide_arrays(path, options, metric=metric)
    return read_wide_table(read_table(path), options, metric=metric)


def read_wide_table(table: Table, options: ReadOptions, *, metric: Metric | None = None) -> LossMatrix:
    """The loss matrix in a table; ``metric`` overrides the name in the options."""
    metric = metric or _find_metric(options)
    _check_metric(options, metric)
    return _make_matrix(_take_table(table, options), options, metric)


def read_wide_arrays(path: Path, options: ReadOptions, *, metric: Metric | None = None) -> LossMatrix:
    """The loss matrix in an NPZ file; ``metric`` overrides the name in the options."""
    metric = metric or _find_metric(options)
    _check_metric(options, metric)
    return _make_matrix(_take_arrays(path, options), options, metric)


def _make_matrix(cells: "_Cells", options: ReadOptions, metric: Metric | None) -> LossMatrix:
    matrix = close_gaps(_make_losses(cells, options, metric), options)
    if not options.constant:
        matrix.refuse_constant_systems(cells.file)
    return matrix


def _find_metric(options: ReadOptions) -> Metric | None:
    return find_metric(options.metric[0]) if options.metric and options.kind == "predictions" else None


@dataclass(frozen=True, eq=False)
class _Cells:
    """What a file says of each item: a column of values for each system."""

    file: str
    systems: dict[str, Array]
    items: tuple[str, ...]
    labels: Array | None
    place: Place
    """Where a row is in the file, for messages."""
    groups: tuple[str, ...] | None = None
    tasks: tuple[str, ...] | None = None
    notes: tuple[Note, ...] = ()
    headline: Callable[[str], str] = str
    """What was read, from the items that count in words."""
    declared_kind: str | None = None
    """What the file itself calls its numbers."""


def _check_metric(options: ReadOptions, metric: Metric | None) -> None:
    if options.kind != "predictions" and (metric is not None or options.metric):
        raise ParameterError("a metric scores predictions; losses and correctness are taken as they are")
    if metric is not None and options.missing != "error":
        raise ParameterError("with a metric no prediction may be missing; fill the gaps in the file")


def _take_table(table: Table, options: ReadOptions) -> _Cells:
    refuse_models_by_metrics(table, options)
    columns = assign_columns(table, options)
    are_numbers = options.kind != "predictions"
    refuse_strange_header(table, columns, options)
    refuse_systems_as_rows(table, columns, options)
    refuse_repeated_items(table, columns)
    refuse_pairs(table, columns, options)
    systems = (
        _take_numbers(table, columns, options)
        if are_numbers
        else {name: table.values(name) for name in columns.systems}
    )
    percents = [name for name in columns.systems if are_numbers and has_percents(table, name)]
    said: list[Note] = [*columns.describe_left_out()]
    if percents:
        said.append(f"{table.name}: percentages ({list_names(percents)}) are read as fractions, 87.5 % as 0.875")
    in_words = [name for name in columns.systems if are_numbers and has_verdicts(table, name)]
    for name in in_words:
        refuse_wrong_way(table, name, options)
    are_verdicts = bool(in_words) and len(in_words) == len(columns.systems)
    if are_verdicts:
        said.append(f"{table.name}: words such as {table.column(columns.systems[0])[0]!r} were read as right and wrong")
    return _Cells(
        table.name,
        systems,
        _number_items(len(table)) if columns.items is None else tuple(table.names(columns.items)),
        None if columns.labels is None else table.values(columns.labels),
        table.place,
        groups=None if columns.groups is None else tuple(table.names(columns.groups)),
        tasks=None if columns.tasks is None else tuple(table.names(columns.tasks)),
        notes=tuple(said),
        headline=partial(columns.describe, table.name),
        declared_kind="correct" if are_verdicts else None,
    )


def _take_numbers(table: Table, columns: Columns, options: ReadOptions) -> dict[str, Array]:
    """The numbers of each system, after all that could be something else was refused."""
    refuse_counting_systems(table, columns, options)
    refuse_other_things(table, columns, options)
    systems: dict[str, Array] = {name: read_numbers(table, name, options.missing_value) for name in columns.systems}
    refuse_summary_rows(table, columns, systems, options)
    if options.bounds is None and options.kind != "correct":  # else the bounds say it better
        refuse_far_off(table.name, systems, options)
    return systems


def _take_arrays(path: Path, options: ReadOptions) -> _Cells:
    name, cells, names, arrays = read_npz(path, options.table)
    rows = len(cells)

    def texts(column: str | None) -> tuple[str, ...] | None:
        return None if column is None else tuple(str(one) for one in take_array(path, arrays, column, rows))

    return _Cells(
        path.name,
        _choose_systems(path.name, dict(zip(names, cells.T, strict=True)), options),
        texts(options.items_column) or _number_items(rows),
        None if options.labels_column is None else take_array(path, arrays, options.labels_column, rows),
        lambda row: f"row {row + 1}",
        groups=texts(options.groups_column),
        tasks=texts(options.tasks_column),
        headline=lambda items: (
            f"{path.name}: array {name!r}, {items} × {pluralise('{n} system', '{n} systems', len(names))}"
        ),
        declared_kind=name if name in ("losses", "correct") else None,
    )


def _choose_systems(file: str, systems: dict[str, Array], options: ReadOptions) -> dict[str, Array]:
    """The systems of an NPZ file that were asked for."""
    for name in (*(options.systems or ()), *options.drop):
        if name not in systems:
            raise InputError(f"{file} has no system {name!r} (--systems, --drop); it has {', '.join(systems)}")
    return {name: systems[name] for name in options.systems or systems if name not in options.drop}


def _number_items(items: int) -> tuple[str, ...]:
    return tuple(str(row) for row in range(1, items + 1))


def _make_losses(cells: _Cells, options: ReadOptions, metric: Metric | None) -> PartialMatrix:
    if cells.labels is not None and metric is not None:
        losses = score_by_metric(cells.file, cells.systems, cells.labels, cells.place, metric)
        measure = Measure(metric.name, None if metric.lower_is_better else 0.0)
    elif cells.labels is not None and options.kind == "predictions":
        losses, measure = find_wrong_answers(cells.file, cells.systems, cells.labels, cells.place), ACCURACY
    else:
        losses, measure = _take_graded(cells, options)
    return PartialMatrix(
        cells.file,
        losses,
        tuple(cells.systems),
        cells.items,
        measure,
        groups=cells.groups,
        tasks=cells.tasks,
        notes=cells.notes,
        place=cells.place,
        headline=cells.headline,
    )


def _take_graded(cells: _Cells, options: ReadOptions) -> tuple[FloatArray, Measure]:
    """The losses of numbers, and how they are shown: as what they were in the file."""
    kind = options.kind or cells.declared_kind
    _refuse_outside(cells, options, kind)
    refuse_markers(cells.file, cells.systems, options)
    columns = [values.astype(np.float64) for values in cells.systems.values()]
    scores = np.stack(columns, axis=1) if columns else np.empty((len(cells.items), 0))
    if kind == "correct":
        return 1 - scores, ACCURACY
    if kind == "losses" or (kind is None and options.higher_is_better is False):
        return Direction(higher_is_better=False, name="loss").losses(scores)
    if options.higher_is_better is None:
        raise describe_unknown_direction(cells.file, scores)
    return Direction(higher_is_better=options.higher_is_better, name="score").losses(scores)


def _refuse_outside(cells: _Cells, options: ReadOptions, kind: str | None) -> None:
    low, high = (0.0, 1.0) if kind == "correct" else options.bounds or (-np.inf, np.inf)
    for name, given in cells.systems.items():
        if given.dtype.kind not in "biuf":
            raise InputError(f"{cells.file}: the array of {name!r} holds no numbers")
        outside = (given < low) | (given > high)
        if outside.any():
            row = int(np.argmax(outside))
            raise InputError(
                f"{cells.file}, {cells.place(row)}, column {name!r}: {given[row]:g} is outside [{low:g}, {high:g}]; is "
                f"it a system's column, is kind={kind!r} right, or does it mark a missing value (--missing-value "
                f"{given[row]:g})?"
            )
