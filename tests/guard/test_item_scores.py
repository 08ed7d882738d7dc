"""Graded items: scores of a grader outside, read by item and judged as any other metric."""

import json
import math
import pickle
import sqlite3
import warnings
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ladderboard as lb
from ladderboard.core.errors import GuardFileError, InputError, LabelsError, ParameterError, PredictionsError
from ladderboard.core.records import FloatArray, Release
from ladderboard.evals.loss_matrix import LossMatrix
from ladderboard.guard.holdout import Holdout
from ladderboard.inference.measure import Measure
from ladderboard.metrics.mean_score import MeanScore
from tests.evals.readers.written import write_lm_eval

ITEMS = [f"task {number}" for number in range(400)]
RNG = np.random.default_rng(4)
GRADES = RNG.integers(0, 5, 400) / 4
SHUFFLED = RNG.permutation(400)


def guard(**options: Any) -> Holdout:
    return Holdout.from_item_scores(ITEMS, **{"path": ":memory:", "seed": 1, **options})


def by_item(scores: FloatArray) -> dict[str, float]:
    return dict(zip(ITEMS, scores.tolist(), strict=True))


@pytest.fixture
def expected() -> Release:
    return guard().score(by_item(GRADES))


def test_the_mean_is_released_with_an_interval_around_it(expected: Release) -> None:
    assert expected.improved
    assert expected.value == pytest.approx(GRADES.mean(), abs=0.05)
    assert expected.interval is not None
    assert expected.interval[0] < GRADES.mean() < expected.interval[1]
    assert expected.standard_error == pytest.approx(np.std(GRADES) / 20, rel=0.3)


def test_the_scale_is_that_of_the_worst_case() -> None:
    yardstick = guard(bounds=(-1, 1)).yardstick
    assert yardstick.null_standard_error == pytest.approx(2 / (2 * math.sqrt(400)))
    assert (yardstick.baseline_score, yardstick.bounds) == (-1.0, (-1.0, 1.0))
    # Half a null standard error apart on asin √, as the grid of a proportion is.
    proportion = lb.Holdout([0, 1] * 200, "accuracy", mechanism="full_disclosure", path=":memory:")
    grid, unit = yardstick.grid(0.5), proportion.yardstick.grid(0.5)
    assert grid.step == pytest.approx(unit.step, rel=0.002)
    assert grid.size == unit.size


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        (pd.Series(GRADES, index=ITEMS).iloc[SHUFFLED], None),
        (pl.DataFrame({"item": ITEMS, "score": GRADES})[SHUFFLED.tolist()], None),
        (pd.DataFrame({"id": ITEMS, "score": GRADES}).iloc[SHUFFLED], None),
        (GRADES[SHUFFLED], [ITEMS[place] for place in SHUFFLED]),
        ({item: [grade, grade] for item, grade in by_item(GRADES).items()}, None),
        (LossMatrix.of(1 - GRADES[:, None], items=ITEMS, measure=Measure("grade", 1.0)), None),
    ],
    ids=["series", "polars", "pandas", "ids=", "repeats", "results"],
)
def test_scores_are_read_by_item_whatever_carries_them(given: Any, ids: Any, expected: Release) -> None:
    assert guard().score(given, ids=ids) == expected


def test_a_table_and_the_samples_of_a_harness_are_read_from_their_path(tmp_path: Path, expected: Release) -> None:
    table = tmp_path / "scores.csv"
    pd.DataFrame({"item": ITEMS, "score": GRADES}).iloc[SHUFFLED].to_csv(table, index=False)
    assert guard().score(table) == expected
    samples = write_lm_eval(tmp_path, "a model", {"acc": GRADES.tolist()})
    holdout = Holdout.from_item_scores([str(number) for number in range(400)], path=":memory:", seed=1)
    assert holdout.score(str(samples)) == expected
    two = write_lm_eval(tmp_path / "two", "a model", {"acc": GRADES.tolist(), "f1": GRADES.tolist()})
    with pytest.raises(InputError, match="several scores for each item of tiny: acc, f1"):
        holdout.score(two)
    assert holdout.score(lb.read_results(two, metric="f1")).is_repeat


