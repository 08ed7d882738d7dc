"""Plausible ranks: how far a place on the public board may be luck, told from the released numbers alone.

Every team gets an interval for its true score, all of them right at once. A team is *certainly better* than another
where its whole interval is. Ends of intervals are monotone in the released value, so "who is certainly better than this
one" is a limit on a value, and a rank range is two counts over an index, however many teams there are.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ladderboard.core.records import Yardstick
from ladderboard.core.scales import PROPORTION, Grid
from ladderboard.mechanisms.base import Mechanism

CONFIDENCE = 0.95


@dataclass(frozen=True)
class PlausibleLimits:
    """Losses: who is below ``better`` is certainly better, who is above ``worse`` certainly worse."""

    better: float
    worse: float


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
    z → ``critical``: the normal quantile at 1 − α/(2m), Bonferroni's correction for m intervals; n → ``_effective``.

    Guarantee
    ---------
    Approximate, for a team's single submission: with a probability of at least 95 % every team's true rank is in its
    range. The teams' errors may depend on each other in any way. What a mechanism adds is allowed for: half a step of
    its grid, the noise it draws. What a team gains by choosing among its own submissions is not, as in
    `Release.interval`; that is what the mechanism is there to bound.

    Departures
    ----------
    Metrics with two ends (accuracy, AUC, correlations) get Wilson's interval, which is right at the ends too, with the
    number of items that has the metric's null standard error. The others get ± z null standard errors on their scale.
    """

    yardstick: Yardstick
    mechanism: Mechanism
    teams: int

    def limits(self, value: float) -> PlausibleLimits:
        """The limits around a released value, as losses."""
        low, high = self._two_ended(value) if self._is_bounded else self._find_reach(value)
        return PlausibleLimits(low, high) if self.yardstick.lower_is_better else PlausibleLimits(-high, -low)

    @cached_property
    def critical(self) -> float:
        from scipy.special import ndtri

        return float(-ndtri(self._level / 2))

    @property
    def _level(self) -> float:
        return (1 - CONFIDENCE) / power_of_two(self.teams)

    # -- a metric with two ends ---------------------------------------------------------------------------------------

    @property
    def _is_bounded(self) -> bool:
        return all(math.isfinite(end) for end in self.yardstick.bounds)

    def _two_ended(self, value: float) -> tuple[float, float]:
        """Wilson's interval inverts the score test, so the value whose upper end is u is u − z√(u(1−u)/n)."""
        lower = self._wilson(self._share(self._move(value, -1)), -1)
        upper = self._wilson(self._share(self._move(value, 1)), 1)
        below = lower - self.critical * math.sqrt(lower * (1 - lower) / self._effective)
        above = upper + self.critical * math.sqrt(upper * (1 - upper) / self._effective)
        return (
            -math.inf if below <= 0 else self._move(self._value(below), -1),
            math.inf if above >= 1 else self._move(self._value(above), 1),
        )

    def _wilson(self, share: float, side: int) -> float:
        z, n = self.critical, self._effective
        centre = share + z * z / (2 * n)
        half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        return min(max((centre + side * half) / (1 + z * z / n), 0.0), 1.0)

    @cached_property
    def _effective(self) -> float:
        """n, or fewer where the null standard error is that of fewer items. A mean of [0, 1] never varies more."""
        low, high = self.yardstick.bounds
        baseline, error = self._share(self.yardstick.baseline_score), self.yardstick.null_standard_error / (high - low)
        spread = baseline * (1 - baseline) or 0.25
        return max(1.0, min(float(self.yardstick.units), spread / error**2)) / self._resampling**2

    def _share(self, value: float) -> float:
        low, high = self.yardstick.bounds
        return min(max((value - low) / (high - low), 0.0), 1.0)

    def _value(self, share: float) -> float:
        low, high = self.yardstick.bounds
        return low + share * (high - low)

    # -- the others ---------------------------------------------------------------------------------------------------

    def _find_reach(self, value: float) -> tuple[float, float]:
        reach = 2 * self.critical * self._resampling / self._fraction
        low, high = self._shift(self._move(value, -2), -reach), self._shift(self._move(value, 2), reach)
        # The ends of the grid stand for everything beyond them.
        return (
            -math.inf if low <= self._grid.low else min(low, value),
            math.inf if high >= self._grid.high else max(high, value),
        )

    # -- what the mechanism adds --------------------------------------------------------------------------------------

    def _move(self, value: float, side: int) -> float:
        """Move a release as far as rounding and noise may have moved it, ``side`` times."""
        return self._shift(value, side / 2) + side * self._noise

    def _shift(self, value: float, steps: float) -> float:
        """Move a value by a number of grid steps on the scale, without rounding."""
        grid, scale = self._grid, self.yardstick.scale
        x = scale.forward(min(max(value, grid.low), grid.high)) + steps * grid.step
        if scale is PROPORTION:
            x = min(max(x, 0.0), math.pi / 2)
        return min(max(scale.inverse(x), grid.low), grid.high)

    @cached_property
    def _noise(self) -> float:
        """What Laplace noise stays below for all teams at once; 0 where none is drawn."""
        noise_for: Any = getattr(self.mechanism, "noise_for", None)
        return 0.0 if noise_for is None else float(noise_for(self.yardstick)) * math.log(1 / self._level)

    @property
    def _resampling(self) -> float:
        """A release that is one resampled score varies about the score as much as the score about the truth."""
        return math.sqrt(2) if self.mechanism.is_noisy and not self._noise else 1.0

    @cached_property
    def _grid(self) -> Grid:
        return self.yardstick.grid(self._fraction)

    @property
    def _fraction(self) -> float:
        return self.mechanism.grid_fraction()


def power_of_two(number: int) -> int:
    """The least power of two that is no smaller.

    >>> [power_of_two(number) for number in (0, 1, 2, 3, 1024, 1025)]
    [1, 1, 2, 4, 1024, 2048]
    """
    return 1 << max(0, number - 1).bit_length()
