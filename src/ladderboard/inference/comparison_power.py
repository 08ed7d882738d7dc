"""Before a run: how many items or repeats a comparison needs to prove a gain, from a pilot or a guess.

Notation
--------
g → the true gain of the new system; ψ → the share of items on which two single runs, one of each system, differ;
φ → the share on which two runs of one system differ; k → runs of each item; n → items. The variance of one item's
difference is V(k) = V_items + V_runs/k, for right and wrong answers V(1) = ψ − g² and V_runs = φ.

The power is that of `paired_difference`, whose interval must exclude 0 on the right side: of one run right or wrong
McNemar's exact one (its normal approximation where many items differ), else that of Student's t.
"""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.inference.checks import check_confidence, check_count
from ladderboard.inference.covariance import paired_means
from ladderboard.inference.power import GOOD_POWER, MANY_CHANGES, binomial_pmf, likely_counts, list_needed_repairs
from ladderboard.inference.repeats import variance_of_runs

MOST_ITEMS = 10**8
FEWEST_ITEMS = 8
"""Of fewer nothing is proven at 95 %."""


@dataclass(frozen=True)
class ComparisonPower:
    """A planned comparison: what was asked and what follows."""

    gain: float
    items: int
    repeats: int
    power: float
    confidence: float
    item_variance: float
    """V_items: of one item's true difference. For right and wrong answers it contains the gain: ψ − φ = this + g²."""
    run_variance: float
    """V_runs: what one run of each system adds."""
    is_binary: bool
    items_range: tuple[int, int] | None = None
    """How many items it may be, since the pilot's variance is known only so well (90 %)."""

    def sentence(self) -> str:
        """The plan in words."""
        runs = "" if self.repeats == 1 else f" with {self.repeats} runs of each"
        power = f"{100 * self.power:.0f} %"
        doubt = ""
        if self.items_range is not None:
            doubt = f" (the pilot leaves {self.items_range[0]:,} to {self.items_range[1]:,})"
        return f"{self.items:,} items{runs}{doubt} prove a true gain of {self.gain:.4g} with {power} power."

    def with_items(self, items: int) -> "ComparisonPower":
        """The same gain on so many items, and the power that they give."""
        return replace(self, items=items, power=_find_power(self, items), items_range=None)

    def with_repeats(self, repeats: int) -> "ComparisonPower":
        """The same gain and power with so many runs of each item, and the items that this needs."""
        plan = replace(self, repeats=check_count(repeats, "repeats"), items_range=None)
        return replace(plan, items=_find_items(plan, self.power))


def power_to_compare(
    gain: float | None = None,
    items: int | None = None,
    *,
    repeats: int = 1,
    power: float = GOOD_POWER,
    disagreement: float | None = None,
    flips: float = 0.0,
    pilot: Any = None,
    confidence: float = 0.95,
) -> ComparisonPower:
    """Plan a comparison of two systems: of ``gain`` and ``items`` the one that is missing, or, given both, the power.

    Parameters
    ----------
    gain
        The true difference of the scores that should be proven, such as 0.02.
    items, repeats
        How many items, and how many runs of each by each system.
    disagreement, flips
        A guess for answers that are right or wrong: the share of items on which one run of each system differ, and
        the share on which two runs of the same system do.
    pilot
        Instead of the guess: results (a `LossMatrix`, or items × systems) of two systems like those to be compared;
        of more, their typical pair. Repeats and groups in it count.

    >>> power_to_compare(0.02, disagreement=0.15).items
    3028
    >>> power_to_compare(0.02, disagreement=0.15, flips=0.1, repeats=8).items
    1221
    >>> round(power_to_compare(0.05, 500, disagreement=0.15).power, 2)
    0.8
    """
    check_confidence(confidence)
    check_count(repeats, "repeats")
    if not 0 < power < 1:
        raise ParameterError(f"power is {power}; it must lie between 0 and 1, such as 0.8")
    if gain is None and items is None:
        raise ParameterError(
            "say which gain should be proven (--gain 0.02), how many items there are (--items), or both"
        )
    if gain is not None and not gain > 0:
        raise ParameterError(f"gain is {gain}; it must be above 0, in the unit of the scores")
    if (disagreement is None) == (pilot is None):
        raise ParameterError("give either a pilot or a guess of the disagreement (--disagreement 0.15)")
    spread, doubt = _measure(pilot) if disagreement is None else (_guess(disagreement, flips), 1.0)
    plan = replace(spread, repeats=repeats, confidence=confidence, gain=gain or 0.0, power=power)
    if items is not None:
        plan = replace(plan, items=check_count(items, "items", smallest=2))
        if gain is not None:
            return replace(plan, power=_find_power(plan, plan.items))
        return replace(plan, gain=_find_gain(plan, power))
    plan = replace(plan, items=_find_items(plan, power))
    # The needed items are proportional to the variance, and so is what is not known of them.
    low, high = (math.ceil(plan.items * share) for share in (1 / doubt, doubt))
    return plan if pilot is None else replace(plan, items_range=(low, high))


