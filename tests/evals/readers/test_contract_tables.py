"""The same promises for results of tasks, SWE-bench reports and tables, whose runs have another form."""

import json
from pathlib import Path

import pytest

from ladderboard.core.errors import InputError
from ladderboard.evals import LossMatrix, read_results
from tests.evals.readers.written import write_json, write_lm_eval, write_results, write_swe_report

OLD, NEW = "2026-11-17T12-00-00.5", "2026-11-18T12-00-00.5"


def read(path: Path, **options: object) -> LossMatrix:
    results = read_results(path, **options)  # type: ignore[arg-type]
    assert isinstance(results, LossMatrix)
    return results


def test_results_of_different_tasks_are_put_together(tmp_path: Path) -> None:
    """A model's tasks in two files: neither is an older run of the other."""
    write_results(tmp_path, "org/one", {"arc": 0.5, "boolq": 0.25}, date=OLD)
    write_results(tmp_path, "org/one", {"gsm8k": 0.75, "piqa": 1.0}, date=NEW)
    write_results(tmp_path, "org/two", {"arc": 0.5, "boolq": 0.5, "gsm8k": 0.5, "piqa": 0.5}, date=OLD)
    matrix = read(tmp_path)
    assert set(matrix.items) == {"arc", "boolq", "gsm8k", "piqa"}
    assert dict(zip(matrix.systems, matrix.scores.tolist(), strict=True)) == {"org/one": 0.625, "org/two": 0.5}
    assert matrix.left_out == ()
    assert any(note.startswith("org/one: put together from 2 files that share no item") for note in matrix.notes)


def test_of_results_of_one_task_the_whole_run_counts_and_then_the_latest(tmp_path: Path) -> None:
    write_results(tmp_path, "org/one", {"arc": 0.4, "boolq": 0.25}, date=OLD)
    write_results(tmp_path, "org/one", {"arc": 0.9}, date=NEW, effective=20)
    write_results(tmp_path, "org/one", {"boolq": 0.75, "gsm8k": 0.5}, date=NEW.replace("12-", "13-"))
    matrix = read(tmp_path)
    assert dict(zip(matrix.items, (1 - matrix.losses).ravel().tolist(), strict=True)) == pytest.approx(
        {"arc": 0.4, "boolq": 0.75, "gsm8k": 0.5}
    )
    left = {one.reason.split(";")[0]: one.names for one in matrix.left_out}
    assert left == {
        "a fuller run of the same system on the same task counts": (f"results_{NEW}.json: org/one on arc",),
        "a later run of the same system on the same task counts": (f"results_{OLD}.json: org/one on boolq",),
    }


def test_a_limited_run_that_stands_alone_is_told(tmp_path: Path) -> None:
    write_results(tmp_path, "org/one", {"arc": 0.4, "boolq": 0.25}, effective=20)
    assert "run with --limit, on 20 samples only: org/one on arc, org/one on boolq (2 in all)" in read(tmp_path).notes


def test_aggregates_and_tasks_without_the_score_are_named(tmp_path: Path) -> None:
    path = write_results(
        tmp_path, "org/one", {"arc": 0.5, "boolq": 0.25, "both": 0.4}, groups={"both": ["arc", "boolq"]}
    )
    document = json.loads(path.read_text())
    document["results"]["gen"] = {"alias": "gen", "bleu,none": 12.0}
    write_json(path, document)
    matrix = read(tmp_path, metric="acc")
    assert matrix.items == ("arc", "boolq")
    assert "left out 1 task (both): an aggregate of other tasks" in matrix.notes
    assert any(
        note.startswith("left out 1 task (org/one on gen): the task has none of the scores") for note in matrix.notes
    )


def test_results_of_2023_name_the_model_and_its_revision_in_the_arguments(tmp_path: Path) -> None:
    """As lm_eval 0.3 wrote those of Pythia: all in folders called zero-shot, without a date."""
    for size, step in (("70m", 1000), ("70m", 143000), ("12b", 1000)):
        document = {
            "results": {"arc": {"acc": step / 200_000, "acc_stderr": 0.01}, "piqa": {"acc": 0.5}},
            "versions": {"arc": 0, "piqa": 0},
            "config": {
                "model": "hf-causal",
                "model_args": f"pretrained=org/py-{size},revision=step{step}",
                "limit": None,
            },
        }
        write_json(tmp_path / size / "zero-shot" / f"{size}_step{step}.json", document)
    assert set(read(tmp_path).systems) == {
        "org/py-70m (revision=step1000)",
        "org/py-70m (revision=step143000)",
        "org/py-12b",
    }


