"""What holds for every classification metric alike: scikit-learn's values, influence, replicates, refusals."""

import math
from itertools import permutations

import numpy as np
import pytest

from ladderboard.core.errors import LabelsError, PredictionsError
from ladderboard.core.records import FloatArray
from ladderboard.metrics import METRICS
from ladderboard.metrics._kernels.weights import weight_blocks
from ladderboard.metrics.answer_key import AnswerKey
from tests.metrics.classification_cases import BINARY, BINARY_OR_MULTICLASS, TAKES_PROBABILITIES, Problem, problem

CASES = [(name, 2) for name in BINARY] + [(name, 4) for name in BINARY_OR_MULTICLASS]
every_case = pytest.mark.parametrize(("name", "classes"), CASES)
REPLICATES = 2000
CLASS_METRICS = sorted(set(BINARY) - set(TAKES_PROBABILITIES))


@every_case
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("text", [False, True], ids=["numbers", "text"])
def test_the_score_is_scikit_learns_with_and_without_weights(name: str, classes: int, seed: int, text: bool) -> None:
    case = problem(name, classes=classes, seed=seed, items=97, text=text)
    assert case.metric.score(case.labels, case.predictions) == pytest.approx(case.expected(), abs=1e-12)
    weighted = case.metric.score(case.labels, case.predictions, weight=case.weight)
    assert weighted == pytest.approx(case.expected(case.weight), abs=1e-12)


@pytest.mark.parametrize("name", BINARY_OR_MULTICLASS)
def test_many_classes_are_scored_like_few(name: str) -> None:
    case = problem(name, classes=150, seed=1, items=900)  # 150 classes take the sparse product
    assert case.metric.score(case.labels, case.predictions) == pytest.approx(case.expected(), abs=1e-12)
    scores = case.metric.replicates(case.labels, case.predictions, case.weight[None, :])
    assert scores[0] == pytest.approx(case.expected(case.weight), abs=1e-9)


@every_case
def test_each_replicate_is_scikit_learns_score_under_that_rows_weights(name: str, classes: int) -> None:
    case = problem(name, classes=classes, seed=3)
    weights = np.random.default_rng(3).exponential(size=(10, len(case.labels)))
    scores = case.metric.replicates(case.labels, case.predictions, weights)
    assert scores == pytest.approx([case.expected(row) for row in weights], abs=1e-9)


@every_case
def test_whole_number_weights_are_repeated_items_also_where_a_count_is_zero(name: str, classes: int) -> None:
    case = problem(name, classes=classes, seed=4, items=60)
    counts = np.stack([np.roll([0, 2, 1], shift).repeat(20) for shift in range(3)])
    repeated = [
        case.metric.score(np.repeat(case.labels, row), np.repeat(case.predictions, row, axis=0)) for row in counts
    ]
    assert case.metric.replicates(case.labels, case.predictions, counts) == pytest.approx(repeated, abs=1e-12)


@every_case
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_contributions_are_the_derivatives_of_the_score_by_each_weight(
    name: str, classes: int, is_weighted: bool
) -> None:
    case = problem(name, classes=classes, seed=5, items=24)
    weight = case.weight if is_weighted else None
    found = case.metric.contributions(case.labels, case.predictions, weight=weight)
    score = case.expected(weight)
    w = np.ones(24) if weight is None else weight
    step = 1e-5
    up, down = ([case.expected(w + sign * step * unit) for unit in np.eye(24)] for sign in (1, -1))
    slopes = (np.array(up) - np.array(down)) / (2 * step)
    # φ_i = s + n·w_i·∂s/∂w_i: the influence under the weighted distribution times w_i/mean(w).
    assert found == pytest.approx(score + 24 * w * slopes, abs=1e-6)
    assert found.mean() == pytest.approx(score, abs=1e-12)


@every_case
@pytest.mark.claim
def test_the_contributions_sd_is_the_bootstraps_standard_error(name: str, classes: int) -> None:
    case = problem(name, classes=classes, seed=6, items=1000)
    counts = _weights(REPLICATES, 1000, bayesian=False)
    found = _standard_error(case, None)
    expected = case.metric.replicates(case.labels, case.predictions, counts).std(ddof=1)
    # An sd of 2000 draws errs by 1.6 %; 8 % is five times that: 1 false alarm in a million seeds, were it all noise.
    assert found == pytest.approx(expected, rel=0.08)


