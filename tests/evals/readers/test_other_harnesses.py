"""HELM, OpenCompass, SWE-bench, Hugging Face leaderboards and Every Eval Ever."""

from pathlib import Path

import pytest

from ladderboard.core.errors import InputError
from ladderboard.evals import ACCURACY, LossMatrix, read_results
from tests.evals.readers.written import write_eee, write_helm, write_json, write_swe_report


def read(path: Path, **options: object) -> LossMatrix:
    results = read_results(path, **options)  # type: ignore[arg-type]
    assert isinstance(results, LossMatrix)
    return results


def test_helm_instances_without_perturbations_and_other_splits(tmp_path: Path) -> None:
    write_helm(tmp_path, "openai/gpt2", [1, 0, 1])
    write_helm(tmp_path, "org/other", [0, 0, 1], spec=False)
    matrix = read(tmp_path)
    assert matrix.systems == ("openai/gpt2", "org_other")
    assert matrix.losses.T.tolist() == [[0, 1, 0], [1, 1, 0]]
    assert matrix.items == ("id0", "id1", "id2")
    assert "left out 1 instances outside the test split" in matrix.notes[0]


def test_a_helm_file_alone_does_not_name_its_model(tmp_path: Path) -> None:
    path = write_helm(tmp_path, "openai/gpt2", [1, 0])
    with pytest.raises(InputError, match=r"the model is not known; put run_spec.json beside it"):
        read(path.rename(tmp_path / "per_instance_stats.json"))


@pytest.mark.parametrize("as_list", [False, True])
def test_opencompass_details(tmp_path: Path, as_list: bool) -> None:
    for model, answers in (("one", [True, False]), ("two", [False, True])):
        entries = [{"prompt": "q", "predictions": "A", "references": "A", "correct": one} for one in answers]
        details = entries if as_list else {"type": "GEN", **{str(i): entry for i, entry in enumerate(entries)}}
        write_json(tmp_path / "results" / model / "gsm8k.json", {"accuracy": 50.0, "details": details})
    matrix = read(tmp_path)
    assert matrix.systems == ("one", "two")
    assert matrix.losses.tolist() == [[0, 1], [1, 0]]


def test_opencompass_without_correctness_says_what_to_run(tmp_path: Path) -> None:
    details = {"type": "GEN", "0": {"prompt": "q", "predictions": "A", "references": "B"}}
    path = write_json(tmp_path / "one" / "squad.json", {"score": 50.0, "details": details})
    with pytest.raises(InputError, match=r"squad.json: the details of item '0' do not say whether it is correct"):
        read(path)


def test_swe_bench_reports_name_every_instance(tmp_path: Path) -> None:
    write_swe_report(tmp_path, "agent__one", ["a", "b"], ["c", "d"])
    write_swe_report(tmp_path, "agent__two", ["b"], ["a", "c", "d"])
    matrix = read(tmp_path)
    assert matrix.systems == ("agent__one", "agent__two")
    assert matrix.losses.T.tolist() == [[0, 0, 1, 1], [1, 0, 1, 1]]
    assert matrix.measure is ACCURACY


def test_swe_bench_models_and_runs_may_have_dots_in_their_names(tmp_path: Path) -> None:
    for model in ("gpt-4.1", "claude-3.5"):
        write_swe_report(tmp_path, model, ["a"], ["b"]).rename(tmp_path / f"{model}.run.2.json")
    assert set(read(tmp_path).systems) == {"gpt-4.1", "claude-3.5"}
    write_swe_report(tmp_path, "gpt-4.1", ["b"], ["a"]).rename(tmp_path / "gpt-4.1.other.json")
    assert set(read(tmp_path).systems) == {"gpt-4.1", "claude-3.5.run", "gpt-4.1.run"}


def test_swe_bench_submissions_need_the_number_of_instances(tmp_path: Path) -> None:
    for name, resolved in (("20240620_one", ["a", "b"]), ("20240512_two", ["b"])):
        document = {"no_generation": [], "no_logs": ["c"], "resolved": resolved}
        write_json(tmp_path / "verified" / name / "results" / "results.json", document)
    with pytest.raises(InputError, match=r"lists 3 instances and not those that no system resolved.*--item-count 500"):
        read(tmp_path)
    matrix = read(tmp_path, item_count=5)
    assert matrix.systems == ("two", "one")  # in the order of their dates
    assert matrix.dates == ("2024-05-12", "2024-06-20")
    assert matrix.scores.tolist() == pytest.approx([0.2, 0.4])
    assert "2 of 5 instances are named in no file" in matrix.notes[0]
    with pytest.raises(InputError, match="3 instances are named, more than --item-count 2"):
        read(tmp_path, item_count=2)


def write_board_file(folder: Path, model: str, scores: dict[str, float]) -> None:
    results = {
        f"harness|{task}|5": {"acc": score, "acc_stderr": 0.01, "acc_norm": score} for task, score in scores.items()
    }
    document = {"config_general": {"model_name": model}, "results": {**results, "all": {"acc": 0.9}}, "versions": {}}
    write_json(folder / model / "results_2024-04-20T15-22-05.012.json", document)


def test_results_of_tasks_are_read_as_items_and_that_is_said(tmp_path: Path) -> None:
    write_board_file(tmp_path, "org/one", {"arc": 0.5, "gsm8k": 0.25})
    write_board_file(tmp_path, "org/two", {"arc": 0.75, "gsm8k": 0.5})
    with pytest.raises(InputError, match=r"task 'harness\|arc\|5' has several scores: acc, acc_norm; .*--metric acc"):
        read(tmp_path)
    matrix = read(tmp_path, metric="acc")
    assert matrix.systems == ("org/one", "org/two")
    assert matrix.items == ("harness|arc|5", "harness|gsm8k|5")
    assert matrix.scores.tolist() == [0.375, 0.625]
    assert "each of 2 tasks counts as one item" in matrix.notes[0]


def test_every_eval_ever_samples_with_and_without_their_aggregate(tmp_path: Path) -> None:
    write_eee(tmp_path, "org/one", [1.0, 0.0])
    write_eee(tmp_path, "org/two", [0.0, 0.0])
    matrix = read(tmp_path, constant=True)
    assert matrix.losses.T.tolist() == [[0, 1], [1, 1]]
    graded = write_eee(tmp_path / "graded", "org/one", [3.5, 2.0])
    with pytest.raises(InputError, match="say --higher-is-better or --lower-is-better"):
        read(graded)
    write_eee(tmp_path / "graded", "org/one", [3.5, 2.0], lower_is_better=True)
    known = read(graded)
    assert known.losses.ravel().tolist() == [3.5, 2.0]
    assert known.dates == ("2025-08-02T00:00:00+00:00",)
