"""CSV, Parquet and NPZ files as named columns; what cannot be read is said with the file's name and the remedy."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.metrics.inputs import Array

if TYPE_CHECKING:
    import polars

READABLE = ".csv, .csv.gz, .tsv, .parquet and .npz"
ITEM_NAMES = ("item_id", "item", "id", "query_id")
"""A column of this name, in the first place, names the items and is no system."""


@dataclass(frozen=True, eq=False)
class RawTable:
    """Columns of one length as a file has them: numbers (missing: NaN), or objects (text; missing: None)."""

    path: Path
    columns: dict[str, Array]
    rows: int

    def __len__(self) -> int:
        return self.rows

    def column(self, name: str) -> Array:
        if name not in self.columns:
            raise InputError(f"{self.path.name} has no column {name!r}; it has {', '.join(self.columns)}")
        return self.columns[name]

    def without(self, *names: str | None) -> "RawTable":
        kept = {name: values for name, values in self.columns.items() if name not in names}
        return RawTable(self.path, kept, self.rows)


def read_table(path: str | Path) -> RawTable:
    """A CSV or Parquet file as columns."""
    path = _existing(path)
    frame = _parquet(path) if path.suffix == ".parquet" else _delimited(path)
    columns = {name: _as_array(frame[name]) for name in frame.columns}
    return RawTable(path, columns, frame.height)


def read_arrays(path: str | Path) -> dict[str, Array]:
    """The arrays of an NPZ file, none of them pickled."""
    path = _existing(path)
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (ValueError, OSError, EOFError) as problem:
        raise InputError(f"{path.name} is not an NPZ file of plain arrays: {problem}") from None


def numbers_of(table: RawTable, name: str) -> Array:
    """A column as float64; the first cell that is no number is named."""
    values = table.column(name)
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    numbers = np.empty(len(values))
    for row, cell in enumerate(values):
        numbers[row] = _number(cell, f"{table.path.name}, row {row + 1}, column {name!r}")
    return numbers


def _number(cell: Any, place: str) -> float:
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return float("nan")
    try:
        return float(cell)
    except (TypeError, ValueError):
        raise InputError(f"{place}: {cell!r} is not a number; correct it, or leave the column out") from None


def _existing(path: str | Path) -> Path:
    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    return path


def _delimited(path: Path) -> "polars.DataFrame":
    pl = _polars()
    if not {".csv", ".tsv"} & set(path.suffixes):
        raise InputError(f"{path.name}: tables are read from {READABLE}")
    separator = "\t" if ".tsv" in path.suffixes else ","
    try:
        # Polars would rename a repeated column silently, so the header is looked at on its own first.
        header = pl.read_csv(path, separator=separator, has_header=False, n_rows=1, infer_schema=False).row(0)
        _refuse_repeated(path, header)
        frame: polars.DataFrame = pl.read_csv(path, separator=separator, infer_schema_length=None, try_parse_dates=True)
    except pl.exceptions.PolarsError as problem:
        raise InputError(f"{path.name} cannot be read as a table: {problem}") from None
    return frame


def _parquet(path: Path) -> "polars.DataFrame":
    pl = _polars()
    try:
        frame: polars.DataFrame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise InputError(f"{path.name} cannot be read as Parquet: {problem}") from None
    return frame


def _polars() -> Any:
    try:
        import polars
    except ImportError:
        raise InputError(
            "reading tables needs polars: pip install 'ladderboard[files]', or give a NumPy file"
        ) from None
    return polars


def _refuse_repeated(path: Path, header: Sequence[Any]) -> None:
    twice = [str(name) for name, count in Counter(header).items() if count > 1]
    if twice:
        raise InputError(f"{path.name}: two columns are called {twice[0]!r}; give each system its own name")


def _as_array(series: "polars.Series") -> Array:
    """Numbers as float64 with NaN where missing (integers stay exact where none is), all else as objects."""
    if series.dtype.is_numeric() or str(series.dtype) == "Boolean":
        whole = series.null_count() == 0 and not series.dtype.is_decimal()
        return np.asarray(series.to_numpy() if whole else series.cast(_polars().Float64).to_numpy())
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    return values
