"""OpenCompass: ``results/MODEL/DATASET.json``, written with details of every item.

Reference: open-compass/opencompass, opencompass/tasks/openicl_eval.py.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.gathering import Run
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, read_document

NAME = "OpenCompass results"
FIELDS = ("correct", "is_correct")


def recognises(path: Path, opening: str) -> bool:
    """Whether a file is a result of one model on one dataset."""
    if path.suffix != ".json" or not opening.lstrip().startswith("{"):
        return False
    return '"details"' in opening and any(
        word in opening for word in ('"pred', '"references"', '"answer"', '"correct"')
    )


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[str]]:
    """A run for each file: whether each item was answered correctly."""
    if options.groups_column is not None:
        raise InputError(f"{paths[0].name}: OpenCompass's details have no groups; leave --groups-column out")
    return [_read_run(path) for path in paths], []


def _read_run(path: Path) -> Run:
    details = read_document(path)["details"]
    entries = dict(enumerate(details)) if isinstance(details, list) else details
    items = {
        str(item): _read_correct(path, str(item), entry) for item, entry in entries.items() if isinstance(entry, dict)
    }
    if not items:
        raise InputError(f"{path.name}: its details have no items")
    return Run(
        system=path.parent.name,
        file=f"{path.parent.name}/{path.name}",
        items=tuple(items),
        scores={"correct": np.array(list(items.values()))},
        task=path.stem,
        higher_is_better={"correct": True},
    )


def _read_correct(path: Path, item: str, entry: dict[str, Any]) -> float:
    for field in FIELDS:
        if field in entry:
            number = as_number(entry[field])
            if number is not None:
                return number
    raise InputError(
        f"{path.name}: the details of item {item!r} do not say whether it is correct; its evaluator writes no details "
        "of items (run OpenCompass with --dump-eval-details and an evaluator that does)"
    )
