"""promptfoo, LiveCodeBench and MTEB; costs in two units."""

from pathlib import Path

import pytest

from ladderboard.core.errors import InputError
from ladderboard.evals import LossMatrix, read_results
from tests.evals.readers.written import write_json
from tests.evals.readers.written_agents import write_livecodebench, write_mteb, write_promptfoo, write_tau2


def read(path: Path, **options: object) -> LossMatrix:
    results = read_results(path, **options)  # type: ignore[arg-type]
    assert isinstance(results, LossMatrix)
    return results


PASSED = {"paid": ((1, 1), (1, None)), "free": ((0, 1), (0, 0))}


def test_repeats_of_promptfoo_are_not_new_tests(tmp_path: Path) -> None:
    """promptfoo numbers the repeats of three tests from 0 to 5."""
    matrix = read(write_promptfoo(tmp_path / "out.json", PASSED), metric="success")
    assert len(matrix.items) == 2
    assert dict(zip(matrix.systems, matrix.scores.tolist(), strict=True)) == {"paid": 0.75, "free": 0.25}
    assert matrix.repeats is not None
    assert "paid: 1 of 4 results are errors and count as failed" in matrix.notes


def test_costs_of_promptfoo_that_are_all_0_are_not_given(tmp_path: Path) -> None:
    matrix = read(write_promptfoo(tmp_path / "out.json", PASSED), metric="success")
    assert matrix.costs is not None
    assert dict(zip(matrix.systems, matrix.costs.means, strict=True)) == {"paid": 0.25, "free": None}


def test_prompts_of_promptfoo_are_systems_where_there_are_several(tmp_path: Path) -> None:
    path = write_promptfoo(tmp_path / "out.json", {"paid": ((1,), (0,))}, prompts=("short", "long " * 20))
    long, short = sorted(read(path, metric="success").systems)
    assert short == "paid [short]"
    assert long.startswith("paid [long long long")
    assert len(long) < 60


def test_each_test_of_promptfoo_has_its_variables_for_groups(tmp_path: Path) -> None:
    path = write_promptfoo(tmp_path / "out.json", PASSED)
    assert read(path, metric="success", groups_column="topic").groups == ("x", "x")
    with pytest.raises(InputError, match=r"no variable or metadata 'nothing' \(--groups-column\); it has topic, n"):
        read(path, metric="success", groups_column="nothing")


def test_answers_of_livecodebench_are_repeats_and_ungraded_ones_are_named(tmp_path: Path) -> None:
    write_livecodebench(tmp_path, "m", ((1, 0), (1, 1)))
    alone = write_livecodebench(tmp_path / "raw", "other", ((), ()))
    matrix = read(tmp_path)
    assert matrix.losses.ravel().tolist() == [0.5, 0]
    assert matrix.left_out[0].names == (f"other/{alone.name}",)
    assert read(tmp_path, groups_column="difficulty").groups == ("easy", "hard")
    with pytest.raises(InputError, match=r"not graded; run lcb_runner with --evaluate"):
        read(alone)


def test_answers_beside_their_grades_belong_to_them(tmp_path: Path) -> None:
    path = write_livecodebench(tmp_path, "m", ((1, 0), (1, 1)))
    for suffix in ("", "_eval"):
        write_json(path.with_name(path.name.replace("_eval_all", suffix)), [{"pass@1": 0.5}])
    assert read(tmp_path).left_out == ()


def test_single_tests_of_one_question_of_livecodebench_are_items(tmp_path: Path) -> None:
    path = tmp_path / "m" / "Scenario.testoutputprediction_1_0.2_eval_all.json"
    write_json(
        path,
        [
            {"question_title": "q", "question_id": 7, "test_id": test, "pred_list": ["1"], "graded_list": [test == 0]}
            for test in range(3)
        ],
    )
    assert read(path).items == ("7/0", "7/1", "7/2")


def test_a_task_of_mteb_is_an_item_with_the_mean_over_what_all_systems_have(tmp_path: Path) -> None:
    write_mteb(tmp_path, "org/one", "STS", {"en": 0.8, "de": 0.2})
    write_mteb(tmp_path, "org/two", "STS", {"en": 0.6}, data="new")
    write_mteb(tmp_path, "org/one", "Arg", {"default": 0.5})
    write_mteb(tmp_path, "org/two", "Arg", {"default": 0.7})
    matrix = read(tmp_path)
    assert matrix.items == ("Arg", "STS")
    assert dict(zip(matrix.systems, (1 - matrix.losses).T.tolist(), strict=True)) == {
        "org/one": pytest.approx([0.5, 0.8]),
        "org/two": pytest.approx([0.7, 0.6]),
    }
    assert "left out 1 part (STS test/de): not all systems have it" in matrix.notes
    assert "no items are known: each of 2 tasks counts as one item" in matrix.notes[1]
    assert "the data of 1 task had several revisions: STS" in matrix.notes
    assert read(tmp_path, drop=["org/two"]).losses.ravel().tolist() == pytest.approx([0.5, 0.5])


def test_systems_without_a_common_part_of_a_task_are_refused(tmp_path: Path) -> None:
    write_mteb(tmp_path, "org/one", "STS", {"en": 0.8})
    write_mteb(tmp_path, "org/two", "STS", {"de": 0.6})
    with pytest.raises(InputError, match=r"STS: org/two has test/de and nothing that .*test/en.*--drop org/two"):
        read(tmp_path)


def test_a_file_of_mteb_without_a_main_score_is_refused(tmp_path: Path) -> None:
    old = {"dataset_revision": "a", "mteb_dataset_name": "STS12", "mteb_version": "1.2.0", "test": {"cos_sim": {}}}
    path = write_json(tmp_path / "m" / "no_revision_available" / "STS12.json", old)
    with pytest.raises(InputError, match=r"STS12.json: it has no main score; files of mteb before 1.11"):
        read(path)


def test_costs_in_two_units_are_refused_with_the_option(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("item,system,correct,cost_usd,cost_eur\na,x,1,1,2\nb,x,0,3,4\n")
    with pytest.raises(InputError, match=r"costs are given in USD .* and EUR .*; say which to take \(--cost USD\)"):
        read(path, kind="correct")
    costs = read(path, kind="correct", cost="EUR").costs
    assert costs is not None
    assert (costs.unit, costs.means) == ("EUR", (3.0,))
    assert read(path, kind="correct", cost="none").costs is None
    with pytest.raises(InputError, match=r"no run gives its cost in tokens \(--cost\); given are EUR, USD"):
        read(path, kind="correct", cost="tokens")


def test_a_column_says_the_unit_of_each_cost(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("item,system,correct,cost,currency\na,x,1,1,USD\nb,x,0,3,$\na,y,1,1,EUR\nb,y,0,2,EUR\n")
    with pytest.raises(InputError, match=r"costs are given in USD .* and EUR"):
        read(path, kind="correct")
    path.write_text("item,system,correct,cost\na,x,1,1\nb,x,0,-3\n")
    with pytest.raises(InputError, match=r"line 3.*'cost': -3 is no cost.*--cost none"):
        read(path, kind="correct")


def test_the_systems_whose_costs_are_not_known_are_named(tmp_path: Path) -> None:
    write_tau2(tmp_path / "a.json", "one", ((1,), (0,)))
    path = write_tau2(tmp_path / "b.json", "two", ((1,), (0,)))
    path.write_text(path.read_text().replace('"agent_cost": 0.25', '"agent_cost": null'))
    assert "costs in USD, the mean of one run of an item: one 0.25; not given of two" in read(tmp_path).notes
