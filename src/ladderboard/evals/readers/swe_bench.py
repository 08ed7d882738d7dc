"""SWE-bench: reports of runs, results of submissions to its boards, and reports of single instances.

``MODEL.RUN.json`` of the harness lists every instance of the benchmark by its outcome. A submission to the boards has
``results/results.json``, which lists the resolved instances and need not name the others, or
``per_instance_details.json``, which has every instance. ``report.json`` is the outcome of one instance. Multi-SWE-bench
writes the first form as ``final_report.json``, whose folder is called after the system, and on its boards as
``results/results.json``, with the resolved instances under ``resolved``. Boards below ``evaluation`` are tasks.

Reference: SWE-bench/SWE-bench 5.0, swebench/harness/reporting.py and grading.py; SWE-bench/experiments;
multi-swe-bench/experiments.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.left_out import Note, collect_left_out
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import read_document
from ladderboard.evals.runs import Run

NAME = "SWE-bench reports"
ONLY_COUNTS = (
    "it counts the resolved instances and does not list them; it is a report before version 2 of the schema: run "
    "swebench.harness.run_evaluation again, it keeps the instances that are done"
)
FINAL = "final_report.json"
SAME = "the results of all instances of the same system are taken"
_DATED = re.compile(r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)_(?P<name>.+)")
_REPORT = re.compile(r'"resolved_ids"\s*:|"resolved_instances"\s*:')
_RESULTS = re.compile(r'"resolved"\s*:\s*\[')
_DETAILS = re.compile(r'\A\s*\{\s*"[^"]+"\s*:\s*\{[^{}]*?"resolved"\s*:\s*(true|false)')
_OUTCOMES = ("completed_ids", "incomplete_ids", "empty_patch_ids", "error_ids", "resolved_ids", "unresolved_ids")
"""Between them, every instance of the benchmark; ``submitted_ids`` may name others."""


@dataclass(frozen=True)
class _Listing:
    """What one file says of one system."""

    path: Path
    kind: Literal["report", "results", "details", "instance"]
    system: str
    """In a report the id of the run comes after it."""
    resolved: set[str]
    others: set[str]
    """Instances that were not resolved, as far as they are named."""
    is_whole: bool
    """Whether the instances are all of the benchmark."""
    never_tried: int = 0
    lacking: str = "no prediction for"
    board: str = ""
    """The folders between ``evaluation`` and the system's, such as ``java/verified``."""

    @property
    def named(self) -> set[str]:
        return self.resolved | self.others


def recognises(path: Path, opening: str) -> bool:
    """Whether a file says which instances one system resolved."""
    if path.suffix != ".json" or not opening.lstrip().startswith("{"):
        return False
    return any(pattern.search(opening) for pattern in (_REPORT, _RESULTS, _DETAILS))


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each system: 1 where an instance was resolved."""
    if options.groups_column is not None:
        raise InputError(f"{paths[0].name}: SWE-bench's reports have no groups; leave --groups-column out")
    read = [(path, _read_listing(path)) for path in paths]
    counted = [(str(path.relative_to(path.parents[1])), ONLY_COUNTS) for path, one in read if one is None]
    if len(counted) == len(read):
        raise InputError(f"{counted[0][0]}: {ONLY_COUNTS}")
    listings, notes = _merge_instances([one for _, one in read if one is not None])
    notes += collect_left_out("report", counted)
    listings = _name_systems(listings)
    notes += [
        f"{one.system}: {one.lacking} {one.never_tried} of {len(one.named)} instances, counted as not resolved"
        for one in listings
        if one.never_tried
    ]
    boards = sorted({one.board for one in listings})
    if len(boards) > 1 and options.item_count is not None:
        raise InputError(f"{boards[0]} and {boards[1]} are two boards, and --item-count is of one; give one of them")
    runs = []
    for board in boards:
        of_board, said = _read_board([one for one in listings if one.board == board], options)
        runs += of_board if len(boards) == 1 else [replace(run, task=board) for run in of_board]
        notes += said
    return runs, notes


def _read_board(listings: Sequence[_Listing], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """The runs of one board: over the instances that a file with all of them names."""
    whole = {instance for one in listings if one.is_whole for instance in one.named}
    notes: list[Note] = [
        f"{one.system}: {'no report' if one.kind == 'instance' else 'nothing said'} of {len(whole - one.named)} of "
        f"{len(whole)} instances, counted as not resolved"
        for one in listings
        if not one.is_whole and one.named < whole
    ]
    if options.item_count is None and whole and all(one.named <= whole for one in listings):
        return [_make_run(one, sorted(one.named if one.is_whole else whole)) for one in listings], notes
    items, note = _fill_up(listings, options)
    return [_make_run(one, items) for one in listings], [*notes, *note]


def _read_listing(path: Path) -> _Listing | None:
    """What a file says of one system; None where it counts the resolved instances and does not list them."""
    document: dict[str, Any] = read_document(path)
    if "resolved_instances" in document or "resolved_ids" in document:
        return _read_report(path, document)
    if isinstance(document.get("resolved"), list):
        resolved = set(document["resolved"])
        others = {instance for ids in document.values() if isinstance(ids, list) for instance in ids} - resolved
        return _Listing(
            path, "results", _find_folder(path).name, resolved, others, is_whole=False, board=_find_board(path)
        )
    resolved = {instance for instance, outcome in document.items() if outcome["resolved"]}
    others = set(document) - resolved
    if len(document) == 1 and path.parent.name in document:
        return _Listing(path, "instance", _find_folder(path.parent).name, resolved, others, is_whole=False)
    return _Listing(path, "details", path.parent.name, resolved, others, is_whole=True, board=_find_board(path))


def _read_report(path: Path, document: dict[str, Any]) -> _Listing | None:
    resolved = next(
        (document[key] for key in ("resolved_ids", "resolved") if isinstance(document.get(key), list)), None
    )
    if resolved is None:
        return None
    named = {instance for name in _OUTCOMES for instance in document.get(name, ())} | set(resolved)
    total = document.get("total_instances", len(named))
    if len(named) < total:  # a report of another program, or a part of the lists was cut out
        named |= set(document.get("submitted_ids", ()))
    others, never = named - set(resolved), len(document.get("incomplete_ids", ()))
    is_final = path.name == FINAL
    is_of_folder = is_final or path.name == "results.json"
    return _Listing(
        path,
        "results" if is_of_folder else "report",
        _find_folder(path).name if is_of_folder else path.name.removesuffix(".json"),
        set(resolved),
        others,
        is_whole=len(named) >= total,
        never_tried=never,
        lacking="no report could be made of" if is_final else "no prediction for",
        board=_find_board(path),
    )


def _find_board(path: Path) -> str:
    parts = _find_folder(path).parts
    return "/".join(parts[parts.index("evaluation") + 1 : -1]) if "evaluation" in parts else ""


def _find_folder(path: Path) -> Path:
    """The folder that has the system's name: not one that is called after its content."""
    folder = path.parent
    while folder.name in ("results", "logs", "evaluation", "output"):
        folder = folder.parent
    return folder


