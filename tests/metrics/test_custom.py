"""Metrics made from functions: against the built-in ones, what the function sees, and what its failures tell."""
# ruff: noqa: ARG001, ARG005 (some functions here look at neither labels nor predictions)

import copy
import functools
import math
import traceback
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

from ladderboard.core.errors import ParameterError, UndefinedMetricError
from ladderboard.core.records import Subset
from ladderboard.core.scales import FISHER_Z, IDENTITY, LOG, LOG_COMPLEMENT, PROPORTION
from ladderboard.guard.holdout import Holdout
from ladderboard.inference.pairwise import p_value_of_groups, paired_p_value
from ladderboard.metrics import METRICS, metric_from_function
from ladderboard.metrics._kernels.weights import weight_blocks
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.base import Metric
from ladderboard.metrics.custom.metric import NO_VALUE, FunctionMetric
from ladderboard.metrics.inputs import Array
from tests.metrics.regression_cases import problem, weighted_pearson

WEIGHED: dict[str, FunctionMetric] = {
    "mse": metric_from_function(sk.mean_squared_error, lower_is_better=True, bounds=(0, math.inf), scale=LOG),
    "r2": metric_from_function(sk.r2_score, lower_is_better=False, bounds=(-math.inf, 1), scale=LOG_COMPLEMENT),
    "pearson": metric_from_function(
        lambda y, p, sample_weight: weighted_pearson(y, p, sample_weight) + 0.0,
        name="my correlation",
        lower_is_better=False,
        bounds=(-1, 1),
        scale=FISHER_Z,
        baseline=0.0,
    ),
}
COUNTED: dict[str, FunctionMetric] = {
    "mse": metric_from_function(lambda y, p: ((y - p) ** 2).mean(), name="mine", lower_is_better=True),
    "r2": metric_from_function(lambda y, p: float(sk.r2_score(y, p)), name="mine", lower_is_better=False),
    "pearson": metric_from_function(
        lambda y, p: np.corrcoef(y, p)[0, 1], name="mine", lower_is_better=False, baseline=0
    ),
}


def remake(metric: FunctionMetric, groups: int) -> FunctionMetric:
    """The same with another number of groups of the jackknife."""
    again = copy.copy(metric)
    again._groups = groups
    return again


every_metric = pytest.mark.parametrize("name", WEIGHED)


@every_metric
@pytest.mark.parametrize("mine", [WEIGHED, COUNTED], ids=["weighed", "counted"])
def test_score_and_baseline_are_those_of_the_built_in_metric(name: str, mine: dict[str, FunctionMetric]) -> None:
    case = problem(name, seed=1)
    assert mine[name].score(case.labels, case.predictions) == pytest.approx(case.expected(), abs=1e-12)
    found, expected = mine[name].baseline(case.labels), METRICS[name].baseline(case.labels)
    assert found.score == pytest.approx(expected.score, abs=1e-12)
    assert (found.predictions is None) == (expected.predictions is None)


@every_metric
@pytest.mark.parametrize("is_weighted", [False, True])
def test_with_sample_weight_contributions_and_replicates_are_those_of_the_built_in_metric(
    name: str, is_weighted: bool
) -> None:
    case = problem(name, seed=2, items=150)
    weight = case.weight if is_weighted else None
    every_item = remake(WEIGHED[name], groups=150)
    mine = every_item.contributions(case.labels, case.predictions, weight=weight)
    built_in = case.metric.contributions(case.labels, case.predictions, weight=weight)
    # The step of the derivative leaves an error of the order 1e-4/n of an influence value, more for outliers.
    assert mine == pytest.approx(built_in, rel=1e-4, abs=1e-5)
    assert mine.mean() == pytest.approx(case.expected(weight), abs=1e-12)
    weights = np.random.default_rng(2).exponential(size=(5, 150))
    found = WEIGHED[name].replicates(case.labels, case.predictions, weights)
    assert found == pytest.approx(case.metric.replicates(case.labels, case.predictions, weights), abs=1e-10)


def test_a_mean_of_losses_has_its_losses_as_contributions_whatever_the_step() -> None:
    case = problem("mse", seed=3, items=20)
    found = remake(WEIGHED["mse"], groups=20).contributions(case.labels, case.predictions)
    assert found == pytest.approx((case.labels - case.predictions) ** 2, abs=1e-9)


