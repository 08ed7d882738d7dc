"""Rank ranges: simultaneous confidence intervals of the ranks of a board's systems.

Notation
--------
θ_j → the true mean loss; Σ̂ → `PairedMeans.covariance`; T_jk → `PairedMeans.statistics`; I → the ordered pairs that
are not yet decided.

Guarantee
---------
For independent items, as n grows: P(every true rank is in its range) ≥ confidence. A false range needs a false
rejection of some H_jk: θ_j ≤ θ_k, and the step-down procedure keeps the probability of any such error at
1 − confidence or below, whatever the pattern of ties (Mogstad et al., section 3; Romano & Wolf 2005). Systems that
truly tie have every rank between 1 + #{strictly better} and m − #{strictly worse}, and all of these are covered.

Items in groups: the same for independent groups, with flipped signs instead of normal draws. It then holds for any
number of groups where the differences of their sums are symmetric, and as their number grows without that.

Departures
----------
Observed differences are studentised by their uncentred second moment, which matters for a handful of items only.
Identical systems are ties.

Reference
---------
Mogstad, Romano, Shaikh & Wilhelm 2024, Inference for Ranks with Applications to Mobility across Neighbourhoods and
Academic Achievement across Countries, Review of Economic Studies 91(1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from ladderboard.core.notebook import draw_range, make_table
from ladderboard.core.records import FloatArray
from ladderboard.drawing.elements import Drawing
from ladderboard.inference.checks import check_confidence
from ladderboard.inference.contrasts import (
    REPLICATES,
    ROUNDING,
    Contrasts,
    Flags,
    draw_contrasts,
    make_generator,
    tail_count,
)
from ladderboard.inference.covariance import GroupLabels, PairedMeans, paired_means


@dataclass(frozen=True)
class RankRange:
    """The range of ranks of one system. Rank 1 is the best."""

    system: str
    score: float
    """The mean loss."""
    rank: int
    """By the observed means; equal ones share a rank (1, 2, 2, 4)."""
    best: int
    """1 + the number of systems that are certainly better."""
    worst: int
    """m − the number of systems that are certainly worse."""
    group: int
    """Systems whose ranges overlap, directly or through others, share a group; 1 is the leading one."""

    @property
    def could_be_first(self) -> bool:
        """No system is certainly better."""
        return self.best == 1


class RankRanges(list[RankRange]):
    """The ranges of all systems, in their order: a list that a notebook shows as a table, best first."""

    def _repr_html_(self) -> str:
        within = (1.0, float(max(2, len(self))))
        rows = (
            (one.system, f"{one.score:.4g}", one.rank, _say_range(one), _draw(one, within))
            for one in sorted(self, key=lambda one: (one.rank, one.best, one.worst))
        )
        return make_table(rows, header=("system", "mean loss", "rank", "could be", f"1 to {len(self)}"))


def _say_range(one: RankRange) -> str:
    return f"{one.best}–{one.worst}" if one.worst > one.best else str(one.best)


def _draw(one: RankRange, within: tuple[float, float]) -> Drawing:
    return draw_range(one.best, one.rank, one.worst, within=within)


def rank_ranges(
    loss_matrix: Any,
    confidence: float = 0.95,
    *,
    groups: GroupLabels | None = None,
    replicates: int = REPLICATES,
    seed: int | np.random.Generator = 0,
    stepwise: bool = True,
) -> list[RankRange]:
    """Compute the range of ranks each system (column) may truly have; all hold at once with this confidence.

    Notation, guarantee, departures and reference: see the module's docstring.

    Parameters
    ----------
    loss_matrix
        Items × systems, lower is better: anything `numpy.asarray` takes.
    confidence
        The probability that *every* system's true rank lies in its range.
    groups
        A label for each item whose items are not independent: questions of one passage, images of one patient. By
        default those that a `LossMatrix` brings.
    replicates, seed
        The multiplier bootstrap's size and randomness.
    stepwise
        Use the step-down refinement; without it one critical value is taken over all pairs.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> wrong = rng.random((400, 4)) < [0.10, 0.28, 0.31, 0.60]
    >>> [(system.rank, system.best, system.worst, system.group) for system in rank_ranges(wrong)]
    [(1, 1, 1, 1), (2, 2, 3, 2), (3, 2, 3, 2), (4, 4, 4, 3)]
    """
    check_confidence(confidence)
    paired = paired_means(loss_matrix, groups=groups)
    contrasts = draw_contrasts(paired, replicates=replicates, rng=make_generator(seed))
    return find_ranges(paired, certainly_worse(paired, contrasts, confidence=confidence, stepwise=stepwise))


def certainly_worse(paired: PairedMeans, contrasts: Contrasts, *, confidence: float, stepwise: bool = True) -> Flags:
    """m × m: whether system i is worse than j beyond doubt; no entry is false with this confidence."""
    statistics = paired.statistics()
    tail = tail_count(contrasts.replicates, confidence)
    bounds = _all_pairs(contrasts)
    worse: Flags = statistics > _just_above(float(np.partition(bounds, -tail)[-tail]))
    decided = 0
    while stepwise and worse.sum() > decided:
        # What is decided no longer needs protection: the critical value of the other pairs is smaller.
        decided = worse.sum()
        undecided = np.where(worse, 0.0, contrasts.reciprocals)
        worse = statistics > _just_above(contrasts.kth_largest(tail, weights=undecided, bounds=bounds))
    return worse


def _just_above(critical: float) -> float:
    """The critical value and a rounding error: among flipped signs is the board itself, which must not beat itself."""
    return critical * (1 + ROUNDING)


def find_ranges(paired: PairedMeans, worse: Flags) -> list[RankRange]:
    """The ranges that follow from "i is certainly worse than j"."""
    best = 1 + worse.sum(axis=1)
    worst = len(worse) - worse.sum(axis=0)
    ranks = 1 + (paired.means[None, :] < paired.means[:, None]).sum(axis=1)
    groups = number_groups(best.tolist(), worst.tolist())
    return RankRanges(
        RankRange(name, float(paired.means[j]), int(ranks[j]), int(best[j]), int(worst[j]), groups[j])
        for j, name in enumerate(paired.systems)
    )


def _all_pairs(contrasts: Contrasts) -> FloatArray:
    maxima = np.zeros(contrasts.replicates)
    systems = len(contrasts.draws)
    for columns, k, largest in contrasts.prefix_maxima(np.arange(systems)):
        if k == systems - 1:
            maxima[columns] = largest
    return maxima


def number_groups(best: Sequence[int], worst: Sequence[int]) -> list[int]:
    """Numbers of the connected runs of overlapping ranges, from the top."""
    order = sorted(range(len(best)), key=lambda j: (best[j], worst[j]))
    reach = [0, *accumulate((worst[j] for j in order), max)]
    starts = (int(best[j] > so_far) for j, so_far in zip(order, reach, strict=False))
    numbers = dict(zip(order, accumulate(starts), strict=True))
    return [numbers[j] for j in range(len(best))]
