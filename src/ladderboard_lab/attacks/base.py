"""The vocabulary of attacks: a way to climb a board without learning anything."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladderboard_lab.participant import Array, Briefing, Participant


@dataclass(frozen=True)
class Attack(ABC):
    """An attack sees a `Participant`: public facts and releases. It may submit ``budget`` times.

    To write one: a frozen dataclass whose fields are its parameters, a ``name``, `fits` and `run`. The docstring states
    the metric, what the attack breaks, and the overfit to expect.
    """

    name: ClassVar[str]

    @abstractmethod
    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        """Attack, with at most ``budget`` submissions; returns the final predictions (not submitted by itself)."""

    @abstractmethod
    def misfit(self, briefing: Briefing) -> str | None:
        """Why this attack cannot be run on that problem, in words; None where it can."""


def needs_metric(briefing: Briefing, *names: str) -> str | None:
    """The sentence for a metric that does not fit."""
    if briefing.metric in names:
        return None
    return f"needs the metric {' or '.join(names)}, not {briefing.metric}"
