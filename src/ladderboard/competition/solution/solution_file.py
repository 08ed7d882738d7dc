"""solution.csv → Solution: ids, labels, split, weights and groups, with the line of everything that is wrong."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ladderboard.competition.checks.findings import SHOWN_PER_KIND, Findings, join_names
from ladderboard.competition.model import Solution
from ladderboard.competition.rules.rules_file import RulesFile
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.solution.columns import LabelsAre, SolutionColumns, find_columns
from ladderboard.competition.solution.label_columns import read_labels
from ladderboard.competition.solution.split import find_group_strata, is_public
from ladderboard.core.errors import LabelsError
from ladderboard.core.records import IntArray
from ladderboard.metrics.inputs import InputKind
from ladderboard.tabular import Table, UnreadableTableError, read_table
from ladderboard.tabular.columns import whole_numbers

if TYPE_CHECKING:
    import polars

USAGES = {"public": "Public", "private": "Private", "ignored": "Ignored", "ignore": "Ignored"}
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SolutionReader:
    """The state of reading one solution: the table, its columns, and the findings."""

    file: str
    table: Table
    columns: SolutionColumns
    settings: RulesFile
    findings: Findings

    def report(self, bad: Mask, sentence: Callable[[int], str], *, so: str) -> None:
        """A finding for each of the first bad rows, and one for how many more there are."""
        rows = np.flatnonzero(bad)
        for row in rows[:SHOWN_PER_KIND].tolist():
            self.findings.error(self.file, self.table.line(row), sentence(row))
        if len(rows) > SHOWN_PER_KIND:
            line = self.table.line(int(rows[SHOWN_PER_KIND]))
            self.findings.error(self.file, line, f"from here on {len(rows) - SHOWN_PER_KIND:,} more rows {so}")

    def cells(self, column: str) -> "polars.Series":
        return self.table.column(column)


def open_solution(
    folder: Path, settings: RulesFile, findings: Findings, *, labels_are: LabelsAre = "read"
) -> SolutionReader | None:
    """The table and its columns; None where there is no table or no telling which column is what."""
    name = settings.solution.file
    try:
        table = _table(folder, name)
    except UnreadableTableError as problem:
        findings.error(name, problem.line, problem.sentence)
        return None
    if not len(table):
        findings.error(name, None, "there is no row")
        return None
    columns = find_columns(table, settings.solution, settings.toml, name, findings, labels_are=labels_are)
    if columns is None:
        return None
    return SolutionReader(name, table, columns, settings, findings)


def read_solution(reader: SolutionReader, kind: InputKind | None) -> Solution | None:
    """The solution; None where something is wrong with it, which is then among the findings.

    ``kind`` says what labels the metric takes; None (the metric is wrong) leaves their values unchecked.
    """
    table, columns, findings = reader.table, reader.columns, reader.findings
    before = len(findings.errors)
    ids = _ids(reader)
    usage = _usage(reader)
    ignored = np.zeros(len(table), dtype=bool) if usage is None else usage == "Ignored"
    cells = [reader.cells(one) for one in columns.labels]
    # Items that a scorer gives a value have no labels here, which is what such a kind reads.
    labels = read_labels(reader.report, cells, kind, ignored) if cells else np.zeros(len(table), dtype=np.int8)
    weight = _weights(reader, ignored)
    group = _groups(reader)
    if len(findings.errors) == before and labels is not None and kind is not None:
        usage = usage if usage is not None else _split(reader, labels, kind, group)
    if usage is not None and group is not None:
        _refuse_straddling(reader, usage, group)
    if len(findings.errors) > before or labels is None or usage is None:
        return None
    is_one_hot = labels.ndim == 1 and len(columns.labels) > 1
    names = (_name_label(columns),) if is_one_hot else columns.labels
    return _sort_by_id(Solution(ids, labels, usage, columns.id, names, weight, group))


def _name_label(columns: SolutionColumns) -> str:
    """What the label is called where the solution has a column for each class."""
    return next(name for name in ("label", "class", "target", "true_label") if name not in columns.used)


def _sort_by_id(solution: Solution) -> Solution:
    """The rows in the order of their ids: the order of the file, which samples would show, may tell labels or Usage."""
    order = np.argsort(solution.ids, kind="stable")
    return replace(
        solution,
        ids=solution.ids[order],
        labels=solution.labels[order],
        usage=solution.usage[order],
        weight=None if solution.weight is None else solution.weight[order],
        group=None if solution.group is None else solution.group[order],
    )


def _table(folder: Path, name: str) -> Table:
    path = folder / name
    if not path.is_file():
        raise UnreadableTableError("the file is missing; it has one row for each item: its id and its label")
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UnreadableTableError("the solution must lie in the competition's folder")
    if path.resolve().is_relative_to((folder / "data").resolve()):
        raise UnreadableTableError("the solution lies in data/, which participants download; move it out of there")
    return read_table(path)


def _ids(reader: SolutionReader) -> npt.NDArray[Any]:
    cells = reader.cells(reader.columns.id)
    reader.report(cells.is_null().to_numpy(), lambda _: f"no id in column {reader.columns.id!r}", so="have no id")
    repeated = cells.is_duplicated().to_numpy() & ~cells.is_first_distinct().to_numpy() & cells.is_not_null().to_numpy()
    reader.report(repeated, lambda row: f"id {cells[row]!r} appears twice; each row needs its own", so="repeat an id")
    whole = None if cells.null_count() else whole_numbers(cells)
    return np.array(cells.fill_null("").to_list(), dtype=np.str_) if whole is None else whole


def _usage(reader: SolutionReader) -> npt.NDArray[np.str_] | None:
    column = reader.columns.usage
    if column is None:
        return None
    import polars as pl

    cells = reader.cells(column)
    words = cells.str.to_lowercase().replace_strict(USAGES, default=None, return_dtype=pl.String)
    reader.report(
        words.is_null().to_numpy(),
        lambda row: f"{column} is {cells[row] or ''!r}; it must be Public, Private or Ignored",
        so=f"have an unknown {column}",
    )
    if reader.settings.solution.public_share is not None:
        line = reader.settings.toml.line("solution", "public_share")
        reader.findings.error(
            FILE, line, f"{reader.file} says itself which rows are public (column {column!r}); leave public_share out"
        )
    return np.array(words.fill_null("").to_list(), dtype="<U7")


def _weights(reader: SolutionReader, ignored: Mask) -> npt.NDArray[np.float64] | None:
    column = reader.columns.weight
    if column is None:
        return None
    import polars as pl

    cells = reader.cells(column)
    # Of a row that counts nowhere the weight may be left out.
    numbers = np.where(ignored & cells.is_null().to_numpy(), 1.0, cells.cast(pl.Float64, strict=False).to_numpy())
    reader.report(
        ~(numbers > 0) | ~np.isfinite(numbers),
        lambda row: f"{column} is {cells[row] or ''!r}; a weight must be a positive number",
        so="have no positive weight",
    )
    return np.asarray(numbers, dtype=np.float64)


def _groups(reader: SolutionReader) -> IntArray | None:
    """Codes of the groups in the order of their names: only who is with whom matters."""
    column = reader.columns.group
    if column is None:
        return None
    cells = reader.cells(column)
    reader.report(
        cells.is_null().to_numpy(), lambda _: f"no group in column {column!r}", so=f"have no group in {column!r}"
    )
    if cells.n_unique() < 2:
        reader.findings.error(reader.file, 1, f"all rows are in one group (column {column!r}); at least two are needed")
    return np.asarray(np.unique(cells.fill_null("").to_numpy().astype(np.str_), return_inverse=True)[1], dtype=np.intp)


def _split(
    reader: SolutionReader, labels: npt.NDArray[Any], kind: InputKind, group: IntArray | None
) -> npt.NDArray[np.str_] | None:
    settings = reader.settings.solution
    if settings.public_share is None:
        reader.findings.error(
            reader.file,
            1,
            "which rows are public? Add a column Usage with Public, Private or Ignored, "
            "or give public_share = 0.3 and split_seed in [solution]",
        )
        return None
    if settings.split_seed is None and settings.public_share < 1:
        import secrets

        reader.findings.error(
            FILE,
            reader.settings.toml.line("solution", "public_share"),
            f'public_share needs a split_seed, a secret of your own, such as split_seed = "{secrets.token_hex(16)}"',
        )
        return None
    try:
        strata = kind.strata(kind.read_labels(labels))
    except LabelsError as problem:
        reader.findings.error(reader.file, None, str(problem))
        return None
    public = _public_rows(reader, strata, group)
    return np.where(public, "Public", "Private")


def _public_rows(reader: SolutionReader, strata: IntArray, group: IntArray | None) -> Mask:
    settings, columns = reader.settings.solution, reader.columns
    share, seed = settings.public_share or 1.0, settings.split_seed or ""
    if group is None or columns.group is None:
        return is_public(reader.cells(columns.id).to_list(), strata, share=share, seed=seed)
    names = np.unique(reader.cells(columns.group).to_numpy().astype(np.str_)).tolist()
    by_group = is_public(names, find_group_strata(group, strata), share=share, seed=seed)
    return np.asarray(by_group[group])


def _refuse_straddling(reader: SolutionReader, usage: npt.NDArray[np.str_], group: IntArray) -> None:
    count = int(group.max()) + 1
    public = np.bincount(group[usage == "Public"], minlength=count) > 0
    private = np.bincount(group[usage == "Private"], minlength=count) > 0
    both = np.flatnonzero(public & private)
    if not len(both):
        return
    assert reader.columns.group is not None
    cells = reader.cells(reader.columns.group)
    first = [int(np.argmax(group == code)) for code in both[:SHOWN_PER_KIND].tolist()]
    reader.findings.error(
        reader.file,
        reader.table.line(first[0]),
        f"{len(both)} {'group has' if len(both) == 1 else 'groups have'} public and private rows "
        f"({join_names(cells[row] for row in first)}{', …' if len(both) > len(first) else ''}): what the public board "
        "tells of a group would tell of its private rows; keep the rows of a group together",
    )
