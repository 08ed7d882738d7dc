"""Inspect: ``.eval`` logs (zip archives, packed with zstandard since 0.3.200) and ``.json`` logs.

Each log is one model on one task. A sample has one score for each scorer and epoch: C, P, I, N, yes, no, a number, or
several numbers by name. Only the header and the summaries of an ``.eval`` log are read, not its transcripts. Runs of
one model with different settings are different systems, and runs of one task with different arguments different tasks.

Reference: UKGovernmentBEIS/inspect_ai 0.3.285, log/_log.py, log/_recorders/eval.py and scorer/_metric.py.
"""

import json
import math
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.left_out import Note, collect_left_out
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, find_top_keys, read_document
from ladderboard.evals.readers.settings import tell_apart
from ladderboard.evals.readers.zstandard_zip import read_member
from ladderboard.evals.runs import Run

NAME = "Inspect logs"
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partly correct, incorrect, no answer: as Inspect turns them into numbers."""
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""In any case, as in Inspect."""


@dataclass(frozen=True, eq=False)
class _Log:
    """What is needed of one finished log."""

    path: Path
    header: dict[str, Any]
    samples: list[dict[str, Any]]

    @property
    def evaluation(self) -> dict[str, Any]:
        found: dict[str, Any] = self.header["eval"]
        return found

    @property
    def model(self) -> str:
        return str(self.evaluation["model"])

    @property
    def task(self) -> str:
        return str(self.evaluation["task"])

    @property
    def settings(self) -> dict[str, Any]:
        """What a user may have set for the model."""
        parts = [self.evaluation.get(name) or {} for name in ("model_args", "model_generate_config", "solver_args")]
        return {"solver": self.evaluation.get("solver"), **{key: part[key] for part in parts for key in part}}

    @property
    def arguments(self) -> dict[str, Any]:
        """Those of the task."""
        return self.evaluation.get("task_args") or {}

    @property
    def limit(self) -> int | None:
        """How many samples of the dataset were run, where these are not all."""
        run = len({sample["id"] for sample in self.samples})
        total = (self.evaluation.get("dataset") or {}).get("samples") or 0
        return run if run < total and (self.evaluation.get("config") or {}).get("limit") is not None else None


def recognises(path: Path, opening: str) -> bool:
    """Whether a file is a log."""
    if path.suffix == ".eval":
        return zipfile.is_zipfile(path)
    if path.suffix != ".json" or '"task_id"' not in opening:
        return False
    keys = set(find_top_keys(opening))  # of the log itself: an index of logs has them inside
    return {"status", "eval"} <= keys and not keys.isdisjoint({"version", "plan"})


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each finished log, and notes on what was left out."""
    logs: list[_Log] = []
    notes: list[Note] = []
    left: list[tuple[str, str]] = []
    for path in paths:
        header, samples = _read_log(path)
        log = _Log(path, header, samples)
        reason = _find_fault(log)
        if reason is not None:
            left.append((path.name, reason))
            continue
        logs.append(log)
        if header.get("invalidated"):
            notes.append(
                f"{path.name}: some of its samples were marked as invalid; their scores are taken all the same"
            )
    if not logs:
        alone = "" if len(left) == 1 else f"none of {len(left)} logs has results; "
        raise InputError(f"{alone}{left[0][0]}: {left[0][1]}")
    notes += collect_left_out("log", left)
    tasks = tell_apart([log.task for log in logs], [log.arguments for log in logs])
    models = [log.model for log in logs]
    systems = tell_apart(models, [log.settings for log in logs], within=tasks)
    named = zip(logs, systems, tasks, strict=True)
    return [_read_run(log, system, task, options, notes) for log, system, task in named], notes


def _find_fault(log: _Log) -> str | None:
    """Why a log has no results; None where it has."""
    if log.header.get("status") != "success":
        return f"the status is {log.header.get('status')!r}, not 'success'"
    has_score = any(_read_value(value) is not None for sample in log.samples for _, value in _list_values(sample))
    return None if has_score else "no sample has a score; was it run with --no-score?"


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
        raise InputError(f"{path.name} is not a complete Inspect log: {problem}") from None


def _read_run(log: _Log, system: str, task: str, options: ReadOptions, notes: list[Note]) -> Run:
    scores: dict[str, list[float]] = {}
    graded, unread = set(), set()
    for row, sample in enumerate(log.samples):
        for name, value in _list_values(sample):
            number = _read_value(value)
            if number is None:
                unread.add(name)
                continue
            if isinstance(value, bool) or (isinstance(value, str) and not _is_number(value)):
                graded.add(name)
            scores.setdefault(name, [float("nan")] * len(log.samples))[row] = number
    notes += [
        f"{log.path.name}: {name} has values that are neither C, P, I, N nor a number; "
        f"{'they count as missing' if name in scores else 'it is left out'}"
        for name in sorted(unread)
    ]
    column = options.groups_column
    return Run(
        system=system,
        file=log.path.name,
        items=tuple(str(sample["id"]) for sample in log.samples),
        scores={name: np.array(numbers) for name, numbers in scores.items()},
        task=task,
        higher_is_better=dict.fromkeys(graded | _find_accuracies(log.header), True),
        date=str(log.evaluation["created"]) if log.evaluation.get("created") else None,
        groups=None if column is None else tuple(_read_group(log.path, sample, column) for sample in log.samples),
        limit=log.limit,
    )


def _read_value(value: Any) -> float | None:
    """A value as Inspect turns it into a number; None for what it could not turn."""
    if not isinstance(value, str):
        return as_number(value)
    if value in GRADES:
        return GRADES[value]
    return float(value) if _is_number(value) else WORDS.get(value.lower())


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _list_values(sample: dict[str, Any]) -> list[tuple[str, Any]]:
    """The name and value of every score of a sample."""
    found = []
    # Old logs have one score, without its scorer's name.
    scores = {"score": sample["score"]} if sample.get("score") else sample.get("scores") or {}
    for scorer, score in scores.items():
        value = score.get("value")
        if isinstance(value, dict):
            found += [(f"{scorer}/{name}", part) for name, part in value.items()]
        else:
            found.append((scorer, value))
    return found


def _find_accuracies(header: dict[str, Any]) -> set[str]:
    """The scores of which Inspect computed an accuracy: higher is better. Those of several numbers have two names."""
    scores = (header.get("results") or {}).get("scores") or []
    graded = [score for score in scores if "accuracy" in score.get("metrics", {})]
    return {name for score in graded for name in (score["name"], f"{score.get('scorer')}/{score['name']}")}


def _read_group(path: Path, sample: dict[str, Any], name: str) -> str:
    metadata = sample.get("metadata") or {}
    if name not in metadata:
        have = ", ".join(metadata) or "none"
        raise InputError(
            f"{path.name}: sample {sample['id']!r} has no metadata {name!r} (--groups-column); it has {have}"
        )
    return str(metadata[name])
