"""The trace of an attack: the score shown after each submission, and the true score."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import ladderboard as lb
from ladderboard_lab.experiments.writing import COLOURS, draw_figure
from ladderboard_lab.participant import LocalParticipant
from ladderboard_lab.problems.base import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass
class AttackTrace:
    """A trace of shown and true scores, called with each release of the account it follows and of its Sybils.

    ``shown`` and ``true`` have one entry for each submission: the account's number on the board and the true score of
    the submission that this number is about (at first the baseline's), both in the metric's natural direction.
    """

    shown: list[float | None] = field(default_factory=list)
    true: list[float] = field(default_factory=list)
    _participant: LocalParticipant | None = None
    _problem: Problem | None = None
    _standing: float = 0.0

    def follow(self, participant: LocalParticipant, problem: Problem) -> None:
        participant.on_release = self
        self._participant, self._problem = participant, problem
        self._standing = problem.true_baseline_score()

    def __call__(self, release: "lb.Release") -> None:
        participant, problem = self._participant, self._problem
        assert participant is not None
        assert problem is not None
        if release.accepted and participant.best is not None:
            self._standing = problem.true_score(participant.best)
        self.shown.append(participant.shown)
        self.true.append(self._standing)

    def list_changes(self) -> list[tuple[int, float | None, float]]:
        """List (attempt, shown, true) at the first attempt and wherever one of them changed."""
        pairs = list(zip(self.shown, self.true, strict=True))
        return [(i + 1, *pair) for i, pair in enumerate(pairs) if i == 0 or pair != pairs[i - 1]]


def draw_trace(trace: AttackTrace, *, title: str, metric: str) -> tuple[str, bytes]:
    """Draw the trace as SVG text and PNG bytes."""

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        attempts = range(1, len(trace.shown) + 1)
        shown = [float("nan") if value is None else value for value in trace.shown]
        axes.step(attempts, shown, where="post", color=COLOURS[0], label="shown on the board")
        axes.step(attempts, trace.true, where="post", color=COLOURS[1], linestyle="--", label="true")
        axes.set(xlabel="submissions", ylabel=metric.replace("_", " "))
        axes.set_title(title, loc="left")
        axes.legend()

    drawn = draw_figure(draw, size=(6.5, 3.6), salt=title)
    return drawn["svg"].decode(), drawn["png"]
