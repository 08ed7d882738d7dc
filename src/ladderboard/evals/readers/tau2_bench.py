"""tau2-bench: the simulations of one agent in one domain, in one file or in a folder with an index.

``info`` names the agent, the user's simulator and the domain. A run is one JSON file with all ``simulations``, or a
``results.json`` with a ``simulation_index`` and each simulation in a file of its own beside it. Trials are repeats.
tau2-bench does not count a simulation that ended by a fault of the infrastructure; nor are these counted here, but
named.

Reference: sierra-research/tau2-bench, src/tau2/data_model/simulation.py and src/tau2/metrics/agent_metrics.py.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.evals.left_out import LeftOut, Note, collect_left_out
from ladderboard.evals.options import ReadOptions
from ladderboard.evals.readers.json_files import as_number, read_document
from ladderboard.evals.readers.settings import tell_apart
from ladderboard.evals.runs import Run

NAME = "tau2-bench simulations"
NO_REWARDS = "no simulation has a reward; run tau2 evaluate-trajs on it"
INFRASTRUCTURE = "a fault of the infrastructure ended them, and tau2-bench does not count these"
UNJUDGED = "they have no reward"
SIMULATIONS = "simulations"


@dataclass(frozen=True)
class _Results:
    """What one run says: its header, its tasks and the entry of each simulation."""

    path: Path
    info: dict[str, Any]
    tasks: list[dict[str, Any]]
    entries: list[dict[str, Any]]
    date: str | None

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}" if self.path.name == "results.json" else self.path.name

    @property
    def domain(self) -> str:
        return str((self.info.get("environment_info") or {}).get("domain_name") or "")

    @property
    def model(self) -> str:
        agent = self.info["agent_info"]
        return str(agent.get("llm") or agent.get("implementation") or self.path.stem)

    @property
    def settings(self) -> dict[str, Any]:
        """What tells two runs of one model apart; the user's simulator is a part of the test."""
        agent, user = self.info["agent_info"], self.info.get("user_info") or {}
        return {
            "agent": agent.get("implementation"),
            "user": user.get("llm") or user.get("implementation"),
            **(agent.get("llm_args") or {}),
            "retrieval": self.info.get("retrieval_config"),
        }


def recognises(path: Path, opening: str) -> bool:
    """Whether a file is a run's results."""
    return path.suffix == ".json" and '"agent_info"' in opening and '"user_info"' in opening


def belongs_to_run(path: Path) -> bool:
    """Whether a file is a single simulation, listed in the results beside its folder."""
    return path.parent.name == SIMULATIONS and path.parent.with_name("results.json").is_file()


def read_runs(paths: Sequence[Path], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    """A run for each file: the reward of every simulation that counts."""
    if options.groups_column is not None:
        raise InputError(f"{paths[0].name}: tau2-bench's simulations have no groups; leave --groups-column out")
    read = [_read_results(path) for path in paths]
    judged = [one for one in read if any(_read_reward(entry) is not None for entry in one.entries)]
    if not judged:
        raise InputError(f"{paths[0].name}: {NO_REWARDS}")
    notes: list[Note] = [*collect_left_out("file", [(one.name, NO_REWARDS) for one in read if one not in judged])]
    domains = [one.domain for one in judged]
    systems = tell_apart([one.model for one in judged], [one.settings for one in judged], within=domains)
    notes += _name_uncounted(judged, systems)
    return [_make_run(one, system) for one, system in zip(judged, systems, strict=True)], notes


def _read_results(path: Path) -> _Results:
    document = read_document(path)
    entries = document.get("simulations") or document.get("simulation_index")
    if not entries:
        entries = [read_document(one) for one in sorted((path.parent / SIMULATIONS).glob("*.json"))]
    return _Results(path, document["info"], document.get("tasks") or [], entries, document.get("timestamp"))


def _read_reward(entry: dict[str, Any]) -> float | None:
    """The reward of a simulation that counts."""
    if entry.get("termination_reason") == "infrastructure_error":
        return None
    reward = entry.get("reward", (entry.get("reward_info") or {}).get("reward"))
    return None if reward is None else as_number(reward)


def _name_uncounted(judged: Sequence[_Results], systems: Sequence[str]) -> list[LeftOut]:
    """The simulations that do not count, and those that were planned and are not there."""
    found = []
    for one, system in zip(judged, systems, strict=True):
        for entry in one.entries:
            if _read_reward(entry) is None:
                name = f"{system} on {one.domain}/{entry['task_id']}, trial {entry.get('trial')}"
                is_fault = entry.get("termination_reason") == "infrastructure_error"
                found.append((name, INFRASTRUCTURE if is_fault else UNJUDGED))
        planned = len(one.tasks) * int(one.info.get("num_trials") or 1)
        if planned > len(one.entries):
            reason = f"they are not in the file; of {system} on {one.domain} {planned} were planned"
            found += [(f"{one.name} #{number + 1}", reason) for number in range(len(one.entries), planned)]
    return collect_left_out("simulation", found)


def _make_run(one: _Results, system: str) -> Run:
    rewards = [_read_reward(entry) for entry in one.entries]
    costs = [as_number(entry.get("agent_cost")) for entry in one.entries]
    hashes = {str(task["id"]): _hash_task(task) for task in one.tasks}
    items = tuple(str(entry["task_id"]) for entry in one.entries)
    return Run(
        system=system,
        file=one.name,
        items=items,
        scores={"reward": np.array([np.nan if reward is None else reward for reward in rewards])},
        task=one.domain,
        higher_is_better={"reward": True},
        date=one.date,
        contents=tuple(hashes.get(item, "") for item in items),
        costs={"USD": np.array([np.nan if cost is None else cost for cost in costs])},
    )


def _hash_task(task: dict[str, Any]) -> str:
    """A hash of what the user is told to want."""
    wish = (task.get("user_scenario") or {}).get("instructions")
    return hashlib.sha256(json.dumps(wish, sort_keys=True).encode()).hexdigest()