def test_two_scores_of_one_task_are_not_mixed(tmp_path: Path) -> None:
    write_results(tmp_path, "org/one", {"arc": 0.5, "boolq": 0.25})
    path = write_results(tmp_path, "org/two", {"arc": 0.5, "boolq": 0.25})
    document = json.loads(path.read_text())
    document["results"]["arc"] = {"acc_norm,none": 0.9}
    write_json(path, document)
    with pytest.raises(InputError, match=r"arc has the score acc in .* and acc_norm in .*--metric"):
        read(tmp_path)


def test_results_without_samples_are_named_beside_samples(tmp_path: Path) -> None:
    """Models and a task of which only results are there do not vanish without a word, whatever their date."""
    write_lm_eval(tmp_path, "org/one", {"acc": [1.0, 0.0, 1.0]}, task="arc", date=OLD)
    write_results(tmp_path, "org/two", {"arc": 0.5, "boolq": 0.25})
    write_results(tmp_path, "org/three", {"arc": 0.5}, date=OLD)
    write_results(tmp_path, "org/one", {"gsm8k": 0.5}, date=NEW)
    matrix = read(tmp_path)
    assert matrix.systems == ("org/one",)
    (left,) = matrix.left_out
    assert left.what == "result"
    assert {name.partition(": ")[2] for name in left.names} == {
        "org/two on arc",
        "org/two on boolq",
        "org/three on arc",
        "org/one on gsm8k",
    }
    assert "no items (lm_eval --log_samples writes them)" in left.reason


def test_results_beside_another_harness_are_not_dropped(tmp_path: Path) -> None:
    write_results(tmp_path, "org/two", {"arc": 0.5, "boolq": 0.25})
    write_swe_report(tmp_path, "agent", ["a"], ["b"])
    with pytest.raises(InputError, match=r"holds SWE-bench reports \(.*\) and results of lm-eval .*; give one"):
        read(tmp_path)


def test_swe_bench_runs_of_one_model_are_systems_and_a_smaller_one_lacks_items(tmp_path: Path) -> None:
    write_swe_report(tmp_path, "one", ["a", "b"], ["c", "d"])
    write_swe_report(tmp_path, "one", ["a"], ["b"]).rename(tmp_path / "one.smoke.json")
    write_swe_report(tmp_path, "one", ["a", "b"], ["c", "d"])
    with pytest.raises(InputError, match=r"'one.smoke' has no score for item 'c', and 1 more is missing"):
        read(tmp_path)
    assert read(tmp_path, drop=["one.smoke"]).scores.tolist() == [0.5]


def test_a_swe_bench_report_that_only_counts_is_left_out_by_its_name(tmp_path: Path) -> None:
    counted = write_json(tmp_path / "old.run1.json", {"total_instances": 4, "resolved_instances": 2})
    with pytest.raises(InputError, match=r"old.run1.json: it counts the resolved instances and does not list them"):
        read(counted)
    write_swe_report(tmp_path, "one", ["a", "b"], ["c", "d"])
    matrix = read(tmp_path)
    assert matrix.systems == ("one",)
    assert [(one.what, len(one.names)) for one in matrix.left_out] == [("report", 1)]
    assert matrix.left_out[0].names[0].endswith("old.run1.json")


def test_multi_swe_bench_lists_resolved_instances_under_another_name(tmp_path: Path) -> None:
    for system, resolved in (("20240825_agent_one", ["a", "b"]), ("20240826_agent_two", ["b"])):
        others = [name for name in "abc" if name not in resolved]
        document = {
            "total_instances": 4,
            "resolved_instances": len(resolved),
            "completed_ids": list("abc"),
            "incomplete_ids": ["d"],
            "submitted_ids": list("abc"),
            "resolved": resolved,
            "unresolved_ids": others,
        }
        write_json(tmp_path / "java" / "verified" / system / "results" / "results.json", document)
    matrix = read(tmp_path)
    assert matrix.systems == ("agent_one", "agent_two")
    assert matrix.items == ("a", "b", "c", "d")
    assert matrix.scores.tolist() == [0.5, 0.25]


