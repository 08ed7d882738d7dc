"""Boosting: the majority of random vectors that happened to score better than chance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, needs_metric
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
        return needs_metric(briefing, "error_rate") or (None if briefing.classes == 2 else "needs two classes")

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        votes = np.zeros(participant.briefing.items)
        for _ in range(budget):
            guess = rng.integers(0, 2, participant.briefing.items, dtype=np.int8)
            value = participant.submit(guess).value
            if value is not None and value <= 0.5:
                votes += guess - 0.5
        return majority(votes, rng)


def majority(votes: Array, rng: np.random.Generator) -> Array:
    """1 where votes are positive, 0 where negative, a coin flip at zero."""
    return np.where(votes == 0, rng.integers(0, 2, len(votes)), votes > 0).astype(np.int8)
