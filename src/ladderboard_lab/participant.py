"""Participants: public facts of a problem, and `submit`, which returns only a Release."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

import ladderboard as lb

Array = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Briefing:
    """The public side of a problem.

    ``items`` is the number of predictions in a submission, of the public and the private part together; which item is
    in which part is not told. ``known_items`` and ``known_labels`` are labels this competitor holds from outside.
    """

    metric: str
    lower_is_better: bool
    items: int
    classes: int = 0
    features: FloatArray | None = None
    training_features: FloatArray | None = None
    training_labels: Array | None = None
    known_items: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    known_labels: Array = field(default_factory=lambda: np.empty(0))

    def loss(self, value: float) -> float:
        """Convert a released number to a loss: lower is better."""
        return value if self.lower_is_better else -value


class Participant(Protocol):
    """A competitor's account: on a board in memory here, on a live server in a drill."""

    briefing: Briefing

    def submit(self, predictions: Array, *, training_score: float | None = None) -> "lb.Release":
        """Submit predictions; ``training_score`` is for mechanisms that compare with it (Thresholdout)."""

    def account(self, name: str) -> "Participant":
        """Get another account of the same person (a Sybil)."""


@dataclass
class LocalParticipant:
    """An account on an in-memory `ladderboard.Leaderboard`, with what an arena reads afterwards."""

    briefing: Briefing
    board: "lb.Leaderboard"
    public_items: IntArray = field(repr=False)
    team: str = "attacker"
    on_release: Callable[["lb.Release"], None] | None = None
    best: Array | None = None
    """The predictions that were accepted last: those the board's number is about."""
    shown: float | None = None
    """What the board shows for this account."""
    submissions: int = 0
    claim: float | None = None
    """The training score that goes with predictions for which an attack claims none (Thresholdout asks for one)."""
    repeats_are_free: bool = False
    """Whether the same submission again gets the stored release. It must be the same on all items: a board that
    compared the public ones alone would tell which those are."""
    _stored: dict[bytes, "lb.Release"] = field(default_factory=dict, repr=False)
    _attempt: int = 0

    def submit(self, predictions: Array, *, training_score: float | None = None) -> "lb.Release":
        predictions = np.asarray(predictions)
        same = hashlib.blake2b(predictions.tobytes(), digest_size=16).digest()
        release = self._stored.get(same) if self.repeats_are_free else None
        if release is None:
            claim = self.claim if training_score is None else training_score
            release = self.board.submit(self.team, predictions[self.public_items], training_score=claim)
        self._stored[same] = release
        self._note(release, predictions)
        return release

    def _note(self, release: "lb.Release", predictions: Array) -> None:
        self.submissions += 1
        # A stored release tells of the past: the board has moved on since.
        if release.attempt > self._attempt:
            self._attempt, self.shown = release.attempt, release.board_value
            self.best = np.array(predictions) if release.accepted else self.best
        if self.on_release is not None:
            self.on_release(release)

    def account(self, name: str) -> "LocalParticipant":
        return LocalParticipant(
            self.briefing,
            self.board,
            self.public_items,
            name,
            on_release=self.on_release,
            claim=self.claim,
            repeats_are_free=self.repeats_are_free,
        )
