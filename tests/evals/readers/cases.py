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
    write_json,
    write_lm_eval,
    write_opencompass,
)
from tests.evals.readers.written_agents import (
    Runs,
    write_harbor,
    write_livecodebench,
    write_tau,
    write_tau2,
    write_terminal_bench,
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

    is_dated: bool = True
    """Whether its files say when a run was made."""

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


def _repeat_once(scores: Scores) -> Runs:
    return tuple((score,) for score in scores)


def _write_harbor(folder: Path, system: str, task: str, scores: Scores, hour: int) -> Path:
    """A job whose agent has no model, so that the system is called as it is asked."""
    path = write_harbor(folder / f"{system}-{task}-{hour}", _repeat_once(scores), dataset=task, hour=hour)
    for trial in path.parent.glob("*/result.json"):
        document = json.loads(trial.read_text())
        trial.write_text(json.dumps(document | {"agent_info": {"name": system, "version": "1"}}))
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
    Case("HELM", _write_helm, _write_unscored_helm, is_dated=False),
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
    Case(
        "tau-bench",
        lambda folder, system, task, scores, hour: write_tau(
            folder / f"{hour}" / f"act-{system}-0.0_range_0--1_user-u-llm_11171200{hour:02}.json",
            _repeat_once(scores),
            domain=task,
        ),
        lambda folder, system, task: write_json(
            folder / f"{system}-{task}.json", [{"task_id": 0, "reward": "score?", "info": {}, "traj": []}]
        ),
        is_dated=False,
    ),
    Case(
        "tau2-bench",
        lambda folder, system, task, scores, hour: write_tau2(
            folder / f"{system}-{task}-{hour}.json", system, _repeat_once(scores), domain=task, hour=hour
        ),
        lambda folder, system, task: write_tau2(folder / f"{system}-{task}.json", system, ((None,),), domain=task),
    ),
    Case(
        "Terminal-Bench",
        lambda folder, system, task, scores, hour: write_terminal_bench(
            folder / f"{system}-{task}-{hour}", _repeat_once(scores), model=system, agent="", dataset=task, hour=hour
        ),
        lambda folder, system, task: write_terminal_bench(folder / f"{system}-{task}", (), model=system),
    ),
    Case(
        "Harbor",
        _write_harbor,
        lambda folder, system, task: write_harbor(folder / f"{system}-{task}", ((None,),), model=system),
    ),
    Case(
        "LiveCodeBench",
        lambda folder, system, task, scores, hour: write_livecodebench(
            folder / str(hour), system, _repeat_once(scores), scenario=task
        ),
        lambda folder, system, task: write_livecodebench(folder, system, ((), ()), scenario=task),
        is_dated=False,
    ),
]
