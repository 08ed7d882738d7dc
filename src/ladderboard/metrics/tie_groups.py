"""Values in ascending order with their ties, and mid-ranks under many weightings at once."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ladderboard.metrics.inputs import Array
from ladderboard.metrics.running_totals import Interleaving
from ladderboard.records import FloatArray, IntArray

PANEL = 32
"""Weightings that are handled together; a panel of 10,000 items has 2.5 MB."""


@dataclass(frozen=True, eq=False)
class TieGroups:
    """The groups of equal values, in ascending order of the value.

    >>> groups = TieGroups.of(np.array([0.3, 0.1, 0.3]))
    >>> groups.group
    array([1, 0, 1])
    >>> groups.doubled_mid_ranks(np.ones((3, 1))).ravel() / 2  # without the ½ that the usual mid-ranks add
    array([2. , 0.5, 2. ])
    """

    order: IntArray
    """Items in ascending order."""
    starts: IntArray | None
    """The place in ``order`` where each group begins; None where all values differ."""
    group: IntArray
    """The group of each item."""

    @classmethod
    def of(cls, values: Array) -> "TieGroups":
        order = np.argsort(values, kind="stable")
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
        """Σ (weight of the group)^power over the groups, for each column of ``weights`` (items × weightings)."""
        totals = weights if self.starts is None else self.totals(weights)
        return np.asarray(np.einsum(",".join(["ib"] * power) + "->b", *[totals] * power))

    def doubled_mid_ranks(self, weights: FloatArray) -> FloatArray:
        """For each item twice the weight below it, plus the weight of its own group (items × weightings)."""
        if self.starts is None:
            ranks = weights.take(self.order[self._stored.place], axis=0)
        else:
            ranks = self.totals(weights).take(self._stored.place, axis=0)
        return self._stored.doubled_mid_totals(ranks).take(self._stored.row[self.group], axis=0)

    @cached_property
    def _stored(self) -> Interleaving:
        return Interleaving(len(self))


def panels(weights: FloatArray) -> Iterator[FloatArray]:
    """The rows of ``weights`` (B × n) as tables of n × at most `PANEL`.

    Taking and adding rows of some dozen numbers is several times faster than picking single ones out of long rows.
    """
    for start in range(0, len(weights), PANEL):
        yield np.ascontiguousarray(weights[start : start + PANEL].T)
