"""The power of paired tests against an entry or the baseline, and the gain that has it, from public facts alone."""

import math
from collections.abc import Callable

from ladderboard.inference.needed_errors import ItemShare, find_needed_errors
from ladderboard.inference.power import distance_to_best, find_mcnemar_power

MOST_ERRORS = 64.0
"""How many standard errors a gain is searched among where there is no best score."""


def power_against_entry(part: ItemShare, gain: float, level: float, error: float, *, is_proof: bool = False) -> float:
    """P(paired p-value on that part ≤ level) for a true gain as noisy as a score of standard error ``error``.

    ``is_proof``: the test has the pseudo-item of losses without a bound.
    """
    from scipy.special import ndtr, ndtri

    own, units = error / math.sqrt(part.share), part.units
    if part.yardstick.paired_test != "mcnemar":
        return float(ndtr(gain / own - find_needed_errors(part, level, is_proof=is_proof)))
    changed = (error * math.sqrt(part.yardstick.units)) ** 2 + gain**2
    return float(ndtr((gain - 1 / units + float(ndtri(level)) * math.sqrt(changed / units)) / own))


def power_against_baseline(part: ItemShare, gain: float, level: float, *, is_proof: bool = False) -> float:
    """The same for a first submission: where losses are 0 or 1, the baseline's errors are known."""
    from scipy.special import ndtr

    yardstick = part.yardstick
    reach = distance_to_best(yardstick)
    if yardstick.paired_test == "mcnemar" and reach is not None:
        candidate = max(0.0, reach - gain)
        return find_mcnemar_power(units=round(part.units), baseline=reach, candidate=candidate, alpha=level)
    own = yardstick.null_standard_error / math.sqrt(part.share)
    return float(ndtr(gain / own - find_needed_errors(part, level, is_proof=is_proof, is_first=True)))


def find_gain(power: Callable[[float], float], wanted: float, *, unit: float, reach: float | None) -> float | None:
    """The least gain with that power, to a thousandth; None where the best possible score, ``reach`` away, has less."""
    low, high = 0.0, MOST_ERRORS * unit if reach is None else reach
    if power(high) < wanted:
        return None
    while high - low > 0.001 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= wanted else (middle, high)
    return high
