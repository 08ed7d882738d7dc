import itertools
import math

import numpy as np
import pytest
from scipy import optimize
from scipy.stats import norm

from ladderboard.core import bounds
from ladderboard.core.errors import ParameterError
from ladderboard.core.records import State
from ladderboard.mechanisms.spending_ladder import SpendingLadder
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey


def test_theorem_3_1_is_the_papers_formula() -> None:
    # exp(−2·.04·n + 12·log(4·1000/.1) + 1), worked by hand for n = 1600: −128 + 127.1598… + 1 = .1598 → at most 1.
    by_hand = -2 * 0.2**2 * 1700 + 12 * math.log(40_000) + 1
    found = bounds.ladder_failure_probability(epsilon=0.2, step=0.1, n=1700, k=1000)
    assert found == pytest.approx(math.exp(by_hand))
    assert bounds.ladder_failure_probability(epsilon=0.2, step=0.1, n=1600, k=1000) == 1.0


@pytest.mark.parametrize(("n", "k", "step"), [(500, 10, 0.05), (4000, 1000, 0.02), (10**6, 10**6, 0.01)])
def test_epsilon_is_the_inverse_of_the_probability(n: int, k: int, step: float) -> None:
    epsilon = bounds.ladder_epsilon(step=step, n=n, k=k, delta=0.05)
    assert bounds.ladder_failure_probability(epsilon=epsilon, step=step, n=n, k=k) == pytest.approx(0.05)


@pytest.mark.parametrize(("n", "k"), [(209, 1), (4000, 1000), (10**6, 10**5)])
def test_the_best_step_agrees_with_scipys_minimiser(n: int, k: int) -> None:
    peer = optimize.minimize_scalar(
        lambda step: bounds.ladder_error(step=step, n=n, k=k),
        bounds=(1e-5, 1),
        method="bounded",
        options={"xatol": 1e-9},
    )
    ours = bounds.best_step(n=n, k=k)
    assert bounds.ladder_error(step=ours, n=n, k=k) <= peer.fun + 1e-9
    assert ours == pytest.approx(peer.x, rel=1e-3)


def test_the_best_step_shrinks_like_the_cube_root_of_the_rate() -> None:
    ratios = [bounds.best_step(n=n, k=1000) / bounds.ladder_rate(n=n, k=1000) for n in (10**5, 10**6, 10**7)]
    assert max(ratios) / min(ratios) < 1.1


def test_the_largest_number_of_submissions_inverts_the_error() -> None:
    n, error = 4000, 0.22
    k = bounds.largest_submissions(error=error, n=n)
    assert bounds.ladder_error(step=bounds.best_step(n=n, k=k), n=n, k=k) <= error
    more = int(k * 1.01) + 1
    assert bounds.ladder_error(step=bounds.best_step(n=n, k=more), n=n, k=more) > error
    assert bounds.largest_submissions(error=0.01, n=100) == 0


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_few_submissions_are_counted_exactly(k: int) -> None:
    here, more = (bounds.ladder_error(step=bounds.best_step(n=4000, k=one), n=4000, k=one) for one in (k, k + 1))
    assert bounds.largest_submissions(error=(here + more) / 2, n=4000) == k


def test_hoeffding_covers_scores_that_were_fixed_in_advance() -> None:
    # 2k·exp(−2ε²n) = δ at the returned ε.
    epsilon = bounds.hoeffding_epsilon(n=4000, k=1000, delta=0.05)
    assert 2 * 1000 * math.exp(-2 * epsilon**2 * 4000) == pytest.approx(0.05)


def test_the_rates_are_those_of_the_theorems() -> None:
    assert bounds.lower_bound_rate(n=4000, k=10_000) == pytest.approx(0.04798, abs=1e-5)  # √(log k/n) = .048
    assert bounds.submissions_order(n=4000, epsilon=0.1) == pytest.approx(math.exp(4) / 4000)


def test_leakage_counts_which_attempts_were_accepted_and_what_was_released() -> None:
    # t = 4, A = 2, V = 8: log2 6 + 2·3 + log2 4 + log2(3·4).
    assert bounds.leakage_bits(4, 2, 8) == pytest.approx(math.log2(6) + 6 + 2 + math.log2(12))
    assert bounds.leakage_bits(10**6, 0, 1000) == pytest.approx(math.log2(10**6) + 1)


