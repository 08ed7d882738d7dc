"""The luck of a winner: what is done to the rivals before boards are simulated."""

import numpy as np
import pytest

from ladderboard.inference.luck import _draw_rivals_together, estimate_luck


def test_rivals_are_left_with_the_spread_that_their_noise_does_not_explain() -> None:
    # Eleven systems with independent errors of variance 1; the winner is out of the rivals' reach.
    losses = np.r_[-3.0, np.linspace(-2.0, 2.0, 10)]
    rivals = losses[1:]
    observed, noise = float(np.square(rivals - rivals.mean()).sum()), 9.0
    truth = _draw_rivals_together(losses, np.eye(11))
    assert truth[0] == losses[0]
    assert truth[1:].mean() == pytest.approx(rivals.mean())
    assert np.square(truth[1:] - truth[1:].mean()).sum() == pytest.approx(observed - noise)


def test_rivals_spread_no_more_than_their_noise_are_taken_as_equal() -> None:
    losses = np.r_[-3.0, np.linspace(-0.5, 0.5, 10)]
    truth = _draw_rivals_together(losses, np.eye(11))
    assert truth[1:] == pytest.approx(np.zeros(10))


def test_no_rival_is_drawn_past_the_winner() -> None:
    losses = np.r_[0.0, 0.1, 3.0, 3.2, 3.3]
    truth = _draw_rivals_together(losses, 1.5 * np.eye(5))
    assert truth.min() >= losses[0]


def test_the_luck_of_the_best_of_equals_is_the_expected_maximum() -> None:
    # E max of 12 standard normals is 1.6292; 8,000 draws have a standard error below .007.
    assert estimate_luck(np.zeros(12), np.eye(12), np.random.default_rng(2)) == pytest.approx(1.6292, abs=0.03)
