"""Variance-stabilising scales: where one standard error is about as long at every score.

Released numbers lie on a fixed grid that is even on such a scale, so that the grid is neither blind near zero nor too
talkative in the middle.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from ladderboard.core.score_format import ScoreFormat


def _as_it_is(length: float) -> float:
    return length


@dataclass(frozen=True)
class Scale:
    """A monotone map ``forward`` from scores to a line on which standard errors are about equal."""

    name: str
    forward: Callable[[float], float]
    inverse: Callable[[float], float]
    slope: Callable[[float], float]
    """The derivative of ``forward``: turns a standard error of the score into one on the scale."""
    ends: tuple[float, float] | None
    """The scores at the two ends of the grid; ``None`` where they depend on the baseline's score."""
    significant_digits: int | None = None
    """Digits a released number has at least, where its size varies by powers of ten; ``None``: fixed decimals."""
    arm: Callable[[float], float] = _as_it_is
    """How far an interval's end lies on the scale, from its distance by the slope; see `LOG`."""

    def with_former_arms(self) -> "Scale":
        """The same with the intervals of the rules before `ladderboard.core.records.LINEAR_ARMS`."""
        return replace(self, arm=_as_it_is)


# Beyond these the end of the grid is released itself (a correlation of 1, an AUC of 0).
_EDGE = 1e-6
_LOG_REACH = 1e6
EVERYTHING = (-math.inf, math.inf)
"""The bounds of what has none."""


def _logit(value: float) -> float:
    return math.log(value / (1 - value))


def _expit(x: float) -> float:
    return 1 / (1 + _exp(-x))


def _exp(x: float) -> float:
    """e^x, or as good as infinite."""
    return math.exp(min(x, 700.0))


