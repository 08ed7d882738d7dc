"""Rows of one file in the order of another's, matched by id as in submissions; what does not match is named."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import IntArray
from ladderboard.tabular.ids import id_index, make_ids
from ladderboard.tabular.key_table import UNKNOWN

SHOWN_IDS = 20


def refuse_repeated_ids(ids: Sequence[str], file: str) -> None:
    """Raise `InputError` where an id has more than one row."""
    _refuse([name for name, rows in Counter(ids).items() if rows > 1], f"{file} has more than one row for")


def find_places(wanted: Sequence[str], given: Sequence[str], file: str) -> IntArray:
    """For each wanted id, all different, its row in ``file``, whose ids are ``given``.

    >>> find_places(["a", "b"], ["b", "a"], "p.csv").tolist(), find_places(["7", "8"], ["8.0", "007"], "p.csv").tolist()
    ([1, 0], [1, 0])
    """
    places = id_index(make_ids(wanted)).places(given)
    known = places[places != UNKNOWN]
    counts = np.bincount(known, minlength=len(wanted))
    _refuse([wanted[place] for place in np.flatnonzero(counts > 1).tolist()], f"{file} has more than one row for")
    _refuse([wanted[place] for place in np.flatnonzero(counts == 0).tolist()], f"{file} has no row for")
    _refuse([given[row] for row in np.flatnonzero(places == UNKNOWN).tolist()], f"{file} has unexpected rows:")
    rows = np.empty(len(wanted), dtype=np.intp)
    rows[places] = np.arange(len(given))
    return rows


def _refuse(names: Sequence[str], problem: str) -> None:
    if names:
        shown = ", ".join(names[:SHOWN_IDS])
        more = f", … ({len(names)} in all)" if len(names) > SHOWN_IDS else ""
        raise InputError(f"{problem} the {'id' if len(names) == 1 else 'ids'} {shown}{more}")
