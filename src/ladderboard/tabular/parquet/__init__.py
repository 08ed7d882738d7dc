"""Parquet → text: of submissions as delimited text, in a process of its own.

A broken Parquet file can make its reader ask for more memory than there is, which ends the whole process and cannot be
caught. So a child reads it, with limits on memory and time, and only its text comes back. It looks at what the
file declares before it unpacks anything.
"""

from io import BytesIO
from typing import TYPE_CHECKING

from ladderboard.tabular.format import SubmissionFormat
from ladderboard.tabular.parquet.reader import ParquetReader
from ladderboard.tabular.parquet.text_columns import format_column
from ladderboard.tabular.problems import Problems

if TYPE_CHECKING:
    import polars

READER = ParquetReader()
BROKEN = "the Parquet file is broken, cut off, or of a kind that cannot be read; write it again, or send a CSV file"

UNREADABLE = (
    "reading the Parquet file took too much memory or time, or was interrupted; send it again, or send a CSV file"
)
UNMEASURABLE = (
    "the Parquet file uses the encoding DELTA_BYTE_ARRAY, whose size is not known before it is unpacked; "
    "write it with the default encodings, or send a CSV file"
)


def parquet_as_text(data: bytes, format: SubmissionFormat, problems: Problems) -> bytes:
    """The table in comma-separated text, or stop at what makes that impossible."""
    _refuse_cut(data, problems)
    most_rows = 2 * len(format.ids) + 10_000
    ending, text = READER.read(data, most_rows=most_rows, most_bytes=format.max_unpacked_bytes)
    word = ending.get("word")
    if word == "rows":
        problems.stop(
            "too_many_rows",
            f"there are {int(ending['count']):,} rows for {len(format.ids):,} ids",
        )
    if word == "large":
        problems.stop("unpacks_too_large", "the Parquet file unpacks to more than is allowed")
    if word == "no polars":
        problems.stop(
            "unsupported_file",
            "Parquet needs polars: pip install '.[files]' in Ladderboard's checkout, or send a CSV file",
        )
    if word == "unmeasurable":
        problems.stop("unsupported_file", UNMEASURABLE)
    if word == "ended":
        problems.stop("unreadable_parquet", UNREADABLE)
    if word != "table":
        problems.stop("corrupt_parquet", BROKEN)
    return text


def parquet_as_frame(data: bytes, problems: Problems) -> "polars.DataFrame":
    """The columns as text, read in this process: for files of one's own."""
    import polars as pl

    _refuse_cut(data, problems)
    try:
        frame = pl.read_parquet(BytesIO(data)).with_columns(pl.selectors.float().fill_nan(None))
        return frame.select(format_column(frame[name]).cast(pl.String) for name in frame.columns)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        problems.stop("corrupt_parquet", BROKEN)


def _refuse_cut(data: bytes, problems: Problems) -> None:
    if not data.endswith(b"PAR1"):
        problems.stop("corrupt_parquet", "the Parquet file ends too early; it was cut off, so send it again")
