"""Many independent classifiers on one test set: F(z) = 1 − ∏_j (1 − P_{z,j}), exact for m and n up to a million."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import FloatArray, IntArray
from ladderboard.inference.checks import check_confidence, check_count, check_shares
from ladderboard.inference.multiplicity.best_score import NEGLIGIBLE, BestScore, Support
from ladderboard.inference.multiplicity.binomial import (
    failures_cdf,
    failures_log_survival,
    failures_pmf,
    failures_survival,
)
from ladderboard.inference.multiplicity.condensation import condense, weighted_sum
from ladderboard.metrics._kernels.weights import row_blocks

Condition = Callable[[FloatArray], npt.NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class IndependentClassifiers(BestScore):
    """Classifiers whose failures are independent of each other, of one accuracy or of several.

    ``accuracies`` are distinct and ascending, each shared by ``counts`` classifiers: a board of m classifiers on n
    items has at most n + 1 different scores, so this stays small.

    Notation
    --------
    m → ``classifiers``; n → ``test_size``; θ_j → ``accuracies``; P_{z,j} = P(X_j ≤ z) with X_j ~ B(n, 1 − θ_j); Z the
    smallest X_j. The paper's "B(n, p−1)" is a slip for B(n, 1−p).

    Reference
    ---------
    Møllersen & Holsbø 2023, section 3 and "Non-identical, independent classifiers" (arXiv 2303.07272).

    >>> best = IndependentClassifiers.of(np.full(1000, 0.9), test_size=3000)
    >>> round(best.mean, 4), round(best.sd, 6)
    (0.9173, 0.001817)
    """

    test_size: int
    accuracies: FloatArray = field(repr=False)
    counts: FloatArray = field(repr=False)

    @classmethod
    def of(cls, accuracies: npt.ArrayLike, *, test_size: int) -> "IndependentClassifiers":
        """One classifier for each accuracy."""
        distinct, counts = np.unique(check_shares(accuracies, "accuracies"), return_counts=True)
        return cls(check_count(test_size, "test_size"), distinct, counts.astype(np.float64))

    @classmethod
    def identical(cls, classifiers: int, *, test_size: int, accuracy: float) -> "IndependentClassifiers":
        """``classifiers`` of one accuracy, without a list of them."""
        share = check_shares(accuracy, "accuracy")
        count = check_count(classifiers, "classifiers")
        return cls(check_count(test_size, "test_size"), share, np.array([float(count)]))

    @property
    def classifiers(self) -> int:
        return int(self.counts.sum())

    @property
    def true_best(self) -> float:
        return float(self.accuracies[-1])

    def cdf_at(self, failures: FloatArray) -> FloatArray:
        return np.asarray(0.0 - np.expm1(self.log_survival_at(failures)))

    def log_survival_at(self, failures: FloatArray) -> FloatArray:
        """log P(Z > z) = Σ_j log(1 − P_{z,j})."""
        found = np.empty(len(failures))
        for start, stop in row_blocks(len(failures), len(self.accuracies)):
            single = failures_log_survival(failures[start:stop, None], self.test_size, self.accuracies)
            found[start:stop] = weighted_sum(single, self.counts)
        return found

    def pmf_at(self, failures: FloatArray) -> FloatArray:
        """P(Z > z−1)·(1 − ∏_j (1 − h_j)), h_j = P(X_j = z | X_j ≥ z): no difference of nearly equal numbers."""
        found = np.empty(len(failures))
        for start, stop in row_blocks(len(failures), len(self.accuracies)):
            z = failures[start:stop, None]
            before = weighted_sum(failures_log_survival(z - 1, self.test_size, self.accuracies), self.counts)
            alive = np.maximum(failures_survival(z - 1, self.test_size, self.accuracies), np.finfo(np.float64).tiny)
            hazard = np.minimum(failures_pmf(z, self.test_size, self.accuracies) / alive, 1.0)
            with np.errstate(divide="ignore"):
                step = weighted_sum(np.log1p(-hazard), self.counts)
            found[start:stop] = np.exp(before) * (0.0 - np.expm1(step))
        return found

    @cached_property
    def support(self) -> Support:
        nodes = condense(*contenders(self.test_size, self.accuracies, self.counts))
        kept = IndependentClassifiers(self.test_size, *nodes)
        low = kept.first_failures(lambda z: kept.cdf_at(z) >= NEGLIGIBLE)
        high = kept.first_failures(lambda z: kept.log_survival_at(z) < np.log(NEGLIGIBLE))
        failures = np.arange(low, high + 1)
        log_survival = kept.log_survival_at(failures.astype(np.float64))
        return Support(failures, np.asarray(0.0 - np.expm1(log_survival)), np.exp(log_survival))

    def simulate(self, rng: np.random.Generator, runs: int) -> IntArray:
        each = np.repeat(1 - self.accuracies, self.counts.astype(np.intp))
        fewest = np.empty(runs, dtype=np.intp)
        for start, stop in row_blocks(runs, len(each)):
            fewest[start:stop] = rng.binomial(self.test_size, each, size=(stop - start, len(each))).min(axis=1)
        return fewest

    def describe(self) -> str:
        return describe_classifiers(self.accuracies, self.classifiers)

    def first_failures(self, holds: Condition) -> int:
        """The smallest z in 0..n for which a monotone condition holds, by bisection."""
        low, high = 0, self.test_size
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if holds(np.array([float(middle)]))[0] else (middle + 1, high)
        return low


def contenders(test_size: int, accuracies: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Leave out the classifiers too weak to be the best, which do not change Z's moments."""
    best = IndependentClassifiers(test_size, accuracies[-1:], counts[-1:])
    most = best.first_failures(lambda z: best.log_survival_at(z) < np.log(NEGLIGIBLE))
    kept = failures_cdf(most, test_size, accuracies) * counts.sum() > NEGLIGIBLE
    return accuracies[kept], counts[kept]