@every_metric
@pytest.mark.claim
def test_without_sample_weight_the_standard_error_comes_from_leaving_out_groups(name: str) -> None:
    case = problem(name, seed=4, items=1000)
    mine = remake(COUNTED[name], groups=200).contributions(case.labels, case.predictions)
    built_in = case.metric.contributions(case.labels, case.predictions)
    assert mine.mean() == pytest.approx(case.expected(), abs=1e-9)
    # 200 groups know a standard error to 5 % (one sd), somewhat worse for skewed losses; 20 % is about four of those.
    assert mine.std(ddof=1) == pytest.approx(built_in.std(ddof=1), rel=0.2)


@every_metric
def test_with_few_items_each_is_a_group_of_its_own(name: str) -> None:
    case = problem(name, seed=5, items=60)
    mine = remake(COUNTED[name], groups=100).contributions(case.labels, case.predictions)
    without = [
        case.oracle(np.delete(case.labels, item), np.delete(case.predictions, item), np.ones(59)) for item in range(60)
    ]
    assert mine == pytest.approx(case.expected() + 59 * (np.mean(without) - np.array(without)), abs=1e-9)


def test_a_difference_in_one_item_is_carried_by_one_group() -> None:
    case = problem("mse", seed=6, items=5000)
    changed = case.predictions.copy()
    changed[17] += 1
    first, second = (COUNTED["mse"].contributions(case.labels, p) for p in (case.predictions, changed))
    differs = np.abs(first - second) > 0.5 * np.abs(first - second).max()
    assert differs.sum() == 1


@pytest.mark.parametrize("is_weighed", [False, True])
def test_a_guard_calls_the_function_at_most_sixty_times_for_a_submission(is_weighed: bool) -> None:
    rng = np.random.default_rng(9)
    labels = rng.normal(size=900)
    calls = [0]

    def weighed(y: Array, p: Array, sample_weight: Array) -> float:
        calls[0] += 1
        return float(np.average((y - p) ** 2, weights=sample_weight))

    def counted(y: Array, p: Array) -> float:
        return weighed(y, p, np.ones(len(y)))

    metric = metric_from_function(weighed if is_weighed else counted, lower_is_better=True, bounds=(0, math.inf))
    holdout = Holdout(labels, metric, path=":memory:", seed=1)
    spent = []
    for noise in (0.5, 0.6, 0.3, 0.29, 0.1):
        calls[0] = 0
        release = holdout.score(labels + noise * rng.normal(size=900))
        spent.append((release.accepted, calls[0]))
    assert {accepted for accepted, _ in spent} == {True, False}
    assert max(number for _, number in spent) <= 60


@pytest.mark.parametrize("name", ["mse", "pearson"])
@pytest.mark.claim
def test_a_comparison_of_equals_is_significant_as_often_as_it_says(name: str) -> None:
    """200 pairs of models of one quality: at most 23 of them below .05, the .9999 quantile of Binomial(200, .05)."""
    metric, false = COUNTED[name], 0
    metric_without_scale = copy.copy(metric)
    metric_without_scale.compute_null_standard_error = lambda y: 1.0  # type: ignore[method-assign]  # 200 calls, unused
    for seed in range(200):
        rng = np.random.default_rng((10, seed))
        labels = rng.normal(size=120)
        key = AnswerKey(labels, metric_without_scale)
        one, other = (key.evaluate(labels + rng.standard_t(5, size=120)) for _ in range(2))
        false += paired_p_value(one, other) <= 0.05
    assert false <= 23
    assert false >= 1  # a test that never speaks would pass the first line


def test_few_items_that_differ_are_no_proof() -> None:
    """Five items all repaired, as one coin in 32 falls, are not called significant at .05 by their groups."""
    labels = np.random.default_rng(11).normal(size=2000)
    key = AnswerKey(labels, COUNTED["mse"])
    worse = labels + 1.0
    better = worse.copy()
    better[[3, 400, 801, 1202, 1603]] -= 1.0
    old, new = key.evaluate(worse), key.evaluate(better)
    assert paired_p_value(old, new) > 1 / 32
    assert p_value_of_groups(np.r_[np.ones(17) + np.linspace(-0.5, 0.5, 17), np.ones(983)], 17) < 1e-6  # the control


