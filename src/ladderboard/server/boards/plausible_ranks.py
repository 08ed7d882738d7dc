"""Plausible ranks: the ranks that a team's true score may have, from the released numbers alone.

Every team gets an interval for its true score, all of them right at once. A team is *certainly better* than another
where its whole interval is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ladderboard.core.records import Yardstick
from ladderboard.mechanisms.base import Mechanism

CONFIDENCE = 0.95
Ends = tuple[float, float]
_REMEMBERED = 1 << 16
"""Intervals that are not computed again with every submission; a board shows few different numbers."""


@dataclass(frozen=True)
class Plausibility:
    """What released numbers say of true scores when ``teams`` teams are looked at together.

    Parameters
    ----------
    yardstick, mechanism
        Of the competition's public rows.
    teams
        m; rounded up to a power of two, so that ranges do not change with every team that joins.

    Notation
    --------
    z → ``critical``: the normal quantile at 1 − α/(2m), Bonferroni's correction for m intervals.

    Guarantee
    ---------
    With a probability of at least 95 %, about, every team's true rank is in its range: the intervals are those of
    `Release.interval` with z instead of 1.96, and the teams' errors may depend on each other in any way. Where a
    mechanism shows numbers that many attempts can push up, or no interval can be right, there is no range.
    """

    yardstick: Yardstick
    mechanism: Mechanism
    teams: int

    @cached_property
    def bracket_loss(self) -> Callable[[float, float | None], Ends | None]:
        """The least and the greatest true loss that is plausible for a released value with its standard error.

        None where that is unknown. What was asked before is remembered.
        """
        return lru_cache(_REMEMBERED)(self._bracket_loss)

    @cached_property
    def critical(self) -> float:
        from scipy.special import ndtri

        return float(-ndtri((1 - CONFIDENCE) / round_up_to_power_of_two(self.teams) / 2))

    def _bracket_loss(self, value: float, standard_error: float | None) -> Ends | None:
        found = self.mechanism.make_interval(value, standard_error, self.yardstick, z=self.critical)
        if found is None:
            return None
        low, high = sorted(self.yardstick.loss(end) for end in found)
        return low, high


def round_up_to_power_of_two(number: int) -> int:
    """The least power of two that is no smaller.

    >>> [round_up_to_power_of_two(number) for number in (0, 1, 2, 3, 1024, 1025)]
    [1, 1, 2, 4, 1024, 2048]
    """
    return 1 << max(0, number - 1).bit_length()
