"""A submission's file → Predictions, or every problem of the file. Needs no label and no split."""

from pathlib import Path
from typing import BinaryIO

from ladderboard.tabular.containers import open_content
from ladderboard.tabular.exact import read_exactly
from ladderboard.tabular.fast import read_fast
from ladderboard.tabular.format import Predictions, SubmissionFormat
from ladderboard.tabular.parquet import parquet_as_text
from ladderboard.tabular.problems import Problems


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
