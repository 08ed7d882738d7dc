"""The weight below each item in both of two orders, counted by merging, for many weightings at once.

Items in ascending order of the labels are split into halves, those again, and so on. At every level an item of a right
half needs the weight of the items of its left half with smaller predictions. The running totals of the left half, in
order of the predictions, give it; where to look them up is the same for all weightings and is found once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ladderboard.core.records import FloatArray, IntArray
from ladderboard.metrics._kernels.running_totals import Interleaving
from ladderboard.metrics._kernels.scratch import Scratch, take_rows
from ladderboard.metrics.inputs import Array


@dataclass(frozen=True, eq=False)
class Dominance:
    """The pairs of items in which one lies strictly below the other in labels and in predictions.

    Made from the items' groups of equal labels and of equal predictions. It takes O(n log n) to build, and
    O(n log n) for each weighting; no table is larger than items × weightings.

    >>> both = Dominance(np.array([0, 1, 1, 2]), np.array([0, 1, 0, 2]))
    >>> both.below(np.ones((4, 1))).ravel()
    array([0., 1., 0., 3.])
    """

    label_group: IntArray
    prediction_group: IntArray

    def below(self, weights: FloatArray) -> FloatArray:
        """For each item the weight strictly below it in both orders (items × weightings)."""
        total, scratch = np.zeros_like(weights), Scratch()
        for level in self._levels:
            total[level.right] += level.left_below(weights, scratch)
        return total

    def pairs(self, weights: FloatArray, scratch: Scratch) -> FloatArray:
        """Σ w_i·w_j over the pairs with i strictly below j in both orders, for each weighting."""
        total = np.zeros(weights.shape[1])
        for level in self._levels:
            own = take_rows(weights, level.right, scratch.table("own", len(level.right), weights.shape[1]))
            total += np.einsum("ib,ib->b", own, level.left_below(weights, scratch))
        return total

    @cached_property
    def _levels(self) -> list["_Level"]:
        # Among equal labels the greater prediction comes first, so that such a pair is never found in ascending order.
        by_label = np.lexsort((-self.prediction_group, self.label_group))
        return list(_levels(by_label, self.prediction_group))


@dataclass(frozen=True, eq=False)
class _Level:
    """One level of the merge: pairs of an item of a left half and one of the right half beside it."""

    left: IntArray
    """Items of all left halves: half after half, each in order of the predictions, as `stored` interleaves them."""
    right: IntArray
    stored: Interleaving
    until: IntArray
    """For each item of ``right`` the row with the running total of all left items before it."""
    since: IntArray
    """The row with the running total before its own left half."""

    def left_below(self, weights: FloatArray, scratch: Scratch) -> FloatArray:
        columns = weights.shape[1]
        running = scratch.table("running", len(self.left) + 1, columns)
        running[-1] = 0  # before the first item
        take_rows(weights, self.left, running[:-1])
        self.stored.run_up(running[:-1])
        result = take_rows(running, self.until, scratch.table("until", len(self.right), columns))
        result -= take_rows(running, self.since, scratch.table("since", len(self.right), columns))
        return result


def _levels(by_label: IntArray, prediction_group: IntArray) -> Iterator[_Level]:
    places = np.arange(len(by_label))
    groups = int(prediction_group.max()) + 1
    half = 1
    while half < len(by_label):
        is_right = (places // half) % 2 == 1
        key = places // (2 * half) * groups
        yield _level(by_label, is_right=is_right, pair_of_halves=key, place=key + prediction_group[by_label])
        half *= 2


def _level(by_label: IntArray, *, is_right: Array, pair_of_halves: IntArray, place: IntArray) -> _Level:
    """Items are compared by ``place``: the pair of halves they are in, then the prediction."""
    left_places = place[~is_right]
    order = np.argsort(left_places, kind="stable")
    left_places, left = left_places[order], by_label[~is_right][order]
    stored = Interleaving(len(left))
    row_before = np.concatenate([[len(left)], stored.row])
    return _Level(
        left=left[stored.place],
        right=by_label[is_right],
        stored=stored,
        until=row_before[np.searchsorted(left_places, place[is_right])],
        since=row_before[np.searchsorted(left_places, pair_of_halves[is_right])],
    )
