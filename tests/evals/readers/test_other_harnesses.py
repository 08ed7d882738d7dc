"""HELM, OpenCompass, SWE-bench, Hugging Face leaderboards and Every Eval Ever."""

import json
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
    assert "left out 1 instance (mmlu:subject=philosophy/id900): not of the test split" in matrix.notes


def test_a_helm_file_alone_does_not_name_its_model(tmp_path: Path) -> None:
    path = write_helm(tmp_path, "openai/gpt2", [1, 0])
    with pytest.raises(InputError, match=r"the model is not known; put run_spec.json beside it"):
        read(path.rename(tmp_path / "per_instance_stats.json"))


def test_helm_metrics_have_entries_of_their_own_and_trials_are_repeats(tmp_path: Path) -> None:
    def entry(item: int, trial: int, name: str, mean: float) -> dict[str, object]:
        stat = {"name": {"name": name, "split": "test"}, "count": 1, "sum": mean, "mean": mean}
        return {"instance_id": f"id{item}", "train_trial_index": trial, "stats": [stat]}

    runs = [(item, trial) for trial in range(2) for item in range(2)]
    entries = [entry(item, trial, "exact_match", float(item == trial)) for item, trial in runs]
    entries += [entry(item, trial, "num_output_tokens", 7.0) for item, trial in runs]
    path = write_json(tmp_path / "boolq:model=org_one" / "per_instance_stats.json", entries)
    matrix = read(path, constant=True)
    assert matrix.items == ("id0", "id1")
    assert matrix.losses.ravel().tolist() == [0.5, 0.5]
    assert matrix.repeats is not None
    assert matrix.repeats.counts.ravel().tolist() == [2, 2]


def test_helm_predictions_for_display_have_the_scores_too(tmp_path: Path) -> None:
    entries = [
        {"instance_id": f"id{item}", "train_trial_index": 0, "predicted_text": "A", "stats": {"exact_match": item}}
        for item in range(2)
    ]
    path = write_json(tmp_path / "boolq:model=org_one" / "display_predictions.json", entries)
    matrix = read(path)
    assert matrix.losses.ravel().tolist() == [1, 0]
    assert "boolq: display_predictions.json does not say which instances are of the test split" in matrix.notes[1]


def test_helm_predictions_for_display_have_their_splits_in_another_file(tmp_path: Path) -> None:
    """As helm-summarize writes them: the validation split is among the predictions, and HELM's score leaves it out."""
    entries = [
        {"instance_id": f"id{item}", "train_trial_index": 0, "predicted_text": " A", "stats": {"exact_match": item % 2}}
        for item in range(4)
    ]
    splits = ("valid", "test", "test", "test")
    instances = [{"input": {"text": "?"}, "split": split, "id": f"id{item}"} for item, split in enumerate(splits)]
    folder = tmp_path / "boolq:model=org_one"
    write_json(folder / "display_predictions.json", entries)
    write_json(folder / "instances.json", instances)
    matrix = read(tmp_path)
    assert matrix.items == ("id1", "id2", "id3")
    assert "left out 1 instance (boolq/id0): not of the test split" in matrix.notes


def test_a_helm_run_without_scores_is_left_out_beside_others(tmp_path: Path) -> None:
    """HELM's run simple1 has counts of tokens and instances only."""
    write_helm(tmp_path, "org/one", [1, 0, 1])
    stats = [{"name": {"name": "num_prompt_tokens", "split": "test"}, "count": 1, "sum": 335, "mean": 335.0}]
    entries = [{"instance_id": "id0", "train_trial_index": 0, "stats": stats}]
    empty = write_json(tmp_path / "simple1:model=simple_model1" / "per_instance_stats.json", entries)
    matrix = read(tmp_path)
    assert matrix.systems == ("org/one",)
    assert matrix.notes[-1].startswith(
        "left out 1 file (simple1:model=simple_model1/per_instance_stats.json): it has no sc"
    )
    with pytest.raises(InputError, match=r"per_instance_stats.json has no score of its instances"):
        read(empty)


