"""Samples of lm-evaluation-harness."""

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
    assert "score acc, higher is better" in matrix.notes[-1]


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
    assert "left out: the scores acc" in chosen.notes[0]
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
    assert "1 older runs" in latest.notes[0]
    both = read(tmp_path, reruns="repeats")
    assert both.losses.ravel().tolist() == [0, 0.5]
    assert both.notes[-1] == "each score is the mean of 2 runs"
    assert both.repeats is not None
    assert both.repeats.variances.ravel().tolist() == [0, 0.25]


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
    assert "left out bleu: not one number for each document" in read(path).notes[0]


def test_a_file_that_was_cut_off_is_told_with_its_line(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, "one", {"acc": [1.0, 0.0]})
    path.write_text(path.read_text()[:-40])
    with pytest.raises(InputError, match=r"samples_tiny_.*jsonl, line 2 is not whole JSON"):
        read(path)
