"""The winner's true loss, corrected for selection.

Notation
--------
Y → the winner's mean loss, N(μ, σ²); L, U → the limits between which Y could have moved, the rest of the data being
as it is, without another system winning; c_β → the (1−β)-quantile of the largest |error| of all systems in their
standard errors, β = α/10; F → the distribution of Y cut to [L, U] ∩ [μ − c_β σ, μ + c_β σ]. The ends of the interval
solve F(Y; μ) = 1 − a/2 and a/2 with a = (α−β)/(1−β). The value is Y plus the expected luck (`luck.py`).

Guarantee
---------
For independent items, or groups of items, as their number grows: the interval covers with at least 1 − α and lies
inside the projection interval Y ± c_β σ. The value has no theorem; docs/theory/winner.md measures its error against
that of Y over all gaps between the first two.

How large n must be depends on the losses' skewness: of few items the winner is often one whom the rare large losses
have missed. Where the median skewness of the systems is above √n/10 the estimate says `is_rough`, and covers less
often (docs/theory/winner.md has a table). No interval can tell of losses that none of the items had.

Departures
----------
0/1 losses, and means of a few runs that fail or not, are treated on the angular scale, whose standard error does not
shrink with luck. Ties go to the first column, and where mean losses lie on a lattice (0/1 losses: multiples of 1/n, of
k runs 1/(kn)) the limits lie half a step beyond: the winner is at least as good as those after it and one step better
than those before it. A winner with no failure at all keeps its value, and the interval is the exact binomial one,
divided among the systems by Bonferroni. The paper's own point estimate, F(Y; μ) = 1/2, has 1.2 to 1.8 times the error
of Y on near-ties and is not used; where a near-tie would leave the value outside of the interval, the interval is
extended to it.

Reference
---------
Andrews, Kitagawa & McCloskey 2024, Inference on Winners, Quarterly Journal of Economics 139(1): the hybrid
interval.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.inference.checks import check_confidence
from ladderboard.inference.contrasts import compute_root, make_generator, tail_count
from ladderboard.inference.covariance import GroupLabels, PairedMeans, SystemMeans, paired_means
from ladderboard.inference.luck import estimate_luck
from ladderboard.inference.selection import Selection, few_groups_factor, find_selection
from ladderboard.inference.truncated_normal import truncated_cdf

REPLICATES = 20_000
"""Of the projection interval: its 99.5 % limit then rests on 100 draws."""
PROJECTION_SHARE = 10
_MOST_SKEWNESS = 0.1
"""Times √n, the skewness up to which the interval does what it says; see `winner_estimate`."""


@dataclass(frozen=True)
class WinnerEstimate:
    """The loss of a board's best system, before and after the correction for selection."""

    system: str
    column: int
    naive: float
    """The mean loss as observed: too good on average."""
    naive_interval: tuple[float, float]
    """± z standard errors around it; ignores the selection, for comparison only."""
    value: float
    """The corrected loss: the observed one plus the luck that a winner of this board is expected to have."""
    interval: tuple[float, float]
    confidence: float
    is_rough: bool = False
    """The losses are skewed and the items few: the interval covers less often than it says."""
    level_with: tuple[str, ...] = ()
    """Systems of the same mean loss; the first column is taken for the winner."""

    @property
    def luck(self) -> float:
        """How much of the observed loss was luck: value − naive."""
        return self.value - self.naive

    def describe_level(self) -> str:
        """Who else has the same score, after a blank; empty where nobody has.

        >>> winner_estimate([[0, 1], [1, 0], [1, 1]]).describe_level()
        ' (so has system 2; the first is taken)'
        """
        if not self.level_with:
            return ""
        count = len(self.level_with)
        who = f"{', '.join(self.level_with[:3])}{', …' if count > 3 else ''}"
        return f" ({'so has' if count == 1 else f'so have {count} more:'} {who}; the first is taken)"


