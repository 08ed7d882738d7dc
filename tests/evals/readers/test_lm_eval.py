"""Samples of lm-evaluation-harness."""

import json
from pathlib import Path

import pytest

from ladderboard.core.errors import InputError
from ladderboard.evals import ACCURACY, LossMatrix, read_results
from tests.evals.readers.written import write_lm_eval


def read(path: Path, **options: object) -> LossMatrix:
    results = read_results(path, **options)  # type: ignore[arg-type]
    assert isinstance(results, LossMatrix)
    return results


def test_a_folder_is_one_matrix_with_the_models_names(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "org/one", {"acc": [1.0, 0.0, 1.0]})
    write_lm_eval(tmp_path, "org/two", {"acc": [0.0, 0.0, 1.0]}, date="2026-11-18T01-00-00.5")
    matrix = read(tmp_path)
    assert matrix.systems == ("org/one", "org/two")
    assert matrix.losses.T.tolist() == [[0, 1, 0], [1, 1, 0]]
    assert matrix.measure is ACCURACY
    assert matrix.items == ("0", "1", "2")
    assert matrix.dates == ("2026-11-17T12:27:07.954315", "2026-11-18T01:00:00.5")
    assert "score acc, higher is better" in matrix.notes[0]


def test_groups_are_a_field_of_the_documents(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, "one", {"acc": [1.0, 0.0, 1.0, 0.0]})
    assert read(path, groups_column="passage").groups == ("0", "0", "1", "1")
    with pytest.raises(InputError, match=r"no field 'site' \(--groups-column\); it has q, label, passage"):
        read(path, groups_column="site")


def test_groups_of_several_tasks_are_not_mixed(tmp_path: Path) -> None:
    for task in ("first", "second"):
        write_lm_eval(tmp_path, "one", {"acc": [1.0, 0.0, 1.0]}, task=task, results=False)
    matrix = read(tmp_path, groups_column="passage")
    assert matrix.groups == ("first/0", "first/0", "first/1", "second/0", "second/0", "second/1")
    assert matrix.notes[-1] == "4 groups of items by 'passage'"


def test_one_of_several_scores_has_to_be_chosen(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "one", {"acc": [1.0, 0.0], "acc_norm": [0.0, 1.0]})
    with pytest.raises(InputError, match=r"several scores for each item of tiny: acc, acc_norm; .* --metric 'acc'"):
        read(tmp_path)
    chosen = read(tmp_path, metric="acc_norm")
    assert chosen.losses.ravel().tolist() == [1, 0]
    assert "left out 1 score (acc): " in chosen.notes[1]
    with pytest.raises(InputError, match="no score of tiny is called f1; it has acc, acc_norm"):
        read(tmp_path, metric="f1")


def test_filters_are_scores_of_their_own(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "one", {"exact_match": [1.0, 0.0]}, filters=("strict-match", "flexible-extract"))
    with pytest.raises(InputError, match="exact_match,strict-match, exact_match,flexible-extract"):
        read(tmp_path)
    assert read(tmp_path, metric="exact_match,strict-match").losses.ravel().tolist() == [0, 1]


def test_several_tasks_keep_their_names(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "one", {"acc": [1.0, 0.0]}, results=False)
    write_lm_eval(tmp_path, "one", {"exact_match": [1.0, 0.0]}, task="second", results=False)
    matrix = read(tmp_path)
    assert matrix.tasks == ("second", "second", "tiny", "tiny")
    assert matrix.items == ("second/0", "second/1", "tiny/0", "tiny/1")
    assert matrix.systems == ("one",)  # the folder's name, where there is no results file


def test_the_results_file_says_the_direction(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "one", {"surprise": [1.5, 2.0]}, higher=False)
    matrix = read(tmp_path)
    assert matrix.losses.ravel().tolist() == [1.5, 2.0]
    assert matrix.measure.lower_is_better


def test_an_unknown_direction_is_refused_with_the_options(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, "one", {"surprise": [1.5, 2.0]}, results=False)
    with pytest.raises(InputError, match=r"jsonl does not say .*\(surprise\): say --higher-is-better or --lower"):
        read(path)
    assert read(path, higher_is_better=True).losses.ravel().tolist() == [-1.5, -2.0]


