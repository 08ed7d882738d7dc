"""The sample submission: a valid file with the same prediction for every id, and the format read back from it."""

import csv
from collections.abc import Mapping
from io import StringIO
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.tabular.format import SubmissionFormat
from ladderboard.tabular.header import delimiter_of
from ladderboard.tabular.ids import as_ids
from ladderboard.tabular.rows import UnreadableError, first_line, table_rows


def sample_submission(format: SubmissionFormat, fill: object = None) -> bytes:
    """A valid CSV file: every id in order, and ``fill`` in every prediction column.

    Without ``fill``: the first class, 0.5 for a probability, 1/m for each of m, 0 (or the least allowed) for a number.
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([format.id_column, *format.prediction_columns])
    cells = [_constant(format) if fill is None else fill] * len(format.prediction_columns)
    writer.writerows([one, *cells] for one in format.ids.tolist())
    return text.getvalue().encode()


def format_with_ids(wire: Mapping[str, Any], sample: bytes) -> SubmissionFormat:
    """The format that a server described, with the ids of its sample submission: all that is needed to check a file.

    Raises `InputError` where the sample is not that of this competition.
    """
    bare = SubmissionFormat.from_wire(wire, np.zeros(int(wire["rows"]), dtype=np.int64))
    names = _ids_in(sample, bare)
    if len(names) != wire["rows"] or len(set(names)) != len(names):
        found = f"{len(set(names)):,} ids, but the competition has {wire['rows']:,}"
        raise InputError(f"the sample submission has {found}; download it again")
    ids = as_ids(names) if wire["id_type"] == "integer" else np.array(names, dtype=np.str_)
    return SubmissionFormat.from_wire(wire, ids)


def _ids_in(sample: bytes, format: SubmissionFormat) -> list[str]:
    try:
        rows = table_rows(sample, delimiter_of(first_line(sample), format), ids=len(format.ids))
        _, header = next(rows, (1, []))
        if format.id_column not in header:
            raise InputError(f"the sample submission has no column {format.id_column!r}; download it again")
        at = header.index(format.id_column)
        return [cells[at] for _, cells in rows if at < len(cells)]
    except (UnreadableError, UnicodeDecodeError):
        raise InputError("the sample submission cannot be read; download it again") from None


def _constant(format: SubmissionFormat) -> object:
    if format.takes_classes:
        return format.classes[0]
    if format.takes == "probabilities":
        return 1 / len(format.prediction_columns) if len(format.prediction_columns) > 1 else 0.5
    return max(format.smallest, 0)