def test_dependent_items_are_left_out_together() -> None:
    """Each item four times over: one unit of four says as much as one item did, and no more."""
    case = problem("mse", seed=12, items=600)
    group = np.repeat(np.arange(600), 4)
    metric = remake(COUNTED["mse"], groups=200)
    once = metric.evaluate(case.labels, case.predictions).contributions
    fourfold = metric.evaluate(np.repeat(case.labels, 4), np.repeat(case.predictions, 4), group=group).contributions
    assert len(fourfold) == 600
    assert fourfold.std(ddof=1) == pytest.approx(once.std(ddof=1), rel=0.25)  # other groups of the same units


@every_metric
def test_without_sample_weight_counts_repeat_items(name: str) -> None:
    case = problem(name, seed=7, items=40)
    counts = next(weight_blocks(np.random.default_rng(7), replicates=6, units=40, bayesian=False))
    found = COUNTED[name].replicates(case.labels, case.predictions, counts)
    assert found == pytest.approx([case.expected(row) for row in counts], abs=1e-10)
    drawn = COUNTED[name].bayesian_replicates(case.labels, case.predictions, replicates=6, rng=np.random.default_rng(7))
    assert drawn == pytest.approx(found)


def test_without_sample_weight_items_cannot_be_weighed() -> None:
    assert not COUNTED["mse"].takes_real_weights
    assert WEIGHED["mse"].takes_real_weights
    assert COUNTED["mse"].score([1, 2], [1, 4], weight=[1, 3]) == 3.0
    for attempt in (COUNTED["mse"].score, COUNTED["mse"].contributions):
        with pytest.raises(ParameterError, match="takes no sample_weight, so items can only be counted"):
            attempt([1, 2], [1, 4], weight=[1, 1.5])


@pytest.mark.parametrize(
    ("takes", "labels", "predictions", "seen_predictions"),
    [
        ("classes", ["low", "high", "mid", "low"], ["mid", "high", "low", "low"], ["mid", "high", "low", "low"]),
        ("classes", [7, 3, 3, 5], [3, 3, 5, 7], [3, 3, 5, 7]),
        ("two_classes", [True, False, True], [False, False, True], [False, False, True]),
        ("scores", ["no", "yes", "no"], [0.2, 3.0, -1.0], [0.2, 3.0, -1.0]),
        ("probabilities", ["no", "yes", "no"], [0.25, 0.75, 0.5], [[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]]),
        ("survival", [[5.0, 1.0], [3.0, 1.0], [6.0, 0.0]], [0.5, 0.1, 0.2], [0.5, 0.1, 0.2]),
    ],
)
def test_the_function_sees_the_users_own_labels_and_not_codes(
    takes: str, labels: list[Any], predictions: list[Any], seen_predictions: list[Any]
) -> None:
    seen: list[tuple[list[Any], list[Any]]] = []

    def look(y: Array, p: Array) -> float:
        seen.append((y.tolist(), p.tolist()))
        return float(np.arange(len(p)) @ np.unique(p, return_inverse=True, axis=0)[1].ravel())

    baseline = 0.5 if takes in ("scores", "survival") else None
    metric = metric_from_function(look, takes=takes, baseline=baseline, lower_is_better=True)
    score = metric.score(labels, predictions)
    assert seen == [(labels, seen_predictions)]
    key = AnswerKey(labels, metric)
    entry = key.evaluate(key.read(predictions))
    assert entry.score == score
    assert seen[-1] == (labels, seen_predictions)
    assert math.isfinite(entry.on(Subset(np.array([0, 2]))).score)
    assert seen[-1] == ([labels[0], labels[2]], [seen_predictions[0], seen_predictions[2]])


def test_a_custom_error_rate_in_a_holdout_is_the_built_in_one() -> None:
    rng = np.random.default_rng(8)
    labels = rng.choice(["cat", "dog", "fox"], size=80, p=[0.5, 0.3, 0.2])
    predictions = np.where(rng.random(80) < 0.7, labels, "cat")

    def wrong(y: Array, p: Array, sample_weight: Array | None = None) -> float:
        return float(np.average(y != p, weights=sample_weight))

    mine = metric_from_function(wrong, lower_is_better=True, bounds=(0, 1), scale=PROPORTION, takes="classes")
    mine = remake(mine, groups=80)
    found, expected = (evaluation(metric, labels, predictions) for metric in (mine, METRICS["error_rate"]))
    assert found.score == expected.score
    assert found.contributions == pytest.approx(expected.contributions, abs=1e-9)
    assert AnswerKey(labels, mine).baseline.score == AnswerKey(labels, METRICS["error_rate"]).baseline.score
    split = AnswerKey(labels, mine).baseline.split(3, 0.5)[0].units
    assert split.tolist() == AnswerKey(labels, METRICS["error_rate"]).baseline.split(3, 0.5)[0].units.tolist()


