"""promptfoo: the output of an evaluation, ``-o results.json`` or ``-o results.jsonl``.

A result is one test with one prompt and one provider. A system is a provider, with the prompt's label where there are
several prompts. A test is known by its variables and assertions: ``--repeat`` numbers the repeats as if they were new
tests. A result that ended in an error counts as failed, as promptfoo counts it; costs that are all 0 are not given.

Reference: promptfoo 0.121.20, files that it wrote.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.left_out import Note, collect_left_out
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, read_document, read_lines
from ladderboard.evals.runs import Run

NAME = "promptfoo outputs"
NO_RESULTS = "it has no results with scores"
ERROR = 2
"""The failureReason of a result whose provider failed."""
MOST_CHARACTERS = 40


@dataclass(frozen=True)
class _Evaluation:
    """The results of one file."""

    path: Path
    results: list[dict[str, Any]]
    task: str
    date: str | None


def recognises(path: Path, opening: str) -> bool:
    """Whether a file is an evaluation, whole or a result in each line."""
    if path.suffix == ".jsonl":
        return all(field in opening for field in ('"provider"', '"promptIdx"', '"testIdx"', '"success"'))
    is_whole = '"evalId"' in opening and '"results"' in opening and '"prompts"' in opening
    return path.suffix == ".json" and is_whole


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each provider and prompt in each file: whether each test passed, and its scores."""
    read = [_read_evaluation(path) for path in paths]
    scored = [one for one in read if one.results]
    if not scored:
        raise InputError(f"{paths[0].name}: {NO_RESULTS}")
    notes: list[Note] = [*collect_left_out("file", [(one.path.name, NO_RESULTS) for one in read if not one.results])]
    several = len({_name_prompt(result) for one in scored for result in one.results}) > 1
    runs = []
    for one in scored:
        of_system: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for result in one.results:
            prompt = f" [{_name_prompt(result)}]" if several else ""
            of_system[_name_provider(result) + prompt].append(result)
        for system, results in of_system.items():
            failed = sum(result.get("failureReason") == ERROR for result in results)
            if failed:
                notes.append(f"{system}: {failed} of {len(results)} results are errors and count as failed")
            runs.append(_make_run(one, system, results, options.groups_column))
    return runs, notes


def _read_evaluation(path: Path) -> _Evaluation:
    if path.suffix == ".jsonl":
        return _Evaluation(path, _keep_scored(read_lines(path)), "", None)
    document = read_document(path)
    task = (document.get("config") or {}).get("description") or ""
    results = document["results"]
    return _Evaluation(path, _keep_scored(results.get("results") or ()), str(task), results.get("timestamp"))


def _keep_scored(results: Any) -> list[dict[str, Any]]:
    return [result for result in results if isinstance(result.get("success"), bool)]


def _name_provider(result: dict[str, Any]) -> str:
    provider = result["provider"]
    return str((provider.get("label") or provider["id"]) if isinstance(provider, dict) else provider)


def _name_prompt(result: dict[str, Any]) -> str:
    """The prompt's label; a long one is the prompt itself, and cut."""
    prompt = result.get("prompt") or {}
    label = " ".join(str(prompt.get("label") or prompt.get("raw") or "").split())
    if len(label) <= MOST_CHARACTERS:
        return label
    return f"{label[:MOST_CHARACTERS]}… {hashlib.sha256(label.encode()).hexdigest()[:4]}"


def _name_test(result: dict[str, Any]) -> str:
    """The test's description or variables, with a hash of all that makes it this test."""
    test, variables = result.get("testCase") or {}, result.get("vars") or {}
    content = json.dumps([variables, test.get("assert"), test.get("threshold")], sort_keys=True)
    said = test.get("description") or ", ".join(f"{name}={value}" for name, value in variables.items())
    return f"{' '.join(str(said).split())[:MOST_CHARACTERS]} {hashlib.sha256(content.encode()).hexdigest()[:8]}".strip()


def _make_run(one: _Evaluation, system: str, results: list[dict[str, Any]], column: str | None) -> Run:
    scores = {
        "success": np.array([float(result["success"]) for result in results]),
        "score": np.array([_to_number(result.get("score")) for result in results]),
    }
    for name in dict.fromkeys(name for result in results for name in result.get("namedScores") or {}):
        scores[name] = np.array([_to_number((result.get("namedScores") or {}).get(name)) for result in results])
    costs = np.array([_to_number(result.get("cost")) for result in results])
    return Run(
        system=system,
        file=one.path.name,
        items=tuple(_name_test(result) for result in results),
        scores=scores,
        task=one.task,
        higher_is_better=dict.fromkeys(scores, True),
        date=one.date,
        groups=None if column is None else tuple(_read_group(one.path, result, column) for result in results),
        costs={"USD": costs} if np.nansum(costs) > 0 else {},
    )


def _to_number(value: Any) -> float:
    number = as_number(value)
    return np.nan if number is None else number


def _read_group(path: Path, result: dict[str, Any], column: str) -> str:
    known = {**((result.get("testCase") or {}).get("metadata") or {}), **(result.get("vars") or {})}
    if column not in known:
        raise InputError(
            f"{path.name}: a test has no variable or metadata {column!r} (--groups-column); it has "
            f"{', '.join(known) or 'none'}"
        )
    return str(known[column])
