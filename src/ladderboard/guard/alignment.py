"""Items by id: what carries ids is brought into the holdout's order, and nothing with ids is read by its position.

Ids come from ``ids=``, the keys of a dict, the index of a pandas object, or a column called id, item or item_id of a
frame. They are matched as text, so that 7 and "7" are one id. pandas' default index (0, 1, 2, …) says nothing of the
items and is no id. Libraries are known by their attributes only; none is needed.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import InputError, LabelsError, LadderboardError, PredictionsError
from ladderboard.core.records import IntArray
from ladderboard.guard.frames import list_columns, name_columns, split_frame

SHOWN_IDS = 5

Ids = IntArray | list[str]
"""Ids that are whole numbers as an array, others as texts."""


class Given(NamedTuple):
    """Values as a user gave them, and the ids that came with them."""

    values: Any
    ids: Any = None
    """Anything that can be listed; None: there are none."""
    is_counted: bool = False
    """Whether the ids are pandas' default index, which only counts the rows."""


class Arranged(NamedTuple):
    """Values in the holdout's order."""

    values: Any
    is_fresh: bool
    """Whether they are in memory of their own, which the user cannot change."""


class Alignment:
    """The order of a holdout's items: by their ids, or by position where they have none."""

    def __init__(self, ids: Ids | None, columns: tuple[Any, ...] = ()) -> None:
        self.ids, self.columns = ids, columns
        """The names of the labels' columns, where labels are a frame of several."""
        self._last: tuple[object, IntArray | None] | None = None

    @classmethod
    def read(cls, labels: Any, ids: Any = None) -> tuple[Any, "Alignment"]:
        """Split labels into their values and their order."""
        given = _split(labels, ids, "label", LabelsError)
        named = None if given.ids is None or given.is_counted else read_ids(given.ids, "label", LabelsError)
        return given.values, cls(named, name_columns(labels))

    def check_number(self, items: int) -> None:
        """Refuse ids of which there are not as many as items."""
        if self.ids is not None and len(self.ids) != items:
            raise LabelsError(f"{len(self.ids)} ids for {items} items; give one for each item")

    def arrange(
        self,
        values: Any,
        ids: Any = None,
        *,
        word: str = "prediction",
        error: type[InputError] = PredictionsError,
        needs_ids: bool = False,
        classes: Sequence[Any] = (),
    ) -> Arranged:
        """The values in the holdout's order; raises ``error`` where their ids are not those of the holdout.

        Values without ids are taken to be in that order, unless ``needs_ids``. ``classes``: where values are class
        probabilities, the classes that a frame may have named its columns after.
        """
        given = _split(values, ids, word, error, classes)
        if given.ids is None:
            if needs_ids:
                raise error(f"nothing says which item a {word} belongs to; give a dict item → {word}, or ids=…")
            return Arranged(given.values, is_fresh=False)
        rows = self._find_rows(given, word, error)
        return Arranged(given.values if rows is None else _take(given.values, rows), is_fresh=rows is not None)

    def arrange_beside(self, **given: Any) -> dict[str, Any]:
        """What stands beside the labels, such as their weight, in the holdout's order; None stays None."""
        return {
            name: None if values is None else self.arrange(values, word=name, error=LabelsError).values
            for name, values in given.items()
        }

    def locate(self, refusal: InputError) -> InputError:
        """The refusal of a row by its number, from 0, as one of its item by its id."""
        start, _, rest = str(refusal).partition(": ")
        number = start.removeprefix("row ")
        if self.ids is None or number == start or not number.isdigit():
            return refusal
        return type(refusal)(f"item {str(self.ids[int(number)])!r}: {rest}")

    def digest(self, key: bytes) -> bytes | None:
        """A keyed hash of the ids in their order; None where there are none."""
        if self.ids is None:
            return None
        names = self.ids.tolist() if isinstance(self.ids, np.ndarray) else self.ids
        # Every id ends in a character that closes it, so that no two lists have the same text.
        text = "".join(f"{len(str(name))}:{name}," for name in names)
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32, key=key).digest()

    def _find_rows(self, given: Given, word: str, error: type[InputError]) -> IntArray | None:
        """For each item of the holdout its row among the given ones; None where they are in order already."""
        if self._last is not None and given.ids is self._last[0]:
            return self._last[1]
        rows = self._compare(given, word, error)
        if hasattr(given.ids, "is_unique"):  # a pandas index never changes, and submissions often share one
            self._last = (given.ids, rows)
        return rows

    def _compare(self, given: Given, word: str, error: type[InputError]) -> IntArray | None:
        if self.ids is None:
            _refuse_ids(given, word, error)
            return None
        if given.is_counted and not _are_counted(self.ids):
            raise error(
                f"the {word}s have pandas' default index (0, 1, 2, …), but the items have ids such as {self.ids[0]!s}; "
                f"give the {word}s the ids as their index, or to_numpy() of them if they are in the holdout's order"
            )
        return find_rows(self.ids, read_ids(given.ids, word, error), word, error)


def find_rows(wanted: Ids, given: Ids, word: str, error: type[InputError]) -> IntArray | None:
    """For each wanted id its row among the given ones, all different; None where they are in order already.

    >>> find_rows(["a", "b"], ["b", "a"], "prediction", PredictionsError).tolist()
    [1, 0]
    """
    if isinstance(wanted, np.ndarray) and isinstance(given, np.ndarray):
        if np.array_equal(wanted, given):
            return None
        here, there = np.argsort(wanted, kind="stable"), np.argsort(given, kind="stable")
        if np.array_equal(wanted[here], given[there]):
            rows = np.empty(len(wanted), dtype=np.intp)
            rows[here] = there
            return rows
    return _find_texts(as_texts(wanted), as_texts(given), word, error)


