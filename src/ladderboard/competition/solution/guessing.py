"""Guesses about a solution file: its columns and a metric, each with its reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ladderboard.competition.checks.findings import join_names
from ladderboard.competition.solution.columns import (
    EVENT_NAMES,
    GROUP_NAMES,
    LABEL_NAMES,
    TIME_NAMES,
    USAGE_NAMES,
    WEIGHT_NAMES,
    SolutionColumns,
    find_named_column,
    likely_id,
)
from ladderboard.core.errors import InputError
from ladderboard.tabular import Table
from ladderboard.tabular.class_columns import describe_run_lengths, has_run_lengths, is_one_hot
from ladderboard.tabular.columns import DECIMAL_COMMA, find_classes, numbers_in

if TYPE_CHECKING:
    import polars

ORDERED_NAMES = ("rating", "grade", "stage", "level", "severity", "score", "quality")
MOST_CLASSES = 20
FEWEST_PER_CLASS = 5
FEW_WORDS = 3
PARTS_OF_A_MASK = 3


@dataclass(frozen=True)
class MetricProposal:
    """A metric and the reason for it."""

    metric: str
    because: str


def guess_columns(table: Table, *, id_column: str | None = None, labels: Sequence[str] = ()) -> SolutionColumns:
    """Guess the columns of a solution from names and values; raises `InputError` if they are unclear."""
    for name in (id_column, *labels):
        if name is not None and name not in table.columns:
            raise InputError(f"the solution has no column {name!r}; it has {join_names(table.columns)}")
    usage = find_named_column(USAGE_NAMES, [name for name in table.columns if name not in labels])
    others = [name for name in table.columns if name != usage and name not in labels]
    identity = id_column or _id(table, others)
    others = [name for name in others if name != identity]
    weight = find_named_column(WEIGHT_NAMES, others)
    group = find_named_column(GROUP_NAMES, [name for name in others if table.column(name).n_unique() < len(table)])
    others = [name for name in others if name not in (weight, group)]
    if not labels and not others:  # nothing else is left: what looked like a weight or a group is the label
        others, weight, group = [name for name in (weight, group) if name is not None][:1], None, None
    return SolutionColumns(identity, tuple(labels) or _labels(table, others), usage, group, weight)


def propose_metric(table: Table, columns: SolutionColumns) -> MetricProposal:
    """A metric that suits the labels."""
    several = [table.column(name) for name in columns.labels]
    if len(several) > 1:
        return _propose_for_columns(several)
    cells = table.column(columns.labels[0]).drop_nulls()
    if not len(cells):
        raise InputError(f"column {columns.labels[0]!r} has no label")
    if has_run_lengths(cells):
        raise InputError(describe_run_lengths(cells.name))
    if cells.str.contains(DECIMAL_COMMA).all():
        return MetricProposal("rmse", "labels are numbers with a decimal comma")  # which `check` refuses, by line
    values = find_classes(cells)
    classes = len(np.unique(values))
    if classes == 2:
        return MetricProposal(
            "auc", "two classes: AUC takes any score and needs no threshold (accuracy: decisions instead)"
        )
    if values.dtype.kind == "U" and 2 * classes > len(cells) and _are_sentences(cells):
        return MetricProposal("token_f1", "labels are texts (exact_match, rouge_l, wer, bleu: other measures of texts)")
    if values.dtype.kind == "U":
        return MetricProposal("accuracy", f"{classes} classes that are words (log_loss: probabilities instead)")
    is_coarse = values.dtype.kind == "i" and classes <= MOST_CLASSES and len(cells) >= FEWEST_PER_CLASS * classes
    if is_coarse and _is_ordered(cells):
        return MetricProposal("quadratic_kappa", f"{classes} whole numbers that look ordered: near misses cost less")
    if is_coarse:
        return MetricProposal(
            "accuracy", f"{classes} whole numbers, taken for classes (quadratic_kappa if they are ordered)"
        )
    return MetricProposal("rmse", "labels are numbers (mae if a few large ones should not rule)")


def _propose_for_columns(several: Sequence["polars.Series"]) -> MetricProposal:
    """A metric of several label columns."""
    if len(several) == PARTS_OF_A_MASK and has_run_lengths(several[0]):
        return MetricProposal("dice", "masks with the height and the width of their pictures (iou: another measure)")
    if is_one_hot(several) and _have_several(several):
        return MetricProposal("mean_columnwise_auc", f"{len(several)} labels of which a row may have several")
    if is_one_hot(several):
        because = f"a column for each of {len(several)} classes: predictions are probabilities"
        return MetricProposal("log_loss", because)
    if len(several) > 2 or (len(several) == 2 and not is_one_hot([several[1], several[1]])):
        return MetricProposal(
            "mean_columnwise_rmse", f"{len(several)} targets (mean_columnwise_auc: labels of 0 and 1)"
        )
    return MetricProposal("c_index", "a time and whether the event was observed: predictions are risks")


def _have_several(columns: Sequence["polars.Series"]) -> bool:
    """Whether a row has more than one 1 or none, so that columns of 0 and 1 are labels and no classes."""
    return bool((np.stack([numbers_in(cells) for cells in columns], axis=1).sum(axis=1) != 1).any())


def _id(table: Table, present: Sequence[str]) -> str:
    """Guess the id column: by its name, else the first in which no value repeats."""
    named = likely_id(present)
    if named is not None:
        return named
    for name in present:
        cells = table.column(name)
        if cells.null_count() == 0 and cells.n_unique() == len(table) and not _has_fractions(cells):
            return name
    raise InputError("no column names the rows: each row needs an id of its own; add a column id, or say --id COLUMN")


def _has_fractions(cells: "polars.Series") -> bool:
    return bool(cells.str.contains(r"^-?\d*[.,]\d+(?:[eE][-+]?\d+)?$").all())


def _labels(table: Table, others: Sequence[str]) -> tuple[str, ...]:
    time, event = find_named_column(TIME_NAMES, others), find_named_column(EVENT_NAMES, others)
    if time is not None and event is not None:
        return (time, event)
    height, width = find_named_column(("height",), others), find_named_column(("width",), others)
    if height is not None and width is not None:
        masks = [name for name in others if has_run_lengths(table.column(name))]
        if len(masks) == 1:
            return (masks[0], height, width)
    named = find_named_column(LABEL_NAMES, others)
    if named is not None:
        return (named,)
    if len(others) == 1:
        return (others[0],)
    if is_one_hot([table.column(name) for name in others]):
        return tuple(others)
    raise InputError(
        "which column has the labels? Say --label COLUMN, once for each target; "
        f"there are: {join_names(others) or 'none left'}"
    )


def _are_sentences(cells: "polars.Series") -> bool:
    """Whether most of them have several words."""
    return int((cells.str.count_matches(r"\S+") >= FEW_WORDS).sum()) * 2 > len(cells)


def _is_ordered(cells: "polars.Series") -> bool:
    return any(word in cells.name.lower() for word in ORDERED_NAMES)
