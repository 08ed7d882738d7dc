"""Runs of systems on tasks, one file each → one loss matrix, with what was taken and left out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.core.words import pluralise
from ladderboard.evals.costs import describe_costs, gather_costs
from ladderboard.evals.direction import find_direction
from ladderboard.evals.gaps import PartialMatrix, close_gaps
from ladderboard.evals.left_out import LeftOut, Note, list_names
from ladderboard.evals.loss_matrix import LossMatrix, Repeats
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.reruns import choose_runs
from ladderboard.evals.runs import Run

Rows = dict[tuple[str, str], int]
"""(task, item) → row."""


def gather_runs(
    source: str,
    runs: Sequence[Run],
    options: ReadOptions,
    notes: Iterable[Note] = (),
    *,
    groups_span_tasks: bool = False,
) -> LossMatrix:
    """One matrix of all runs: systems ordered by date where all have one, items of several tasks one after the other.

    ``source`` is the file or folder, for messages. ``groups_span_tasks``: a group's name means the same in all tasks.
    Refuses scores of which it cannot be known which to take or which way they point, and items that differ between the
    runs.
    """
    said = list(notes)
    runs = choose_runs(source, _select_runs(source, runs, options), options.reruns, said)
    systems, dates = _order_systems(runs)
    rows = _number_rows(source, runs)
    names = _choose_scores(source, runs, options, said)
    _refuse_infinite(source, runs, names)
    moments = _add_up(runs, rows, systems, names)
    direction = find_direction(
        source, sorted(set(names.values())), moments.means, options, _find_known_direction(runs, names)
    )
    losses, measure = direction.losses(moments.means)
    tasks = sorted(names)
    scores = list_names(sorted(set(names.values())))
    taken = f"{scores if scores == 'score' else f'score {scores}'}, {direction.word} is better"
    groups, repeats = _collect_groups(runs, rows, options, groups_span_tasks=groups_span_tasks), moments.repeats()
    if groups is not None:
        said.append(f"{len(set(groups))} groups of items by {options.groups_column!r}")
    if repeats is not None:
        given = moments.counts[moments.counts > 0]
        said.append(f"each score is the mean of {_span(given.min(), given.max())} runs")
    costs = gather_costs(source, runs, systems, options)
    said += describe_costs(costs, systems)
    counted = pluralise("{n} system", "{n} systems", len(systems))
    if options.has_condition_columns:
        counted = f"{len(systems)} runs of systems"
    partial = PartialMatrix(
        source,
        losses,
        systems,
        tuple(item if len(tasks) == 1 else f"{task}/{item}" for task, item in rows),
        measure,
        groups=groups,
        tasks=None if len(tasks) == 1 else tuple(task for task, _ in rows),
        repeats=repeats,
        dates=dates,
        costs=costs,
        notes=tuple(said),
        headline=lambda items: f"{source}: {items} × {counted} ({list_names(systems)}); {taken}",
    )
    return close_gaps(partial, options)


def _select_runs(source: str, runs: Sequence[Run], options: ReadOptions) -> list[Run]:
    """The runs of the systems that were asked for."""
    found = {run.system for run in runs}
    unknown = [name for name in (*(options.systems or ()), *options.drop) if name not in found]
    if unknown:
        raise InputError(f"{source}: no system is called {list_names(unknown)}; there are {list_names(sorted(found))}")
    wanted = found - set(options.drop) if options.systems is None else set(options.systems) - set(options.drop)
    chosen = [run for run in runs if run.system in wanted]
    if not chosen:
        raise InputError(f"{source}: no results are left")
    return chosen


def _order_systems(runs: Sequence[Run]) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """By the date of each system's last run where all have one, else as they come."""
    last: dict[str, str | None] = {}
    for run in runs:
        known = last.get(run.system, "")
        last[run.system] = None if known is None or run.date is None else max(known, run.date)
    if None in last.values():
        return tuple(last), None
    ordered = sorted(last, key=lambda system: (last[system] or "", system))
    return tuple(ordered), tuple(last[system] or "" for system in ordered)


def _number_rows(source: str, runs: Sequence[Run]) -> Rows:
    """A row for each item of each task; an item must have the same content in every run."""
    rows: Rows = {}
    contents: dict[tuple[str, str], tuple[str, str]] = {}
    for run in sorted(runs, key=lambda run: run.task):
        for number, item in enumerate(run.items):
            rows.setdefault((run.task, item), len(rows))
            if run.contents is None:
                continue
            content = run.contents[number]
            if not content:
                continue
            first, file = contents.setdefault((run.task, item), (content, run.file))
            if first != content:
                raise InputError(
                    f"{source}: item {item!r} of {run.task or 'the task'} is not the same in {file} and {run.file}; "
                    "were they made from different versions of the data?"
                )
    return rows


