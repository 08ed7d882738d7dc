"""A hash table of 64-bit keys in NumPy: the places of a million keys in a few passes over arrays."""

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import IntArray

UNKNOWN = -1
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio spreads keys that follow each other (Knuth, TAOCP 3, section 6.4)."""


class KeyTable:
    """Where each of some distinct keys stands.

    Open addressing with linear probing, a quarter full at most. NumPy gathers fastest by ``take`` that clips; that it
    makes the first place of `UNKNOWN` does no harm, as a key that is there meets no free slot.

    >>> KeyTable(np.array([5, -3, 12])).find(np.array([12, 5, 7])).tolist()
    [2, 0, -1]
    """

    def __init__(self, keys: npt.NDArray[np.int64]) -> None:
        self._keys = keys.view(np.uint64)
        bits = max(1, int(4 * len(keys) - 1).bit_length())
        self._shift, self._mask = np.uint64(64 - bits), (1 << bits) - 1
        self._slots = np.full(1 << bits, UNKNOWN, dtype=np.int32)
        self._fill()

    def find(self, keys: npt.NDArray[np.int64]) -> IntArray:
        """For each key its place, or `UNKNOWN`."""
        if not len(self._keys):
            return np.full(len(keys), UNKNOWN, dtype=np.intp)
        wanted = keys.view(np.uint64)
        slots = self._hash(wanted)
        places = self._slots.take(slots, mode="clip")
        left = np.flatnonzero(self._is_other(places, wanted))
        slots, wanted = slots[left], wanted[left]
        while len(left):
            slots = (slots + 1) & self._mask
            found = self._slots.take(slots, mode="clip")
            places[left] = found
            on = np.flatnonzero(self._is_other(found, wanted))
            left, slots, wanted = left[on], slots[on], wanted[on]
        return places.astype(np.intp)

    def _is_other(self, places: npt.NDArray[np.int32], wanted: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Whether at each place there is another key than that which is wanted."""
        return np.asarray((self._keys.take(places, mode="clip") != wanted) & (places != UNKNOWN))

    def _fill(self) -> None:
        left = np.arange(len(self._keys), dtype=np.int32)
        slots = self._hash(self._keys)
        while len(left):
            is_free = self._slots.take(slots) == UNKNOWN
            self._slots[slots[is_free]] = left[is_free]  # of several, one wins
            is_left = self._slots.take(slots) != left
            left, slots = left[is_left], (slots[is_left] + 1) & self._mask

    def _hash(self, keys: npt.NDArray[np.uint64]) -> IntArray:
        return ((keys * _MULTIPLIER) >> self._shift).astype(np.intp)
