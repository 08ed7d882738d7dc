"""Every Eval Ever: ``UUID_samples.jsonl`` of its instance-level schema, with the aggregate ``UUID.json`` beside it.

A line is one sample under one result of an evaluation. The aggregate says which way each score points.

Reference: evaleval/every_eval_ever, instance_level_eval.schema.json and eval.schema.json (0.2).
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.gathering import Run
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, read_document, read_lines

NAME = "Every Eval Ever samples"
_FIELDS = ('"schema_version"', '"evaluation_id"', '"model_id"', '"sample_id"', '"evaluation"')


def recognises(path: Path, opening: str) -> bool:
    """Whether a file holds samples of the instance-level schema."""
    return path.suffix == ".jsonl" and all(field in opening for field in _FIELDS)


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[str]]:
    """A run for each model and evaluation in each file."""
    if options.groups_column is not None:
        raise InputError(f"{paths[0].name}: samples of this schema have no groups; leave --groups-column out")
    return [run for path in paths for run in _read_file(path)], []


def _read_file(path: Path) -> list[Run]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for record in read_lines(path):
        found[str(record["model_id"]), str(record["evaluation_name"])].append(_keep_needed(path, record))
    aggregate = _read_aggregate(path)
    return [_make_run(path, model, task, samples, aggregate) for (model, task), samples in found.items()]


def _keep_needed(path: Path, record: dict[str, Any]) -> dict[str, Any]:
    """What is needed of a record: prompts and answers are not kept in memory."""
    number = as_number(record["evaluation"].get("score"))
    if number is None:
        raise InputError(f"{path.name}: the score of sample {record['sample_id']!r} is no number")
    return {
        "item": str(record["sample_id"]),
        "score": number,
        "correct": record["evaluation"].get("is_correct"),
        "result": str(record.get("evaluation_result_id") or "score"),
        "content": str(record.get("sample_hash") or ""),
    }


def _make_run(path: Path, model: str, task: str, samples: list[dict[str, Any]], aggregate: dict[str, Any]) -> Run:
    names = sorted({sample["result"] for sample in samples})
    scores = {
        name: np.array([sample["score"] if sample["result"] == name else np.nan for sample in samples])
        for name in names
    }
    return Run(
        system=model,
        file=path.name,
        items=tuple(sample["item"] for sample in samples),
        scores=scores,
        task=task,
        higher_is_better=_find_directions(names, samples, task, aggregate),
        date=_find_date(aggregate),
        contents=tuple(sample["content"] for sample in samples) if all(s["content"] for s in samples) else None,
    )


def _find_directions(
    names: list[str], samples: list[dict[str, Any]], task: str, aggregate: dict[str, Any]
) -> dict[str, bool]:
    known = {}
    for result in aggregate.get("evaluation_results", ()):
        lower = (result.get("metric_config") or {}).get("lower_is_better")
        name = str(result.get("evaluation_result_id") or "score")
        if lower is not None and (name in names or result.get("evaluation_name") == task):
            known[name if name in names else "score"] = not lower
    for name in names:
        pairs = {(sample["score"], sample["correct"]) for sample in samples if sample["result"] == name}
        if name not in known and pairs <= {(1, True), (0, False)}:
            known[name] = True
    return known


def _read_aggregate(path: Path) -> dict[str, Any]:
    beside = path.with_name(f"{path.name.removesuffix('_samples.jsonl')}.json")
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
