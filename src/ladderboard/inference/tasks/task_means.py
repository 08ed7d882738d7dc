"""The mean over tasks of the mean loss in each task, and its covariance.

The tasks are taken as they are; their items are drawn. So items are compared with the mean of their own task, and a
task that is hard for all systems adds nothing to the errors.

Notation: T tasks, n_t items in task t; an item of task t has the weight 1/(T·n_t).

Reference
---------
Satterthwaite 1946, An Approximate Distribution of Estimates of Variance Components, Biometrics Bulletin 2(6).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.inference.clusters import read_groups, relative_shares, sum_by_group
from ladderboard.inference.covariance import GroupLabels, PairedMeans, read_losses, system_names


@dataclass(frozen=True, eq=False)
class TaskLosses:
    """Items × systems of losses, the task of each item, and its group where items come in groups."""

    losses: FloatArray = field(repr=False)
    systems: tuple[str, ...]
    tasks: tuple[str, ...]
    codes: IntArray = field(repr=False)
    """The place in ``tasks`` of each item's task."""
    groups: IntArray | None = field(default=None, repr=False)

    @property
    def sizes(self) -> IntArray:
        """The items of each task."""
        return np.bincount(self.codes, minlength=len(self.tasks))

    def means(self) -> FloatArray:
        """Tasks × systems: the mean losses."""
        return np.asarray(sum_by_group(self.losses, self.codes) / self.sizes[:, None])


def read_tasks(loss_matrix: Any, tasks: Sequence[Any] | None, groups: GroupLabels | None) -> TaskLosses:
    """Read a loss matrix with a task for each item; by default the tasks and groups that the matrix brings."""
    if getattr(loss_matrix, "conditions", None) is not None:
        raise InputError(
            "seeds and prompts are part of the error of the mean over all items alone; aggregate over items, or leave "
            "the seeds and prompts unnamed"
        )
    losses = np.asarray(read_losses(loss_matrix), dtype=np.float64)
    labels = tasks if tasks is not None else getattr(loss_matrix, "tasks", None)
    if labels is None:
        raise InputError("there is one task only; give a task for each item (tasks=, --tasks-column)")
    if len(labels) != len(losses):
        raise InputError(f"{len(labels)} task labels for {len(losses)} items; give one for each item")
    names = tuple(dict.fromkeys(str(label) for label in labels))
    if len(names) < 2:
        raise InputError(f"all items are of the task {names[0]!r}; there is nothing to aggregate over")
    places = {name: place for place, name in enumerate(names)}
    codes = np.array([places[str(label)] for label in labels])
    few = int(np.argmin(np.bincount(codes)))
    if np.bincount(codes)[few] < 2:
        raise InputError(f"task {names[few]!r} has one item; at least two are needed to tell luck from skill")
    given = groups if groups is not None else getattr(loss_matrix, "groups", None)
    return TaskLosses(losses, system_names(loss_matrix, losses.shape[1]), names, codes, read_groups(given, len(losses)))


def average_tasks(data: TaskLosses) -> PairedMeans:
    """The mean over tasks, each task counting the same, with its covariance within tasks."""
    sizes, by_task = data.sizes, data.means()
    weights = (1 / (len(sizes) * sizes))[data.codes]
    errors = (data.losses - by_task[data.codes]) * weights[:, None]
    means = by_task.mean(axis=0)
    if data.groups is not None:
        return _by_groups(data, errors, weights, means)
    inflated = errors * np.sqrt(sizes / (sizes - 1))[data.codes][:, None]
    freedom = _count_freedom(inflated, data)
    return _pair_means(data, means, inflated.T @ inflated, units=len(errors), effective_units=freedom + 1)


def _count_freedom(errors: FloatArray, data: TaskLosses) -> float:
    """The degrees of freedom of the variance of a typical difference (Welch–Satterthwaite): a small task has few.

    Its variance is Σ_t v_t, and v_t is known by n_t − 1 degrees; a task of eight items weighs as much as one of 800.
    """
    relative = errors - errors.mean(axis=1, keepdims=True)  # all pairs together: differences from the average system
    variances = np.bincount(data.codes, np.square(relative).sum(axis=1))
    if not variances.any():
        return float(len(errors) - 1)
    return float(variances.sum() ** 2 / (variances**2 / (data.sizes - 1)).sum())


def select_task(data: TaskLosses, task: int) -> tuple[FloatArray, IntArray | None]:
    """The losses of one task's items, and their groups."""
    rows = data.codes == task
    return data.losses[rows], None if data.groups is None else data.groups[rows]


def _by_groups(data: TaskLosses, errors: FloatArray, weights: FloatArray, means: FloatArray) -> PairedMeans:
    assert data.groups is not None
    sums = sum_by_group(errors, data.groups)
    shares = np.bincount(data.groups, weights)
    count = len(sums)
    return _pair_means(
        data,
        means,
        count / (count - 1) * sums.T @ sums,
        units=count,
        shares=relative_shares(sums + np.outer(shares, means - means.mean())),
        effective_units=float(1 / np.square(shares).sum()),
    )


def _pair_means(
    data: TaskLosses, means: FloatArray, covariance: FloatArray, *, units: int, **grouped: Any
) -> PairedMeans:
    return PairedMeans(
        systems=data.systems,
        items=units,
        means=means,
        covariance=covariance,
        spacing=0.0,
        is_binary=False,
        skewness=np.zeros(len(means)),
        **grouped,
    )