def test_repeats_are_averaged() -> None:
    runs = RNG.integers(0, 2, (400, 3))
    several = guard().score({item: list(row) for item, row in zip(ITEMS, runs, strict=True)})
    assert several == guard().score(by_item(runs.mean(axis=1)))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({**by_item(GRADES), "task 7": 1.2}, r"item 'task 7': score 1\.2 is outside 0 to 1"),
        ({**by_item(GRADES), "task 7": math.nan}, "item 'task 7': score nan is not a finite number"),
        ({**by_item(GRADES), "task 7": "good"}, "item 'task 7': score 'good' is not a number"),
        ({**by_item(GRADES), "task 7": [0, None]}, r"item 'task 7': score \[0, None\] has another shape"),
        (by_item(GRADES) | {"task 400": 1.0}, "there is a score for the unknown item 'task 400'"),
        (dict.fromkeys(ITEMS[1:], 1.0), "there is no score for item 'task 0'"),
        (pd.Series(GRADES, index=[*ITEMS[:-1], "task 0"]), "there are several scores for item 'task 0'"),
        (GRADES, "nothing says which item a score belongs to"),
        (pd.Series(GRADES), "pandas' default index"),
        ("nowhere.jsonl", "there is no file or folder nowhere.jsonl"),
        (LossMatrix.of(np.eye(400)[:, :2], items=ITEMS), r"of 2 systems \(system 1, system 2\); select one"),
        (LossMatrix.of(GRADES[:, None], items=ITEMS), "better where it is lower, the holdout's scores where"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name_and_costs_nothing(given: Any, said: str) -> None:
    holdout = guard()
    with pytest.raises(InputError, match=said):
        holdout.score(given)
    assert holdout.attempts == 0


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"bounds": (1, 0)}, ParameterError, "the lower one first"),
        ({"bounds": (0, math.inf)}, ParameterError, "two finite numbers"),
        ({"bounds": 5}, ParameterError, "give the lowest and the highest"),
        ({"baseline": 2}, ParameterError, "within the bounds 0 to 1"),
        ({"groups": ["a"]}, LabelsError, "1 groups for 400 items"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        guard(**options)
    with pytest.raises(LabelsError, match="several items for item 'a'"):
        Holdout.from_item_scores(["a", "a", "b"], path=":memory:")
    with pytest.raises(ParameterError, match="items are missing"):
        Holdout.from_item_scores(path=":memory:")


def test_lower_is_better_turns_the_board_round() -> None:
    holdout = guard(lower_is_better=True)
    assert holdout.best == 1.0
    assert holdout.score(by_item(1 - GRADES)).improved
    assert not holdout.score(by_item(np.minimum(1, 1.3 - GRADES))).accepted


def test_a_baseline_must_be_beaten() -> None:
    holdout = guard(baseline=0.6)
    assert holdout.best == 0.6
    assert not holdout.score(by_item(GRADES)).accepted  # .5 on average
    assert holdout.score(by_item(np.minimum(1, GRADES + 0.4))).improved


def test_groups_widen_the_standard_error() -> None:
    """Forty passages of ten equal questions are forty units: √10 times the standard error."""
    equal = np.repeat(GRADES[:40], 10)
    passages = dict(zip(ITEMS, np.repeat(np.arange(40), 10).tolist(), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grouped, plain = guard(groups=passages), guard()
    assert grouped.yardstick.units == 40
    wide, narrow = grouped.score(by_item(equal)).standard_error, plain.score(by_item(equal)).standard_error
    assert wide is not None
    assert narrow is not None
    assert wide / narrow == pytest.approx(math.sqrt(10), rel=0.25)


def count_false_words(mechanism: str) -> int:
    """Of 60 streams of 20 equally good models: in how many a word beyond the first, over the baseline, was said."""
    false = 0
    for seed in range(60):
        rng = np.random.default_rng((5, seed))
        ease = rng.beta(2, 2, 200)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            holdout = Holdout.from_item_scores(
                range(200), path=":memory:", seed=seed, baseline=0.3, mechanism=mechanism
            )
        said = [holdout.score(rng.binomial(1, ease), ids=range(200)).improved for _ in range(20)]
        false += sum(said) > 1
    return false


@pytest.mark.claim
def test_improved_is_said_wrongly_in_at_most_one_stream_of_twenty() -> None:
    """At most 10 of 60, the .9999 quantile of Binomial(60, .05); a board that shows every score is the control."""
    assert count_false_words("witness_ladder") <= 10
    assert count_false_words("full_disclosure") > 10


# -- the guard's file ------------------------------------------------------------------------------------------------


def test_the_file_keeps_the_items_so_that_its_path_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "exams.db"
    options: dict[str, Any] = {"bounds": (0, 5), "baseline": 1.0, "lower_is_better": False}
    groups = [f"passage {number // 2}" for number in range(400)]
    with guard(path=path, groups=groups, **options) as first:
        told = first.score(by_item(5 * GRADES))
    with Holdout.from_item_scores(path=path) as again:
        assert again.history() == [told]
        assert again.score(by_item(5 * GRADES)).is_repeat
    shuffled = [ITEMS[place] for place in SHUFFLED]
    with Holdout.from_item_scores(
        shuffled, path=path, bounds=(0, 5), groups=dict(zip(ITEMS, groups, strict=True))
    ) as it:
        assert it.score(by_item(5 * GRADES)).is_repeat  # another order of the items changes nothing
        assert pickle.loads(pickle.dumps(it)).score(by_item(5 * GRADES)).is_repeat


@pytest.mark.parametrize(
    ("items", "options", "said"),
    [
        (ITEMS[:-1], {}, "was made with the item 'task 399'"),
        ([*ITEMS, "more"], {}, "was made without the item 'more'"),
        (ITEMS, {"bounds": (0, 2)}, "was made with the metric mean_score"),
        (ITEMS, {"lower_is_better": True}, "was made with the metric mean_score"),
        (ITEMS, {"groups": ITEMS}, "was made with other groups"),
    ],
)
def test_other_items_bounds_or_groups_are_refused(tmp_path: Path, items: Any, options: Any, said: str) -> None:
    path = tmp_path / "exams.db"
    guard(path=path).close()
    with pytest.raises(GuardFileError, match=said):
        Holdout.from_item_scores(items, path=path, **options)


def test_the_two_kinds_of_guards_are_not_mixed_up(tmp_path: Path) -> None:
    labelled, graded = tmp_path / "labels.db", tmp_path / "items.db"
    Holdout([0, 1] * 300, path=labelled).close()
    guard(path=graded).close()
    with pytest.raises(GuardFileError, match="guards labels, not graded items"):
        Holdout.from_item_scores(ITEMS, path=labelled)
    with pytest.raises(GuardFileError, match="was made with the metric mean_score, not error_rate"):
        Holdout([0, 1] * 300, path=graded)


def test_ids_other_than_those_of_the_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "holdout.db"
    labels, ids = [0, 1] * 300, [f"task {number}" for number in range(600)]
    Holdout(labels, ids=ids, path=path).close()
    Holdout(labels, path=path).close()  # by position they are the same labels
    with pytest.raises(GuardFileError, match="was made with other ids of the items"):
        Holdout(labels, ids=ids[::-1], path=path)


def test_a_gain_is_the_same_in_memory_and_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "exams.db"
    with guard(path=path) as holdout:
        entry = holdout.gains.shown
        told = holdout.score(by_item(GRADES))
        again = holdout.score(by_item(GRADES))
        assert holdout.gains.shown == told.shown_gain == again.shown_gain
        assert told.to_metrics()["shown_gain"] == told.shown_gain
        assert None is not entry != told.shown_gain is not None
        assert "shown_gain" not in told.to_dict()  # no part of what was released
        exact = lb.Holdout.from_item_scores(ITEMS, path=":memory:", seed=1)
        exact.score(by_item(GRADES))
        assert holdout.gains.shown == exact.gains.shown
    with closing(sqlite3.connect(path)) as connection:
        (facts,) = connection.execute("SELECT public_facts FROM guard").fetchone()
    assert json.loads(facts)["null_standard_error"] == 0.025


def test_the_metric_alone_checks_its_scores() -> None:
    with pytest.raises(PredictionsError, match=r"row 1: score 2\.0 is outside 0 to 1"):
        MeanScore().score(["a", "b"], [0.5, 2.0])
    with pytest.raises(LabelsError, match="1 items"):
        MeanScore().score(["a"], [0.5])
