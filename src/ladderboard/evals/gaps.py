"""Missing cells: refused, left out with their items, or counted as the worst loss."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.core.words import pluralise
from ladderboard.evals.costs import Costs
from ladderboard.evals.left_out import LeftOut, Note, list_names, take_left_out
from ladderboard.evals.loss_matrix import LossMatrix, Repeats
from ladderboard.evals.options import ReadOptions
from ladderboard.inference.measure import ACCURACY, Measure

SHOWN_SYSTEMS = 3


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
    costs: Costs | None = None
    notes: tuple[Note, ...] = ()
    place: Callable[[int], str] | None = None
    """Where a row is in the file; None: items are not rows of one file."""
    headline: Callable[[str], str] = str
    """What was read, in one sentence, from the items that count in words."""


def close_gaps(partial: PartialMatrix, options: ReadOptions) -> LossMatrix:
    """The matrix without gaps, as ``options.missing`` says, with what was read and left out."""
    gaps, losses = np.isnan(partial.losses), partial.losses
    closed: list[Note] = []
    kept = np.arange(len(losses))
    if gaps.any() and options.missing == "error":
        raise _describe_missing(partial, gaps)
    if gaps.any() and options.missing == "drop_items":
        kept = np.flatnonzero(~gaps.any(axis=1))
        names = tuple(partial.items[row] for row in np.flatnonzero(gaps.any(axis=1)))
        closed.append(LeftOut("item", names, f"no score of {_count_missing(partial, gaps)}"))
    elif gaps.any():
        losses = np.where(gaps, _find_worst(losses, options, partial.measure), losses)
        closed.append(f"{_count_cells(int(gaps.sum()))} counted as the worst loss: {_count_missing(partial, gaps)}")
    repeats = partial.repeats
    if repeats is not None:
        repeats = Repeats(repeats.counts[kept], repeats.variances[kept])
    if len(kept) < 2:
        raise InputError(
            f"{partial.file}: {_count_items(len(kept))} left; at least two are needed, of all systems"
            + (f"; no score of {_count_missing(partial, gaps)} (--drop leaves a system out)" if gaps.any() else "")
        )
    notes = (partial.headline(_count_kept(partial, kept)), *partial.notes, *closed)
    _refuse_infinite(partial, losses)
    return LossMatrix.of(
        losses[kept],
        systems=partial.systems,
        items=[partial.items[row] for row in kept],
        measure=partial.measure,
        groups=None if partial.groups is None else [partial.groups[row] for row in kept],
        tasks=None if partial.tasks is None else [partial.tasks[row] for row in kept],
        repeats=repeats,
        dates=partial.dates,
        costs=partial.costs,
        notes=[str(note) for note in notes],
        left_out=take_left_out(notes),
        constant=True,
    )


def _describe_missing(partial: PartialMatrix, gaps: FloatArray) -> InputError:
    """The refusal of gaps: the first, how many each system has, and every way to go on."""
    row, column = (int(place) for place in np.argwhere(gaps)[0])
    system, more = partial.systems[column], int(gaps.sum()) - 1
    if partial.place is None:
        where = f"{partial.file}: {system!r} has no score for item {partial.items[row]!r}"
        also = f", and {more} more {'is' if more == 1 else 'are'} missing" if more else ""
    else:
        where = f"{partial.file}, {partial.place(row)}, column {system!r}: the cell is empty"
        also = f", and so {'is 1' if more == 1 else f'are {more}'} more" if more else ""
    counts = f" (of {_count_missing(partial, gaps)})" if more else ""
    return InputError(
        f"{where}{also}{counts}; fill it, leave the system out (--drop), or say that items with missing cells are left "
        "out (missing='drop_items', --missing drop-items) or that such a cell counts as the worst loss ('worst')"
    )


def _count_missing(partial: PartialMatrix, gaps: FloatArray) -> str:
    """Which systems lack how many items; those that lack most come first."""
    totals, items = gaps.sum(axis=0), _count_items(len(gaps))
    columns = [int(column) for column in np.argsort(-totals, kind="stable") if totals[column]]
    parts = [
        f"{partial.systems[column]!r} for {totals[column]} of {items}{_list_tasks(partial, gaps[:, column])}"
        for column in columns[:SHOWN_SYSTEMS]
    ]
    more = len(columns) - SHOWN_SYSTEMS
    return ", ".join(parts) + (f" and {pluralise('{n} more system', '{n} more systems', more)}" if more > 0 else "")


def _list_tasks(partial: PartialMatrix, missing: FloatArray) -> str:
    """The tasks of which a system has nothing at all."""
    tasks = np.array(partial.tasks or ())
    absent = [task for task in dict.fromkeys(partial.tasks or ()) if missing[tasks == task].all()]
    return f" (all of {list_names(absent)})" if absent else ""


def _count_kept(partial: PartialMatrix, kept: IntArray) -> str:
    """The items that count, and the tasks they are of."""
    total, tasks = len(partial.items), partial.tasks
    items = _count_items(total) if len(kept) == total else f"{len(kept):,} of {_count_items(total)}"
    counted = len({tasks[row] for row in kept}) if tasks is not None else 0
    return items if tasks is None else f"{items} of {pluralise('{n} task', '{n} tasks', counted)}"


def _count_items(number: int) -> str:
    return pluralise("{n} item", "{n} items", number)


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


def _count_cells(count: int) -> str:
    return "1 missing cell was" if count == 1 else f"{count} missing cells were"
