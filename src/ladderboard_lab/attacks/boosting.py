"""Boosting: a vote of random vectors, each weighed by what the board told of it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard.core.records import Release
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
            votes += self.weigh(participant.submit(guess)) * (guess - 0.5)
        return majority(votes, rng)

    def weigh(self, release: Release) -> float:
        """Weigh the vote of a vector by its release."""
        return float(release.value is not None and release.value <= 0.5)


@dataclass(frozen=True)
class WeightedBoosting(Boosting):
    """Submit k uniform 0/1 vectors v_j, weigh each by ½ − l_j (l_j its released loss), take the sign of the sum.

    Metric: error rate, two classes. Breaks: mechanisms that tell every score. Expected overfit of the final vector
    against full disclosure: Φ(√(k/n)) − ½. With labels and guesses as ±1, the weighted sum has mean k/(2n)·y_i and
    standard deviation √(k/(4n)): each label shines through with √(k/n) standard deviations. Boosting's majority, which
    forgets how good a vector was and uses half of them, has √(k/(πn)).
    """

    name: ClassVar[str] = "weighted_boosting"

    def weigh(self, release: Release) -> float:
        return 0.0 if release.value is None else 0.5 - release.value


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

    def weigh(self, release: Release) -> float:
        return float(release.accepted)
