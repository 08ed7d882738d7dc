"""Which row of a file has which id: fast for a file in which every id has one row, exact for any other.

Ids are matched as text, and 7, 7.0 and 007 are one id wherever that cannot merge two ids of the competition: in a
competition with the ids "007" and "7" each stands only for itself.
"""

import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import polars

IdArray = npt.NDArray[np.str_] | npt.NDArray[np.int64]
Rows = npt.NDArray[np.integer[Any]] | slice
UNKNOWN = -1

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}(\.0*)?", re.ASCII)
_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,18}", re.ASCII)
_SEEDS = (secrets.randbits(63), secrets.randbits(63))
"""Of this process, so that nobody can look for texts of equal hash."""
_HASHED_AT_ONCE = 50_000


def as_ids(texts: Sequence[str]) -> IdArray:
    """Ids as a format keeps them: integers where all are written as such, else text.

    >>> as_ids(["7", "-12"]).dtype.kind, as_ids(["007", "12"]).dtype.kind
    ('i', 'U')
    """
    if all(_PLAIN.fullmatch(text) for text in texts):
        try:
            return np.array([int(text) for text in texts], dtype=np.int64)
        except OverflowError:
            pass
    return np.array(texts, dtype=np.str_)


def plain(cell: str) -> str:
    """Without blanks around it, and without quotation marks that a blank before them has made part of the cell.

    >>> plain(' "a b" ')
    'a b'
    """
    cell = cell.strip()
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


def whole_number(text: str) -> int | None:
    """The integer that a text stands for, however it is written; None where it is none that 64 bits hold.

    >>> [whole_number(text) for text in ("7", "7.0", "007", "7.5", "1e3")]
    [7, 7, 7, None, None]
    """
    if not _WHOLE.fullmatch(text):
        return None
    number = int(text.partition(".")[0])
    return number if -(2**63) <= number < 2**63 else None


class IdIndex(ABC):
    """The ids of a competition, ready to be found."""

    @abstractmethod
    def rows_of(self, given: "polars.Series") -> Rows | None:
        """For each id of the competition its row in ``given``, or None where they are not the same ids, each once."""

    @abstractmethod
    def places(self, texts: Sequence[str]) -> npt.NDArray[np.intp]:
        """For each text the place of its id in the competition, or `UNKNOWN`."""


def id_index(ids: IdArray) -> IdIndex:
    """The index of these ids, which are all different."""
    return WholeIds(ids) if ids.dtype.kind == "i" else TextIds(ids)


class WholeIds(IdIndex):
    """Ids that are integers."""

    def __init__(self, ids: npt.NDArray[Any]) -> None:
        self.ids = np.asarray(ids, dtype=np.int64)

    def rows_of(self, given: "polars.Series") -> Rows | None:
        if len(given) != len(self.ids):
            return None
        numbers = given.to_numpy()
        if np.array_equal(numbers, self.ids):
            return slice(None)
        least, span = self._range
        if span <= 4 * len(self.ids) + 1024:
            return self._by_table(numbers, least, span)
        order = given.arg_sort().to_numpy()
        if not np.array_equal(numbers[order], self._sorted):
            return None
        rows = np.empty(len(order), dtype=order.dtype)
        rows[self._order] = order
        return rows

    def places(self, texts: Sequence[str]) -> npt.NDArray[np.intp]:
        found = [whole_number(plain(text)) for text in texts]
        numbers = np.array([0 if one is None else one for one in found], dtype=np.int64)
        at = np.minimum(np.searchsorted(self._sorted, numbers), len(self.ids) - 1)
        known = (self._sorted[at] == numbers) & np.array([one is not None for one in found], dtype=bool)
        return np.where(known, self._order[at], UNKNOWN)

    def _by_table(self, numbers: npt.NDArray[np.int64], least: int, span: int) -> Rows | None:
        """As many rows as ids, and every id has one: so no id is unknown or repeated."""
        if numbers.min() < least or numbers.max() > least + span - 1:
            return None
        table = np.full(span, UNKNOWN, dtype=np.int32)
        table[numbers - least] = np.arange(len(numbers), dtype=np.int32)
        rows: npt.NDArray[np.int32] = table[self.ids - least]
        return None if (rows == UNKNOWN).any() else rows

    @cached_property
    def _range(self) -> tuple[int, int]:
        least = int(self.ids.min())
        return least, int(self.ids.max()) - least + 1

    @cached_property
    def _order(self) -> npt.NDArray[np.intp]:
        return np.argsort(self.ids)

    @cached_property
    def _sorted(self) -> npt.NDArray[np.int64]:
        return self.ids[self._order]


