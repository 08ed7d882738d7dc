"""Results of any kind: a file or a folder, recognised by its content."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from ladderboard.core.errors import InputError
from ladderboard.evals.battles import Battles, is_battle_table, read_battles
from ladderboard.evals.boards import Board, is_kaggle_board, read_kaggle_board
from ladderboard.evals.conditions import merge_named
from ladderboard.evals.folders import READERS, TABLES, list_files, list_ignored, sort_by_reader
from ladderboard.evals.gathering import gather_runs
from ladderboard.evals.json_tables import SUFFIXES, is_json_table, read_json_table
from ladderboard.evals.judged_tables import refuse_judge_alone
from ladderboard.evals.left_out import Note
from ladderboard.evals.long_tables import is_long_table, read_long_table
from ladderboard.evals.loss_matrix import LossMatrix
from ladderboard.evals.options import Kind, Missing, ReadOptions, Reruns
from ladderboard.evals.readers import leaderboard_files, lm_eval
from ladderboard.evals.readers.json_files import find_suffix, read_opening
from ladderboard.evals.readers.unusable import explain_unusable, refuse_summary
from ladderboard.evals.runs import Run
from ladderboard.evals.wide_tables import read_wide_arrays, read_wide_table
from ladderboard.tabular import read_table

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
    reruns: Reruns = "fullest",
    item_count: int | None = None,
    constant: bool = False,
    cost: str | None = None,
    judge_column: str | None = None,
    human_column: str | None = None,
    covariates: str | Sequence[str] = (),
    names: str | None = None,
    seed_column: str | None = None,
    prompt_column: str | None = None,
) -> LossMatrix | Battles | Board:
    """The results in a file or folder, whatever program wrote them.

    Understood are samples of lm-evaluation-harness, Inspect logs, HELM's and OpenCompass's details, reports of
    SWE-bench and Multi-SWE-bench, tau-bench, tau2-bench, jobs of Harbor and Terminal-Bench, LiveCodeBench, promptfoo,
    MTEB and Hugging Face leaderboard files, samples of Every Eval Ever, wide and long tables and NPZ arrays (each a
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
        Of several runs of a system on the same items take the fullest and of equally full ones the latest, take the
        latest, or average them as repeats. Runs of different items of a task are put together.
    item_count
        SWE-bench: how many instances the benchmark has, where the files do not name all.
    constant
        Admit columns of a table that have the same number in every row, other than all right or all wrong.
    judge_column, human_column
        In a long table: a model's scores of all items, and the column with human scores of a part of them, drawn at
        random, which correct the model's.
    covariates
        Of battles: what else may have decided and is controlled for, such as ``"length"`` of two columns ``length_a``
        and ``length_b``, or ``"position"`` for the place of the first system.
    names
        How the names of systems are formed, such as ``"{system}-seed{seed}"`` or ``"{system} [{prompt}]"``: a system's
        seeds and prompts then become one system, and their variance part of its error.
    seed_column, prompt_column
        The same for a long table that has a column for each.
    cost
        Which cost to take where they are given in several units, such as ``"USD"``; ``"none"`` takes none.
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
        cost=cost,
        judge_column=judge_column,
        human_column=human_column,
        covariates=(covariates,) if isinstance(covariates, str) else tuple(covariates),
        names=names,
        seed_column=seed_column,
        prompt_column=prompt_column,
    )
    found = _read(Path(path), options)
    if names is None:
        return found
    if not isinstance(found, LossMatrix):
        raise InputError(f"{Path(path).name} holds no scores of systems on items, and --names says nothing about it")
    return merge_named(found, names)


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
    files = list_files(path)
    found = sort_by_reader(files)
    taken = [file for of_one in found.values() for file in of_one]
    aside: list[Note] = [*list_ignored(path, files, taken)] if found and path.is_dir() else []
    if lm_eval in found and leaderboard_files in found:
        aside += leaderboard_files.list_without_samples(
            found.pop(leaderboard_files), lm_eval.list_samples(found[lm_eval])
        )
    if len(found) > 1:
        names = " and ".join(f"{reader.NAME} ({paths[0].name})" for reader, paths in found.items())
        raise InputError(f"{path} holds {names}; give one of them, a file or a folder of its own")
    for reader, paths in found.items():
        if options.judge_column is not None or options.human_column is not None:
            raise InputError(
                f"{path} holds {reader.NAME}; --judge-column and --human-column are columns of a long table (item, "
                "system, judge, human)"
            )
        if options.has_condition_columns:
            raise InputError(
                f"{path} holds {reader.NAME}; --seed-column and --prompt-column are columns of a long table (item, "
                "system, score). Where seeds or prompts are in the systems' names, --names says how"
            )
        if options.covariates:
            raise InputError(f"{path} holds {reader.NAME}, and --covariate is of battles alone (item, a, b, winner)")
        runs, notes = _read_runs(reader, paths, options)
        return gather_runs(path.name or str(path), runs, options, [*notes, *aside])
    return _add_ignored(_read_only_table(path, files, options), path, files)


def _add_ignored(
    results: LossMatrix | Battles | Board, path: Path, files: Sequence[Path]
) -> LossMatrix | Battles | Board:
    """The results of the only table in a folder, with the files beside it that were not read."""
    if not path.is_dir():
        return results
    ignored = list_ignored(path, files, [file for file in files if _is_table(file)])
    notes = (*results.notes, *map(str, ignored))
    return replace(results, notes=notes, left_out=(*results.left_out, *ignored))


def _read_runs(reader: ModuleType, paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """The runs in files of one kind; a file without the form of its kind is refused, whatever is wrong with it."""
    try:
        found: tuple[list[Run], list[Note]] = reader.read_runs(paths, options)
    except (KeyError, TypeError, AttributeError, IndexError) as problem:
        raise InputError(
            f"{_find_broken(reader, paths, options)} is named or begins like {reader.NAME}, and does not go on in that "
            f"form ({type(problem).__name__}: {problem}); was it written by another version, or changed?"
        ) from problem
    return found


def _find_broken(reader: ModuleType, paths: Sequence[Path], options: ReadOptions) -> Path:
    """The file that a reader cannot read, found by giving it one after the other."""
    for path in paths:
        with suppress(InputError):
            try:
                reader.read_runs([path], options)
            except (KeyError, TypeError, AttributeError, IndexError):
                return path
    return paths[0]


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
    if options.covariates:
        raise InputError(f"{table.name} holds no battles, and --covariate is of battles alone (item, a, b, winner)")
    if is_kaggle_board(table.columns):
        options.refuse_unused(table.name, "is a board of scores without items", ())
        return read_kaggle_board(table)
    refuse_judge_alone(table.name, options)
    if options.judge_column is not None and not is_long_table(table.columns, (options.judge_column,)):
        raise InputError(f"{table.name}: --judge-column needs a row for each item and system (columns item, system)")
    if (
        is_long_table(table.columns, (*options.metric, *filter(None, [options.judge_column])))
        and options.kind != "predictions"
    ):
        return read_long_table(table, options)
    if options.has_condition_columns:
        raise InputError(
            f"{table.name} has no row for each item and system, and --seed-column and --prompt-column are columns of "
            "such a table (item, system, score, seed); where columns are named by seed or prompt, --names says how"
        )
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
