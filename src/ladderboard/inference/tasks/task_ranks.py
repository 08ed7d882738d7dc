"""Mean rank, win rate and Borda count over tasks, and which of their differences are certain.

With w_t(i, j) = 1 where system i is better than j in task t, ½ where they are equal and 0 otherwise, a system's points
in a task are Σ_j w_t(i, j). Borda's count is the sum of the points over tasks, the win rate their mean as a share of
the m − 1 opponents, and the mean rank m minus the mean points: one order in three units.

Ranks jump where two systems of a task are level, and no bootstrap of ranks holds there. So the certain statements come
first: in each task, which systems are certainly worse than which (`certainly_worse` at 1 − α/T, so that all tasks hold
at once). What is not certain may be anything that fits one order of the systems; system i is certainly ahead of j over
all tasks where the smallest possible difference of their points is positive.

Guarantee
---------
As the numbers of items grow: P(every system's true rank by points lies in its range) ≥ confidence, for the points of
the true mean losses of these tasks. It is cautious: it does not use that all uncertain pairs are unlikely to fall the
same way.
"""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.inference.contrasts import Flags, draw_contrasts, make_generator
from ladderboard.inference.covariance import paired_means
from ladderboard.inference.rank_ranges import certainly_worse
from ladderboard.inference.tasks.task_means import TaskLosses, select_task


def count_points(by_task: FloatArray) -> FloatArray:
    """The mean points of each system over tasks, from tasks × systems of mean losses.

    >>> count_points(np.array([[0.1, 0.2, 0.2], [0.3, 0.1, 0.2]])).tolist()
    [1.0, 1.25, 0.75]
    """
    points = np.zeros(by_task.shape[1])
    for losses in by_task:
        better = (losses[:, None] < losses[None, :]).sum(axis=1)
        level = (losses[:, None] == losses[None, :]).sum(axis=1) - 1
        points += better + level / 2
    return np.asarray(points / len(by_task))


def certainly_behind(data: TaskLosses, *, confidence: float, replicates: int, seed: int | np.random.Generator) -> Flags:
    """m × m: whether system i has fewer points than j beyond doubt; no entry is false with this confidence."""
    rng = make_generator(seed)
    level = 1 - (1 - confidence) / len(data.tasks)
    systems = len(data.systems)
    smallest = np.zeros((systems, systems))
    for task in range(len(data.tasks)):
        losses, groups = select_task(data, task)
        paired = paired_means(losses, groups=groups)
        contrasts = draw_contrasts(paired, replicates=replicates, rng=rng)
        smallest += smallest_difference(certainly_worse(paired, contrasts, confidence=level))
    # At [i, j]: i's points less j's, at least. So i is behind j where j's less i's are certainly positive.
    return np.asarray(smallest.T > 0)


def smallest_difference(worse: Flags) -> FloatArray:
    """m × m: the smallest possible difference of i's points and j's in a task, given who is certainly worse than whom.

    Where i is certainly better than j, no third system takes more points from i than from j.

    >>> smallest_difference(np.array([[False, False, False], [True, False, False], [True, False, False]])).tolist()
    [[0.0, 1.0, 1.0], [-2.0, 0.0, -1.0], [-2.0, -1.0, 0.0]]
    """
    beats = worse.T.astype(np.float64)  # i certainly beats j: at least one point
    may_beat = 1.0 - worse  # i may beat j: at most one point
    np.fill_diagonal(may_beat, 0.0)
    # Third systems k: Σ (least of i against k − most of j against k), without the terms k = i and k = j.
    others = beats.sum(axis=1)[:, None] - may_beat.sum(axis=1)[None, :] - beats + may_beat.T
    certain = 1.0 + beats @ beats  # those that i certainly beats and that certainly beat j
    found = np.where(worse.T, certain, others - 1.0)
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)
