"""The test behind a certificate, and the correction of the number that passes it."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest, norm, ttest_1samp

from ladderboard.core.precision import effective_support
from ladderboard.core.records import FloatArray
from ladderboard.inference.certificate import (
    certificate_p_value,
    correct_for_selection,
    find_selection_luck,
    sign_flip_p_value,
)
from ladderboard.inference.pairwise import self_normalised_bound
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.mean_score import MeanScore


def graded(scores: FloatArray, groups: list[str] | None = None) -> AnswerKey:
    return AnswerKey([0] * len(scores), MeanScore(), group=groups)


def test_pass_or_fail_is_tested_exactly() -> None:
    before, after = np.zeros(40), np.zeros(40)
    before[:5], after[5:20] = 1.0, 1.0
    key = graded(before)
    found = certificate_p_value(key.evaluate(before), key.evaluate(after))
    assert found == pytest.approx(binomtest(15, 20, alternative="greater").pvalue, rel=1e-12)


def test_means_of_repeats_are_tested_by_students_t() -> None:
    rng = np.random.default_rng(0)
    before, after = rng.binomial(4, 0.5, 100) / 4, rng.binomial(4, 0.7, 100) / 4
    key = graded(before)
    found = certificate_p_value(key.evaluate(before), key.evaluate(after))
    assert found == pytest.approx(ttest_1samp(after - before, 0, alternative="greater").pvalue, rel=1e-9)


def test_groups_count_as_one_each() -> None:
    rng = np.random.default_rng(1)
    before = np.repeat(rng.random(200), 5)
    after = np.clip(before + np.repeat(rng.normal(0.05, 0.2, 200), 5), 0, 1)
    names = [f"text {number // 5}" for number in range(1000)]
    alone, together = graded(before), graded(before, names)
    p_alone, p_together = (certificate_p_value(key.evaluate(before), key.evaluate(after)) for key in (alone, together))
    expected = ttest_1samp((after - before)[::5], 0, alternative="greater").pvalue
    assert p_together == pytest.approx(expected, rel=1e-6)
    assert p_alone < p_together / 10


@pytest.mark.parametrize("mean", [1.0, 2.5, 4.0])
def test_the_corrected_gain_has_the_right_median_among_those_that_pass(mean: float) -> None:
    """400 draws beyond z(.02): the median lies within ±3.3 sd of ½; 1 of 1,000 correct programs would fail."""
    level = 0.02
    draws = norm.rvs(mean, 1, size=60_000, random_state=3)
    seen = draws[draws >= norm.isf(level)][:400]
    estimates = np.array([one - find_selection_luck(float(norm.sf(one)), level) for one in seen])
    above = float(np.mean(estimates > mean))
    assert len(seen) == 400
    assert abs(above - 0.5) <= 3.3 * 0.5 / math.sqrt(400)
    assert np.mean(seen > mean) > 0.55 or mean > 3.5  # without the correction they are too good, but for sure ones


def test_a_sure_gain_is_left_alone_and_a_narrow_one_loses_all() -> None:
    assert find_selection_luck(1e-12, 0.02) < 1e-4
    assert find_selection_luck(0.02, 0.02) == pytest.approx(float(norm.isf(0.02)))
    assert find_selection_luck(0.0, 0.02) == pytest.approx(0.0, abs=1e-9)


def test_the_number_loses_the_luck_that_it_shares_with_the_difference() -> None:
    key = AnswerKey([0] * 6, MeanScore(lower_is_better=True))
    before, after = key.evaluate(np.array([1.0, 1, 1, 1, 1, 1])), key.evaluate(np.array([0.0, 0.5, 1, 0, 0.5, 1]))
    d = before.losses - after.losses  # its slope on the candidate's losses is −1
    error = float(np.std(d, ddof=1)) / math.sqrt(6)
    luck = find_selection_luck(0.01, 0.02)
    assert correct_for_selection(after, d, p_value=0.01, level=0.02) == pytest.approx(0.5 + luck * error)
    assert correct_for_selection(before, d, p_value=0.01, level=0.02) == 1.0  # it does not vary: nothing is shared


@pytest.mark.parametrize("seed", range(5))
def test_random_signs_are_counted_as_an_enumeration_counts_them(seed: int) -> None:
    d = np.random.default_rng(seed).normal(0.5, 1, 14)
    signs = 1 - 2 * ((np.arange(2**14)[:, None] >> np.arange(14)) & 1)
    exact = float(np.mean(signs @ d >= d.sum() - 1e-12))
    assert sign_flip_p_value(d) == pytest.approx(exact if d.sum() > 0 else 1.0, rel=0.1, abs=0.002)


def test_signs_decide_where_few_items_carry_a_bounded_difference() -> None:
    """A hundred tasks of four runs: their effective support is often below 30, where the bound asks for 2.8 errors."""
    rng = np.random.default_rng(4)
    before = rng.binomial(4, 0.5, 60) / 4
    after = np.clip(before + 0.25 * rng.integers(-1, 3, 60), 0, 1)
    key = graded(before)
    found = certificate_p_value(key.evaluate(before), key.evaluate(after))
    d = after - before
    assert effective_support(d) < 50
    assert found >= ttest_1samp(d, 0, alternative="greater").pvalue * (1 - 1e-9)
    few = np.r_[np.full(8, 0.25), np.full(6, 0.5), -0.25, np.zeros(85)]
    base = np.full(100, 0.5)
    p = certificate_p_value(graded(base).evaluate(base), graded(base).evaluate(base + few))
    assert p < self_normalised_bound(few) / 2


def test_differences_that_cancel_are_no_evidence() -> None:
    assert sign_flip_p_value(np.array([0.1, 0.2, -0.3, 0.25, -0.25])) == 1.0  # Σd is a rounding error
    assert sign_flip_p_value(np.zeros(5)) == 1.0
    assert sign_flip_p_value(np.array([-1.0, 0.5])) == 1.0


@pytest.mark.parametrize("exponent", range(2, 300, 3))
def test_the_luck_of_every_passing_p_value_is_found(exponent: int) -> None:
    luck = find_selection_luck(10.0**-exponent, 0.0215)
    assert 0 <= luck <= 2.4