def winner_estimate(
    loss_matrix: Any,
    confidence: float = 0.95,
    *,
    groups: GroupLabels | None = None,
    replicates: int = REPLICATES,
    seed: int | np.random.Generator = 0,
) -> WinnerEstimate:
    """Estimate the true loss of the system with the smallest mean loss, corrected for selection.

    Notation, guarantee, departures and reference: see the module's docstring.

    Parameters
    ----------
    loss_matrix
        Items × systems, lower is better: anything `numpy.asarray` takes. The first of several winners is taken.
    confidence
        1 − α, the probability with which the interval holds the winner's true mean loss.
    groups
        A label for each item whose items are not independent, as in `rank_ranges`.
    replicates, seed
        Of the simulated critical value of the projection interval; the seed is that of the expected luck, too.

    Examples
    --------
    >>> rng = np.random.default_rng(7)
    >>> board = rng.random((500, 20)) < 0.3  # twenty systems that are all equally good
    >>> winner = winner_estimate(board)
    >>> winner.naive, round(winner.value, 3), winner.interval[0] < 0.3 < winner.interval[1]
    (0.266, 0.294, True)
    """
    check_confidence(confidence)
    paired = paired_means(loss_matrix, groups=groups)
    column = int(paired.means.argmin())
    if paired.variances[column] == 0:
        return estimate_without_spread(paired, column, confidence)
    beta = (1 - confidence) / PROJECTION_SHARE
    luck = estimate_luck(paired.means, compute_root(paired.covariance), make_generator(seed))
    value = float(paired.means[column]) + luck
    selection = find_selection(paired, column)
    critical = projection_critical_value(paired, 1 - beta, replicates=replicates, rng=make_generator(seed))
    left, right = solve_interval(selection, critical, tail=(1 - confidence - beta) / (1 - beta) / 2)
    return conclude(paired, column, confidence, value, (min(left, value), max(right, value)))


def solve_interval(selection: Selection, critical: float, *, tail: float) -> tuple[float, float]:
    """Solve F(Y; μ) = 1 − tail and tail for the two ends of the interval."""
    left, right = (
        selection.loss_at(selection.observed + selection.error * _shift(selection, probability, critical))
        for probability in (1 - tail, tail)
    )
    return left, right


def projection_critical_value(
    paired: PairedMeans, confidence: float, *, replicates: int, rng: np.random.Generator
) -> float:
    """c_β: the quantile of the largest |error| of all systems, in standard errors."""
    count = tail_count(replicates, confidence)
    varies = paired.variances > 0
    scale = 1 / np.sqrt(paired.variances[varies])
    correlation = paired.covariance[np.ix_(varies, varies)] * scale[:, None] * scale
    root = compute_root(correlation).astype(np.float32)  # a quantile of draws needs no more digits
    shares = _shares(replicates, len(root))
    largest = [np.abs(root @ rng.standard_normal((len(root), share), np.float32)).max(axis=0) for share in shares]
    return float(np.partition(np.concatenate(largest), -count)[-count])


def _shift(selection: Selection, probability: float, critical: float) -> float:
    """(μ − Y)/σ where F(Y; μ) is ``probability``; F falls in μ from 1 at −c to 0 at c."""
    left, right = -critical, critical
    for _ in range(60):
        middle = (left + right) / 2
        cut_low = max(selection.low - middle, -critical)
        cut_high = min(selection.high - middle, critical)
        if truncated_cdf(-middle, cut_low, cut_high) > probability:
            left = middle
        else:
            right = middle
    return (left + right) / 2


def estimate_without_spread(paired: SystemMeans, column: int, confidence: float) -> WinnerEstimate:
    """The estimate of a winner that never fails; any other loss that is the same on every item is refused."""
    naive = float(paired.means[column])
    if not paired.is_share or naive != 0:
        raise InputError(
            f"{paired.systems[column]!r} has the same loss {naive:g} on every item, and no error can be estimated from "
            f"that; leave the system out, or give losses that vary"
        )
    upper = -math.expm1(math.log((1 - confidence) / len(paired.means)) / paired.items)
    return conclude(paired, column, confidence, naive, (0.0, upper))


def conclude(
    paired: SystemMeans, column: int, confidence: float, value: float, interval: tuple[float, float]
) -> WinnerEstimate:
    """The estimate with what is told beside it."""
    from scipy.special import ndtri

    naive = float(paired.means[column])
    half = float(ndtri((1 + confidence) / 2)) * few_groups_factor(paired) * math.sqrt(paired.variances[column])
    low, high = (0.0, 1.0) if paired.is_share else (-math.inf, math.inf)
    return WinnerEstimate(
        system=paired.systems[column],
        column=column,
        naive=naive,
        naive_interval=(max(naive - half, low), min(naive + half, high)),
        value=min(value, high),
        interval=interval,
        confidence=confidence,
        is_rough=float(np.median(paired.skewness)) > _MOST_SKEWNESS * math.sqrt(paired.items),
        level_with=tuple(paired.systems[j] for j in np.flatnonzero(paired.means == naive) if j != column),
    )


def _shares(total: int, systems: int, cells: int = 1 << 22) -> list[int]:
    """``total`` replicates in parts whose draws stay within so many cells."""
    size = max(1, cells // systems)
    return [min(size, total - start) for start in range(0, total, size)]
