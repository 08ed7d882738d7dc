"""Formats and packed files for the tests of submissions."""

import csv
import gzip
import io
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from ladderboard.tabular import SubmissionFormat, make_ids
from ladderboard.tabular.format import Takes


def a_format(ids: Sequence[str] = ("1", "2", "3"), takes: Takes = "numbers", **more: Any) -> SubmissionFormat:
    more.setdefault("prediction_columns", ("prediction",))
    return SubmissionFormat("id", make_ids(ids), takes=takes, **more)


NUMBERS = a_format()
TEXT_IDS = a_format(["a", "b c", 'd"e'])
LOG_NUMBERS = a_format(smallest=0.0)
SCORES = a_format(takes="scores", classes=(0, 1))
CLASSES = a_format(takes="classes", classes=("setosa", "versicolor", "virginica"))
TWO = a_format(takes="probabilities", classes=("no", "yes"))
THREE = a_format(takes="probabilities", classes=("a", "b", "c"), prediction_columns=("a", "b", "c"))


def gzipped(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def zipped(**members: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


def parquet(**columns: Any) -> bytes:
    import polars as pl

    written = io.BytesIO()
    pl.DataFrame(columns, strict=False).write_parquet(written)
    return written.getvalue()


def written(header: Sequence[str], rows: Sequence[Sequence[object]], **dialect: Any) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, **dialect)
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def same(found: Any, expected: Any) -> bool:
    return np.asarray(found).dtype.kind == np.asarray(expected).dtype.kind and np.array_equal(found, expected)
