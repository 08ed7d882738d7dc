"""Two guesses: an attack that is not in the laboratory."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, needs_metric, random_classes
from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class TwoGuesses(Attack):
    """Submit two random vectors and keep the better one.

    Metric: error rate, any number of classes. Breaks: nothing; it is the least that an attack can be. Expected overfit
    against full disclosure: .56 standard errors of a score, the mean of the better of two.
    """

    name: ClassVar[str] = "two_guesses"
    heading: ClassVar[str] = "2 guesses"

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_metric(briefing, "error_rate")

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        guesses = [random_classes(participant.briefing, rng) for _ in range(min(2, budget))]
        values = [participant.submit(guess).value for guess in guesses]
        return guesses[int(np.argmin([np.inf if value is None else value for value in values]))]
