"""The submission format of a competition, from its metric and solution."""

from dataclasses import replace

import numpy as np

from ladderboard.competition.model import Limits, Solution
from ladderboard.competition.solution.columns import find_named_column
from ladderboard.core.errors import ParameterError
from ladderboard.core.sizes import MEBIBYTE
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Numbers, Target, TwoClasses
from ladderboard.metrics.mean_score import GradedItems
from ladderboard.metrics.text_inputs import Masks, RankedLists, count_pixels
from ladderboard.scoring.rows_metric import SubmittedRows
from ladderboard.tabular import SubmissionFormat
from ladderboard.tabular.format import Takes

RISK = "risk"
UNPACKED = 5
"""An archive may unpack to so many times the size a file may have."""
FILE_BYTES = 2 << 30
PLENTY_FOR_A_CELL = 64
"""Bytes: a number in all its digits has 25."""


def make_format(
    metric: Metric, solution: Solution, *, limits: Limits, columns: tuple[str, ...] = ()
) -> SubmissionFormat:
    """Make the format; ``columns`` are other names for the prediction columns. Raises `ParameterError`.

    It shows no classes but the 0 and 1 of label columns: whether participants are told others, the organiser's sample
    says (`check_sample`).
    """
    target = metric.kind.read_labels(solution.labels)
    takes = find_prediction_kind(metric)
    usual = solution.label_columns if metric.kind.has_columns else prediction_columns(takes, target, solution)
    names, expected = columns or usual, len(usual)
    if len(names) != expected or len(set(names)) != expected or solution.id_column in names:
        raise ParameterError(
            f"predictions = {list(names)}; {expected} different {'name is' if expected == 1 else 'names are'} needed, "
            f"and none may be {solution.id_column!r}"
        )
    shape = SubmissionFormat(
        id_column=solution.id_column,
        ids=solution.ids,
        prediction_columns=names,
        takes=takes,
        classes=(0, 1) if takes == "labels" else target.classes,
        positive=target.positive,
        shows_classes=takes == "labels",
        is_table=metric.kind.has_columns,
        most_entries=metric.kind.most_entries if isinstance(metric.kind, RankedLists) else 0,
        pixels=np.array(count_pixels(target.values)) if isinstance(metric.kind, Masks) else None,
        smallest=metric.kind.smallest if isinstance(metric.kind, Numbers) else float("-inf"),
    )
    return limit_size(shape, solution, limits)


def limit_size(shape: SubmissionFormat, solution: Solution, limits: Limits) -> SubmissionFormat:
    """Limit the size of files, and of what an archive may unpack to."""
    most = limits.max_file_bytes
    # What texts take nobody knows before: packed or not, they may have the size of a file.
    unpacked = most if shape.takes_texts else min(UNPACKED * most, _plenty(solution, len(shape.prediction_columns)))
    if (shape.max_bytes, shape.max_unpacked_bytes) == (most, unpacked):
        return shape  # with the index of ids that it has made
    return replace(shape, max_bytes=most, max_unpacked_bytes=unpacked)


def _plenty(solution: Solution, columns: int) -> int:
    """Compute a limit on the unpacked size, so that a small archive cannot fill the server's memory."""
    if not columns:  # what a file holds beside its items, only the scorer knows
        return FILE_BYTES
    return 2 * (2 * MEBIBYTE + solution.ids.nbytes + len(solution.ids) * (columns + 1) * PLENTY_FOR_A_CELL)


def find_prediction_kind(metric: Metric) -> Takes:
    """Find the kind of predictions that the metric takes."""
    # The kinds of metrics say it in any string; formats know the same words, as `Takes` lists them.
    if isinstance(metric.kind, GradedItems | SubmittedRows):
        return "file"
    takes: Takes = "two_classes" if isinstance(metric.kind, TwoClasses) else metric.kind.takes  # type: ignore[assignment]
    return takes


def prediction_columns(takes: Takes, target: Target, solution: Solution) -> tuple[str, ...]:
    """Name the prediction columns: as the label, as the classes for probabilities, "risk" for survival times."""
    if takes == "file":
        return ()
    if takes == "survival":
        return (RISK if find_named_column((RISK,), (solution.id_column,)) is None else f"predicted_{RISK}",)
    if takes == "probabilities" and len(target.classes) > 2:
        return tuple(str(name) for name in target.classes)
    return (solution.label_columns[0],)
