"""SWE-bench: the report ``MODEL.RUN.json`` of a run, or the ``results.json`` of a submission to its boards.

A report lists the instances that were resolved and those that were not; a results file of a submission lists the
resolved ones and may leave out others, so that their number has to be said.

Reference: SWE-bench/SWE-bench, swebench/harness/reporting.py; SWE-bench/experiments.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.gathering import Run
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import read_document

NAME = "SWE-bench reports"
_DATED = re.compile(r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)_(?P<name>.+)")


@dataclass(frozen=True)
class _Listing:
    """What one file says of one system."""

    name: str
    """Of the system; in a report the id of the run comes after it."""
    resolved: set[str]
    others: set[str]
    is_report: bool
    is_whole: bool
    """Whether the instances are all of the benchmark."""


def recognises(path: Path, opening: str) -> bool:
    """Whether a file lists the resolved instances of one system."""
    if path.suffix != ".json" or not opening.lstrip().startswith("{"):
        return False
    is_report = '"resolved_ids"' in opening or ('"total_instances"' in opening and '"resolved_instances"' in opening)
    return is_report or ('"resolved"' in opening and ('"no_generation"' in opening or '"generated"' in opening))


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[str]]:
    """A run for each file: 1 where an instance was resolved."""
    listings = [_read_listing(path) for path in paths]
    known = {instance for one in listings for instance in one.resolved | one.others}
    items, notes = _list_items(paths[0], known, options, is_whole=all(one.is_whole for one in listings))
    systems = _find_systems(listings)
    named = zip(paths, systems, listings, strict=True)
    return [_make_run(path, system, one.resolved, items) for path, system, one in named], notes


def _read_listing(path: Path) -> _Listing:
    document: dict[str, Any] = read_document(path)
    if "resolved_ids" in document:
        resolved = set(document["resolved_ids"])
        names = ("submitted_ids", "incomplete_ids", "unresolved_ids", "error_ids", "empty_patch_ids", "completed_ids")
        others = {instance for name in names for instance in document.get(name, ())} - resolved
        is_whole = len(resolved | others) >= document["total_instances"]
        return _Listing(path.name.removesuffix(".json"), resolved, others, is_report=True, is_whole=is_whole)
    resolved = set(document["resolved"])
    others = {instance for ids in document.values() if isinstance(ids, list) for instance in ids} - resolved
    folder = path.parent.parent if path.parent.name == "results" else path.parent
    return _Listing(folder.name, resolved, others, is_report=False, is_whole=False)


def _find_systems(listings: Sequence[_Listing]) -> list[str]:
    """The systems' names: reports are called MODEL.RUN.json, and both may have dots; runs of one id end alike."""
    reports = [one.name.split(".") for one in listings if one.is_report]
    shared = 0
    while (
        len(reports) > 1 and min(map(len, reports)) > shared + 1 and len({name[-1 - shared] for name in reports}) == 1
    ):
        shared += 1
    systems = [
        ".".join(one.name.split(".")[: -max(1, shared)]) if one.is_report and "." in one.name else one.name
        for one in listings
    ]
    # Several runs of one model are told apart by their ids.
    return systems if len(set(systems)) == len(systems) else [one.name for one in listings]


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
