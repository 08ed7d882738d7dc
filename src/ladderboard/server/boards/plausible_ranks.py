"""Plausible ranks: the ranks that a team's true score may have, from the released numbers alone.

Two teams are told apart where their released numbers differ by more than all pairs of a board together allow, with the
standard errors of both. Overlap of two intervals is not that test: it asks for up to √2 times as much.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ladderboard.core.records import FloatArray, IntArray, Yardstick
from ladderboard.inference.studentized_range import range_quantile
from ladderboard.mechanisms.base import Mechanism

CONFIDENCE = 0.95
_REMEMBERED = 1 << 16
"""Intervals that are not computed again with every submission; a board shows few different numbers."""


class Reach(NamedTuple):
    """A released value as a loss, and how far below and above it the true loss may lie.

    ``rounding`` of that is no chance: two roundings add up, two chances only by their squares.
    """

    loss: float
    below: float
    above: float
    rounding: float


@dataclass(frozen=True)
class Plausibility:
    """What released numbers say of true scores when ``teams`` teams are looked at together.

    Parameters
    ----------
    yardstick, mechanism
        Of the competition's public rows.
    teams
        m; rounded up to a power of two, so that ranges do not change with every team that joins.
    largest_tie
        k: no more teams than this may be equal, since the others were told apart (all of them: None).

    Notation
    --------
    z → ``critical``: q/√2, q the quantile of the range of k normal numbers (Tukey's) at 1 − (1 − α)^(k/m).

    Guarantee
    ---------
    With a probability of at least 95 %, about, every team's true rank is in its range, if the teams' errors do not
    depend on each other or are alike in sign, as those on the same rows are. Teams i and j are told apart where
    l_j − l_i > √(a_i² + b_j²), a_i and b_j the arms of the intervals of `Release.interval` with z instead of 1.96
    (Zou and Donner 2008). Step down: were no more than k teams equal, the bound of k equal ones at their share of the
    level holds (Ryan, Einot, Gabriel, Welsch). Where a mechanism shows numbers that many attempts can push up, or no
    interval can be right, there is no range.
    """

    yardstick: Yardstick
    mechanism: Mechanism
    teams: int
    largest_tie: int | None = None

    @cached_property
    def find_reach(self) -> Callable[[float, float | None], Reach | None]:
        """How far the true loss may lie from a released value with its standard error; None where that is unknown.

        What was asked before is remembered.
        """
        return lru_cache(_REMEMBERED)(self._find_reach)

    @cached_property
    def critical(self) -> float:
        teams = max(2, round_up_to_power_of_two(self.teams))
        equal = teams if self.largest_tie is None else min(teams, self.largest_tie)
        equal = max(2, equal)
        return range_quantile(-math.expm1(equal / teams * math.log(CONFIDENCE)), equal) / math.sqrt(2)

    def narrow(self, largest_tie: int) -> "Plausibility":
        """The same where no more teams than these may be equal; what it computes is remembered too."""
        size = round_up_to_power_of_two(largest_tie)
        return self._narrower.setdefault(size, replace(self, largest_tie=size))

    @cached_property
    def _narrower(self) -> "dict[int, Plausibility]":
        return {}

    def _find_reach(self, value: float, standard_error: float | None) -> Reach | None:
        found = self.mechanism.make_interval(value, standard_error, self.yardstick, z=self.critical)
        if found is None:
            return None
        loss = self.yardstick.loss(value)
        low, high = sorted(self.yardstick.loss(end) for end in found)
        rounding = max(abs(end - value) for end in self.mechanism.bracket_rounding(value, self.yardstick))
        return Reach(loss, loss - low, high - loss, rounding)


UNKNOWN = Reach(0.0, math.inf, math.inf, 0.0)


@dataclass(frozen=True, eq=False)
class Reaches:
    """The reaches of every different number on a board, by ascending loss, with how many teams have each."""

    plausibility: Plausibility
    rows: FloatArray
    counts: IntArray

    @classmethod
    def compute(
        cls, plausibility: Plausibility, shown: Sequence[tuple[float, float | None]], counts: npt.ArrayLike
    ) -> "Reaches":
        """Compute them, and again with a smaller bound for as long as fewer teams may be equal than it allows for."""
        found = cls._compute(plausibility, shown, counts)
        while True:
            narrower = plausibility.narrow(found.find_largest_tie())
            if not narrower.critical < found.plausibility.critical:
                return found
            found = cls._compute(narrower, shown, counts)

    @classmethod
    def _compute(
        cls, plausibility: Plausibility, shown: Sequence[tuple[float, float | None]], counts: npt.ArrayLike
    ) -> "Reaches":
        reaches = [plausibility.find_reach(*one) or UNKNOWN for one in shown]
        rows = np.array(reaches, dtype=np.float64).reshape(-1, 4)
        order = np.argsort(rows[:, 0], kind="stable")
        return cls(plausibility, rows[order], np.array(counts, dtype=np.intp)[order])

    @property
    def has_any(self) -> bool:
        return bool(np.isfinite(self.rows[:, 1]).any())

    def count_better(self, reach: Reach) -> int:
        """How many teams are certainly better than one of that reach."""
        return int(self.counts[_is_better(self.rows, np.array(reach))].sum())

    def count_worse(self, reach: Reach) -> int:
        """How many teams are certainly worse."""
        return int(self.counts[_is_better(np.array(reach), self.rows)].sum())

    def find_largest_tie(self) -> int:
        """At least as many teams as are equal anywhere: of equal ones none is told apart from their first.

        Those that come later are taken to reach as far as the farthest of them, so that a board of many different
        numbers needs one search for each and no comparison of all pairs.
        """
        if not len(self.rows):
            return 0
        losses, below, above, rounding = self.rows.T
        arms, roundings = (_largest_from_here_on(one) for one in (below - rounding, rounding))
        apart_from = losses + rounding + roundings + np.hypot(above - rounding, arms)
        later = np.append(np.cumsum(self.counts[::-1])[::-1], 0)
        return int(np.max(later[:-1] - later[np.searchsorted(losses, apart_from, side="right")]))

    def count_possible_winners(self) -> int:
        """Count the teams than which none is certainly better, those without a range included."""
        may_win = np.ones(len(self.rows), dtype=bool)
        for best in self._list_strongest():
            may_win &= ~_is_better(best, self.rows)
        return int(self.counts[may_win].sum())

    def _list_strongest(self) -> FloatArray:
        """The numbers of which no other is both better and surer: who is worse than any is worse than one of these."""
        losses, _, above, rounding = self.rows.T
        order = np.lexsort((above - rounding, losses + rounding))
        arms = (above - rounding)[order]
        surest_before = np.concatenate(([np.inf], np.minimum.accumulate(arms)))[:-1]
        return np.asarray(self.rows[order[arms < surest_before]])


def _largest_from_here_on(numbers: FloatArray) -> FloatArray:
    """
    >>> _largest_from_here_on(np.array([3.0, 1.0, 2.0])).tolist()
    [3.0, 2.0, 2.0]
    """
    return np.asarray(np.maximum.accumulate(numbers[::-1])[::-1])


def _is_better(one: FloatArray, other: FloatArray) -> npt.NDArray[np.bool_]:
    """Whether ``one`` is certainly better than ``other``; either may be many."""
    loss, _, above, rounding = one.T
    others, below, _, others_rounding = other.T
    chance = np.hypot(above - rounding, below - others_rounding)
    return np.asarray(others - loss > rounding + others_rounding + chance)


def round_up_to_power_of_two(number: int) -> int:
    """The least power of two that is no smaller.

    >>> [round_up_to_power_of_two(number) for number in (0, 1, 2, 3, 1024, 1025)]
    [1, 1, 2, 4, 1024, 2048]
    """
    return 1 << max(0, number - 1).bit_length()
