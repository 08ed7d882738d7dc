"""The files of a folder: those of each reader, and those that no reader takes, with the reason."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

from ladderboard.core.errors import InputError
from ladderboard.evals.json_tables import SUFFIXES
from ladderboard.evals.left_out import LeftOut, collect_left_out, list_names
from ladderboard.evals.readers import (
    every_eval_ever,
    harbor,
    helm,
    inspect_logs,
    leaderboard_files,
    livecodebench,
    lm_eval,
    mteb,
    opencompass,
    promptfoo,
    swe_bench,
    tau2_bench,
    tau_bench,
    terminal_bench,
)
from ladderboard.evals.readers.json_files import find_suffix, read_opening
from ladderboard.evals.readers.unusable import explain_unusable

READERS = (
    *(lm_eval, every_eval_ever, inspect_logs, helm, terminal_bench, harbor, tau2_bench, tau_bench),
    *(livecodebench, promptfoo, mteb, swe_bench, opencompass, leaderboard_files),
)
"""In the order in which they are asked."""
WITH_COMPANIONS = (harbor, terminal_bench, tau2_bench, livecodebench, mteb)
"""Those whose programs write other JSON files into the folder of a run."""
TABLES = (".csv", ".tsv", ".txt", ".parquet", ".npz", ".gz", ".zip")
POINTER = b"version https://git-lfs.github.com/spec/"
NOT_UNDERSTOOD = "not understood as results"


def list_files(path: Path) -> list[Path]:
    """A file, or all files of a folder but hidden ones; those that Git LFS has not fetched yet are refused."""
    files = sorted(_files_in(path)) if path.is_dir() else [path]
    refuse_pointers(path, files)
    return files


def sort_by_reader(files: Sequence[Path]) -> dict[ModuleType, list[Path]]:
    """The files that each reader recognises."""
    found: dict[ModuleType, list[Path]] = {}
    for path in files:
        if path.suffix not in (".json", ".jsonl", ".eval") or _is_companion(path):
            continue
        opening = "" if path.suffix == ".eval" else read_opening(path)
        for reader in READERS:
            if reader.recognises(path, opening):
                found.setdefault(reader, []).append(path)
                break
    return found


def list_ignored(folder: Path, files: Sequence[Path], taken: Sequence[Path]) -> list[LeftOut]:
    """The files that could be results and that no reader takes, by the reason."""
    found = []
    for path in sorted(set(files) - set(taken)):
        if find_suffix(path) in (*SUFFIXES, ".eval"):
            if not _is_companion(path):
                found.append((str(path.relative_to(folder)), explain_unusable(path, read_opening(path))))
        elif path.suffix in TABLES and path.suffix != ".txt":
            found.append((str(path.relative_to(folder)), "a table beside a harness's files"))
    return collect_left_out("file", [(name, reason or NOT_UNDERSTOOD) for name, reason in found])


def _is_companion(path: Path) -> bool:
    """Whether a file belongs to a run whose items stand in another one beside it."""
    if path.with_name("per_instance_stats.json").is_file():
        return path.name != "per_instance_stats.json"  # its scenario may be large, its statistics are of the whole run
    if path.name in ("run_spec.json", "instances.json") and path.with_name("display_predictions.json").is_file():
        return True
    if any(reader.belongs_to_run(path) for reader in WITH_COMPANIONS):
        return True
    return path.suffix == ".json" and path.with_name(f"{path.stem}_samples.jsonl").is_file()


def _files_in(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path


def refuse_pointers(path: Path, files: Sequence[Path]) -> None:
    """Refuse files that Git LFS has not fetched yet, of those in a folder or of one alone."""
    pointers = [file for file in files if find_suffix(file) in (*SUFFIXES, ".eval", *TABLES) and _is_pointer(file)]
    if pointers:
        raise InputError(
            f"{path}: {len(pointers)} of {len(files)} files only point to what Git LFS has not fetched yet "
            f"({list_names(file.name for file in pointers)}); fetch it with: git lfs pull"
        )


def _is_pointer(file: Path) -> bool:
    """Whether a file is what Git LFS leaves in place of a large one."""
    with file.open("rb") as opened:
        return opened.read(len(POINTER)) == POINTER
