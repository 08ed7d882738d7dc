"""Scorecards: files of a program that nobody has written.

``SYSTEM_TASK_HOUR.json`` has the program's mark, the system, the task, the hour and a score for each item, which is
null where nothing was scored.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.left_out import Note, collect_left_out
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import read_document
from ladderboard.evals.runs import Run

NAME = "scorecards"
MARK = '"made_by": "scorecard"'
UNSCORED = "it has no scores"


def recognises(path: Path, opening: str) -> bool:
    """Whether a file is a scorecard."""
    return path.suffix == ".json" and MARK in opening


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each file; those without scores are left out by name."""
    if options.groups_column is not None:
        raise InputError(f"{paths[0].name}: scorecards have no groups; leave --groups-column out")
    read = {path: _read_run(path) for path in paths}
    unscored = [(path.name, UNSCORED) for path, run in read.items() if run is None]
    if len(unscored) == len(read):
        raise InputError(f"{unscored[0][0]}: {UNSCORED}; run the program again with its scorer")
    notes: list[Note] = [*collect_left_out("file", unscored)]
    return [run for run in read.values() if run is not None], notes


def write_card(folder: Path, system: str, task: str, scores: Sequence[float | None], hour: int) -> Path:
    """Write a scorecard, as the program would."""
    card = {"made_by": "scorecard", "system": system, "task": task, "hour": hour}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{system}_{task}_{hour}.json"
    path.write_text(json.dumps(card | {"scores": {f"q{item}": score for item, score in enumerate(scores)}}))
    return path


def _read_run(path: Path) -> Run | None:
    card = read_document(path)
    scores = np.array(list(card["scores"].values()), dtype=np.float64)
    if np.isnan(scores).all():
        return None
    return Run(
        system=card["system"],
        file=path.name,
        items=tuple(card["scores"]),
        scores={"score": scores},
        task=card["task"],
        higher_is_better={"score": True},
        date=f"{card['hour']:02}",
    )
