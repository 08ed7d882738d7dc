"""Independent classifiers: the exact numbers of Møllersen & Holsbø, and fifty-digit arithmetic."""

import math

import numpy as np
import pytest

from ladderboard.core.errors import ParameterError
from ladderboard.inference.multiplicity.independent_classifiers import IndependentClassifiers, adjusted_interval
from ladderboard.inference.multiplicity.sota import sota
from tests.inference.multiplicity.exact import exact_pmf_and_cdf, relative_error

TABLE_1 = [
    (1000, 3000, 0.85, 0.8707, 0.002197),
    (1000, 3000, 0.90, 0.9173, 0.001817),
    (1000, 3000, 0.95, 0.9624, 0.001277),
    (100, 3000, 0.90, 0.9135, 0.002250),
    (500, 3000, 0.90, 0.9163, 0.001923),
    (1000, 1000, 0.90, 0.9294, 0.003007),
    (1000, 10_000, 0.90, 0.9096, 0.001022),
]


@pytest.mark.parametrize(("m", "n", "accuracy", "mean", "sd"), TABLE_1)
def test_table_1_is_reproduced_to_all_printed_digits(m: int, n: int, accuracy: float, mean: float, sd: float) -> None:
    best = sota(classifiers=m, test_size=n, accuracy=accuracy)
    assert (round(best.mean, 4), round(best.sd, 6)) == (mean, sd)


def test_the_coin_flips_of_the_paper() -> None:
    assert sota(1, 20, 0.5).cdf(5) == pytest.approx(0.020695, abs=5e-7)  # at least 15 of 20 heads
    assert sota(1000, 20, 0.5).cdf(2) == pytest.approx(0.18229, abs=5e-6)  # at least 18 of 20 for one of 1000


def test_the_interval_of_one_classifier_is_clopper_and_pearsons() -> None:
    low, high = adjusted_interval(0.9, classifiers=1, test_size=3000)
    assert (round(low, 6), round(high, 6)) == (0.888705, 0.910508)


def test_the_upper_limit_is_at_236_failures() -> None:
    best = sota(1000, 3000, 0.9)
    assert best.quantile(0.025) == 236
    assert round(best.upper_limit(), 5) == 0.92133
    assert (round(best.cdf(235), 5), round(best.cdf(236), 5)) == (0.02475, 0.03253)


def test_dependent_classifiers_have_less_luck() -> None:
    alike = sota(1000, 3000, 0.9, correlation=0.6)
    assert (round(alike.mean, 5), round(alike.upper_limit(), 5)) == (0.91397, 0.91733)


def test_a_truly_better_classifier_rarely_beats_the_limit() -> None:
    best, better_by = sota(1000, 3000, 0.9), 0.910508 - 0.9
    assert best.reaches(1 - 248 / 3000, better_by=better_by) == pytest.approx(0.09965, abs=5e-6)
    # The paper's .0161 is the strict tail P(X ≤ 235); the event "at least .9213" as written has probability .0190.
    assert best.beats(1 - 236 / 3000, better_by=better_by) == pytest.approx(0.0161, abs=5e-5)
    assert best.reaches(1 - 236 / 3000, better_by=better_by) == pytest.approx(0.0190, abs=5e-5)


@pytest.mark.parametrize(
    ("m", "n", "accuracy", "failures"),
    [
        (1000, 3000, 0.9, [150, 200, 236, 260, 300]),
        (1_000_000, 100_000, 0.99, [700, 850, 900, 1000]),
        (1_000_000, 1_000_000, 0.9, [97_000, 98_500, 99_900]),
        (7, 12, 0.4, [1, 3, 6, 11]),
    ],
)
def test_cdf_and_pmf_are_right_to_ten_digits_deep_into_the_tail(
    m: int, n: int, accuracy: float, failures: list[int]
) -> None:
    best = sota(m, n, accuracy)
    exact = exact_pmf_and_cdf(sorted({*failures, *(z - 1 for z in failures)}), n, accuracy)
    for z in failures:
        survival = [(1 - exact[x][1]) ** m for x in (z - 1, z)]
        assert relative_error(best.cdf(z), 1 - survival[1]) < 1e-10
        if survival[0] - survival[1] > 1e-300:
            assert relative_error(best.pmf(z), survival[0] - survival[1]) < 1e-10


def test_a_million_classifiers_on_a_million_items() -> None:
    best = sota(1_000_000, 1_000_000, 0.9)
    low, high = best.interval()
    assert low < best.mean < high
    assert best.sd > 0


def test_mean_and_sd_are_those_of_the_whole_distribution() -> None:
    best = sota(20, 60, 0.7)
    z = np.arange(61)
    mean = z @ best.pmf(z)
    assert best.mean == pytest.approx(1 - mean / 60, rel=1e-12)
    assert best.sd == pytest.approx(math.sqrt((z - mean) ** 2 @ best.pmf(z)) / 60, rel=1e-11)
    np.testing.assert_allclose(np.cumsum(best.pmf(z)), best.cdf(z), rtol=1e-12)


def test_one_classifier_has_the_binomials_moments() -> None:
    best = sota(1, 3000, 0.9)
    assert best.mean == pytest.approx(0.9, rel=1e-12)
    assert best.sd == pytest.approx(math.sqrt(0.09 / 3000), rel=1e-11)
    assert best.luck == pytest.approx(0, abs=1e-12)


def test_different_accuracies_follow_the_product_formula() -> None:
    accuracies = [0.6, 0.7, 0.7, 0.9]
    best = sota(test_size=30, accuracies=accuracies)
    for z in (0, 2, 5, 10):
        survival = math.prod(1 - float(exact_pmf_and_cdf([z], 30, p)[z][1]) for p in accuracies)
        assert best.cdf(z) == pytest.approx(1 - survival, rel=1e-11)
    assert best.classifiers == 4
    assert best.true_best == 0.9


