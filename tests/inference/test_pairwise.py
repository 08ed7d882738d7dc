import numpy as np
import pytest
from scipy import stats

from ladderboard.core.precision import effective_support
from ladderboard.inference.pairwise import mcnemar_p_value, p_value_of_differences, self_normalised_bound


@pytest.mark.parametrize(("repaired", "broken"), [(15, 5), (1, 0), (0, 4), (0, 0), (600, 540)])
def test_mcnemar_is_the_exact_binomial_test(repaired: int, broken: int) -> None:
    changed = repaired + broken
    peer = stats.binomtest(repaired, changed, 0.5, alternative="greater").pvalue if changed else 1.0
    assert mcnemar_p_value(repaired, broken) == pytest.approx(peer, rel=1e-12)


def test_students_t_agrees_with_scipy() -> None:
    d = np.random.default_rng(1).normal(0.1, 1, 200)
    peer = stats.ttest_1samp(d, 0, alternative="greater").pvalue
    assert p_value_of_differences(d, "t") == pytest.approx(peer, rel=1e-10)


def test_z_is_the_normal_tail() -> None:
    d = np.random.default_rng(2).normal(0.1, 1, 200)
    z = d.mean() / (d.std(ddof=1) / np.sqrt(200))
    assert p_value_of_differences(d, "z") == pytest.approx(stats.norm.sf(z), rel=1e-10)


def test_effective_support_counts_the_items_that_carry_the_difference() -> None:
    assert effective_support(np.zeros(50)) == 0
    assert effective_support(np.r_[np.full(7, -3.0), np.zeros(93)]) == pytest.approx(7)
    assert effective_support(np.r_[1e90, np.full(99, 1e-90)]) == pytest.approx(1)


def test_a_difference_on_a_handful_of_items_needs_more_than_the_normal_approximation() -> None:
    few = np.r_[np.ones(5), np.zeros(995)]
    assert p_value_of_differences(few, "t") == pytest.approx(np.exp(-5 / 2))  # (Σd)²/Σd² = 5
    assert p_value_of_differences(few, "t") > 5 * stats.ttest_1samp(few, 0, alternative="greater").pvalue
    assert p_value_of_differences(np.r_[1e6, np.full(999, 1e-6)], "t") > 0.5  # one item carries it all
    assert p_value_of_differences(np.r_[np.ones(30), np.zeros(970)], "t") < 1e-6
    assert p_value_of_differences(np.zeros(50), "t") == 1.0


def test_a_great_gain_on_skewed_data_is_seen_although_few_items_carry_it() -> None:
    rng = np.random.default_rng(7)
    labels = rng.gamma(0.5, size=150)
    gain = np.square(labels - labels.mean()) - np.square(0.05 * rng.standard_normal(150))
    assert effective_support(gain) < 30
    assert p_value_of_differences(gain, "t") < 0.05


@pytest.mark.claim
@pytest.mark.parametrize("level", [0.2, 0.05, 0.01])
def test_the_bound_for_few_items_is_valid_under_symmetry(level: float) -> None:
    # Cauchy differences: a handful of items carries each sum. 20,000 draws; 3.5 standard errors: 1 in 4,000.
    draws = np.random.default_rng(8).standard_cauchy((20_000, 40))
    p = np.array([self_normalised_bound(d) for d in draws])
    assert np.mean(p <= level) <= level + 3.5 * np.sqrt(level * (1 - level) / 20_000)


def test_a_constant_difference_is_certain() -> None:
    assert p_value_of_differences(np.full(40, 0.5), "t") == 0.0
    assert p_value_of_differences(np.full(40, -0.5), "z") == 1.0


@pytest.mark.claim
@pytest.mark.parametrize("level", [0.2, 0.05, 0.01])
def test_mcnemar_is_valid_at_every_level(level: float) -> None:
    # 20,000 pairs of equally good classifiers; the exact test never exceeds its level by more than chance
    # (3.5 standard errors: false alarms 1 in 4,000).
    rng = np.random.default_rng(3)
    changed = rng.integers(0, 60, 20_000)
    repaired = rng.binomial(changed, 0.5)
    p = np.array([mcnemar_p_value(int(r), int(c - r)) for r, c in zip(repaired, changed, strict=True)])
    assert np.mean(p <= level) <= level + 3.5 * np.sqrt(level * (1 - level) / 20_000)
