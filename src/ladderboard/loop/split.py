"""The split of tasks into open and guarded ones: once, by group, at random."""

import json
from collections import defaultdict

import numpy as np

from ladderboard.core.errors import LabelsError, ParameterError
from ladderboard.guard.tasks import TaskList

FEWEST = 2


def split_tasks(tasks: TaskList, share: float, seed: int | None) -> tuple[TaskList, TaskList]:
    """Split into open and guarded tasks; those of a group stay together.

    >>> [len(part) for part in split_tasks(TaskList.read([f"task {n}" for n in range(10)]), 0.5, seed=1)]
    [5, 5]
    """
    if not 0 < share < 1:
        raise ParameterError(f"open_share is {share}; give the share of the tasks that steer, between 0 and 1")
    groups = tasks.groups or tasks.ids
    _refuse_copies(tasks, groups)
    sizes: dict[str, list[int]] = defaultdict(list)
    for place, group in enumerate(groups):
        sizes[group].append(place)
    order, opened = sorted(sizes), set[int]()
    np.random.default_rng(seed).shuffle(order)
    wanted = round(share * len(tasks))
    for group in order:
        if len(opened) + len(sizes[group]) / 2 <= wanted:
            opened |= set(sizes[group])
    parts = (tasks.take(sorted(opened)), tasks.take(p for p in range(len(tasks)) if p not in opened))
    for part, name in zip(parts, ("open", "guarded"), strict=True):
        if len(set(part.groups or part.ids)) < FEWEST:
            raise ParameterError(f"only {len(part)} {name} tasks; give more tasks or groups, or another open_share")
    return parts


def _refuse_copies(tasks: TaskList, groups: tuple[str, ...]) -> None:
    """Refuse one and the same input in two groups, whatever its capitals and spaces: it could be on both sides."""
    seen: dict[str, int] = {}
    for place, shown in enumerate(tasks.show()):
        if not isinstance(shown, dict) or "input" not in shown:
            continue
        given = shown["input"]
        text = given if isinstance(given, str) else json.dumps(given, sort_keys=True, default=repr)
        content = " ".join(text.casefold().split())
        other = seen.setdefault(content, place)
        if groups[other] != groups[place]:
            raise LabelsError(
                f"tasks {tasks.ids[other]!r} and {tasks.ids[place]!r} have the same input, which could be open and "
                "guarded at once; give both the same group, or leave one out"
            )
