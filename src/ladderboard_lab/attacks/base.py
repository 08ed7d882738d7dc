"""The base class of attacks, which climb a board without learning anything."""

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
    """An attack. It sees a `Participant` (public facts and releases) and may submit ``budget`` times.

    To write one: a frozen dataclass whose fields are its parameters, a ``name``, `misfit` and `run`. The docstring
    states the metric, what the attack breaks, and the overfit to expect.
    """

    name: ClassVar[str]
    heading: ClassVar[str]
    """The name as it heads a narrow column of the arena: the name itself where a class says nothing else."""
    yields: ClassVar[Yield] = "predictions"
    has_many_accounts: ClassVar[bool] = False
    """Whether one person acts under several names; no mechanism with an instance per team is a remedy for that."""

    def __init_subclass__(cls) -> None:
        """Give a class with a name of its own no heading of another's."""
        if "name" in cls.__dict__ and "heading" not in cls.__dict__:
            cls.heading = cls.name

    @abstractmethod
    def run(self, participant: Participant, *, budget: int, rng: np.random.Generator) -> Array:
        """Attack, with at most ``budget`` submissions; returns the final predictions (not submitted by itself)."""

    @abstractmethod
    def misfit(self, briefing: Briefing) -> str | None:
        """Explain why this attack does not fit a problem; None if it fits."""

    @classmethod
    def settings(cls) -> tuple["Attack", ...]:
        """List the settings that an arena tries against every mechanism, with equal effort for each."""
        return (cls(),)

    @property
    def known_share(self) -> float:
        """The share of the labels that the attacker is to hold from outside: 0 for all but insiders."""
        return 0.0

    @property
    def setting(self) -> str:
        """The parameters in words; empty if there are none."""
        return ", ".join(f"{field.name}={getattr(self, field.name)}" for field in fields(self))


def needs_metric(briefing: Briefing, *names: str) -> str | None:
    """Explain that the metric does not fit."""
    if briefing.metric in names:
        return None
    return f"needs the metric {' or '.join(names)}, not {briefing.metric}"


def needs_two_classes(briefing: Briefing) -> str | None:
    """Explain that the problem is not an error rate on two classes."""
    wrong_metric = needs_metric(briefing, "error_rate")
    return wrong_metric or (None if briefing.classes == 2 else f"needs two classes, not {briefing.classes}")


def random_classes(briefing: Briefing, rng: np.random.Generator) -> Array:
    """Draw a uniform class for each item."""
    return rng.integers(0, briefing.classes, briefing.items, dtype=np.int8 if briefing.classes <= 127 else np.int32)


def majority(votes: Array, rng: np.random.Generator) -> Array:
    """1 where votes are positive, 0 where negative, a coin flip at zero.

    >>> majority(np.array([3.0, -1.0]), np.random.default_rng(0)).tolist()
    [1, 0]
    """
    return np.where(votes == 0, rng.integers(0, 2, len(votes)), votes > 0).astype(np.int8)
