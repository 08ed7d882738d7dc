"""Tasks: what a system is to answer, each with an id, perhaps a group, and what only the grader may see."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ladderboard.core.errors import LabelsError, PredictionsError
from ladderboard.guard.alignment import refuse_named
from ladderboard.guard.harness_tasks import (
    is_inspect_log,
    is_lm_eval,
    list_inspect_outputs,
    list_inspect_tasks,
    list_lm_eval_outputs,
    list_lm_eval_tasks,
    read_inspect_samples,
)

SHOWN = ("id", "input")
"""The fields of a task that whoever answers it may see; all others are the grader's, such as the right answer."""
EXAMPLE, OUTPUT = '{"id": "t1", "input": "2 + 2", "answer": "4"}', '{"id": "t1", "output": "4"}'


@dataclass(frozen=True, eq=False)
class TaskList:
    """Tasks in their order. A task is an object with an ``id``, or a text, which is its own id."""

    tasks: tuple[Any, ...]
    ids: tuple[str, ...]
    groups: tuple[str, ...] | None = None

    @classmethod
    def read(cls, given: Any) -> "TaskList":
        """Tasks as a user has them: a list of objects or texts, a file of JSON lines, or a folder of files.

        >>> TaskList.read([{"id": "a", "input": "2 + 2", "answer": 4}]).ids
        ('a',)
        """
        if isinstance(given, str | os.PathLike):
            given = _read_path(Path(given))
        if isinstance(given, Mapping) or not isinstance(given, Iterable):
            raise LabelsError(f"tasks are {type(given).__name__}; give a list of objects such as {EXAMPLE}, or a file")
        tasks = tuple(given)
        if not tasks:
            raise LabelsError(f"there are no tasks; give objects such as {EXAMPLE}")
        ids = tuple(_read_id(task, place) for place, task in enumerate(tasks, 1))
        seen: set[str] = set()
        refuse_named([one for one in ids if one in seen or seen.add(one)], "twice among the tasks:", LabelsError)  # type: ignore[func-returns-value]  # add returns None
        return cls(tasks, ids, _read_groups(tasks, ids))

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, places: Iterable[int]) -> "TaskList":
        """Take those of some places."""
        chosen = list(places)
        groups = None if self.groups is None else tuple(self.groups[place] for place in chosen)
        return TaskList(tuple(self.tasks[p] for p in chosen), tuple(self.ids[p] for p in chosen), groups)

    def digest(self) -> str:
        """A hash of everything in the tasks, in the order of their ids."""
        lines = sorted(
            json.dumps([one, task], sort_keys=True, default=repr)
            for one, task in zip(self.ids, self.tasks, strict=True)
        )
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def show(self) -> list[Any]:
        """The tasks as whoever answers them may see them: their id and input."""
        return [
            {name: task[name] for name in SHOWN if name in task} if isinstance(task, Mapping) else task
            for task in self.tasks
        ]

    def arrange(self, outputs: Any, ids: Sequence[Any] | None = None) -> list[list[Any]]:
        """Outputs by id in the order of the tasks, each as the list of its runs; depends on nothing but ids.

        An output that is a list counts as several runs of the task; an output that is a list itself stands in another.
        """
        if ids is not None:
            if not isinstance(outputs, list | tuple) or len(outputs) != len(ids):
                raise PredictionsError(f"{len(ids)} ids need as many outputs, in a list")
            refuse_named(
                sorted({str(one) for one in ids if list(ids).count(one) > 1}), "twice in the ids:", PredictionsError
            )
            outputs = dict(zip(map(str, ids), outputs, strict=True))
        if not isinstance(outputs, Mapping):
            raise PredictionsError(
                'outputs must come by id, such as {"t1": "4"}; a bare list does not say whose they are'
            )
        named = {str(one): output for one, output in outputs.items()}
        known = set(self.ids)
        refuse_named([one for one in self.ids if one not in named], "no output for", PredictionsError)
        refuse_named([one for one in named if one not in known], "outputs of unknown", PredictionsError)
        runs = [_list_runs(named[one]) for one in self.ids]
        refuse_named(
            [one for one, has in zip(self.ids, runs, strict=True) if not has],
            "an empty list of outputs for",
            PredictionsError,
        )
        return runs


def _list_runs(output: Any) -> list[Any]:
    return list(output) if isinstance(output, list | tuple) else [output]


def _read_id(task: Any, place: int) -> str:
    if isinstance(task, Mapping):
        if "id" not in task:
            raise LabelsError(f"task {place} has no id; give objects such as {EXAMPLE}")
        task = task["id"]
    if isinstance(task, bool) or not isinstance(task, str | int) or str(task) == "":
        raise LabelsError(f"the id of task {place} is {task!r}; give a text or a whole number")
    return str(task)


def _read_groups(tasks: Sequence[Any], ids: Sequence[str]) -> tuple[str, ...] | None:
    having = [isinstance(task, Mapping) and task.get("group") is not None for task in tasks]
    if not any(having):
        return None
    refuse_named(
        [one for one, has in zip(ids, having, strict=True) if not has], "other tasks have a group, but not", LabelsError
    )
    return tuple(str(task["group"]) for task in tasks)


def _read_path(path: Path) -> list[Any]:
    """A file of JSON lines or of one JSON list, a harness's log, or a folder with a file for each task, named by it."""
    if path.is_dir():
        return [{"id": one.name, "input": _read_text(one)} for one in sorted(path.iterdir()) if one.is_file()]
    if is_inspect_log(path):
        return list_inspect_tasks(read_inspect_samples(path))
    lines = read_json_lines(path, LabelsError)
    return list_lm_eval_tasks(lines) if is_lm_eval(lines) else lines


def read_json_lines(path: Path, error: type[Exception]) -> list[Any]:
    """Read the objects of a file: one on each line, or all in one list."""
    return parse_json_lines(_read_text(path), path.name, error)


def parse_json_lines(text: str, name: str, error: type[Exception]) -> list[Any]:
    """Parse JSON objects, one on each line, or all in one list; ``name`` is what errors call the text."""
    try:
        if text.lstrip().startswith("["):
            found: list[Any] = json.loads(text)
            return found
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return _locate(name, text, error)


def read_outputs(path: Path) -> dict[str, Any]:
    """Read outputs by task: lines with an id and an output, one object from ids to outputs, or a harness's log."""
    if is_inspect_log(path):
        return list_inspect_outputs(read_inspect_samples(path))
    return parse_outputs(_read_text(path), path.name)


def parse_outputs(text: str, name: str) -> dict[str, Any]:
    """Parse outputs; several lines of a task are several runs."""
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        if isinstance(found, dict) and "id" not in found:
            return found
    lines = parse_json_lines(text, name, PredictionsError)
    if is_lm_eval(lines):
        return list_lm_eval_outputs(lines, name)
    runs: dict[str, list[Any]] = {}
    for number, line in enumerate(lines, 1):
        if not isinstance(line, dict) or not {"id", "output"} <= set(line):
            raise PredictionsError(f"{name}, line {number} has no id and output; write lines such as {OUTPUT}")
        runs.setdefault(str(line["id"]), []).append(line["output"])
    return dict(runs)


def _locate(name: str, text: str, error: type[Exception]) -> list[Any]:
    place = name
    for number, line in enumerate(text.splitlines(), 1):
        try:
            json.loads(line or "0")
        except (ValueError, RecursionError):
            place = f"{name}, line {number}"
            break
    example = OUTPUT if error is PredictionsError else EXAMPLE
    raise error(f"{place} is not JSON; write one object on each line, such as {example}")


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise LabelsError(f"{path} is not UTF-8; save it as UTF-8") from None