def describe_classifiers(accuracies: FloatArray, classifiers: int) -> str:
    """How many classifiers there are and how good they truly are."""
    if classifiers == 1:
        return f"1 classifier that is truly {100 * accuracies[0]:.2f} % correct"
    if len(accuracies) == 1:
        return f"{classifiers} classifiers that are all truly {100 * accuracies[0]:.2f} % correct"
    return f"{classifiers} classifiers that are truly {100 * accuracies[0]:.2f} to {100 * accuracies[-1]:.2f} % correct"


def adjusted_interval(
    score: float, *, classifiers: int, test_size: int, confidence: float = 0.95
) -> tuple[float, float]:
    """The accuracies that m equal, independent classifiers may truly have when the best of them scores ``score``.

    The exact interval that inverts F: at its lower end a score this high is reached with probability α/2, at its upper
    end a score this low. For one classifier it is the interval of Clopper & Pearson.

    >>> [round(end, 6) for end in adjusted_interval(0.9, classifiers=1, test_size=3000)]
    [0.888705, 0.910508]
    >>> [round(end, 4) for end in adjusted_interval(0.9, classifiers=1000, test_size=3000)]
    [0.8761, 0.8848]
    """
    from scipy.special import betaincinv

    n, m = check_count(test_size, "test_size"), check_count(classifiers, "classifiers")
    tail = (1 - check_confidence(confidence)) / 2
    x = round(n * (1 - float(check_shares(score, "score")[0])))
    # 1 − (1 − P)^m = tail and (1 − P)^m = tail, solved for the P of a single classifier.
    at_most, at_least = -np.expm1(np.log1p(-tail) / m), -np.expm1(np.log(tail) / m)
    low = 0.0 if x == n else float(betaincinv(n - x, x + 1, at_most))
    high = 1.0 if x == 0 else float(betaincinv(n - x + 1, x, at_least))
    return low, high
