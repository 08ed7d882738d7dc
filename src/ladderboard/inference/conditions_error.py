"""What named seeds and prompts add to the covariance of a board's means.

Notation
--------
T_jsp → the mean loss of system j over the items, with seed s and prompt p; S_j seeds of system j, P prompts, m systems.

Seeds belong to their system: the variance of T between seeds, less what single answers already brought into the
variance between items, pooled over the systems, divided by S_j. Prompts are shared: what they do to all systems alike
enters the error of each score and cancels in every difference; how differently they treat the systems, pooled, enters
both. Where a system has one seed, that of the others speaks for it.

Assumptions: a seed's and a prompt's effect is as variable for each system; the prompts are drawn from those that could
have been written.

A sum of variances v_k, each known by f_k degrees of freedom, gets the quantile √(Σ t_k² v_k / Σ v_k) of Student's t_k
(Cochran). Satterthwaite's is shorter and covers .88 to .92 of the scores with three prompts, where by chance these
differ little. Of pairs the fewest degrees of freedom hold for all.

Reference
---------
Searle, Casella & McCulloch 1992, Variance Components, chapter 5; Cochran 1964, Approximate significance levels of the
Behrens-Fisher test, Biometrics 20; Bouthillier et al. 2021 (arXiv 2103.03098).
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.inference.conditions import ConditionLosses
from ladderboard.inference.variance_components import mean_squares

if TYPE_CHECKING:
    from ladderboard.inference.covariance import PairedMeans


LEVEL = 0.975


@dataclass(frozen=True)
class _Pooled:
    """A variance estimated from several systems, and its degrees of freedom."""

    variance: float
    raw: float
    """Before what the items' variance holds was deducted: how uncertain it is."""
    freedom: float


def add_conditions(paired: "PairedMeans", conditions: ConditionLosses) -> "PairedMeans":
    """The same means with the variance of seeds and prompts in their covariance."""
    seeds = _pool_seeds(conditions)
    apart, together = _pool_prompts(conditions)
    count = len(conditions.prompts)
    per_seed = np.array([1 / table.shape[1] for table in conditions.losses])
    covariance = paired.covariance + together.variance / count
    covariance[np.diag_indices_from(covariance)] += seeds.variance * per_seed + apart.variance / count
    items = np.diag(paired.covariance)
    own = [(items, paired.degrees_of_freedom), *_scale((seeds, per_seed), (apart, 1 / count), (together, 1 / count))]
    both = per_seed[:, None] + per_seed[None, :]
    pairs = [
        (paired.difference_variances, paired.degrees_of_freedom),
        *_scale((seeds, both), (apart, 2 / count)),
    ]
    off = ~np.eye(len(items), dtype=bool)
    freedom = _find_freedom(pairs)[off].min() if len(items) > 1 else paired.degrees_of_freedom
    return replace(
        paired,
        covariance=covariance,
        spacing=0.0,
        is_binary=False,
        is_share=False,
        skewness=np.zeros(len(items)),
        shares=None,
        effective_units=float(freedom) + 1,
        own_units=_find_freedom(own) + 1,
    )


def _pool_seeds(conditions: ConditionLosses) -> _Pooled:
    """Between the seeds of a system, over all systems with several."""
    raw, answers, freedom = 0.0, 0.0, 0
    for table in conditions.losses:
        squares = mean_squares(table.mean(axis=2))
        if (1,) in squares:
            raw += (table.shape[1] - 1) * squares[1,] / len(table)
            answers += (table.shape[1] - 1) * squares[0, 1] / len(table)
            freedom += table.shape[1] - 1
    if not freedom:
        return _Pooled(0.0, 0.0, 1)
    return _Pooled(max(0.0, raw - answers) / freedom, raw / freedom, freedom)


def _pool_prompts(conditions: ConditionLosses) -> tuple[_Pooled, _Pooled]:
    """How prompts treat systems differently, and how they move all of them together."""
    prompts, nothing = len(conditions.prompts), _Pooled(0.0, 0.0, 1)
    if prompts < 2:
        return nothing, nothing
    table = np.stack([losses.mean(axis=1) for losses in conditions.losses])  # systems × items × prompts
    systems, items = table.shape[:2]
    squares = mean_squares(table)
    if systems == 1:
        raw = squares[2,] / items
        return nothing, _Pooled(max(0.0, raw - squares[1, 2] / items), raw, prompts - 1)
    raw = squares[0, 2] / items
    apart = _Pooled(max(0.0, raw - squares[0, 1, 2] / items), raw, (systems - 1) * (prompts - 1))
    of_all = squares[2,] / items / systems
    together = max(0.0, of_all - squares[0, 2] / items / systems)
    return apart, _Pooled(together, of_all, prompts - 1)


def _scale(*parts: tuple[_Pooled, FloatArray | float]) -> list[tuple[FloatArray, float]]:
    """Each part's variance of a mean as uncertain as it was estimated, and its degrees of freedom."""
    return [(np.asarray(pooled.raw * factor), pooled.freedom) for pooled, factor in parts]


def _find_freedom(parts: list[tuple[FloatArray, float]]) -> FloatArray:
    """The degrees of freedom of a sum of variances: Student's 97.5 % quantile is then √(Σ t_k² v_k / Σ v_k)."""
    from scipy.special import stdtridf, stdtrit

    arrays = np.broadcast_arrays(*(variance for variance, _ in parts))
    squares = [float(stdtrit(freedom, LEVEL)) ** 2 for _, freedom in parts]
    total = np.sum(arrays, axis=0)
    mixed = np.sum([square * variance for square, variance in zip(squares, arrays, strict=True)], axis=0)
    quantiles = np.sqrt(np.divide(mixed, total, out=np.full(total.shape, max(squares)), where=total > 0))
    return np.asarray(stdtridf(LEVEL, quantiles))
