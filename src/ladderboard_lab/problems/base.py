"""A problem of the laboratory: labels that the arena knows, and how to brief a participant about it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import ladderboard as lb
from ladderboard_lab.participant import Array, Briefing, IntArray, LocalParticipant


@dataclass(frozen=True, eq=False)
class Problem:
    """Labels of the public and the private part, and the truth about any submission.

    ``labels`` has one entry for each of ``briefing.items``; ``public`` are the items whose labels the board scores.
    ``true_score`` is the expected score of a submission on fresh items, known by construction or measured on the
    private part.
    """

    briefing: Briefing
    labels: Array
    public: IntArray
    true_score: Callable[[Array], float]

    def open_board(
        self,
        mechanism: "str | lb.Mechanism",
        *,
        seed: int,
        instances: Literal["team", "rank"] = "team",
        repeats_are_free: bool = True,
    ) -> LocalParticipant:
        """A fresh board with that mechanism, and the attacker's account on it."""
        board = lb.Leaderboard(
            self.labels[self.public],
            metric=self.briefing.metric,
            mechanism=mechanism,
            instances=instances,
            remembers_repeats=repeats_are_free,
            seed=seed,
        )
        return LocalParticipant(self.briefing, board, self.public)

    def public_score(self, predictions: Array) -> float:
        """The raw score on the public part, which no participant sees."""
        return lb.METRICS[self.briefing.metric].score(self.labels[self.public], predictions[self.public])

    def overfit(self, predictions: Array, reported: float) -> float:
        """True loss minus reported loss: how much better the number looks than the submission is."""
        return self.briefing.loss(self.true_score(predictions)) - self.briefing.loss(reported)
