"""How each program writes a run, for the promises that every reader keeps (`test_contract.py`)."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.evals.readers.written import (
    inspect_log,
    write_eee,
    write_helm,
    write_inspect,
    write_lm_eval,
    write_opencompass,
)

Scores = Sequence[float]
FIRST: Scores = (1.0, 0.0, 1.0, 1.0)
OTHER: Scores = (0.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True)
class Case:
    """How one program writes a run, and one without scores."""

    name: str
    write: Callable[[Path, str, str, Scores, int], Path]
    """folder, system, task, scores, hour → the file."""
    write_unscored: Callable[[Path, str, str], Path]

    def __str__(self) -> str:
        return self.name


def _write_inspect(folder: Path, system: str, task: str, scores: Scores, hour: int) -> Path:
    grades = {f"q{item}": ["C" if score else "I"] for item, score in enumerate(scores)}
    limit = len(scores) if len(scores) < len(FIRST) else None
    log = inspect_log(system, grades, task=task, created=f"2026-11-17T{hour:02}:00:00+00:00", limit=limit)
    return write_inspect(folder / f"{hour:02}_{task}_{system}.eval", log)


def _write_unscored_inspect(folder: Path, system: str, task: str) -> Path:
    log = inspect_log(system, {"q0": ["C"], "q1": ["I"]}, task=task)
    log["samples"] = [sample | {"scores": {}} for sample in log["samples"]]
    return write_inspect(folder / f"00_{task}_{system}.eval", log)


def _write_helm(folder: Path, system: str, task: str, scores: Scores, hour: int) -> Path:
    return write_helm(folder / "runs" / f"v{hour}", system, scores, task=task)


def _write_unscored_helm(folder: Path, system: str, task: str) -> Path:
    path = write_helm(folder / "runs" / "v0", system, (0.0, 1.0), task=task)
    entries = json.loads(path.read_text())
    for entry in entries:
        entry["stats"] = [stat | {"name": stat["name"] | {"name": "num_prompt_tokens"}} for stat in entry["stats"]]
    path.write_text(json.dumps(entries))
    return path


CASES = [
    Case(
        "lm-eval",
        lambda folder, system, task, scores, hour: write_lm_eval(
            folder, system, {"acc": scores}, task=task, date=f"2026-11-17T{hour:02}-00-0{len(task) % 10}.5"
        ),
        lambda folder, system, task: write_lm_eval(folder, system, {"bleu": [["a", "b"]] * 2}, task=task),  # type: ignore[list-item]
    ),
    Case("Inspect", _write_inspect, _write_unscored_inspect),
    Case("HELM", _write_helm, _write_unscored_helm),
    Case(
        "OpenCompass",
        lambda folder, system, task, scores, hour: write_opencompass(
            folder, system, scores, task=task, date=f"20261117_{hour:02}0000"
        ),
        lambda folder, system, task: write_opencompass(folder, system, (None, None), task=task),
    ),
    Case(
        "Every Eval Ever",
        lambda folder, system, task, scores, hour: write_eee(
            folder / str(hour), system, scores, task=task, lower_is_better=False, timestamp=str(1754092800 + hour)
        ),
        lambda folder, system, task: write_eee(folder, system, (None, None), task=task),
    ),
]
