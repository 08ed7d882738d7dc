"""A board known by its scores only: luck taken out by shrinking."""

import numpy as np
import pytest

from ladderboard.core.errors import ParameterError
from ladderboard.evals import read_board
from ladderboard.inference.multiplicity.independent_classifiers import adjusted_interval
from ladderboard.inference.multiplicity.sota import sota
from ladderboard.inference.shrinkage import shrink_board
from tests.shared_data import shared_data


def test_james_stein_by_hand() -> None:
    scores = np.array([0.5, 0.6, 0.7, 0.8, 0.9])
    x = np.arcsin(np.sqrt(scores))
    weight = 1 - 2 * (1 / 400) / ((x - x.mean()) ** 2).sum()
    expected = np.sin(x.mean() + weight * (x - x.mean())) ** 2
    board = shrink_board(scores, test_size=100, method="james_stein")
    np.testing.assert_allclose(board.estimates, expected, rtol=1e-12)


def test_scores_that_spread_less_than_luck_are_all_drawn_to_the_mean() -> None:
    board = shrink_board([0.80, 0.801, 0.799, 0.8], test_size=100, method="james_stein")
    assert np.ptp(board.estimates) == pytest.approx(0, abs=1e-12)


def test_cropping_makes_the_expected_best_the_observed_one() -> None:
    scores = np.random.default_rng(31).binomial(400, 0.8, 60) / 400
    board = shrink_board(scores, test_size=400)
    assert sota(test_size=400, accuracies=board.estimates).mean == pytest.approx(board.observed, abs=1e-6)
    assert board.estimates.max() == board.true_best < board.observed
    np.testing.assert_array_equal(board.estimates, np.minimum(scores, board.true_best))


def test_correlated_classifiers_have_less_luck_to_take_out() -> None:
    scores = np.random.default_rng(32).binomial(400, 0.8, 60) / 400
    independent, alike = (shrink_board(scores, test_size=400, correlation=rho) for rho in (0.0, 0.6))
    assert independent.true_best < alike.true_best < alike.observed


def test_the_best_is_never_thought_worse_than_the_average() -> None:
    board = shrink_board([0.8] * 50, test_size=100)
    assert board.true_best == pytest.approx(0.8)
    assert board.luck == pytest.approx(0)


def test_a_perfect_score_is_read_with_care() -> None:
    board = shrink_board([1.0, 0.9, 0.8, 0.85], test_size=30, correlation=0.3)
    assert 0.9 < board.true_best <= 1
    low, high = board.interval()
    assert (low < 0.9, high) == (True, 1.0)


@pytest.mark.claim
@pytest.mark.parametrize("method", ["cropped", "james_stein"])
def test_shrinking_takes_most_of_the_luck_of_equal_classifiers_out(method: str) -> None:
    # 25 boards of 50 equal, independent classifiers: the best score is too good by about 2.2 standard errors, the
    # estimate by about .2. Means over 25 boards have a standard error of about .1: the bounds are more than 4 away.
    rng, naive, found = np.random.default_rng(33), [], []
    for _ in range(25):
        board = shrink_board(rng.binomial(1000, 0.8, 50) / 1000, test_size=1000, method=method)  # type: ignore[arg-type]
        naive.append((board.observed - 0.8) / 0.01265)
        found.append((board.true_best - 0.8) / 0.01265)
    assert np.mean(naive) > 1.9
    assert abs(np.mean(found)) < 0.7


@pytest.mark.claim
def test_the_interval_covers_whatever_the_others_are() -> None:
    # 400 boards each; coverage at least .95 minus 3.5 standard errors (.038): false alarms 1 in 4,000.
    rng = np.random.default_rng(34)
    for spread in (0.0, 0.02, 0.1):
        covered = 0
        for _ in range(400):
            accuracies = np.clip(rng.normal(0.7, spread, 20), 0.05, 0.95)
            board = shrink_board(rng.binomial(300, accuracies) / 300, test_size=300, method="james_stein")
            low, high = board.interval()
            covered += low <= accuracies.max() <= high
        assert covered / 400 >= 0.95 - 0.038


def test_the_interval_joins_the_two_exact_ones() -> None:
    board = shrink_board([0.9, 0.85, 0.8, 0.7], test_size=200)
    assert board.interval(0.9) == (
        adjusted_interval(0.9, classifiers=4, test_size=200, confidence=0.9)[0],
        adjusted_interval(0.9, classifiers=1, test_size=200, confidence=0.9)[1],
    )


def test_the_sentence_names_scores_and_luck() -> None:
    text = shrink_board([0.9, 0.89, 0.88, 0.9], test_size=200).sentence()
    assert "The best of 4 scores on 200 test items is 90.00 %" in text
    assert "percentage points of it are luck" in text


def test_a_crowded_real_board_is_shrunk_and_a_clear_winner_is_not() -> None:
    path = shared_data("semeval2018_arct") / "submissions.csv"
    board = read_board(path, "accuracy", team_column="team", order_column="order")
    everyone = shrink_board(board.scores, test_size=444)
    crowd = shrink_board(np.sort(board.scores)[:-1], test_size=444)
    assert everyone.luck < 0.002
    assert crowd.luck > 0.01


@pytest.mark.parametrize(
    ("scores", "settings", "message"),
    [
        ([90, 80, 70, 60], {}, "divide percentages by 100"),
        ([0.9, 0.8, 0.7], {"method": "james_stein"}, "at least 4"),
        ([0.9, 0.8], {"method": "mean"}, "method is 'mean'"),
        ([0.9, 0.8], {"correlation": 1.0}, r"correlation is 1\.0"),
        ([0.9, 0.8], {"test_size": 0}, "test_size is 0"),
    ],
)
def test_bad_boards_are_refused(scores: list[float], settings: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        shrink_board(scores, **{"test_size": 100, **settings})  # type: ignore[arg-type]
