"""Values in ascending order with their ties, and mid-ranks under many weightings at once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ladderboard.core.records import FloatArray, IntArray
from ladderboard.metrics._kernels.running_totals import Interleaving
from ladderboard.metrics._kernels.scratch import Scratch, take_rows
from ladderboard.metrics.inputs import Array


@dataclass(frozen=True, eq=False)
class TieGroups:
    """The groups of equal values, in ascending order of the value. Tables of weights are items × weightings.

    >>> groups = TieGroups.of(np.array([0.3, 0.1, 0.3]))
    >>> groups.group
    array([1, 0, 1])
    >>> groups.doubled_mid_ranks(np.ones((3, 1)), np.empty((3, 1)), Scratch()).ravel()
    array([4., 1., 4.])
    """

    order: IntArray
    """Items in ascending order."""
    starts: IntArray | None
    """The place in ``order`` where each group begins; None where all values differ."""
    group: IntArray
    """The group of each item."""

    @classmethod
    def of(cls, values: Array) -> "TieGroups":
        order = np.argsort(
            values
        )  # within a group the order does not matter, and a stable sort takes four times as long
        ordered = values[order]
        begins = np.concatenate([[True], ordered[1:] != ordered[:-1]])
        group = np.empty(len(values), dtype=np.intp)
        group[order] = np.cumsum(begins) - 1
        return cls(order, None if begins.all() else np.flatnonzero(begins), group)

    def __len__(self) -> int:
        """The number of groups."""
        return len(self.order) if self.starts is None else len(self.starts)

    def totals(self, table: FloatArray) -> FloatArray:
        """The sums over each group of a table with one row for each item."""
        ordered = table.take(self.order, axis=0)
        return ordered if self.starts is None else np.asarray(np.add.reduceat(ordered, self.starts, axis=0))

    def sums_of_powers(self, weights: FloatArray, power: int) -> FloatArray:
        """Σ (weight of the group)^power over the groups, for each weighting."""
        totals = weights if self.starts is None else self.totals(weights)
        return np.asarray(np.einsum(",".join(["ib"] * power) + "->b", *[totals] * power))

    def doubled_mid_ranks(
        self, weights: FloatArray, out: FloatArray, scratch: Scratch, *, items: IntArray | None = None
    ) -> FloatArray:
        """For each item (of ``items``) twice the weight below it, plus that of its own group; written to ``out``."""
        _, ranks = self.stored_ranks(weights, scratch)
        row = self._stored.row[self.group]
        return take_rows(ranks, row if items is None else row[items], out)

    def stored_ranks(self, weights: FloatArray, scratch: Scratch) -> tuple[FloatArray, FloatArray]:
        """The weights of the groups and their doubled mid-ranks, as they are stored for running totals."""
        own = scratch.table("groups", len(self), weights.shape[1])
        if self.stored_items is None:
            take_rows(self.totals(weights), self._stored.place, own)
        else:
            take_rows(weights, self.stored_items, own)
        ranks = scratch.table("ranks of groups", *own.shape)
        self._stored.doubled_mid_totals(own, ranks)
        return own, ranks

    @cached_property
    def stored_items(self) -> IntArray | None:
        """Without ties: the item in each row of what `stored_ranks` returns."""
        return self.order[self._stored.place] if self.starts is None else None

    @cached_property
    def _stored(self) -> Interleaving:
        return Interleaving(len(self))
