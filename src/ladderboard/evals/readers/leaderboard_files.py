"""Files with one number for each task: results of the Hugging Face leaderboards, and of lm-eval without samples.

Both are JSON with ``results``: task → scores. No item is known, so each task counts as one item: the ranges then say
which systems would lead on other tasks like these. Aggregates of tasks ("all", groups) are left out. A system's tasks
may stand in several files; ``n-samples``, or ``config_tasks`` in older files, says how much of a task was run.

Reference: open-llm-leaderboard/results on the Hugging Face Hub; EleutherAI/lm-evaluation-harness 0.4.13.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.left_out import LeftOut, Note, collect_left_out
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, find_top_keys, read_document
from ladderboard.evals.readers.settings import read_arguments, tell_apart
from ladderboard.evals.runs import Run

NAME = "results of lm-eval or a Hugging Face leaderboard"
AGGREGATE = "an aggregate of other tasks"
NOT_ASKED = "the task has none of the scores that were asked for (--metric)"
NO_SAMPLES = "the samples of these runs are not here, so no items (lm_eval --log_samples writes them)"
_DATE = re.compile(r"(?:results|.+)_(?P<date>\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d(?:\.\d+)?)\.json")


@dataclass(frozen=True)
class _Result:
    """One score of one task in one file."""

    path: Path
    system: str
    task: str
    score: str
    number: float
    higher_is_better: bool | None
    date: str | None
    limit: int | None
    settings: dict[str, Any]
    """The revision of the model: another one is another system."""


def recognises(path: Path, opening: str) -> bool:
    """Whether a file holds results of tasks."""
    if path.suffix != ".json" or not opening.lstrip().startswith("{"):
        return False
    if "samples" in find_top_keys(opening):
        return False  # lm-eval's return value, whose items are there
    return '"results"' in opening and any(
        key in opening for key in ('"config_general"', '"group_subtasks"', '"versions"', '"configs"')
    )


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each task of each file: the task is its only item."""
    if options.groups_column is not None:
        raise InputError(f"{paths[0].name} has results of tasks only; leave --groups-column out")
    left: list[tuple[str, str]] = []
    results = [result for path in paths for result in _read_file(path, options, left)]
    if not results:
        raise InputError(
            f"{paths[0].name}: no task has a score" + " that was asked for (--metric)" * bool(options.metric)
        )
    name = "|".join(sorted({result.score for result in results}))
    higher = _find_direction(results)
    systems = tell_apart(
        [result.system for result in results],
        [result.settings for result in results],
        within=[result.task for result in results],
    )
    runs = [_make_run(result, system, name, higher) for result, system in zip(results, systems, strict=True)]
    tasks = len({result.task for result in results})
    note = (
        f"no items are known: each of {tasks} tasks counts as one item, so the ranges speak of other tasks like these "
        "(lm_eval --log_samples writes the items)"
    )
    return runs, [note, *collect_left_out("task", left)]


def list_without_samples(paths: Sequence[Path], samples: set[tuple[Path, str, str | None]]) -> list[LeftOut]:
    """The systems and tasks of results files of which there are no samples, given by folder, task and date.

    Samples in a folder without results may be those of any; else two models of one date would be taken for one.
    """
    folders = {path.parent for path in paths}
    known = {(folder if folder in folders else None, task, date) for folder, task, date in samples}
    found = []
    for path in paths:
        document = read_document(path)
        named = _DATE.fullmatch(path.name)
        date = named["date"] if named else None
        if not isinstance(document.get("results"), dict):
            found.append((path.name, "its results are no object of tasks"))
            continue
        absent = [task for task in document["results"] if not {(path.parent, task, date), (None, task, date)} & known]
        aggregates, system = _list_aggregates(document), _find_system(path, document)
        found += [(f"{path.name}: {system} on {task}", NO_SAMPLES) for task in absent if task not in aggregates]
    return collect_left_out("result", found)


