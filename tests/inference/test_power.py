import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from ladderboard.core.records import Yardstick
from ladderboard.guard.holdout import Holdout
from ladderboard.guard.warnings import LowPowerWarning, estimate_entry_power
from ladderboard.inference.power import entry_power, mcnemar_power, normal_power
from ladderboard.mechanisms.ladder import Ladder
from ladderboard.mechanisms.spending_ladder import SpendingLadder
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.error_rate import ErrorRate
from ladderboard.metrics.mse import MeanSquaredError


def yardstick_of(minority: int, items: int) -> Yardstick:
    return AnswerKey([1] * minority + [0] * (items - minority), ErrorRate()).yardstick


def power_by_enumeration(units: int, baseline: float, candidate: float, alpha: float) -> float:
    """Sum over every table of repaired and broken items, p-values from SciPy's binomial distribution."""
    fewer = math.floor(units * baseline)
    power = 0.0
    for errors, chance in ((fewer, 1 - units * baseline % 1), (fewer + 1, units * baseline % 1)):
        if chance == 0:
            continue
        for repaired in range(1, errors + 1):
            broken = np.arange(units - errors + 1)
            passes = binom.sf(repaired - 1, repaired + broken, 0.5) <= alpha
            beside = binom.pmf(broken, units - errors, candidate)[passes].sum()
            power += chance * binom.pmf(repaired, errors, 1 - candidate) * beside
    return power


@pytest.mark.parametrize(("items", "baseline", "candidate", "stated"), [(200, 0.5, 0.4, 0.19), (500, 0.10, 0.07, 0.13)])
def test_the_stated_powers_of_the_witness_ladders_entry_test(
    items: int, baseline: float, candidate: float, stated: float
) -> None:
    # A third of the items are the gate.
    power = mcnemar_power(units=round(items / 3), baseline=baseline, candidate=candidate)
    assert power == pytest.approx(stated, abs=0.01)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.4, 0.9])  # at .5 the last digit of a p-value decides
@pytest.mark.parametrize(
    ("units", "baseline", "candidate"),
    [(100, 0.5, 0.4), (250, 0.1, 0.07), (7, 0.5, 0.1), (60, 0.3, 0.3), (40, 0.02, 0.0), (30, 0.9, 0.1)],
)
def test_the_exact_power_is_the_sum_over_all_tables(
    units: int, baseline: float, candidate: float, alpha: float
) -> None:
    expected = power_by_enumeration(units, baseline, candidate, alpha)
    assert mcnemar_power(units=units, baseline=baseline, candidate=candidate, alpha=alpha) == pytest.approx(expected)


def test_without_any_change_nothing_is_seen() -> None:
    assert mcnemar_power(units=100, baseline=0.0, candidate=0.0) == 0.0


def test_the_power_of_a_million_items_is_computed_in_the_same_way() -> None:
    # .3 → .2985: the test takes the difference for 1.638 standard errors, just below its critical value of 1.645. With
    # the baseline's errors fixed it varies less than the test believes.
    believed, own = (np.sqrt(v / 500_000) for v in (0.3 * 0.7015 + 0.7 * 0.2985, 0.2985 * 0.7015))
    expected = norm.cdf((0.0015 - norm.ppf(0.95) * believed) / own)
    assert mcnemar_power(units=500_000, baseline=0.3, candidate=0.2985) == pytest.approx(expected, abs=0.005)


def test_normal_power_is_one_half_where_the_improvement_is_the_critical_value() -> None:
    assert normal_power(improvement=norm.ppf(0.99), standard_error=1.0, alpha=0.01) == pytest.approx(0.5)
    assert normal_power(improvement=3.0, standard_error=1.0) == pytest.approx(norm.cdf(3 - 1.6448536))


def test_the_improvement_is_a_share_of_the_baselines_loss() -> None:
    power = entry_power(yardstick_of(100, 200), gate_share=0.5, improvement=0.2)
    assert power == mcnemar_power(units=100, baseline=0.5, candidate=0.4)


