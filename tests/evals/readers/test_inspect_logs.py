"""Logs of Inspect."""

from pathlib import Path

import pytest

from ladderboard.core.errors import InputError
from ladderboard.evals import LossMatrix, Measure, read_results
from tests.evals.readers.written import inspect_log, write_inspect, write_json

ONE = {"q0": ["C", "C"], "q1": ["C", "I"], "q2": ["I", "P"], "q3": ["N", "I"]}
TWO = {"q0": ["C", "C"], "q1": ["I", "I"], "q2": ["I", "I"], "q3": ["C", "C"]}


def read(path: Path, **options: object) -> LossMatrix:
    results = read_results(path, **options)  # type: ignore[arg-type]
    assert isinstance(results, LossMatrix)
    return results


@pytest.mark.parametrize("form", ["zstandard", "deflate", "json"])
def test_epochs_are_repeats_in_every_form_of_log(tmp_path: Path, form: str) -> None:
    for name, grades in (("mock/one", ONE), ("mock/two", TWO)):
        log = inspect_log(name, grades)
        if form == "json":
            write_json(tmp_path / f"{name[5:]}.json", log)
        else:
            write_inspect(tmp_path / f"{name[5:]}.eval", log, zstandard=form == "zstandard")
    matrix = read(tmp_path, groups_column="passage")
    assert matrix.systems == ("mock/one", "mock/two")
    assert matrix.losses.T.tolist() == [[0, 0.5, 0.75, 1], [0, 1, 1, 0]]
    assert matrix.repeats is not None
    assert matrix.repeats.counts.tolist() == [[2, 2]] * 4
    assert matrix.repeats.variances[:, 0] == pytest.approx([0, 0.25, 0.0625, 0])
    assert matrix.groups == ("p0", "p0", "p1", "p1")
    assert matrix.measure == Measure("match", 1.0)


def test_runs_that_did_not_finish_are_left_out_and_named(tmp_path: Path) -> None:
    write_inspect(tmp_path / "a.eval", inspect_log("one", ONE))
    write_inspect(tmp_path / "b.eval", inspect_log("two", TWO, status="error"))
    matrix = read(tmp_path)
    assert matrix.systems == ("one",)
    assert matrix.notes[0] == "b.eval: left out, its status is 'error'"
    with pytest.raises(InputError, match="no log has the status 'success'"):
        read(tmp_path / "b.eval")


def test_several_numbers_of_a_score_are_scores_of_their_own(tmp_path: Path) -> None:
    log = inspect_log("one", {"q0": [{"style": 3, "fact": 1}], "q1": [{"style": 2, "fact": 0}]})
    path = write_inspect(tmp_path / "a.eval", log)
    with pytest.raises(InputError, match="match/style, match/fact; say which to take"):
        read(path)
    with pytest.raises(InputError, match=r"\(match/style\): say --higher-is-better"):
        read(path, metric="match/style")
    assert read(path, metric="match/style", higher_is_better=True).scores.tolist() == [2.5]


def test_bad_logs_are_told_by_name(tmp_path: Path) -> None:
    log = inspect_log("one", {"q0": ["perhaps"], "q1": ["never"]})
    with pytest.raises(InputError, match=r"a.eval has no score of its samples"):
        read(write_inspect(tmp_path / "a.eval", log))
    with pytest.raises(InputError, match=r"no metadata 'site' \(--groups-column\); it has passage"):
        read(write_inspect(tmp_path / "c.eval", inspect_log("one", ONE)), groups_column="site")
    (tmp_path / "b.eval").write_bytes(b"PK no log")
    with pytest.raises(InputError, match="no results that are understood"):
        read(tmp_path / "b.eval")


def test_words_and_samples_without_a_score_are_read_as_inspect_reads_them(tmp_path: Path) -> None:
    nan = float("nan")  # Score.unscored()
    path = write_inspect(tmp_path / "a.eval", inspect_log("one", {"a": ["Yes"], "b": ["no"], "c": [nan], "d": ["0.5"]}))
    with pytest.raises(InputError, match="'one' has no score for item 'c'"):
        read(path)
    assert read(path, missing="drop_items").losses.ravel().tolist() == [0, 1, 0.5]


def test_a_part_of_a_score_that_inspect_averages_as_accuracy_points_upwards(tmp_path: Path) -> None:
    log = inspect_log("one", {"q0": [{"fact": 1}], "q1": [{"fact": 0}]})
    log["results"]["scores"] = [{"name": "fact", "scorer": "match", "metrics": {"accuracy": {"value": 0.5}}}]
    assert read(write_inspect(tmp_path / "a.eval", log)).losses.ravel().tolist() == [0, 1]


def test_runs_with_other_settings_are_other_systems_and_tasks(tmp_path: Path) -> None:
    for number, (temperature, kind) in enumerate(((0.0, "easy"), (0.7, "easy"), (0.0, "hard"), (0.7, "hard"))):
        log = inspect_log("one", ONE if temperature else TWO)
        log["eval"] |= {"model_generate_config": {"temperature": temperature, "seed": 1}, "task_args": {"kind": kind}}
        write_inspect(tmp_path / f"{number}.eval", log)
    matrix = read(tmp_path)
    assert matrix.systems == ("one (temperature=0.0)", "one (temperature=0.7)")
    assert set(matrix.tasks or ()) == {"arith (kind=easy)", "arith (kind=hard)"}
    assert matrix.scores.tolist() == pytest.approx([0.5, 0.4375])
