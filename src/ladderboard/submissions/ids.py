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

from ladderboard.submissions.permutation import Permutation, Rows

if TYPE_CHECKING:
    import polars

IdArray = npt.NDArray[np.str_] | npt.NDArray[np.int64]
UNKNOWN = -1

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}(\.0*)?", re.ASCII)
_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,18}", re.ASCII)
_SEED = secrets.randbits(63)
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
    def keys_of(self, given: "polars.Series") -> npt.NDArray[Any]:
        """A column of ids as integers of 64 bits, the same for the same id."""

    @abstractmethod
    def rows_of(self, keys: npt.NDArray[Any]) -> Rows | None:
        """For each id of the competition its row, or None where the keys are not those of all ids, each once."""

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

    def keys_of(self, given: "polars.Series") -> npt.NDArray[np.int64]:
        return given.to_numpy()

    def rows_of(self, keys: npt.NDArray[Any]) -> Rows | None:
        if np.array_equal(keys, self.ids):
            return slice(None)
        if len(keys) != len(self.ids):
            return None
        least, span = self._range
        return self._by_table(keys, least, span) if span <= 4 * len(keys) + 1024 else self._permutation.rows_of(keys)

    def places(self, texts: Sequence[str]) -> npt.NDArray[np.intp]:
        found = [whole_number(plain(text)) for text in texts]
        numbers = np.array([0 if one is None else one for one in found], dtype=np.int64)
        at = np.minimum(np.searchsorted(self.ids, numbers, sorter=self._order), len(self.ids) - 1)
        places = self._order[at]
        known = (self.ids[places] == numbers) & np.array([one is not None for one in found], dtype=bool)
        return np.where(known, places, UNKNOWN)

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
    def _permutation(self) -> Permutation:
        return Permutation(self.ids)

    @cached_property
    def _order(self) -> npt.NDArray[np.intp]:
        return np.argsort(self.ids)


class TextIds(IdIndex):
    """Ids that are text. Whole columns are compared by a keyed hash of 64 bits, single ids as they are.

    The key is of this process and secret, so that another id has the hash of a missing one once in 2^64 tries.
    """

    def __init__(self, ids: npt.NDArray[Any]) -> None:
        self.ids = ids

    def keys_of(self, given: "polars.Series") -> npt.NDArray[np.uint64]:
        return given.hash(_SEED).to_numpy()

    def rows_of(self, keys: npt.NDArray[Any]) -> Rows | None:
        if np.array_equal(keys, self._hashes):
            return slice(None)
        return self._permutation.rows_of(keys) if len(keys) == len(self.ids) else None

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
    def _hashes(self) -> npt.NDArray[np.uint64]:
        import polars as pl

        found = np.empty(len(self.ids), dtype=np.uint64)
        for start in range(0, len(self.ids), _HASHED_AT_ONCE):  # all at once would hold every id three times
            part = slice(start, start + _HASHED_AT_ONCE)
            found[part] = self.keys_of(pl.Series(self.ids[part].tolist(), dtype=pl.String))
        return found

    @cached_property
    def _permutation(self) -> Permutation:
        return Permutation(self._hashes)

    @cached_property
    def _order(self) -> npt.NDArray[np.intp]:
        return np.argsort(self.ids)
