"""Every Eval Ever: ``UUID_samples.jsonl`` of its instance-level schema, with the aggregate ``UUID.json`` beside it.

A line is one sample under one result of an evaluation. The aggregate says which way each score points, and whether −1
stands for an unknown level.

Reference: evaleval/every_eval_ever, instance_level_eval.schema.json and eval.schema.json (0.2.2); compared with files
that its converter of lm-eval's results wrote (0.3.0).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.evals.left_out import Note, collect_left_out
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, is_log_likelihood, read_document, read_lines
from ladderboard.evals.runs import Run

NAME = "Every Eval Ever samples"
_FIELDS = ('"schema_version"', '"evaluation_id"', '"model_id"', '"sample_id"', '"evaluation"')


@dataclass(frozen=True)
class _Sample:
    """What is needed of a record: prompts and answers are not kept in memory."""

    item: str
    score: float
    is_correct: bool | None
    result: str
    """The id of the aggregate result that it belongs to; empty where it is not said."""
    evaluation: str
    content: str
    group: str | None


def recognises(path: Path, opening: str) -> bool:
    """Whether a file holds samples of the instance-level schema."""
    return path.suffix == ".jsonl" and all(field in opening for field in _FIELDS)


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each model and evaluation in each file, and notes on those without scores."""
    runs = [run for path in paths for run in _read_file(path, options.groups_column)]
    scored = [run for run in runs if run.scored]
    if not scored:
        raise InputError(f"{paths[0].name}: no sample has a score")
    left = [(f"{run.file}: {run.name}", "no sample has a score") for run in runs if not run.scored]
    return scored, [*collect_left_out("run", left)]


def _read_file(path: Path, column: str | None) -> list[Run]:
    found: dict[tuple[str, str], list[_Sample]] = defaultdict(list)
    for record in read_lines(path):
        found[str(record["model_id"]), str(record["evaluation_name"])].append(_read_sample(path, record, column))
    aggregate = _read_aggregate(path)
    return [_make_run(path, model, task, samples, aggregate) for model, task, samples in _join_same_samples(found)]


def _join_same_samples(found: dict[tuple[str, str], list[_Sample]]) -> list[tuple[str, str, list[_Sample]]]:
    """Evaluations of a file, those of the same samples as one task: two filters of lm-eval do not make two items."""
    same: dict[tuple[str, frozenset[tuple[str, str]]], list[str]] = defaultdict(list)
    for (model, task), samples in found.items():
        is_known = all(sample.content and sample.result for sample in samples)
        contents = [(sample.item, sample.content) for sample in samples] if is_known else [(task, "")]
        same[model, frozenset(contents)].append(task)
    return [
        (model, _name_together(tasks), [sample for task in tasks for sample in found[model, task]])
        for (model, _), tasks in same.items()
    ]


def _name_together(tasks: Sequence[str]) -> str:
    """One name for evaluations of the same samples: ``gen`` for ``gen/first`` and ``gen/digits``."""
    parents = {task.rpartition("/")[0] for task in tasks}
    return parents.pop() if len(tasks) > 1 and len(parents) == 1 and all(parents) else " + ".join(tasks)


def _read_sample(path: Path, record: dict[str, Any], column: str | None) -> _Sample:
    number = as_number(record["evaluation"].get("score"))
    if number is None:
        raise InputError(f"{path.name}: the score of sample {record['sample_id']!r} is not a number")
    return _Sample(
        item=str(record["sample_id"]),
        score=number,
        is_correct=record["evaluation"].get("is_correct"),
        result=str(record.get("evaluation_result_id") or ""),
        evaluation=str(record["evaluation_id"]),
        content=str(record.get("sample_hash") or ""),
        group=None if column is None else _read_group(path, record, column),
    )


def _read_group(path: Path, record: dict[str, Any], column: str) -> str:
    metadata = record.get("metadata") or {}
    if column not in metadata:
        raise InputError(
            f"{path.name}: sample {record['sample_id']!r} has no metadata {column!r} (--groups-column); it has "
            f"{', '.join(metadata) or 'none'}"
        )
    return str(metadata[column])


def _make_run(path: Path, model: str, task: str, samples: list[_Sample], aggregate: dict[str, Any]) -> Run:
    scores: dict[str, FloatArray] = {}
    directions: dict[str, bool] = {}
    for result, name in _name_scores(samples).items():
        metric = _find_metric(result, task, aggregate)
        numbers = np.array([sample.score if sample.result == result else np.nan for sample in samples])
        if metric.get("has_unknown_level"):
            numbers[numbers == -1] = np.nan
        if is_log_likelihood(metric.get("metric_name") or name, numbers):
            scores["log_likelihood"], directions["log_likelihood"] = numbers, True
            continue
        scores[name] = numbers
        pairs = {(sample.score, sample.is_correct) for sample in samples if sample.result == result}
        if "lower_is_better" in metric:
            directions[name] = not metric["lower_is_better"]
        elif pairs <= {(1, True), (0, False)}:
            directions[name] = True
    return Run(
        system=model,
        file=path.name,
        items=tuple(sample.item for sample in samples),
        scores=scores,
        task=task,
        higher_is_better=directions,
        date=_find_date(aggregate),
        contents=tuple(sample.content for sample in samples) if all(sample.content for sample in samples) else None,
        groups=tuple(sample.group for sample in samples if sample.group is not None) or None,
    )


def _name_scores(samples: list[_Sample]) -> dict[str, str]:
    """Id of a result → its name in every run: ids may have the model and the time of the evaluation in them."""
    results = {sample.result: sample.evaluation for sample in samples}
    if len(results) == 1:
        return dict.fromkeys(results, "score")
    return {result: result.removeprefix(evaluation).strip("#/:.") or "score" for result, evaluation in results.items()}


def _find_metric(result: str, task: str, aggregate: dict[str, Any]) -> dict[str, Any]:
    """What the aggregate says of the metric of a result; empty where it does not say which one it is."""
    found = aggregate.get("evaluation_results", ())
    same = [one for one in found if result and one.get("evaluation_result_id") == result]
    same = same or [one for one in found if one.get("evaluation_name") == task]
    return (same[0].get("metric_config") or {}) if len(same) == 1 else {}


def _read_aggregate(path: Path) -> dict[str, Any]:
    beside = path.with_name(f"{path.stem.removesuffix('_samples')}.json")
    document = read_document(beside) if beside.is_file() else {}
    return document if isinstance(document, dict) else {}


def _find_date(aggregate: dict[str, Any]) -> str | None:
    moment = aggregate.get("evaluation_timestamp") or aggregate.get("retrieved_timestamp")
    if moment is None:
        return None
    try:
        return datetime.fromtimestamp(float(moment), UTC).isoformat()
    except ValueError:
        return str(moment)
