"""The place of each id of a file among the ids of a competition.

Ids are matched as text, and 7, 7.0 and 007 are one id wherever that cannot merge two ids of the competition: in a
competition with the ids "007" and "7" each stands only for itself.
"""

import re
import secrets
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import IntArray
from ladderboard.tabular.key_table import UNKNOWN, KeyTable
from ladderboard.tabular.text_cells import Column, make_column, split_cells, strip_cells, whole_numbers_in

if TYPE_CHECKING:
    import polars

Places = IntArray | slice
"""Among the ids of a competition; a slice where they follow each other."""
IdArray = npt.NDArray[np.str_] | npt.NDArray[np.int64]

_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,18}", re.ASCII)
FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
LONGEST_SPELLING = 5
"""Times the bytes of an id: three for letters apart from their accents (UAX #15, table 2), 1.5 for other letters."""
_SEED = secrets.randbits(63)
_AT_ONCE = 50_000
"""All ids of a competition at once would be held three times."""


def make_ids(texts: Sequence[str]) -> IdArray:
    """Ids as a format keeps them: integers where all are written as such, else text.

    >>> make_ids(["7", "-12"]).dtype.kind, make_ids(["007", "12"]).dtype.kind
    ('i', 'U')
    """
    if all(_PLAIN.fullmatch(text) for text in texts):
        try:
            return np.array([int(text) for text in texts], dtype=np.int64)
        except OverflowError:
            pass
    return np.array(texts, dtype=np.str_)


class IdIndex(ABC):
    """The ids of a competition, ready to be found."""

    def __init__(self, ids: npt.NDArray[Any]) -> None:
        self.ids = ids

    def find_keys(self, keys: npt.NDArray[np.int64], start: int = 0) -> Places:
        """The place of each key, or `UNKNOWN`; ``start``: where they begin if they are in order."""
        if np.array_equal(keys, self._keys[start : start + len(keys)]):
            return slice(start, start + len(keys))
        return self._table.find(keys)

    def places(self, cells: Column) -> IntArray:
        """The place of the id in each cell, however it is written, or `UNKNOWN`."""
        cells = make_column(cells) if isinstance(cells, Sequence) else cells
        places = self._find_exactly(cells)
        unknown = np.flatnonzero(places == UNKNOWN)
        if len(unknown):
            others = strip_cells(_pick(cells, unknown))
            found = self._find_exactly(others)
            places[unknown] = np.where(found == UNKNOWN, self._find_other_spellings(others), found)
        return places

    @abstractmethod
    def make_keys(self, ids: "polars.Series") -> npt.NDArray[np.int64]:
        """A column of ids, typed as the competition's are, as keys."""

    @abstractmethod
    def _find_exactly(self, cells: Column) -> IntArray:
        """The places of ids that are written as the competition writes them, at least."""

    @abstractmethod
    def _find_other_spellings(self, cells: Column) -> IntArray:
        """The places of ids that are not."""

    @cached_property
    @abstractmethod
    def _keys(self) -> npt.NDArray[np.int64]:
        """The ids as keys."""

    @cached_property
    def _table(self) -> KeyTable:
        return KeyTable(self._keys)


def id_index(ids: IdArray) -> IdIndex:
    """The index of these ids, which are all different."""
    return WholeIds(ids) if ids.dtype.kind == "i" else TextIds(ids)


class WholeIds(IdIndex):
    """Ids that are integers."""

    def make_keys(self, ids: "polars.Series") -> npt.NDArray[np.int64]:
        return ids.to_numpy()

    def _find_exactly(self, cells: Column) -> IntArray:
        numbers, is_whole = whole_numbers_in(cells)
        return np.where(is_whole, self._table.find(numbers), UNKNOWN)

    def _find_other_spellings(self, cells: Column) -> IntArray:
        return np.full(len(cells), UNKNOWN, dtype=np.intp)

    @cached_property
    def _keys(self) -> npt.NDArray[np.int64]:
        return self.ids.astype(np.int64)


class TextIds(IdIndex):
    """Ids that are text, compared by a keyed hash of 64 bits.

    The key is of this process and secret, so that another id has the hash of a missing one once in 2^64 tries.
    """

    def make_keys(self, ids: "polars.Series") -> npt.NDArray[np.int64]:
        return ids.hash(_SEED).to_numpy().view(np.int64)

    def _find_exactly(self, cells: Column) -> IntArray:
        return self._table.find(self._hash(cells))

    def _find_other_spellings(self, cells: Column) -> IntArray:
        """As another number, or with letters composed otherwise: file names of some systems have é as e and accent."""
        places = np.full(len(cells), UNKNOWN, dtype=np.intp)
        whole, first = self._whole
        if len(first):
            numbers, is_whole = whole_numbers_in(cells)
            places[is_whole] = np.append(first, UNKNOWN)[whole.find(numbers[is_whole])]
        for form in FORMS:
            left = np.flatnonzero((places == UNKNOWN) & self._may_be_composed_otherwise(cells))
            if len(left):
                places[left] = self._find_exactly(_compose(_pick(cells, left), form))
        return places

    def _may_be_composed_otherwise(self, cells: Column) -> npt.NDArray[np.bool_]:
        """Not ASCII, nor so long that it cannot be an id: to sort very many accents on one letter would take hours."""
        if isinstance(cells, Sequence):
            sizes = np.fromiter((len(cell.encode()) for cell in cells), dtype=np.intp, count=len(cells))
            is_ascii = np.fromiter(map(str.isascii, cells), dtype=bool, count=len(cells))
        else:
            sizes = cells.str.len_bytes().to_numpy()
            is_ascii = sizes == cells.str.len_chars().to_numpy()
        return ~is_ascii & (sizes <= LONGEST_SPELLING * self._longest)

    @cached_property
    def _longest(self) -> int:
        """The bytes of the longest id."""
        return max(len(str(one).encode()) for one in self.ids.tolist())

    @cached_property
    def _whole(self) -> tuple[KeyTable, IntArray]:
        """The integers that only one id is, and the places of those ids."""
        numbers, is_whole = whole_numbers_in(make_column(self.ids.tolist()))
        unique, first, times = np.unique(numbers[is_whole], return_index=True, return_counts=True)
        return KeyTable(unique[times == 1]), np.flatnonzero(is_whole)[first[times == 1]]

    @cached_property
    def _keys(self) -> npt.NDArray[np.int64]:
        found = np.empty(len(self.ids), dtype=np.int64)
        for start in range(0, len(self.ids), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            found[part] = self._hash(make_column(self.ids[part].tolist()))
        return found

    def _hash(self, cells: Column) -> npt.NDArray[np.int64]:
        if isinstance(cells, Sequence):
            return np.fromiter(map(hash, cells), dtype=np.int64, count=len(cells))
        return self.make_keys(cells)


def _pick(cells: Column, rows: IntArray) -> Column:
    return [cells[row] for row in rows.tolist()] if isinstance(cells, Sequence) else cells.gather(rows)


def _compose(cells: Column, form: Literal["NFC", "NFD"]) -> Column:
    """The cells with letters composed in a form of Unicode: all at once, as no letter is composed over a NUL."""
    text = "\0".join(cells) if isinstance(cells, Sequence) else str(cells.str.join("\0").item())
    return split_cells(unicodedata.normalize(form, f"{text}\0").encode())
