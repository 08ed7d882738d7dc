import math

import numpy as np
import pytest
from scipy.stats import norm, truncnorm

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.inference.covariance import paired_means
from ladderboard.inference.selection import Selection, find_selection
from ladderboard.inference.winner import REPLICATES, projection_critical_value, winner_estimate
from ladderboard.metrics.inputs import Array
from tests.inference.real_boards import imagenet, semeval


def related(gaps: list[float], *, shared: float, items: int = 300, seed: int = 11) -> FloatArray:
    """Normal losses around 1 with the given gaps; any two systems have correlation ``shared``."""
    rng = np.random.default_rng(seed)
    common, own = rng.normal(size=(items, 1)), rng.normal(size=(items, len(gaps)))
    return np.asarray(1 + math.sqrt(shared) * common + math.sqrt(1 - shared) * own + np.array(gaps))


CLOSE = [0, 0.02, 0.05, 0.05, 0.1, 0.1, 0.2, 0.3]


def test_the_hybrid_interval_is_that_of_honestboard() -> None:
    winner = winner_estimate(related(CLOSE, shared=0.6), replicates=200_000)
    # Made once with honestboard 0.6.1: selective.winner_hybrid(-means, covariance, draws=400000, seed=1), negated. The
    # critical value of the projection interval is simulated by both: a standard error of .005, times .055.
    assert winner.column == 3
    assert winner.naive == pytest.approx(1.024323664940324, rel=1e-12)
    assert winner.interval == pytest.approx((0.9194351137233427, 1.2073723944353068), abs=0.001)


@pytest.mark.parametrize("seed", range(3))
def test_honestboard_agrees_on_fresh_data(seed: int) -> None:
    selective = pytest.importorskip("honestboard.selective")
    losses = related([0, 0.01, 0.1, 0.1, 0.2], shared=0.5, seed=seed)
    peer = selective.winner_hybrid(-losses.mean(axis=0), np.cov(losses.T) / len(losses), draws=100_000)
    ours = winner_estimate(losses, replicates=100_000)
    assert ours.interval == pytest.approx((-peer["ci"][1], -peer["ci"][0]), abs=0.002)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_the_ends_solve_the_papers_equations(confidence: float) -> None:
    losses = related(CLOSE, shared=0.6)
    winner = winner_estimate(losses, confidence)
    alpha, beta = 1 - confidence, (1 - confidence) / 10
    critical = simulated_projection(losses, 1 - beta)
    tail = (alpha - beta) / (1 - beta) / 2
    shares = [_hybrid_cdf(losses, mean, critical) for mean in winner.interval]
    assert shares == pytest.approx([1 - tail, tail], abs=1e-9)


@pytest.mark.parametrize("shared", [0.0, 0.9])
def test_the_projection_covers_the_largest_error_of_all_systems(shared: float) -> None:
    losses = related(CLOSE, shared=shared)
    # Two quantiles at 99.5 % of 20,000 and 40,000 draws: standard errors of .02 each.
    assert simulated_projection(losses, 0.995) == pytest.approx(_projection(losses, 0.995), abs=0.12)


def simulated_projection(losses: FloatArray, confidence: float) -> float:
    rng = np.random.default_rng(0)
    return projection_critical_value(paired_means(losses), confidence, replicates=REPLICATES, rng=rng)


def selection(losses: Array) -> Selection:
    paired = paired_means(losses)
    return find_selection(paired, int(paired.means.argmin()))


def _projection(losses: FloatArray, confidence: float) -> float:
    """The quantile of the largest error, by resampling signs of the centred losses."""
    centred = losses - losses.mean(axis=0)
    signs = np.random.default_rng(1).choice([-1.0, 1.0], size=(40_000, len(losses)))
    errors = np.abs(signs @ centred) / len(losses) / (losses.std(axis=0, ddof=1) / math.sqrt(len(losses)))
    return float(np.quantile(errors.max(axis=1), confidence))


def _hybrid_cdf(losses: FloatArray, mean: float, critical: float) -> float:
    """F(Y; μ) from its definition: the winner's mean cut to where it wins and to the projection interval around μ."""
    means, covariance = losses.mean(axis=0), np.cov(losses.T) / len(losses)
    w = int(means.argmin())
    error = math.sqrt(covariance[w, w])
    slopes = covariance[:, w] / covariance[w, w]
    rest = means - slopes * means[w]
    high = min(rest[j] / (1 - slopes[j]) for j in range(len(means)) if j != w and slopes[j] < 1)
    low = max((rest[j] / (1 - slopes[j]) for j in range(len(means)) if slopes[j] > 1), default=-math.inf)
    a, b = max((low - mean) / error, -critical), min((high - mean) / error, critical)
    return float(truncnorm.cdf((means[w] - mean) / error, a, b))