def test_of_two_runs_the_latest_is_taken_or_both_are_averaged(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "one", {"acc": [1.0, 0.0]})
    write_lm_eval(tmp_path, "one", {"acc": [1.0, 1.0]}, date="2026-11-18T01-00-00.5")
    latest = read(tmp_path, constant=True)
    assert latest.losses.ravel().tolist() == [0, 0]
    assert "left out 1 run (samples_tiny_2026-11-17T12-27-07.954315.jsonl: one on tiny): a later run" in latest.notes[1]
    both = read(tmp_path, reruns="repeats")
    assert both.losses.ravel().tolist() == [0, 0.5]
    assert both.notes[-1] == "each score is the mean of 2 runs"
    assert both.repeats is not None
    assert both.repeats.variances.ravel().tolist() == [0, 0.25]


def test_runs_with_other_arguments_of_the_model_are_other_systems(tmp_path: Path) -> None:
    """Arguments are a mapping, in older files a string."""
    for hour, revision in enumerate(("step1", "step2")):
        arguments = {"pretrained": "org/one", "revision": revision, "batch_size": str(hour), "api_key": revision}
        given = arguments if hour else ",".join(f"{key}={value}" for key, value in arguments.items())
        scores = {"acc": [1.0, float(hour)]}
        write_lm_eval(tmp_path, "org/one", scores, date=f"2026-11-18T0{hour}-00-00.5", arguments=given)
    matrix = read(tmp_path, constant=True)
    assert matrix.systems == ("org/one (revision=step1)", "org/one (revision=step2)")
    assert matrix.scores.tolist() == [0.5, 1.0]


def test_models_without_a_name_are_not_one_because_lm_eval_made_up_the_same(tmp_path: Path) -> None:
    """lm_eval draws a name from its seed where the model's arguments have none: two models got this one."""
    for hour, (source, arguments) in enumerate((("dummy", {}), ("mine", {"p": "0.3"}), ("mine", {"p": "0.6"}))):
        date = f"2026-11-18T0{hour}-00-00.5"
        write_lm_eval(tmp_path, "2sixoulw", {"acc": [1.0, 0.0]}, date=date, arguments=arguments, source=source)
    assert read(tmp_path).systems == ("dummy", "mine (p=0.3)", "mine (p=0.6)")
    named = write_lm_eval(tmp_path / "named", "gpt4omni", {"acc": [1.0, 0.0]}, arguments={"model": "gpt4omni"})
    assert read(named).systems == ("gpt4omni",)


def test_documents_that_differ_are_refused(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "one", {"acc": [1.0, 0.0]})
    write_lm_eval(tmp_path, "two", {"acc": [1.0, 0.0]}, salt="other")
    with pytest.raises(InputError, match="item '0' of tiny is not the same in"):
        read(tmp_path)


def test_items_that_a_system_lacks_are_named(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "one", {"acc": [1.0, 0.0, 1.0]})
    write_lm_eval(tmp_path, "two", {"acc": [1.0, 0.0]})
    with pytest.raises(InputError, match=r"'two' has no score for item '2'; .*--missing drop-items"):
        read(tmp_path)
    assert read(tmp_path, missing="drop_items").items == ("0", "1")
    assert read(tmp_path, missing="worst").losses[2].tolist() == [0, 1]


def test_a_score_that_is_no_number_is_left_out(tmp_path: Path) -> None:
    pairs: list[float] = [["a", "b"], ["c", "d"]]  # type: ignore[list-item]
    path = write_lm_eval(tmp_path, "one", {"acc": [1.0, 0.0], "bleu": pairs})
    assert read(path).notes[1] == "left out 1 score (bleu of tiny): not one number for each document"
    write_lm_eval(tmp_path, "two", {"acc": [1.0, 0.0], "bleu": pairs})
    assert sum("(bleu of tiny)" in note for note in read(tmp_path).notes) == 1


