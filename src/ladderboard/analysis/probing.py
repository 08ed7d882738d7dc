"""Probing in recorded submissions: runs of one team's files that differ in a handful of rows.

A file that differs from the one before in three rows asks the board about three labels. Honest models of one person
differ in many more rows; real-valued predictions differ in nearly all.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

SHORTEST_RUN = 6
"""Submissions in a row; fewer may be repairs of a file."""
HANDFUL = 20
"""Rows, and never more than one in fifty."""


@dataclass(frozen=True)
class ProbingRun:
    """A run of submissions of one team, each of which differs from the one before in a handful of rows."""

    team: str
    submissions: int
    most_rows: int
    """The most rows in which two neighbours differ."""

    def sentence(self) -> str:
        """The finding in plain words."""
        return (
            f"{self.team}: {self.submissions} submissions in a row differ in at most {self.most_rows} rows; that reads "
            "labels off the board rather than improving a model."
        )


def find_probing(submissions: Iterable[tuple[str, Any]]) -> tuple[ProbingRun, ...]:
    """The runs among (team, predictions) in the order of time; each team's longest.

    >>> labels = np.zeros(1000, dtype=int)
    >>> flipped = [np.where(np.arange(1000) < row, 1, labels) for row in range(8)]
    >>> find_probing([("probe", one) for one in flipped])
    (ProbingRun(team='probe', submissions=8, most_rows=1),)
    """
    of_team: dict[str, list[Any]] = {}
    for team, predictions in submissions:
        of_team.setdefault(team, []).append(np.asarray(predictions))
    runs = [_find_longest_run(team, files) for team, files in of_team.items()]
    return tuple(run for run in runs if run.submissions >= SHORTEST_RUN)


def _find_longest_run(team: str, files: list[Any]) -> ProbingRun:
    longest = current = ProbingRun(team, 1, 0)
    for before, now in pairwise(files):
        changed = _count_changed(before, now)
        if 0 < changed <= min(HANDFUL, max(2, len(now) // 50)):
            current = ProbingRun(team, current.submissions + 1, max(current.most_rows, changed))
        else:
            current = ProbingRun(team, 1, 0)
        longest = max(longest, current, key=lambda run: run.submissions)
    return longest


def _count_changed(before: Any, now: Any) -> int:
    differs = before != now
    return int(np.count_nonzero(differs.any(axis=1) if differs.ndim == 2 else differs))
