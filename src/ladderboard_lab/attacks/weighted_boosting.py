"""Weighted boosting: every random vector counts, by how much better than chance it scored."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, majority, needs_two_classes, random_classes
from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class WeightedBoosting(Attack):
    """Submit k uniform 0/1 vectors v_j, weigh each by ½ − l_j (l_j its released loss), take the sign of the sum.

    Metric: error rate, two classes. Breaks: mechanisms that tell every score. Expected overfit of the final vector
    against full disclosure: Φ(√(k/n)) − ½. With labels and guesses as ±1, the weighted sum has mean k/(2n)·y_i and
    standard deviation √(k/(4n)): each label shines through with √(k/n) standard deviations. Boosting's majority, which
    forgets how good a vector was and uses half of them, has √(k/(πn)).
    """

    name: ClassVar[str] = "weighted_boosting"

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_two_classes(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        votes = np.zeros(participant.briefing.items)
        for _ in range(budget):
            guess = random_classes(participant.briefing, rng)
            value = participant.submit(guess).value
            if value is not None:
                votes += (0.5 - value) * (guess - 0.5)
        return majority(votes, rng)
