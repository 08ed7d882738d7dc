"""Whether two columns of keys are the same in another order, and in which: by one sort of plain integers."""

from typing import Any

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.integer[Any]] | slice
"""The row of each id; a slice where they are in order already."""
MULTIPLIERS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93, 0xFF51AFD7ED558CCD)
"""Odd, so that no two keys become one; the first of them that keeps the upper bits apart is taken."""


class Permutation:
    """Keys of 64 bits, all different, to be found again in another order.

    A sort of integers is several times as fast as a sort of their places, so the places go with them: each key is
    scrambled, and its lower bits give way to its row. The upper bits tell some millions of keys apart; where they do
    not, the places are sorted after all.
    """

    def __init__(self, keys: npt.NDArray[Any]) -> None:
        self.keys = keys
        self.bits = np.uint64(max(1, (len(keys) - 1).bit_length()))
        self.multiplier: np.uint64 | None = None
        for multiplier in MULTIPLIERS:
            packed = self._packed(keys, np.uint64(multiplier))
            upper = packed >> self.bits
            if (upper[1:] != upper[:-1]).all():
                self.multiplier = np.uint64(multiplier)
                break
        self.order = self._order(keys)

    def rows_of(self, keys: npt.NDArray[Any]) -> npt.NDArray[np.uint32] | None:
        """For each of the keys its row among those given, or None where those are not the same keys, each once."""
        if len(keys) != len(self.keys):
            return None
        rows = np.empty_like(self.order)
        rows[self.order] = self._order(keys)
        return rows if np.array_equal(keys[rows], self.keys) else None

    def _order(self, keys: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
        """The rows in the order of their scrambled keys."""
        if self.multiplier is None:
            return np.argsort(keys).astype(np.uint32)
        packed = self._packed(keys, self.multiplier)
        packed &= (np.uint64(1) << self.bits) - np.uint64(1)
        return packed.astype(np.uint32)

    def _packed(self, keys: npt.NDArray[Any], multiplier: np.uint64) -> npt.NDArray[np.uint64]:
        packed = keys.view(np.uint64) * multiplier
        packed >>= self.bits
        packed <<= self.bits
        packed |= np.arange(len(keys), dtype=np.uint64)
        packed.sort()
        return packed
