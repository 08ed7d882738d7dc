"""Inspect: ``.eval`` logs (zip archives, packed with zstandard since 0.3.200) and ``.json`` logs.

Each log is one model on one task. A sample has one score for each scorer and epoch: C, P, I, N, a number, or several
numbers by name. Only the header and the summaries of an ``.eval`` log are read, not its transcripts.

Reference: UKGovernmentBEIS/inspect_ai, inspect_ai/log/_log.py and log/_recorders/eval.py.
"""

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.gathering import Run
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, read_document
from ladderboard.evals.readers.zstandard_zip import read_member

NAME = "Inspect logs"
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partly correct, incorrect, no answer: as Inspect turns them into numbers."""


def recognises(path: Path, opening: str) -> bool:
    """Whether a file is a log."""
    if path.suffix == ".eval":
        return zipfile.is_zipfile(path)
    return path.suffix == ".json" and all(key in opening for key in ('"version"', '"status"', '"eval"', '"task_id"'))


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[str]]:
    """A run for each finished log, and notes on what was left out."""
    runs, notes = [], []
    for path in paths:
        header, samples = _read_log(path)
        if header.get("status") != "success":
            notes.append(f"{path.name}: left out, its status is {header.get('status')!r}")
            continue
        runs.append(_read_run(path, header, samples, options, notes))
    if not runs:
        raise InputError(f"{paths[0].name}: no log has the status 'success'")
    return runs, notes


def _read_log(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if path.suffix != ".eval":
        document = read_document(path)
        return document, document.get("samples") or []
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            if "header.json" not in names or "summaries.json" not in names:
                return {"status": "started"}, []  # Inspect writes both when a task ends
            return json.loads(read_member(archive, "header.json")), json.loads(read_member(archive, "summaries.json"))
    except (zipfile.BadZipFile, ValueError, KeyError) as problem:
        raise InputError(f"{path.name} is no whole Inspect log: {problem}") from None


def _read_run(
    path: Path, header: dict[str, Any], samples: list[dict[str, Any]], options: ReadOptions, notes: list[str]
) -> Run:
    evaluation = header["eval"]
    scores: dict[str, list[float]] = {}
    graded, unread = set(), set()
    for row, sample in enumerate(samples):
        for name, value in _list_values(sample):
            number = GRADES.get(value) if isinstance(value, str) else as_number(value)
            if number is None:
                unread.add(name)
                continue
            if isinstance(value, str | bool):
                graded.add(name)
            scores.setdefault(name, [float("nan")] * len(samples))[row] = number
    if unread:
        notes.append(f"{path.name}: left out {', '.join(sorted(unread))}: neither C, P, I, N nor a number")
    if not scores:
        raise InputError(f"{path.name} has no score of its samples; was it run with --no-score?")
    column = options.groups_column
    return Run(
        system=str(evaluation["model"]),
        file=path.name,
        items=tuple(str(sample["id"]) for sample in samples),
        scores={name: np.array(numbers) for name, numbers in scores.items()},
        task=str(evaluation["task"]),
        higher_is_better=dict.fromkeys(graded | _find_accuracies(header), True),
        date=str(evaluation["created"]) if evaluation.get("created") else None,
        groups=None if column is None else tuple(_read_group(path, sample, column) for sample in samples),
    )


def _list_values(sample: dict[str, Any]) -> list[tuple[str, Any]]:
    """The name and value of every score of a sample."""
    found = []
    for scorer, score in (sample.get("scores") or {}).items():
        value = score.get("value")
        if isinstance(value, dict):
            found += [(f"{scorer}/{name}", part) for name, part in value.items()]
        else:
            found.append((scorer, value))
    return found


def _find_accuracies(header: dict[str, Any]) -> set[str]:
    """The scores of which Inspect computed an accuracy: higher is better."""
    scores = (header.get("results") or {}).get("scores") or []
    return {score["name"] for score in scores if "accuracy" in score.get("metrics", {})}


def _read_group(path: Path, sample: dict[str, Any], name: str) -> str:
    metadata = sample.get("metadata") or {}
    if name not in metadata:
        have = ", ".join(metadata) or "none"
        raise InputError(
            f"{path.name}: sample {sample['id']!r} has no metadata {name!r} (--groups-column); it has {have}"
        )
    return str(metadata[name])
