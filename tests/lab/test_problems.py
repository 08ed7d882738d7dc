"""The truth about submissions to the laboratory's problems, by hand."""

import math

import numpy as np
import pytest

import ladderboard as lb
from ladderboard_lab.problems.coin_flips import coin_flips, coin_flips_squared, true_log_loss
from ladderboard_lab.problems.permuted import permute_labels
from ladderboard_lab.problems.regression import (
    RegressionData,
    autoregressive,
    noise_numbers,
    regression_problem,
    simulate_regression,
)


def test_coins_are_truly_guessed_but_for_the_labels_an_insider_holds() -> None:
    problem = coin_flips(np.random.default_rng(1), n=60, private=60, classes=3, known_share=0.5)
    known = problem.briefing.known_items
    public = np.intersect1d(known, problem.public)
    private = np.setdiff1d(known, problem.public)
    assert len(problem.public) == 60
    assert problem.public[-1] >= 60, "public items lie among all"
    chance = 2 / 3 * (60 - len(public)) / 60
    assert problem.true_score(problem.labels) == pytest.approx(chance)
    for item, wrong in ((public[0], 1), (private[0], 0)):
        changed = problem.labels.copy()
        changed[item] = (changed[item] + 1) % 3
        assert problem.true_score(changed) == pytest.approx(chance + wrong / 60)


def test_squared_errors_on_coins_are_those_of_the_labels_held_and_of_fair_coins() -> None:
    problem = coin_flips_squared(np.random.default_rng(1), n=40, known_share=0.5)
    assert problem.true_score(problem.labels.astype(float)) == pytest.approx(0.25)
    assert problem.true_score(np.full(40, 0.5)) == pytest.approx(0.25)


def test_the_log_loss_of_a_fair_coin_is_the_mean_over_both_sides() -> None:
    expected = -(math.log(0.25) + math.log(0.75)) / 2
    assert true_log_loss(np.array([0.25, 0.75])) == pytest.approx(expected)
    assert true_log_loss(np.array([[0.75, 0.25]])) == pytest.approx(expected)


def test_noise_is_lost_on_the_public_items_alone() -> None:
    problem = noise_numbers(np.random.default_rng(1), n=10, private=10)
    given = np.full(20, 2.0)
    given[problem.public] = 3.0
    assert problem.true_score(given) == 10.0


def test_the_truth_of_a_regression_is_its_private_part() -> None:
    data = RegressionData(np.zeros((9, 1)), np.arange(9.0))
    problem = regression_problem(
        data, train=np.arange(3), items=np.arange(3, 9), public=np.array([0, 2, 4]), metric="mse"
    )
    right_in_private = np.where(np.arange(6) % 2, problem.labels, 0.0)
    assert problem.true_score(right_in_private) == 0.0
    assert problem.public_score(right_in_private) == pytest.approx((3**2 + 5**2 + 7**2) / 3)


def test_simulated_features_have_variance_one_and_explain_their_share() -> None:
    # Standard errors with 4000 items: .011 of a standard deviation, .003 of a correlation of .9, .015 of the share.
    features = autoregressive(np.random.default_rng(1), n=4000, features=40, correlation=0.9)
    assert features[:, -1].std() == pytest.approx(1, abs=0.05)
    assert np.corrcoef(features[:, -2], features[:, -1])[0, 1] == pytest.approx(0.9, abs=0.02)
    data = simulate_regression(np.random.default_rng(1), n=4000, features=9, signal=0.3)
    explained = data.features[:, ::3].sum(axis=1)
    assert np.corrcoef(explained, data.response)[0, 1] ** 2 == pytest.approx(0.3, abs=0.06)


def test_shuffled_labels_are_guessed_but_for_those_held() -> None:
    rng, classes = np.random.default_rng(1), np.arange(60) % 3
    problem = permute_labels(rng, classes, lb.METRICS["error_rate"])
    assert problem.true_score(np.zeros(60)) == pytest.approx(2 / 3)
    held = permute_labels(rng, classes, lb.METRICS["error_rate"], known_share=1.0)
    assert held.true_score(held.labels) == 0.0
    numbers = permute_labels(rng, rng.standard_normal(200), lb.METRICS["mse"])
    # Two independent draws differ by twice the variance in the mean square.
    assert numbers.true_score(numbers.labels) == pytest.approx(2 * numbers.labels.var(), rel=0.1)


def test_another_account_of_the_same_person_has_the_same_host() -> None:
    problem = coin_flips(np.random.default_rng(1), n=20)
    for is_free in (True, False):
        participant = problem.open_board(lb.FullDisclosure(), seed=0, repeats_are_free=is_free)
        assert participant.account("other").repeats_are_free == is_free
