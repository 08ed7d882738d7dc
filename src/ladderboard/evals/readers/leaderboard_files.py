"""Files with one number for each task: results of the Hugging Face leaderboards, and of lm-eval without samples.

Both are JSON with ``results``: task → scores. No item is known, so each task counts as one item: the ranges then say
which systems would lead on other tasks like these. Aggregates of tasks ("all", groups) are left out.

Reference: open-llm-leaderboard/results on the Hugging Face Hub; EleutherAI/lm-evaluation-harness.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.gathering import Run
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, read_document

NAME = "results of lm-eval or a Hugging Face leaderboard"
_DATE = re.compile(r"results_(?P<date>\d{4}-\d\d-\d\d)T(?P<time>\d\d[-:]\d\d[-:]\d\d)")


def recognises(path: Path, opening: str) -> bool:
    """Whether a file holds results of tasks."""
    if path.suffix != ".json" or not opening.lstrip().startswith("{"):
        return False
    return '"results"' in opening and any(
        key in opening for key in ('"config_general"', '"group_subtasks"', '"versions"', '"configs"')
    )


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[str]]:
    """A run for each file, with its tasks as items."""
    if options.groups_column is not None:
        raise InputError(f"{paths[0].name} has results of tasks only; leave --groups-column out")
    runs = [_read_run(path, options) for path in paths]
    tasks = len({item for run in runs for item in run.items})
    note = (
        f"no items are known: each of {tasks} tasks counts as one item, so the ranges speak of other tasks like these "
        "(lm_eval --log_samples writes the items)"
    )
    return runs, [note]


def _read_run(path: Path, options: ReadOptions) -> Run:
    document: dict[str, Any] = read_document(path)
    aggregates = {name for name, parts in document.get("group_subtasks", {}).items() if parts} | {"all"}
    tasks = {
        task: score
        for task, results in document["results"].items()
        if task not in aggregates and "_average" not in task
        for score in [_choose_score(path, task, results, options)]
        if score is not None
    }
    if not tasks:
        raise InputError(f"{path.name}: no task has one of the scores {', '.join(options.metric)}")
    names = {name for name, _ in tasks.values()}
    higher = document.get("higher_is_better", {})
    said = {task: higher.get(task, {}).get(name.split(",")[0]) for task, (name, _) in tasks.items()}
    return Run(
        system=_find_system(path, document),
        file=path.name,
        items=tuple(tasks),
        scores={"|".join(sorted(names)): np.array([number for _, number in tasks.values()])},
        higher_is_better=_find_direction(path, names, said),
        date=_find_date(path, document),
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


def _find_direction(path: Path, names: set[str], said: dict[str, bool | None]) -> dict[str, bool]:
    known = {higher: task for task, higher in said.items()}
    if {True, False} <= set(known):
        raise InputError(
            f"{path.name}: higher is better in {known[True]} and lower in {known[False]}; choose scores that point one "
            "way with --metric"
        )
    higher = next(iter(known)) if len(known) == 1 else None
    return {} if higher is None else {"|".join(sorted(names)): higher}


def _find_system(path: Path, document: dict[str, Any]) -> str:
    config = document.get("config_general") or {}
    return str(document.get("model_name") or config.get("model_name") or path.parent.name)


def _find_date(path: Path, document: dict[str, Any]) -> str | None:
    named = _DATE.match(path.name)
    if named:
        return f"{named['date']}T{named['time'].replace('-', ':')}"
    moment = document.get("date")
    return datetime.fromtimestamp(moment, UTC).isoformat() if isinstance(moment, int | float) else None
