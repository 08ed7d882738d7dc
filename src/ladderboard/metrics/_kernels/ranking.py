"""Sorting predictions once: the order of the items and the ends of the runs of equal predictions."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ladderboard.core.records import FloatArray, IntArray
from ladderboard.metrics.inputs import Array

BLOCK_PLACES = 1 << 15
"""Places that are worked on at a time: the temporaries of a block stay in the processor's cache."""


class Ranking(NamedTuple):
    """Items in ascending order of their predictions."""

    order: IntArray
    """The item at each place."""
    ends: IntArray | None
    """The last place of each run of equal predictions; None where all predictions differ."""

    def through(self, running: Array) -> Array:
        """A running sum at every place, as it stands at the end of the place's run."""
        return running if self.ends is None else np.repeat(running[self.ends], self.lengths)

    def halfway(self, running: Array) -> Array:
        """A running sum at every place, with the place's own run counted by half (mid-ranks).

        Without ties this is the running sum itself: right for places that add nothing to the sum, such as the positives
        among a running count of negatives.
        """
        if self.ends is None:
            return running
        totals = running[self.ends]
        return np.repeat(totals - np.diff(totals, prepend=0) / 2, self.lengths)

    def in_item_order(self, values: FloatArray) -> FloatArray:
        """Values of places as values of items."""
        items = np.empty(len(values))
        items[self.order] = values
        return items

    @property
    def lengths(self) -> IntArray:
        """The number of places in each run."""
        assert self.ends is not None
        return np.diff(self.ends, prepend=-1)


def rank(p: Array) -> Ranking:
    """Sort the predictions; one ``argsort``, and ties are found from neighbours.

    >>> rank(np.array([0.3, 0.1, 0.3]))
    Ranking(order=array([1, 0, 2]), ends=array([0, 2]))
    """
    # The unstable sort is several times faster; the order within a run of equal predictions never matters here.
    order = np.argsort(p)
    is_end = np.ones(len(p), dtype=bool)
    for places in place_blocks(len(p) - 1):
        values = p[order[places.start : places.stop + 1]]
        np.not_equal(values[1:], values[:-1], out=is_end[places])
    return Ranking(order, None if is_end.all() else np.flatnonzero(is_end))


def place_blocks(places: int) -> Iterator[slice]:
    """Slices of `BLOCK_PLACES` that cover all places."""
    for start in range(0, places, BLOCK_PLACES):
        yield slice(start, min(start + BLOCK_PLACES, places))