@pytest.mark.parametrize(
    ("takes", "function", "options"),
    [
        ("numbers", sk.mean_absolute_error, {"baseline": "median"}),
        ("classes", sk.zero_one_loss, {}),
        ("scores", sk.roc_auc_score, {"baseline": 0.5}),
        ("probabilities", lambda y, p: sk.log_loss(y, p, labels=[0, 1]), {"name": "my log loss"}),
        ("survival", lambda y, p: float(np.corrcoef(-y[:, 0], p)[0, 1]), {"name": "mine", "baseline": 0.0}),
    ],
)
def test_a_yardstick_can_be_made_for_whatever_it_takes(takes: str, function: Any, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(9)
    labels = np.column_stack([rng.gamma(2.0, size=60), rng.integers(0, 2, 60)]) if takes == "survival" else (
        rng.normal(size=60) if takes == "numbers" else np.arange(60) % 2
    )  # fmt: skip
    metric = metric_from_function(function, takes=takes, lower_is_better=True, **options)
    yardstick = AnswerKey(labels, metric).yardstick
    assert 0 < yardstick.null_standard_error < 1
    assert math.isfinite(yardstick.baseline_score)


SECRET = 4242.0


def failing(labels: Array, predictions: Array) -> float:
    raise KeyError(f"label {labels[0]}")


@pytest.mark.parametrize(
    "function",
    [
        failing,
        lambda y, p: math.nan,
        lambda y, p: math.inf,
        lambda y, p: 1.5,
        lambda y, p: "0.5",
        lambda y, p: np.array([0.5, 0.5]),
        lambda y, p: None,
        lambda y, p: 1j,
    ],
)
def test_whatever_goes_wrong_on_the_holdout_is_told_in_one_fixed_sentence(function: Any) -> None:
    metric = metric_from_function(function, name="mine", lower_is_better=True, bounds=(0, 1))
    for attempt in (metric.score, metric.contributions):
        with pytest.raises(UndefinedMetricError) as caught:
            attempt([SECRET, 2.0], [1.0, 3.0])
        assert str(caught.value) == NO_VALUE
        assert caught.value.__context__ is None
        assert caught.value.__cause__ is None
        assert str(SECRET) not in "".join(traceback.format_exception(caught.value))


def test_a_rehearsal_shows_the_functions_own_error() -> None:
    metric = metric_from_function(failing, lower_is_better=True)
    with pytest.raises(ParameterError, match=r"failing failed: KeyError: 'label 4242\.0'"):
        metric.rehearse([4242.0, 2.0], [1.0, 3.0])


@pytest.mark.parametrize(
    ("function", "problem_found"),
    [
        (lambda y, p: math.nan, r"mine returned nan; a number within \(0\.0, 10\.0\) is needed"),
        (lambda y, p: 11.0, r"mine returned 11\.0"),
        (
            lambda y, p, sample_weight: float(sample_weight @ abs(y - p)) / len(y),
            "depends on the scale of sample_weight",
        ),
        (lambda y, p, sample_weight=None: float(abs(y - p).mean()), "ignores its sample_weight"),
    ],
)
def test_a_rehearsal_finds_what_would_go_wrong(function: Any, problem_found: str) -> None:
    metric = metric_from_function(function, name="mine", lower_is_better=True, bounds=(0, 10))
    with pytest.raises(ParameterError, match=problem_found):
        metric.rehearse([1.0, 2.0, 4.0], [1.0, 3.0, 1.0])


def test_a_rehearsal_of_a_good_function_is_its_score() -> None:
    assert WEIGHED["mse"].rehearse([1.0, 2.0, 4.0], [1.0, 3.0, 1.0]) == pytest.approx(10 / 3)
    assert COUNTED["mse"].rehearse([1.0, 2.0, 4.0], [1.0, 3.0, 1.0]) == pytest.approx(10 / 3)


def test_a_value_just_past_its_bound_is_put_down_to_rounding() -> None:
    metric = metric_from_function(lambda y, p: 1 + 1e-15, name="mine", lower_is_better=False, bounds=(0, 1))
    assert metric.score([1, 2], [1, 2]) == 1.0


@pytest.mark.parametrize("returned", [1, True, np.float32(1), np.int8(1), np.True_, np.array(1.0)])
def test_any_single_real_number_is_a_score(returned: Any) -> None:
    metric = metric_from_function(lambda y, p: returned, name="mine", lower_is_better=False)
    score = metric.score([1, 2], [1, 2])
    assert (score, type(score)) == (1.0, float)


def test_a_function_may_change_what_it_is_given() -> None:
    def greedy(y: Array, p: Array, sample_weight: Array) -> float:
        y -= p
        p[:] = 0
        sample_weight /= sample_weight.sum()
        return float(sample_weight @ abs(y))

    metric = metric_from_function(greedy, lower_is_better=True)
    labels, predictions, weight = np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 1.0])
    assert metric.contributions(labels, predictions, weight=weight).mean() == pytest.approx(1.0)
    assert (labels.tolist(), predictions.tolist(), weight.tolist()) == ([1, 2, 3], [1, 1, 1], [1, 2, 1])


