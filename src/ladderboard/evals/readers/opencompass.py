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
from ladderboard.evals.gathering import Run
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, read_document

NAME = "OpenCompass results"
FIELDS = ("correct", "is_correct", "cascade_correct")
"""In the order in which OpenCompass looks for them."""
_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)")


def recognises(path: Path, opening: str) -> bool:
    """Whether a file is a result of one model on one dataset."""
    if path.suffix != ".json" or not opening.lstrip().startswith("{"):
        return False
    return '"details"' in opening and any(
        word in opening for word in ('"pred', '"references"', '"answer"', '"correct"', '"example_abbr"')
    )


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[str]]:
    """A run for each file: whether each item was answered correctly."""
    if options.groups_column is not None:
        raise InputError(f"{paths[0].name}: OpenCompass's details have no groups; leave --groups-column out")
    return [_read_run(path) for path in paths], []


def _read_run(path: Path) -> Run:
    details = read_document(path)["details"]
    entries = dict(enumerate(details)) if isinstance(details, list) else details
    scores = [
        (str(entry.get("example_abbr", key)), score)
        for key, entry in entries.items()
        if isinstance(entry, dict)
        for score in _read_correct(path, str(key), entry)
    ]
    if not scores:
        raise InputError(f"{path.name}: its details have no items")
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
    given = next((entry[field] for field in FIELDS if entry.get(field) is not None), None)
    numbers = [as_number(value) for value in (given if isinstance(given, list) else [given])]
    known = [number for number in numbers if number is not None and not np.isnan(number)]
    if known and len(known) == len(numbers):
        return known
    raise InputError(
        f"{path.name}: the details of item {item!r} do not say whether it is correct; its evaluator writes no details "
        "of items (run OpenCompass with --dump-eval-details and an evaluator that does)"
    )


def _find_date(path: Path) -> str | None:
    """The date in the name of the folder of outputs."""
    for folder in path.parents:
        found = _DATE.fullmatch(folder.name)
        if found:
            year, month, day, hour, minute, second = found.groups()
            return f"{year}-{month}-{day}T{hour}:{minute}:{second}"
    return None
