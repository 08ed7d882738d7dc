"""The seeds and prompts with which systems were run, beside the mean over them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ladderboard.core.records import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ConditionLosses:
    """The seeds and prompts with which each system was run, of which a loss matrix holds the means.

    Seeds belong to their system (seed 1 of two systems has nothing in common); prompts are the same for all.
    """

    losses: tuple[FloatArray, ...] = field(repr=False)
    """For each system items × seeds × prompts."""
    seeds: tuple[tuple[str, ...], ...]
    """For each system; one empty name where it has a single seed that is not named."""
    prompts: tuple[str, ...]
    """One empty name where prompts are not varied."""

    def select(self, columns: Sequence[int]) -> "ConditionLosses":
        """Some systems only."""
        chosen = tuple(self.losses[column] for column in columns)
        return replace(self, losses=chosen, seeds=tuple(self.seeds[column] for column in columns))

    def take_items(self, rows: Sequence[int] | IntArray) -> "ConditionLosses":
        """Some items (rows) only."""
        return replace(self, losses=tuple(table[rows] for table in self.losses))
