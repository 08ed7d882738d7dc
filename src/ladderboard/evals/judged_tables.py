"""A long table with a judge's scores of every item and human scores of a part: a matrix corrected by the human ones."""

from dataclasses import replace

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.evals.direction import find_direction
from ladderboard.evals.left_out import list_names
from ladderboard.evals.loss_matrix import LossMatrix
from ladderboard.evals.options import ReadOptions
from ladderboard.inference.judges import FEWEST_LABELS, correct_judge


def refuse_judge_alone(file: str, options: ReadOptions) -> None:
    """Raise where a judge is named and no human scores are: its bias cannot be known."""
    if options.judge_column is not None and options.human_column is None:
        raise InputError(
            f"{file}: nothing says how far the judge in {options.judge_column!r} is off; name the column with human "
            f"scores of a part of the items (--human-column), or take its word (--metric {options.judge_column})"
        )
    if options.human_column is not None and options.judge_column is None:
        raise InputError(
            f"{file}: --human-column corrects a judge's scores of all items; say which they are (--judge-column)"
        )


def correct_by_humans(
    file: str, judged: LossMatrix, human: dict[tuple[str, str], list[float]], options: ReadOptions
) -> LossMatrix:
    """The matrix with each item's part of the human losses, of the human scores by item and system."""
    scores = np.array(
        [[np.mean(human.get((item, system)) or [np.nan]) for system in judged.systems] for item in judged.items],
        dtype=np.float64,
    )
    labels = np.isfinite(scores).sum(axis=0)
    few = [
        f"{system} has {count}" for system, count in zip(judged.systems, labels, strict=True) if count < FEWEST_LABELS
    ]
    if few:
        raise InputError(
            f"{file}: {list_names(few)} human scores in {options.human_column!r}; at least {FEWEST_LABELS} of each "
            "system are needed to correct the judge (leave a system out with --drop)"
        )
    direction = find_direction(file, [str(options.human_column)], scores, options, known=None)
    losses, measure = direction.losses(scores)
    corrected = correct_judge(judged.losses, losses)
    return replace(
        judged,
        losses=corrected.losses,
        measure=measure,
        repeats=None,
        notes=(*judged.notes, _describe(labels, corrected.explained, options)),
    )


def _describe(labels: FloatArray, explained: FloatArray, options: ReadOptions) -> str:
    counts = f"{labels.min()}" if labels.min() == labels.max() else f"{labels.min()} to {labels.max()}"
    return (
        f"the judge in {options.judge_column!r} is corrected by {counts} human scores of each system in "
        f"{options.human_column!r}, which must be of items drawn at random; it explains "
        f"{100 * float(np.median(explained)):.0f} % of their variance"
    )
