"""What decides a board: items that tell systems apart, pairs that are told apart, and the gap that items resolve."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.evals import LossMatrix
from ladderboard.inference.checks import check_confidence
from ladderboard.inference.contrasts import Flags
from ladderboard.inference.covariance import PairedMeans
from ladderboard.inference.power import GOOD_POWER

TOP = 10


@dataclass(frozen=True)
class Difficulty:
    """Which items and how many of them tell systems apart."""

    items: int
    level: int
    """Items on which all systems have the same score."""
    solved_by_all: int | None
    """None: scores are not between right and wrong."""
    solved_by_none: int | None
    top: int
    """How many systems the best are: ten, or all."""
    deciding_top: int
    """Items on which these differ."""
    pairs: int
    pairs_apart: int
    """Pairs of systems that are told apart, by the simultaneous comparison."""
    neighbours_apart: int
    """Of the pairs that stand next to each other."""
    gap: float | None
    """The true difference that a planned comparison of two of the best usually proves; None: these never differ."""

    def count_needed_items(self, gap: float) -> int | None:
        """How many items like these would usually prove a gap of this size."""
        return None if self.gap is None else int(np.ceil(self.items * (self.gap / gap) ** 2))


def measure_difficulty(results: LossMatrix, paired: PairedMeans, worse: Flags, confidence: float) -> Difficulty:
    """Measure what decides among these systems; ``worse`` says who is certainly worse than whom."""
    check_confidence(confidence)
    losses = results.losses
    order = np.argsort(paired.means, kind="stable")
    best = order[:TOP]
    apart = worse | worse.T
    is_share = bool(losses.min() >= 0 and losses.max() <= 1)
    return Difficulty(
        items=len(losses),
        level=_count_level(losses),
        solved_by_all=int((losses == 0).all(axis=1).sum()) if is_share else None,
        solved_by_none=int((losses == 1).all(axis=1).sum()) if is_share else None,
        top=len(best),
        deciding_top=len(losses) - _count_level(losses[:, best]),
        pairs=len(order) * (len(order) - 1) // 2,
        pairs_apart=int(np.triu(apart, 1).sum()),
        neighbours_apart=int(sum(apart[i, j] for i, j in pairwise(order))),
        gap=_find_gap(paired.difference_variances[np.ix_(best, best)], confidence),
    )


def _count_level(losses: FloatArray) -> int:
    return int((losses.max(axis=1) == losses.min(axis=1)).sum())


def _find_gap(variances: FloatArray, confidence: float) -> float | None:
    from scipy.special import ndtri

    typical = float(np.median(variances[np.triu_indices(len(variances), 1)]))
    return float(ndtri((1 + confidence) / 2) + ndtri(GOOD_POWER)) * typical**0.5 if typical > 0 else None
