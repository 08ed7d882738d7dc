"""Labels or the split in what participants may download, data/ and sample_submission.csv: refused, as a leak."""

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
from ladderboard.competition.solution.columns import USAGE_NAMES, SolutionColumns, called
from ladderboard.tabular import Table, UnreadableTableError, read_table
from ladderboard.tabular.columns import classes_of

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
    """The solution as leaks are looked for."""

    table: Table
    """The solution as a table, whatever else may be wrong with it."""
    columns: SolutionColumns
    content: bytes
    """The solution's file as it is."""

    @cached_property
    def ids(self) -> "polars.Series":
        """As integers where all are, which are matched in a fraction of the time and memory of text."""
        import polars as pl

        texts = self.table.column(self.columns.id)
        numbers = texts.cast(pl.Int64, strict=False)
        return texts if numbers.null_count() > texts.null_count() else numbers

    @cached_property
    def labels(self) -> tuple["Label", ...]:
        return tuple(Label.of(name, classes_of(self.table.column(name).fill_null(""))) for name in self.columns.labels)


@dataclass(frozen=True, eq=False)
class Label:
    """One label column, and where it has its most frequent value."""

    name: str
    values: npt.NDArray[Any]
    is_most_frequent: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, name: str, values: npt.NDArray[Any]) -> "Label":
        _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
        return cls(name, values, codes == np.argmax(counts))

    def is_told_by(self, cells: "polars.Series", theirs: Rows, ours: Rows) -> bool:
        """Whether a column has these labels: it agrees both where they are the most frequent one and where not.

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
    """An error for each file that tells labels or Usage, a warning for each that could not be looked through."""
    for name, path in _downloads(folder):
        try:
            _look_through(name, path, secret, findings)
        except OSError as problem:
            findings.error(name, None, f"it cannot be read: {problem.strerror}")


def _look_through(name: str, path: Path, secret: Secret, findings: Findings) -> None:
    if path.stat().st_size > LARGEST_BYTES:
        findings.warn(name, None, f"larger than {LARGEST_BYTES >> 20} MB, so it was not looked through for labels")
        return
    for inner, given in _tables(name, path, findings):
        leak = _leak(secret, given)
        if leak is not None:
            findings.error(inner, None, f"{leak}; participants can download this file: take it out")


def _downloads(folder: Path) -> Iterator[tuple[str, Path]]:
    paths = [folder / SAMPLE, *sorted((folder / DATA).rglob("*"))]
    return ((path.relative_to(folder).as_posix(), path) for path in paths if path.is_file())


def _tables(name: str, path: Path, findings: Findings) -> Iterator[tuple[str, bytes]]:
    """The tables in a file: itself, or the members of an archive."""
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
                    findings.warn(name, None, f"{member.filename} in it is too large or locked to be looked through")
                    continue
                yield f"{name} ({member.filename})", archive.read(member)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error):
        findings.warn(name, None, "the zip file is damaged, so it was not looked through for labels")


def _leak(secret: Secret, given: bytes) -> str | None:
    """What a file tells, in words; None where it tells nothing."""
    if given == secret.content:
        return "this is the solution itself"
    try:
        table = read_table(given)
    except UnreadableTableError:
        return None  # a download may be anything
    rows = _matching_rows(secret, table)
    if rows is None:
        return None
    usage = called(USAGE_NAMES, table.columns)
    if usage is not None:
        return f"column {usage!r} tells which of the solution's rows are public"
    for column in table.columns:
        for label in secret.labels:
            if label.is_told_by(table.column(column), *rows):
                return f"column {column!r} holds the labels of the solution (its column {label.name!r})"
    return None


def _matching_rows(secret: Secret, table: Table) -> tuple[Rows, Rows] | None:
    """Rows of the table and of the solution that are about the same items; None where there are none."""
    import polars as pl

    identity = called((secret.columns.id.lower(),), table.columns)
    if identity is None:
        same = np.arange(len(table))  # without ids, but perhaps in the same order
        return (same, same) if len(table) == len(secret.table) else None
    ids, theirs = secret.ids.alias("id"), table.column(identity).alias("id").cast(secret.ids.dtype, strict=False)
    known = pl.DataFrame([ids]).with_row_index("ours").unique("id")
    both = pl.DataFrame([theirs]).with_row_index("theirs").unique("id").join(known, on="id", how="inner")
    if not both.height:
        return None
    return both["theirs"].to_numpy().astype(np.intp), both["ours"].to_numpy().astype(np.intp)