def test_a_task_without_such_a_score_is_left_out_beside_others(tmp_path: Path) -> None:
    """As lm_eval writes word_perplexity and bits_per_byte: the log-likelihood and the length of each document."""
    pairs: list[float] = [[-0.3549434436862958, 5], [-0.98, 11]]  # type: ignore[list-item]
    path = write_lm_eval(tmp_path, "one", {"word_perplexity": pairs}, task="text", results=False)
    with pytest.raises(InputError, match=r"samples_text_.* has no score that is one number for each document"):
        read(path)
    write_lm_eval(tmp_path, "one", {"acc": [1.0, 0.0]})
    matrix = read(tmp_path)
    assert matrix.items == ("0", "1")
    assert matrix.notes[1:] == (
        "left out 1 score (word_perplexity of text): not one number for each document",
        f"left out 1 run ({path.name}: one on text): none of its scores is one number for each document",
    )


@pytest.mark.parametrize("results", [True, False])
def test_the_perplexity_of_a_document_is_its_log_likelihood(tmp_path: Path, results: bool) -> None:
    """lm_eval writes it under "perplexity", which points down; the likelier model is nevertheless the better one."""
    for model, numbers, perplexity in (("likely", [-0.7, -0.1], 1.4918247), ("unlikely", [-4.2, -1.8], 20.085537)):
        scores = {"perplexity": numbers}
        write_lm_eval(tmp_path, model, scores, higher=False, aggregates={"perplexity": perplexity}, results=results)
    matrix = read(tmp_path)
    assert matrix.systems == ("likely", "unlikely")
    assert matrix.losses.T.tolist() == [[0.7, 0.1], [4.2, 1.8]]
    assert matrix.scores.tolist() == pytest.approx([-0.4, -3.0])
    assert not matrix.measure.lower_is_better
    assert "score log_likelihood, higher is better" in matrix.notes[0]


def test_a_score_that_is_no_mean_is_told_and_has_no_direction(tmp_path: Path) -> None:
    """As in tasks where lm_eval marks documents that do not count by -1, and leaves them out of its own score."""
    write_lm_eval(tmp_path, "one", {"4096": [1.0, -1.0, 0.5]}, aggregates={"4096": 0.75})
    with pytest.raises(InputError, match=r"does not say whether high numbers are good \(4096\)"):
        read(tmp_path)
    note = "lm-eval's own 4096 is 0.75, not the mean of the documents' numbers, 0.1667; the mean is taken here"
    assert note in read(tmp_path, higher_is_better=True).notes[1]


def test_a_file_that_was_cut_off_is_told_with_its_line(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, "one", {"acc": [1.0, 0.0]})
    path.write_text(path.read_text()[:-40])
    with pytest.raises(InputError, match=r"samples_tiny_.*jsonl, line 2 is not complete JSON"):
        read(path)


def test_models_in_one_folder_are_named_by_their_results(tmp_path: Path) -> None:
    """As lm_eval --output_path NAME.json writes them."""
    for model, date in (("org/one", "2026-11-17T12-00-00.5"), ("org/two", "2026-11-17T13-00-00.5")):
        samples = write_lm_eval(tmp_path / "by model", model, {"acc": [1.0, 0.0]}, date=date)
        samples.rename(tmp_path / samples.name)
        results = samples.with_name(f"results_{date}.json")
        results.rename(tmp_path / f"mine_{date}.json")
    assert read(tmp_path).systems == ("org/one", "org/two")
    for results in tmp_path.glob("mine_*"):
        results.unlink()
    with pytest.raises(InputError, match=r"lie in one folder without the results_….json that names their model"):
        read(tmp_path)


def test_samples_of_2024_are_an_array_without_names_of_scores(tmp_path: Path) -> None:
    """As the details of the Open LLM Leaderboard were until July 2024."""
    samples = write_lm_eval(tmp_path, "org/one", {"acc_norm": [1.0, 0.0, 1.0]})
    records = [json.loads(line) for line in samples.read_text().splitlines()]
    old = [{key: value for key, value in record.items() if key not in ("metrics", "filter")} for record in records]
    samples.unlink()
    path = samples.with_suffix(".json")
    path.write_text(json.dumps(old, indent=2))
    matrix = read(tmp_path)
    assert matrix.systems == ("org/one",)
    assert matrix.losses.ravel().tolist() == [0, 1, 0]
    path.write_text(json.dumps([*old, old[0] | {"acc_norm": 0.0}]))
    with pytest.raises(InputError, match="document 0 has two values of acc_norm; was it written with several filters"):
        read(tmp_path)
