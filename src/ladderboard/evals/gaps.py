"""Missing cells: refused, left out with their items, or counted as the worst loss."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.evals.loss_matrix import LossMatrix, Repeats
from ladderboard.evals.options import ReadOptions
from ladderboard.inference.measure import ACCURACY, Measure


@dataclass(frozen=True, eq=False)
class PartialMatrix:
    """A loss matrix in which cells may still be missing (NaN)."""

    file: str
    losses: FloatArray
    systems: tuple[str, ...]
    items: tuple[str, ...]
    measure: Measure
    groups: tuple[str, ...] | None = None
    tasks: tuple[str, ...] | None = None
    repeats: Repeats | None = None
    dates: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    place: Callable[[int], str] | None = None
    """Where a row is in the file; None: items are not rows of one file."""


def close_gaps(partial: PartialMatrix, options: ReadOptions) -> LossMatrix:
    """The matrix without gaps, as ``options.missing`` says, and the last checks."""
    gaps, losses, notes = np.isnan(partial.losses), partial.losses, list(partial.notes)
    kept = np.arange(len(losses))
    if gaps.any() and options.missing == "error":
        raise _describe_missing(partial, gaps)
    if gaps.any() and options.missing == "drop_items":
        kept = np.flatnonzero(~gaps.any(axis=1))
        notes.append(f"left out: {_count_items(len(losses) - len(kept))} of which a system has no score")
    elif gaps.any():
        losses = np.where(gaps, _find_worst(losses, options, partial.measure), losses)
        notes.append(f"{_count_cells(int(gaps.sum()))} counted as the worst loss")
    repeats = partial.repeats
    if repeats is not None:
        repeats = Repeats(repeats.counts[kept], repeats.variances[kept])
    if len(kept) < 2:
        raise InputError(f"{partial.file}: {_count_items(len(kept))} left; at least two are needed, of all systems")
    _refuse_infinite(partial, losses)
    matrix = LossMatrix.of(
        losses[kept],
        systems=partial.systems,
        items=[partial.items[row] for row in kept],
        measure=partial.measure,
        groups=None if partial.groups is None else [partial.groups[row] for row in kept],
        tasks=None if partial.tasks is None else [partial.tasks[row] for row in kept],
        repeats=repeats,
        dates=partial.dates,
        notes=notes,
        constant=True,
    )
    if not options.constant:
        matrix.refuse_constant_systems(partial.file)
    return matrix


def _describe_missing(partial: PartialMatrix, gaps: FloatArray) -> InputError:
    row, column = (int(place) for place in np.argwhere(gaps)[0])
    system, more = partial.systems[column], int(gaps.sum()) - 1
    if partial.place is None:
        where = f"{partial.file}: {system!r} has no score for item {partial.items[row]!r}"
        also = f", and {more} more {'is' if more == 1 else 'are'} missing" if more else ""
    else:
        where = f"{partial.file}, {partial.place(row)}, column {system!r}: the cell is empty"
        also = f", and so {'is 1' if more == 1 else f'are {more}'} more" if more else ""
    return InputError(
        f"{where}{also}; fill it, or say that items with missing cells are left out (missing='drop_items', --missing "
        "drop-items) or that such a cell counts as the worst loss ('worst')"
    )


def _refuse_infinite(partial: PartialMatrix, losses: FloatArray) -> None:
    if np.isinf(losses).any():
        row, column = (int(place) for place in np.argwhere(np.isinf(losses))[0])
        where = f"item {partial.items[row]!r}" if partial.place is None else partial.place(row)
        raise InputError(
            f"{partial.file}, {where}, system {partial.systems[column]!r}: the number is infinite; correct it, or "
            "leave it empty and say what a missing cell means (missing=, --missing)"
        )


def _find_worst(losses: FloatArray, options: ReadOptions, measure: Measure) -> float:
    if measure is ACCURACY:
        return 1.0
    if options.bounds is not None:
        worst = measure.loss(options.bounds[1] if measure.lower_is_better else options.bounds[0])
        if np.isfinite(worst):
            return worst
    if np.isnan(losses).all():
        raise InputError("every cell is empty; there is no worst loss to take")
    return float(np.nanmax(losses))


def _count_items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"


def _count_cells(count: int) -> str:
    return "1 missing cell was" if count == 1 else f"{count} missing cells were"
