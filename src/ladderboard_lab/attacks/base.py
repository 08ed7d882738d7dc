"""The vocabulary of attacks: a way to climb a board without learning anything."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar, Literal

import numpy as np

from ladderboard_lab.participant import Array, Briefing, Participant

Yield = Literal["predictions", "labels", "membership", "score"]
"""What an attack brings home: predictions that look better than they are, the labels themselves (as predictions), which
items are public (0/1 for each item), or the raw score that noise was to hide (one number)."""


@dataclass(frozen=True)
class Attack(ABC):
    """An attack sees a `Participant`: public facts and releases. It may submit ``budget`` times.

    To write one: a frozen dataclass whose fields are its parameters, a ``name``, `misfit` and `run`. The docstring
    states the metric, what the attack breaks, and the overfit to expect.
    """

    name: ClassVar[str]
    yields: ClassVar[Yield] = "predictions"

    @abstractmethod
    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        """Attack, with at most ``budget`` submissions; returns the final predictions (not submitted by itself)."""

    @abstractmethod
    def misfit(self, briefing: Briefing) -> str | None:
        """Why this attack cannot be run on that problem, in words; None where it can."""

    @classmethod
    def settings(cls) -> tuple["Attack", ...]:
        """The settings an arena tries against every mechanism alike, so that each is attacked with equal effort."""
        return (cls(),)

    @property
    def setting(self) -> str:
        """The parameters in words; empty where there are none."""
        return ", ".join(f"{field.name}={getattr(self, field.name)}" for field in fields(self))


def needs_metric(briefing: Briefing, *names: str) -> str | None:
    """The sentence for a metric that does not fit."""
    if briefing.metric in names:
        return None
    return f"needs the metric {' or '.join(names)}, not {briefing.metric}"


def needs_two_classes(briefing: Briefing) -> str | None:
    """The sentence for what is not an error rate on two classes."""
    wrong_metric = needs_metric(briefing, "error_rate")
    return wrong_metric or (None if briefing.classes == 2 else f"needs two classes, not {briefing.classes}")


def random_classes(briefing: Briefing, rng: np.random.Generator) -> Array:
    """A uniform class for each item."""
    return rng.integers(0, briefing.classes, briefing.items, dtype=np.int8)


def majority(votes: Array, rng: np.random.Generator) -> Array:
    """1 where votes are positive, 0 where negative, a coin flip at zero.

    >>> majority(np.array([3.0, -1.0]), np.random.default_rng(0)).tolist()
    [1, 0]
    """
    return np.where(votes == 0, rng.integers(0, 2, len(votes)), votes > 0).astype(np.int8)
