"""The model confidence set of a board: the systems that could still be the best."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ladderboard.core.records import FloatArray, IntArray
from ladderboard.inference.checks import check_confidence
from ladderboard.inference.contrasts import REPLICATES, ROUNDING, Contrasts, draw_contrasts, make_generator, tail_count
from ladderboard.inference.covariance import GroupLabels, paired_means


@dataclass(frozen=True)
class BestSet:
    """The systems that cannot be ruled out as the best.

    ``p_values`` has one number for each column of the matrix: the largest level at which the system is ruled out.
    """

    columns: tuple[int, ...]
    systems: tuple[str, ...]
    p_values: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.columns)


def best_set(
    loss_matrix: Any,
    confidence: float = 0.95,
    *,
    groups: GroupLabels | None = None,
    replicates: int = REPLICATES,
    seed: int | np.random.Generator = 0,
) -> BestSet:
    """The systems that could still be the best, each of the truly best among them with this confidence.

    The worst of the systems left (the one behind some other by the most standard errors) is ruled out as long as the
    hypothesis that all systems left are equally good is rejected: the range statistic T_R of the model confidence set.
    A sharper answer to a narrower question than `rank_ranges`: the other ranks need not be protected. ``groups`` as
    there.

    Guarantee
    ---------
    For independent items, as n grows: P(every system whose true loss is the smallest is in the set) ≥ confidence.

    Departures
    ----------
    Gaussian multipliers instead of a block bootstrap. The order of elimination does not depend on the draws, so the
    sets are built up from the last survivor, and one sweep over the pairs serves all of them.

    Reference
    ---------
    Hansen, Lunde & Nason 2011, The Model Confidence Set, Econometrica 79(2).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> best_set(rng.random((400, 4)) < [0.10, 0.09, 0.30, 0.60]).columns
    (0, 1)
    """
    check_confidence(confidence)
    tail_count(replicates, confidence)
    paired = paired_means(loss_matrix, groups=groups)
    contrasts = draw_contrasts(paired, replicates=replicates, rng=make_generator(seed))
    p_values = _p_values(paired.statistics(), contrasts)
    columns = tuple(int(j) for j in np.flatnonzero(p_values > 1 - confidence))
    return BestSet(columns, tuple(paired.systems[j] for j in columns), tuple(p_values.tolist()))


def _p_values(statistics: FloatArray, contrasts: Contrasts) -> FloatArray:
    survivors, observed = _elimination(statistics)
    exceeding = np.zeros(len(survivors))
    for _, k, largest in contrasts.prefix_maxima(survivors):
        exceeding[k] += np.count_nonzero(largest >= observed[k] * (1 - ROUNDING))
    of_sets = (exceeding + 1) / (contrasts.replicates + 1)
    of_sets[0] = 1.0
    # A system is out only where every larger set was rejected too: from the largest set on, the p-values never fall.
    p_values = np.empty(len(survivors))
    p_values[survivors] = np.maximum.accumulate(of_sets[::-1])[::-1]
    return p_values


def _elimination(statistics: FloatArray) -> tuple[IntArray, FloatArray]:
    """The systems from the last survivor to the first to go, and the largest statistic before each went."""
    left = statistics.copy()
    np.fill_diagonal(left, -np.inf)
    order, observed = [], []
    for _ in range(len(left) - 1):
        behind = left.max(axis=1)
        loser = int(behind.argmax())
        order.append(loser)
        observed.append(behind[loser])
        left[loser, :] = left[:, loser] = -np.inf
    order.append(int(np.setdiff1d(np.arange(len(left)), order)[0]))
    return np.array(order[::-1]), np.array([*observed, 0.0])[::-1]
