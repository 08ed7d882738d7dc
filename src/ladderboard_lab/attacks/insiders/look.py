"""Look: every accept is a reading, bought with known labels."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, majority
from ladderboard_lab.attacks.insiders.insider import HALF, Insider, Readings, needs_known_labels
from ladderboard_lab.participant import Array, Briefing, Participant

PASSING = 0.6
"""The share of attempts that should be accepted: repairs are dearer than attempts, but not by much."""
READINGS = 1000


@dataclass(frozen=True)
class Look(Attack):
    """Flip ``block`` of the unknown items with repairs enough to be accepted, read the numbers, submit the best guess.

    Each accepted number tells, up to its rounding, how many of the gamble's items are right. A Gaussian posterior over
    the unknown labels takes them all together; its sign is the final submission. ``kept`` is the share of the known
    labels that is kept to make the final submission pass.

    Metric: error rate, two classes, and labels known from outside. Breaks: mechanisms that tell a number on every
    accept, however their gate decides. Expected overfit after L accepts with H unknown items: about .4√(L·H)/n, in
    20 to 30 submissions against our mechanisms. Measured figures: docs/theory/attacks.md.
    """

    name: ClassVar[str] = "look"
    block: float = 0.5
    kept: float = 0.15

    @classmethod
    def settings(cls) -> tuple["Look", ...]:
        return (cls(0.5), cls(0.1), cls(0.005))

    @property
    def known_share(self) -> float:
        return HALF

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_known_labels(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        insider = Insider(participant, budget, rng)
        readings = Readings(insider, most=READINGS)
        if insider.has_entered:
            readings.take()
        kept = round(self.kept * insider.reserve)
        while insider.has_entered and insider.left > 1 and insider.reserve - insider.price > kept:
            gamble = insider.gamble ^ (rng.random(len(insider.unknown)) < self.block)
            if insider.attempt(gamble, aim=PASSING):
                readings.take()
        if len(readings) > 1:
            insist(insider, majority(readings.regression(), rng))
        return insider.incumbent


def insist(insider: Insider, gamble: Array) -> bool:
    """Submit the gamble with more and more repairs, until it is accepted or nothing is left to repair."""
    repairs = 0
    while insider.left > 0 and repairs <= insider.reserve:
        if insider.submit(gamble, repairs=repairs):
            return True
        repairs = max(repairs + 5, round(1.3 * repairs))
    return False
