"""Classifiers that resemble a reference: the paper's numbers, special cases that are known, and simulation."""

import math

import numpy as np
import pytest
from scipy import stats

from ladderboard.core.errors import ParameterError
from ladderboard.inference.multiplicity.dependence import DependentClassifiers, Reference
from ladderboard.inference.multiplicity.similarity import (
    correlation_from_similarity,
    correlation_range,
    flip_probabilities,
    mean_correlation,
    reference_correlation,
)
from ladderboard.inference.multiplicity.sota import sota


def dependent(reference: Reference, **changes: float) -> DependentClassifiers:
    settings = {"classifiers": 1000, "test_size": 3000, "accuracy": 0.9, "correlation": 0.6, **changes}
    best = sota(**settings, reference=reference)  # type: ignore[arg-type]
    assert isinstance(best, DependentClassifiers)
    return best


def test_a_fixed_reference_moves_the_limit_to_248_failures() -> None:
    best = dependent("fixed")
    assert best.quantile(0.025) == 248
    assert round(best.upper_limit(), 5) == 0.91733
    assert (round(best.mean, 5), round(best.sd, 6)) == (0.91397, 0.001485)


def test_a_random_reference_moves_it_to_238_only() -> None:
    best = dependent("random")
    assert best.quantile(0.025) == 238
    assert best.mean == pytest.approx(dependent("fixed").mean, abs=2e-6)
    assert best.sd > 2 * dependent("fixed").sd


@pytest.mark.parametrize("reference", ["fixed", "random"])
def test_without_correlation_it_is_the_independent_case(reference: Reference) -> None:
    alike, independent = dependent(reference, correlation=0.0), sota(1000, 3000, 0.9)
    z = np.arange(170, 300)  # F runs from 1e-16 to 1
    np.testing.assert_allclose(alike.cdf(z), independent.cdf(z), rtol=1e-9)
    np.testing.assert_allclose(alike.pmf(z), independent.pmf(z), rtol=1e-9, atol=1e-300)
    assert alike.sd == pytest.approx(independent.sd, rel=1e-10)


def test_with_full_correlation_all_are_the_reference() -> None:
    fixed, random = dependent("fixed", correlation=1.0), dependent("random", correlation=1.0)
    assert fixed.mean == pytest.approx(0.9)
    assert fixed.sd == pytest.approx(0, abs=1e-12)
    z = np.arange(220, 380)
    np.testing.assert_allclose(random.pmf(z), stats.binom(3000, 0.1).pmf(z), rtol=1e-8)


def test_one_classifier_is_binomial_whatever_its_reference() -> None:
    # Marginally over a random reference every classifier keeps its own accuracy: B(n, 1 − θ).
    best = sota(1, 500, 0.8, reference_accuracy=0.9, correlation=0.5, reference="random")
    z = np.arange(50, 160)
    np.testing.assert_allclose(best.pmf(z), stats.binom(500, 0.2).pmf(z), rtol=1e-9)


def test_a_strided_mixture_over_many_references_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    strided = dependent("random", test_size=20_000)
    mean, sd = strided.mean, strided.sd
    assert strided._stride() > 1
    monkeypatch.setattr(DependentClassifiers, "_stride", lambda _: 1)
    whole = dependent("random", test_size=20_000)
    assert mean == pytest.approx(whole.mean, rel=1e-12)
    assert sd == pytest.approx(whole.sd, rel=1e-10)
    z = whole.support.failures[whole.support.cdf > 1e-15]
    np.testing.assert_allclose(strided.cdf(z), whole.cdf(z), rtol=1e-9)


@pytest.mark.parametrize("reference", ["fixed", "random"])
def test_condensed_accuracies_give_the_same_as_all_of_them(
    reference: Reference, monkeypatch: pytest.MonkeyPatch
) -> None:
    accuracies = np.linspace(0.8, 0.85, 150)
    condensed = sota(test_size=200, accuracies=accuracies, correlation=0.5, reference=reference)
    mean, sd = condensed.mean, condensed.sd
    monkeypatch.setattr("ladderboard.inference.multiplicity.condensation.NODES", 1000)
    direct = sota(test_size=200, accuracies=accuracies, correlation=0.5, reference=reference)
    assert mean == pytest.approx(direct.mean, rel=1e-12)
    assert sd == pytest.approx(direct.sd, rel=1e-10)


