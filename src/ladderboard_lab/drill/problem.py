"""The problem of a drill: a copy's shuffled labels, and the true score of any submission."""

from dataclasses import dataclass

import numpy as np

from ladderboard.competition import Competition
from ladderboard_lab.drill.throwaway import Copy
from ladderboard_lab.participant import Array, Briefing, IntArray
from ladderboard_lab.problems.permuted import PermutedProblem, Truth


@dataclass(frozen=True, eq=False)
class DrillProblem(PermutedProblem):
    """All rows of a solution, of which the public ones count. Class labels are class codes."""

    def public_score(self, predictions: Array) -> float:
        """Compute the raw score on the public rows, which only the drill sees."""
        return self.metric.score(self.labels[self.public], predictions[self.public])

    def true_baseline_score(self) -> float:
        baseline = self.metric.baseline(self.labels[self.public])
        if baseline.predictions is None:
            return baseline.score
        return self.true_score(np.repeat(baseline.predictions[:1], self.briefing.items, axis=0))


def make_drill_problem(
    original: Competition, copy: Copy, *, rng: np.random.Generator, known_share: float = 0.0
) -> DrillProblem:
    """Make the copy's problem; an insider knows ``known_share`` of all labels."""
    target = original.metric.kind.read_labels(copy.labels)
    metric, values = original.metric.for_classes(target.classes), target.values
    public: IntArray = np.flatnonzero(copy.is_public)
    known = np.sort(rng.permutation(len(values))[: round(known_share * len(values))])
    briefing = Briefing(
        metric=metric.name,
        lower_is_better=metric.lower_is_better,
        items=len(values),
        classes=len(target.classes),
        known_items=known,
        known_labels=values[known],
    )
    unknown = np.flatnonzero(~np.isin(public, known))
    truth = Truth(metric, values[public], unknown, int(rng.integers(2**62)))
    return DrillProblem(briefing, values, public, lambda predictions: truth(predictions[public]), metric)
