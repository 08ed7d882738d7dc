"""The Hugging Face Hub's ``.eval_results/*.yaml``: a model's scores on a benchmark, as its repository keeps them.

A file for each system, to be put into the system's own repository. Whether two systems can be told apart is written
into the notes: standard error, items, and the ranks that the system may truly have among those that were compared.

Reference: the Hub's documentation of evaluation results; huggingface_hub 1.33, EvalResultEntry.
"""

import json
import re
from pathlib import Path

from ladderboard.core.errors import ParameterError
from ladderboard.evals.loss_matrix import LossMatrix
from ladderboard.evals.writers.task_scores import TaskScores, list_task_scores
from ladderboard.inference.rank_ranges import RankRange, rank_ranges

_DATASET = re.compile(r"[\w.-]+/[\w.-]+")


def write_eval_results(
    results: LossMatrix,
    folder: Path | str,
    *,
    dataset: str,
    task_id: str = "default",
    source_url: str | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> list[Path]:
    """Write ``SYSTEM/.eval_results/DATASET.yaml`` for each system; the files that were written.

    Parameters
    ----------
    results
        Systems on items. Results of several tasks have an entry for each, called after the task.
    folder
        Where the systems' folders are made.
    dataset
        The benchmark's dataset on the Hub, ``organisation/name``.
    task_id
        The task of the dataset, where the results are of one.
    source_url
        Where the results are published.
    confidence, seed
        Of the rank ranges in the notes.

    Examples
    --------
    >>> import tempfile
    >>> results = LossMatrix.of([[0, 1], [1, 1], [0, 0]] * 20, systems=["org/a", "org/b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(write_eval_results(results, folder, dataset="org/quiz")[0].read_text())
    - dataset:
        id: "org/quiz"
        task_id: "default"
      value: 0.3333333333
      notes: "loss, lower is better; standard error 0.0614; 60 items; rank 1 of 2 systems compared (95 % confidence)"
    <BLANKLINE>
    """
    if not _DATASET.fullmatch(dataset):
        raise ParameterError(f"dataset is {dataset!r}; give a dataset of the Hub, such as openai/gsm8k (--dataset)")
    tasks = list(list_task_scores(results, task_id))
    ranges = rank_ranges(results, confidence, seed=seed)
    written = []
    for column, system in enumerate(results.systems):
        over = f"over all {len(tasks)} tasks " if len(tasks) > 1 else ""
        compared = (
            f"{over}{_say_rank(ranges[column])} of {len(ranges)} systems compared ({100 * confidence:g} % confidence)"
        )
        entries = [
            _make_entry(task, column, dataset, source_url, f"{_describe(results, task, column)}; {compared}")
            for task in tasks
        ]
        place = [re.sub(r"[^\w.+-]+", "_", part).strip("._") or "unnamed" for part in system.split("/")]
        path = Path(folder, *place, ".eval_results", f"{dataset.replace('/', '_')}.yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(entries), encoding="utf-8")
        written.append(path)
    return written


def _say_rank(one: RankRange) -> str:
    """The ranks that a system may truly have."""
    return f"ranks {one.best}–{one.worst}" if one.worst > one.best else f"rank {one.best}"


def _describe(results: LossMatrix, task: TaskScores, column: int) -> str:
    """What the value is, and how far chance may move it."""
    measure, error = results.measure, task.standard_errors[column]
    direction = "lower" if measure.lower_is_better else "higher"
    shown = "" if error is None else f"standard error {error:.4f}; "
    return f"{measure.name}, {direction} is better; {shown}{len(task.rows)} items"


def _make_entry(task: TaskScores, column: int, dataset: str, source_url: str | None, notes: str) -> str:
    """An entry as YAML, whose strings are written as JSON's."""
    source = "" if source_url is None else f"  source:\n    url: {_quote(source_url)}\n"
    return (
        f"- dataset:\n    id: {_quote(dataset)}\n    task_id: {_quote(task.task)}\n"
        f"  value: {task.scores[column]:.10g}\n{source}  notes: {_quote(notes)}\n"
    )


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
