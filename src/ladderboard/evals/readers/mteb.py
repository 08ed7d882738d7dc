"""MTEB: ``results/MODEL/REVISION/TASK.json``, one score for each split and subset of a task.

No item is known, so each task counts as one item, with the mean of the main scores that every system has: a mean over
other languages is another score. ``model_meta.json`` beside the tasks names the model.

Reference: embeddings-benchmark/mteb 2.26, mteb/results/task_result.py; embeddings-benchmark/results.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.words import pluralise
from ladderboard.evals.left_out import Note, collect_left_out, list_names
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, find_top_keys, read_document
from ladderboard.evals.readers.settings import tell_apart
from ladderboard.evals.runs import Run

NAME = "MTEB results"
META = "model_meta.json"
NO_MAIN_SCORE = "it has no main score; files of mteb before 1.11 are written again by mteb's TaskResult.from_disk"
NOT_SHARED = "not all systems have it"
Part = tuple[str, str]
"""Split and subset."""


@dataclass(frozen=True)
class _Result:
    """The main scores of one model on one task."""

    path: Path
    model: str
    revision: str
    task: str
    data_revision: str
    scores: dict[Part, float]


def recognises(path: Path, opening: str) -> bool:
    """Whether a file is a task's result, of today's form or of that before 1.11."""
    if path.suffix != ".json" or not opening.lstrip().startswith("{"):
        return False
    keys = find_top_keys(opening)
    return "dataset_revision" in keys and ("task_name" in keys or "mteb_dataset_name" in keys)


def belongs_to_run(path: Path) -> bool:
    """Whether a file describes the model of the results beside it."""
    return path.name == META


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each task of each model: the task is its only item."""
    if options.groups_column is not None:
        raise InputError(f"{paths[0].name} has results of tasks only; leave --groups-column out")
    read = [_read_result(path) for path in paths]
    left = [(_name_file(one.path), NO_MAIN_SCORE) for one in read if not one.scores]
    results = [one for one in read if one.scores]
    if not results:
        raise InputError(f"{left[0][0]}: {NO_MAIN_SCORE}")
    systems = tell_apart([one.model for one in results], [{"revision": one.revision} for one in results])
    wanted = set(systems if options.systems is None else options.systems) - set(options.drop)
    counted = [(one, system) for one, system in zip(results, systems, strict=True) if system in wanted]
    shared, unshared = _find_shared([one for one, _ in counted])
    runs = [_make_run(one, system, shared[one.task]) for one, system in counted]
    runs += [
        _make_run(one, system, frozenset(one.scores))
        for one, system in zip(results, systems, strict=True)
        if system not in wanted
    ]
    note = (
        f"no items are known: each of {len({one.task for one, _ in counted})} tasks counts as one item, so the ranges "
        "speak of other tasks like these"
    )
    parts = collect_left_out("part", [(name, NOT_SHARED) for name in unshared])
    return runs, [note, *_describe_revisions(counted), *parts, *collect_left_out("file", left)]


def _read_result(path: Path) -> _Result:
    document = read_document(path)
    beside = path.with_name(META)
    meta = read_document(beside) if beside.is_file() else {}
    folder = path.parent.parent.name.replace("__", "/", 1)
    scores = {}
    for split, subsets in (document.get("scores") or {}).items():
        for one in subsets:
            number = as_number(one.get("main_score"))
            if number is not None and not np.isnan(number):
                scores[split, str(one["hf_subset"])] = number
    return _Result(
        path,
        str(meta.get("name") or folder),
        str(meta.get("revision") or path.parent.name),
        str(document.get("task_name") or document.get("mteb_dataset_name")),
        str(document.get("dataset_revision") or ""),
        scores,
    )


def _name_file(path: Path) -> str:
    return "/".join(path.parts[-3:])


def _find_shared(results: Sequence[_Result]) -> tuple[dict[str, frozenset[Part]], list[str]]:
    """The parts of each task that all its results have, and the names of the others."""
    of_task: dict[str, list[_Result]] = defaultdict(list)
    for one in results:
        of_task[one.task].append(one)
    shared, others = {}, []
    for task, same in of_task.items():
        common = frozenset(same[0].scores)
        for one in same[1:]:
            if common.isdisjoint(one.scores):
                raise InputError(
                    f"{task}: {one.model} has {_list_parts(one.scores)} and nothing that all systems before it have "
                    f"({_list_parts(common)}); leave it out (--drop {one.model})"
                )
            common &= one.scores.keys()
        shared[task] = common
        found = {part for one in same for part in one.scores} - common
        others += [f"{task} {split}/{subset}" for split, subset in sorted(found)]
    return shared, others


def _list_parts(parts: Iterable[Part]) -> str:
    return list_names((f"{split}/{subset}" for split, subset in sorted(parts)), 2)


def _describe_revisions(counted: Sequence[tuple[_Result, str]]) -> list[Note]:
    """The tasks of which not all systems used the same data, as far as the files say."""
    used: dict[str, set[str]] = defaultdict(set)
    for one, _ in counted:
        used[one.task].add(one.data_revision)
    differing = [task for task, revisions in used.items() if len(revisions) > 1]
    counted_tasks = pluralise("{n} task", "{n} tasks", len(differing))
    return [f"the data of {counted_tasks} had several revisions: {list_names(differing)}"] if differing else []


def _make_run(one: _Result, system: str, parts: frozenset[Part]) -> Run:
    return Run(
        system=system,
        file=_name_file(one.path),
        items=(one.task,),
        scores={"main_score": np.array([np.mean([one.scores[part] for part in sorted(parts)])])},
        higher_is_better={"main_score": True},
    )
