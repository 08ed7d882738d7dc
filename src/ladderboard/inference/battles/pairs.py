"""The battles by pair of systems: what the strengths need of them does not grow with their number."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ladderboard.core.records import FloatArray, IntArray


class BattleRecords(Protocol):
    """What is known of the battles: `ladderboard.Battles`, or anything with these fields."""

    @property
    def systems(self) -> tuple[str, ...]: ...
    @property
    def first(self) -> IntArray: ...
    @property
    def second(self) -> IntArray: ...
    @property
    def outcomes(self) -> FloatArray: ...
    @property
    def items(self) -> tuple[str, ...] | None: ...
    @property
    def covariates(self) -> FloatArray | None: ...
    @property
    def covariate_names(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs that met, the lower place of the two first."""

    low: IntArray
    high: IntArray
    counts: FloatArray
    """How many battles each pair had."""
    points: FloatArray
    """The points of the lower place in them: 1 for a win, ½ for a tie."""
    places: IntArray = field(repr=False)
    """The pair of each battle."""
    signs: FloatArray = field(repr=False)
    """Of each battle: −1 where its systems are the other way round."""

    def sum_over_battles(self, values: FloatArray) -> FloatArray:
        """The sum of one value for each battle, over the battles of each pair."""
        return np.asarray(np.bincount(self.places, values, len(self.low)), dtype=np.float64)

    def sum_by_system(self, values: FloatArray, systems: int) -> FloatArray:
        """Σ value·(e_low − e_high) over the pairs."""
        return np.asarray(np.bincount(self.low, values, systems) - np.bincount(self.high, values, systems))

    def make_laplacian(self, weights: FloatArray, systems: int) -> FloatArray:
        """Σ weight·(e_low − e_high)(e_low − e_high)ᵀ over the pairs."""
        both = np.zeros((systems, systems))
        both[self.low, self.high] = both[self.high, self.low] = weights
        return np.diag(both.sum(axis=1)) - both


def number_pairs(battles: BattleRecords) -> Pairs:
    """Find the pairs that met, and the pair of each battle."""
    systems = len(battles.systems)
    low, high = np.minimum(battles.first, battles.second), np.maximum(battles.first, battles.second)
    keys = low.astype(np.int64) * systems + high
    counts = np.bincount(keys, minlength=systems**2)
    met = np.flatnonzero(counts)
    places = (np.cumsum(counts > 0) - 1)[keys]
    signs = np.where(battles.first <= battles.second, 1.0, -1.0)
    outcomes = np.where(signs > 0, battles.outcomes, 1 - battles.outcomes)
    return Pairs(
        low=met // systems,
        high=met % systems,
        counts=counts[met].astype(np.float64),
        points=np.asarray(np.bincount(places, outcomes, len(met)), dtype=np.float64),
        places=places,
        signs=signs,
    )
