"""A problem of the laboratory: labels that the arena knows, and how to brief a participant about it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

import ladderboard as lb
from ladderboard_lab.participant import Array, Briefing, IntArray, LocalParticipant


@dataclass(frozen=True, eq=False)
class Problem:
    """Labels of the public and the private part, and the truth about any submission.

    ``metric`` scores submissions. ``labels`` has one entry for each of ``briefing.items``; ``public`` are the items
    whose labels the board scores. ``true_score`` is the expected score of a submission on fresh items, known by
    construction or measured on the private part.
    """

    metric: "lb.Metric"
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
            metric=self.metric,
            mechanism=mechanism,
            instances=instances,
            remembers_repeats=False,  # the participant's memory is the host's: it knows whole submissions
            seed=seed,
        )
        return LocalParticipant(self.briefing, board, self.public, repeats_are_free=repeats_are_free)

    def public_score(self, predictions: Array) -> float:
        """The raw score on the public part, which no participant sees."""
        return self.metric.score(self.labels[self.public], predictions[self.public])

    def true_baseline_score(self) -> float:
        """The true score of the public baseline, which the board shows until something is accepted."""
        baseline = self.metric.baseline(self.labels[self.public])
        if baseline.predictions is None:
            return baseline.score
        return self.true_score(np.repeat(baseline.predictions[:1], self.briefing.items, axis=0))

    def overfit(self, predictions: Array, reported: float) -> float:
        """True loss minus reported loss: how much better the number looks than the submission is."""
        return self.briefing.loss(self.true_score(predictions)) - self.briefing.loss(reported)


def brief_insider(
    rng: np.random.Generator, metric: "lb.Metric", labels: Array, *, classes: int, known_share: float
) -> Briefing:
    """Brief a participant who holds a random ``known_share`` of the labels."""
    known = np.sort(rng.permutation(len(labels))[: round(known_share * len(labels))])
    return Briefing(
        metric=metric.name,
        lower_is_better=metric.lower_is_better,
        items=len(labels),
        classes=classes,
        known_items=known,
        known_labels=labels[known],
    )
