"""The sample submission, which is always valid, and the format that it completes."""

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from itertools import chain, repeat
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError, SubmissionError
from ladderboard.tabular.blocks import read_block
from ladderboard.tabular.format import SubmissionFormat
from ladderboard.tabular.header import find_delimiter_in
from ladderboard.tabular.ids import make_ids
from ladderboard.tabular.lines import Lines, UnreadableError
from ladderboard.tabular.problems import Problems
from ladderboard.tabular.rows import read_header

TEXT_FILLS = {"ranking": "some_id", "mask": "1 1", "text": "some words"}
"""What stands for a list, a mask and a text in samples: valid in every competition."""


def sample_submission(format: SubmissionFormat, fill: object = None) -> bytes:
    """A valid CSV file: every id in order, and ``fill`` in every prediction column.

    Without ``fill``: each class once and then the first, or nothing where classes are not shown; 0.5 for a probability,
    1/m for each of m, 0 (or the least allowed) for a number; a list of one id, a mask of one pixel, two words.
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
        lines = Lines(iter([sample]), Problems())
        header = read_header(lines, lambda line: find_delimiter_in(line, format))
        if header is None or format.id_column not in header.names:
            raise InputError(f"the sample submission has no column {format.id_column!r}; download it again")
        at, ids = header.names.index(format.id_column), []
        for text in iter(lines.read_block, b""):
            block = read_block(text, lines, header.delimiter, width=len(header.names))
            ids += list(block.columns[at])
            if block.end is not None:
                raise block.end
    except (UnreadableError, SubmissionError):
        raise InputError("the sample submission cannot be read; download it again") from None
    return ids


def _list_fills(format: SubmissionFormat) -> Sequence[object]:
    if format.takes_classes:
        return format.classes if format.shows_classes and format.classes else [""]
    if format.takes_texts:
        return [TEXT_FILLS[format.takes]]
    if format.takes == "probabilities":
        return [1 / len(format.prediction_columns) if len(format.prediction_columns) > 1 else 0.5]
    return [max(format.smallest, 0)]
