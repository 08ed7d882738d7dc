"""What a file that cannot be read is called: each sentence is true of it, and says what to do."""

import json
from pathlib import Path

import pytest

from ladderboard.core.errors import InputError
from ladderboard.evals import LossMatrix, read_board, read_results
from tests.evals.readers.written import write_json, write_lm_eval

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


@pytest.mark.parametrize("name", ["table.csv", "samples_arc_2026-11-17T12-27-07.5.jsonl", "log.eval", "table.parquet"])
def test_a_pointer_of_git_lfs_is_called_one(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(POINTER)
    message = rf"1 of 1 files only point to what Git LFS has not fetched yet \({name}\); fetch it with: git lfs pull"
    with pytest.raises(InputError, match=message):
        read_results(path)
    with pytest.raises(InputError, match="git lfs pull"):
        read_board(path, "score")
    write_lm_eval(tmp_path, "one", {"acc": [1.0, 0.0]})
    with pytest.raises(InputError, match="1 of 3 files only point"):
        read_results(tmp_path)


def test_simulations_of_tau2_are_read_though_they_have_the_words_of_opencompass(tmp_path: Path) -> None:
    """Its policies and tasks have "details" and "answer" in them, as results of OpenCompass have."""
    document = {
        "timestamp": "2025-06-30T11:17:32",
        "info": {"num_trials": 1, "user_info": {"llm": "gpt-4.1"}, "agent_info": {"llm": "o4-mini"}},
        "tasks": [{"id": str(task), "details": {"answer": "x", "predictions": 1}} for task in range(2)],
        "simulations": [{"task_id": str(task), "trial": 0, "reward_info": {"reward": 1.0}} for task in range(2)],
    }
    assert read_results(write_json(tmp_path / "o4-mini_airline.json", document)).systems == ("o4-mini",)  # type: ignore[union-attr] # a matrix


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            {"id": "s", "task_id": "20", "duration": 4.5, "termination_reason": "user_stop", "ticks": []},
            "is a single simulation of tau2-bench; give the folder above it",
        ),
        ({"schema_version": "ATIF-v1.6", "steps": []}, "is the trajectory of an agent in one trial of Harbor"),
        (
            {"name": "narrativeqa", "tags": ["qa"], "definition_path": "scenario.py"},
            "describes a scenario of HELM; give the run's folder",
        ),
        (
            {
                "results": {"tiny": {"acc,none": 0.5}},
                "group_subtasks": {},
                "versions": {"tiny": 1},
                "samples": {"tiny": [{"doc_id": 0, "target": "0", "filtered_resps": [], "acc": 1.0}]},
            },
            "is what lm-eval's simple_evaluate returned; give that to collect_evaluations",
        ),
        (
            {"status": "success", "eval": {"task_id": "x", "task": "y", "model": "m"}, "plan": {}},
            "no sample has a score",
        ),
    ],
)
def test_parts_of_a_run_are_called_so(tmp_path: Path, document: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_results(write_json(tmp_path / "file.json", document))


def test_pass_rates_of_tau2_are_called_so(tmp_path: Path) -> None:
    document = {
        "model_name": "Model",
        "submitting_organization": "Somebody",
        "references": [{"title": "A card", "url": "https://example.org", "type": "model_card"}],
        "results": {"retail": {"pass_1": 72.1, "pass_2": None}, "airline": {"pass_1": 64.2, "pass_2": 58.9}},
    }
    path = write_json(tmp_path / "submission.json", document)
    with pytest.raises(InputError, match=r"^submission.json has tau2-bench's pass rates of whole domains and no tasks"):
        read_results(path)


COMPARISON = {
    "dataset": "helpful_base",
    "instruction": "Name a {famous} actor.",
    "output_1": 'One "is" enough.',
    "generator_1": "reference",
    "output_2": "Another.",
    "generator_2": "ours",
    "preference": 1.73,
}


def test_comparisons_of_alpaca_eval_are_called_so(tmp_path: Path) -> None:
    for name in ("ours", "theirs"):
        write_json(tmp_path / name / "annotations.json", [COMPARISON | {"generator_2": name}] * 2)
    message = r"annotations.json holds AlpacaEval's comparisons of a system with a reference; write a table with the "
    with pytest.raises(InputError, match=message):
        read_results(tmp_path / "ours" / "annotations.json")
    with pytest.raises(InputError, match=rf"ours/{message}"):
        read_results(tmp_path)


def test_comparisons_of_alpaca_eval_are_read_from_the_table_that_is_asked_for(tmp_path: Path) -> None:
    records = [
        {"item": f"Question {item}", "system": system, "score": preference - 1}
        for system, preferences in (("ours", (1.73, 1.0, 2.0)), ("theirs", (1.2, 1.5, 1.9)))
        for item, preference in enumerate(preferences)
    ]
    found = read_results(write_json(tmp_path / "table.json", records), higher_is_better=True)
    assert isinstance(found, LossMatrix)
    assert found.systems == ("ours", "theirs")


@pytest.mark.parametrize("more", [{}, {"metadata": "None"}], ids=["as written", "with metadata"])
def test_answers_that_nobody_has_judged_are_called_so(tmp_path: Path, more: dict[str, str]) -> None:
    answer = {"dataset": "koala", "instruction": "Why?", "output": '{"a": 1}', "generator": "ours"} | more
    path = write_json(tmp_path / "model_outputs.json", [answer] * 3)
    with pytest.raises(InputError, match=r"^model_outputs.json holds a system's answers, which are not judged yet; "):
        read_results(path)


def test_answers_with_a_score_are_not_called_unjudged(tmp_path: Path) -> None:
    records = [{"instruction": "Why?", "output": "So.", "generator": "ours", "score": 1.0}] * 3
    with pytest.raises(InputError) as refusal:
        read_results(write_json(tmp_path / "judged.json", records))
    assert "not judged" not in str(refusal.value)


def test_a_list_of_instances_is_called_so(tmp_path: Path) -> None:
    document = {f"apache__dubbo-{n}": {"repository": "apache/dubbo", "time": "2022-09-19"} for n in range(3)}
    message = r"^index.json lists the instances of Multi-SWE-bench and no results; give the folders of the systems "
    with pytest.raises(InputError, match=message):
        read_results(write_json(tmp_path / "index.json", document))


def test_json_lines_are_not_called_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "mmlu:model=one" / "per_instance_stats.json"
    path.parent.mkdir()
    records = [[{"instance_id": "id1", "train_trial_index": 0, "stats": []}]] * 2
    path.write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(InputError, match=r"holds several JSON documents, the second from line 2; .* call it .jsonl"):
        read_results(path)


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("", "is not complete JSON: .*; was its writing cut off?"),
        ('"x', "is not complete JSON: .*; was its writing cut off?"),
        (", nonsense]]", "is not JSON: "),
    ],
)
def test_json_that_ends_early_is_told_from_json_with_a_mistake(tmp_path: Path, end: str, message: str) -> None:
    path = tmp_path / "mmlu:model=one" / "per_instance_stats.json"
    path.parent.mkdir()
    path.write_text('[{"instance_id": "id1", "stats": [' + end)
    with pytest.raises(InputError, match=message):
        read_results(path)