class TextIds(IdIndex):
    """Ids that are text. Whole columns are compared by two keyed hashes of 64 bits each, single ids as they are."""

    def __init__(self, ids: npt.NDArray[Any]) -> None:
        self.ids = ids

    def rows_of(self, given: "polars.Series") -> Rows | None:
        if len(given) != len(self.ids):
            return None
        first, second = (given.hash(seed) for seed in _SEEDS)
        if np.array_equal(first.to_numpy(), self._hashes[0]) and np.array_equal(second.to_numpy(), self._hashes[1]):
            return slice(None)
        order = first.arg_sort().to_numpy()
        by_hash = self._by_hash
        for hashes, known in zip((first, second), self._hashes, strict=True):
            if not np.array_equal(hashes.to_numpy()[order], known[by_hash]):
                return None
        rows = np.empty(len(order), dtype=order.dtype)
        rows[by_hash] = order
        return rows

    def places(self, texts: Sequence[str]) -> npt.NDArray[np.intp]:
        places = self._exact_places(texts)
        for row in np.flatnonzero(places == UNKNOWN).tolist():
            places[row] = self._other_writing(plain(texts[row]))
        return places

    def _exact_places(self, texts: Sequence[str]) -> npt.NDArray[np.intp]:
        # An array of the ids' own width: a wider one would make the search copy all ids into that width.
        width = self.ids.dtype.itemsize // 4
        fits = np.array([0 < len(text) <= width for text in texts], dtype=bool)
        wanted = np.array([text[:width] for text in texts], dtype=self.ids.dtype)
        at = np.minimum(np.searchsorted(self.ids, wanted, sorter=self._order), len(self.ids) - 1)
        places = self._order[at]
        return np.where(fits & (self.ids[places] == wanted), places, UNKNOWN)

    def _other_writing(self, text: str) -> int:
        """As it is, or as another writing of the only id that is that integer."""
        place = int(self._exact_places([text])[0])
        number = whole_number(text) if place == UNKNOWN else None
        return place if number is None else self._whole.get(number, UNKNOWN)

    @cached_property
    def _whole(self) -> dict[int, int]:
        """The place of the id that is this integer, where there is only one."""
        found: dict[int, int] = {}
        for place, text in enumerate(self.ids.tolist()):
            number = whole_number(text)
            if number is not None:
                found[number] = UNKNOWN if number in found else place
        return found

    @cached_property
    def _hashes(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
        import polars as pl

        found = np.empty((2, len(self.ids)), dtype=np.uint64)
        for start in range(0, len(self.ids), _HASHED_AT_ONCE):  # all at once would hold every id three times
            part = slice(start, start + _HASHED_AT_ONCE)
            texts = pl.Series(self.ids[part].tolist(), dtype=pl.String)
            for each, seed in enumerate(_SEEDS):
                found[each, part] = texts.hash(seed).to_numpy()
        return found[0], found[1]

    @cached_property
    def _by_hash(self) -> npt.NDArray[np.intp]:
        return np.argsort(self._hashes[0])

    @cached_property
    def _order(self) -> npt.NDArray[np.intp]:
        return np.argsort(self.ids)
