"""lm-evaluation-harness: ``samples_TASK_DATE.jsonl`` beside ``results_DATE.json``, a folder for each model.

A line of a samples file is one document after one filter, with the names of its scores in ``metrics`` and each score
under its own name. The results file has the model's name and the direction of each score; with ``--output_path
NAME.json`` it is called ``NAME_DATE.json``. Until July 2024 samples were an array in a ``.json`` file without
``metrics`` and ``filter``: so are the details of the Open LLM Leaderboard of that time.

Reference: EleutherAI/lm-evaluation-harness 0.4.13, lm_eval/evaluator.py and loggers/evaluation_tracker.py.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.evals.gathering import Run
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, read_document, read_lines, read_opening

NAME = "lm-evaluation-harness samples"
_FILE = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl?")
_FIELDS = ('"doc_id"', '"filtered_resps"', '"target"')
_NO_SCORES = frozenset(
    (
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "input"),
        *("doc_hash", "prompt_hash", "target_hash"),
    )
)
"""The fields of a document; in files without ``metrics`` all others are scores."""


def recognises(path: Path, opening: str) -> bool:
    """Whether a file is one of samples."""
    return path.suffix in (".jsonl", ".json") and all(field in opening for field in _FIELDS)


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[str]]:
    """A run for each file of samples, and notes on what was left out."""
    notes: list[str] = []
    files = [_find_file(path) for path in paths]
    _refuse_nameless(files)
    return [_read_run(file, options, notes) for file in files], notes


@dataclass(frozen=True)
class _File:
    """A file of samples, with what its name and its results file say of it."""

    path: Path
    task: str
    date: str | None
    results: dict[str, Any]


def _find_file(path: Path) -> _File:
    named = _FILE.fullmatch(path.name)
    if named is None:
        return _File(path, path.stem.removeprefix("samples_"), None, {})
    return _File(path, named["task"], named["date"], _read_results(path, named["date"]))


def _refuse_nameless(files: Sequence[_File]) -> None:
    """Refuse two files on one task in one folder that do not say of which model they are."""
    seen: dict[tuple[Path, str], Path] = {}
    for file in files:
        first = seen.setdefault((file.path.parent, file.task), file.path)
        if first != file.path and not file.results.get("model_name"):
            raise InputError(
                f"{first.name} and {file.path.name} lie in one folder without the results_….json that names their "
                "model; put it beside them, or each model into a folder of its own name"
            )


def _read_run(file: _File, options: ReadOptions, notes: list[str]) -> Run:
    documents = _read_documents(file.path, options)
    numbers = _make_scores(documents.scores, len(documents.items))
    unread = sorted(documents.not_numbers)
    if unread:
        notes.append(f"{file.path.name}: left out {', '.join(unread)}: not one number for each document")
    if not numbers:
        raise InputError(f"{file.path.name} has no score that is one number for each document")
    said = file.results.get("higher_is_better", {}).get(file.task, {})
    known = {name: said.get(_strip_filter(name)) for name in numbers}
    return Run(
        system=str(file.results.get("model_name") or file.path.parent.name),
        file=file.path.name,
        items=tuple(documents.items),
        scores=numbers,
        task=file.task,
        higher_is_better={name: bool(higher) for name, higher in known.items() if higher is not None},
        date=None if file.date is None else _format_date(file.date),
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
        self.scores: dict[str, dict[int, float]] = {}
        self.not_numbers: set[str] = set()


def _read_documents(path: Path, options: ReadOptions) -> _Documents:
    found = _Documents()
    for record in _read_records(path):
        item, filtered = str(record["doc_id"]), record.get("filter", "none")
        names = record["metrics"] if "metrics" in record else [name for name in record if name not in _NO_SCORES]
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
            elif found.scores.setdefault(key, {}).setdefault(row, number) != number:
                raise InputError(
                    f"{path.name}: document {item} has two values of {key}; was it written with several filters by an "
                    "lm-eval before 0.4.3, or are two files joined? Run lm_eval again"
                )
    return found


def _read_records(path: Path) -> Iterable[dict[str, Any]]:
    """The documents of a file, an array or one in each line."""
    if path.suffix == ".jsonl" or not read_opening(path).lstrip().startswith("["):
        return read_lines(path)
    found: list[dict[str, Any]] = read_document(path)
    return found


def _make_scores(found: dict[str, dict[int, float]], count: int) -> dict[str, FloatArray]:
    scores = {}
    for name, numbers in found.items():
        scores[name] = np.full(count, np.nan)
        scores[name][list(numbers)] = list(numbers.values())
    return scores


def _read_field(path: Path, record: dict[str, Any], name: str) -> str:
    document = record.get("doc")
    if not isinstance(document, dict) or name not in document:
        fields = ", ".join(document) if isinstance(document, dict) else "none"
        raise InputError(f"{path.name}: a document has no field {name!r} (--groups-column); it has {fields}")
    return str(document[name])


def _read_results(samples: Path, date: str) -> dict[str, Any]:
    """The results file that was written with these samples; empty where it is not there."""
    for path in sorted(samples.parent.glob(f"*_{date}.json")):
        document = read_document(path) if not path.name.startswith("samples_") else None
        if isinstance(document, dict) and "results" in document:
            return document
    return {}


def _strip_filter(score: str) -> str:
    """The name of a score without that of its filter."""
    return score.split(",", maxsplit=1)[0]


def _format_date(date: str) -> str:
    day, _, time = date.partition("T")
    return f"{day}T{time.replace('-', ':')}"
