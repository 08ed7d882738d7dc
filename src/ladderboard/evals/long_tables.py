"""Long tables: one row for each item and system, with a score, and perhaps a task, a group and a repeat."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.evals.column_names import SUMMARY_NAMES, SYSTEM_NAMES
from ladderboard.evals.conditions import Condition, merge_conditions
from ladderboard.evals.cost_columns import find_unit_column, list_cost_columns, read_costs
from ladderboard.evals.gathering import gather_runs
from ladderboard.evals.judged_tables import correct_by_humans
from ladderboard.evals.left_out import LeftOut, Note
from ladderboard.evals.loss_matrix import LossMatrix
from ladderboard.evals.number_cells import has_percents, has_verdicts, read_numbers, refuse_wrong_way
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.runs import Run
from ladderboard.evals.table_columns import is_id_name
from ladderboard.evals.table_refusals import refuse_far_off, refuse_markers
from ladderboard.tabular import Table

SCORE_NAMES = (
    *("score", "correct", "is_correct", "loss", "error", "accuracy", "acc", "value"),
    *("exact_match", "f1", "resolved", "passed", "success", "rating", "grade", "reward"),
)
TASK_NAMES = ("task", "benchmark", "dataset", "task_name")
GROUP_NAMES = ("group", "cluster")
REPEAT_NAMES = (
    *("repeat", "seed", "run", "epoch", "trial", "sample_number", "replicate", "rep", "attempt", "iteration"),
    *("completion_id", "sample_index", "sample_idx"),
)
ITEM_NAMES = ("item", "item_id", "question_id", "doc_id", "sample_id", "instance_id", "example_id", "query_id", "id")


@dataclass(frozen=True)
class _Layout:
    item: str
    system: str
    score: str
    task: str | None
    group: str | None
    repeat: str | None
    seed: str | None
    prompt: str | None


def is_long_table(columns: Sequence[str], metric: Sequence[str] = ()) -> bool:
    """Whether a table has a column of systems, one of items and one of scores; ``metric`` names one of these."""
    lower = {name.lower() for name in columns}
    has_items = any(name in lower for name in ITEM_NAMES) or any(is_id_name(name) for name in columns)
    return (
        has_items
        and any(n in lower for n in SYSTEM_NAMES)
        and (any(n in lower for n in SCORE_NAMES) or any(name in columns for name in metric))
    )


def read_long_table(table: Table, options: ReadOptions) -> LossMatrix:
    """The loss matrix of a long table. A score of one item and system that comes twice needs a repeat."""
    if options.judge_column is not None and options.human_column is not None:
        return _read_judged(table, options, options.judge_column, options.human_column)
    layout = _find_layout(table, options)
    columns = _read_conditions(table, layout)
    options = _ask_for_conditions(columns, options)
    systems, items = [str(one) for one in columns], table.names(layout.item)
    scores = read_numbers(table, layout.score, options.missing_value)
    tasks = [""] * len(table) if layout.task is None else table.names(layout.task)
    groups = None if layout.group is None else table.names(layout.group)
    says_right = has_verdicts(table, layout.score)
    if says_right:
        refuse_wrong_way(table, layout.score, options)
    _refuse_several_metrics(table, layout)
    _refuse_repeated(table, layout, systems, items, tasks)
    _refuse_strange_numbers(table, layout, scores, options)
    costs = {} if options.cost == "none" else read_costs(table, options)
    runs = []
    for (system, task), rows in _collect_rows(zip(systems, tasks, strict=True)).items():
        runs.append(
            Run(
                system,
                table.name,
                tuple(items[row] for row in rows),
                {options.metric[0] if options.metric else layout.score: scores[rows]},
                task,
                higher_is_better=dict.fromkeys(
                    [options.metric[0] if options.metric else layout.score] * says_right, True
                ),
                groups=None if groups is None else tuple(groups[row] for row in rows),
                costs={unit: numbers[rows] for unit, numbers in costs.items()},
            )
        )
    if layout.group is not None:
        options = replace(options, groups_column=layout.group)
    matrix = gather_runs(table.name, runs, options, _describe(table, layout, options), groups_span_tasks=True)
    if not options.has_condition_columns:
        return matrix
    by_name = {str(one): one for one in columns}
    return merge_conditions(matrix, [by_name[name] for name in matrix.systems])


def _read_conditions(table: Table, layout: _Layout) -> list[Condition]:
    """The system of each row, with its seed and prompt where columns name these."""
    names = [[""] * len(table) if name is None else table.names(name) for name in (layout.seed, layout.prompt)]
    columns = [Condition(*row) for row in zip(table.names(layout.system), *names, strict=True)]
    if (layout.seed or layout.prompt) and len(set(columns)) == len({one.system for one in columns}):
        raise InputError(
            f"{table.name}: by {' and '.join(filter(None, (layout.seed, layout.prompt)))} no system has two seeds or "
            "prompts; leave --seed-column and --prompt-column out"
        )
    return columns


def _ask_for_conditions(columns: Sequence[Condition], options: ReadOptions) -> ReadOptions:
    """The options with every condition of the systems that they name."""

    def expand(names: Sequence[str]) -> tuple[str, ...]:
        found = dict.fromkeys(str(one) for name in names for one in columns if one.system == name)
        return (*found, *(name for name in names if all(one.system != name for one in columns)))

    if not options.has_condition_columns:
        return options
    systems = None if options.systems is None else expand(options.systems)
    return replace(options, systems=systems, drop=expand(options.drop))


def _read_judged(table: Table, options: ReadOptions, judge: str, human: str) -> LossMatrix:
    """The matrix of the judge's scores, corrected by the human ones."""
    own = replace(options, metric=(judge,), kind=None, higher_is_better=True, judge_column=None)
    judged = read_long_table(table, own)
    layout = _find_layout(table, own)
    tasks = [""] * len(table) if layout.task is None else table.names(layout.task)
    labels: dict[tuple[str, str], list[float]] = {}
    rows = zip(table.names(layout.item), table.names(layout.system), tasks, strict=True)
    for (item, system, task), score in zip(rows, read_numbers(table, human, options.missing_value), strict=True):
        if not np.isnan(score):
            name = item if judged.tasks is None else f"{task}/{item}"
            labels.setdefault((name, system), []).append(float(score))
    return correct_by_humans(table.name, judged, labels, options)


