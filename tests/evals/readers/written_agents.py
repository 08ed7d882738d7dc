"""Files of agents' benchmarks and of promptfoo, LiveCodeBench and MTEB, with the fields that the programs write."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.evals.readers.written import write_json

Runs = Sequence[Sequence[float | None]]
"""The outcome of each trial, for each task."""


def write_tau(path: Path, rewards: Runs, *, domain: str = "airline", wish: str = "book") -> Path:
    """Trajectories as tau-bench writes them; a reward of None is a trial that ended in an error."""
    trials = [
        {
            "task_id": task,
            "reward": reward or 0.0,
            "info": {"error": "timeout", "traceback": ""}
            if reward is None
            else {"task": {"user_id": f"u{task}", "instruction": f"{wish} {task}"}, "source": "user"},
            "traj": []
            if reward is None
            else [{"role": "system", "content": f"# {domain.title()} Agent Policy\n\nNow."}],
            "trial": trial,
        }
        for task, of_task in enumerate(rewards)
        for trial, reward in enumerate(of_task)
    ]
    return write_json(path, trials)


def write_tau2(
    path: Path,
    model: str,
    rewards: Runs,
    *,
    domain: str = "airline",
    hour: int = 1,
    by_file: bool = False,
    settings: dict[str, Any] | None = None,
) -> Path:
    """Results of tau2; a reward of None is a simulation that the infrastructure ended."""
    simulations = [
        {
            "id": f"s{task}-{trial}",
            "task_id": str(task),
            "termination_reason": "infrastructure_error" if reward is None else "user_stop",
            "agent_cost": 0.25,
            "reward_info": None if reward is None else {"reward": reward},
            "trial": trial,
        }
        for task, of_task in enumerate(rewards)
        for trial, reward in enumerate(of_task)
    ]
    document: dict[str, Any] = {
        "timestamp": f"2026-11-17T{hour:02}:00:00",
        "info": {
            "num_trials": max(map(len, rewards)),
            "user_info": {"implementation": "user_simulator", "llm": "gpt-4.1"},
            "agent_info": {"implementation": "llm_agent", "llm": model, "llm_args": settings or {}},
            "environment_info": {"domain_name": domain, "policy": "# Policy"},
        },
        "tasks": [{"id": str(task), "user_scenario": {"instructions": f"want {task}"}} for task in range(len(rewards))],
    }
    if not by_file:
        return write_json(path, document | {"simulations": simulations})
    index = [
        {key: one[key] for key in ("id", "task_id", "trial", "termination_reason")} | {"reward": reward}
        for one, reward in zip(simulations, (reward for of_task in rewards for reward in of_task), strict=True)
    ]
    for one in simulations:
        write_json(path.parent / "simulations" / f"{one['id']}.json", one)
    return write_json(path, document | {"simulation_index": index})


def write_terminal_bench(
    folder: Path,
    outcomes: Runs,
    *,
    model: str | None = "openai/gpt",
    agent: str = "terminus",
    dataset: str = "terminal-bench-core",
    hour: int = 1,
    trials_apart: bool = True,
) -> Path:
    """A run's folder as ``tb run`` writes it; an outcome of None is a trial that was lost."""
    trials = [
        {
            "id": f"{task}-{number}",
            "trial_name": f"task{task}.{number + 1}-of-{len(of_task)}.{folder.name}",
            "task_id": f"task{task}",
            "instruction": "Do it.",
            "is_resolved": None if outcome is None else bool(outcome),
            "failure_mode": "unset",
            "trial_ended_at": f"2026-11-17T{hour:02}:00:00+00:00",
        }
        for task, of_task in enumerate(outcomes)
        for number, outcome in enumerate(of_task)
    ]
    metadata = {"run_id": folder.name, "dataset_name": dataset, "agent_name": agent, "model_name": model}
    write_json(folder / "run_metadata.json", metadata)
    write_json(folder / "tb.lock", {"agent": {"name": agent, "model_name": model}})
    for trial in trials if trials_apart else ():
        write_json(folder / str(trial["task_id"]) / str(trial["trial_name"]) / "results.json", trial)
    return write_json(folder / "results.json", {"id": folder.name, "results": trials})


