"""Tasks and outputs in the files of evaluation harnesses: logs of Inspect, samples of lm-eval.

A log has what was asked and what was answered, so that one file gives the tasks of a loop and others the outputs of its
candidates. The scores in it are not taken: one pinned grader judges all.

Reference: UKGovernmentBEIS/inspect_ai 0.3.285, log/_log.py; EleutherAI/lm-evaluation-harness 0.4.13, evaluator.py.
"""

import json
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ladderboard.core.errors import InputError, LabelsError, PredictionsError
from ladderboard.evals.readers.zstandard_zip import read_member

LM_EVAL = {"doc_id", "doc", "target", "arguments", "filtered_resps"}
"""The fields by which a line of lm-eval's samples is told."""
INSPECT = ("input", "target", "choices", "metadata")
"""Of an Inspect sample what makes its task."""


def is_inspect_log(path: Path) -> bool:
    """Whether a file is an ``.eval`` log, a zip archive."""
    return path.suffix == ".eval"


def is_lm_eval(lines: Sequence[Any]) -> bool:
    """Whether these are lm-eval's samples."""
    return bool(lines) and isinstance(lines[0], dict) and set(lines[0]) >= LM_EVAL


def read_inspect_samples(path: Path) -> list[dict[str, Any]]:
    """All samples of a finished log."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            status = (
                json.loads(read_member(archive, "header.json")).get("status") if "header.json" in names else "started"
            )
            if status != "success":
                raise InputError(f"{path.name}: the status is {status!r}, not 'success'; run it to its end")
            samples = sorted(one for one in names if one.startswith("samples/") and one.endswith(".json"))
            return [json.loads(read_member(archive, one)) for one in samples]
    except (zipfile.BadZipFile, ValueError, KeyError) as problem:
        raise InputError(f"{path.name} is not a complete Inspect log: {problem}") from None


def list_inspect_tasks(samples: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """A task for each sample, whatever its epochs; the target is the grader's."""
    found: dict[str, dict[str, Any]] = {}
    for one in samples:
        task = {"id": str(one["id"]), **{name: one[name] for name in INSPECT if one.get(name)}}
        if "choices" in task:  # they are asked too
            task["input"] = {"question": task["input"], "choices": task["choices"]}
        _add(found, task)
    return list(found.values())


def list_inspect_outputs(samples: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    """The completion of every epoch by sample."""
    runs: dict[str, list[Any]] = {}
    for one in sorted(samples, key=lambda sample: int(sample.get("epoch", 1))):
        if one.get("error"):
            raise PredictionsError(f"sample {one['id']!r} ended with an error; run it again")
        runs.setdefault(str(one["id"]), []).append((one.get("output") or {}).get("completion", ""))
    return runs


def list_lm_eval_tasks(lines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """A task for each document, whatever its filters; the document and the target are the grader's."""
    found: dict[str, dict[str, Any]] = {}
    for one in lines:
        _add(found, {"id": _name(one), "input": _find_input(one), "target": one["target"], "doc": one["doc"]})
    return list(found.values())


def list_lm_eval_outputs(lines: Sequence[dict[str, Any]], name: str) -> dict[str, list[Any]]:
    """What was answered by document: a text, or for several requests the list of their answers."""
    filters = sorted({str(one.get("filter", "none")) for one in lines})
    if len(filters) > 1:
        raise PredictionsError(
            f"{name} has the answers of several filters: {', '.join(filters)}; keep the lines of one of them"
        )
    runs: dict[str, list[Any]] = {}
    for one in lines:
        answers = one["filtered_resps"]
        alone = isinstance(answers, list) and len(answers) == 1
        runs.setdefault(_name(one), []).append(answers[0] if alone else answers)
    return runs


def _name(line: dict[str, Any]) -> str:
    """The document's number with a piece of its hash: numbers alone go on in another edition of the data."""
    return f"{line['doc_id']}-{str(line.get('doc_hash', ''))[:8]}"


def _find_input(line: dict[str, Any]) -> Any:
    """What was asked: a text, or for several requests a context with its continuations."""
    given = line["arguments"]
    requests = (
        list(given.values())
        if isinstance(given, dict)
        else [{f"arg_{n}": x for n, x in enumerate(one)} for one in given]
    )
    contexts = list(dict.fromkeys(str(one.get("arg_0", "")) for one in requests))
    if len(requests) == 1:
        return contexts[0]
    return {
        "context": contexts[0] if len(contexts) == 1 else contexts,
        "continuations": [one.get("arg_1") for one in requests],
    }


def _add(found: dict[str, dict[str, Any]], task: dict[str, Any]) -> None:
    if found.setdefault(task["id"], task) != task:
        raise LabelsError(f"two tasks are called {task['id']!r}; give the file of one run")
