"""Best of N: many private variants, of which the luckiest is published."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, needs_metric, random_classes
from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class BestOfN(Attack):
    """Submit N variants of equal skill and publish the one with the best released number.

    Metric: error rate, any number m of classes. Breaks: boards on which only the published variant is seen, and which
    correct for none of the others. Expected overfit against full disclosure: SE₀·E[max of N normals], which is near
    SE₀√(2 ln N) and below it, with SE₀ = √(m−1)/(m√n).
    """

    name: ClassVar[str] = "best_of_n"
    heading: ClassVar[str] = "best of N"

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_metric(briefing, "error_rate")

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        best, lowest = random_classes(participant.briefing, rng), np.inf
        for _ in range(budget):
            variant = random_classes(participant.briefing, rng)
            value = participant.submit(variant).value
            if value is not None and value < lowest:
                best, lowest = variant, value
        return best
