"""The weight of the first k of some items, for fixed k and many weightings at once."""

import numpy as np

from ladderboard.core.records import FloatArray, IntArray
from ladderboard.metrics._kernels.running_totals import Interleaving
from ladderboard.metrics._kernels.scratch import Scratch, take_rows


class RunningMass:
    """Running totals of the weights of ``items``, in their order, looked up after each of ``counts`` items.

    What depends on the order alone is found once; a table of weights then takes one pass.

    >>> mass = RunningMass(np.array([2, 0, 1]), np.array([0, 1, 3]))
    >>> mass.look_up(np.array([[5.0], [7.0], [1.0]]), Scratch(), "mass").ravel()  # none; item 2; items 2, 0 and 1
    array([ 0.,  1., 13.])
    """

    def __init__(self, items: IntArray, counts: IntArray) -> None:
        self._stored = Interleaving(max(1, len(items)))
        self._items = items[self._stored.place] if len(items) else items
        # The last row of the table stands for no item at all.
        self._rows = np.append(len(items), self._stored.row)[counts]

    def look_up(self, weights: FloatArray, scratch: Scratch, name: str) -> FloatArray:
        """Counts × weightings, from items × weightings; valid until ``scratch`` is asked for that name again."""
        columns = weights.shape[1]
        running = scratch.table("running", len(self._items) + 1, columns)
        running[-1] = 0
        if len(self._items):
            take_rows(weights, self._items, running[:-1])
            self._stored.run_up(running[:-1])
        return take_rows(running, self._rows, scratch.table(name, len(self._rows), columns))