def _clip(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


PROPORTION = Scale(
    "asin_sqrt",
    forward=lambda v: math.asin(math.sqrt(_clip(v, 0.0, 1.0))),
    inverse=lambda x: math.sin(_clip(x, 0.0, math.pi / 2)) ** 2,
    slope=lambda v: 0.5 / math.sqrt(max(v * (1 - v), _EDGE)),
    ends=(0.0, 1.0),
)


def proportion_between(low: float, high: float) -> Scale:
    """The scale of a mean of values between two bounds: asin √ of its share of the way from one to the other.

    >>> scale = proportion_between(0, 5)
    >>> round(scale.inverse(scale.forward(2.5)), 9), scale.slope(2.5) == PROPORTION.slope(0.5) / 5
    (2.5, True)
    """
    width = high - low
    return Scale(
        PROPORTION.name,
        forward=lambda v: PROPORTION.forward((v - low) / width),
        inverse=lambda x: low + width * PROPORTION.inverse(x),
        slope=lambda v: PROPORTION.slope((v - low) / width) / width,
        ends=(low, high),
    )


LOGIT = Scale(
    "logit",
    forward=lambda v: _logit(_clip(v, _EDGE, 1 - _EDGE)),
    inverse=_expit,
    slope=lambda v: 1 / max(v * (1 - v), _EDGE),
    ends=(0.0, 1.0),
)
FISHER_Z = Scale(
    "fisher_z",
    forward=lambda v: math.atanh(_clip(v, _EDGE - 1, 1 - _EDGE)),
    inverse=math.tanh,
    slope=lambda v: 1 / max(1 - v * v, _EDGE),
    ends=(-1.0, 1.0),
)
LOG = Scale(
    "log",
    forward=math.log,
    inverse=_exp,
    slope=lambda v: 1 / v,
    ends=None,
    significant_digits=4,
    # The upper end lies x·v above a score v whose error is x·v, and the lower end mirrors it on the scale. By the slope
    # alone it would lie at v·e^x, and the few large errors that make x large would widen the interval without end.
    arm=math.log1p,
)
LOG_COMPLEMENT = Scale(
    "log_complement",
    forward=lambda v: -math.log(max(1 - v, 1 / _LOG_REACH)),
    inverse=lambda x: 1 - _exp(-x),
    slope=lambda v: 1 / max(1 - v, 1 / _LOG_REACH),
    ends=(1 - _LOG_REACH, 1.0),
    arm=math.log1p,
)
IDENTITY = Scale("identity", forward=lambda v: v, inverse=lambda x: x, slope=lambda _: 1.0, ends=None)


@dataclass(frozen=True)
class Grid:
    """The fixed, finite set of numbers a mechanism may release.

    Made from the scale of the metric, the score ``centre`` of the public baseline, the ``step`` on the scale and the
    metric's ``bounds``. A bound within reach is on the grid, and nothing is beyond it. Other numbers are even on the
    scale and then written with a fixed number of decimals (or of significant digits, where the scale says so), a tenth
    of a step at the centre or finer. Near the ends of a scale that may be coarser than a step.

    >>> grid = Grid.around(0.5, scale=PROPORTION, standard_error=0.05, fraction=0.5)
    >>> grid.nearest(0.3137), grid.nearest(0.32), grid.nearest(0.36)
    (0.319, 0.319, 0.366)
    >>> grid.size
    64
    """

    scale: Scale
    step: float
    low: float
    high: float
    decimals: int
    bounds: tuple[float, float] = EVERYTHING

    @classmethod
    def around(
        cls,
        centre: float,
        *,
        scale: Scale,
        standard_error: float,
        fraction: float,
        bounds: tuple[float, float] = EVERYTHING,
    ) -> "Grid":
        """The grid whose step is ``fraction`` null standard errors, measured on the scale at ``centre``."""
        low, high = scale.ends if scale.ends is not None else _reach(centre, scale, standard_error)
        return cls(
            scale=scale,
            step=fraction * standard_error * scale.slope(centre),
            low=max(low, bounds[0]),
            high=min(high, bounds[1]),
            decimals=max(0, math.ceil(-math.log10(fraction * standard_error)) + 1),
            bounds=bounds,
        )

    def nearest(self, value: float) -> float:
        """The grid's number nearest to ``value`` on the scale, as it is written; one of the two that enclose it."""
        first, last = self._ends
        if self._has_zero and value < self._number(first):
            return _clip(0.0, *self.bounds)
        value = _clip(value, self.low, self.high)
        nearest = below = min(max(self._index(value), first), last)
        # Where decimals are coarser than steps a number's own nearest may be its neighbour: stay between the two that
        # enclose the value, so that a number of the grid is released as itself.
        while below > first and self._number(below) > value:
            below -= 1
        while below < last and self._number(below + 1) <= value:
            below += 1
        above = below if self._number(below) == value else min(below + 1, last)
        return _clip(self._number(nearest), self._number(below), self._number(above))

    @property
    def score_format(self) -> ScoreFormat:
        """How its numbers are written."""
        return ScoreFormat(decimals=self.decimals) if self._digits is None else ScoreFormat(digits=self._digits)

    @property
    def size(self) -> int:
        """V, the number of values a release can take, at most; zero is one more where it has no place on the scale."""
        first, last = self._ends
        return last - first + 1 + self._has_zero

    def shift(self, value: float, steps: float) -> float:
        """The score ``steps`` grid steps above ``value`` on the scale, kept within the ends."""
        x = self.scale.forward(min(max(value, self.low), self.high)) + steps * self.step
        return self._round_to_shown(min(max(self.scale.inverse(x), self.low), self.high))

    @cached_property
    def _ends(self) -> tuple[int, int]:
        """The first and the last index; natural ends are on the grid, others contain it."""
        first = self._index(self.low) if self._starts else math.ceil(self.scale.forward(self.low) / self.step)
        last = self._index(self.high) if self._stops else math.floor(self.scale.forward(self.high) / self.step)
        return first, last

    @property
    def _starts(self) -> bool:
        """Whether the low end is a natural one: of the scale or of the metric."""
        return self.scale.ends is not None or self.low == self.bounds[0]

    @property
    def _stops(self) -> bool:
        """Whether the high end is a natural one."""
        return self.scale.ends is not None or self.high == self.bounds[1]

    @property
    def _has_zero(self) -> bool:
        """Whether values below the grid are shown as zero."""
        return scale_is_log(self.scale) and not self._starts

    def _index(self, value: float) -> int:
        return round(self.scale.forward(value) / self.step)

    def _number(self, index: int) -> float:
        """The number at an index: never lower for a greater one."""
        first, last = self._ends
        if self._starts and index == first:
            return self.low
        if self._stops and index == last:
            return self.high
        return self._round_to_shown(self.scale.inverse(index * self.step))

    def _round_to_shown(self, value: float) -> float:
        """As it is written; rounding carries nothing over the metric's bounds."""
        if self._digits is None:
            return _clip(round(value, self.decimals), *self.bounds) + 0.0  # no negative zero
        return _clip(float(f"{value:.{self._digits}g}"), *self.bounds)

    @property
    def _digits(self) -> int | None:
        """Significant digits of its numbers; None: they have fixed decimals."""
        fewest = self.scale.significant_digits
        return None if fewest is None else max(fewest, math.ceil(-math.log10(self.step)) + 1)


def scale_is_log(scale: Scale) -> bool:
    """Whether a score of zero has no place on the scale and is shown as it is."""
    return scale.name == LOG.name


def _reach(centre: float, scale: Scale, standard_error: float) -> tuple[float, float]:
    """Finite ends for scales without natural ones: generous, but the leakage meter needs a number of values."""
    if scale_is_log(scale):
        return centre / _LOG_REACH, centre * _LOG_REACH
    return centre - 1000 * standard_error, centre + 1000 * standard_error
