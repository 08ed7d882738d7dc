"""Harbor: the folder of a job, with a folder for each trial and its ``result.json``.

A trial names its task, the dataset, agent and model, and has the verifier's rewards and the cost in dollars. Trials of
one task are repeats. A trial without a reward counts as 0, as in Harbor's means; one that was cancelled is left out.

Reference: harbor 0.24, harbor/models/trial/result.py, models/job/result.py and metrics/base.py.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.evals.left_out import Note, collect_left_out
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, read_document
from ladderboard.evals.readers.settings import tell_apart
from ladderboard.evals.runs import Run

NAME = "Harbor jobs"
CANCELLED = "they were cancelled"
ONLY_JOB = "it has the means of a job and no trials; give the job's folder with those of its trials"
NO_REWARDS = "no trial has a reward"
DEEPEST = 5
"""How far below a trial's folder its agent and verifier write files."""


@dataclass(frozen=True)
class _Batch:
    """The trials of one system on one dataset in one job."""

    job: Path
    agent: str
    dataset: str
    settings: dict[str, Any]
    trials: tuple[dict[str, Any], ...]


def recognises(path: Path, opening: str) -> bool:
    """Whether a file is the result of a trial or of a job."""
    if path.name != "result.json":
        return False
    is_trial = '"trial_name"' in opening and '"task_name"' in opening
    return is_trial or ('"n_total_trials"' in opening and '"stats"' in opening)


def belongs_to_run(path: Path) -> bool:
    """Whether a file is what a trial's agent and verifier wrote, or the settings of a trial or job."""
    if path.name == "result.json":
        return False
    return any((up / "result.json").is_file() and (up / "config.json").is_file() for up in path.parents[:DEEPEST])


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each system, dataset and job: the rewards of its trials."""
    if options.groups_column is not None:
        raise InputError(f"{paths[0].name}: Harbor's trials have no groups; leave --groups-column out")
    read = {path: read_document(path) for path in paths}
    jobs = {path.parent: document for path, document in read.items() if "trial_name" not in document}
    # A job that has ended repeats its trials; their own files may be gone.
    trials = {
        job / str(trial["trial_name"]) / "result.json": trial
        for job, document in jobs.items()
        for trial in document.get("trial_results") or ()
    }
    trials |= {path: document for path, document in read.items() if "trial_name" in document}
    if not trials:
        raise InputError(f"{paths[0].parent.name}/{paths[0].name}: {ONLY_JOB}")
    counted = {path: trial for path, trial in trials.items() if not _is_cancelled(trial)}
    left = [(f"{path.parent.name}", CANCELLED) for path in trials if path not in counted]
    notes: list[Note] = [*collect_left_out("trial", left), *_describe_jobs(jobs, trials)]
    batches, unscored = _collect_batches(counted)
    notes += collect_left_out("job", [(f"{one.job.name}/result.json: {one.agent}", NO_REWARDS) for one in unscored])
    if not batches:
        raise InputError(f"{paths[0].parent.name}/{paths[0].name}: {NO_REWARDS}; were its scores written?")
    systems = tell_apart(
        [one.agent for one in batches],
        [one.settings for one in batches],
        within=[one.dataset for one in batches],
    )
    for one, system in zip(batches, systems, strict=True):
        lost = sum(_read_rewards(trial) is None for trial in one.trials)
        if lost:
            notes.append(f"{one.job.name}, {system}: {lost} of {len(one.trials)} trials have no reward and count as 0")
    return [_make_run(one, system) for one, system in zip(batches, systems, strict=True)], notes


def _is_cancelled(trial: dict[str, Any]) -> bool:
    kind = (trial.get("exception_info") or {}).get("exception_type")
    return kind == "CancelledError" and _read_rewards(trial) is None


def _describe_jobs(jobs: dict[Path, dict[str, Any]], trials: dict[Path, dict[str, Any]]) -> list[Note]:
    """The jobs of which trials were planned that are not there."""
    here: dict[Path, int] = defaultdict(int)
    for path in trials:
        here[path.parent.parent] += 1
    left = [(job.name, ONLY_JOB) for job in jobs if not here[job]]
    short = [
        f"{job.name}: {here[job]} of {document['n_total_trials']} trials are here"
        for job, document in jobs.items()
        if 0 < here[job] < int(document.get("n_total_trials") or 0)
    ]
    return [*collect_left_out("job", left), *short]


def _collect_batches(trials: dict[Path, dict[str, Any]]) -> tuple[list[_Batch], list[_Batch]]:
    """The trials by job, system and dataset: those with rewards, and those of which no trial has one."""
    found: dict[tuple[Path, str, str], list[dict[str, Any]]] = defaultdict(list)
    for path, trial in trials.items():
        found[path.parent.parent, _name_system(trial), str(trial.get("source") or "")].append(trial)
    batches = [
        _Batch(job, system, dataset, _read_settings(same[0]), tuple(same))
        for (job, system, dataset), same in found.items()
    ]
    scored = [one for one in batches if any(_read_rewards(trial) for trial in one.trials)]
    return scored, [one for one in batches if one not in scored]


def _name_system(trial: dict[str, Any]) -> str:
    """``agent (provider/model)``."""
    agent = trial["agent_info"]
    model = agent.get("model_info")
    if not model:
        return str(agent["name"])
    provider = f"{model['provider']}/" if model.get("provider") else ""
    return f"{agent['name']} ({provider}{model['name']})"


def _read_settings(trial: dict[str, Any]) -> dict[str, Any]:
    config = (trial.get("config") or {}).get("agent") or {}
    return {"version": trial["agent_info"].get("version"), **(config.get("kwargs") or {})}


def _read_rewards(trial: dict[str, Any]) -> dict[str, float] | None:
    return (trial.get("verifier_result") or {}).get("rewards") or None


def _read_cost(trial: dict[str, Any]) -> float:
    """What the agent cost, over the steps of a trial in steps; NaN where it is not given."""
    results = [trial.get("agent_result"), *((step.get("agent_result")) for step in trial.get("step_results") or ())]
    given = [as_number(one["cost_usd"]) for one in results if one and one.get("cost_usd") is not None]
    return sum(cost for cost in given if cost is not None) if given else np.nan


def _make_run(one: _Batch, system: str) -> Run:
    rewards = [_read_rewards(trial) for trial in one.trials]
    names = dict.fromkeys(name for reward in rewards if reward for name in reward)

    def list_scores(name: str) -> FloatArray:
        return np.array([0.0 if reward is None else float(reward.get(name, 0.0)) for reward in rewards])

    ended = [str(trial["finished_at"]) for trial in one.trials if trial.get("finished_at")]
    return Run(
        system=system,
        file=f"{one.job.name}/result.json",
        items=tuple(str(trial["task_name"]) for trial in one.trials),
        scores={name: list_scores(name) for name in names},
        task=one.dataset,
        higher_is_better=dict.fromkeys(names, True),
        date=max(ended) if ended else None,
        contents=tuple(str(trial.get("task_checksum") or "") for trial in one.trials),
        costs={"USD": np.array([_read_cost(trial) for trial in one.trials])},
    )