def test_the_name_of_a_helm_task_is_without_the_model(tmp_path: Path) -> None:
    for name in ("boolq:model=m", "mcqa:model=m,data_augmentation=all", "mmlu:subject=law,model=m"):
        stats = [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": 1, "mean": 1.0}]
        entries = [{"instance_id": "id0", "train_trial_index": 0, "stats": stats}]
        write_json(tmp_path / name / "per_instance_stats.json", entries)
    assert read(tmp_path, constant=True).tasks == ("boolq", "mcqa:data_augmentation=all", "mmlu:subject=law")


@pytest.mark.parametrize("as_list", [False, True])
def test_opencompass_details(tmp_path: Path, as_list: bool) -> None:
    for model, answers in (("one", [True, False]), ("two", [False, True])):
        entries = [{"prompt": "q", "predictions": "A", "references": "A", "correct": one} for one in answers]
        details = entries if as_list else {"type": "GEN", **{str(i): entry for i, entry in enumerate(entries)}}
        write_json(tmp_path / "results" / model / "gsm8k.json", {"accuracy": 50.0, "details": details})
    matrix = read(tmp_path)
    assert matrix.systems == ("one", "two")
    assert matrix.losses.tolist() == [[0, 1], [1, 0]]


def test_opencompass_runs_over_a_dataset_are_repeats(tmp_path: Path) -> None:
    """As OpenCompass since 0.4 writes them, with n = 2: every field is a list."""
    for model, answers in (("one", [[True, False], [True, True]]), ("two", [[False, False], [True, False]])):
        details = [
            {"example_abbr": f"gsm8k_{number}", "pred": ["1", "2"], "answer": ["1", "1"], "correct": correct}
            for number, correct in enumerate(answers)
        ]
        document = {"accuracy (2 runs average)": 75.0, "details": details}
        write_json(tmp_path / "20260102_030405" / "results" / model / "gsm8k.json", document)
    matrix = read(tmp_path)
    assert matrix.items == ("gsm8k_0", "gsm8k_1")
    assert matrix.losses.T.tolist() == [[0.5, 0], [1, 0.5]]
    assert matrix.dates == ("2026-01-02T03:04:05",) * 2
    assert matrix.repeats is not None


def test_opencompass_without_correctness_says_what_to_run(tmp_path: Path) -> None:
    details = {"type": "GEN", "0": {"prompt": "q", "predictions": "A", "references": "B"}}
    path = write_json(tmp_path / "one" / "squad.json", {"score": 50.0, "details": details})
    with pytest.raises(InputError, match=r"one/squad.json: its details do not say which items are correct"):
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
    assert "2 of 5 instances are named in no file" in matrix.notes[1]
    with pytest.raises(InputError, match="3 instances are named, more than --item-count 2"):
        read(tmp_path, item_count=2)


def test_swe_bench_reports_of_other_benchmarks_are_not_filled_up(tmp_path: Path) -> None:
    """An instance that a report does not have is missing; a prediction for one outside the benchmark is nothing."""
    write_swe_report(tmp_path, "one", ["a", "b"], ["c", "d"])
    path = write_swe_report(tmp_path, "two", ["b"], ["a"])
    with pytest.raises(InputError, match="'two' has no score for item 'c'"):
        read(tmp_path)
    document = json.loads(path.read_text())
    write_json(path, document | {"submitted_ids": ["a", "b", "elsewhere"]})
    assert read(tmp_path, missing="drop_items", constant=True).items == ("a", "b")


def test_swe_bench_says_how_many_instances_were_never_tried(tmp_path: Path) -> None:
    path = write_swe_report(tmp_path, "one", ["a", "b"], ["c"])
    write_json(path, json.loads(path.read_text()) | {"total_instances": 5, "incomplete_ids": ["d", "e"]})
    matrix = read(path)
    assert matrix.scores.tolist() == [0.4]
    assert matrix.notes[1] == "one: no prediction for 2 of 5 instances, counted as not resolved"


def test_swe_bench_details_of_instances_say_which_there_are(tmp_path: Path) -> None:
    """The board has two forms: per_instance_details.json names every instance, results.json only the resolved."""
    details = {name: {"cost": 0.7, "api_calls": 32, "resolved": name in "ab"} for name in "abcd"}
    write_json(tmp_path / "20260217_mini" / "per_instance_details.json", details)
    results = {"no_generation": ["d"], "no_logs": [], "resolved": ["a"]}
    write_json(tmp_path / "20250928_agent" / "results" / "results.json", results)
    matrix = read(tmp_path)
    assert matrix.systems == ("agent", "mini")
    assert matrix.scores.tolist() == [0.25, 0.5]


def test_swe_bench_reports_of_single_instances(tmp_path: Path) -> None:
    for model, resolved in (("one", "ab"), ("two", "a")):
        for instance in "abc":
            outcome = {"patch_is_None": False, "patch_exists": True, "resolved": instance in resolved}
            place = tmp_path / "logs" / "run_evaluation" / "run1" / model / instance
            write_json(place / "report.json", {instance: outcome | {"tests_status": {"FAIL_TO_PASS": {}}}})
    with pytest.raises(InputError, match=r"report.json lists 3 instances .* --item-count"):
        read(tmp_path)
    matrix = read(tmp_path, item_count=4)
    assert matrix.systems == ("one", "two")
    assert matrix.scores.tolist() == [0.5, 0.25]
    write_swe_report(tmp_path, "one", ["a"], ["b", "c", "d"])
    joined = read(tmp_path)
    assert joined.scores.tolist() == [
        0.25,
        0.25,
    ]  # the second system has no report of all instances, and is still there
    assert joined.notes[1].startswith("left out 3 reports (one/a/report.json, one/b/report.json, one/c/report.json): ")
    assert "two: no report of 1 of 4 instances, counted as not resolved" in joined.notes


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
    assert "each of 2 tasks counts as one item" in matrix.notes[1]


def test_results_of_tasks_may_have_different_scores(tmp_path: Path) -> None:
    """As lm_eval without --log_samples writes them: names of filters, groups of tasks, and the direction."""
    for model, likeness in (("org/one", 0.25), ("org/two", 0.5)):
        results = {
            "mc": {"alias": "mc", "sample_len": 24, "acc,none": 0.75, "acc_stderr,none": 0.08, "surprise,none": 2.0},
            "gen": {
                "alias": "gen",
                "likeness,first": 0.0,
                "likeness,digits": likeness,
                "likeness_stderr,digits": "N/A",
            },
            "both": {"alias": "both", "acc,none": 0.5, "sample_count": {"acc,none": 24}},
        }
        document = {
            "results": results,
            "group_subtasks": {"both": ["mc", "gen"]},
            "higher_is_better": {
                "mc": {"acc": True, "surprise": False},
                "gen": {"likeness": True},
                "both": {"acc": True},
            },
            "model_name": model,
        }
        write_json(tmp_path / model.replace("/", "__") / "results_2026-11-17T20-30-24.090453.json", document)
    matrix = read(tmp_path, metric=("acc", "likeness,digits"), constant=True)
    assert matrix.items == ("mc", "gen")
    assert matrix.scores.tolist() == [0.5, 0.625]
    with pytest.raises(InputError, match="higher is better in gen and lower in mc; choose scores that point one way"):
        read(tmp_path, metric=("surprise", "likeness,digits"))


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


def test_every_eval_ever_groups_unknown_levels_and_ids_of_results(tmp_path: Path) -> None:
    """Ids of results may name the model; -1 may stand for an unknown level; groups are in the metadata."""
    metric = {"lower_is_better": False, "score_type": "levels", "has_unknown_level": True}
    for model, scores in (("org/one", [3, -1, 2, 1]), ("org/two", [1, 2, 2, 0])):
        path = write_eee(tmp_path, model, scores)
        records = [json.loads(line) for line in path.read_text().splitlines()]
        for number, record in enumerate(records):
            more = {"evaluation_result_id": f"mmlu/{model}#level", "metadata": {"subject": f"s{number // 2}"}}
            records[number] = record | more
        path.write_text("\n".join(map(json.dumps, records)))
        result = {"evaluation_result_id": f"mmlu/{model}#level", "evaluation_name": "mmlu", "metric_config": metric}
        write_json(path.with_name("5917cc37.json"), {"evaluation_results": [result]})
    with pytest.raises(InputError, match="'org/one' has no score for item 'id1'"):
        read(tmp_path)
    matrix = read(tmp_path, missing="drop_items", groups_column="subject")
    assert matrix.scores.tolist() == [2, 1]
    assert matrix.groups == ("s0", "s1", "s1")
    with pytest.raises(InputError, match=r"no metadata 'topic' \(--groups-column\); it has subject"):
        read(tmp_path, groups_column="topic")


def test_every_eval_ever_filters_of_lm_eval_do_not_count_samples_twice(tmp_path: Path) -> None:
    """As its converter writes them: an evaluation for each filter, of the same samples."""
    for model, first, digits in (("org/one", [0.0, 1.0], [1.0, 1.0]), ("org/two", [1.0, 0.0], [0.0, 1.0])):
        lines = []
        for name, scores in (("first", first), ("digits", digits)):
            path = write_eee(tmp_path, model, scores)
            more = {"evaluation_name": f"gen/{name}", "evaluation_result_id": f"exact_match:{name}"}
            lines += [json.dumps(json.loads(line) | more) for line in path.read_text().splitlines()]
        path.write_text("\n".join(lines))
    with pytest.raises(InputError, match="several scores for each item of gen: exact_match:first, exact_match:digits"):
        read(tmp_path)
    matrix = read(tmp_path, metric="exact_match:first")
    assert matrix.items == ("id0", "id1")
    assert matrix.losses.T.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("result", ["perplexity", None])
def test_every_eval_ever_perplexity_from_lm_eval_is_a_log_likelihood(tmp_path: Path, result: str | None) -> None:
    """As its converter writes them: the aggregate is a perplexity, lower is better, and the samples are not."""
    metric = {"metric_name": "perplexity", "lower_is_better": True, "min_score": 1.0, "max_score": "Infinity"}
    for model, scores, perplexity in (("org/high", [-1.25, -0.25], 2.117), ("org/low", [-4.0, -3.0], 33.115)):
        path = write_eee(tmp_path, model, scores)
        records = [json.loads(line) | {"evaluation_result_id": result} for line in path.read_text().splitlines()]
        path.write_text("\n".join(map(json.dumps, records)))
        own = {"evaluation_result_id": "perplexity", "evaluation_name": "mmlu", "metric_config": metric}
        document = {"evaluation_results": [own | {"score_details": {"score": perplexity}}]}
        write_json(path.with_name("5917cc37.json"), document)
    matrix = read(tmp_path)
    assert matrix.systems == ("org/high", "org/low")
    assert matrix.scores.tolist() == [-0.75, -3.5]
    assert matrix.losses.mean(axis=0).tolist() == [0.75, 3.5]


@pytest.mark.parametrize(
    ("name", "document", "advice"),
    [
        ("r/scenario_state.json", {"adapter_spec": {}, "request_states": []}, "give the run's folder"),
        ("r/stats.json", [{"name": {"name": "exact_match", "split": "test"}, "mean": 0.5}], "give per_instance_stats"),
        ("x.json", {"evaluation_results": [{"evaluation_name": "mmlu"}]}, "give the samples of Every Eval Ever"),
        ("all_preds.jsonl", {"instance_id": "a", "model_patch": "diff"}, "give the report that swebench.harness"),
        ("predictions/m/d.json", {"0": {"origin_prompt": "q", "prediction": "A"}}, "give its folder results/"),
        ("results/m/d.json", {"accuracy": 51.0}, "run OpenCompass with --dump-eval-details"),
    ],
)
def test_files_without_scores_of_items_say_what_to_give(
    tmp_path: Path, name: str, document: object, advice: str
) -> None:
    (tmp_path / "predictions").mkdir()
    write_json(tmp_path / name, document)
    with pytest.raises(InputError, match=f"^{name} .*{advice}"):
        read(tmp_path)
