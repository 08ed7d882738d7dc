"""The similarity of two classifiers: agreement, correlation, flip probabilities.

Notation: θ₀ → ``reference``, θ_j → ``accuracies``, ρ₀ → ``correlation`` of a reference's right answers with those of a
classifier, v = θ(1−θ).
"""

import math

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray

ROUNDING = 1e-12


def flip_probabilities(correlation: float, reference: float, accuracies: FloatArray) -> tuple[FloatArray, FloatArray]:
    """p(1→0) = (θ₀ − ρ₀√(v₀v_j) − θ₀θ_j)/θ₀ and p(0→1) = ((1−θ₀)θ_j − ρ₀√(v₀v_j))/(1−θ₀) for each accuracy.

    >>> [round(float(p[0]), 6) for p in flip_probabilities(0.6, 0.9, np.array([0.9]))]
    [0.04, 0.36]
    """
    joint = correlation * _spread(reference, accuracies)
    broken = (reference - joint - reference * accuracies) / reference
    repaired = ((1 - reference) * accuracies - joint) / (1 - reference)
    # At the ends of the admissible range rounding may leave a probability just outside [0, 1].
    return np.clip(broken, 0.0, 1.0), np.clip(repaired, 0.0, 1.0)


def correlation_range(reference: float, accuracies: FloatArray) -> tuple[float, float]:
    """The correlations that a reference can have with every one of the classifiers.

    >>> [round(end, 3) for end in correlation_range(0.9, np.array([0.8]))]
    [-0.167, 0.667]
    """
    spread = _spread(reference, accuracies)
    low = np.minimum(reference * accuracies, (1 - reference) * (1 - accuracies)) / spread
    high = np.minimum(reference * (1 - accuracies), (1 - reference) * accuracies) / spread
    return float(-low.min()), float(high.min())


def check_correlation(correlation: float, reference: float, accuracies: FloatArray) -> None:
    """Refuse a correlation with which some flip probability would leave [0, 1]."""
    if not 0 < reference < 1 or not ((accuracies > 0) & (accuracies < 1)).all():
        raise ParameterError("a classifier that is always right or always wrong has no correlation; leave it out")
    low, high = correlation_range(reference, accuracies)
    if low - ROUNDING <= correlation <= high + ROUNDING:
        return
    lowest, highest = float(accuracies.min()), float(accuracies.max())
    words = f"{lowest:g}" if lowest == highest else f"{lowest:g} to {highest:g}"
    raise ParameterError(
        f"correlation is {correlation:g}; with a reference of accuracy {reference:g} and classifiers of {words} it "
        f"must lie between {low:.4f} and {high:.4f}{_remedy(correlation, reference)}"
    )


def admissible_accuracies(correlation: float, reference: float) -> tuple[float, float]:
    """The accuracies with which a classifier can have a positive correlation ρ₀ with the reference.

    Their odds are within ρ₀² and 1/ρ₀² times the odds of the reference.

    >>> [round(end, 4) for end in admissible_accuracies(0.6, 0.9)]
    [0.7642, 0.9615]
    """
    odds, square = reference / (1 - reference), correlation**2
    return odds * square / (1 + odds * square), odds / (square + odds)


def _remedy(correlation: float, reference: float) -> str:
    if not 0 < correlation < 1:
        return ""
    lowest, highest = admissible_accuracies(correlation, reference)
    return f", or leave out the classifiers that are not between {lowest:.4f} and {highest:.4f}"


def correlation_from_similarity(similarity: float, accuracy: float) -> float:
    """The correlation ρ of two classifiers of accuracy p that are right or wrong together on a share of the items.

    similarity = p² + (1−p)² + 2ρp(1−p), solved for ρ. (The paper has .36 for this example, a slip.)

    >>> round(correlation_from_similarity(0.85, 0.756), 3)
    0.593
    """
    return mean_correlation(similarity, np.array([accuracy]), np.array([2.0]))


def mean_correlation(similarity: float, accuracies: FloatArray, counts: FloatArray) -> float:
    """`correlation_from_similarity` for the mean over all pairs of classifiers, ``counts`` of each accuracy."""
    if not 0 <= similarity <= 1:
        raise ParameterError(f"similarity is {similarity}; it must be a share between 0 and 1")
    if counts.sum() < 2:
        raise ParameterError("similarity is a property of pairs; there is one classifier only")
    spread = 2 * _mean_product(np.sqrt(accuracies * (1 - accuracies)), counts)
    if spread <= 0:
        raise ParameterError("classifiers that are always right or always wrong have no correlation")
    by_chance = _mean_product(accuracies, counts) + _mean_product(1 - accuracies, counts)
    return (similarity - by_chance) / spread


def reference_correlation(pairwise: float) -> float:
    """ρ₀ = √ρ: the correlation with a common reference that gives two classifiers the correlation ρ.

    >>> round(reference_correlation(0.593), 2)
    0.77
    """
    if not 0 <= pairwise <= 1:
        raise ParameterError(
            f"the similarity means a correlation of {pairwise:.4f} between two classifiers; a common reference can "
            f"only give them one between 0 and 1"
        )
    return math.sqrt(pairwise)


def _spread(reference: float, accuracies: FloatArray) -> FloatArray:
    return np.sqrt(reference * (1 - reference) * accuracies * (1 - accuracies))


def _mean_product(values: FloatArray, counts: FloatArray) -> float:
    """The mean of x_i·x_j over pairs i ≠ j."""
    m = counts.sum()
    return float(((counts @ values) ** 2 - counts @ np.square(values)) / (m * (m - 1)))