def test_a_warning_of_the_function_is_not_passed_on() -> None:
    metric = metric_from_function(lambda y, p: float(np.nanmax(np.log(y - p))), name="mine", lower_is_better=True)
    assert metric.score([1.0, 2.0], [2.0, 1.0]) == 0.0  # the logarithm of −1 warns, and warnings are errors here


def test_long_work_reports_its_progress() -> None:
    told: list[tuple[int, int]] = []
    metric = metric_from_function(
        sk.mean_squared_error, lower_is_better=True, progress=lambda done, total: told.append((done, total))
    )
    metric.score([1, 2, 3], [1, 2, 4])
    assert told == []
    metric.contributions([1, 2, 3], [1, 2, 4])
    assert told == [(1, 3), (2, 3), (3, 3)]
    told.clear()
    metric.replicates([1, 2, 3], [1, 2, 4], np.ones((2, 3)))
    assert told == [(1, 2), (2, 2)]
    told.clear()
    metric.null_standard_error([1, 2, 3])
    assert told[-1] == (200, 200)


def test_the_name_is_the_functions_unless_given() -> None:
    assert WEIGHED["mse"].name == "mean_squared_error"
    assert WEIGHED["pearson"].name == "my correlation"
    for nameless in (lambda y, p: 0.0, functools.partial(sk.fbeta_score, beta=2)):
        with pytest.raises(ParameterError, match="give name="):
            metric_from_function(nameless, lower_is_better=True)


def test_numbers_have_the_identity_as_scale_and_the_mean_as_baseline_by_default() -> None:
    assert (COUNTED["mse"].scale, COUNTED["mse"].bounds) == (IDENTITY, (-math.inf, math.inf))
    predictions = COUNTED["mse"].baseline([1.0, 2.0, 6.0]).predictions
    assert predictions is not None
    assert predictions.tolist() == [3.0, 3.0, 3.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"takes": "number"}, "numbers"),
        ({"baseline": "majority"}, "give 'mean' or 'median' or a number, the value without skill"),
        ({"baseline": math.nan}, "baseline is nan"),
        ({"takes": "scores"}, "baseline is None; for a metric that takes scores give a number"),
        ({"bounds": (1, 0)}, "the first must be below the second"),
        ({"bounds": (-1, 1), "scale": LOG}, "the scale log is for values from 0 to inf"),
        ({"bounds": (0, 2), "scale": PROPORTION}, "the scale asin_sqrt is for values from 0 to 1"),
    ],
)
def test_an_option_that_does_not_fit_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        metric_from_function(sk.mean_squared_error, lower_is_better=True, **options)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda y: 0.0, r"the function has the signature \(y\); it must take \(labels, predictions\)"),
        (lambda y, p, w: 0.0, r"signature \(y, p, w\)"),
        (3, "3 is not a function"),
    ],
)
def test_a_function_that_cannot_be_called_is_refused(function: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        metric_from_function(function, name="mine", lower_is_better=True)


def evaluation(metric: Metric, labels: Array, predictions: Array) -> Any:
    key = AnswerKey(labels, metric)
    return key.evaluate(key.read(predictions))
