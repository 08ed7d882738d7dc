"""Repeat averaging: ask the same question again and again, and average the noise away."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, Yield, needs_metric, random_classes
from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class RepeatAveraging(Attack):
    """Submit the same predictions T times and average what was told; T is the budget.

    ``near_duplicates``: every submission differs from the first in one item, for boards that answer a repetition from
    their store; one item moves the score by 1/n at most, and no gate lets it pass.

    Metric: error rate. Breaks: mechanisms that draw fresh noise for every query (``redraw=True``); there the error of
    the average is that of one release divided by √T. Breaks nothing where a repetition gets the stored number. Returns
    the estimated raw score, one number, instead of predictions; nan where no number was told.

    Reference: Neto et al. 2016, Reducing overfitting in challenge-based competitions, discussion.
    """

    name: ClassVar[str] = "repeat_averaging"
    heading: ClassVar[str] = "repeat"
    yields: ClassVar[Yield] = "score"
    near_duplicates: bool = False

    @classmethod
    def settings(cls) -> tuple["RepeatAveraging", ...]:
        return (cls(), cls(near_duplicates=True))

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_metric(briefing, "error_rate")

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        briefing = participant.briefing
        same = random_classes(briefing, rng)
        told = [participant.submit(same).value]
        for number in range(1, budget):
            again = same.copy()
            if self.near_duplicates:
                item = number % briefing.items
                again[item] = (again[item] + 1) % briefing.classes
            told.append(participant.submit(again).value)
        values = [value for value in told if value is not None]
        return np.array([np.mean(values) if values else np.nan])
