"""How many standard errors a gain needs to pass a paired test, from public facts alone.

A paired test is harder than its level says where few items carry the difference (`pairwise.self_normalised_bound`), and
where one pseudo-item stands for losses that were not seen (`pairwise.paired_p_value`). Neither is known beforehand: the
constants are those of the metrics in ``benchmarks.coverage``, and ``python -m benchmarks.gains`` checks them.
"""

import math
from typing import NamedTuple

from ladderboard.core.records import Yardstick
from ladderboard.inference.pairwise import SMALLEST_SUPPORT

CARRIERS = 5.5
"""One in so many items carries a difference of bounded losses: the kurtosis of the paired differences."""
CARRIERS_OPEN = 7.0
"""The same of losses without a bound."""
FEWER = 10
"""The bound for few items begins to matter at so many more than `SMALLEST_SUPPORT`: their number varies."""
PSEUDO_ITEM = 4.0
"""The pseudo-item of losses without a bound, in standard deviations of the differences."""


class ItemShare(NamedTuple):
    """A share of a test set's units."""

    yardstick: Yardstick
    share: float

    @property
    def units(self) -> float:
        return self.share * self.yardstick.units


def find_needed_errors(part: ItemShare, level: float, *, is_proof: bool = False, is_first: bool = False) -> float:
    """How many of its standard errors a gain needs on that part for its p-value to reach the level.

    ``is_proof``: the test has the pseudo-item of losses without a bound. ``is_first``: it is against the baseline, from
    which bounded losses differ on most items.
    """
    from scipy.special import ndtri

    is_open = not math.isfinite(part.yardstick.bounds[1] - part.yardstick.bounds[0])
    carriers = part.units / (CARRIERS_OPEN if is_open else CARRIERS)
    usual, bound = -float(ndtri(level)), math.sqrt(-2 * math.log(level))
    if is_first and not is_open:
        return usual
    often = min(max(1 - carriers / (SMALLEST_SUPPORT + FEWER), 0.0), 1.0)
    needed = usual + often * max(0.0, bound - usual)
    if not (is_open and is_proof):
        return needed
    return needed * math.sqrt(1 + PSEUDO_ITEM**2 / part.units) + PSEUDO_ITEM / math.sqrt(part.units)
