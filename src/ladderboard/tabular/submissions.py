"""A submission's file → Predictions, or every problem of the file; and the sample submission that is always valid."""

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from itertools import chain, repeat
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.tabular.containers import open_content
from ladderboard.tabular.exact import read_exactly
from ladderboard.tabular.fast import read_fast
from ladderboard.tabular.format import Predictions, SubmissionFormat
from ladderboard.tabular.header import find_delimiter_in
from ladderboard.tabular.ids import make_ids
from ladderboard.tabular.parquet import parquet_as_text
from ladderboard.tabular.problems import Problems
from ladderboard.tabular.rows import UnreadableError, first_line, table_rows


def read_predictions(
    file: bytes | Path | BinaryIO,
    format: SubmissionFormat,
    *,
    name: str = "",
) -> Predictions:
    r"""Read and check a submission.

    CSV (any delimiter, UTF-8), gzip or zip of one, or Parquet; the type is found from the content. Columns are found by
    name and rows by id, each in any order. ``name``: what to call the file in messages.

    Raises `SubmissionError` with all problems of the whole file; what it says depends on nothing but file and format.

    >>> import numpy as np
    >>> format = SubmissionFormat("id", np.array([4, 7]), ("prediction",), "numbers")
    >>> read_predictions(b"prediction;id\n0.5;7\n1e-3;4.0\n", format).values.tolist()
    [0.001, 0.5]
    >>> read_predictions(b"id,prediction\n4,1\n4,2\n", format, name="mine.csv")
    Traceback (most recent call last):
        ...
    ladderboard.core.errors.SubmissionError: mine.csv has 2 problems:
      1 id has no row: 7
      line 3: id 4 appears twice (first on line 2)
    """
    content = open_content(file, Problems(name), most=format.max_bytes, most_unpacked=format.max_unpacked_bytes)
    problems = Problems(name, place="row" if content.is_parquet else "line")
    data = parquet_as_text(content.data, format, problems) if content.is_parquet else content.data
    predictions = read_fast(data, format)
    return read_exactly(data, format, problems) if predictions is None else predictions


def sample_submission(format: SubmissionFormat, fill: object = None) -> bytes:
    """A valid CSV file: every id in order, and ``fill`` in every prediction column.

    Without ``fill``: each class once and then the first, or nothing where classes are not shown; 0.5 for a probability,
    1/m for each of m, 0 (or the least allowed) for a number.
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([format.id_column, *format.prediction_columns])
    fills = [fill] if fill is not None else _list_fills(format)
    rows = zip(format.ids.tolist(), chain(fills, repeat(fills[0])), strict=False)
    writer.writerows([one, *[cell] * len(format.prediction_columns)] for one, cell in rows)
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
    ids = make_ids(names) if wire["id_type"] == "integer" else np.array(names, dtype=np.str_)
    return SubmissionFormat.from_wire(wire, ids)


def _ids_in(sample: bytes, format: SubmissionFormat) -> list[str]:
    try:
        rows = table_rows(sample, find_delimiter_in(first_line(sample), format), ids=len(format.ids))
        _, header = next(rows, (1, []))
        if format.id_column not in header:
            raise InputError(f"the sample submission has no column {format.id_column!r}; download it again")
        at = header.index(format.id_column)
        return [cells[at] for _, cells in rows if at < len(cells)]
    except (UnreadableError, UnicodeDecodeError):
        raise InputError("the sample submission cannot be read; download it again") from None


def _list_fills(format: SubmissionFormat) -> Sequence[object]:
    if format.takes_classes:
        return format.classes if format.shows_classes and format.classes else [""]
    if format.takes == "probabilities":
        return [1 / len(format.prediction_columns) if len(format.prediction_columns) > 1 else 0.5]
    return [max(format.smallest, 0)]
