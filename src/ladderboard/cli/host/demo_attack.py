"""The demo's attacker: the laboratory's coordinate probe, which reads labels off the scores one by one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import ladderboard as lb
from ladderboard_lab.attacks.coordinate_probe import CoordinateProbe
from ladderboard_lab.participant import Briefing

SEED = 9


def probe(submit: Callable[[Any], float | None], items: int) -> Any:
    """Submit zeros, then each item alone as 1; return the labels that the scores gave away, and guesses elsewhere."""
    # The board shows an accuracy; the attack wants an error rate.
    briefing = Briefing(metric="error_rate", lower_is_better=True, items=items, classes=2)
    attack = CoordinateProbe()
    return attack.run(_Account(briefing, submit), budget=items + 1, rng=np.random.default_rng(SEED))


@dataclass
class _Account:
    """The attacker's account on either of the demo's boards."""

    briefing: Briefing
    ask: Callable[[Any], float | None]
    attempts: int = 0

    def submit(self, predictions: Any, *, training_score: float | None = None) -> lb.Release:
        value = self.ask(predictions)
        self.attempts += 1
        error = None if value is None else 1 - value
        return lb.Release(error, error, accepted=False, improved=False, attempt=self.attempts, interval=None)

    def account(self, name: str) -> "_Account":
        return self
