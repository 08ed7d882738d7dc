"""One system in each of two files: matched by the names of their items."""

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.core.words import pluralise
from ladderboard.evals.gaps import PartialMatrix, close_gaps
from ladderboard.evals.left_out import list_names
from ladderboard.evals.loss_matrix import LossMatrix, Repeats
from ladderboard.evals.options import Missing, ReadOptions

Labelled = tuple[LossMatrix, tuple[str, ...] | None]
"""Results, and the label of each of their items."""


def join_results(new: LossMatrix, old: LossMatrix, *, missing: Missing = "error") -> LossMatrix:
    """The two systems of two results on the items that both have.

    Items are matched by name; where neither file names them, by their place, if there are as many in both. Items of one
    file alone are refused with their counts, unless ``missing`` says that they are left out (``"drop_items"``) or count
    as the worst loss (``"worst"``).
    """
    for side, results in (("new", new), ("old", old)):
        if len(results.systems) != 1:
            raise InputError(
                f"the {side} results hold {len(results.systems)} systems ({list_names(results.systems)}); choose one "
                "(--systems), or put both systems into one folder or table and name them: compare RESULTS NEW OLD"
            )
    if new.measure != old.measure:
        raise InputError(
            f"the new results are measured by {_describe(new)}, the old ones by {_describe(old)}; compare scores of "
            "one kind (--metric, --kind)"
        )
    _refuse_numbers(new, old)
    items = tuple(dict.fromkeys((*new.items, *old.items)))
    rows = {item: row for row, item in enumerate(items)}
    places = [np.array([rows[item] for item in one.items]) for one in (new, old)]
    _refuse_unmatched(new, old, len(items), missing)
    losses = np.column_stack(
        [_spread(one.losses[:, 0], at, len(items)) for one, at in zip((new, old), places, strict=True)]
    )
    systems = (new.systems[0], old.systems[0])
    partial = PartialMatrix(
        "the two results",
        losses,
        systems if systems[0] != systems[1] else (f"{systems[0]} (new)", f"{systems[1]} (old)"),
        items,
        new.measure,
        groups=_join_labels("group", (new, new.groups), (old, old.groups), items),
        tasks=_join_labels("task", (new, new.tasks), (old, old.tasks), items),
        repeats=_join_repeats((new, old), places, len(items)),
        notes=(*new.notes, *old.notes, *_describe_selection(new, old, losses, missing)),
        headline=lambda counted: f"{counted} matched by name" if not _is_numbered(new) else f"{counted}, row by row",
    )
    return close_gaps(partial, ReadOptions(missing=missing))


def _describe(results: LossMatrix) -> str:
    return f"{results.measure.name} ({'lower' if results.measure.lower_is_better else 'higher'} is better)"


def _is_numbered(results: LossMatrix) -> bool:
    return results.items == tuple(str(row + 1) for row in range(len(results.items)))


def _refuse_numbers(new: LossMatrix, old: LossMatrix) -> None:
    if (_is_numbered(new) or _is_numbered(old)) and len(new.items) != len(old.items):
        raise InputError(
            f"the items have no names, and there are {len(new.items):,} in the new results and {len(old.items):,} in "
            "the old ones: which belong together cannot be known; add a column that names them (--items-column)"
        )


def _refuse_unmatched(new: LossMatrix, old: LossMatrix, union: int, missing: Missing) -> None:
    both = len(new.items) + len(old.items) - union
    if both < 2:
        raise InputError(
            f"{pluralise('{n} item has', '{n} items have', both)} the same name in both results (new: "
            f"{list_names(new.items, 3)}; old: {list_names(old.items, 3)}); are they of the same task?"
        )
    if both < union and missing == "error":
        only = f"{len(new.items) - both:,} only in the new results, {len(old.items) - both:,} only in the old ones"
        raise InputError(
            f"{both:,} items are in both results, {only}. Items may be missing because they went badly, so say how "
            "they count: compare on the common items (--missing drop-items), or as failures (--missing worst)"
        )


def _describe_selection(new: LossMatrix, old: LossMatrix, losses: FloatArray, missing: Missing) -> list[str]:
    """How each system does on items that only it has: those left out may not be like the others."""
    said = []
    common = ~np.isnan(losses).any(axis=1)
    for column, one in enumerate((new, old)):
        alone = ~np.isnan(losses[:, column]) & ~common
        if missing == "drop_items" and alone.any():
            scores = [
                one.measure.format_score(one.measure.score(float(losses[rows, column].mean())))
                for rows in (alone, common)
            ]
            said.append(
                f"on the {alone.sum():,} items that only {one.systems[0]} has it scores {scores[0]}; on the common "
                f"ones {scores[1]}"
            )
    return said


def _join_labels(word: str, new: Labelled, old: Labelled, items: tuple[str, ...]) -> tuple[str, ...] | None:
    """The group or task of each item, which must be the same in both where both say it."""
    if new[1] is None and old[1] is None:
        return None
    if new[1] is None or old[1] is None:
        raise InputError(f"only the {'old' if new[1] is None else 'new'} results have {word}s; give both or none")
    labels = dict(zip(new[0].items, new[1], strict=True))
    for item, label in zip(old[0].items, old[1], strict=True):
        if labels.setdefault(item, label) != label:
            raise InputError(f"item {item!r} is of {word} {labels[item]!r} in the new results, of {label!r} in the old")
    return tuple(labels[item] for item in items)


def _join_repeats(both: tuple[LossMatrix, LossMatrix], places: list[IntArray], rows: int) -> Repeats | None:
    if all(one.repeats is None for one in both):
        return None
    counts, variances = np.ones((rows, 2), dtype=np.int64), np.full((rows, 2), np.nan)
    for column, (one, at) in enumerate(zip(both, places, strict=True)):
        if one.repeats is not None:
            counts[at, column], variances[at, column] = one.repeats.counts[:, 0], one.repeats.variances[:, 0]
    return Repeats(counts, variances)


def _spread(values: FloatArray, at: IntArray, rows: int) -> FloatArray:
    spread = np.full(rows, np.nan)
    spread[at] = values
    return spread
