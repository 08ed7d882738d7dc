"""Results of any kind: a file or a folder, recognised by its content."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

from ladderboard.core.errors import InputError
from ladderboard.evals.battles import Battles, is_battle_table, read_battles
from ladderboard.evals.boards import Board, is_kaggle_board, read_kaggle_board
from ladderboard.evals.gathering import Run, gather_runs
from ladderboard.evals.json_tables import SUFFIXES, is_json_table, read_json_table
from ladderboard.evals.long_tables import is_long_table, read_long_table
from ladderboard.evals.loss_matrix import LossMatrix
from ladderboard.evals.options import Kind, Missing, ReadOptions, Reruns
from ladderboard.evals.readers import (
    every_eval_ever,
    helm,
    inspect_logs,
    leaderboard_files,
    lm_eval,
    opencompass,
    swe_bench,
)
from ladderboard.evals.readers.json_files import find_suffix, read_opening
from ladderboard.evals.readers.unusable import explain_unusable, refuse_summary
from ladderboard.evals.wide_tables import read_wide_arrays, read_wide_table
from ladderboard.tabular import read_table

READERS = (lm_eval, every_eval_ever, inspect_logs, helm, swe_bench, opencompass, leaderboard_files)
"""In the order in which they are asked."""
TABLES = (".csv", ".tsv", ".txt", ".parquet", ".npz", ".gz", ".zip")
UNDERSTOOD = (
    f"{', '.join(reader.NAME for reader in READERS)}; a table with a row for each item and a column for each system "
    "(CSV, Parquet, JSON records); a long table (item, system, score); battles (item, a, b, winner); Kaggle's "
    "leaderboard; an .npz array"
)


def read_results(
    path: str | Path,
    *,
    kind: Kind | None = None,
    higher_is_better: bool | None = None,
    metric: str | Sequence[str] = (),
    labels_column: str | None = None,
    items_column: str | None = None,
    groups_column: str | None = None,
    tasks_column: str | None = None,
    systems: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    table: str | None = None,
    missing: Missing = "error",
    missing_value: str | float | None = None,
    bounds: tuple[float, float] | None = None,
    reruns: Reruns = "latest",
    item_count: int | None = None,
    constant: bool = False,
) -> LossMatrix | Battles | Board:
    """The results in a file or folder, whatever program wrote them.

    Understood are samples of lm-evaluation-harness, Inspect logs, HELM's and OpenCompass's details, SWE-bench reports,
    Hugging Face leaderboard files, samples of Every Eval Ever, wide and long tables and NPZ arrays (each a
    `LossMatrix`), pairwise comparisons (`Battles`) and Kaggle's leaderboard (`Board`). What was taken and what was
    left out stands in ``notes``. What can be read in two ways is refused with the option that decides.

    Parameters
    ----------
    path
        A file, or the folder that a harness wrote.
    kind, higher_is_better
        What the numbers of a table are: ``"losses"``, ``"correct"`` (1 is right), ``"scores"`` with the direction
        said, or ``"predictions"`` beside ``labels_column``.
    metric
        Which score to take where there are several (of several names the first that a task has); for predictions, the
        metric that scores them.
    items_column, groups_column, tasks_column, labels_column
        Columns of a table that are no systems; ``groups_column`` is also a field of lm-eval's documents and of the
        metadata of Inspect's samples.
    systems, drop
        The systems to take, or to leave out.
    table
        The name of the items × systems array in an NPZ file with several.
    missing, missing_value
        What to do about a missing cell (`read_loss_matrix`), and what stands in it where it is not empty.
    bounds
        The lowest and highest possible number.
    reruns
        Of several runs of a system on a task take the latest, or average them as repeats.
    item_count
        SWE-bench: how many instances the benchmark has, where the files do not name all.
    constant
        Admit systems with the same loss on every item.
    """
    options = ReadOptions(
        kind=kind,
        higher_is_better=higher_is_better,
        metric=(metric,) if isinstance(metric, str) else tuple(metric),
        labels_column=labels_column,
        items_column=items_column,
        groups_column=groups_column,
        tasks_column=tasks_column,
        systems=None if systems is None else tuple(systems),
        drop=tuple(drop),
        table=table,
        missing=missing,
        missing_value=None if missing_value is None else str(missing_value),
        bounds=bounds,
        reruns=reruns,
        item_count=item_count,
        constant=constant,
    )
    return _read(Path(path), options)


def read_matrix_results(path: Path, **options: object) -> LossMatrix:
    """The results of a file or folder that must hold the scores of systems on items; `read_results` of anything."""
    found = read_results(path, **options)  # type: ignore[arg-type]  # the same options, checked there
    if isinstance(found, Battles):
        raise InputError(
            f"{path.name} holds battles of two systems; this analysis needs scores of systems on items (ladderboard "
            "ranks and ladderboard report take battles)"
        )
    if isinstance(found, Board):
        raise InputError(
            f"{path.name} is a board of {len(found)} scores without items; if they are accuracies on N items, say "
            f"ladderboard audit-records --scores {path.name} --score-column Score --test-size N, or ladderboard sota "
            f"--accuracies {path.name} --column Score --test-size N"
        )
    return found


def _read(path: Path, options: ReadOptions) -> LossMatrix | Battles | Board:
    if not path.exists():
        raise InputError(f"there is no file or folder {path}")
    files = sorted(_files_in(path)) if path.is_dir() else [path]
    found = _sort_by_reader(files)
    samples = [reader for reader in found if reader is not leaderboard_files]
    if leaderboard_files in found and samples:
        found.pop(leaderboard_files)  # results of a run whose items are here too
    if len(found) > 1:
        names = " and ".join(reader.NAME for reader in found)
        raise InputError(f"{path} holds {names}; give one of them, a file or a folder of its own")
    for reader, paths in found.items():
        runs, notes = _read_runs(reader, paths, options)
        return gather_runs(path.name or str(path), runs, options, notes)
    return _read_only_table(path, files, options)


def _read_runs(reader: ModuleType, paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[str]]:
    """The runs in files of one kind; a file without the form of its kind is refused, whatever is wrong with it."""
    try:
        found: tuple[list[Run], list[str]] = reader.read_runs(paths, options)
    except (KeyError, TypeError, AttributeError, IndexError) as problem:
        raise InputError(
            f"{paths[0].parent}: a file among {reader.NAME} does not have the form of its kind "
            f"({type(problem).__name__}: {problem}); was it written by another version, or changed?"
        ) from problem
    return found


def _files_in(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path


def _sort_by_reader(files: Sequence[Path]) -> dict[ModuleType, list[Path]]:
    """The files that each reader recognises."""
    found: dict[ModuleType, list[Path]] = {}
    helm_folders = {path.parent for path in files if path.name == "per_instance_stats.json"}
    for path in files:
        if path.suffix not in (".json", ".jsonl", ".eval"):
            continue
        if path.parent in helm_folders and path.name != "per_instance_stats.json":
            continue  # its scenario may be large, and its statistics are of the whole run
        opening = "" if path.suffix == ".eval" else read_opening(path)
        for reader in READERS:
            if reader.recognises(path, opening):
                found.setdefault(reader, []).append(path)
                break
    return found


def _read_only_table(path: Path, files: Sequence[Path], options: ReadOptions) -> LossMatrix | Battles | Board:
    tables = [file for file in files if _is_table(file)] if path.is_dir() else list(files)
    if path.is_dir() and len(tables) > 1:
        raise InputError(
            f"{path} holds {len(tables)} tables ({tables[0].name}, {tables[1].name}, …); give one file; tables of one "
            "system each are put into one with a column 'system'"
        )
    if not tables or (find_suffix(tables[0]) in (*SUFFIXES, ".eval") and not _is_table(tables[0])):
        raise _describe_unusable(path, files)
    if tables[0].suffix == ".npz":
        return read_wide_arrays(tables[0], options)
    table = read_json_table(tables[0]) if find_suffix(tables[0]) in SUFFIXES else read_table(tables[0])
    refuse_summary(table.name, table.columns)
    if is_battle_table(table.columns):
        return read_battles(table, options)
    if is_kaggle_board(table.columns):
        options.refuse_unused(table.name, "is a board of scores without items", ())
        return read_kaggle_board(table)
    if is_long_table(table.columns, options.metric) and options.kind != "predictions":
        return read_long_table(table, options)
    return read_wide_table(table, options)


def _is_table(path: Path) -> bool:
    """Whether a file is a table, by its name, or in JSON by its content."""
    if find_suffix(path) not in SUFFIXES:
        return path.suffix in TABLES
    return is_json_table(path) and explain_unusable(path, read_opening(path)) is None


def _describe_unusable(path: Path, files: Sequence[Path]) -> InputError:
    """The refusal of files without scores of items: what they are, where that is known, and what to give instead."""
    for file in files:
        if find_suffix(file) in SUFFIXES:
            hint = explain_unusable(file, read_opening(file))
            if hint is not None:
                return InputError(f"{file.relative_to(path) if path.is_dir() else file.name} {hint}")
    return InputError(f"{path} holds no results that are understood; these are: {UNDERSTOOD}")
