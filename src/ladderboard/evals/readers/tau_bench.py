"""tau-bench: the trajectories of an agent on the tasks of a domain, one JSON list for each run.

A record is one trial of a task: its number, the reward and the conversation. The file is called after the agent's
strategy, model and temperature; the domain stands only in the policy that a conversation begins with. Trials are
repeats. A trial that ended in an error has the reward 0, as tau-bench counts it.

Reference: sierra-research/tau-bench, tau_bench/run.py and types.py; its historical_trajectories.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.left_out import Note, collect_left_out
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, read_document
from ladderboard.evals.readers.settings import tell_apart
from ladderboard.evals.runs import Run

NAME = "tau-bench trajectories"
NO_TRIALS = "it has no trial with a reward"
_BEGIN = re.compile(r'\A\s*\[\s*\{\s*"task_id"\s*:\s*[^{},]+,\s*"reward"\s*:')
_FILE = re.compile(
    r"(?P<strategy>tool-calling|act|react|few-shot)-(?P<model>.+)-(?P<temperature>\d[\d.]*)_range_-?\d+--?\d+"
    r"_user-(?P<user>.+?)_\d{10}"
)
_POLICY = re.compile(r"^#+ *(\w+) agent policy", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class _Trajectories:
    """The trials of one file."""

    path: Path
    trials: list[dict[str, Any]]

    @property
    def domain(self) -> str:
        """The domain of the policy, in lower case; empty where no conversation has one."""
        for trial in self.trials:
            for message in trial.get("traj") or ():
                found = _POLICY.search(str(message.get("content") or ""))
                if found:
                    return found[1].lower()
        return ""

    @property
    def model(self) -> str:
        named = _FILE.fullmatch(self.path.stem)
        return named["model"] if named else self.path.stem.removesuffix(f"-{self.domain}")

    @property
    def settings(self) -> dict[str, Any]:
        named = _FILE.fullmatch(self.path.stem)
        return {key: value for key, value in named.groupdict().items() if key != "model"} if named else {}


def recognises(path: Path, opening: str) -> bool:
    """Whether a file is a list of trials with rewards."""
    return path.suffix == ".json" and _BEGIN.search(opening) is not None


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each file: the reward of every trial."""
    if options.groups_column is not None:
        raise InputError(f"{paths[0].name}: tau-bench's trajectories have no groups; leave --groups-column out")
    read = [_Trajectories(path, read_document(path)) for path in paths]
    scored = [one for one in read if any(as_number(trial.get("reward")) is not None for trial in one.trials)]
    if not scored:
        raise InputError(f"{paths[0].name}: {NO_TRIALS}")
    notes: list[Note] = [*collect_left_out("file", [(one.path.name, NO_TRIALS) for one in read if one not in scored])]
    domains = [one.domain for one in scored]
    systems = tell_apart([one.model for one in scored], [one.settings for one in scored], within=domains)
    for one, system in zip(scored, systems, strict=True):
        notes += _describe_errors(one, system)
    return [_make_run(one, system, task) for one, system, task in zip(scored, systems, domains, strict=True)], notes


def _describe_errors(one: _Trajectories, system: str) -> list[Note]:
    failed = sum("error" in (trial.get("info") or {}) for trial in one.trials)
    return [f"{system}: {failed} of {len(one.trials)} trials ended in an error and count as reward 0"] if failed else []


def _make_run(one: _Trajectories, system: str, task: str) -> Run:
    rewards = [as_number(trial.get("reward")) for trial in one.trials]
    return Run(
        system=system,
        file=one.path.name,
        items=tuple(str(trial["task_id"]) for trial in one.trials),
        scores={"reward": np.array([np.nan if reward is None else reward for reward in rewards])},
        task=task,
        higher_is_better={"reward": True},
        contents=tuple(_hash_task((trial.get("info") or {}).get("task")) for trial in one.trials),
    )


def _hash_task(task: Any) -> str:
    """A hash of what the user is told to want; empty for a trial that failed before it began."""
    if not isinstance(task, dict):
        return ""
    return hashlib.sha256(json.dumps([task.get("user_id"), task.get("instruction")]).encode()).hexdigest()