def test_the_overfit_bound_scales_with_the_metrics_width_and_needs_one() -> None:
    bits = 20.0
    bound = bounds.overfit_bound(bits, 1000)
    assert bound == pytest.approx(math.sqrt((bits * math.log(2) + math.log(40)) / 2000))
    assert bounds.overfit_bound(bits, 1000, (-1.0, 1.0)) == pytest.approx(2 * (bound or 0))
    assert bounds.overfit_bound(bits, 1000, (0.0, math.inf)) is None


@pytest.mark.parametrize("bad", [{"n": 0}, {"k": 0}, {"delta": 0.0}, {"delta": 1.0}])
def test_impossible_arguments_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=next(iter(bad))):
        bounds.best_step(**{"n": 100, "k": 10, **bad})


@pytest.mark.parametrize(
    ("epsilon", "step", "named"), [(0.0, 0.1, "epsilon"), (-0.1, 0.1, "epsilon"), (0.1, 0.0, "step")]
)
def test_a_tolerance_that_is_not_positive_is_refused(epsilon: float, step: float, named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        bounds.ladder_failure_probability(epsilon=epsilon, step=step, n=1, k=1)
    assert bounds.ladder_failure_probability(epsilon=0.1, step=0.1, n=1, k=1) == 1.0  # one item, one submission


def test_answers_have_the_probability_that_each_has_given_those_before() -> None:
    # Krichevsky and Trofimov: after a yeses of t answers the next is yes with (a + ½)/(t + 1). Yes, yes, no: ½·¾·1/6.
    assert bounds.answers_probability(3, 2) == pytest.approx(1 / 2 * 3 / 4 * 1 / 6)
    total = sum(math.comb(7, yes) * bounds.answers_probability(7, yes) for yes in range(8))
    assert total == pytest.approx(1.0)


def test_the_order_of_submissions_is_a_number_also_where_it_is_huge() -> None:
    assert math.isfinite(bounds.submissions_order(n=10**9, epsilon=1.0))


def test_the_overfit_bound_holds_for_an_auc_with_few_positives() -> None:
    # Ten positives of 2,000: the AUC of scores without skill has a standard error of .09. The meter's bound may fail
    # with a probability of .05; measured, never. By the number of all items it would be .03, and fail in most draws.
    rng = np.random.default_rng(4)
    labels = np.arange(2000) < 10
    yardstick = AnswerKey(labels, METRICS["auc"]).yardstick
    bound = SpendingLadder().leakage(State(), yardstick).overfit_bound
    errors = [abs(METRICS["auc"].score(labels, rng.random(2000)) - 0.5) for _ in range(100)]
    assert bound is not None
    assert np.mean(np.array(errors) > bound) <= 0.05


def test_uneven_weights_and_groups_count_as_fewer_items() -> None:
    labels, weight, group = [0, 1] * 50, [1.0] * 99 + [99.0], np.arange(100) // 10
    error_rate, auc = METRICS["error_rate"], METRICS["auc"]
    assert AnswerKey(labels, error_rate).yardstick.hoeffding_units == 100
    assert AnswerKey(labels, error_rate, group=group).yardstick.hoeffding_units == 10
    weighted = AnswerKey(labels, error_rate, weight=weight).yardstick.hoeffding_units
    assert weighted == pytest.approx(198**2 / (99 + 99**2))
    assert AnswerKey(labels, auc).yardstick.hoeffding_units == 25  # 1/(1/50 + 1/50)


def test_no_overfit_bound_is_told_where_none_is_proven() -> None:
    yardstick = AnswerKey(np.arange(50.0), METRICS["pearson"]).yardstick
    told = SpendingLadder().leakage(State(attempts=3), yardstick)
    assert (told.bits is None, told.overfit_bound) == (False, None)


def test_more_accepts_than_attempts_are_refused() -> None:
    with pytest.raises(ParameterError, match="5 accepts of 2 attempts"):
        bounds.leakage_bits(2, 5, 10)


def test_the_rates_by_hand() -> None:
    assert bounds.ladder_rate(n=1000, k=100) == pytest.approx((5 * math.log(10) / 1000) ** (1 / 3))
    assert bounds.lower_bound_rate(n=1000, k=100) == pytest.approx(math.sqrt(2 * math.log(10) / 1000))
    assert bounds.submissions_order(n=1000, epsilon=0.2) == pytest.approx(math.exp(8) / 1000)


def test_a_union_over_all_transcripts_holds_for_an_analyst_that_adapts_to_every_answer() -> None:
    # 20 items, 6 submissions, answers in {0, .05, …, 1}: all scores are within the bound on all but 5 % of boards.
    rng, n, k = np.random.default_rng(3), 20, 6
    epsilon = bounds.transcripts_epsilon(n=n, k=k, values=n + 1)
    worst = []
    for _ in range(2000):
        labels, best, errors = rng.integers(0, 2, n), rng.integers(0, 2, n), []
        for _ in range(k):
            tried = best ^ (rng.random(n) < 0.2)
            errors.append(np.mean(tried != labels) - 0.5)
            best = tried if np.mean(tried != labels) < np.mean(best != labels) else best
        worst.append(np.abs(errors).max())
    # The share is at most .05; 2,000 boards exceed .075 by chance less than once in a million.
    assert np.mean(np.array(worst) > epsilon) <= 0.075


def test_the_union_over_transcripts_grows_with_the_root_of_the_submissions() -> None:
    one, hundred = (bounds.transcripts_epsilon(n=4000, k=k, values=2.0, delta=0.5) for k in (1, 100))
    assert hundred / one == pytest.approx(math.sqrt((100 * math.log(2) + math.log(4)) / (math.log(2) + math.log(4))))
    with pytest.raises(ParameterError, match="one of at least 2"):
        bounds.transcripts_epsilon(n=10, k=1, values=1)


def test_the_rates_of_other_papers_by_hand() -> None:
    k, n = math.e**7, 3**10
    # log k = 7 up to the rounding of k.
    assert bounds.rounds_rate(n=100, k=round(k), rounds=4) == pytest.approx(2 * 7 / 100, rel=1e-3)
    assert bounds.efficient_rate(n=n, k=32**5) == pytest.approx(32 * math.log(32**5) ** 0.6 / 81)
    first = math.log(1000) ** (3 / 7) * 5 ** (1 / 7) / n ** (2 / 7)
    second = (5 * math.log(1000) / n) ** 0.25
    assert bounds.private_rate(n=n, k=1000, log_domain=5.0) == pytest.approx(min(first, second))
    assert bounds.private_rate(n=n, k=1000, log_domain=1e6) < (1e6 * math.log(1000) / n) ** 0.25


def test_the_bound_of_noisy_answers_is_the_least_over_all_constants_of_the_transfer_theorem() -> None:
    # The theorem as printed, over a grid of c, d, β, δ and σ: never below what the search found, and close to it.
    n, k, delta = 1_000_000, 1000, 0.05
    found, least = bounds.noisy_error(n=n, k=k, delta=delta), math.inf
    for noise, failure, privacy in itertools.product(
        np.geomspace(3e-3, 3e-2, 30), np.geomspace(1e-7, 1e-4, 12), np.geomspace(1e-8, 1e-5, 12)
    ):
        spent = k / (2 * (n * noise) ** 2)
        epsilon = spent + 2 * math.sqrt(spent * math.log(1 / privacy))
        alpha = noise * norm.isf(failure / k / 2)
        for share in np.linspace(0.05, 0.95, 19):
            c, d = failure / (share * delta), privacy / ((1 - share) * delta)
            least = min(least, alpha + math.exp(epsilon) - 1 + c + 2 * d)
    assert found <= least <= 1.03 * found


def test_the_bound_of_noisy_answers_grows_with_the_fourth_root_of_their_number() -> None:
    few, many = (bounds.noisy_error(n=10**8, k=k) for k in (10**3, 10**7))
    assert 10 < many / few < 12
    assert bounds.noisy_error(n=100, k=100) == 1.0
    assert bounds.noisy_error(n=10**6, k=100, noise=0.001) > bounds.noisy_error(n=10**6, k=100)


def test_many_classes_protect_and_two_are_the_boosting_attack() -> None:
    two = bounds.multiclass_overfit(n=4000, k=400, classes=2)
    assert two == pytest.approx(norm.cdf(math.sqrt(0.1)) - 0.5)
    assert bounds.multiclass_overfit(n=4000, k=400, classes=1000) < two / 40
    assert bounds.multiclass_rate(n=100, k=400, classes=5) == 4.0
    assert bounds.multiclass_rate(n=10_000, k=100, classes=10) == pytest.approx(math.sqrt(math.log(10_000) / 1000))
    with pytest.raises(ParameterError, match="classes is 1"):
        bounds.multiclass_overfit(n=10, k=1, classes=1)