def find_limit(document: dict[str, Any], task: str) -> int | None:
    """How many samples of a task were run, where the file says that these are not all."""
    counts = (document.get("n-samples") or {}).get(task) or {}
    total, run = counts.get("original"), counts.get("effective")
    if total is None:  # as the Open LLM Leaderboard wrote until 2024
        counts = (document.get("config_tasks") or {}).get(task) or {}
        total, run = counts.get("original_num_docs"), counts.get("effective_num_docs")
    if isinstance(total, int) and isinstance(run, int):
        return run if run < total else None
    limit = (document.get("config") or {}).get("limit") or (document.get("config_general") or {}).get("max_samples")
    return int(limit) if isinstance(limit, int | float) and limit >= 1 else None


def _read_file(path: Path, options: ReadOptions, left: list[tuple[str, str]]) -> list[_Result]:
    document: dict[str, Any] = read_document(path)
    system, date = _find_system(path, document), _find_date(path, document)
    aggregates, higher = _list_aggregates(document), document.get("higher_is_better", {})
    revision = read_arguments(document).get("revision")
    settings = {} if revision is None else {"revision": revision}
    found = []
    for task, results in document["results"].items():
        if task in aggregates:
            left.append((task, AGGREGATE))
            continue
        score = _choose_score(path, task, results, options)
        if score is None:
            left.append((f"{system} on {task}", NOT_ASKED if options.metric else "the task has no score"))
            continue
        name, number = score
        direction = higher.get(task, {}).get(name.split(",")[0])
        limit = find_limit(document, task)
        found.append(_Result(path, system, task, name, number, direction, date, limit, settings))
    return found


def _make_run(result: _Result, system: str, name: str, higher: bool | None) -> Run:
    return Run(
        system=system,
        file=result.path.name,
        items=(result.task,),
        scores={name: np.array([result.number])},
        higher_is_better={} if higher is None else {name: higher},
        date=result.date,
        limit=result.limit,
    )


def _choose_score(path: Path, task: str, results: dict[str, Any], options: ReadOptions) -> tuple[str, float] | None:
    """The name and value of the score of a task; None where it has none of those that were asked for."""
    found = {}
    for key, value in results.items():
        name, _, filtered = key.partition(",")
        number = as_number(value)
        if name.endswith("_stderr") or number is None or name in ("sample_len", "samples"):
            continue
        found[name if filtered in ("", "none") else key] = number
    wanted = [name for name in options.metric if name in found]
    if wanted:
        return wanted[0], found[wanted[0]]
    if options.metric or not found:
        return None
    if len(found) > 1:
        raise InputError(
            f"{path.name}: task {task!r} has several scores: {', '.join(found)}; say which to take, such as --metric "
            f"{next(iter(found))} (it may be given several times, the first that a task has is taken)"
        )
    return next(iter(found.items()))


def _find_direction(results: Sequence[_Result]) -> bool | None:
    """Whether higher is better, as far as all say the same; a task must have the same score in every file."""
    first: dict[str, _Result] = {}
    for result in results:
        other = first.setdefault(result.task, result)
        if other.score != result.score:
            raise InputError(
                f"{result.task} has the score {other.score} in {other.path.name} and {result.score} in "
                f"{result.path.name}; say one that all files have (--metric)"
            )
    known = {result.higher_is_better: result.task for result in results}
    if {True, False} <= set(known):
        raise InputError(
            f"{results[0].path.name}: higher is better in {known[True]} and lower in {known[False]}; choose scores "
            "that point one way with --metric"
        )
    return next(iter(known)) if len(known) == 1 else None


def _list_aggregates(document: dict[str, Any]) -> set[str]:
    subtasks = document.get("group_subtasks")
    groups = {name for name, parts in subtasks.items() if parts} if isinstance(subtasks, dict) else set()
    return groups | {task for task in document["results"] if task == "all" or "_average" in task}


def _find_system(path: Path, document: dict[str, Any]) -> str:
    config, arguments = document.get("config_general") or {}, read_arguments(document)
    named = document.get("model_name") or config.get("model_name")
    return str(named or arguments.get("pretrained") or arguments.get("model") or path.parent.name)


def _find_date(path: Path, document: dict[str, Any]) -> str | None:
    named = _DATE.fullmatch(path.name)
    if named:
        day, _, time = named["date"].partition("T")
        return f"{day}T{time.replace('-', ':')}"
    moment = document.get("date")
    return datetime.fromtimestamp(moment, UTC).isoformat() if isinstance(moment, int | float) else None
