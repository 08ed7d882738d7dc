"""The power of the entry test: the probability that a first submission better than the baseline passes.

The Spending and the Witness Ladder test a first submission against the public baseline at level α/t. On a small holdout
a real improvement often fails that test; a user should know before, not guess after.
"""

import math
from functools import lru_cache

import numpy as np

from ladderboard.core.records import FloatArray, IntArray, Yardstick
from ladderboard.inference.needed_errors import ItemShare, find_needed_errors

SENSIBLE_IMPROVEMENT = 0.2
"""The improvement that should be seen: a fifth of the baseline's loss (error .5 → .4, AUC .5 → .6, R² 0 → .2)."""
ENOUGH_POWER = 0.5
"""Below this, a first submission with a sensible improvement is more likely missed than seen."""
GOOD_POWER = 0.8
"""The power that is planned for."""
MANY_CHANGES = 2000
"""From so many changed items on the normal approximation of McNemar's power is within .002."""
_REACH = 6.5
"""Standard deviations of the number of changed items that are summed over; beyond lie less than 1e-10."""


def entry_power(
    yardstick: Yardstick, *, gate_share: float = 1.0, alpha: float = 0.05, improvement: float = SENSIBLE_IMPROVEMENT
) -> float | None:
    """The probability that a first submission with a real ``improvement`` passes the entry test at the first attempt.

    ``improvement`` is a share of the baseline's loss: its distance from the best possible score. ``gate_share`` of the
    units decide, at level ``alpha``. None where the metric has no best possible score.
    """
    reach = distance_to_best(yardstick)
    if reach is None:
        return None
    if yardstick.paired_test == "mcnemar":
        units = round(gate_share * yardstick.units)
        return find_mcnemar_power(units=units, baseline=reach, candidate=(1 - improvement) * reach, alpha=alpha)
    error = yardstick.null_standard_error / math.sqrt(gate_share)
    level = _find_usual_level(ItemShare(yardstick, gate_share), alpha)
    return normal_power(improvement=improvement * reach, standard_error=error, alpha=level)


def smallest_visible_improvement(
    yardstick: Yardstick, *, gate_share: float = 1.0, alpha: float = 0.05, power: float = GOOD_POWER
) -> float | None:
    """The smallest true improvement over the baseline that passes the entry test with that power, in score units.

    None where not even the best possible score would. For 0/1 losses it is found to a hundredth of itself by bisection
    on `mcnemar_power` (`normal_mcnemar_power` where many items change); otherwise it is SE·(z_{1−α} + z_power), with
    more than z_{1−α} where few items carry the difference.
    """
    from scipy.special import ndtri

    reach = distance_to_best(yardstick)
    if yardstick.paired_test == "mcnemar" and reach is not None:
        return _smallest_mcnemar(round(gate_share * yardstick.units), reach, alpha, power)
    error = yardstick.null_standard_error / math.sqrt(gate_share)
    needed = error * (find_needed_errors(ItemShare(yardstick, gate_share), alpha, is_first=True) + float(ndtri(power)))
    return needed if reach is None or needed <= reach else None


def _find_usual_level(part: ItemShare, alpha: float) -> float:
    """The level of a test that is as hard and knows nothing of few items."""
    from scipy.special import ndtr

    return float(ndtr(-find_needed_errors(part, alpha, is_first=True)))


def _smallest_mcnemar(units: int, baseline: float, alpha: float, power: float) -> float | None:
    def seen(improvement: float) -> bool:
        found = find_mcnemar_power(units=units, baseline=baseline, candidate=baseline - improvement, alpha=alpha)
        return found >= power

    low, high = 0.0, baseline
    # From near a guess on few powers have to be computed.
    guess = _guess(units, baseline, alpha, power)
    for nearby in (0.95 * guess, 1.05 * guess):
        if low < nearby < high:
            low, high = (low, nearby) if seen(nearby) else (nearby, high)
    if high == baseline and not seen(high):
        return None
    while high - low > 0.01 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if seen(middle) else (middle, high)
    return high


def _guess(units: int, baseline: float, alpha: float, power: float) -> float:
    """Guess the improvement: `normal_mcnemar_power` inverted, as if all changed items were repairs."""
    from scipy.special import ndtri

    improvement = 0.0
    for _ in range(20):
        candidate = max(0.0, baseline - improvement)
        changed = baseline * (1 - candidate) + (1 - baseline) * candidate
        spread = math.sqrt(candidate * (1 - candidate))
        improvement = (ndtri(1 - alpha) * math.sqrt(changed) + ndtri(power) * spread) / math.sqrt(units)
    return float(improvement)


def mcnemar_power(*, units: int, baseline: float, candidate: float, alpha: float = 0.05) -> float:
    """P(exact one-sided McNemar p-value ≤ α) on ``units`` items, against a baseline of known error rate.

    The baseline's errors are no chance: the labels say them, and a split by class gives each part its share. The
    candidate errs everywhere with the same probability, so that it repairs Binomial(b·n, 1 − c) items and breaks
    Binomial((1 − b)·n, c). Predictions that agree with the baseline more often are easier to tell apart.

    >>> round(mcnemar_power(units=67, baseline=0.5, candidate=0.4), 3)  # a gate of 67 items
    0.186
    >>> round(mcnemar_power(units=167, baseline=0.10, candidate=0.07), 3)  # a gate of 167 items
    0.126
    """
    whole, part = divmod(units * baseline, 1)
    # Of a broken number of errors the split gives either whole number, by chance.
    return sum(
        weight * _mcnemar_power(errors, units - errors, candidate, alpha)
        for errors, weight in ((int(whole), 1 - part), (int(whole) + 1, part))
        if weight > 0
    )