def _find_texts(wanted: list[str], given: list[str], word: str, error: type[InputError]) -> IntArray | None:
    if wanted == given:
        return None
    place, known = {name: row for row, name in enumerate(given)}, set(wanted)
    refuse_named([name for name in wanted if name not in place], f"there is no {word} for", error)
    refuse_named([name for name in given if name not in known], f"there is a {word} for the unknown", error)
    return np.fromiter((place[name] for name in wanted), dtype=np.intp, count=len(wanted))


def _refuse_ids(given: Given, word: str, error: type[InputError]) -> None:
    """Refuse ids where the holdout has none, unless they only count the rows."""
    if given.is_counted or _are_counted(read_ids(given.ids, word, error)):
        return
    raise error(
        f"the {word}s have ids, but the holdout was made without; make it with Holdout(labels, ids=…), or give "
        f"the {word}s as a list or an array if they are in the order of the labels"
    )


def refuse_named(names: Sequence[str], problem: str, error: type[LadderboardError], advice: str = "") -> None:
    """Raise ``error`` with the names of the items that the problem is about; return silently where there are none."""
    if names:
        shown = ", ".join(map(repr, names[:SHOWN_IDS]))
        more = f", … ({len(names):,} in all)" if len(names) > SHOWN_IDS else ""
        raise error(f"{problem} {'item' if len(names) == 1 else 'items'} {shown}{more}{advice}")


def list_with_ids(values: Any, ids: Any = None, *, classes: Sequence[Any] = ()) -> tuple[list[Any], list[Any] | None]:
    """Predictions and their ids as plain lists, for another process; ids are None where there are none.

    >>> list_with_ids({"b": 1, "a": 0})
    ([1, 0], ['b', 'a'])
    """
    given = _split(values, ids, "prediction", PredictionsError, classes)
    plain = _to_plain(given.values) if hasattr(given.values, "tolist") else [_to_plain(one) for one in given.values]
    if given.ids is None:
        return plain, None
    named = read_ids(given.ids, "prediction", PredictionsError)
    return plain, named.tolist() if isinstance(named, np.ndarray) else named


def _to_plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _split(values: Any, ids: Any, word: str, error: type[InputError], classes: Sequence[Any] = ()) -> Given:
    """What a user gave as values and their ids."""
    given = _split_carrier(values, classes, error)
    if ids is None:
        return given
    if given.ids is None or given.is_counted:
        return Given(given.values, ids)
    stated, carried = read_ids(ids, word, error), read_ids(given.ids, word, error)
    if as_texts(stated) != as_texts(carried):
        raise error(f"ids= differs from the ids that the {word}s have themselves; leave ids out")
    return Given(given.values, ids)


def _split_carrier(values: Any, classes: Sequence[Any], error: type[InputError]) -> Given:
    if isinstance(values, Mapping):
        return Given(list(values.values()), list(values))
    plain = values
    if list_columns(values) is not None:
        plain, ids = split_frame(values, classes, error)
        if ids is not None:
            return Given(plain, ids)
    index = getattr(values, "index", None)
    if index is None or callable(index):  # the method of a list
        return Given(plain)
    return Given(np.asarray(plain), index, is_counted=_is_default(index))


def _is_default(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def read_ids(ids: Any, word: str, error: type[InputError]) -> Ids:
    """Ids as whole numbers or texts, none of them missing and each there once."""
    listed = ids.to_numpy() if hasattr(ids, "to_numpy") else ids
    if not isinstance(listed, np.ndarray):
        listed = list(listed)
        if listed and all(type(one) is int for one in listed) and max(map(abs, listed)) < 2**63:
            listed = np.array(listed, dtype=np.int64)
    if isinstance(listed, np.ndarray) and listed.dtype.kind in "iu":
        return _refuse_repeated_numbers(listed.astype(np.intp), word, error)
    names = [_name(one, row, word, error) for row, one in enumerate(listed)]
    refuse_named([name for name, rows in Counter(names).items() if rows > 1], f"there are several {word}s for", error)
    return names


def _refuse_repeated_numbers(numbers: IntArray, word: str, error: type[InputError]) -> IntArray:
    if len(numbers) > 1 and not (np.diff(numbers) > 0).all():
        found, rows = np.unique(numbers, return_counts=True)
        refuse_named([str(one) for one in found[rows > 1].tolist()], f"there are several {word}s for", error)
    return numbers


def _name(one: object, row: int, word: str, error: type[InputError]) -> str:
    """An id as text: whole numbers without a point, whatever type they have."""
    if isinstance(one, str):
        return str(one)
    if _is_missing(one):
        raise error(f"row {row}: the {word}'s id is missing")
    if isinstance(one, float | np.floating) and float(one).is_integer():
        return str(int(one))
    return str(one)


def _is_missing(one: object) -> bool:
    # pandas' NA is neither equal to itself nor different from it; NaN and NaT differ from themselves.
    return one is None or type(one).__name__ == "NAType" or bool(one != one)  # noqa: PLR0124 (NaN)


def _are_counted(ids: Ids) -> bool:
    return isinstance(ids, np.ndarray) and np.array_equal(ids, np.arange(len(ids)))


def as_texts(ids: Ids) -> list[str]:
    """Ids as texts, also where they are numbers."""
    return [str(one) for one in ids.tolist()] if isinstance(ids, np.ndarray) else ids


def _take(values: Any, rows: IntArray) -> npt.NDArray[Any] | list[Any]:
    return [values[row] for row in rows.tolist()] if isinstance(values, list) else np.take(values, rows, axis=0)
