"""Attacks by random vectors and step by step overfit by the figure that their docstrings state.

Every seed is fixed. The comment at each claim says how often a correct program would fail it with seeds drawn anew.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import norm

import ladderboard as lb
from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.attacks.best_of_n import BestOfN
from ladderboard_lab.attacks.boosting import Boosting
from ladderboard_lab.attacks.coordinate_probe import CoordinateProbe
from ladderboard_lab.attacks.hill_climb import HillClimb
from ladderboard_lab.attacks.ladder_aware_boosting import LadderAwareBoosting
from ladderboard_lab.attacks.multiclass import Multiclass
from ladderboard_lab.attacks.sybil import Sybil
from ladderboard_lab.attacks.weighted_boosting import WeightedBoosting
from tests.lab.attacks.attacked import attacked, coins, mean_board, mean_final


@pytest.mark.claim
@pytest.mark.parametrize(
    ("attack", "signal"), [(Boosting(), lambda k, n: k / (math.pi * n)), (WeightedBoosting(), lambda k, n: k / n)]
)
@pytest.mark.parametrize(("n", "k"), [(1000, 100), (1000, 400), (400, 800)])
def test_boosting_overfits_full_disclosure_by_its_formula(
    attack: Attack, signal: Callable[[int, int], float], n: int, k: int
) -> None:
    # The final vector's overfit has a standard deviation of about .5/√n; four standard errors of the mean over 5 runs,
    # and .01 for the approximation by a normal. False alarms: below 1 in 10,000.
    expected = float(ndtr(math.sqrt(signal(k, n)))) - 0.5
    measured = mean_final(attack, lb.FullDisclosure(), coins(n), k=k)
    assert abs(measured - expected) < 4 * 0.5 / math.sqrt(5 * n) + 0.01


@pytest.mark.claim
def test_boosting_gains_nothing_where_only_improvements_are_told() -> None:
    # Final vectors have a standard deviation of .5/√n = .0158; five of them average within four standard errors of 0.
    measured = mean_final(WeightedBoosting(), lb.WitnessLadder(), coins(1000), k=400)
    assert abs(measured) < 4 * 0.0158 / math.sqrt(5)


@pytest.mark.claim
def test_ladder_aware_boosting_shows_no_more_than_the_best_of_k() -> None:
    # SE₀√(2 ln k) bounds the expected maximum; its standard deviation is below SE₀/2, so the mean over 5 runs exceeds
    # the bound by .9·SE₀ with a probability below .1 %.
    n, k = 1000, 500
    se = 0.5 / math.sqrt(n)
    measured = mean_board(LadderAwareBoosting(), lb.ParameterFreeLadder(), coins(n), k=k)
    assert 0 < measured < se * math.sqrt(2 * math.log(k)) + 0.9 * se
    # What was accepted is better than chance, and so is its majority (a second look at the same vectors).
    assert mean_final(LadderAwareBoosting(), lb.FullDisclosure(), coins(n), k=k) > 2 * se


@pytest.mark.claim
@pytest.mark.parametrize("classes", [2, 5])
def test_best_of_n_shows_the_expected_maximum_of_n_normals(classes: int) -> None:
    # The maximum of 300 has a standard deviation of about .4·SE₀; four standard errors of the mean over 8 runs.
    n, k = 1000, 300
    se = math.sqrt(classes - 1) / (classes * math.sqrt(n))
    expected = se * quad(lambda x: x * k * norm.pdf(x) * norm.cdf(x) ** (k - 1), -8, 8)[0]
    measured = mean_board(BestOfN(), lb.FullDisclosure(), coins(n, classes=classes), k=k, seeds=range(8))
    assert abs(measured - expected) < 4 * 0.4 * se / math.sqrt(8)
    assert measured < se * math.sqrt(2 * math.log(k)) + 4 * 0.4 * se / math.sqrt(8)


@pytest.mark.claim
@pytest.mark.parametrize(("classes", "k"), [(3, 600), (10, 2000)])
def test_multiclass_boosting_overfits_full_disclosure_by_its_integral(classes: int, k: int) -> None:
    # As for boosting: four standard errors of the mean over 2 runs (sd below .5/√n), and .01 for the approximation.
    n, m = 500, classes
    measured = mean_final(Multiclass(), lb.FullDisclosure(), coins(n, classes=m), k=k, seeds=range(2))
    assert abs(measured - lb.bounds.multiclass_overfit(n=n, k=k, classes=m)) < 4 * 0.5 / math.sqrt(2 * n) + 0.01
    assert measured > math.sqrt(k / (m**2 * n)) / 2


@pytest.mark.claim
def test_sybils_read_a_ladder_as_boosting_reads_full_disclosure() -> None:
    # Every first submission is an exact reading: Φ(√(M/n)) − ½; margin as for boosting.
    n, accounts = 1000, 500
    expected = float(ndtr(math.sqrt(accounts / n))) - 0.5
    measured = mean_final(Sybil(), lb.ParameterFreeLadder(), coins(n), k=accounts)
    assert abs(measured - expected) < 4 * 0.5 / math.sqrt(5 * n) + 0.01


@pytest.mark.claim
def test_sybils_break_instances_per_team_of_our_mechanisms_too() -> None:
    # A first entry passes by luck in up to 5 % of the accounts, and each is a reading. Measured .143 over 8 seeds with
    # a standard deviation of .034: four standard errors of the mean of 4 below that. False alarms: 1 in 30,000.
    n, accounts = 400, 1000
    measured = mean_final(Sybil(), lb.WitnessLadder(), coins(n), k=accounts, seeds=range(4))
    assert measured > 0.143 - 4 * 0.034 / 2


@pytest.mark.claim
@pytest.mark.parametrize("share", [0.25, 0.5, 2.0])
def test_the_pair_flip_climbs_the_parameter_free_ladder_by_its_formula(share: float) -> None:
    # w' = −2w²/n from w = ½ gives k/(2(n + k)). A run's standard deviation is at most .018 (measured over 8 seeds):
    # four standard errors of the mean over 3 runs. False alarms: 1 in 15,000.
    n, runs = 1000, 3
    k = round(share * n)
    measured = mean_board(HillClimb(flips=2), lb.ParameterFreeLadder(), coins(n), k=k, seeds=range(runs))
    assert abs(measured - k / (2 * (n + k))) < 4 * 0.018 / math.sqrt(runs)


@pytest.mark.claim
def test_full_disclosure_falls_to_the_pair_flip_as_fast_and_our_ladders_do_not() -> None:
    # Measured .33 against .0 to .03; the baseline's own luck is up to 2.5·.5/√n = .04 in one run of three hundred.
    n, k = 1000, 2000
    assert mean_board(HillClimb(), lb.FullDisclosure(), coins(n), k=k, seeds=range(1)) > 0.3
    for mechanism in (lb.SpendingLadder(), lb.WitnessLadder()):
        problem, participant, _ = attacked(HillClimb(), mechanism, coins(n), k=k, seed=1)
        assert participant.shown is not None
        assert problem.true_baseline_score() - participant.shown < 0.05


@pytest.mark.claim
def test_an_adaptive_flip_size_climbs_where_a_pair_is_too_small() -> None:
    # A step of .02 is 20 items of 1000: a pair never passes, a larger block now and then (4 of 4 seeds).
    n, k = 1000, 1000
    accepts = {}
    for flips in (2, None):
        _, participant, _ = attacked(HillClimb(flips), lb.Ladder(step_size=0.02), coins(n), k=k, seed=0)
        accepts[flips] = participant.board.leakage["attacker"].accepts
    assert accepts[2] == 1
    assert accepts[None] > 1


def test_the_coordinate_probe_reads_every_label_in_n_plus_one_queries() -> None:
    problem, participant, found = attacked(CoordinateProbe(), lb.FullDisclosure(), coins(300), k=301, seed=0)
    assert np.array_equal(found, problem.labels)
    assert participant.submissions == 301


def test_the_coordinate_probe_reads_nothing_where_only_improvements_are_told() -> None:
    problem, _, found = attacked(CoordinateProbe(), lb.WitnessLadder(), coins(300), k=301, seed=0)
    # Guesses: 150 ± 8.7 are right. Beyond 190 of 300 is 4.6 standard deviations.
    assert np.count_nonzero(found == problem.labels) < 190
