"""Run as a script: reads a Parquet file from stdin and writes it to stdout as comma-separated text.

The first line of the answer is ``table`` (the text follows), ``rows N`` (too many), ``large`` (it would be too long) or
``no polars``. No answer: the file cannot be read. It imports nothing of Ladderboard, so that it starts soon.
"""

import io
import json
import sys
from typing import Any

MEMORY_BESIDES = 2 << 30
"""For the interpreter, polars and its threads; most of it is only reserved, never used."""


def main() -> None:
    """Read, check the size, convert."""
    wanted = json.loads(sys.argv[1])
    _limit_memory(MEMORY_BESIDES + 3 * wanted["most_bytes"])
    data = sys.stdin.buffer.read()
    try:
        import polars as pl
    except ImportError:
        _answer("no polars")
        return
    rows = pl.scan_parquet(io.BytesIO(data)).select(pl.len()).collect().item()
    if rows > wanted["most_rows"]:
        _answer(f"rows {rows}")
        return
    frame = pl.read_parquet(io.BytesIO(data))
    if frame.estimated_size() > wanted["most_bytes"]:
        _answer("large")
        return
    text = io.BytesIO()
    frame.select(format_column(frame[name]) for name in frame.columns).write_csv(text)
    if text.tell() > wanted["most_bytes"]:
        _answer("large")
        return
    str(text.getbuffer(), "utf-8")  # a damaged file may hold text that is none, which polars does not look at
    _answer("table")
    sys.stdout.buffer.write(text.getbuffer())


def _limit_memory(size: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _answer(word: str) -> None:
    sys.stdout.buffer.write(f"{word}\n".encode())


def format_column(column: Any) -> Any:
    """A column as it can be written: numbers exactly, whole ones as integers; for a nested one the name of its type.

    Moments are written as pandas writes them.
    """
    import polars as pl

    if column.dtype.is_float():
        column = column.cast(pl.Float64)
        whole = column.drop_nulls()
        if ((whole == whole.round()) & (whole.abs() < 2**53)).all():
            return column.cast(pl.Int64)
        return column
    if column.dtype == pl.Datetime:
        return column.dt.strftime(_moment_format(column))
    if column.dtype == pl.Binary:
        return column.cast(pl.String)
    if column.dtype.is_nested():
        return pl.Series(column.name, [str(column.dtype)] * len(column))
    return column


def _moment_format(column: Any) -> str:
    """Without what is zero in all of them: the time of day, the part of a second."""
    if (column.dt.time().cast(int) == 0).all():
        return "%Y-%m-%d"
    fraction = "" if (column.dt.nanosecond() == 0).all() else "%.f"
    return f"%Y-%m-%d %H:%M:%S{fraction}{'%:z' if column.dtype.time_zone else ''}"


if __name__ == "__main__":
    main()