def _merge_instances(listings: list[_Listing]) -> tuple[list[_Listing], list[Note]]:
    """One listing for each system of which there are reports of single instances, unless it has one of them all."""
    sums = [one for one in listings if one.kind != "instance"]
    beside: list[tuple[str, str]] = []
    merged: dict[str, _Listing] = {}
    for one in listings:
        if one.kind != "instance":
            continue
        if any(f"{whole.system}.".startswith(f"{one.system}.") for whole in sums):  # MODEL.RUN.json of this MODEL
            beside.append((f"{one.system}/{one.path.parent.name}/{one.path.name}", SAME))
            continue
        known = merged.get(one.system, one)
        merged[one.system] = replace(known, resolved=known.resolved | one.resolved, others=known.others | one.others)
    return [*sums, *merged.values()], [*collect_left_out("report", beside)]


def _name_systems(listings: Sequence[_Listing]) -> list[_Listing]:
    """Reports are called MODEL.RUN.json, and both may have dots; runs of one id end alike."""
    reports = [one.system.split(".") for one in listings if one.kind == "report"]
    shared = 0
    while (
        len(reports) > 1 and min(map(len, reports)) > shared + 1 and len({name[-1 - shared] for name in reports}) == 1
    ):
        shared += 1
    systems = [
        ".".join(one.system.split(".")[: -max(1, shared)]) if one.kind == "report" and "." in one.system else one.system
        for one in listings
    ]
    if len(set(systems)) < len(systems):
        return list(listings)  # several runs of one model are told apart by their ids
    return [replace(one, system=system) for one, system in zip(listings, systems, strict=True)]


def _fill_up(listings: Sequence[_Listing], options: ReadOptions) -> tuple[list[str], list[str]]:
    """Every instance: those that are named, and as many that nobody resolved as make up the declared number."""
    named, file = sorted({instance for one in listings for instance in one.named}), listings[0].path.name
    if options.item_count is None:
        raise InputError(
            f"{file} lists {len(named)} instances and not those that no system resolved; say how many the benchmark "
            "has, such as --item-count 500 for SWE-bench Verified (in Python: item_count=)"
        )
    if options.item_count < len(named):
        raise InputError(f"{file}: {len(named)} instances are named, more than --item-count {options.item_count}")
    unnamed = options.item_count - len(named)
    note = f"{unnamed} of {options.item_count} instances are named in no file: they count as resolved by no system"
    return [*named, *(f"not named {number + 1}" for number in range(unnamed))], [note] * bool(unnamed)


def _make_run(one: _Listing, items: Sequence[str]) -> Run:
    dated = _DATED.fullmatch(one.system)
    return Run(
        system=dated["name"] if dated else one.system,
        file=one.path.name,
        items=tuple(items),
        scores={"resolved": np.array([float(item in one.resolved) for item in items])},
        higher_is_better={"resolved": True},
        date=f"{dated['year']}-{dated['month']}-{dated['day']}" if dated else None,
    )
