"""The bootstrap pieces against exact probabilities of tiny samples."""

from dataclasses import replace

import numpy as np
import pytest

from ladderboard.core.errors import ParameterError, UndefinedMetricError
from ladderboard.core.records import Evaluation, FloatArray
from ladderboard.mechanisms.bootstrap import (
    bootstrap_mean,
    bootstrap_score,
    check_odds,
    odds_of_improvement,
    paired_wins,
    replicates_at,
)
from tests.mechanisms.play import answer_key, labels_of, wrong_on

DRAWS = 40_000
FIVE_SIGMA = 5 * np.sqrt(0.25 / DRAWS)
"""Five standard deviations of a share among the draws, at most: a false alarm in 1.7 million runs."""


def errors_on(n: int, items: list[int]) -> Evaluation:
    return answer_key(labels_of(n)).evaluate(wrong_on(n, items), submission=str(items))


def share_of_wins(candidate: Evaluation, incumbent: Evaluation, *, seed: int) -> float:
    return paired_wins(candidate, incumbent, replicates=DRAWS, rng=np.random.default_rng(seed)) / DRAWS


def test_dirichlet_weights_give_the_exact_posterior_of_three_items() -> None:
    # Better iff w_1 + w_2 > w_3; w_3 ~ Beta(1, 2), so P = P(w_3 < ½) = 1 − ¼.
    assert share_of_wins(errors_on(3, [2]), errors_on(3, [0, 1]), seed=1) == pytest.approx(3 / 4, abs=FIVE_SIGMA)
    # Better iff w_1 > w_2: a fair coin, and no tie.
    assert share_of_wins(errors_on(3, [1]), errors_on(3, [0]), seed=2) == pytest.approx(1 / 2, abs=FIVE_SIGMA)


def test_a_metric_that_cannot_weigh_is_resampled() -> None:
    candidate, incumbent = (replace(errors_on(3, items), takes_real_weights=False) for items in ([1], [0]))
    # Counts of three draws: item 1 more often than item 2 in 10 of 27 equally likely draws (7 are ties).
    assert share_of_wins(candidate, incumbent, seed=3) == pytest.approx(10 / 27, abs=FIVE_SIGMA)


def test_both_predictions_are_scored_under_the_same_weights() -> None:
    twin, dominated = errors_on(20, [0, 1]), errors_on(20, [0, 1, 2])
    rng = np.random.default_rng(4)
    assert paired_wins(twin, errors_on(20, [0, 1]), replicates=500, rng=rng) == 0
    assert paired_wins(twin, dominated, replicates=500, rng=rng) == 500


def test_the_odds_are_those_of_the_smoothed_share() -> None:
    rng = np.random.default_rng(5)
    better, worse = errors_on(20, [0]), errors_on(20, [0, 1])
    # All 98 replicates won: P = 99/100. None won: P = 1/100.
    assert odds_of_improvement(better, worse, replicates=98, rng=rng) == pytest.approx(99)
    assert odds_of_improvement(worse, better, replicates=98, rng=rng) == pytest.approx(1 / 99)


def test_wins_of_large_samples_follow_the_normal_approximation() -> None:
    """D = .06 with 20 repaired and 8 broken of 200; the Bayesian bootstrap of a mean has sd σ(d)/√(n + 1).

    The approximation is off by the skewness of d, about .005 here; the draws by .0025: .0175 is beyond five sigma.
    """
    from scipy.special import ndtr

    d = np.r_[np.ones(20), -np.ones(8), np.zeros(172)]
    expected = float(ndtr(d.mean() / (d.std() / np.sqrt(201))))
    found = share_of_wins(errors_on(200, list(range(20, 28))), errors_on(200, list(range(20))), seed=6)
    assert found == pytest.approx(expected, abs=0.0175)


def test_the_mean_of_bootstrap_means_has_the_noise_of_all_draws_together() -> None:
    """sd = σ(l)/√(n·b). Over 20,000 draws the sample sd errs by 1/√40,000 = .5 %: 2.5 % is five sigma."""
    values = np.array([0.0, 1.0, 2.0, 10.0])
    rng = np.random.default_rng(7)
    draws = np.array([bootstrap_mean(values, replicates=5, rng=rng) for _ in range(20_000)])
    sd = values.std() / np.sqrt(4 * 5)
    assert draws.std() == pytest.approx(sd, rel=0.025)
    assert draws.mean() == pytest.approx(values.mean(), abs=5 * sd / np.sqrt(20_000))
    naive = rng.choice(values, (20_000, 5 * 4)).mean(axis=1)  # five resamples of four, item by item
    assert draws.std() == pytest.approx(naive.std(), rel=0.04)


def test_a_resample_without_a_score_is_neither_a_win_nor_part_of_the_mean() -> None:
    def score_where_item_0_is_drawn(weights: FloatArray) -> FloatArray:
        if not (weights[:, 0] > 0).all():
            raise UndefinedMetricError("item 0 is missing")
        return np.full(len(weights), 0.25)

    evaluation = replace(errors_on(3, [0]), compute_replicates=score_where_item_0_is_drawn, takes_real_weights=False)
    assert bootstrap_score(evaluation, replicates=200, rng=np.random.default_rng(8)) == 0.25
    # The incumbent errs everywhere, so a win is a resample with item 0: 1 − (2/3)³ of them.
    incumbent = replace(errors_on(3, [0, 1, 2]), takes_real_weights=False)
    wins = paired_wins(evaluation, incumbent, replicates=5000, rng=np.random.default_rng(9))
    assert wins / 5000 == pytest.approx(19 / 27, abs=5 * np.sqrt(0.21 / 5000))


def test_a_submission_without_any_score_is_undefined_not_zero() -> None:
    def none(_: FloatArray) -> FloatArray:
        raise UndefinedMetricError("never")

    for weighs in (True, False):
        evaluation = replace(errors_on(3, [0]), compute_replicates=none, takes_real_weights=weighs)
        with pytest.raises(UndefinedMetricError):
            bootstrap_score(evaluation, replicates=5, rng=np.random.default_rng(0))


def test_the_adaptive_number_of_replicates_falls_with_the_attempts() -> None:
    assert [replicates_at(t, first=100, least=5, gamma=0.5) for t in (1, 2, 4, 100, 401)] == [100, 70, 50, 10, 5]
    assert replicates_at(1000, first=100, least=1, gamma=0.0) == 100


@pytest.mark.parametrize(("odds", "replicates"), [(0.9, 1000), (float("nan"), 1000), (5.67, 0), (99, 50)])
def test_odds_that_mean_nothing_or_cannot_be_reached_are_refused(odds: float, replicates: int) -> None:
    with pytest.raises(ParameterError):
        check_odds(odds, replicates)
