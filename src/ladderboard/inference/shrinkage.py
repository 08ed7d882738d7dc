"""The true best of a board, from its scores and the size of the test set alone."""

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.inference.checks import check_count, check_shares
from ladderboard.inference.multiplicity.best_score import BestScore
from ladderboard.inference.multiplicity.independent_classifiers import adjusted_interval
from ladderboard.inference.multiplicity.similarity import admissible_accuracies
from ladderboard.inference.multiplicity.sota import sota

Method = Literal["cropped", "james_stein"]

BISECTIONS = 16
FEWEST = 4
"""James and Stein need more than three scores."""


@dataclass(frozen=True, eq=False)
class ShrunkBoard:
    """A board's scores, observed and shrunk."""

    test_size: int
    method: Method
    scores: FloatArray = field(repr=False)
    estimates: FloatArray = field(repr=False)
    """One for each score, in the same order."""
    correlation: float = 0.0

    @property
    def observed(self) -> float:
        """The best score on the board."""
        return float(self.scores.max())

    @property
    def true_best(self) -> float:
        """The estimate of the true accuracy of the best classifier."""
        return float(self.estimates.max())

    @property
    def luck(self) -> float:
        """By how much the best score is estimated to be too good."""
        return self.observed - self.true_best

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Where the true accuracy of the best classifier lies, whatever those of the others are: exact, conservative.

        The best score is no higher, in distribution, than if all m classifiers were as good as the best and
        independent, and no lower than the best classifier's own. Both sides by the binomial distribution.
        """
        low, _ = adjusted_interval(
            self.observed, classifiers=len(self.scores), test_size=self.test_size, confidence=confidence
        )
        _, high = adjusted_interval(self.observed, classifiers=1, test_size=self.test_size, confidence=confidence)
        return low, high

    def best_score(self) -> BestScore:
        """What the best score would be on another test set, were the estimates the truth."""
        return _best_score(self.estimates, self.test_size, self.correlation)

    def sentence(self, *, confidence: float = 0.95) -> str:
        """Describe the board in plain words."""
        low, high = self.interval(confidence)
        return (
            f"The best of {len(self.scores)} scores on {self.test_size} test items is {100 * self.observed:.2f} %; "
            f"about {100 * self.luck:.2f} percentage points of it are luck. The best classifier is truly "
            f"{100 * self.true_best:.2f} % correct ({100 * low:.2f} % to {100 * high:.2f} % with "
            f"{100 * confidence:g} % confidence)."
        )


def shrink_board(
    scores: npt.ArrayLike, *, test_size: int, method: Method = "cropped", correlation: float = 0.0
) -> ShrunkBoard:
    """Shrink a board's scores to correct for luck.

    Parameters
    ----------
    scores
        Shares of right answers, one for each classifier.
    test_size
        n, the number of items they were all scored on.
    method
        ``"cropped"``: the scores, cut off at the accuracy with which the expected best score is the observed one (never
        below their mean); robust, the default. ``"james_stein"``: every score drawn towards the mean by the factor
        1 − (m−3)σ²/Σ(x−x̄)², at least 0, on the scale x = asin √score where σ² = 1/(4n) for all; best where the true
        accuracies are about normally spread, poor where one classifier stands out or many are hopeless.
    correlation
        ρ₀ of each classifier with a common reference, as in `sota`; errors that all share move no difference, so that
        σ² is 1 − ρ₀² of the binomial one. For ``"cropped"`` classifiers too weak to have this correlation are left out
        of the search.

    Reference
    ---------
    James & Stein 1961; Efron & Morris 1975 for proportions. Cropping: Møllersen & Holsbø 2023 (arXiv 2303.07272).

    >>> board = shrink_board([0.80, 0.81, 0.79, 0.82, 0.80, 0.78, 0.81], test_size=500)
    >>> round(board.observed, 3), round(board.true_best, 3)
    (0.82, 0.801)
    """
    shares, n = check_shares(scores, "scores"), check_count(test_size, "test_size")
    if not 0 <= correlation < 1:
        raise ParameterError(f"correlation is {correlation}; it must be at least 0 and below 1")
    if method not in get_args(Method):
        raise ParameterError(f"method is {method!r}; it must be one of {', '.join(get_args(Method))}")
    estimates = _james_stein(shares, n, correlation) if method == "james_stein" else _crop(shares, n, correlation)
    return ShrunkBoard(n, method, shares, estimates, correlation)


def _james_stein(scores: FloatArray, n: int, correlation: float) -> FloatArray:
    if len(scores) < FEWEST:
        raise ParameterError(f"{len(scores)} scores; shrinking them by James and Stein needs at least {FEWEST}")
    x = np.arcsin(np.sqrt(scores))
    scatter = float(np.square(x - x.mean()).sum())
    noise = (1 - correlation**2) / (4 * n)
    weight = max(0.0, 1 - (len(x) - 3) * noise / scatter) if scatter > 0 else 0.0
    return np.asarray(np.square(np.sin(x.mean() + weight * (x - x.mean()))))


def _crop(scores: FloatArray, n: int, correlation: float) -> FloatArray:
    low, high = float(scores.mean()), float(scores.max())
    if low == high or _best_score(np.minimum(scores, low), n, correlation).mean >= high:
        return np.minimum(scores, low)
    for _ in range(BISECTIONS):
        level = (low + high) / 2
        expected = _best_score(np.minimum(scores, level), n, correlation).mean
        low, high = (level, high) if expected < scores.max() else (low, level)
    return np.minimum(scores, (low + high) / 2)


def _best_score(accuracies: FloatArray, n: int, correlation: float) -> BestScore:
    best = float(accuracies.max())
    if correlation == 0 or best == 1:
        return sota(test_size=n, accuracies=accuracies)
    weakest, _ = admissible_accuracies(correlation, best)
    # A hair above the weakest, which rounding may otherwise put just outside.
    return sota(test_size=n, accuracies=accuracies[accuracies >= weakest * (1 + 1e-9)], correlation=correlation)
