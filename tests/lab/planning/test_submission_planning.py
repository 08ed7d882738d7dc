"""How many submissions a holdout can bear: the simulation behind `plan`."""

import numpy as np
import pytest

import ladderboard as lb
from ladderboard_lab.planning.submissions import (
    OverfitAt,
    _permute_with_relatives,
    _problem,
    _Setting,
    bearable_submissions,
    overfit_by_submissions,
)
from ladderboard_lab.problems.regression import RegressionData

RESPONSES = np.random.default_rng(0).standard_normal(60)
SMALL = ((1, 20), (3, 40))


def test_the_overfit_of_full_disclosure_grows_with_the_submissions() -> None:
    points = overfit_by_submissions(RESPONSES, mechanism="full_disclosure", grid=SMALL, repetitions=12)
    assert [(point.submissions, point.iterations, point.features) for point in points] == [(20, 1, 20), (117, 3, 40)]
    assert points[1].median < points[0].median < 0
    assert all(point.lower_quartile <= point.median <= point.upper_quartile for point in points)


def test_numbers_do_not_depend_on_the_unit_of_the_responses_nor_on_the_workers() -> None:
    first = overfit_by_submissions(RESPONSES, mechanism="full_disclosure", grid=SMALL, repetitions=3, seed=4)
    second = overfit_by_submissions(
        1000 * RESPONSES + 7, mechanism="full_disclosure", grid=SMALL, repetitions=3, seed=4, workers=2
    )
    for one, other in zip(first, second, strict=True):
        assert one.median == pytest.approx(other.median, abs=1e-9)


def test_given_features_limit_the_grid() -> None:
    features = np.random.default_rng(1).standard_normal((60, 30))
    points = overfit_by_submissions(
        RESPONSES, features=features, mechanism=lb.SignificanceLadder(0.5), grid=SMALL, repetitions=3
    )
    assert [point.features for point in points] == [20]


def test_a_correlation_can_be_planned_for() -> None:
    points = overfit_by_submissions(
        RESPONSES, metric="ccc", mechanism=lb.FullDisclosure(precision=1e-9), grid=((2, 30),), repetitions=10
    )
    assert points[0].median < -0.02


def test_the_bearable_number_is_the_last_before_the_first_that_is_not() -> None:
    medians = {50: -0.01, 199: -0.06, 447: -0.04}
    points = [OverfitAt(count, 1, count, median, 0, 0) for count, median in medians.items()]
    assert bearable_submissions(points) == 50
    assert bearable_submissions(points, tolerance=0.07) == 447
    assert bearable_submissions(points, tolerance=0.005) == 0
    assert bearable_submissions(points, tolerance=0.06) == 447, "exactly the tolerance is within it"


@pytest.mark.parametrize(
    ("responses", "features", "sentence"),
    [
        ([1.0] * 9, None, "at least 10 finite responses"),
        ([1.0, np.nan] * 10, None, "at least 10 finite responses"),
        ([1.0] * 20, None, "all responses are equal"),
        (list(range(20)), [[1.0]] * 19, "a table of finite numbers with 20 rows"),
        (list(range(20)), [[1.0]] * 20, "1 features; the grid starts with 50"),
    ],
)
def test_what_cannot_be_planned_for_is_told_in_one_sentence(
    responses: list[float], features: list[list[float]] | None, sentence: str
) -> None:
    with pytest.raises(lb.LadderboardError, match=sentence):
        overfit_by_submissions(responses, features=features, mechanism="full_disclosure")


def test_the_responses_are_permuted_even_where_the_features_predict_them() -> None:
    data = RegressionData(RESPONSES[:, None], RESPONSES)
    setting = _Setting(data, False, "mse", "full_disclosure", SMALL, 0.9)
    permuted = _permute_with_relatives(setting, np.random.default_rng(1))
    assert sorted(permuted.response[:60]) == sorted(RESPONSES)
    for part in np.split(np.arange(180), 3):
        correlation = np.corrcoef(permuted.features[part, 0], permuted.response[part])[0, 1]
        assert abs(correlation) < 0.4, "three standard errors, with a fixed seed"


def test_the_attacker_trains_on_items_that_are_neither_public_nor_private() -> None:
    rows = np.arange(60.0)
    problem = _problem(RegressionData(rows[:, None], rows), 20, "mse")
    assert problem.briefing.training_labels is not None
    assert problem.briefing.training_labels.tolist() == list(range(20, 40))
    assert problem.labels[problem.public].tolist() == list(range(20))
    assert problem.true_score(np.concatenate([rows[:20] + 9, rows[40:]])) == 0.0, "the private part is the last third"