def test_a_document_by_names_of_files_is_no_index_of_inspect(tmp_path: Path) -> None:
    path = write_json(tmp_path / "rows.json", {"models/one.json": {"rate": 0.4}})
    with pytest.raises(InputError, match="holds no results that are understood"):
        read_results(path)


def test_an_infinite_score_is_not_called_missing(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, "one", {"acc": [1.0, float("inf")]})
    with pytest.raises(InputError, match=r"item '1' of 'one': the score is infinite; correct it, or leave it empty"):
        read_results(path)
    table = tmp_path / "long.csv"
    table.write_text("item,system,score\na,s,1\nb,s,inf\n")
    with pytest.raises(InputError, match=r"item 'b' of 's': the score is infinite"):
        read_results(table, higher_is_better=True)


BOARD = (
    ",win_rate,standard_error,n_wins,n_total,mode,avg_length\n"
    "gpt4,97.7,0.5,785,805,minimal,2049\nvicuna,80.1,1.2,640,805,community,1500\n"
)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"drop": ["mode"], "higher_is_better": True},
        {"drop": ["mode", "avg_length", "standard_error"], "higher_is_better": True},
        {"systems": ["win_rate", "n_wins", "n_total"], "higher_is_better": True},
        {"items_column": "", "drop": ["mode", "avg_length"], "higher_is_better": True},
    ],
)
def test_a_table_of_models_by_metrics_is_called_so_whatever_is_dropped(
    tmp_path: Path, options: dict[str, object]
) -> None:
    path = tmp_path / "board.csv"
    path.write_text(BOARD)
    message = (
        r"board.csv is a table of models by metrics: .* \(gpt4, vicuna\), and no systems.*sota --accuracies board.csv"
    )
    with pytest.raises(InputError, match=message):
        read_results(path, **options)  # type: ignore[arg-type]


def test_systems_with_names_like_models_are_no_metrics(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("question,gpt4_score,claude_score,mean_pooling\nq1,1,0,1\nq2,0,1,1\nq3,1,1,0\n")
    read_results(path, kind="correct")


def test_a_broken_file_of_a_folder_is_named(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "one", {"acc": [1.0, 0.0]})
    path = write_lm_eval(tmp_path, "two", {"acc": [1.0, 0.0]})
    path.write_text(path.read_text().replace('"doc_id": 1', '"dox_id": 1'))
    with pytest.raises(InputError, match=rf"two/{path.name} is named or begins like lm-evaluation-harness samples"):
        read_results(tmp_path)
