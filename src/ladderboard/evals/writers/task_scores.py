"""A system's score on each task, with its standard error: what every shared format asks for."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ladderboard.core.records import IntArray
from ladderboard.evals.loss_matrix import LossMatrix
from ladderboard.inference.covariance import paired_means


@dataclass(frozen=True, eq=False)
class TaskScores:
    """The scores of all systems on one task."""

    task: str
    rows: IntArray
    """The task's items among all of the matrix."""
    scores: tuple[float, ...]
    standard_errors: tuple[float | None, ...]
    """None where one item, or one group, tells nothing about it."""


def list_task_scores(results: LossMatrix, name: str) -> Iterator[TaskScores]:
    """Of each task, in the order of the items; results of one task are called ``name``."""
    tasks = np.array(results.tasks if results.tasks is not None else [name] * len(results.items))
    for task in dict.fromkeys(tasks.tolist()):
        rows = np.flatnonzero(tasks == task)
        scores = tuple(results.measure.score(float(mean)) for mean in results.losses[rows].mean(axis=0))
        yield TaskScores(task, rows, scores, _find_errors(results, rows))


def _find_errors(results: LossMatrix, rows: IntArray) -> tuple[float | None, ...]:
    groups = None if results.groups is None else tuple(results.groups[row] for row in rows)
    if len(rows) < 2 or (groups is not None and len(set(groups)) < 2):
        return (None,) * len(results.systems)
    return tuple(float(np.sqrt(variance)) for variance in paired_means(results.take_items(rows)).variances)
