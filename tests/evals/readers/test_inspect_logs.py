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
    assert matrix.notes[1] == "left out 1 log (b.eval): the status is 'error', not 'success'"
    with pytest.raises(InputError, match=r"b.eval: the status is 'error', not 'success'"):
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
    with pytest.raises(InputError, match=r"a.eval: no sample has a score; was it run with --no-score"):
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


def write_part(folder: Path, name: str, ids: str, hour: int) -> None:
    log = inspect_log("one", {item: ["C"] for item in ids}, created=f"2026-11-17T{hour:02}:00:00+00:00", limit=len(ids))
    write_inspect(folder / name, log)


def test_runs_of_different_samples_are_put_together(tmp_path: Path) -> None:
    """As inspect eval --limit 1-2 and --limit 3-4 write them."""
    write_part(tmp_path, "a.eval", "ab", 1)
    write_part(tmp_path, "b.eval", "cd", 2)
    matrix = read(tmp_path)
    assert matrix.items == ("a", "b", "c", "d")
    assert "one on arith: put together from 2 files that share no item (a.eval, b.eval)" in matrix.notes
    assert matrix.left_out == ()


def test_runs_of_which_each_lacks_samples_of_the_other_are_refused(tmp_path: Path) -> None:
    write_part(tmp_path, "a.eval", "abc", 1)
    write_part(tmp_path, "b.eval", "bcd", 2)
    with pytest.raises(InputError, match=r"a.eval and b.eval both hold one on arith, each with items that the other"):
        read(tmp_path)
    assert read(tmp_path, reruns="latest").items == ("b", "c", "d")
    averaged = read(tmp_path, reruns="repeats")
    assert averaged.repeats is not None
    assert averaged.repeats.counts.ravel().tolist() == [1, 2, 2, 1]


def test_an_index_of_logs_is_no_log(tmp_path: Path) -> None:
    """logs.json, as write_log_dir_manifest writes it: the headers by the names of the logs."""
    log = inspect_log("one", {"a": ["C"], "b": ["I"]})
    header = {key: value for key, value in log.items() if key != "samples"}
    index = write_json(tmp_path / "logs.json", {"2026_arith.eval": header})
    with pytest.raises(
        InputError, match=r"logs.json is an index of Inspect's logs, without their samples; give the fo"
    ):
        read(index)
    write_inspect(tmp_path / "2026_arith.eval", log)
    matrix = read(tmp_path)
    assert matrix.items == ("a", "b")
    assert [one.names for one in matrix.left_out] == [("logs.json",)]
