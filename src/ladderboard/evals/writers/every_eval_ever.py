"""Every Eval Ever: an aggregate with standard errors and the samples, for each system.

``data/BENCHMARK/DEVELOPER/MODEL/UUID.json`` and ``UUID_samples.jsonl``. A matrix has no prompts and answers: those
fields are empty. Runs that are right or wrong are written one by one, other repeats as their mean.

Reference: evaleval/every_eval_ever 0.3.0, eval.schema.json and instance_level_eval.schema.json.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args
from uuid import UUID

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.evals.loss_matrix import LossMatrix
from ladderboard.evals.writers.task_scores import TaskScores, list_task_scores

VERSION = "0.3.0"
Relationship = Literal["first_party", "third_party", "collaborative", "other"]
WHOLE = 1e-6
"""A mean of runs this close to a whole number of successes is one."""


def write_every_eval_ever(
    results: LossMatrix,
    folder: Path | str,
    *,
    benchmark: str,
    organisation: str,
    relationship: Relationship = "third_party",
    now: datetime,
) -> list[Path]:
    """Write results as Every Eval Ever keeps them; the aggregates that were written.

    Parameters
    ----------
    results
        Systems on items, as `read_results` gives them.
    folder
        Where ``data/`` begins.
    benchmark
        What the results are of; the name of the task where there is one only.
    organisation, relationship
        Who ran the evaluation, and whether they also made the models.
    now
        The time of writing, which the format asks for.

    Examples
    --------
    >>> import tempfile
    >>> from datetime import UTC
    >>> results = LossMatrix.of([[0, 1], [1, 1], [0, 0]], systems=["org/a", "org/b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = write_every_eval_ever(
    ...         results, folder, benchmark="quiz", organisation="us", now=datetime(2026, 1, 1, tzinfo=UTC)
    ...     )
    ...     [path.relative_to(folder).parts[:4] for path in paths]
    [('data', 'quiz', 'org', 'a'), ('data', 'quiz', 'org', 'b')]
    """
    if relationship not in get_args(Relationship):
        raise ParameterError(f"relationship is {relationship!r}; it must be one of {', '.join(get_args(Relationship))}")
    tasks = list(list_task_scores(results, benchmark))
    written = []
    for column, system in enumerate(results.systems):
        developer, _, model = system.rpartition("/")
        place = Path("data", _make_name(benchmark), _make_name(developer or "unknown"), _make_name(model))
        run = f"{benchmark}/{system}/{now.timestamp():.0f}"
        name = str(UUID(bytes=hashlib.sha256(run.encode()).digest()[:16], version=4))
        samples = "".join(
            json.dumps(sample) + "\n" for task in tasks for sample in _list_samples(results, column, task, run)
        )
        path = Path(folder) / place / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(f"{name}_samples.jsonl").write_text(samples, encoding="utf-8")
        aggregate = {
            "schema_version": VERSION,
            "evaluation_id": run,
            **({} if results.dates is None else {"evaluation_timestamp": results.dates[column]}),
            "retrieved_timestamp": f"{now.timestamp():.0f}",
            "source_metadata": {
                "source_type": "evaluation_run",
                "source_organization_name": organisation,
                "evaluator_relationship": relationship,
            },
            "eval_library": {"name": "ladderboard", "version": "unknown"},
            "model_info": {
                "name": system,
                "id": f"{developer or 'unknown'}/{model}",
                "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
            },
            "evaluation_results": [_describe_task(results, column, task, run) for task in tasks],
            "detailed_evaluation_results": {
                "format": "jsonl",
                "file_path": (place / f"{name}_samples.jsonl").as_posix(),
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(samples.encode()).hexdigest(),
                "total_rows": samples.count("\n"),
            },
        }
        path.write_text(json.dumps(aggregate, indent=2), encoding="utf-8")
        written.append(path)
    return written


def _make_name(text: str) -> str:
    """A name for a folder."""
    return re.sub(r"[^\w.+-]+", "_", text).strip("._") or "unnamed"


def _describe_task(results: LossMatrix, column: int, task: TaskScores, run: str) -> dict[str, Any]:
    error = task.standard_errors[column]
    grouped = results.groups is not None
    uncertainty = {
        "standard_error": {"value": error, "method": "analytic, groups of items" if grouped else "analytic"},
        "num_samples": len(task.rows),
    }
    return {
        "evaluation_result_id": f"{run}#{task.task}",
        "evaluation_name": task.task,
        "source_data": {"dataset_name": task.task, "source_type": "other"},
        "metric_config": {
            "metric_name": results.measure.name,
            "lower_is_better": results.measure.lower_is_better,
            "score_type": "continuous",
            **_find_bounds(results),
        },
        "score_details": {
            "score": task.scores[column],
            **({} if error is None else {"uncertainty": uncertainty}),
        },
    }


def _find_bounds(results: LossMatrix) -> dict[str, object]:
    """The lowest and highest possible score: 0 and 1 where the losses are shares, else none is known."""
    is_share = bool(results.losses.min() >= 0 and results.losses.max() <= 1) and results.measure.zero_loss_score == 1
    return {"min_score": 0.0, "max_score": 1.0} if is_share else {"min_score": "-Infinity", "max_score": "Infinity"}


def _list_samples(results: LossMatrix, column: int, task: TaskScores, run: str) -> Iterator[dict[str, Any]]:
    system = results.systems[column]
    developer, _, model = system.rpartition("/")
    for row in task.rows:
        item = results.items[row].removeprefix(f"{task.task}/")
        for loss in _list_runs(results, int(row), column):
            yield {
                "schema_version": VERSION,
                "evaluation_id": run,
                "model_id": f"{developer or 'unknown'}/{model}",
                "evaluation_name": task.task,
                "evaluation_result_id": f"{run}#{task.task}",
                "sample_id": item,
                "interaction_type": "single_turn",
                "input": {"raw": "", "reference": []},
                "output": {"raw": []},
                "answer_attribution": [],
                "evaluation": {"score": results.measure.score(loss), "is_correct": loss == 0},
                **({} if results.groups is None else {"metadata": {"group": results.groups[row]}}),
            }


def _list_runs(results: LossMatrix, row: int, column: int) -> list[float]:
    """The losses of the runs behind a cell where they were right or wrong; else their mean."""
    mean = float(results.losses[row, column])
    count = 1 if results.repeats is None else int(results.repeats.counts[row, column])
    failures = mean * count
    if count == 1 or abs(failures - np.rint(failures)) > WHOLE or not 0 <= mean <= 1:
        return [mean]
    return [1.0] * round(failures) + [0.0] * (count - round(failures))