def test_languages_of_multi_swe_bench_are_tasks_of_one_system(tmp_path: Path) -> None:
    """The same folder names stand below each language; once, the instances of the one replaced those of the other."""
    for language, resolved in (("java", ["a"]), ("go", ["x", "y"])):
        names = "abc" if language == "java" else "xyz"
        document = {"total_instances": 3, "submitted_ids": list(names), "resolved": resolved, "resolved_instances": 1}
        write_json(
            tmp_path / "evaluation" / language / "verified" / "20240825_agent" / "results" / "results.json", document
        )
    matrix = read(tmp_path)
    assert matrix.systems == ("agent",)
    assert matrix.tasks == ("go/verified",) * 3 + ("java/verified",) * 3
    assert matrix.scores.tolist() == [0.5]
    with pytest.raises(InputError, match=r"go/verified and java/verified are two boards, and --item-count is of one"):
        read(tmp_path, item_count=10)


def test_final_reports_of_multi_swe_bench_are_called_after_their_folders(tmp_path: Path) -> None:
    for system, resolved in (("one", ["a"]), ("two", ["a", "b"])):
        document = {
            "total_instances": 3,
            "resolved_instances": len(resolved),
            "submitted_ids": list("abc"),
            "completed_ids": list("ab"),
            "incomplete_ids": ["c"],
            "resolved_ids": resolved,
            "unresolved_ids": [name for name in "ab" if name not in resolved],
            "error_ids": ["c"],
        }
        write_json(tmp_path / system / "output" / "final_report.json", document)
    matrix = read(tmp_path)
    assert dict(zip(matrix.systems, matrix.scores.tolist(), strict=True)) == pytest.approx({"one": 1 / 3, "two": 2 / 3})
    assert "one: no report could be made of 1 of 3 instances, counted as not resolved" in matrix.notes


LONG = "item,system,score,task\n"


def test_a_long_table_names_who_lacks_a_task_and_counts_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    rows = [f"q{item},{system},{item % 2},{task}" for task in ("arc", "boolq") for item in range(3) for system in "ab"]
    path.write_text(LONG + "\n".join(row for row in rows if ",b," not in row or "boolq" not in row))
    with pytest.raises(InputError, match=r"'b' for 3 of 6 items \(all of boolq\)"):
        read(path, kind="correct")
    matrix = read(path, kind="correct", missing="drop_items")
    assert "3 of 6 items of 1 task × 2 systems" in matrix.notes[0]
    assert matrix.left_out[-1].names == ("boolq/q0", "boolq/q1", "boolq/q2")


def test_unequal_repeats_of_a_long_table_are_read(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    rows = [
        f"q{item},{system},{(item + repeat) % 2},{repeat}" for item in range(6) for system in "ab" for repeat in (1, 2)
    ]
    path.write_text(
        "item,system,score,repeat\n" + "\n".join(row for row in rows if ",b," not in row or row.endswith(",1"))
    )
    matrix = read(path, kind="correct")
    assert matrix.repeats is not None
    assert matrix.repeats.counts.T.tolist() == [[2] * 6, [1] * 6]
    assert "each score is the mean of 1 to 2 runs" in matrix.notes


def test_a_column_without_any_score_is_named_and_can_be_dropped(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("id,a,b,c\nq1,1,0,\nq2,0,0,\nq3,1,1,\n")
    with pytest.raises(
        InputError, match=r"column 'c': the cell is empty, and so are 2 more \(of 'c' for 3 of 3 items\).*--drop"
    ):
        read(path, kind="correct")
    with pytest.raises(InputError, match=r"0 items left; .*no score of 'c' for 3 of 3 items"):
        read(path, kind="correct", missing="drop_items")
    assert read(path, kind="correct", drop=["c"]).systems == ("a", "b")


def test_columns_at_0_and_100_percent_are_systems(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("id,always,never,some\nq1,1,0,1\nq2,1,0,0\n")
    assert read(path, kind="correct").scores.tolist() == [1, 0, 0.5]


def test_files_beside_the_only_table_of_a_folder_are_named(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("id,a,b\nq1,1,0\nq2,0,0\n")
    (tmp_path / "run.json").write_text('{"hello": 1}')
    matrix = read(tmp_path, kind="correct")
    assert matrix.notes[-1] == "left out 1 file (run.json): not understood as results"
