"""Look: every accept is a reading, bought with known labels."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack
from ladderboard_lab.attacks.insider import Insider, Readings, needs_known_labels
from ladderboard_lab.participant import Array, Briefing, Participant

PASSING = 0.8
"""The share of attempts that should be accepted: a rejection is a wasted attempt here."""


@dataclass(frozen=True)
class Look(Attack):
    """Submit random gambles with enough repairs to be accepted, learn from the numbers, submit the likelier labels.

    Each accepted number tells, up to its rounding, how many of the gamble's items are right. A Gaussian posterior over
    the unknown labels takes them all together; its sign is the final submission. ``kept`` is the share of the known
    labels that is kept to make the final submission pass.

    Metric: error rate, two classes, and labels known from outside. Breaks: mechanisms that tell a number on every
    accept, however their gate decides. Expected overfit after L accepts with H unknown items: about .4√(L·H)/n, in
    20 to 30 submissions against our mechanisms. Measured figures: docs/theory/attacks.md.
    """

    name: ClassVar[str] = "look"
    kept: float = 0.15

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_known_labels(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        insider, readings = Insider(participant, budget, rng), Readings(rng)
        kept = round(self.kept * insider.reserve)
        while insider.has_entered and insider.left > 1 and insider.reserve - insider.price > kept:
            gamble = rng.integers(0, 2, len(insider.unknown), dtype=np.int8)
            if insider.attempt(gamble, aim=PASSING):
                readings.add(gamble, insider.shown_overfit)
        if len(readings) > 1:
            insist(insider, readings.best_guess(trust=0.0))
        return insider.incumbent


def insist(insider: Insider, gamble: Array) -> bool:
    """Submit the gamble with more and more repairs, until it is accepted or nothing is left to repair."""
    repairs = 0
    while insider.left > 0 and repairs <= insider.reserve:
        if insider.submit(gamble, repairs=repairs):
            return True
        repairs = max(repairs + 5, round(1.3 * repairs))
    return False
