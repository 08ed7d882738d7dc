"""Rank ranges over several tasks by one aggregation, or by all of them side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.inference.checks import check_confidence
from ladderboard.inference.contrasts import REPLICATES, Flags, draw_contrasts, make_generator
from ladderboard.inference.covariance import GroupLabels, PairedMeans, paired_means
from ladderboard.inference.measure import LOSS, Measure
from ladderboard.inference.rank_ranges import RankRange, certainly_worse, find_ranges
from ladderboard.inference.tasks.task_means import TaskLosses, average_tasks, read_tasks
from ladderboard.inference.tasks.task_ranks import certainly_behind, count_points

Aggregate = Literal["items", "tasks", "mean_rank", "win_rate", "borda"]
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)
RANK_MEASURES: dict[Aggregate, Measure] = {
    "mean_rank": Measure("mean rank"),
    "win_rate": Measure("win rate", 1.0),
    "borda": Measure("Borda count", 0.0),
}
MEANINGS: dict[Aggregate, str] = {
    "items": "mean over all items",
    "tasks": "mean over tasks",
    "mean_rank": "mean rank over tasks",
    "win_rate": "win rate over tasks",
    "borda": "Borda count over tasks",
}


@dataclass(frozen=True)
class TaskRanking:
    """The systems ranked by one aggregation over tasks."""

    aggregate: Aggregate
    measure: Measure
    """The name of the scores, and how they come from what was ranked by."""
    ranges: tuple[RankRange, ...]
    """One for each system; ``score`` is what was ranked by, lower is better."""

    @property
    def scores(self) -> tuple[float, ...]:
        """One for each system: a mean, a mean rank (lower is better), a share of opponents beaten, or points."""
        return tuple(self.measure.score(one.score) for one in self.ranges)

    @property
    def winners(self) -> tuple[str, ...]:
        """Who is first as observed; several where they are level."""
        return tuple(one.system for one in self.ranges if one.rank == 1)

    @property
    def could_be_first(self) -> tuple[str, ...]:
        """Whose range begins with rank 1."""
        return tuple(one.system for one in self.ranges if one.could_be_first)


def rank_over_tasks(
    loss_matrix: Any,
    aggregate: Aggregate = "tasks",
    *,
    tasks: Sequence[Any] | None = None,
    groups: GroupLabels | None = None,
    confidence: float = 0.95,
    replicates: int = REPLICATES,
    seed: int | np.random.Generator = 0,
) -> TaskRanking:
    """Rank systems over several tasks, with simultaneous rank ranges.

    ``aggregate``: ``"items"``, the mean over all items, large tasks counting more; ``"tasks"``, the mean of the tasks'
    means; ``"mean_rank"``, ``"win_rate"`` and ``"borda"``, the same order in three units: how many other systems a
    system beats in a task, on average. ``tasks`` and ``groups`` have a label for each item; by default those of a
    `LossMatrix`. The tasks are taken as they are: the ranges are about other items of these tasks, not about others.

    >>> rng = np.random.default_rng(1)
    >>> losses = rng.random((600, 3)) < [0.1, 0.3, 0.5]
    >>> ranking = rank_over_tasks(losses, "win_rate", tasks=["easy"] * 200 + ["hard"] * 400)
    >>> ranking.scores, [(one.best, one.worst) for one in ranking.ranges]
    ((1.0, 0.5, 0.0), [(1, 1), (2, 2), (3, 3)])
    """
    if aggregate not in AGGREGATES:
        raise ParameterError(f"aggregate is {aggregate!r}; it must be one of {', '.join(AGGREGATES)}")
    check_confidence(confidence)
    data = read_tasks(loss_matrix, tasks, groups)
    measure = getattr(loss_matrix, "measure", LOSS)
    return _rank(data, aggregate, measure, confidence=confidence, replicates=replicates, seed=seed)


def compare_aggregates(
    loss_matrix: Any,
    *,
    tasks: Sequence[Any] | None = None,
    groups: GroupLabels | None = None,
    confidence: float = 0.95,
    replicates: int = REPLICATES,
    seed: int | np.random.Generator = 0,
) -> tuple[TaskRanking, ...]:
    """Rank by every aggregation, to see where the choice decides the winner. Arguments: see `rank_over_tasks`."""
    check_confidence(confidence)
    data = read_tasks(loss_matrix, tasks, groups)
    measure = getattr(loss_matrix, "measure", LOSS)
    # Mean rank, win rate and Borda count are the same order in three units: their simulation is done once.
    behind = certainly_behind(data, confidence=confidence, replicates=replicates, seed=seed)
    return tuple(
        _rank(data, one, measure, confidence=confidence, replicates=replicates, seed=seed, behind=behind)
        for one in AGGREGATES
    )


def describe_aggregates(rankings: Sequence[TaskRanking]) -> str:
    """Say in plain words whether the aggregation decides who wins."""
    by_winner: dict[tuple[str, ...], list[str]] = {}
    for one in rankings:
        by_winner.setdefault(one.winners, []).append(MEANINGS[one.aggregate])
    always = set.intersection(*(set(one.could_be_first) for one in rankings))
    first = ", ".join(one.system for one in rankings[0].ranges if one.system in always)
    rest = f"could be first by every aggregation: {first}" if always else "no system could be first by all of them"
    if len(by_winner) == 1:
        return f"Every aggregation names the same winner, {' and '.join(next(iter(by_winner)))}; {rest}."
    named = "; ".join(f"{' and '.join(names)} by {', '.join(used)}" for names, used in by_winner.items())
    return f"The aggregation decides the winner: {named}; {rest}."


def _rank(
    data: TaskLosses,
    aggregate: Aggregate,
    measure: Measure,
    *,
    confidence: float,
    replicates: int,
    seed: Any,
    behind: Flags | None = None,
) -> TaskRanking:
    if aggregate in RANK_MEASURES:
        worse = behind
        if worse is None:
            worse = certainly_behind(data, confidence=confidence, replicates=replicates, seed=seed)
        ranges = find_ranges(_without_errors(data, _lose_points(data, aggregate)), worse)
        return TaskRanking(aggregate, RANK_MEASURES[aggregate], tuple(ranges))
    paired = _average_items(data) if aggregate == "items" else average_tasks(data)
    contrasts = draw_contrasts(paired, replicates=replicates, rng=make_generator(seed))
    ranges = find_ranges(paired, certainly_worse(paired, contrasts, confidence=confidence))
    return TaskRanking(aggregate, measure, tuple(ranges))


def _lose_points(data: TaskLosses, aggregate: Aggregate) -> FloatArray:
    """Mean points per task as a loss, in the aggregation's own unit."""
    points, systems = count_points(data.means()), len(data.systems)
    if aggregate == "borda":
        return -points * len(data.tasks)
    return np.asarray(1 - points / max(1, systems - 1) if aggregate == "win_rate" else systems - points)


def _average_items(data: TaskLosses) -> PairedMeans:
    return replace(paired_means(data.losses, groups=data.groups), systems=data.systems)


def _without_errors(data: TaskLosses, losses: FloatArray) -> PairedMeans:
    """Scores whose order alone counts: what is certain comes from the tasks."""
    systems = len(losses)
    return PairedMeans(
        systems=data.systems,
        items=len(data.tasks),
        means=losses,
        covariance=np.zeros((systems, systems)),
        spacing=0.0,
        is_binary=False,
        skewness=np.zeros(systems),
    )
