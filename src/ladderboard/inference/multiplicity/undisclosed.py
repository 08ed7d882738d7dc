"""The gain from trying N variants of a system in private and showing only the best of them.

N variants that are truly equally good differ on a test set by luck. The one that is shown looks better than it is by
the expected largest error, σ·√(1 − ρ)·E max of N standard normals, where σ is the standard error of a score and ρ the
correlation of two variants' errors; nobody else can see that from the board.

Reference
---------
Singh et al. 2025, The Leaderboard Illusion (arXiv 2504.20879): private testing of many variants on one arena.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ladderboard.inference.checks import check_count
from ladderboard.inference.covariance import GroupLabels, paired_means


@dataclass(frozen=True)
class HiddenVariants:
    """The worth of a hidden best of N, in units of the score."""

    variants: int
    worth: float
    """By how much the shown one looks too good, where variants are as alike as assumed."""
    most: float
    """The same where variants err independently of each other."""
    lead: float | None = None
    """Of the best system over the next one on the board; None: there is no board."""

    @property
    def explains_lead(self) -> bool:
        """The lead is no larger than what hiding variants is worth."""
        return self.lead is not None and self.lead <= self.worth

    def sentence(self, format_amount: Callable[[float], str]) -> str:
        """The finding in plain words."""
        words = (
            f"Showing only the best of {self.variants} equally good variants adds {format_amount(self.worth)} to a "
            f"score, at most {format_amount(self.most)} if the variants fail independently."
        )
        if self.lead is None:
            return words
        verdict = "no more than that" if self.explains_lead else "more than that"
        return f"{words} The lead over the next system, {format_amount(self.lead)}, is {verdict}."


def expected_maximum(count: int) -> float:
    """E max of ``count`` independent standard normals, from ∫ 1 − Φᴺ above 0 less ∫ Φᴺ below.

    >>> [round(expected_maximum(count), 4) for count in (1, 2, 27, 1000)]
    [0.0, 0.5642, 1.9983, 3.2414]
    """
    from scipy.special import log_ndtr

    grid, step = np.linspace(0.0, 12.0, 12_001, retstep=True)
    above, below = (np.exp(check_count(count, "variants") * log_ndtr(side)) for side in (grid, -grid))
    integrand = 1 - above - below
    return float(integrand.sum() - (integrand[0] + integrand[-1]) / 2) * float(step) + 0.0  # the trapezoidal rule


def worth_of_hidden(
    loss_matrix: Any, variants: int, *, groups: GroupLabels | None = None, similarity: float | None = None
) -> HiddenVariants:
    """Estimate what a hidden best of N would be worth to the winner of a board.

    Variants are taken to be as alike as the winner and the other systems are on average (the mean correlation of their
    losses, at least 0); ``similarity`` gives another correlation.

    >>> rng = np.random.default_rng(1)
    >>> found = worth_of_hidden(rng.normal(size=(400, 5)) + rng.normal(size=(400, 1)), 27)
    >>> round(found.worth, 2), round(found.most, 2)
    (0.1, 0.14)
    """
    paired = paired_means(loss_matrix, groups=groups)
    order = np.argsort(paired.means, kind="stable")
    winner, error = int(order[0]), float(np.sqrt(paired.variances[order[0]]))
    unit = expected_maximum(variants) * error
    correlation = _mean_correlation(paired.covariance, winner) if similarity is None else similarity
    lead = float(paired.means[order[1]] - paired.means[winner]) if len(order) > 1 else None
    return HiddenVariants(variants, unit * float(np.sqrt(1 - min(max(correlation, 0.0), 1.0))), unit, lead)


def _mean_correlation(covariance: Any, winner: int) -> float:
    spread = np.sqrt(np.diag(covariance))
    others = np.flatnonzero((np.arange(len(spread)) != winner) & (spread > 0))
    if not len(others) or spread[winner] == 0:
        return 0.0
    return float(np.mean(covariance[others, winner] / (spread[others] * spread[winner])))
