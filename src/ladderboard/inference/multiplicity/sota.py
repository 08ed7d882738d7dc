"""The best score of many classifiers on one test set, and how much of it is luck.

Reference
---------
Møllersen & Holsbø 2023, What is the state of the art? (arXiv 2303.07272).
"""

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import ParameterError
from ladderboard.inference.checks import check_count, check_shares
from ladderboard.inference.multiplicity.best_score import BestScore
from ladderboard.inference.multiplicity.dependence import DependentClassifiers, Reference
from ladderboard.inference.multiplicity.independent_classifiers import IndependentClassifiers
from ladderboard.inference.multiplicity.similarity import mean_correlation, reference_correlation


def sota(
    classifiers: int | None = None,
    test_size: int | None = None,
    accuracy: float | None = None,
    *,
    accuracies: npt.ArrayLike | None = None,
    reference_accuracy: float | None = None,
    correlation: float | None = None,
    similarity: float | None = None,
    reference: Reference = "fixed",
) -> BestScore:
    """Compute the distribution of the best score among classifiers of known true accuracy.

    Parameters
    ----------
    classifiers, test_size, accuracy
        m classifiers and n test items, both at least 1; the true accuracy of all of them, in [0, 1], or ``accuracies``.
    correlation
        ρ₀, the correlation of each classifier's right answers with those of a reference; none: independent.
    similarity
        Instead: the share of items that two classifiers both get right or wrong, for the correlation ρ and ρ₀ = √ρ.
    reference, reference_accuracy
        ``"fixed"``: exactly θ₀n right answers; ``"random"``: as on a fresh test set. Default θ₀: the best accuracy.

    Raises `ParameterError` where a number is out of range; for a correlation the message states the admissible range.

    >>> best = sota(classifiers=1000, test_size=3000, accuracy=0.9)
    >>> round(best.mean, 4), round(best.sd, 6), round(best.upper_limit(), 5)
    (0.9173, 0.001817, 0.92133)
    """
    if test_size is None:
        raise ParameterError("test_size, the number of test items, is missing")
    independent = _independent(classifiers, test_size, accuracy, accuracies)
    if correlation is None and similarity is None:
        if reference_accuracy is not None:
            raise ParameterError(
                "reference_accuracy has no effect without a correlation or similarity to the reference"
            )
        return independent
    return _dependent(independent, correlation, similarity, reference_accuracy, reference)


def _dependent(
    independent: IndependentClassifiers,
    correlation: float | None,
    similarity: float | None,
    reference_accuracy: float | None,
    reference: Reference,
) -> DependentClassifiers:
    if correlation is not None and similarity is not None:
        raise ParameterError("give correlation or similarity, not both")
    if correlation is None:
        if similarity is None:
            raise ParameterError(
                "reference_accuracy has no effect without a correlation or similarity to the reference"
            )
        pairwise = mean_correlation(similarity, independent.accuracies, independent.counts)
        correlation = reference_correlation(pairwise)
    return DependentClassifiers(
        test_size=independent.test_size,
        accuracies=independent.accuracies,
        counts=independent.counts,
        reference_accuracy=independent.true_best if reference_accuracy is None else reference_accuracy,
        correlation=correlation,
        reference=reference,
    )


def _independent(
    classifiers: int | None, test_size: int, accuracy: float | None, accuracies: npt.ArrayLike | None
) -> IndependentClassifiers:
    if (accuracy is None) == (accuracies is None):
        raise ParameterError("give either accuracy, the same for all classifiers, or accuracies, one for each")
    if accuracies is not None:
        shares = check_shares(accuracies, "accuracies")
        if classifiers is not None and check_count(classifiers, "classifiers") != len(shares):
            raise ParameterError(f"{len(shares)} accuracies for {classifiers} classifiers; leave one of the two out")
        return IndependentClassifiers.of(shares, test_size=test_size)
    assert accuracy is not None
    if np.ndim(accuracy):
        raise ParameterError("accuracy is one number; give a list of them as accuracies")
    if classifiers is None:
        raise ParameterError("classifiers, the number of classifiers of that accuracy, is missing")
    return IndependentClassifiers.identical(classifiers, test_size=test_size, accuracy=accuracy)