def test_the_limits_are_where_another_system_would_win() -> None:
    paired = paired_means(related(CLOSE, shared=0.6))
    w = int(paired.means.argmin())
    slopes = paired.covariance[:, w] / paired.covariance[w, w]
    found = find_selection(paired, w)
    low, high = found.low * found.error, found.high * found.error
    for shift, still_first in ((high * 0.999, True), (high * 1.001, False), (max(low, -5.0) * 0.999, True)):
        assert (int((paired.means + slopes * shift).argmin()) == w) == still_first


def test_ties_on_a_lattice_go_to_the_first_column() -> None:
    wrong = np.zeros((100, 3), dtype=bool)
    wrong[:20, 0], wrong[30:50, 1], wrong[60:90, 2] = True, True, True
    first = winner_estimate(wrong)
    assert (first.column, first.naive) == (0, 0.2)
    assert math.isfinite(first.value)
    assert first.naive < first.value < first.interval[1]
    # Half a failure of the second column more would have been needed: on the angular scale that is about
    # 0.5/(2√(20·80)), and all move with their correlation to the first.
    slope = np.corrcoef(wrong.T.astype(float))[0, 1]
    found = selection(wrong)
    assert found.high * found.error == pytest.approx(0.5 / (2 * np.sqrt(20 * 80)) / (1 - slope), rel=0.02)
    assert found.low == -math.inf


@pytest.mark.parametrize("failures", [1, 3, 20, 60, 99])
def test_the_angular_scale_leads_back_to_the_score_and_has_a_constant_spread(failures: int) -> None:
    wrong = np.zeros((100, 2), dtype=bool)
    wrong[:failures, 0], wrong[1:, 1] = True, True
    found = find_selection(paired_means(wrong), 0)
    assert found.loss_at(found.observed) == pytest.approx(failures / 100)
    assert found.error == pytest.approx(1 / np.sqrt(402))
    assert found.loss_at(-1.0) == 0
    assert found.loss_at(9.0) == 1


def test_a_winner_far_ahead_keeps_its_score_and_interval() -> None:
    losses = related([0, 1, 1, 1], shared=0.3)
    winner = winner_estimate(losses)
    error = losses[:, 0].std(ddof=1) / math.sqrt(300)
    assert winner.value == pytest.approx(winner.naive, abs=1e-6)
    assert winner.interval == pytest.approx(
        (winner.naive - norm.ppf(0.975) * error, winner.naive + norm.ppf(0.975) * error), abs=0.1 * error
    )
    assert winner.luck == pytest.approx(0, abs=1e-6)


def test_the_interval_lies_within_the_projection_interval_even_at_a_tie() -> None:
    rng = np.random.default_rng(1)
    losses = rng.normal(size=(200, 3))
    losses -= losses.mean(axis=0)  # an exact tie of real losses, up to rounding
    winner = winner_estimate(losses)
    reach = _projection(losses, 0.995) * losses[:, winner.column].std(ddof=1) / math.sqrt(200)
    assert winner.naive - 1.05 * reach < winner.interval[0] <= winner.value <= winner.interval[1]
    assert winner.interval[1] < winner.naive + 1.05 * reach


def test_copies_of_the_winner_change_nothing_but_the_projection() -> None:
    losses = related(CLOSE, shared=0.6)
    alone, copied = winner_estimate(losses), winner_estimate(losses[:, [0, 1, 2, 3, 3, 3, 4, 5, 6, 7]])
    assert copied.value == pytest.approx(alone.value, abs=0.003)


def test_a_system_alone_was_not_selected() -> None:
    losses = related([0.0], shared=0.0)
    winner = winner_estimate(losses)
    assert winner.value == pytest.approx(winner.naive)
    assert winner.interval == pytest.approx(winner.naive_interval, abs=0.02)


def test_units_carry_through() -> None:
    losses = related(CLOSE, shared=0.6)
    plain, scaled = winner_estimate(losses), winner_estimate(100 + 10 * losses)
    assert scaled.value == pytest.approx(100 + 10 * plain.value)
    assert scaled.interval == pytest.approx([100 + 10 * end for end in plain.interval])


