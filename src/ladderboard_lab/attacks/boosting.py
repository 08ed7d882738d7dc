"""Boosting: the majority of random vectors that happened to score better than chance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, majority, needs_two_classes, random_classes
from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class Boosting(Attack):
    """Submit k uniform 0/1 vectors, keep those with a released loss of at most ½, take the majority of each item.

    Metric: error rate, two classes. Breaks: mechanisms that tell every score. Expected overfit of the final vector
    against full disclosure: Φ(√(k/(πn))) − ½, that is Ω(√(k/n)).

    Reference: Blum & Hardt 2015, The Ladder, section 5.
    """

    name: ClassVar[str] = "boosting"

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_two_classes(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        votes = np.zeros(participant.briefing.items)
        for _ in range(budget):
            guess = random_classes(participant.briefing, rng)
            value = participant.submit(guess).value
            if value is not None and value <= 0.5:
                votes += guess - 0.5
        return majority(votes, rng)