def _guess(disagreement: float, flips: float) -> ComparisonPower:
    if not 0 < disagreement <= 1:
        raise ParameterError(f"disagreement is {disagreement}; it is a share of the items, above 0 and at most 1")
    if not 0 <= flips <= disagreement:
        raise ParameterError(
            f"flips is {flips}: two runs of one system cannot differ on more items than two systems do ({disagreement})"
        )
    return ComparisonPower(0.0, 0, 1, 0.0, 0.95, disagreement - flips, flips, is_binary=True)


def _measure(pilot: Any) -> tuple[ComparisonPower, float]:
    """The variances of a typical pair of the pilot, and by which factor they may be wrong either way (90 %)."""
    paired, losses = paired_means(pilot), np.asarray(pilot, dtype=np.float64)
    n, systems = losses.shape
    if systems < 2:
        raise InputError("the pilot has one system; two are needed to see how their differences vary")
    first, second = np.triu_indices(systems, 1)
    totals = n * paired.difference_variances[first, second]
    middle = int(np.argsort(totals)[len(totals) // 2])
    i, j = int(first[middle]), int(second[middle])
    d = losses[:, j] - losses[:, i]
    if not totals[middle] > 0:
        raise InputError("the systems of the pilot never differ; nothing can be planned from it")
    repeats, runs, count = getattr(pilot, "repeats", None), 0.0, 1.0
    if repeats is not None:
        both = repeats.select([i, j])
        count = float(both.counts.mean())
        runs = float(np.nan_to_num(variance_of_runs(both.counts, both.variances)).sum()) * n * count
    items = max(0.0, float(totals[middle]) - runs / count)
    centred = d - d.mean()
    kurtosis = float((centred**4).mean() / (centred**2).mean() ** 2)
    wide = math.exp(1.645 * math.sqrt(max(kurtosis - 1, 0.0) / paired.items))
    is_binary = paired.is_binomial
    if is_binary:
        items = float((d != 0).mean())
    return ComparisonPower(0.0, 0, 1, 0.0, 0.95, items, runs, is_binary), wide


def _find_power(plan: ComparisonPower, items: int) -> float:
    from scipy.special import nctdtr, stdtrit

    level = (1 - plan.confidence) / 2
    if plan.is_binary and plan.repeats == 1:
        return _find_exact_power(plan.item_variance + plan.run_variance, plan.gain, items, level)
    own = plan.item_variance - plan.gain**2 if plan.is_binary else plan.item_variance
    if own < 0:
        raise _too_much(plan)
    variance = own + plan.run_variance / plan.repeats
    if variance == 0:
        return 1.0
    critical = float(stdtrit(items - 1, 1 - level))
    shift = plan.gain * math.sqrt(items / variance)
    return 1.0 if shift > critical + 9 else float(1 - nctdtr(items - 1, shift, critical))


def _find_exact_power(differing: float, gain: float, items: int, level: float) -> float:
    """P(McNemar's exact p-value is at most twice the level, and the new system the better one)."""
    from scipy.special import bdtrc, ndtr, ndtri

    if gain > differing:
        raise ParameterError(
            f"a gain of {gain:g} is not possible where the systems differ on a share of {differing:g} of the items; "
            "raise --disagreement"
        )
    if items * differing > MANY_CHANGES:
        distance = gain * math.sqrt(items) - 1 / math.sqrt(items) + float(ndtri(level)) * math.sqrt(differing)
        return float(ndtr(distance / math.sqrt(max(differing - gain**2, 1e-300))))
    changed = likely_counts(items, differing)
    changed = changed[changed > 0]
    if not len(changed):
        return 0.0
    needed = list_needed_repairs(2 ** math.ceil(math.log2(max(2, int(changed[-1])))), level)[changed - 1]
    passing = np.where(needed <= changed, bdtrc(needed - 1, changed, (differing + gain) / (2 * differing)), 0.0)
    return float(np.clip(binomial_pmf(changed, items, differing) @ passing, 0.0, 1.0))


def _find_items(plan: ComparisonPower, power: float) -> int:
    low, high = FEWEST_ITEMS - 1, FEWEST_ITEMS
    enough = partial(_find_power, plan)
    while enough(high) < power:
        low, high = high, 2 * high
        if high > MOST_ITEMS:
            raise ParameterError(f"a gain of {plan.gain:g} would need more than {MOST_ITEMS:,} items")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) >= power else (middle, high)
    return high


def _find_gain(plan: ComparisonPower, power: float) -> float:
    """The smallest gain with this power."""
    most = plan.item_variance + plan.run_variance
    low, high = 0.0, most if plan.is_binary and plan.repeats == 1 else math.sqrt(most)
    if plan.is_binary and plan.repeats > 1:
        high = math.sqrt(plan.item_variance)
    if _find_power(replace(plan, gain=high), plan.items) < power:
        raise ParameterError(f"{plan.items:,} items prove no gain with {100 * power:.0f} % power; more are needed")
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if _find_power(replace(plan, gain=middle), plan.items) >= power else (middle, high)
    return high


def _too_much(plan: ComparisonPower) -> ParameterError:
    return ParameterError(
        f"a gain of {plan.gain:g} alone makes the systems differ more often than said (a disagreement of "
        f"{plan.item_variance + plan.run_variance:g}, of which runs {plan.run_variance:g}); raise it"
    )
