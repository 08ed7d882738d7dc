import math
from pathlib import Path

import numpy as np
import pytest

import ladderboard as lb
from ladderboard_lab.experiments import EXPERIMENTS, Conditions, experiment_named
from ladderboard_lab.experiments.multiplicity import fig4, fig8
from ladderboard_lab.experiments.multiplicity.setting import (
    agreement,
    largest_distance,
    running_example,
    tolerated_distance,
    upper_confidence_limit,
)
from ladderboard_lab.experiments.multiplicity.table1 import TABLE1
from tests.lab.experiments.quick_runs import check_figure, quick
from tests.shared_data import shared_data

MINE = [name for name in EXPERIMENTS if name.startswith("multiplicity-")]


@pytest.mark.parametrize("identifier", MINE)
def test_the_verdict_of_a_quick_run_holds_without_any_data_from_outside(identifier: str, tmp_path: Path) -> None:
    outcome = quick(identifier)
    assert outcome.verdict.holds, outcome.verdict.sentence
    assert outcome.table.rows
    assert all(math.isfinite(number) for number in outcome.verdict.numbers.values())
    check_figure(identifier, tmp_path)


def test_every_figure_and_the_table_are_there() -> None:
    figures = {f"multiplicity-fig{number}" for number in range(1, 9)}
    assert figures | {"multiplicity-table1", "multiplicity-real"} == set(MINE)


def test_a_number_that_is_off_in_its_last_digit_fails_the_verdict() -> None:
    assert agreement({"x": (0.91731, 0.9173, 4)}, "").holds
    failed = agreement({"x": (0.91736, 0.9173, 4), "y": (1.0, 1.0, 0)}, "Words.")
    assert not failed.holds
    assert failed.sentence == "1 of 2 numbers are as expected, to the last digit. Not so: x. Words."
    assert not agreement({"x": (0.91731, 0.9173, 4)}, "", also=False).holds


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
    shared_data("imagenetv2")
    sentence = experiment_named("multiplicity-fig4").run(Conditions()).verdict.sentence
    assert "ImageNet, 67 published models): mean correlation of two 0.593" in sentence


def test_a_fixed_and_a_random_reference_differ_as_the_paper_does_not_say() -> None:
    numbers = quick("multiplicity-fig5").verdict.numbers
    assert numbers["failures at the upper limit, fixed"] == 248
    assert numbers["failures at the upper limit, random"] == 238
    assert numbers["failures at the upper limit, independent"] == 236


def test_the_distance_to_a_simulation_notices_a_wrong_distribution() -> None:
    best = running_example()
    simulated = best.simulate(np.random.default_rng(1), 3000)
    assert largest_distance(simulated, best) <= tolerated_distance(3000)
    assert largest_distance(simulated + 1, best) > tolerated_distance(3000)


@pytest.mark.parametrize("weakest", [0.8, 0.85])
def test_beyond_the_largest_correlation_there_is_no_such_classifier(weakest: float) -> None:
    largest = fig8.largest_correlation(weakest)
    lb.sota(test_size=3000, accuracies=[weakest, 0.9], correlation=largest - 1e-6, reference_accuracy=0.9)
    with pytest.raises(lb.ParameterError, match="must lie between"):
        lb.sota(test_size=3000, accuracies=[weakest, 0.9], correlation=largest + 1e-3, reference_accuracy=0.9)


def test_the_luck_of_real_boards_is_mostly_removed() -> None:
    numbers = quick("multiplicity-real").verdict.numbers
    before, after = (numbers[f"digits, 120 models of 30 teams: luck {when}"] for when in ("before", "after"))
    # Test sets of 120 items, 60 of them: standard errors of both means are about .0018; the gap is 6 of them.
    assert before > 0.006
    assert abs(after) < 0.0075
