"""The seeded split of a solution without a Usage column: the same on every machine and with every library version."""

import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import IntArray

MILLION = 1_000_000
"""Shares are taken in millionths, in whole numbers, so that no rounding of a floating-point unit plays a part."""


def is_public(units: Iterable[str], strata: IntArray, *, share: float, seed: str) -> npt.NDArray[np.bool_]:
    """For each unit (the id of a row, or the name of a group) whether it is public.

    Within a stratum units are ordered by BLAKE2b(seed, unit); along all strata, one after the other, every
    (1/share)-th unit is public: each stratum gives its share to within one unit, and so do all together.

    >>> is_public(["a", "b", "c", "d"], np.array([0, 0, 1, 1]), share=0.5, seed="7").tolist()
    [False, True, False, True]
    """
    order = np.lexsort((_hashes(units, seed), strata))
    places = np.arange(len(order), dtype=np.int64)
    millionths = round(share * MILLION)
    taken = (places + 1) * millionths // MILLION > places * millionths // MILLION
    public = np.zeros(len(order), dtype=bool)
    public[order] = taken
    return public


def find_group_strata(group: IntArray, strata: IntArray) -> IntArray:
    """For each group the stratum that most of its rows are in; the smallest of several."""
    count = int(strata.max()) + 1
    pairs, rows = np.unique(group * count + strata, return_counts=True)
    by_group = np.lexsort((pairs, -rows, pairs // count))
    first = np.searchsorted((pairs // count)[by_group], np.arange(int(group.max()) + 1))
    return np.asarray(pairs[by_group][first] % count)


def _hashes(units: Iterable[str], seed: str) -> npt.NDArray[np.uint64]:
    key = hashlib.blake2b(seed.encode(), digest_size=32).digest()
    digests = b"".join(hashlib.blake2b(unit.encode(), digest_size=8, key=key).digest() for unit in units)
    return np.frombuffer(digests, dtype=">u8").astype(np.uint64)
