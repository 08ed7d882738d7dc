"""A run: the scores of one system on the items of one task, as one file has them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ladderboard.core.records import FloatArray


@dataclass(frozen=True, eq=False)
class Run:
    """The scores of one system on items of one task, from one file."""

    system: str
    file: str
    items: tuple[str, ...] = field(repr=False)
    """The item of each score; one that comes several times has been repeated."""
    scores: Mapping[str, FloatArray] = field(repr=False)
    """Name of the score → one number for each entry of ``items``; NaN where it is missing."""
    task: str = ""
    higher_is_better: dict[str, bool] = field(default_factory=dict, repr=False)
    """As far as the file says."""
    date: str | None = None
    contents: tuple[str, ...] | None = field(default=None, repr=False)
    """A hash of each item's content: items of one name must be the same in all runs. Empty: not known."""
    groups: tuple[str, ...] | None = field(default=None, repr=False)
    costs: Mapping[str, FloatArray] = field(default_factory=dict, repr=False)
    """Unit, such as USD → the cost of each entry of ``items``; NaN where it is not given."""
    limit: int | None = None
    """How many samples of the task were run, where the file says that these are not all."""

    @cached_property
    def scored(self) -> frozenset[str]:
        """The items with a score of any name."""
        given = self._given
        return frozenset(item for item, has_score in zip(self.items, given, strict=True) if has_score)

    @cached_property
    def size(self) -> tuple[int, float, int]:
        """How full the run is: the items that have a score, the samples behind these, and the scores with repeats."""
        return len(self.scored), np.inf if self.limit is None else self.limit, int(self._given.sum())

    @property
    def name(self) -> str:
        """System and task, for messages; the item where it is the only one and there are no tasks."""
        task = self.task or (self.items[0] if len(self.items) == 1 else "")
        return f"{self.system} on {task}" if task else self.system

    @cached_property
    def _given(self) -> FloatArray:
        given = np.zeros(len(self.items), dtype=bool)
        for numbers in self.scores.values():
            given |= ~np.isnan(np.asarray(numbers, dtype=np.float64))
        return given