@pytest.mark.claim
@pytest.mark.parametrize("reference", ["fixed", "random"])
def test_simulation_agrees_with_the_exact_mixture(reference: Reference) -> None:
    # 20,000 boards with several accuracies; the mean within 4 standard errors, the sd within 4 of its own (about
    # sd/√(2·runs), a little more for a skew Z): false alarms 1 in 8,000.
    best = sota(
        test_size=600,
        accuracies=np.repeat([0.7, 0.75, 0.78], [20, 30, 10]),
        reference_accuracy=0.8,
        correlation=0.6,
        reference=reference,
    )
    fewest = best.simulate(np.random.default_rng(13), 20_000)
    assert fewest.mean() == pytest.approx(best.mean_failures, abs=4 * best.sd_failures / math.sqrt(20_000))
    assert fewest.std() == pytest.approx(best.sd_failures, rel=4 * 1.2 / math.sqrt(40_000))


@pytest.mark.claim
def test_flips_leave_every_classifier_its_accuracy_and_its_correlation() -> None:
    # 400,000 items: shares within 4 standard errors (.003), the correlation within 4/√n (.0063): 1 in 8,000.
    rng, n = np.random.default_rng(17), 400_000
    broken, repaired = flip_probabilities(0.4, 0.7, np.array([0.8]))
    right = rng.random(n) < 0.7
    flipped = np.where(right, rng.random(n) < broken[0], rng.random(n) < repaired[0])
    answers = right ^ flipped
    assert answers.mean() == pytest.approx(0.8, abs=0.003)
    assert np.corrcoef(right, answers)[0, 1] == pytest.approx(0.4, abs=0.0063)


def test_similarity_becomes_the_correlation_that_pairs_really_have() -> None:
    assert round(correlation_from_similarity(0.85, 0.756), 3) == 0.593  # the paper says .36
    assert round(reference_correlation(correlation_from_similarity(0.85, 0.756)), 2) == 0.77
    best = sota(100, 1000, 0.756, similarity=0.85, reference="random")
    assert isinstance(best, DependentClassifiers)
    assert best.correlation == pytest.approx(math.sqrt(0.5934), abs=5e-5)
    assert best.pairwise_correlation == pytest.approx(0.5934, abs=5e-5)


def test_the_mean_similarity_of_unequal_classifiers_is_inverted_exactly() -> None:
    accuracies, rho = np.array([0.6, 0.7, 0.9]), 0.3
    pairs = [(a, b) for i, a in enumerate(accuracies) for b in accuracies[i + 1 :]]
    similar = [a * b + (1 - a) * (1 - b) + 2 * rho * math.sqrt(a * (1 - a) * b * (1 - b)) for a, b in pairs]
    assert mean_correlation(float(np.mean(similar)), accuracies, np.ones(3)) == pytest.approx(rho)


def test_an_impossible_correlation_is_refused_with_the_range_that_is_possible() -> None:
    low, high = correlation_range(0.9, np.array([0.8]))
    sota(10, 100, 0.8, reference_accuracy=0.9, correlation=high)
    sota(10, 100, 0.8, reference_accuracy=0.9, correlation=low)
    with pytest.raises(ParameterError, match=r"correlation is 0\.7; .* between -0\.1667 and 0\.6667"):
        sota(10, 100, 0.8, reference_accuracy=0.9, correlation=0.7)
    with pytest.raises(ParameterError, match=r"leave out the classifiers that are not between 0\.7642 and 0\.9615"):
        sota(test_size=100, accuracies=[0.7, 0.9], correlation=0.6)


def test_the_classifiers_named_as_admissible_are_admitted() -> None:
    sota(test_size=100, accuracies=[0.7643, 0.9], reference_accuracy=0.9, correlation=0.6)
    sota(test_size=100, accuracies=[0.9, 0.9614], reference_accuracy=0.9, correlation=0.6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"correlation": 0.2, "similarity": 0.8}, "not both"),
        ({"correlation": 0.2, "reference": "loose"}, "must be 'fixed' or 'random'"),
        ({"correlation": 0.2, "reference_accuracy": 1.0}, "has no correlation"),
        ({"correlation": float("nan")}, "correlation is nan"),
        ({"similarity": 1.2}, "similarity is 1.2"),
        ({"similarity": 0.1}, "between two classifiers"),
    ],
)
def test_contradictory_dependence_is_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        sota(10, 100, 0.9, **settings)  # type: ignore[arg-type]


def test_the_sentence_names_the_reference() -> None:
    assert "correlation 0.6 with a fixed reference of 90.00 %" in dependent("fixed").sentence()
