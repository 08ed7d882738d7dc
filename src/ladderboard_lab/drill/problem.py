"""The problem that a drill sets: a copy's shuffled labels, and the truth about any submission to it."""

from dataclasses import dataclass

import numpy as np

from ladderboard.competition import Competition
from ladderboard_lab.drill.throwaway import Copy
from ladderboard_lab.participant import Array, Briefing, IntArray
from ladderboard_lab.problems.permuted import PermutedProblem, Truth


@dataclass(frozen=True, eq=False)
class DrillProblem(PermutedProblem):
    """All rows of a solution, of which the public ones count. Labels are class codes where they are classes."""

    def public_score(self, predictions: Array) -> float:
        """The raw score on the public rows, which nobody sees but the drill."""
        return self.metric.score(self.labels[self.public], predictions[self.public])

    def true_baseline_score(self) -> float:
        baseline = self.metric.baseline(self.labels[self.public])
        if baseline.predictions is None:
            return baseline.score
        return self.true_score(np.repeat(baseline.predictions[:1], self.briefing.items, axis=0))


def make_drill_problem(
    original: Competition, copy: Copy, *, rng: np.random.Generator, known_share: float = 0.0
) -> DrillProblem:
    """What participants are told about the copy: everything public, and ``known_share`` of all labels to an insider."""
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