def write_harbor(
    job: Path,
    rewards: Runs,
    *,
    model: str = "gpt",
    dataset: str = "terminal-bench",
    hour: int = 1,
    error: str = "AgentTimeoutError",
    checksum: str = "",
) -> Path:
    """A job's folder as Harbor writes it; a reward of None is a trial that ended with an exception."""
    trials = [
        {
            "id": f"{task}-{number}",
            "task_name": f"task{task}",
            "trial_name": f"task{task}__{number}",
            "trial_uri": "file:///x",
            "source": dataset,
            "task_checksum": f"{checksum}{task}",
            "config": {"agent": {"name": "terminus-2", "kwargs": {}}},
            "agent_info": {"name": "terminus-2", "version": "2", "model_info": {"name": model, "provider": "org"}},
            "agent_result": {"n_input_tokens": 5, "cost_usd": 0.5},
            "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
            "exception_info": {"exception_type": error, "exception_message": ""} if reward is None else None,
            "finished_at": f"2026-11-17T{hour:02}:00:00Z",
        }
        for task, of_task in enumerate(rewards)
        for number, reward in enumerate(of_task)
    ]
    for trial in trials:
        place = job / str(trial["trial_name"])
        write_json(place / "result.json", trial)
        write_json(place / "config.json", {})
        write_json(place / "agent" / "trajectory.json", {"steps": []})
    write_json(job / "config.json", {})
    return write_json(job / "result.json", {"id": "j", "n_total_trials": len(trials), "stats": {"evals": {}}})


def write_promptfoo(
    path: Path,
    passed: Mapping[str, Runs],
    *,
    description: str = "",
    prompts: Sequence[str] = ("plain",),
    hour: int = 1,
) -> Path:
    """The output of an evaluation: ``passed`` has the repeats of each test for each provider; None is an error."""
    results = [
        {
            "promptIdx": place,
            "testIdx": test * len(repeats) + number,
            "testCase": {
                "vars": {"n": test},
                "assert": [{"type": "equals", "value": test}],
                "metadata": {"topic": "x"},
            },
            "provider": {"id": provider, "label": ""},
            "prompt": {"raw": f"Say {test}", "label": prompt},
            "vars": {"n": test},
            "score": float(outcome or 0),
            "success": bool(outcome),
            "failureReason": 2 if outcome is None else 0 if outcome else 1,
            "namedScores": {},
            "cost": 0.25 if provider == "paid" else 0,
        }
        for provider, tests in passed.items()
        for place, prompt in enumerate(prompts)
        for test, repeats in enumerate(tests)
        for number, outcome in enumerate(repeats)
    ]
    results_part = {"version": 3, "timestamp": f"2026-11-17T{hour:02}:00:00Z", "prompts": [], "results": results}
    return write_json(path, {"evalId": "eval-x", "results": results_part, "config": {"description": description}})


def write_livecodebench(
    folder: Path, model: str, graded: Runs, *, scenario: str = "codegeneration", temperature: float = 0.2
) -> Path:
    """``…_eval_all.json``; without grades the answers alone."""
    is_graded = any(graded)
    records = [
        {
            "question_title": f"q{number}",
            "question_content": "Sum.",
            "question_id": f"abc_{number}",
            "difficulty": ("easy", "hard")[number % 2],
            "output_list": ["print(1)"],
            "code_list": ["print(1)"],
            **({"graded_list": [bool(one) for one in answers], "pass@1": 0.5} if is_graded else {}),
        }
        for number, answers in enumerate(graded)
    ]
    name = f"Scenario.{scenario}_1_{temperature}{'_eval_all' if is_graded else ''}.json"
    return write_json(folder / model / name, records)


def write_mteb(
    folder: Path,
    model: str,
    task: str,
    scores: dict[str, float | None],
    *,
    split: str = "test",
    data: str = "abc",
    revision: str = "main",
) -> Path:
    """The result of a task: ``scores`` has the main score of each subset."""
    place = folder / model.replace("/", "__") / revision
    write_json(place / "model_meta.json", {"name": model, "revision": revision})
    subsets = [{"main_score": score, "hf_subset": name, "languages": ["eng-Latn"]} for name, score in scores.items()]
    document = {"dataset_revision": data, "task_name": task, "mteb_version": "2.26.24", "scores": {split: subsets}}
    return write_json(place / f"{task}.json", document)