def test_a_perfect_winner_gets_the_exact_binomial_interval_divided_among_the_systems() -> None:
    wrong = np.zeros((200, 4), dtype=bool)
    wrong[:50, 1:] = True
    winner = winner_estimate(wrong)
    assert (winner.naive, winner.value, winner.interval[0]) == (0, 0, 0)
    # P(no failure in 200) = .05/4 at the upper end.
    assert (1 - winner.interval[1]) ** 200 == pytest.approx(0.05 / 4)


def test_means_of_runs_that_are_level_are_level() -> None:
    # Sevenths do not add up exactly: the sums of both columns are 13/7.
    shares = np.array([[1, 5], [2, 0], [6, 1], [4, 7]]) / 7
    assert shares[:, 0].mean() != shares[:, 1].mean()
    winner = winner_estimate(shares)
    assert (winner.system, winner.level_with) == ("system 1", ("system 2",))
    assert winner.naive == 13 / 28
    assert 0 <= winner.interval[0] < winner.value < winner.interval[1] <= 1


def test_the_runs_of_one_item_count_as_the_spread_of_items_says() -> None:
    rng = np.random.default_rng(3)
    once = (rng.random((400, 3)) < [0.2, 0.4, 0.4]).astype(float)
    often = (rng.random((4, 400, 3)) < [0.2, 0.4, 0.4]).mean(axis=0)  # every item is as hard: four runs are four items
    (low, high), (left, right) = winner_estimate(once).interval, winner_estimate(often).interval
    assert (right - left) / (high - low) == pytest.approx(1 / 2, rel=0.1)
    alike = winner_estimate(np.repeat(once, 2, axis=0).reshape(400, 2, 3).mean(axis=1))  # both runs fail, or none
    assert alike.interval == winner_estimate(once).interval


def test_a_winner_without_a_failed_run_gets_the_interval_of_its_items() -> None:
    shares = np.zeros((50, 2))
    shares[:20, 1] = 0.25
    winner = winner_estimate(shares)
    assert (winner.naive, winner.value, winner.interval[0]) == (0, 0, 0)
    assert (1 - winner.interval[1]) ** 50 == pytest.approx(0.05 / 2)


def test_failures_stay_shares() -> None:
    wrong = np.zeros((40, 3), dtype=bool)
    wrong[0, 0], wrong[:2, 1], wrong[3:9, 2] = True, True, True
    winner = winner_estimate(wrong)
    assert 0 <= winner.interval[0] <= winner.value <= winner.interval[1] <= 1
    assert winner.naive_interval[0] == 0


def test_an_estimate_from_few_skewed_losses_says_that_it_is_rough() -> None:
    rng = np.random.default_rng(5)
    squared = rng.standard_normal((4000, 20)) ** 2
    assert winner_estimate(squared[:30]).is_rough
    assert not winner_estimate(squared).is_rough
    assert not winner_estimate(-squared[:30]).is_rough  # the rare large losses are those that a winner was spared
    assert not winner_estimate(rng.standard_normal((30, 20))).is_rough
    assert not winner_estimate(rng.random((30, 20)) < 0.1).is_rough


def test_constant_real_losses_are_refused() -> None:
    with pytest.raises(InputError, match=r"'system 1' has the same loss 0.5 on every item"):
        winner_estimate([[0.5, 1.0], [0.5, 0.7], [0.5, 0.9]])


@pytest.mark.parametrize(("confidence", "replicates"), [(0.0, 100), (1.5, 100), (0.95, 100)])
def test_options_out_of_range_are_refused(confidence: float, replicates: int) -> None:
    with pytest.raises(ParameterError):
        winner_estimate([[0, 1], [1, 0], [1, 1]], confidence, replicates=replicates)


def test_the_winner_of_semeval_2018_was_hardly_lucky() -> None:
    winner = winner_estimate(semeval())
    assert winner.system == "s437952"
    assert winner.value == pytest.approx(winner.naive, abs=0.002)


def test_the_winner_of_imagenet_was_not_lucky_and_yet_is_eleven_points_worse_on_fresh_images() -> None:
    wrong, names = imagenet("val")
    winner = winner_estimate(wrong)
    assert names[winner.column] == "pnasnet_large_tf"
    assert winner.luck < 0.0005
    fresh, _ = imagenet("v2_matched")
    assert fresh[:, winner.column].mean() - winner.interval[1] > 0.1
