"""Rows of one file in the order of another's, matched by id; what does not match is named."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import IntArray
from ladderboard.metrics.inputs import Array

SHOWN_IDS = 20


def id_names(ids: Array) -> list[str]:
    """Ids as text, so that 7 in one file is "7" in the other.

    >>> id_names(np.array([7.0, 8.5])), id_names(np.array([7]))
    (['7', '8.5'], ['7'])
    """
    if ids.dtype.kind == "f":
        return [f"{value:.0f}" if value.is_integer() else repr(value) for value in ids.tolist()]
    return [str(value) for value in ids.tolist()]


def refuse_repeated_ids(names: Sequence[str], file: str) -> None:
    """Raise `InputError` where an id has more than one row."""
    repeated = [name for name, rows in Counter(names).items() if rows > 1]
    _refuse(repeated, f"{file} has more than one row for")


def places_of(wanted: Sequence[str], given: Sequence[str], file: str) -> IntArray:
    """For each wanted id its row in ``file``, whose ids are ``given``.

    >>> places_of(["a", "b"], ["b", "a"], "predictions.csv").tolist()
    [1, 0]
    """
    refuse_repeated_ids(given, file)
    place = {name: row for row, name in enumerate(given)}
    _refuse([name for name in wanted if name not in place], f"{file} has no row for")
    known = set(wanted)
    _refuse([name for name in given if name not in known], f"{file} has rows that are not wanted:")
    return np.array([place[name] for name in wanted], dtype=np.intp)


def _refuse(names: Sequence[str], problem: str) -> None:
    if names:
        shown = ", ".join(names[:SHOWN_IDS])
        more = f", … ({len(names)} in all)" if len(names) > SHOWN_IDS else ""
        raise InputError(f"{problem} the {'id' if len(names) == 1 else 'ids'} {shown}{more}")