@every_case
@pytest.mark.claim
def test_the_weighted_contributions_sd_is_that_of_a_bayesian_bootstrap_on_those_weights(
    name: str, classes: int
) -> None:
    case = problem(name, classes=classes, seed=7, items=1000)
    rows = _weights(REPLICATES, 1000, bayesian=True) * case.weight
    found = _standard_error(case, case.weight)
    expected = case.metric.replicates(case.labels, case.predictions, rows).std(ddof=1)
    assert found == pytest.approx(expected, rel=0.08)  # as above


@pytest.mark.parametrize("name", sorted(set(CLASS_METRICS) - {"accuracy"}))  # a plain mean, tested on its own
def test_the_null_standard_error_is_the_sd_over_all_permutations_of_the_labels(name: str) -> None:
    metric = METRICS[name]
    labels = [0, 0, 0, 0, 1, 1] if name == "f1" else [0, 0, 0, 1, 1, 2]
    y = metric.kind.read_labels(labels).values
    scores = [metric.compute_score(y, y[list(order)]) for order in permutations(range(6))]
    assert metric.null_standard_error(labels) == pytest.approx(np.std(scores), rel=1e-9)


@pytest.mark.parametrize("name", BINARY)
def test_a_holdout_with_equally_frequent_classes_has_a_yardstick(name: str) -> None:
    yardstick = AnswerKey(["no", "yes"] * 100, METRICS[name]).yardstick
    assert 0 < yardstick.null_standard_error < 0.1
    low, high = yardstick.bounds
    assert low <= yardstick.baseline_score <= high


@pytest.mark.parametrize("name", BINARY)
def test_the_labels_themselves_are_the_best_predictions(name: str) -> None:
    metric = METRICS[name]
    y = metric.kind.read_labels([0, 1, 1, 0, 1]).values
    perfect = -math.log10(0.99) if name == "log_loss_base10" else float(not metric.lower_is_better)
    assert metric.compute_score(y, metric.labels_as_predictions(y)) == pytest.approx(perfect, abs=1e-12)


@pytest.mark.parametrize("name", sorted(set(CLASS_METRICS) - {"accuracy"}))
def test_rounding_carries_no_perfect_score_past_its_bound(name: str) -> None:
    rng = np.random.default_rng(9)
    labels = rng.integers(0, 2, 300)
    scores = METRICS[name].replicates(labels, labels, rng.exponential(size=(500, 300)))
    assert scores == pytest.approx(np.ones(500), abs=1e-12)
    assert scores.max() == 1.0


@pytest.mark.parametrize("name", CLASS_METRICS)
def test_an_unknown_class_is_refused_by_its_first_row(name: str) -> None:
    with pytest.raises(PredictionsError, match=r"^row 2: prediction 'cow' is not one of the classes .* 1 more row"):
        METRICS[name].score(["cat", "dog", "cat", "dog"], ["cat", "dog", "cow", "cow"])


@pytest.mark.parametrize("name", TAKES_PROBABILITIES)
def test_what_is_no_probability_is_refused_by_its_first_row(name: str) -> None:
    with pytest.raises(PredictionsError, match=r"^row 1: prediction .* is not a probability between 0 and 1"):
        METRICS[name].score([0, 1, 1], [0.2, 1.5, 1.5])
    with pytest.raises(PredictionsError, match=r"^row 2: sum of class probabilities .* is not 1"):
        METRICS[name].score([0, 1, 2], np.array([[1, 0, 0], [0, 1, 0], [0.5, 0.2, 0.1]]))


@pytest.mark.parametrize("name", BINARY)
def test_labels_of_one_class_are_refused(name: str) -> None:
    with pytest.raises(LabelsError, match="at least two classes are needed"):
        METRICS[name].score(["a", "a", "a"], ["a", "a", "a"])


def _weights(replicates: int, units: int, *, bayesian: bool) -> FloatArray:
    blocks = weight_blocks(np.random.default_rng(8), replicates=replicates, units=units, bayesian=bayesian)
    return np.concatenate(list(blocks))


def _standard_error(case: Problem, weight: FloatArray | None) -> float:
    contributions = case.metric.contributions(case.labels, case.predictions, weight=weight)
    return float(np.std(contributions, ddof=1)) / math.sqrt(len(contributions))
