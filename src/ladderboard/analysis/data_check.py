"""Checks of results before any statistic: odd findings, a sentence each."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.evals import LossMatrix

FAR_OFF = 1.5
"""A system is far off if its gap to the next is this many times the spread of all others."""
NOISE = 4.0
"""A gap of fewer standard errors of a mean is no gap."""
FEWEST_SYSTEMS = 4
"""With fewer there is no middle."""
AGAINST = -0.2
"""A correlation with the other systems below this is the wrong way round."""
OTHER_SCALE = 5.0
"""An item is on another scale if its smallest number is this many times the largest of all others."""
OTHER_TASK_SCALE = 20.0
"""Tasks are on two scales if the largest number of one is this many times that of the other."""
SKEWED = 0.25
"""Times √n: a difference of two systems with more skewness is decided by a few items, and far from normal."""
ROUNDING = 1e-12
SHOWN_NAMES = 5


def check_data(matrix: LossMatrix) -> list[str]:
    """List what is odd about the results, a sentence each.

    Looks for systems with the same losses throughout, systems with one loss for all items, a system far from all
    others, one that does well where the others do badly, as if its scores were turned round or its items shuffled,
    an item on another scale than all others, tasks on two scales, and differences that a few items decide.

    >>> check_data(LossMatrix.of([[0, 0, 1], [1, 1, 0], [0, 0, 0]], systems=["a", "b", "c"]))
    ['a and b have the same loss on every item; are they one system?']
    """
    checks = (
        *(_find_identical, _find_constant, _find_far_off, _find_turned_round),
        *(_find_other_scale, _find_task_scales, _find_skewed),
    )
    return [sentence for check in checks for sentence in check(matrix)]


def _find_identical(matrix: LossMatrix) -> list[str]:
    same: dict[bytes, list[str]] = defaultdict(list)
    for name, column in zip(matrix.systems, np.ascontiguousarray(matrix.losses.T), strict=True):
        same[column.tobytes()].append(name)
    return [
        f"{_list_names(names)} have the same loss on every item; are they one system?"
        for names in same.values()
        if len(names) > 1
    ]


def _find_constant(matrix: LossMatrix) -> list[str]:
    constant = np.flatnonzero(np.ptp(matrix.losses, axis=0) == 0).tolist()
    return [
        f"{matrix.systems[j]} has {_format_score(matrix, j)} on every item; "
        + ("has it seen the answers?" if matrix.losses[0, j] == 0 else "did it answer at all?")
        for j in constant
    ]


def _find_far_off(matrix: LossMatrix) -> list[str]:
    """A system that is much farther from the nearest other one than all others are from each other."""
    if len(matrix.systems) < FEWEST_SYSTEMS:
        return []
    order = np.argsort(matrix.means)
    means = matrix.means[order]
    noise = NOISE * float(np.median(matrix.losses.std(axis=0))) / np.sqrt(len(matrix.items))
    ends = {
        int(order[0]): (means[1] - means[0], means[-1] - means[1]),
        int(order[-1]): (means[-1] - means[-2], means[-2] - means[0]),
    }
    middle = matrix.measure.format_score(matrix.measure.score(float(np.median(matrix.means))))
    return [
        f"{matrix.systems[j]} is far off: {_format_score(matrix, j)} where the middle of the board has {middle}; "
        "was it scored in the same way?"
        for j, (gap, spread_of_others) in ends.items()
        if gap > max(FAR_OFF * spread_of_others, noise)
    ]


def _find_turned_round(matrix: LossMatrix) -> list[str]:
    if len(matrix.systems) < FEWEST_SYSTEMS or len(matrix.items) < 20:
        return []
    total = matrix.losses.sum(axis=1)
    found = []
    for name, column in zip(matrix.systems, matrix.losses.T, strict=True):
        correlation = _correlate(column, total - column)
        if correlation < AGAINST:
            found.append(
                f"{name} does well where the others do badly (correlation {correlation:.2f}); are its scores turned "
                "round, or its items in another order?"
            )
    return found


def _find_other_scale(matrix: LossMatrix) -> list[str]:
    """An item on which the smallest number of all systems is many times the largest on every other item."""
    sizes = np.abs(matrix.losses)
    smallest, largest = sizes.min(axis=1), sizes.max(axis=1)
    item = int(np.argmax(smallest))
    others = float(np.delete(largest, item).max())
    if not smallest[item] > OTHER_SCALE * others > 0:
        return []
    return [
        f"item {matrix.items[item]} is on another scale: {smallest[item]:g} or more, and the others reach {others:g}; "
        "is it a percentage among shares, or a total?"
    ]


def _find_task_scales(matrix: LossMatrix) -> list[str]:
    """Two tasks of which one reaches many times what the other does: it alone decides the mean."""
    reach: dict[str, float] = defaultdict(float)
    for task, size in zip(matrix.tasks or (), np.abs(matrix.losses).max(axis=1).tolist(), strict=False):
        reach[task] = max(reach[task], size)
    if len(reach) < 2:
        return []
    low, high = min(reach, key=reach.__getitem__), max(reach, key=reach.__getitem__)
    if not reach[high] > OTHER_TASK_SCALE * reach[low] > 0:
        return []
    return [
        f"tasks are on two scales: {high} reaches {reach[high]:g}, {low} only {reach[low]:g}, so {high} decides the "
        "mean; is one in percent?"
    ]


def _find_skewed(matrix: LossMatrix) -> list[str]:
    """The two systems whose difference is the most skewed, if a normal approximation of it is poor.

    Right and wrong answers need no such check: their differences are bounded, and the ranges cover.
    """
    if np.isin(matrix.losses, (0, 1)).all():
        return []
    units, word = _add_up_groups(matrix)
    skewness = _skew_differences(units)
    one, other = np.unravel_index(int(np.argmax(skewness)), skewness.shape)
    if skewness[one, other] <= SKEWED * np.sqrt(len(units)):
        return []
    return [
        f"a few {word} decide between {matrix.systems[one]} and {matrix.systems[other]} (skewness of their differences "
        f"{skewness[one, other]:.1f}, {len(units)} {word}); ranges and intervals cover less often than they say; use "
        "more of them, or a score without outliers"
    ]


def _add_up_groups(matrix: LossMatrix) -> tuple[FloatArray, str]:
    """What is independent: the items, or the sums of the groups."""
    if matrix.groups is None:
        return matrix.losses, "items"
    _, codes = np.unique(matrix.groups, return_inverse=True)
    sums = np.zeros((codes.max() + 1, len(matrix.systems)))
    np.add.at(sums, codes, matrix.losses - matrix.means)
    return sums, "groups"


def _skew_differences(losses: FloatArray) -> FloatArray:
    """m × m: the absolute skewness of each difference of two systems; 0 where they never differ."""
    centred = losses - losses.mean(axis=0)
    moments, thirds = centred.T @ centred / len(losses), (centred**2).T @ centred / len(losses)
    own, cubes = np.diag(moments), np.diag(thirds)
    variances = own[:, None] + own - 2 * moments
    third = cubes[:, None] - cubes - 3 * (thirds - thirds.T)
    differ = variances > ROUNDING * (own[:, None] + own)
    return np.where(differ, np.abs(third) / np.where(differ, variances, 1.0) ** 1.5, 0.0)


def _correlate(one: FloatArray, other: FloatArray) -> float:
    spread = float(one.std() * other.std())
    return float(((one - one.mean()) * (other - other.mean())).mean() / spread) if spread > 0 else 0.0


def _format_score(matrix: LossMatrix, system: int) -> str:
    return matrix.measure.format_score(float(matrix.scores[system]))


def _list_names(names: Sequence[str]) -> str:
    if len(names) > SHOWN_NAMES:
        return f"{', '.join(names[:SHOWN_NAMES])} and {len(names) - SHOWN_NAMES} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"