def _choose_scores(source: str, runs: Sequence[Run], options: ReadOptions, said: list[Note]) -> dict[str, str]:
    """Task → the name of the score to take."""
    common: dict[str, list[str]] = {}
    for run in runs:
        have = common.setdefault(run.task, list(run.scores))
        common[run.task] = [name for name in have if name in run.scores]
    chosen = {task: _choose_score(source, task, names, options) for task, names in common.items()}
    left = sorted({name for run in runs for name in run.scores if name != chosen[run.task]})
    if left:
        said.append(
            LeftOut(
                "score", tuple(left), "--metric asks for another one" if options.metric else "not all systems have it"
            )
        )
    return chosen


def _choose_score(source: str, task: str, names: Sequence[str], options: ReadOptions) -> str:
    of_task = f" of {task}" if task else ""
    wanted = [name for name in options.metric if name in names]
    wanted += [name for name in names if set(name.split("|")) <= set(options.metric)]  # tasks as items, each its own
    if wanted:
        return wanted[0]
    if options.metric and names:
        raise InputError(
            f"{source}: no score{of_task} is called {list_names(options.metric)}; it has {list_names(names)} "
            "(--metric may be given several times, the first that a task has is taken)"
        )
    if not names:
        raise InputError(f"{source}: the systems have no score{of_task} in common")
    if len(names) > 1:
        raise InputError(
            f"{source}: there are several scores for each item{of_task}: {list_names(names)}; say which to take, "
            f"such as --metric {names[0]!r} (in Python: metric=)"
        )
    return names[0]


@dataclass(frozen=True, eq=False)
class _Moments:
    """The number, the sum and the sum of squares of the scores in each cell."""

    counts: IntArray
    sums: FloatArray
    squares: FloatArray

    @property
    def means(self) -> FloatArray:
        return np.divide(self.sums, self.counts, out=np.full_like(self.sums, np.nan), where=self.counts > 0)

    def repeats(self) -> Repeats | None:
        if self.counts.max() < 2:
            return None
        several = self.counts > 1
        spread = np.maximum(self.squares - self.counts * np.nan_to_num(self.means) ** 2, 0.0)
        divisor = np.where(several, (self.counts - 1) * self.counts, 1)
        return Repeats(np.maximum(self.counts, 1), np.where(several, spread / divisor, np.nan))


def _refuse_infinite(source: str, runs: Sequence[Run], names: dict[str, str]) -> None:
    """Refuse a number that is there but infinite, which is not the same as a missing one."""
    for run in runs:
        is_infinite = np.isinf(np.asarray(run.scores[names[run.task]], dtype=np.float64))
        if is_infinite.any():
            item = run.items[int(np.argmax(is_infinite))]
            raise InputError(
                f"{source}: {run.file}, item {item!r} of {run.system!r}: the score is infinite; correct it, or leave "
                "it empty and say what a missing score means (missing=, --missing)"
            )


def _add_up(runs: Sequence[Run], rows: Rows, systems: Sequence[str], names: dict[str, str]) -> _Moments:
    shape = (len(rows), len(systems))
    moments = _Moments(np.zeros(shape, dtype=np.int64), np.zeros(shape), np.zeros(shape))
    columns = {system: column for column, system in enumerate(systems)}
    for run in runs:
        scores = np.asarray(run.scores[names[run.task]], dtype=np.float64)
        given = ~np.isnan(scores)
        where = np.array([rows[run.task, item] for item in run.items], dtype=np.intp)[given]
        column = columns[run.system]
        np.add.at(moments.counts[:, column], where, 1)
        np.add.at(moments.sums[:, column], where, scores[given])
        np.add.at(moments.squares[:, column], where, scores[given] ** 2)
    return moments


def _find_known_direction(runs: Sequence[Run], names: dict[str, str]) -> bool | None:
    """Whether higher is better, as far as all files say the same."""
    said = {run.higher_is_better.get(names[run.task]) for run in runs}
    if said == {True, False}:
        tasks = {run.higher_is_better[names[run.task]]: run.task for run in runs}
        raise InputError(
            f"higher is better in {tasks[True]} ({names[tasks[True]]}) and lower in {tasks[False]} "
            f"({names[tasks[False]]}); analyse them one by one"
        )
    return said.pop() if len(said) == 1 else None


def _collect_groups(
    runs: Sequence[Run], rows: Rows, options: ReadOptions, *, groups_span_tasks: bool
) -> tuple[str, ...] | None:
    if options.groups_column is None:
        return None
    groups: dict[int, str] = {}
    for run in runs:
        for item, group in zip(run.items, run.groups or (), strict=False):
            if groups.setdefault(rows[run.task, item], group) != group:
                raise InputError(f"{run.file}: item {item!r} is in another group than in the other runs")
    absent = [item for (_, item), row in rows.items() if row not in groups]
    if absent:
        raise InputError(
            f"no {options.groups_column!r} is known for item {absent[0]!r}; --groups-column names a field of it"
        )
    if groups_span_tasks or len({task for task, _ in rows}) == 1:
        return tuple(groups[row] for row in range(len(rows)))
    # Two tasks may number their passages alike.
    return tuple(f"{task}/{groups[row]}" for (task, _), row in rows.items())


def _span(least: int, most: int) -> str:
    return str(most) if least == most else f"{least} to {most}"