def _find_layout(table: Table, options: ReadOptions) -> _Layout:
    by_lower = {name.lower(): name for name in table.columns}

    def find(names: Sequence[str]) -> str | None:
        return next((by_lower[name] for name in names if name in by_lower), None)

    metric = options.metric[0] if options.metric else None
    if metric is not None:
        table.column(metric)
    scores = [by_lower[name] for name in SCORE_NAMES if name in by_lower]
    if metric is None and len(scores) > 1:
        raise InputError(
            f"{table.name} has several columns of scores: {', '.join(scores)}; say which to take, such as --metric "
            f"{scores[0]}"
        )
    system = find(SYSTEM_NAMES)
    assert system is not None
    task, group = options.tasks_column or find(TASK_NAMES), options.groups_column or find(GROUP_NAMES)
    seed, prompt = options.seed_column, options.prompt_column
    for named in filter(None, (seed, prompt)):
        table.column(named)
    repeat = find([name for name in REPEAT_NAMES if by_lower.get(name) not in (seed, prompt)])
    others = {system, metric, *scores, task, group, repeat, seed, prompt}
    item = options.items_column or find(ITEM_NAMES) or _find_id(table, others)
    return _Layout(item, system, metric or scores[0], task, group, repeat, seed, prompt)


def _find_id(table: Table, others: Collection[str | None]) -> str:
    """The only column that is named like an id and is nothing else."""
    ids = [name for name in table.columns if is_id_name(name) and name not in others]
    if len(ids) != 1:
        found = f"several columns may name the items ({', '.join(ids)})" if ids else "no column names the items"
        raise InputError(f"{table.name}: {found}; say which does (--items-column)")
    return ids[0]


def _collect_rows(keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[int]]:
    """The rows of each key, in the order in which they come."""
    rows: dict[tuple[str, str], list[int]] = {}
    for row, key in enumerate(keys):
        rows.setdefault(key, []).append(row)
    return rows


def _refuse_strange_numbers(table: Table, layout: _Layout, scores: FloatArray, options: ReadOptions) -> None:
    """Refuse what a wide table is refused for: rows of means, marks of missing answers, systems on another scale."""
    for row, name in enumerate(table.names(layout.item)):
        if name.strip().lower() in SUMMARY_NAMES:
            raise table.error(
                f"{name!r} is named like a summary of the other items; delete such rows, or give the item another name",
                row,
                layout.item,
            )
    if options.kind != "correct":  # else numbers outside 0 and 1 are refused anyway
        refuse_markers(table.name, {layout.score: scores}, options)
        rows = _collect_rows((system, "") for system in table.names(layout.system))
        refuse_far_off(table.name, {system: scores[at] for (system, _), at in rows.items()}, options, word="system")


def _refuse_several_metrics(table: Table, layout: _Layout) -> None:
    """Refuse rows of several metrics, which are not of one scale and may point in two directions."""
    for name in table.columns:
        if name.lower() in ("metric", "metric_name") and name != layout.score:
            found = table.column(name).drop_nulls().unique(maintain_order=True).to_list()
            if len(found) > 1:
                raise InputError(
                    f"{table.name}, column {name!r} names several metrics ({', '.join(found[:3])}); keep rows of one"
                )


def _refuse_repeated(
    table: Table, layout: _Layout, systems: Sequence[str], items: Sequence[str], tasks: Sequence[str]
) -> None:
    """Refuse two rows for the same thing, which would be averaged silently."""
    repeats = [""] * len(table) if layout.repeat is None else table.names(layout.repeat)
    seen: dict[tuple[str, str, str, str], int] = {}
    for row, key in enumerate(zip(systems, tasks, items, repeats, strict=True)):
        first = seen.setdefault(key, row)
        if first != row:
            raise InputError(
                f"{table.name}, {table.place(first)} and {table.place(row)}: two scores of {systems[row]!r} for item "
                f"{items[row]!r}; give repeats a column 'repeat' and tasks a column 'task', or name the column "
                "that differs (--seed-column, --prompt-column)"
            )


def _describe(table: Table, layout: _Layout, options: ReadOptions) -> list[Note]:
    parts = {
        "items": layout.item,
        "systems": layout.system,
        "scores": layout.score,
        "tasks": layout.task,
        "groups": layout.group,
        "repeats": layout.repeat,
        "seeds": layout.seed,
        "prompts": layout.prompt,
    }
    taken = ", ".join(f"{part} from {name!r}" for part, name in parts.items() if name is not None)
    taken_too = {*list_cost_columns(table), find_unit_column(table), options.human_column}
    left = tuple(repr(name) for name in table.columns if name not in {*parts.values(), *taken_too})
    notes: list[Note] = [f"{table.name}: one row for each item and system; {taken}"]
    notes += [LeftOut("column", left, "nothing is read from it")] * bool(left)
    if has_percents(table, layout.score):
        notes.append(f"{table.name}: percentages ({layout.score}) are read as fractions, 87.5 % as 0.875")
    return notes
