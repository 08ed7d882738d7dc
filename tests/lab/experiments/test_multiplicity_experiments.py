import math

import numpy as np
import pytest

import ladderboard as lb
from ladderboard_lab.experiments import EXPERIMENTS
from ladderboard_lab.experiments.multiplicity import fig4, fig6
from ladderboard_lab.experiments.multiplicity.setting import (
    agreement,
    largest_distance,
    running_example,
    tolerated_distance,
    upper_confidence_limit,
)
from ladderboard_lab.experiments.multiplicity.table1 import TABLE1
from ladderboard_lab.experiments.multiplicity.text import similarity_to_correlation
from ladderboard_lab.experiments.own import dependence
from tests.lab.experiments.quick_runs import quick
from tests.shared_data import shared_data


def test_every_figure_and_the_table_are_there() -> None:
    assert {f"multiplicity-fig{number}" for number in range(1, 9)} | {"multiplicity-table1"} <= set(EXPERIMENTS)


def test_a_number_that_is_off_in_its_last_digit_fails_the_verdict() -> None:
    assert agreement({"x": (0.91731, 0.9173, 4)}, "").holds
    failed = agreement({"x": (0.91736, 0.9173, 4), "y": (1.0, 1.0, 0)}, "Words.")
    assert [check.statement for check in failed.checks if not check.holds] == ["x: 0.9173"]


@pytest.mark.parametrize("case", TABLE1)
def test_table_1_agrees_with_a_sum_over_the_binomial_distribution(case: tuple[int, int, float]) -> None:
    from scipy.stats import binom

    m, n, p = case
    survival = binom(n, 1 - p).sf(np.arange(n + 1)) ** m
    mean = survival.sum()
    second = ((2 * np.arange(n + 1) + 1) * survival).sum()
    printed_mean, printed_sd = TABLE1[case]
    assert round(1 - mean / n, 4) == printed_mean
    assert round(math.sqrt(second - mean**2) / n, 6) == printed_sd


def test_the_numbers_of_figure_1_are_binomial_tails() -> None:
    from scipy.stats import binom

    numbers, failures = quick("multiplicity-fig1").verdict.numbers, binom(3000, 1 - upper_confidence_limit())
    assert numbers["P(better one beats the expected best)"] == pytest.approx(failures.cdf(248), rel=1e-9)
    assert numbers["P(better one beats the upper limit)"] == pytest.approx(failures.cdf(235), rel=1e-9)
    assert numbers["P(better one reaches the upper limit)"] == pytest.approx(failures.cdf(236), rel=1e-9)


def test_dependent_failures_have_the_spread_of_two_binomials() -> None:
    assert pytest.approx(0.04) == fig4.BROKEN
    assert pytest.approx(0.36) == fig4.REPAIRED
    assert pytest.approx(math.sqrt(2700 * 0.04 * 0.96 + 300 * 0.36 * 0.64)) == fig4.SD_DEPENDENT


def test_real_imagenet_models_are_as_alike_as_the_similarity_says() -> None:
    folder = shared_data("imagenetv2")
    with np.load(folder / "imagenet_val_50k_top1.npz") as data:
        right = (data["pred"] == data["label"][:, None]).astype(np.float32)
    pairs = np.corrcoef(right, rowvar=False)[np.triu_indices(right.shape[1], k=1)]
    assert round(float(pairs.mean()), 3) == round(similarity_to_correlation(0.85, 0.756), 3)


def test_a_random_reference_differs_as_the_paper_does_not_say() -> None:
    assert lb.sota(1000, 3000, 0.9, correlation=0.6, reference="random").quantile(0.025) == 238
    fixed = lb.sota(1000, 3000, 0.9, correlation=0.6)
    assert (round(fixed.mean, 5), round(fixed.sd, 6)) == (0.91397, 0.001485)


def test_the_distance_to_a_simulation_notices_a_wrong_distribution() -> None:
    best = running_example()
    simulated = best.simulate(np.random.default_rng(1), 3000)
    assert largest_distance(simulated, best) <= tolerated_distance(3000)
    assert largest_distance(simulated + 1, best) > tolerated_distance(3000)


@pytest.mark.parametrize("weakest", [0.8, 0.85])
def test_beyond_the_largest_correlation_there_is_no_such_classifier(weakest: float) -> None:
    largest = dependence.largest_correlation(weakest)
    lb.sota(test_size=3000, accuracies=[weakest, 0.9], correlation=largest - 1e-6, reference_accuracy=0.9)
    with pytest.raises(lb.ParameterError, match="must lie between"):
        lb.sota(test_size=3000, accuracies=[weakest, 0.9], correlation=largest + 1e-3, reference_accuracy=0.9)


def test_an_auc_is_the_share_of_pairs_in_order() -> None:
    assert fig6._auc(np.array([1.0, 3.0]), np.array([0.0, 2.0])) == 3 / 4