def test_equal_accuracies_in_a_list_are_the_identical_case() -> None:
    listed, identical = sota(test_size=500, accuracies=[0.8] * 50), sota(50, 500, 0.8)
    assert (listed.mean, listed.sd, listed.interval()) == (identical.mean, identical.sd, identical.interval())


def test_many_different_accuracies_are_condensed_without_losing_a_digit() -> None:
    accuracies = np.random.default_rng(5).beta(40, 10, 3000)
    best = IndependentClassifiers.of(accuracies, test_size=800)
    z = best.support.failures.astype(float)
    direct = best.cdf_at(z)  # the plain product over 3000 classifiers
    np.testing.assert_allclose(best.support.cdf, direct, rtol=1e-10)
    np.testing.assert_allclose(np.cumsum(best.pmf_at(z)), direct, rtol=1e-9, atol=1e-19)


def test_hopeless_classifiers_change_nothing() -> None:
    strong = np.full(30, 0.9)
    alone, crowded = sota(test_size=2000, accuracies=strong), sota(test_size=2000, accuracies=[*strong, *[0.2] * 500])
    assert crowded.mean == pytest.approx(alone.mean, rel=1e-14)


@pytest.mark.claim
def test_simulation_agrees_with_the_exact_distribution() -> None:
    # 20,000 boards; each of two statistics within 4 standard errors: false alarms 1 in 8,000.
    best = sota(test_size=400, accuracies=np.linspace(0.7, 0.8, 60))
    fewest = best.simulate(np.random.default_rng(11), 20_000)
    assert fewest.mean() == pytest.approx(best.mean_failures, abs=4 * best.sd_failures / math.sqrt(20_000))
    share = np.mean(fewest <= best.quantile(0.1))
    expected = best.cdf(best.quantile(0.1))
    assert share == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 20_000))


@pytest.mark.parametrize("m", [1, 30, 1000])
@pytest.mark.parametrize("score", [0.0, 0.6, 0.95, 1.0])
def test_the_adjusted_interval_inverts_the_distribution(m: int, score: float) -> None:
    low, high = adjusted_interval(score, classifiers=m, test_size=200, confidence=0.9)
    failures = round(200 * (1 - score))
    if score > 0:
        assert sota(m, 200, low).cdf(failures) == pytest.approx(0.05, rel=1e-9)
    if score < 1:
        assert 1 - sota(m, 200, high).cdf(failures - 1) == pytest.approx(0.05, rel=1e-9)
    assert (low == 0) == (score == 0)
    assert (high == 1) == (score == 1)


def test_perfect_and_hopeless_classifiers_have_no_luck() -> None:
    for accuracy in (0.0, 1.0):
        best = sota(10, 50, accuracy)
        assert (best.mean, best.sd, best.interval()) == (accuracy, 0.0, (accuracy, accuracy))


def test_failures_may_be_numbers_arrays_or_off_the_support() -> None:
    best = sota(10, 50, 0.8)
    assert isinstance(best.cdf(3), float)
    assert isinstance(best.pmf(3), float)
    assert best.cdf([[-1.0, 50.0], [3.7, 60.0]]).tolist() == [[0.0, 1.0], [best.cdf(3), 1.0]]
    assert best.pmf([-1, 3.5, 51]).tolist() == [0.0, 0.0, 0.0]
    assert best.beats(np.array([0.8, 0.9])).shape == (2,)


def test_the_sentence_says_what_is_luck() -> None:
    text = sota(1000, 3000, 0.9).sentence()
    assert "1000 classifiers that are all truly 90.00 % correct" in text
    assert "expected to be 91.73 %" in text
    assert "1.73 percentage points of it are luck" in text
    assert "better by 1 percentage point beats 92.13 % with probability 0.013" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"classifiers": 10, "test_size": 50, "accuracy": 90}, r"accuracy is 90; .*divide percentages by 100"),
        ({"classifiers": 10, "test_size": 50, "accuracy": float("nan")}, "accuracy is nan"),
        ({"classifiers": 0, "test_size": 50, "accuracy": 0.9}, "classifiers is 0; it must be a whole number"),
        ({"classifiers": 2.5, "test_size": 50, "accuracy": 0.9}, "classifiers is 2.5"),
        ({"classifiers": 10, "test_size": 0, "accuracy": 0.9}, "test_size is 0"),
        ({"classifiers": 10, "accuracy": 0.9}, "test_size, the number of test items, is missing"),
        ({"test_size": 50, "accuracy": 0.9}, "classifiers, the number"),
        ({"classifiers": 10, "test_size": 50}, "give either accuracy"),
        ({"classifiers": 3, "test_size": 50, "accuracies": [0.5, 0.6]}, "2 accuracies for 3 classifiers"),
        ({"classifiers": 3, "test_size": 50, "accuracy": [0.5, 0.6]}, "give a list of them as accuracies"),
        ({"test_size": 50, "accuracies": []}, "at least one"),
        ({"classifiers": 3, "test_size": 50, "accuracy": 0.5, "reference_accuracy": 0.5}, "has no effect without"),
    ],
)
def test_numbers_out_of_range_are_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        sota(**arguments)  # type: ignore[arg-type]


def test_a_confidence_or_an_improvement_out_of_range_is_refused() -> None:
    best = sota(10, 50, 0.9)
    with pytest.raises(ParameterError, match="confidence is 95"):
        best.interval(95)
    with pytest.raises(ParameterError, match=r"no accuracy is better than 0\.9"):
        best.beats(0.9, better_by=0.2)
    with pytest.raises(ParameterError, match="probability is 0"):
        best.quantile(0)