def _mcnemar_power(errors: int, hits: int, candidate: float, alpha: float) -> float:
    """The power where the baseline errs on ``errors`` items and hits the others."""
    from scipy.special import bdtr

    repaired = likely_counts(errors, 1 - candidate)
    if repaired[-1] == 0:
        return 0.0
    reach = errors + hits if alpha > 0.5 else 2 * repaired[-1]  # fewer than half are repairs: no proof at α ≤ ½
    first, last = max(1, int(repaired[0])), int(min(reach, errors + hits))
    needed = list_needed_repairs(2 ** math.ceil(math.log2(last)), alpha)[first - 1 : last]
    # At most so many items may change for these repairs to be enough; the others of them are broken.
    most = first - 1 + np.searchsorted(needed, repaired, side="right")
    broken = np.minimum(most - repaired, hits)
    few_enough = bdtr(np.maximum(broken, 0), max(hits, 1), candidate if hits else 0.0)
    passing = np.where((broken >= 0) & (repaired > 0), few_enough, 0.0)
    return float(np.clip(binomial_pmf(repaired, errors, 1 - candidate) @ passing, 0.0, 1.0))


def normal_mcnemar_power(*, units: int, baseline: float, candidate: float, alpha: float = 0.05) -> float:
    """Φ((δ√n − 1/√n − z_{1−α}√ψ)/σ): about the same, with δ the improvement and ψ the share of changed items.

    As in Connor 1987, with a correction for continuity, and with the baseline's errors fixed: σ is the spread of the
    difference less that of its threshold. As fast for a million units as for a thousand.

    >>> exact = mcnemar_power(units=5000, baseline=0.3, candidate=0.28)
    >>> round(exact, 2), round(normal_mcnemar_power(units=5000, baseline=0.3, candidate=0.28), 2)
    (0.78, 0.78)
    """
    from scipy.special import ndtr, ndtri

    z, improvement = float(ndtri(1 - alpha)), baseline - candidate
    changed = baseline * (1 - candidate) + (1 - baseline) * candidate
    distance = improvement * math.sqrt(units) - 1 / math.sqrt(units) - z * math.sqrt(changed)
    slope = z / (2 * math.sqrt(changed * units))  # of the threshold, which grows with every changed item
    share = baseline * (1 - slope) ** 2 + (1 - baseline) * (1 + slope) ** 2
    return float(ndtr(distance / math.sqrt(max(candidate * (1 - candidate) * share, 1e-300))))


def find_mcnemar_power(*, units: int, baseline: float, candidate: float, alpha: float) -> float:
    """The exact power, or the normal one where so many items change that it is as good and the exact one slow."""
    changes = units * (baseline * (1 - candidate) + (1 - baseline) * candidate)
    power = mcnemar_power if changes < MANY_CHANGES else normal_mcnemar_power
    return power(units=units, baseline=baseline, candidate=candidate, alpha=alpha)


def normal_power(*, improvement: float, standard_error: float, alpha: float = 0.05) -> float:
    """Φ(improvement/SE − z_{1−α}): the same for scores that are about normal.

    The paired difference is taken to be as noisy as the baseline's own score; for AUC and correlations, whose baseline
    is a constant, that is what it is, for squared errors it is on the careful side.

    >>> round(normal_power(improvement=1.6449, standard_error=1.0), 3)
    0.5
    """
    from scipy.special import ndtr, ndtri

    return float(ndtr(improvement / standard_error - ndtri(1 - alpha)))


def distance_to_best(yardstick: Yardstick, score: float | None = None) -> float | None:
    """From a score (default: the baseline's) to the best possible one; None where there is no best."""
    low, high = yardstick.bounds
    best = low if yardstick.lower_is_better else high
    return abs((yardstick.baseline_score if score is None else score) - best) if math.isfinite(best) else None


def likely_counts(units: int, probability: float) -> IntArray:
    """The counts that carry all but a negligible part of the binomial probability."""
    centre, half = units * probability, _REACH * math.sqrt(units * probability * (1 - probability)) + _REACH
    return np.arange(max(0, math.floor(centre - half)), min(units, math.ceil(centre + half)) + 1)


@lru_cache(maxsize=8)
def list_needed_repairs(most: int, alpha: float) -> FloatArray:
    """For 1 … ``most`` changed items the fewest repairs whose McNemar p-value is at most α (changed + 1: none).

    Kept, since a search for the gain with a power asks for them again and again.
    """
    from scipy.special import bdtrc, ndtri

    changed = np.arange(1, most + 1)
    needed = np.minimum(np.ceil((changed + ndtri(1 - alpha) * np.sqrt(changed)) / 2), changed + 1)
    # The normal quantile is off by an item or two: the p-value itself settles it (bdtrc(k - 1) = P(X ≥ k)).
    while np.any(too_few := bdtrc(needed - 1, changed, 0.5) > alpha):
        needed += too_few
    while np.any(too_many := bdtrc(needed - 2, changed, 0.5) <= alpha):
        needed -= too_many
    return np.asarray(needed)


def binomial_pmf(counts: IntArray, trials: int, probability: float) -> FloatArray:
    """The binomial probability of each count."""
    from scipy.special import gammaln, xlog1py, xlogy

    log_choose = gammaln(trials + 1) - gammaln(counts + 1) - gammaln(trials - counts + 1)
    log_pmf: FloatArray = log_choose + xlogy(counts, probability) + xlog1py(trials - counts, -probability)
    return np.exp(log_pmf)
