"""What a probe works on, and what it says."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ladderboard.competition import Competition
from ladderboard_lab.drill.problem import DrillProblem, drill_problem
from ladderboard_lab.drill.strangers import Stranger, sign_up
from ladderboard_lab.drill.throwaway import Copy, RunningServer
from ladderboard_lab.participant import Array


@dataclass(frozen=True)
class Probed:
    """Whether a trick failed, and what was seen."""

    probe: str
    holds: bool
    words: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Scene:
    """A copy of a competition on a live server."""

    competition: Competition
    copy: Copy
    server: RunningServer
    rng: np.random.Generator

    def problem(self) -> DrillProblem:
        return drill_problem(self.competition, self.copy, rng=self.rng)

    def stranger(self, name: str) -> Stranger:
        """A new account with a team of its own."""
        return sign_up(self.server.url, self.copy.slug, self.problem().briefing, name=name)

    def guesses(self) -> Array:
        """Valid predictions without skill: the labels in another order."""
        metric = self.competition.metric
        target = metric.kind.read_labels(self.copy.labels)
        if metric.kind.takes in ("survival", "scores"):
            return self.rng.random(len(target))
        predictions = metric.for_classes(target.classes).labels_as_predictions(self.rng.permutation(target.values))
        return np.asarray(predictions)

    def some(self, usage: str, count: int) -> Array:
        """So many rows of the public or of the private part, or as many as there are."""
        rows = self.competition.solution.rows(usage)  # type: ignore[arg-type]
        return rows[:count]
