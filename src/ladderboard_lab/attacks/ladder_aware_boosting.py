"""Ladder-aware boosting: the majority of those vectors that moved the board."""

from dataclasses import dataclass
from typing import ClassVar

import ladderboard as lb
from ladderboard_lab.attacks.boosting import Boosting


@dataclass(frozen=True)
class LadderAwareBoosting(Boosting):
    """Submit k uniform 0/1 vectors, keep those that were accepted, take the majority of each item.

    Metric: error rate, two classes. Breaks: nothing; it is the best that plain boosting can do against mechanisms which
    tell only of improvements. Expected overfit on the board: that of the best of k, at most SE₀√(2 ln k) with
    SE₀ = .5/√n. The few accepted vectors are the best ones seen, so their majority may be better than each: with A of
    them, each near SE₀√(2 ln k), about √(2A/π) times that.

    Reference: Blum & Hardt 2015, The Ladder, section 5.1.
    """

    name: ClassVar[str] = "ladder_aware_boosting"
    heading: ClassVar[str] = "aware boost"

    def weigh(self, release: "lb.Release") -> float:
        return float(release.accepted)
