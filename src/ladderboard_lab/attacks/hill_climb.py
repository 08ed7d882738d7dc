"""Hill-climb: flip a few items of the best submission, keep what the board calls better."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.attacks.base import Attack, needs_two_classes, random_classes
from ladderboard_lab.participant import Array, Briefing, Participant

FORGETTING = 0.99
"""By how much what a flip size achieved counts less after each attempt: the hill gets steeper on the way."""


@dataclass(frozen=True)
class HillClimb(Attack):
    """Flip ``flips`` random items of the incumbent, keep the result where it was accepted; flips = 2 is the pair flip.

    ``flips=None``: the size adapts. It is drawn from 2, 4, 8, … n/2, each as often as it has been accepted lately.

    Metric: error rate, two classes. Breaks: gates whose step shrinks with the difference between two submissions. The
    parameter-free Ladder accepts exactly the pairs of which both items were wrong (gain 2/n, step √2/n): with a share w
    of wrong items that is w² of the attempts, so w falls by 2w²/n in each, from ½ to n/(2(n + k)). Expected overfit of
    the pair flip: k/(2(n + k)), that is .357 for n = 4000, k = 10⁴. Full disclosure falls to it as fast.
    """

    name: ClassVar[str] = "hill_climb"
    heading: ClassVar[str] = "hill-climb"
    flips: int | None = 2

    @classmethod
    def settings(cls) -> tuple["HillClimb", ...]:
        return (cls(2), cls(16), cls(None))

    def misfit(self, briefing: Briefing) -> str | None:
        return needs_two_classes(briefing)

    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        best = random_classes(participant.briefing, rng)
        participant.submit(best)
        sizes = _FlipSizes(self.flips, len(best))
        for _ in range(budget - 1):
            trial = best.copy()
            choice = sizes.draw(rng)
            trial[rng.choice(len(best), size=sizes.sizes[choice], replace=False, shuffle=False)] ^= 1
            accepted = participant.submit(trial).accepted
            sizes.record(choice, accepted)
            best = trial if accepted else best
        return best


class _FlipSizes:
    """One flip size, or powers of two of which the successful are drawn more often."""

    def __init__(self, fixed: int | None, items: int) -> None:
        powers = 2 ** np.arange(1, max(2, int(np.log2(items))))
        self.sizes = powers if fixed is None else np.array([min(fixed, items)])
        self._accepts = np.ones(len(self.sizes))
        self._tries = np.full(len(self.sizes), 10.0)

    def draw(self, rng: np.random.Generator) -> int:
        rates = self._accepts / self._tries
        return int(rng.choice(len(rates), p=rates / rates.sum()))

    def record(self, choice: int, accepted: bool) -> None:
        # Forgotten towards where it began, so that no size is given up for good.
        self._accepts = 1 + FORGETTING * (self._accepts - 1)
        self._tries = 10 + FORGETTING * (self._tries - 10)
        self._accepts[choice] += accepted
        self._tries[choice] += 1
