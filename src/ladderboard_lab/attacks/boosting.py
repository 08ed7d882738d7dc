"""Boosting: a vote of random vectors, each weighed by what the board told of it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import ladderboard as lb
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
    heading: ClassVar[str] = "boost"

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_two_classes(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        votes = np.zeros(participant.briefing.items)
        for _ in range(budget):
            guess = random_classes(participant.briefing, rng)
            votes += self.weigh(participant.submit(guess)) * (guess - 0.5)
        return majority(votes, rng)

    def weigh(self, release: "lb.Release") -> float:
        """Weigh the vote of a vector by its release."""
        return float(release.value is not None and release.value <= 0.5)
