import numpy as np
import pytest
from scipy.stats import studentized_range

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.inference.contrasts import Contrasts, compute_root, draw_contrasts, tail_count
from ladderboard.inference.covariance import paired_means


def some_contrasts(systems: int, replicates: int, seed: int = 1) -> Contrasts:
    losses = np.random.default_rng(seed).normal(size=(200, systems))
    return draw_contrasts(paired_means(losses), replicates=replicates, rng=np.random.default_rng(seed))


def brute_force_maxima(contrasts: Contrasts, weights: FloatArray) -> FloatArray:
    differences = contrasts.draws[:, None, :] - contrasts.draws[None, :, :]
    return np.asarray(np.maximum(0, (differences * weights[:, :, None]).max(axis=(0, 1))))


def test_the_draws_have_the_paired_covariance() -> None:
    losses = np.random.default_rng(1).normal(size=(300, 1)) + np.random.default_rng(2).normal(size=(300, 4))
    paired = paired_means(losses)
    draws = draw_contrasts(paired, replicates=200_000, rng=np.random.default_rng(3)).draws
    # Each entry has a relative standard error of about √(2/200,000) = .003.
    np.testing.assert_allclose(np.cov(draws), paired.covariance, rtol=0.03)


def test_a_singular_covariance_has_a_root() -> None:
    covariance = np.array([[2.0, 2.0, 1.0], [2.0, 2.0, 1.0], [1.0, 1.0, 3.0]])
    root = compute_root(covariance)
    np.testing.assert_allclose(root @ root.T, covariance, atol=1e-12)
    np.testing.assert_allclose(root, root.T, atol=1e-12)


@pytest.mark.claim
@pytest.mark.parametrize("systems", [2, 5, 20])
def test_the_critical_value_of_equal_independent_systems_is_tukeys(systems: int) -> None:
    contrasts = Contrasts(
        np.random.default_rng(systems).standard_normal((systems, 100_000)),
        (1 - np.eye(systems)) / np.sqrt(2),
    )
    maxima = swept_maxima(contrasts)
    tukey = studentized_range.ppf(0.95, systems, np.inf) / np.sqrt(2)
    # The quantile of 100,000 draws has a standard error of .006 at most: 4 of them, false alarms 1 in 15,000.
    assert np.quantile(maxima, 0.95) == pytest.approx(tukey, abs=0.025)


def swept_maxima(contrasts: Contrasts) -> FloatArray:
    maxima = np.empty(contrasts.replicates)
    systems = len(contrasts.draws)
    for columns, k, largest in contrasts.prefix_maxima(np.arange(systems)):
        if k == systems - 1:
            maxima[columns] = largest
    return maxima


@pytest.mark.parametrize("cells", [64, 1 << 18])
def test_a_sweep_gives_the_largest_contrast_of_every_prefix(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladderboard.inference.contrasts._CELLS_PER_BLOCK", cells)
    contrasts = some_contrasts(systems=7, replicates=100)
    order = np.array([3, 0, 6, 2, 5, 1, 4])
    seen = 0
    for columns, k, largest in contrasts.prefix_maxima(order):
        chosen = np.isin(np.arange(7), order[: k + 1])
        weights = np.where(chosen[:, None] & chosen, contrasts.reciprocals, 0)
        np.testing.assert_allclose(largest, brute_force_maxima(contrasts, weights)[columns], rtol=1e-12)
        seen += len(largest)
    assert seen == 6 * 100


def test_the_kth_largest_needs_no_more_than_the_replicates_that_matter() -> None:
    contrasts = some_contrasts(systems=6, replicates=2000)
    everything = brute_force_maxima(contrasts, contrasts.reciprocals)
    weights = np.where(np.random.default_rng(2).random((6, 6)) < 0.4, 0, contrasts.reciprocals)
    exact = np.sort(brute_force_maxima(contrasts, weights))
    bounds = everything.copy()
    for k in (1, 17, 100, 2000):
        assert contrasts.kth_largest(k, weights=weights, bounds=everything.copy()) == exact[-k]
    contrasts.kth_largest(100, weights=weights, bounds=bounds)
    assert (bounds != everything).sum() < 1000
    assert (bounds >= brute_force_maxima(contrasts, weights) - 1e-12).all()


def test_the_tail_holds_alpha_of_the_draws_and_one_more() -> None:
    assert [tail_count(replicates, 0.95) for replicates in (19, 39, 9999, 10_000)] == [1, 2, 500, 500]
    with pytest.raises(ParameterError, match="at least 19 are"):
        tail_count(18, 0.95)
