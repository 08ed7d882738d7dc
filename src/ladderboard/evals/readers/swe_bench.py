"""SWE-bench: the report ``MODEL.RUN.json`` of a run, or the ``results.json`` of a submission to its boards.

A report lists the instances that were resolved and those that were not; a results file of a submission lists the
resolved ones and may leave out others, so that their number has to be said.

Reference: SWE-bench/SWE-bench, swebench/harness/reporting.py; SWE-bench/experiments.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.gathering import Run
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import read_document

NAME = "SWE-bench reports"
_DATED = re.compile(r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)_(?P<name>.+)")


def recognises(path: Path, opening: str) -> bool:
    """Whether a file lists the resolved instances of one system."""
    if path.suffix != ".json" or not opening.lstrip().startswith("{"):
        return False
    is_report = '"resolved_ids"' in opening or ('"total_instances"' in opening and '"resolved_instances"' in opening)
    return is_report or ('"resolved"' in opening and ('"no_generation"' in opening or '"generated"' in opening))


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[str]]:
    """A run for each file: 1 where an instance was resolved."""
    listed = [_read_lists(path) for path in paths]
    is_whole = all(whole for *_, whole in listed)
    known = {instance for _, resolved, others, _ in listed for instance in resolved | others}
    items, notes = _list_items(paths[0], known, options, is_whole=is_whole)
    runs = [
        _make_run(path, system, resolved, items) for path, (system, resolved, _, _) in zip(paths, listed, strict=True)
    ]
    return runs, notes


def _read_lists(path: Path) -> tuple[str, set[str], set[str], bool]:
    """The system, its resolved instances, the other ones, and whether these are all of the benchmark."""
    document: dict[str, Any] = read_document(path)
    if "resolved_ids" in document:
        resolved = set(document["resolved_ids"])
        names = ("submitted_ids", "incomplete_ids", "unresolved_ids", "error_ids", "empty_patch_ids", "completed_ids")
        others = {instance for name in names for instance in document.get(name, ())} - resolved
        return (
            path.name.split(".json")[0].rsplit(".", 1)[0],
            resolved,
            others,
            len(resolved | others) >= document["total_instances"],
        )
    resolved = set(document["resolved"])
    others = {instance for ids in document.values() if isinstance(ids, list) for instance in ids} - resolved
    folder = path.parent.parent if path.parent.name == "results" else path.parent
    return folder.name, resolved, others, False


def _list_items(path: Path, known: set[str], options: ReadOptions, *, is_whole: bool) -> tuple[list[str], list[str]]:
    """Every instance: those that are named, and as many that nobody resolved as make up the declared number."""
    named = sorted(known)
    if options.item_count is None and is_whole:
        return named, []
    if options.item_count is None:
        raise InputError(
            f"{path.name} lists {len(named)} instances and not those that no system resolved; say how many the "
            "benchmark has, such as --item-count 500 for SWE-bench Verified (in Python: item_count=)"
        )
    if options.item_count < len(named):
        raise InputError(f"{path.name}: {len(named)} instances are named, more than --item-count {options.item_count}")
    unnamed = options.item_count - len(named)
    note = f"{unnamed} of {options.item_count} instances are named in no file: they count as resolved by no system"
    return [*named, *(f"not named {number + 1}" for number in range(unnamed))], [note] * bool(unnamed)


def _make_run(path: Path, system: str, resolved: set[str], items: list[str]) -> Run:
    dated = _DATED.fullmatch(system)
    return Run(
        system=dated["name"] if dated else system,
        file=path.name,
        items=tuple(items),
        scores={"resolved": np.array([float(item in resolved) for item in items])},
        higher_is_better={"resolved": True},
        date=f"{dated['year']}-{dated['month']}-{dated['day']}" if dated else None,
    )