def test_scores_where_higher_is_better_are_measured_from_their_best_value() -> None:
    from ladderboard.metrics.auc import Auc

    yardstick = AnswerKey([0, 1] * 200, Auc()).yardstick
    # AUC .5 → .6 on half of the items, whose standard error is √2 times that of all.
    expected = normal_power(improvement=0.1, standard_error=yardstick.null_standard_error * np.sqrt(2))
    assert entry_power(yardstick, gate_share=0.5) == pytest.approx(expected)


def test_the_witness_ladder_asks_a_third_of_the_items_the_spending_ladder_all_and_the_ladder_none() -> None:
    baseline = AnswerKey([0, 1] * 100, ErrorRate()).baseline
    assert estimate_entry_power(WitnessLadder(), baseline) == mcnemar_power(units=67, baseline=0.5, candidate=0.4)
    assert estimate_entry_power(SpendingLadder(), baseline) == mcnemar_power(units=200, baseline=0.5, candidate=0.4)
    assert estimate_entry_power(Ladder(), baseline) is None


def test_squared_errors_use_the_normal_approximation() -> None:
    baseline = AnswerKey(np.random.default_rng(0).normal(size=800), MeanSquaredError()).baseline
    power = estimate_entry_power(SpendingLadder(), baseline)
    error = baseline.yardstick.null_standard_error
    assert power == normal_power(improvement=0.2 * baseline.score, standard_error=error)


def test_where_a_few_items_carry_all_of_the_loss_nothing_can_be_seen() -> None:
    labels = np.r_[np.random.default_rng(0).normal(size=300), 1000.0, -1000.0, 900.0]
    assert estimate_entry_power(WitnessLadder(), AnswerKey(labels, MeanSquaredError()).baseline) == 0.0
    with pytest.warns(LowPowerWarning, match="probability 0%"):
        holdout = Holdout(labels, "mse", path=":memory:", seed=1)
    assert not holdout.score(labels).accepted


@pytest.mark.filterwarnings("ignore::ladderboard.LowPowerWarning")
def test_a_perfect_entry_on_normal_labels_is_seen_although_few_items_carry_its_gain() -> None:
    # The squares of 540 normal labels have an effective support of about 180·9/105 = 15 in the gate.
    labels = np.random.default_rng(0).normal(size=540)
    assert (estimate_entry_power(WitnessLadder(), AnswerKey(labels, MeanSquaredError()).baseline) or 0) > 0
    assert Holdout(labels, "mse", path=":memory:", seed=1).score(labels).improved


@pytest.mark.claim
@pytest.mark.filterwarnings("ignore::ladderboard.LowPowerWarning")
@pytest.mark.parametrize(("items", "minority", "rate"), [(500, 50, 0.07), (750, 75, 0.07), (200, 100, 0.35)])
def test_the_real_guard_lets_in_a_weak_first_submission_as_often_as_computed(
    items: int, minority: int, rate: float
) -> None:
    # The power that took the baseline's errors for random was .20 at 500 items, where the guard accepts .12. 800 runs
    # have a standard error of at most .018: a band of ±.065 fails a right guard with probability below 1e-3.
    rng, runs = np.random.default_rng(5), 800
    labels = np.repeat([1, 0], [minority, items - minority])
    key, mechanism, accepted = AnswerKey(labels, ErrorRate()), WitnessLadder(), 0
    for run in range(runs):
        predictions = np.where(rng.random(items) < rate, 1 - labels, labels)
        state = mechanism.start(key.baseline, np.random.default_rng(run))
        candidate = key.evaluate(key.read(predictions), submission="first")
        accepted += mechanism.step(state, candidate, key.baseline, rng)[1].accepted
    computed = entry_power(key.yardstick, gate_share=1 / 3, improvement=1 - rate * items / minority)
    assert accepted / runs == pytest.approx(computed, abs=0.065)
