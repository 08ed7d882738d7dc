"""Ranks and the guard inside a run of Inspect or lm-eval; with the programs themselves where they are installed."""

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ladderboard.core.errors import InputError
from ladderboard.evals.harnesses.inspect_hook import FAILED, OUTSIDE, describe_run, watch_runs
from ladderboard.evals.harnesses.lm_eval_results import collect_evaluations
from ladderboard.guard.holdout import Holdout
from tests.evals.readers.written import inspect_log, write_inspect

ITEMS = [f"q{item}" for item in range(200)]


def write_log(folder: Path, model: str, right: int) -> Path:
    grades = {item: ["C" if number < right else "I"] for number, item in enumerate(ITEMS)}
    return write_inspect(folder / f"{model}.eval", inspect_log(model, grades))


def evaluate(right: int, *, date: float = 1795036185.1) -> dict[str, Any]:
    """What `simple_evaluate` of lm-eval 0.4.13 returns, with as little else as possible."""
    samples = [
        {
            "doc_id": number,
            "doc": {"q": item},
            "target": 0,
            "arguments": [(item, " a")],
            "resps": [[(-0.5, False)]],
            "filtered_resps": [(-0.5, False)],
            "filter": "none",
            "metrics": ["acc"],
            "doc_hash": f"{number:064x}",
            "prompt_hash": f"{number:064x}",
            "target_hash": "0",
            "acc": float(number < right),
        }
        for number, item in enumerate(ITEMS)
    ]
    return {
        "results": {"tiny": {"alias": "tiny", "sample_len": len(ITEMS), "acc,none": right / len(ITEMS)}},
        "group_subtasks": {},
        "versions": {"tiny": 1},
        "higher_is_better": {"tiny": {"acc": True}},
        "n-samples": {"tiny": {"original": len(ITEMS), "effective": len(ITEMS)}},
        "samples": {"tiny": samples},
        "config": {"model": "dummy", "model_args": ""},
        "date": date,
    }


def test_after_a_run_all_logs_of_its_folder_are_ranked(tmp_path: Path) -> None:
    write_log(tmp_path, "older", 100)
    first, *lines = describe_run([write_log(tmp_path, "newer", 180)], None)
    assert first.startswith("Ranks in ")
    assert [line.split() for line in lines] == [["1", "90.00", "%", "newer"], ["2", "50.00", "%", "older"]]


def test_a_guard_is_asked_about_the_logs_of_the_run_alone(tmp_path: Path) -> None:
    write_log(tmp_path, "older", 100)
    holdout = Holdout.from_item_scores(ITEMS, path=":memory:", seed=1)
    said = describe_run([write_log(tmp_path, "newer", 180)], holdout)
    assert said[-1].startswith("Holdout, newer: Improved, 0.9")
    assert sum(line.startswith("Holdout") for line in said) == 1


def test_what_cannot_be_read_is_said_and_the_run_goes_on(tmp_path: Path) -> None:
    log = write_log(tmp_path, "newer", 180)
    (tmp_path / "broken.eval").write_bytes(b"PK")
    other = Holdout.from_item_scores([*ITEMS, "q200"], path=":memory:", seed=1)
    said = describe_run([None, log], other)
    assert said[0] == OUTSIDE
    assert said[-2] == "left out 1 file (broken.eval): not understood as results"
    assert said[-1].startswith("ladderboard: ")
    assert "q200" in said[-1]


def test_a_run_without_a_log_that_ended_well_says_so() -> None:
    assert describe_run([], None) == [FAILED]


def test_evaluations_of_lm_eval_are_results() -> None:
    results = collect_evaluations({"org/a": evaluate(150), "baseline": evaluate(50)}, metric="acc")
    assert dict(zip(results.systems, results.scores.tolist(), strict=True)) == {"org/a": 0.75, "baseline": 0.25}
    holdout = Holdout.from_item_scores(results.items, path=":memory:", seed=1)
    assert holdout.score(results.select(["org/a"])).improved


def test_an_evaluation_without_samples_is_refused() -> None:
    bare = {name: value for name, value in evaluate(10).items() if name != "samples"}
    with pytest.raises(InputError, match=r"org/a: the evaluation has no samples; call simple_evaluate\(…, log_samples"):
        collect_evaluations({"org/a": bare})
    with pytest.raises(InputError, match="org/a: lm-eval returned nothing; of several processes only the first"):
        collect_evaluations({"org/a": None})


def test_inspect_itself_calls_the_hook(tmp_path: Path) -> None:
    inspect = pytest.importorskip("inspect_ai", reason="Inspect is not installed")
    dataset, scorer = importlib.import_module("inspect_ai.dataset"), importlib.import_module("inspect_ai.scorer")
    output = importlib.import_module("inspect_ai.model").ModelOutput

    async def answer(state: Any, _: Any) -> Any:
        state.output = output.from_content("mock", "a right answer")
        return state

    said: list[str] = []
    watch_runs(say=said.append)
    samples = [dataset.Sample(input=item, target="right", id=item) for item in ITEMS[:5]]
    solver = importlib.import_module("inspect_ai.solver").solver(lambda: answer)()
    task = inspect.Task(dataset=samples, solver=solver, scorer=scorer.includes(), name="tiny")
    inspect.eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none")
    assert said[0].startswith(f"Ranks in {tmp_path.name}, 5 items")
    assert said[1].split()[-1] == "mockllm/model"


def test_lm_eval_itself_returns_what_is_collected(tmp_path: Path) -> None:
    lm_eval = pytest.importorskip("lm_eval", reason="lm-eval is not installed")
    rows = [{"q": item, "choices": ["yes", "no"], "label": number % 2} for number, item in enumerate(ITEMS[:12])]
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, rows)))
    task = {
        "task": "tiny",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(tmp_path / "data.jsonl")}},
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "{{q}}",
        "doc_to_choice": "{{choices}}",
        "doc_to_target": "{{label}}",
        "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
    }
    evaluation = lm_eval.simple_evaluate(model="dummy", tasks=[task], bootstrap_iters=0)
    results = collect_evaluations({"dummy": evaluation})
    assert results.systems == ("dummy",)
    assert np.isclose(results.scores[0], evaluation["results"]["tiny"]["acc,none"])
