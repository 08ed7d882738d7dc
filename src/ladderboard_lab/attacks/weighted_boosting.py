"""Weighted boosting: every random vector counts, by how much better than chance it scored."""

from dataclasses import dataclass
from typing import ClassVar

import ladderboard as lb
from ladderboard_lab.attacks.boosting import Boosting


@dataclass(frozen=True)
class WeightedBoosting(Boosting):
    """Submit k uniform 0/1 vectors v_j, weigh each by ½ − l_j (l_j its released loss), take the sign of the sum.

    Metric: error rate, two classes. Breaks: mechanisms that tell every score. Expected overfit of the final vector
    against full disclosure: Φ(√(k/n)) − ½. With labels and guesses as ±1, the weighted sum has mean k/(2n)·y_i and
    standard deviation √(k/(4n)): each label shines through with √(k/n) standard deviations. Boosting's majority, which
    forgets how good a vector was and uses half of them, has √(k/(πn)).
    """

    name: ClassVar[str] = "weighted_boosting"
    heading: ClassVar[str] = "weighted boost"

    def weigh(self, release: "lb.Release") -> float:
        return 0.0 if release.value is None else 0.5 - release.value
