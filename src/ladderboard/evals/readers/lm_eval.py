"""lm-evaluation-harness: ``samples_TASK_DATE.jsonl`` beside ``results_DATE.json``, a folder for each model.

A line of a samples file is one document after one filter, with the names of its scores in ``metrics`` and each score
under its own name. The results file has the model's name and the direction of each score.

Reference: EleutherAI/lm-evaluation-harness, lm_eval/loggers/evaluation_tracker.py (0.4).
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.gathering import Run
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, read_document, read_lines

NAME = "lm-evaluation-harness samples"
_FILE = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl")
_FIELDS = ('"doc_id"', '"filtered_resps"', '"target"')


def recognises(path: Path, opening: str) -> bool:
    """Whether a file is one of samples."""
    return path.suffix == ".jsonl" and all(field in opening for field in _FIELDS)


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[str]]:
    """A run for each file of samples, and notes on what was left out."""
    notes: list[str] = []
    return [_read_run(path, options, notes) for path in paths], notes


def _read_run(path: Path, options: ReadOptions, notes: list[str]) -> Run:
    named = _FILE.fullmatch(path.name)
    date = named["date"] if named else None
    task = named["task"] if named else path.stem.removeprefix("samples_")
    results = _read_results(path, date)
    documents = _read_documents(path, options)
    numbers = _make_scores(documents.scores, len(documents.items))
    unread = sorted(documents.not_numbers)
    if unread:
        notes.append(f"{path.name}: left out {', '.join(unread)}: not one number for each document")
    if not numbers:
        raise InputError(f"{path.name} has no score that is one number for each document")
    said = results.get("higher_is_better", {}).get(task, {})
    return Run(
        system=str(results.get("model_name") or path.parent.name),
        file=path.name,
        items=tuple(documents.items),
        scores=numbers,
        task=task,
        higher_is_better={name: bool(said[_strip_filter(name)]) for name in numbers if _strip_filter(name) in said},
        date=None if date is None else _format_date(date),
        contents=tuple(documents.contents) if len(documents.contents) == len(documents.items) else None,
        groups=tuple(documents.groups) or None,
    )


class _Documents:
    """The documents of one file, in the order in which they first come."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.items: list[str] = []
        self.contents: list[str] = []
        self.groups: list[str] = []
        self.scores: dict[str, list[tuple[int, float]]] = {}
        self.not_numbers: set[str] = set()


def _read_documents(path: Path, options: ReadOptions) -> _Documents:
    found = _Documents()
    for record in read_lines(path):
        try:
            item = str(record["doc_id"])
            filtered, names = record.get("filter", "none"), record["metrics"]
        except KeyError as absent:
            raise InputError(f"{path.name}: a line has no {absent}; was it written by lm-eval before 0.4.3?") from None
        row = found.rows.get(item)
        if row is None:
            row = found.rows[item] = len(found.items)
            found.items.append(item)
            if "doc_hash" in record:
                found.contents.append(record["doc_hash"])
            if options.groups_column is not None:
                found.groups.append(_read_field(path, record, options.groups_column))
        for name in names:
            number = as_number(record.get(name))
            key = name if filtered == "none" else f"{name},{filtered}"
            if number is None:
                found.not_numbers.add(key)
            else:
                found.scores.setdefault(key, []).append((row, number))
    return found


def _make_scores(
    pairs: dict[str, list[tuple[int, float]]], count: int
) -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    scores = {}
    for name, found in pairs.items():
        scores[name] = np.full(count, np.nan)
        scores[name][[row for row, _ in found]] = [number for _, number in found]
    return scores


def _read_field(path: Path, record: dict[str, Any], name: str) -> str:
    document = record.get("doc")
    if not isinstance(document, dict) or name not in document:
        fields = ", ".join(document) if isinstance(document, dict) else "none"
        raise InputError(f"{path.name}: a document has no field {name!r} (--groups-column); it has {fields}")
    return str(document[name])


def _read_results(samples: Path, date: str | None) -> dict[str, Any]:
    """The results file that was written with these samples; empty where it is not there."""
    path = samples.with_name(f"results_{date}.json")
    document = read_document(path) if path.is_file() else {}
    return document if isinstance(document, dict) else {}


def _strip_filter(score: str) -> str:
    """The name of a score without that of its filter."""
    return score.split(",", maxsplit=1)[0]


def _format_date(date: str) -> str:
    day, _, time = date.partition("T")
    return f"{day}T{time.replace('-', ':')}"
