"""Warnings for users of a guard."""

import warnings

from ladderboard.core.precision import effective_support
from ladderboard.core.records import Evaluation
from ladderboard.inference.pairwise import SMALLEST_SUPPORT, self_normalised_bound
from ladderboard.inference.power import ENOUGH_POWER, SENSIBLE_IMPROVEMENT, entry_power
from ladderboard.mechanisms.base import Mechanism

_TO_THE_CALLER = 3
"""Warnings point at the line that made the holdout: past the function here and the constructor."""


class FreshStartWarning(UserWarning):
    """The guard is in memory only: the next run will not know of this one's attempts."""


class LowPowerWarning(UserWarning):
    """The holdout is so small that it will probably miss a real improvement over the baseline."""


def warn_of_fresh_start() -> None:
    """Warn that attempts are forgotten when Python ends, and say how to keep them."""
    warnings.warn(
        "this holdout is kept in memory, so every run is a fresh start that knows nothing of earlier attempts; "
        "give path='holdout.db' to keep them (path=':memory:' says that you mean it)",
        FreshStartWarning,
        stacklevel=_TO_THE_CALLER,
    )


def warn_of_low_power(mechanism: Mechanism, baseline: Evaluation) -> None:
    """Warn if a first submission a fifth better than the baseline is more likely missed than recognised."""
    power, yardstick = estimate_entry_power(mechanism, baseline), baseline.yardstick
    if power is None or power >= ENOUGH_POWER:
        return
    warnings.warn(
        f"a holdout of {yardstick.units} is small: a first submission that takes {SENSIBLE_IMPROVEMENT:.0%} off the "
        f"baseline's loss ({yardstick.metric} {yardstick.baseline_score:.4g}) is shown with probability "
        f"{power:.0%}; do not read 'not improved' as 'no better', or collect more items",
        LowPowerWarning,
        stacklevel=_TO_THE_CALLER,
    )


def estimate_entry_power(
    mechanism: Mechanism, baseline: Evaluation, improvement: float = SENSIBLE_IMPROVEMENT
) -> float | None:
    """Estimate the power of a mechanism's entry test at the first attempt; None if there is no test."""
    test = mechanism.entry_test()
    if test is None:
        return None
    share, alpha = test
    power = entry_power(baseline.yardstick, gate_share=share, alpha=alpha, improvement=improvement)
    if power is None or baseline.yardstick.paired_test == "mcnemar":
        return power
    return power if _perfection_passes(baseline, share, alpha) else 0.0


def _perfection_passes(baseline: Evaluation, share: float, alpha: float) -> bool:
    """Whether perfect predictions would differ from the baseline on ``share`` of the units.

    A handful of large losses can carry all of a squared error; the paired test then refuses even the best submission.
    """
    best = baseline.yardstick.bounds[0 if baseline.yardstick.lower_is_better else 1]
    gains = baseline.losses - baseline.yardstick.loss(best)
    # A share of the units has that share of (Σd)²/Σd², the bound's exponent.
    return share * effective_support(gains) >= SMALLEST_SUPPORT or self_normalised_bound(gains) ** share <= alpha
