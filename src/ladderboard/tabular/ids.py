"""The row of each id in a file: fast for a file in which every id has one row, exact for any other.

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

if TYPE_CHECKING:
    import polars

Rows = npt.NDArray[np.intp] | slice
"""The row of each id; a slice where they are in order already."""
IdArray = npt.NDArray[np.str_] | npt.NDArray[np.int64]
UNKNOWN = -1
EXACT = 2**53
"""Below this every integer is a float of its own."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,18}", re.ASCII)
FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
_SEED = secrets.randbits(63)
_AT_ONCE = 50_000


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


def plain(cell: str) -> str:
    """Without blanks around it, and without quotation marks that a blank before them has made part of the cell.

    >>> plain(' "a b" ')
    'a b'
    """
    cell = cell.strip()
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


def whole_number(text: str) -> int | None:
    """The integer that a text stands for, however it is written; None where it is none that 64 bits hold.

    >>> [whole_number(text) for text in ("7", "7.0", "007", "7.5", "1e3", "x")]
    [7, 7, 7, None, 1000, None]
    """
    if _WHOLE.fullmatch(text):
        number = int(text)
        return number if -(2**63) <= number < 2**63 else None
    if not _DECIMAL.fullmatch(text):
        return None
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < EXACT else None


class IdIndex(ABC):
    """The ids of a competition, ready to be found."""

    def __init__(self, ids: npt.NDArray[Any]) -> None:
        self.ids = ids

    def find_rows(self, keys: npt.NDArray[Any]) -> Rows | None:
        """For each id of the competition its row, or None where the keys are not those of all ids, each once."""
        if np.array_equal(keys, self._keys):
            return slice(None)
        if len(keys) != len(self.ids):
            return None
        rows = np.empty_like(self._key_order)
        rows[self._key_order] = np.argsort(keys)
        return rows if np.array_equal(keys[rows], self._keys) else None

    @abstractmethod
    def make_keys(self, given: "polars.Series") -> npt.NDArray[Any]:
        """A column of ids as integers of 64 bits, the same for the same id."""

    @abstractmethod
    def places(self, texts: Sequence[str]) -> npt.NDArray[np.intp]:
        """For each text the place of its id in the competition, or `UNKNOWN`."""

    @cached_property
    @abstractmethod
    def _keys(self) -> npt.NDArray[Any]:
        """What `make_keys` makes of the ids themselves."""

    @cached_property
    def _key_order(self) -> npt.NDArray[np.intp]:
        return np.argsort(self._keys)


def id_index(ids: IdArray) -> IdIndex:
    """The index of these ids, which are all different."""
    return WholeIds(ids) if ids.dtype.kind == "i" else TextIds(ids)


class WholeIds(IdIndex):
    """Ids that are integers."""

    def make_keys(self, given: "polars.Series") -> npt.NDArray[np.int64]:
        """Of integers, or of floats that are integers; others get a key that no id has."""
        numbers = given.to_numpy()
        if numbers.dtype.kind == "i":
            return numbers
        whole = (np.abs(numbers) < EXACT) & (numbers == np.rint(numbers))
        return numbers.astype(np.int64) if whole.all() else np.empty(0, dtype=np.int64)

    def places(self, texts: Sequence[str]) -> npt.NDArray[np.intp]:
        return _find_places([whole_number(plain(text)) for text in texts], self._keys[self._key_order], self._key_order)

    @cached_property
    def _keys(self) -> npt.NDArray[np.int64]:
        return self.ids.astype(np.int64)


def _find_places(
    wanted: Sequence[int | None], numbers: npt.NDArray[np.int64], places: npt.NDArray[np.intp]
) -> npt.NDArray[np.intp]:
    """For each wanted integer its place, given integers in order and the place of each."""
    if not len(numbers):
        return np.full(len(wanted), UNKNOWN, dtype=np.intp)
    given = np.array([0 if one is None else one for one in wanted], dtype=np.int64)
    at = np.minimum(np.searchsorted(numbers, given), len(numbers) - 1)
    known = (numbers[at] == given) & np.array([one is not None for one in wanted], dtype=bool)
    return np.where(known, places[at], UNKNOWN)


class TextIds(IdIndex):
    """Ids that are text. Whole columns are compared by a keyed hash of 64 bits, single ids as they are.

    The key is of this process and secret, so that another id has the hash of a missing one once in 2^64 tries.
    """

    def make_keys(self, given: "polars.Series") -> npt.NDArray[np.uint64]:
        return given.hash(_SEED).to_numpy()

    def places(self, texts: Sequence[str]) -> npt.NDArray[np.intp]:
        places = self._exact_places(texts)
        unknown = np.flatnonzero(places == UNKNOWN)
        if len(unknown):
            others = [plain(texts[row]) for row in unknown.tolist()]
            exact = self._exact_places(others)
            places[unknown] = np.where(exact == UNKNOWN, self._find_other_spellings(others), exact)
        return places

    def _find_other_spellings(self, texts: Sequence[str]) -> npt.NDArray[np.intp]:
        """As another number, or with letters composed otherwise: file names of some systems have é as e and accent."""
        places = self._whole_places(texts)
        for form in FORMS:
            if any(not text.isascii() for text in texts):
                found = self._exact_places([unicodedata.normalize(form, text) for text in texts])
                places = np.where(places == UNKNOWN, found, places)
        return places

    def _exact_places(self, texts: Sequence[str]) -> npt.NDArray[np.intp]:
        # An array of the ids' own width: a wider one would make the search copy all ids into that width.
        width = self.ids.dtype.itemsize // 4
        fits = np.array([0 < len(text) <= width for text in texts], dtype=bool)
        wanted = np.array([text[:width] for text in texts], dtype=self.ids.dtype)
        at = np.minimum(np.searchsorted(self.ids, wanted, sorter=self._order), len(self.ids) - 1)
        places = self._order[at]
        return np.where(fits & (self.ids[places] == wanted), places, UNKNOWN)

    def _whole_places(self, texts: Sequence[str]) -> npt.NDArray[np.intp]:
        """The place of the only id that is the same integer, however it is written."""
        return _find_places([whole_number(text) for text in texts], *self._whole)

    @cached_property
    def _whole(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
        """The integers that only one id is, in order, and the places of those ids."""
        numbers, places = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.intp)]
        for start in range(0, len(self.ids), _AT_ONCE):
            found = [whole_number(text) for text in self.ids[start : start + _AT_ONCE].tolist()]
            numbers.append(np.array([one for one in found if one is not None], dtype=np.int64))
            places.append(start + np.flatnonzero([one is not None for one in found]))
        unique, first, times = np.unique(np.concatenate(numbers), return_index=True, return_counts=True)
        return unique[times == 1], np.concatenate(places)[first[times == 1]]

    @cached_property
    def _keys(self) -> npt.NDArray[np.uint64]:
        import polars as pl

        found = np.empty(len(self.ids), dtype=np.uint64)
        for start in range(0, len(self.ids), _AT_ONCE):  # all at once would hold every id three times
            part = slice(start, start + _AT_ONCE)
            found[part] = self.make_keys(pl.Series(self.ids[part].tolist(), dtype=pl.String))
        return found

    @cached_property
    def _order(self) -> npt.NDArray[np.intp]:
        return np.argsort(self.ids)
