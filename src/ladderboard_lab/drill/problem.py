"""The problem of a drill: a copy's shuffled labels, and the true score of any submission."""

import numpy as np

from ladderboard.competition import Competition
from ladderboard_lab.drill.throwaway import Copy
from ladderboard_lab.participant import IntArray
from ladderboard_lab.problems.base import Problem, brief_insider
from ladderboard_lab.problems.permuted import Truth


def make_drill_problem(
    original: Competition, copy: Copy, *, rng: np.random.Generator, known_share: float = 0.0
) -> Problem:
    """Make the copy's problem; an insider knows ``known_share`` of all labels. Class labels are class codes."""
    target = original.metric.kind.read_labels(copy.labels)
    metric, values = original.metric.for_classes(target.classes), target.values
    public: IntArray = np.flatnonzero(copy.is_public)
    briefing = brief_insider(rng, metric, values, classes=len(target.classes), known_share=known_share)
    unknown = np.flatnonzero(~np.isin(public, briefing.known_items))
    truth = Truth(metric, values[public], unknown, int(rng.integers(2**62)))
    return Problem(metric, briefing, values, public, lambda predictions: truth(predictions[public]))
