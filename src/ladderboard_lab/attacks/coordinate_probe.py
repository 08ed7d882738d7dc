"""Coordinate probe: flip one item at a time and see whether the number goes up or down."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, Yield, needs_two_classes
from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class CoordinateProbe(Attack):
    """Submit zeros, then zeros with a single 1: the released loss falls iff that item's label is 1.

    Metric: error rate, two classes. Breaks: mechanisms that tell every score with a precision finer than 1/n. Expected
    overfit of the final vector against full disclosure: everything, ½, after n + 1 queries; (k − 1)/(2n) before. Items
    whose number did not move, and items never asked, are guessed.
    """

    name: ClassVar[str] = "coordinate_probe"
    heading: ClassVar[str] = "probe"
    yields: ClassVar[Yield] = "labels"

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_two_classes(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        items = participant.briefing.items
        found = rng.integers(0, 2, items, dtype=np.int8)
        zeros = np.zeros(items, dtype=np.int8)
        reference = participant.submit(zeros).value
        for item in range(min(budget - 1, items)):
            trial = zeros.copy()
            trial[item] = 1
            value = participant.submit(trial).value
            if value is not None and reference is not None and value != reference:
                found[item] = value < reference
        return found
