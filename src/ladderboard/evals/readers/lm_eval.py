"""lm-evaluation-harness: ``samples_TASK_DATE.jsonl`` beside ``results_DATE.json``, a folder for each model.

A line of a samples file is one document after one filter, with the names of its scores in ``metrics`` and each score
under its own name. The results file has the model's name and the direction of each score; with ``--output_path
NAME.json`` it is called ``NAME_DATE.json``. Until July 2024 samples were an array in a ``.json`` file without
``metrics`` and ``filter``: so are the details of the Open LLM Leaderboard of that time.

What stands under a score's name need not be that score. Under ``perplexity`` each document has its log-likelihood,
which points the other way; under ``bleu`` or ``word_perplexity`` it has parts of a sum, which are left out. So each
mean is compared with the number in the results file, whose direction holds only where the two agree.

Reference: EleutherAI/lm-evaluation-harness 0.4.13, lm_eval/evaluator.py, api/task.py (process_results) and
loggers/evaluation_tracker.py; compared with files that this version wrote.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.evals.left_out import Note, collect_left_out
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import (
    as_number,
    find_top_keys,
    is_log_likelihood,
    read_document,
    read_lines,
    read_opening,
)
from ladderboard.evals.readers.leaderboard_files import find_limit
from ladderboard.evals.readers.settings import read_arguments, tell_apart
from ladderboard.evals.runs import Run

NAME = "lm-evaluation-harness samples"
_FILE = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl?")
_RANDOM_NAME = re.compile(r"[a-z0-9]{8}")
"""lm-eval's name for a model without one in its arguments; runs with the same seed have the same."""
_SAME_MODEL = frozenset(
    (
        *("batch_size", "max_batch_size", "device", "device_map", "parallelize", "trust_remote_code", "cache_dir"),
        *("tensor_parallel_size", "data_parallel_size", "gpu_memory_utilization", "num_concurrent", "max_retries"),
        *("timeout", "base_url", "header", "api_key", "token", "auth_token", "use_auth_token"),
    )
)
"""Arguments that make no other model of it, or that nobody should read."""
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
    if is_returned(opening):
        return False
    return path.suffix in (".jsonl", ".json") and all(field in opening for field in _FIELDS)


def is_returned(opening: str) -> bool:
    """Whether a file is what ``simple_evaluate`` returned, with results and samples in one object."""
    return {"results", "group_subtasks", "samples"} <= set(find_top_keys(opening))


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each file of samples, and notes on what was left out."""
    notes: list[Note] = []
    left: list[tuple[str, str]] = []
    files = [_find_file(path) for path in paths]
    _refuse_nameless(files)
    systems = tell_apart(
        [file.model for file in files], [file.settings for file in files], within=[file.task for file in files]
    )
    named = zip(files, systems, strict=True)
    runs = [_read_run(file, system, options, notes, left) for file, system in named]
    unscored = [
        (f"{run.file}: {run.name}", "none of its scores is one number for each document")
        for run in runs
        if not run.scored
    ]
    if len(unscored) == len(runs):
        raise InputError(f"{files[0].path.name} has no score that is one number for each document")
    notes += [*collect_left_out("score", left), *collect_left_out("run", unscored)]
    return [run for run in runs if run.scored], notes


def list_samples(paths: Sequence[Path]) -> set[tuple[Path, str, str | None]]:
    """The folder, the task and the date of each file of samples, as its name has them."""
    found = ((path.parent, _FILE.fullmatch(path.name)) for path in paths)
    return {(folder, named["task"], named["date"]) for folder, named in found if named}


@dataclass(frozen=True)
class _File:
    """A file of samples, with what its name and its results file say of it."""

    path: Path
    task: str
    date: str | None
    results: dict[str, Any]

    @property
    def model(self) -> str:
        """Its name in the results file, else the folder's; the kind of model where lm-eval made up a name."""
        name = str(self.results.get("model_name") or self.path.parent.name)
        is_made_up = _RANDOM_NAME.fullmatch(name) and name not in self.arguments.values()
        return str(self.results.get("model_source") or name) if is_made_up else name

    @property
    def settings(self) -> dict[str, str]:
        """The arguments that can make another model of it, such as ``revision``."""
        return {key: value for key, value in self.arguments.items() if key not in _SAME_MODEL}

    @property
    def arguments(self) -> dict[str, str]:
        """Those of the model, ``pretrained=org/one,revision=main``."""
        return read_arguments(self.results)


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


def _read_run(file: _File, system: str, options: ReadOptions, notes: list[Note], left: list[tuple[str, str]]) -> Run:
    documents = _read_documents(file.path, options)
    numbers = _make_scores(documents.scores, len(documents.items))
    left += [(f"{name} of {file.task}", "not one number for each document") for name in sorted(documents.not_numbers)]
    return Run(
        system=system,
        file=file.path.name,
        items=tuple(documents.items),
        scores=numbers,
        task=file.task,
        higher_is_better=_find_directions(file, numbers, notes),
        date=None if file.date is None else _format_date(file.date),
        contents=tuple(documents.contents) if len(documents.contents) == len(documents.items) else None,
        groups=tuple(documents.groups) or None,
        limit=find_limit(file.results, file.task),
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
        column = np.full(count, np.nan)
        column[list(numbers)] = list(numbers.values())
        if is_log_likelihood(_strip_filter(name), column):
            scores[name.replace("perplexity", "log_likelihood", 1)] = column
        else:
            scores[name] = column
    return scores


def _find_directions(file: _File, scores: dict[str, FloatArray], notes: list[Note]) -> dict[str, bool]:
    """What the results file says of "higher is better"; not of scores that are no means of their documents."""
    said = file.results.get("higher_is_better", {}).get(file.task, {})
    aggregates = file.results.get("results", {}).get(file.task, {})
    known = {}
    for name, numbers in scores.items():
        higher, aggregate = said.get(_strip_filter(name)), aggregates.get(name if "," in name else f"{name},none")
        if not _is_mean(aggregate, numbers):
            notes.append(
                f"{file.path.name}: lm-eval's own {name} is {aggregate:.4g}, not the mean of the documents' numbers, "
                f"{np.nanmean(numbers):.4g}; the mean is taken here"
            )
        elif higher is not None:
            known[name] = bool(higher)
    return known


def _is_mean(aggregate: Any, numbers: FloatArray) -> bool:
    """Whether a score in the results file is the mean of the documents' numbers, or there is none."""
    score, given = as_number(aggregate), numbers[~np.isnan(numbers)]
    if score is None or math.isnan(score) or not len(given):
        return True
    return math.isclose(score, given.mean(), rel_tol=1e-6, abs_tol=1e-9)


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
