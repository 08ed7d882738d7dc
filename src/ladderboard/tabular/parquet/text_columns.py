"""A column of a Parquet file as it can be written in text."""

from typing import Any


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
