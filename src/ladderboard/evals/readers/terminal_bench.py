"""Terminal-Bench: the folder of a run, with ``results.json`` of all trials and one in the folder of each trial.

A trial says which task it tried and whether that is resolved; agent and model stand in ``run_metadata.json`` or
``tb.lock`` of the run. Where neither names a model, two runs may be of two models: each is a system of its own, called
after its folder, or after its file where ``results.json`` was renamed. Attempts are repeats, and a trial without an
outcome is not resolved, as Terminal-Bench counts it.

Reference: terminal-bench 0.2.18, terminal_bench/harness/models.py and harness.py.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.left_out import Note, collect_left_out, list_names
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import read_document
from ladderboard.evals.readers.settings import tell_apart
from ladderboard.evals.runs import Run

NAME = "Terminal-Bench runs"
NO_TRIALS = "it has no trial"
_TRIAL = re.compile(r'"trial_name"\s*:.*"is_resolved"\s*:', re.DOTALL)
_EMPTY = re.compile(r'\A\s*\{\s*"id"\s*:\s*"[^"]*"\s*,\s*"results"\s*:\s*\[\s*\]')
_RESULTS = "results.json"
BESIDE = ("run_metadata.json", "tb.lock")


@dataclass(frozen=True)
class _Job:
    """The trials of one run, and what is known of it."""

    folder: Path
    name: str
    trials: tuple[dict[str, Any], ...]
    metadata: dict[str, Any]
    lock: dict[str, Any]

    @property
    def model(self) -> str | None:
        locked = (self.lock.get("agent") or {}).get("model_name")
        return self.metadata.get("model_name") or locked

    @property
    def system(self) -> str:
        """``agent (model)``, or the folder where no model is named."""
        agent = self.metadata.get("agent_name") or (self.lock.get("agent") or {}).get("name")
        if self.model is None:
            return self.name
        return f"{agent} ({self.model})" if agent else self.model

    @property
    def dataset(self) -> str:
        dataset = self.lock.get("dataset") or {}
        name = self.metadata.get("dataset_name") or dataset.get("name") or ""
        version = self.metadata.get("dataset_version") or dataset.get("version")
        return f"{name} {version}" if name and version else str(name)


def recognises(path: Path, opening: str) -> bool:
    """Whether a file holds the outcome of a trial, or of all trials of a run."""
    return path.name.endswith(_RESULTS) and bool(_TRIAL.search(opening) or _EMPTY.search(opening))


def belongs_to_run(path: Path) -> bool:
    """Whether a file describes the run whose results stand beside it."""
    return path.name in BESIDE and path.with_name("results.json").is_file()


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each folder of a run: whether each trial resolved its task."""
    if options.groups_column is not None:
        raise InputError(f"{paths[0].name}: Terminal-Bench's trials have no groups; leave --groups-column out")
    read = _collect_jobs(paths)
    jobs = [job for job in read if job.trials]
    if not jobs:
        raise InputError(f"{read[0].folder.name}/results.json: {NO_TRIALS}; were its scores written?")
    left = [(f"{job.folder.name}/results.json", NO_TRIALS) for job in read if not job.trials]
    notes: list[Note] = [*collect_left_out("file", left)]
    tasks = [job.dataset for job in jobs]
    systems = tell_apart(
        [job.system for job in jobs], [job.metadata.get("agent_kwargs") or {} for job in jobs], within=tasks
    )
    unnamed = [job.name for job in jobs if job.model is None]
    if unnamed:
        notes.append(
            f"no model is named in {len(unnamed)} of {len(jobs)} runs ({list_names(unnamed)}): each is a system of its "
            "own, called after its folder"
        )
    lost = [(job, sum(trial.get("is_resolved") is None for trial in job.trials)) for job in jobs]
    without = [f"{number} of {len(job.trials)} in {job.folder.name}" for job, number in lost if number]
    if without:
        notes.append(f"trials without an outcome count as not resolved: {list_names(without)}")
    return [_make_run(job, system, task) for job, system, task in zip(jobs, systems, tasks, strict=True)], notes


def _collect_jobs(paths: Sequence[Path]) -> list[_Job]:
    """The trials of each run's folder, each once: the results of a run repeat those of its trials."""
    trials: dict[Path, dict[str, dict[str, Any]]] = defaultdict(dict)
    for path in sorted(paths, key=lambda path: len(path.parts)):
        document = read_document(path)
        if "results" in document:
            found, folder = document["results"], path.parent if path.name == _RESULTS else path.with_suffix("")
        else:
            found, folder = [document], _find_run(path)
        for trial in found:
            trials[folder].setdefault(str(trial["trial_name"]), trial)
        trials[folder]  # an empty run is one, too
    return [
        _Job(
            folder,
            _name(folder),
            tuple(known.values()),
            _read_beside(folder / BESIDE[0]),
            _read_beside(folder / BESIDE[1]),
        )
        for folder, known in trials.items()
    ]


def _name(folder: Path) -> str:
    """A run's folder; one that was kept as a file ``DATE_results.json`` is called after the folder above, too."""
    is_file = folder.with_suffix(".json").is_file() and not folder.is_dir()
    return f"{folder.parent.name}/{folder.name.removesuffix('results').rstrip('_-. ')}" if is_file else folder.name


def _find_run(path: Path) -> Path:
    """The run's folder of a trial's file ``RUN/TASK/TRIAL/results.json``."""
    return path.parents[2] if len(path.parents) > 2 else path.parent


def _read_beside(path: Path) -> dict[str, Any]:
    document = read_document(path) if path.is_file() else {}
    return document if isinstance(document, dict) else {}


def _make_run(job: _Job, system: str, task: str) -> Run:
    ended = [str(trial["trial_ended_at"]) for trial in job.trials if trial.get("trial_ended_at")]
    return Run(
        system=system,
        file=f"{job.folder.name}/results.json",
        items=tuple(str(trial["task_id"]) for trial in job.trials),
        scores={"resolved": np.array([float(bool(trial.get("is_resolved"))) for trial in job.trials])},
        task=task,
        higher_is_better={"resolved": True},
        date=max(ended) if ended else None,
    )
