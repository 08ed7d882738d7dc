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
    log = inspect_log("one", {"q0": ["perhaps"], "q1": ["no"]})
    with pytest.raises(InputError, match=r"a.eval has no score of its samples"):
        read(write_inspect(tmp_path / "a.eval", log))
    with pytest.raises(InputError, match=r"no metadata 'site' \(--groups-column\); it has passage"):
        read(write_inspect(tmp_path / "c.eval", inspect_log("one", ONE)), groups_column="site")
    (tmp_path / "b.eval").write_bytes(b"PK no log")
    with pytest.raises(InputError, match="no results that are understood"):
        read(tmp_path / "b.eval")
