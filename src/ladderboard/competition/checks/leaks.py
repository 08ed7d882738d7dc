"""Detection of leaks: labels or the split in the files that participants can download."""

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ladderboard.competition.checks.findings import Findings
from ladderboard.competition.solution.columns import USAGE_NAMES, SolutionColumns, find_named_column
from ladderboard.tabular import Table, UnreadableTableError, read_table
from ladderboard.tabular.columns import find_classes

if TYPE_CHECKING:
    import polars

SAMPLE = "sample_submission.csv"
DATA = "data"
TABLES = (".csv", ".tsv", ".txt", ".gz", ".parquet")
LARGEST_BYTES = 256 << 20
TELLING_SHARE = 0.9
"""A column that agrees with so many of the labels that are not the most frequent one was not made by chance."""
FEWEST_ROWS = 5


Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Secret:
    """The solution, prepared for the search for leaks."""

    table: Table
    """The solution as a table, whatever else may be wrong with it."""
    columns: SolutionColumns
    content: bytes
    """The solution's file as it is."""

    @cached_property
    def ids(self) -> "polars.Series":
        """The ids, as integers if all are: matching these takes far less time and memory than text."""
        import polars as pl

        texts = self.table.column(self.columns.id)
        numbers = texts.cast(pl.Int64, strict=False)
        return texts if numbers.null_count() > texts.null_count() else numbers

    @cached_property
    def labels(self) -> tuple["Label", ...]:
        return tuple(
            Label.read(name, find_classes(self.table.column(name).fill_null(""))) for name in self.columns.labels
        )


@dataclass(frozen=True, eq=False)
class Label:
    """A label column, and the rows with its most frequent value."""

    name: str
    values: npt.NDArray[Any]
    is_most_frequent: npt.NDArray[np.bool_]

    @classmethod
    def read(cls, name: str, values: npt.NDArray[Any]) -> "Label":
        _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
        return cls(name, values, codes == np.argmax(counts))

    def is_revealed_by(self, cells: "polars.Series", theirs: Rows, ours: Rows) -> bool:
        """Whether a column reveals these labels: it agrees on the most frequent value and on the others.

        A constant column agrees with one of the two at most.
        """
        agrees, frequent = self._agreement(cells.gather(theirs), ours), self.is_most_frequent[ours]
        if (~frequent).sum() < FEWEST_ROWS:
            return False
        parts = [part for part in (agrees[frequent], agrees[~frequent]) if len(part) >= FEWEST_ROWS]
        return all(part.mean() >= TELLING_SHARE for part in parts)

    def _agreement(self, cells: "polars.Series", ours: Rows) -> npt.NDArray[np.bool_]:
        import polars as pl

        wanted = self.values[ours]
        if wanted.dtype.kind == "U":
            return np.asarray(np.array(cells.fill_null("").to_list(), dtype=np.str_) == wanted)
        numbers = cells.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
        return np.asarray(numbers == wanted)


def find_leaks(folder: Path, secret: Secret, findings: Findings) -> None:
    """Report an error for each file that reveals labels or Usage, and a warning for each unreadable one."""
    for name, path in _downloads(folder):
        try:
            _look_through(name, path, secret, findings)
        except OSError as problem:
            findings.error(name, None, f"cannot read it: {problem.strerror}")


def _look_through(name: str, path: Path, secret: Secret, findings: Findings) -> None:
    if path.stat().st_size > LARGEST_BYTES:
        findings.warn(name, None, f"larger than {LARGEST_BYTES >> 20} MB, so it was not searched for labels")
        return
    for inner, given in _tables(name, path, findings):
        leak = _leak(secret, given)
        if leak is not None:
            findings.error(inner, None, f"{leak}; participants can download this file. Remove it")


def _downloads(folder: Path) -> Iterator[tuple[str, Path]]:
    paths = [folder / SAMPLE, *sorted((folder / DATA).rglob("*"))]
    return ((path.relative_to(folder).as_posix(), path) for path in paths if path.is_file())


def _tables(name: str, path: Path, findings: Findings) -> Iterator[tuple[str, bytes]]:
    """List the tables in a file: itself, or the members of an archive."""
    if path.suffix.lower() != ".zip":
        if path.suffix.lower() in TABLES:
            yield name, path.read_bytes()
        return
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.filename.lower().endswith(TABLES):
                    continue
                if member.file_size > LARGEST_BYTES or member.flag_bits & 1:
                    findings.warn(
                        name, None, f"{member.filename} in it is too large or encrypted, so it was not searched"
                    )
                    continue
                yield f"{name} ({member.filename})", archive.read(member)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error):
        findings.warn(name, None, "the zip file is damaged, so it was not searched for labels")


def _leak(secret: Secret, given: bytes) -> str | None:
    """Describe what a file reveals; None if nothing."""
    if given == secret.content:
        return "this is the solution itself"
    try:
        table = read_table(given)
    except UnreadableTableError:
        return None  # a download may be anything
    rows = _match_rows(secret, table)
    if rows is None:
        return None
    usage = find_named_column(USAGE_NAMES, table.columns)
    if usage is not None:
        return f"column {usage!r} reveals which rows of the solution are public"
    for column in table.columns:
        for label in secret.labels:
            if label.is_revealed_by(table.column(column), *rows):
                return f"column {column!r} holds the labels of the solution (its column {label.name!r})"
    return None


def _match_rows(secret: Secret, table: Table) -> tuple[Rows, Rows] | None:
    """Match the rows of the table and of the solution by id; None if none match."""
    import polars as pl

    identity = find_named_column((secret.columns.id.lower(),), table.columns)
    if identity is None:
        same = np.arange(len(table))  # without ids, but perhaps in the same order
        return (same, same) if len(table) == len(secret.table) else None
    ids, theirs = secret.ids.alias("id"), table.column(identity).alias("id").cast(secret.ids.dtype, strict=False)
    known = pl.DataFrame([ids]).with_row_index("ours").unique("id")
    both = pl.DataFrame([theirs]).with_row_index("theirs").unique("id").join(known, on="id", how="inner")
    if not both.height:
        return None
    return both["theirs"].to_numpy().astype(np.intp), both["ours"].to_numpy().astype(np.intp)
