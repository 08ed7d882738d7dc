"""The natural log loss and the base-10 one of the Ladder's experiments: clips, columns, null standard errors."""

import math

import numpy as np
import pytest

from ladderboard.metrics import METRICS
from ladderboard.metrics.base import Metric

LOG_LOSS, LOG10_LOSS = METRICS["log_loss"], METRICS["log_loss_base10"]


def test_a_probability_of_zero_for_the_true_class_counts_as_the_clip() -> None:
    assert LOG_LOSS.score([0, 1], [0.0, 0.0]) == pytest.approx(-math.log(1e-15) / 2, abs=1e-12)
    assert LOG_LOSS.score([0, 1], [0.0, 1e-16]) == LOG_LOSS.score([0, 1], [0.0, 1e-15])


def test_certain_hits_lose_nothing() -> None:
    assert LOG_LOSS.contributions([0, 1, 2], np.eye(3)).tolist() == [0.0, 0.0, 0.0]
    assert math.copysign(1, LOG_LOSS.score([0, 1], [0, 1])) == 1


def test_rows_are_scaled_to_sum_to_one_before_the_logarithm() -> None:
    assert LOG_LOSS.score([0, 1], [[0.5, 0.5005], [0.2, 0.8]]) == pytest.approx(
        (-math.log(0.5 / 1.0005) - math.log(0.8)) / 2, abs=1e-15
    )


def test_columns_are_the_classes_in_sorted_order() -> None:
    forecasts = [[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.2, 0.5, 0.3]]
    expected = -np.mean(np.log([0.2, 0.6, 0.2]))
    assert LOG_LOSS.score(["green", "red", "blue"], forecasts) == pytest.approx(expected, abs=1e-15)


def test_the_base_10_loss_of_the_ladder_worked_by_hand() -> None:
    labels = [1, 1, 0, 0]
    forecasts = [0.1, 1.0, 0.999, 0.001]
    expected = (1 - math.log10(0.99) + 2 - math.log10(0.99)) / 4
    assert LOG10_LOSS.score(labels, forecasts) == pytest.approx(expected, abs=1e-15)


def test_a_constant_half_loses_log_two_in_the_metrics_base() -> None:
    assert LOG_LOSS.score([0, 1], [0.5, 0.5]) == pytest.approx(math.log(2), abs=1e-15)
    assert LOG10_LOSS.score([0, 1], [0.5, 0.5]) == pytest.approx(math.log10(2), abs=1e-15)


def test_the_baseline_is_the_entropy_of_the_class_frequencies() -> None:
    labels = ["a"] * 5 + ["b"] * 3 + ["c"] * 2
    entropy = -sum(q * math.log(q) for q in (0.5, 0.3, 0.2))
    assert LOG_LOSS.baseline(labels).score == pytest.approx(entropy, abs=1e-15)
    assert LOG10_LOSS.baseline(labels).score == pytest.approx(entropy / math.log(10), abs=1e-15)


@pytest.mark.parametrize("metric", [LOG_LOSS, LOG10_LOSS, METRICS["brier"]], ids=lambda metric: metric.name)
@pytest.mark.parametrize("positives", [10, 50, 99])
def test_the_null_standard_error_is_that_of_half_confident_forecasts_without_skill(
    metric: Metric, positives: int
) -> None:
    q = positives / 100
    shares = [(1 - q) * (1 - q), (1 - q) * q, q * (1 - q), q * q]
    labels, believed = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    losses = metric.contributions(labels, (q + believed) / 2)
    variance = np.average(losses**2, weights=shares) - np.average(losses, weights=shares) ** 2
    found = metric.null_standard_error([1] * positives + [0] * (100 - positives))
    # From 20,000 shuffled items, seeded. Shuffling keeps the frequencies of both sides, so only pairs add noise.
    assert found == pytest.approx(math.sqrt(variance / 100), rel=0.03)
