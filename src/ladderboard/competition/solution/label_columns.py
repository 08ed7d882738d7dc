"""The label column or columns of a solution as numbers or classes, as the metric takes them."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from ladderboard.core.arrays import LARGEST_NUMBER
from ladderboard.core.errors import InputError, LabelsError
from ladderboard.metrics.column_inputs import LabelScores
from ladderboard.metrics.inputs import InputKind, Numbers, Survival
from ladderboard.metrics.text_inputs import TextCells
from ladderboard.tabular.class_columns import describe_run_lengths, has_run_lengths, read_one_hot
from ladderboard.tabular.columns import find_classes, is_gap_among_numbers, numbers_in

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars

Mask = npt.NDArray[np.bool_]


class Report(Protocol):
    """A function that reports bad rows."""

    def __call__(self, bad: Mask, sentence: "Callable[[int], str]", *, so: str) -> None: ...


def read_labels(
    report: Report, columns: Sequence["polars.Series"], kind: InputKind | None, ignored: Mask
) -> npt.NDArray[Any] | None:
    """The labels of all rows; None where some are missing or are not what the metric takes.

    Of ignored rows the label may be left out: they get that of the first row that has one, which counts nowhere.
    """
    if isinstance(kind, TextCells):
        return _texts(report, columns, kind, ignored)
    missing = [_report_missing(report, cells, ignored) for cells in columns]
    if any(missing) or (isinstance(kind, Survival) and len(columns) != 2):
        return None
    filled = [_fill_missing(cells) for cells in columns]
    if isinstance(kind, Survival):
        return _survival(report, filled)
    if kind is not None and kind.has_columns:
        return _table(report, filled, kind)
    if len(columns) > 1:
        return _one_hot(report, filled)
    if has_run_lengths(columns[0]):
        _report_one(report, len(columns[0]), describe_run_lengths(columns[0].name))
        return None
    if isinstance(kind, Numbers):
        numbers = _numbers(report, filled[0], smallest=kind.smallest)
        return None if kind.labels_are_positive and _report_not_positive(report, filled[0]) else numbers
    return _classes(report, filled[0])


def _table(report: Report, columns: Sequence["polars.Series"], kind: InputKind) -> npt.NDArray[np.float64] | None:
    """A column for each target, or one of 0 and 1 for each label."""
    found = [_numbers(report, cells) for cells in columns]
    numbers = [column for column in found if column is not None]
    if len(numbers) < len(columns) or (isinstance(kind, LabelScores) and not _are_binary(report, columns)):
        return None
    same = [cells.name for cells, column in zip(columns, numbers, strict=True) if (column == column[0]).all()]
    if same:
        words = f"the labels in {', '.join(map(repr, same))} are the same in every row, so nothing can be predicted"
        _report_one(report, len(numbers[0]), f"{words}; leave the {'column' if len(same) == 1 else 'columns'} out")
        return None
    return np.stack(numbers, axis=1)


def _texts(
    report: Report, columns: Sequence["polars.Series"], kind: TextCells, ignored: Mask
) -> npt.NDArray[Any] | None:
    """Texts in one column or several, some of which may be empty."""
    needed = [cells for at, cells in enumerate(columns) if not kind.may_lack(at)]
    missing = [_report_missing(report, cells, ignored) for cells in needed]
    if any(missing):
        return None
    # Of an ignored row without labels, which counts nowhere, they are those of another row.
    lacking = (
        np.any([cells.is_null().to_numpy() for cells in needed], axis=0) if needed else np.zeros(len(ignored), bool)
    )
    rows = np.where(lacking, np.argmin(lacking), np.arange(len(lacking)))
    table = np.array([cells.fill_null("").to_list() for cells in columns], dtype=np.str_).T[rows]
    try:
        kind.read_labels(table)
    except LabelsError as problem:
        _report_refusal(report, len(table), problem)
        return None
    return table[:, 0] if table.shape[1] == 1 else np.ascontiguousarray(table)


def _are_binary(report: Report, columns: Sequence["polars.Series"]) -> bool:
    """Whether all cells are 0 or 1; reports the others of the first column that has them."""
    for cells in columns:
        other = ~np.isin(numbers_in(cells), (0, 1))
        report(other, partial(_describe_other_label, cells), so=f"have neither 0 nor 1 in {cells.name!r}")
        if other.any():
            return False
    return True


def _describe_other_label(cells: "polars.Series", row: int) -> str:
    return f"{cells[row]!r} in column {cells.name!r} is neither 0 nor 1: a row has a label or has it not"


def _one_hot(report: Report, columns: Sequence["polars.Series"]) -> npt.NDArray[Any] | None:
    for cells in columns:
        other = ~np.isin(numbers_in(cells), (0, 1))
        report(
            other,
            partial(_describe_other, cells),
            so=f"have neither 0 nor 1 in {cells.name!r}",
        )
        if other.any():
            return None
    try:
        return read_one_hot(columns)
    except InputError as problem:
        _report_refusal(report, len(columns[0]), problem)
        return None


def _report_refusal(report: Report, rows: int, problem: InputError) -> None:
    """Report what an array was refused for at the line of its row."""
    row, _, sentence = str(problem).partition(": ")
    is_about_row = row.startswith("row ")
    words = sentence if is_about_row else str(problem)
    _report_one(report, rows, words, row=int(row[4:]) if is_about_row else 0)


def _describe_other(cells: "polars.Series", row: int) -> str:
    return f"{cells[row]!r} in column {cells.name!r} is neither 0 nor 1: of several label columns, each is a class"


def _report_one(report: Report, rows: int, sentence: str, *, row: int = 0) -> None:
    report(np.arange(rows) == row, lambda _: sentence, so="")


def _classes(report: Report, cells: "polars.Series") -> npt.NDArray[Any] | None:
    gaps = is_gap_among_numbers(cells)
    report(
        gaps,
        lambda row: f"label {cells[row]!r} in column {cells.name!r} is among numbers; if it is missing, leave it out",
        so=f"have no number in {cells.name!r}",
    )
    return None if gaps.any() else find_classes(cells)


def _report_missing(report: Report, cells: "polars.Series", ignored: Mask) -> bool:
    bad = cells.is_null().to_numpy() & ~ignored
    report(bad, lambda _: f"no label in column {cells.name!r}", so=f"have no label in {cells.name!r}")
    return bool(bad.any()) or cells.null_count() == len(cells)


def _fill_missing(cells: "polars.Series") -> "polars.Series":
    return cells.fill_null(cells.drop_nulls()[0]) if cells.null_count() else cells


def _numbers(report: Report, cells: "polars.Series", *, smallest: float = -np.inf) -> npt.NDArray[np.float64] | None:
    numbers = numbers_in(cells)
    wrong = ~(np.abs(numbers) <= LARGEST_NUMBER)
    report(
        wrong,
        lambda row: f"label {cells[row]!r} in column {cells.name!r} is not a number{_comma(cells[row])}",
        so=f"have no number in {cells.name!r}",
    )
    below = numbers < smallest
    report(
        below,
        lambda row: f"label {cells[row]} in column {cells.name!r} is below {smallest:g}, the least this metric takes",
        so=f"have a label below {smallest:g}",
    )
    return None if wrong.any() or below.any() else np.asarray(numbers)


def _report_not_positive(report: Report, cells: "polars.Series") -> bool:
    bad = numbers_in(cells) <= 0
    words = "is not positive; this metric divides by the label"
    report(
        bad, lambda row: f"label {cells[row]} in column {cells.name!r} {words}", so="have a label that is not positive"
    )
    return bool(bad.any())


def _comma(cell: str) -> str:
    return "; write it with a decimal point" if "," in cell and cell.replace(",", "", 1).lstrip("-").isdigit() else ""


def _survival(report: Report, columns: Sequence["polars.Series"]) -> npt.NDArray[np.float64] | None:
    times = _numbers(report, columns[0], smallest=0.0)
    event = columns[1].str.to_lowercase().replace({"true": "1", "false": "0"}).alias(columns[1].name)
    events = _numbers(report, event)
    if times is None or events is None:
        return None
    unknown = (events != 0) & (events != 1)
    report(
        unknown,
        lambda row: f"{columns[1].name} is {columns[1][row]}; it must be 0 (censored) or 1 (the event was observed)",
        so="have an event that is neither 0 nor 1",
    )
    return None if unknown.any() else np.stack([times, events], axis=1)
