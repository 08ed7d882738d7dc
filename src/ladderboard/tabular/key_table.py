"""A hash table of 64-bit keys in NumPy: the places of a million keys in a few passes over arrays."""

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import IntArray

UNKNOWN = -1
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio spreads keys that follow each other (Knuth, TAOCP 3, section 6.4)."""


class KeyTable:
    """Where each of some distinct keys stands.

    Open addressing with linear probing, half full at most.

    >>> KeyTable(np.array([5, -3, 12])).find(np.array([12, 5, 7])).tolist()
    [2, 0, -1]
    """

    def __init__(self, keys: npt.NDArray[np.int64]) -> None:
        self._keys = keys.view(np.uint64)
        bits = max(1, int(2 * len(keys) - 1).bit_length())
        self._shift, self._mask = np.uint64(64 - bits), (1 << bits) - 1
        self._slots = np.full(1 << bits, UNKNOWN, dtype=np.int32)
        self._fill()

    def find(self, keys: npt.NDArray[np.int64]) -> IntArray:
        """For each key its place, or `UNKNOWN`."""
        if not len(self._keys):
            return np.full(len(keys), UNKNOWN, dtype=np.intp)
        wanted = keys.view(np.uint64)
        slots = self._hash(wanted)
        places = self._slots[slots]
        left = np.flatnonzero((self._keys[places] != wanted) & (places != UNKNOWN))
        while len(left):
            slots[left] = (slots[left] + 1) & self._mask
            places[left] = self._slots[slots[left]]
            left = left[(self._keys[places[left]] != wanted[left]) & (places[left] != UNKNOWN)]
        return np.where(self._keys[places] == wanted, places, UNKNOWN)

    def _fill(self) -> None:
        left = np.arange(len(self._keys), dtype=np.int32)
        slots = self._hash(self._keys)
        while len(left):
            is_free = self._slots[slots[left]] == UNKNOWN
            self._slots[slots[left[is_free]]] = left[is_free]  # of several, one wins
            left = left[self._slots[slots[left]] != left]
            slots[left] = (slots[left] + 1) & self._mask

    def _hash(self, keys: npt.NDArray[np.uint64]) -> IntArray:
        return ((keys * _MULTIPLIER) >> self._shift).astype(np.intp)
