"""OpenCompass: ``results/MODEL/DATASET.json``, written with details of every item.

Since 0.4 each detail has its fields as lists, one entry for each run over the dataset (``n`` in its configuration);
before, as single values. A folder of outputs is called by its date.

Reference: open-compass/opencompass 0.5.4, opencompass/tasks/openicl_eval.py and
openicl/icl_evaluator/icl_base_evaluator.py.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.left_out import Note, collect_left_out
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, find_top_keys, read_document
from ladderboard.evals.runs import Run

NAME = "OpenCompass results"
FIELDS = ("correct", "is_correct", "cascade_correct")
"""In the order in which OpenCompass looks for them."""
NO_SCORES = (
    "its details do not say which items are correct (run OpenCompass with --dump-eval-details and an evaluator that "
    "writes it)"
)
_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)")


def recognises(path: Path, opening: str) -> bool:
    """Whether a file is a result of one model on one dataset."""
    if path.suffix != ".json" or not opening.lstrip().startswith("{"):
        return False
    return "details" in find_top_keys(opening) and any(
        word in opening for word in ('"pred', '"references"', '"answer"', '"correct"', '"example_abbr"')
    )


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each file: whether each item was answered correctly."""
    if options.groups_column is not None:
        raise InputError(f"{paths[0].name}: OpenCompass's details have no groups; leave --groups-column out")
    runs, left = [], []
    for path in paths:
        entries = _read_entries(path)
        fault = _find_fault(entries)
        if fault is None:
            runs.append(_read_run(path, entries))
        else:
            left.append((f"{path.parent.name}/{path.name}", fault))
    if not runs:
        raise InputError(f"{left[0][0]}: {left[0][1]}")
    return runs, [*collect_left_out("file", left)]


def _read_entries(path: Path) -> dict[str, dict[str, Any]]:
    details = read_document(path)["details"]
    entries = dict(enumerate(details)) if isinstance(details, list) else details
    return {str(key): entry for key, entry in entries.items() if isinstance(entry, dict)}


def _find_fault(entries: dict[str, dict[str, Any]]) -> str | None:
    """Why the details of a file have no scores; None where they have."""
    if not entries:
        return "its details have no items"
    return None if any(_list_correct(entry) for entry in entries.values()) else NO_SCORES


def _read_run(path: Path, entries: dict[str, dict[str, Any]]) -> Run:
    scores = [
        (str(entry.get("example_abbr", key)), score)
        for key, entry in entries.items()
        for score in _read_correct(path, key, entry)
    ]
    return Run(
        system=path.parent.name,
        file=f"{path.parent.name}/{path.name}",
        items=tuple(item for item, _ in scores),
        scores={"correct": np.array([score for _, score in scores])},
        task=path.stem,
        higher_is_better={"correct": True},
        date=_find_date(path),
    )


def _read_correct(path: Path, item: str, entry: dict[str, Any]) -> list[float]:
    """A number for each run over the dataset."""
    known = _list_correct(entry)
    if known is None:
        raise InputError(f"{path.name}: the details of item {item!r} do not say whether it is correct, others do")
    return known


def _list_correct(entry: dict[str, Any]) -> list[float] | None:
    given = next((entry[field] for field in FIELDS if entry.get(field) is not None), None)
    numbers = [as_number(value) for value in (given if isinstance(given, list) else [given])]
    known = [number for number in numbers if number is not None and not np.isnan(number)]
    return known if known and len(known) == len(numbers) else None


def _find_date(path: Path) -> str | None:
    """The date in the name of the folder of outputs."""
    for folder in path.parents:
        found = _DATE.fullmatch(folder.name)
        if found:
            year, month, day, hour, minute, second = found.groups()
            return f"{year}-{month}-{day}T{hour}:{minute}:{second}"
    return None
