"""The Brier score of two and of more classes."""

import numpy as np
import pytest

from ladderboard.metrics import METRICS

BRIER = METRICS["brier"]


def test_two_classes_worked_by_hand() -> None:
    assert BRIER.score(["ham", "spam", "spam"], [0.5, 1.0, 0.8]) == pytest.approx((0.25 + 0 + 0.04) / 3, abs=1e-15)


def test_two_columns_say_the_same_as_the_second_of_them() -> None:
    second = np.array([0.3, 0.9, 0.4])
    table = np.stack([1 - second, second], axis=1)
    assert BRIER.score([0, 1, 1], table) == pytest.approx(BRIER.score([0, 1, 1], second), abs=1e-15)


def test_more_classes_are_summed_over_classes() -> None:
    forecasts = [[0.7, 0.2, 0.1], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    by_hand = [0.3**2 + 0.2**2 + 0.1**2, 0.0, 1.0 + 1.0]
    assert BRIER.contributions([0, 1, 2], forecasts) == pytest.approx(by_hand, abs=1e-15)


def test_no_loss_is_negative_however_close_a_forecast_is() -> None:
    nearly = np.full((3, 3), 1e-9) + np.eye(3) * (1 - 3e-9)
    assert (BRIER.contributions([0, 1, 2], nearly) > 0).all()


def test_predictions_are_left_as_they_were() -> None:
    y, p = np.array([0, 1, 2], dtype=np.int8), np.full((3, 3), 1 / 3)
    BRIER.compute_score(y, p)
    assert (p == 1 / 3).all()


def test_the_baseline_is_the_variance_of_the_class_indicators() -> None:
    assert BRIER.baseline([0, 0, 0, 1]).score == pytest.approx(0.25 * 0.75, abs=1e-15)
    rates = np.array([0.5, 0.3, 0.2])
    labels = ["a"] * 5 + ["b"] * 3 + ["c"] * 2
    assert BRIER.baseline(labels).score == pytest.approx((rates * (1 - rates)).sum(), abs=1e-15)
