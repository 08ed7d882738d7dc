"""Change points in a sequence of released numbers, exact or estimated from noisy ones."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ladderboard_lab.participant import FloatArray


def find_jumps(values: Sequence[float | None], *, before: float | None = None) -> list[int]:
    """Find the positions at which a number differs from the one before; the first differs from no number.

    >>> find_jumps([0.9, 0.9, 0.8, 0.8, 0.7], before=0.9), find_jumps([0.9, 0.9])
    ([2, 4], [0])
    """
    previous = [before, *values[:-1]]
    return [index for index, (value, last) in enumerate(zip(values, previous, strict=True)) if value != last]


def find_segment_starts(values: FloatArray, *, jumps: int) -> list[int]:
    """Find the ``jumps`` likeliest changes in mean, by binary segmentation with squared error.

    The greedy rule of `ruptures.Binseg` with its ``l2`` cost: split where the squared error falls most, and again.

    >>> find_segment_starts(np.array([1.0, 1.1, 0.9, 0.5, 0.4, 0.6]), jumps=1)
    [3]
    """
    import ruptures

    if not 0 < jumps < len(values):
        return list(range(1, len(values))) if jumps else []
    search = ruptures.Binseg(custom_cost=_cost_class()(), min_size=1, jump=1)
    return [int(position) for position in search.fit(np.asarray(values, dtype=float)).predict(n_bkps=jumps)[:-1]]


def _cost_class() -> Any:
    """Ruptures' ``l2`` cost from running sums: one segment costs O(1) instead of O(its length)."""
    from ruptures.base import BaseCost

    class SquaredError(BaseCost):  # type: ignore[misc]  # ruptures publishes no types
        model = "l2"
        min_size = 1

        def fit(self, signal: FloatArray) -> "SquaredError":
            centred = (signal - signal.mean()).ravel()
            self.sums: list[float] = np.concatenate([[0.0], centred.cumsum()]).tolist()
            self.squares: list[float] = np.concatenate([[0.0], np.square(centred).cumsum()]).tolist()
            self.signal = signal
            return self

        def error(self, start: int, end: int) -> float:
            total = self.sums[end] - self.sums[start]
            return self.squares[end] - self.squares[start] - total * total / (end - start)

    return SquaredError
