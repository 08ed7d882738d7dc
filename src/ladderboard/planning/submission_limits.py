"""Limits on the number of submissions, from theorems and from simulated attacks.

Every rule answers the same question: up to how many submissions of a team does the overfit stay within a tolerance?
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ladderboard.core import bounds
from ladderboard.core.records import State, Yardstick
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics.base import MeanMetric, Metric

LARGEST = 10**9
"""Counts beyond it are not told apart."""
THEOREM = "Theorem 3.1 for the Ladder"

Attacker = Literal["permuted responses", "outsider", "insider", "accounts"]
"""Who attacks: the step-forward regression of Neto et al. on permuted responses; somebody who knows nothing; somebody
who holds half of the labels; one person with many accounts (the submissions of a curve are then accounts)."""


@dataclass(frozen=True)
class OverfitCurve:
    """The overfit that an attack reached by the number of its submissions, in units of the metric.

    ``overfits`` is the mean over repetitions (the median for permuted responses, as in the paper), ``margins`` two
    standard errors of it (zero for the median).
    """

    attacker: Attacker
    attack: str
    setting: str
    submissions: tuple[int, ...]
    overfits: tuple[float, ...]
    margins: tuple[float, ...]
    repetitions: tuple[int, ...]

    @property
    def smoothed(self) -> tuple[float, ...]:
        """The overfits as a curve that never falls: who may submit more often can do as well at least.

        The nearest such curve by least squares (isotonic regression), which takes luck out of the repetitions.

        >>> OverfitCurve("outsider", "boosting", "", (1, 3, 10), (0.0, 0.02, 0.01), (0, 0, 0), (8, 8, 8)).smoothed
        (0.0, 0.015, 0.015)
        """
        blocks: list[tuple[float, int, int]] = []  # mean, weight, length
        for overfit, weight in zip(self.overfits, self.repetitions, strict=True):
            block = (overfit, weight, 1)
            while blocks and blocks[-1][0] > block[0]:
                mean, before, length = blocks.pop()
                total = before + block[1]
                block = ((mean * before + block[0] * block[1]) / total, total, length + block[2])
            blocks.append(block)
        return tuple(mean for mean, _, length in blocks for _ in range(length))

    def largest_within(self, tolerance: float) -> int:
        """The largest simulated number whose smoothed overfit stays within the tolerance; 0 for none.

        >>> curve = OverfitCurve("outsider", "boosting", "", (10, 100), (0.01, 0.03), (0.0, 0.0), (9, 9))
        >>> curve.largest_within(0.02), curve.largest_within(0.001), curve.largest_within(0.05)
        (10, 0, 100)
        """
        within = [count for count, overfit in zip(self.submissions, self.smoothed, strict=True) if overfit <= tolerance]
        return max(within, default=0)

    def bears_all(self, tolerance: float) -> bool:
        """Whether no simulated number broke the tolerance: the true limit is then not known, only that it is higher."""
        return self.largest_within(tolerance) == self.submissions[-1]


@dataclass(frozen=True)
class Limit:
    """What one rule says. ``per_team`` None: the rule says nothing here; ``note`` says why, or what it rests on.

    ``is_at_least``: nothing larger was tried. ``items_needed``: from how many items on the rule would allow a hundred
    submissions.
    """

    rule: str
    per_team: int | None
    note: str
    is_at_least: bool = False
    items_needed: int | None = None


def theorem_limit(yardstick: Yardstick, metric: Metric, tolerance: float, *, teams: int) -> Limit:
    """Theorem 3.1 of Blum & Hardt, solved for k: for the Ladder at its best step, for all teams at once."""
    width = yardstick.bounds[1] - yardstick.bounds[0]
    if not isinstance(metric, MeanMetric) or not width < float("inf"):
        return Limit(THEOREM, None, f"stated for means of bounded losses, which {yardstick.metric} is not")
    delta, error = bounds.DELTA / teams, tolerance / width
    allowed = min(LARGEST, bounds.largest_submissions(error=error, n=yardstick.units, delta=delta))
    needed = smallest_count(
        lambda n: bounds.ladder_error(step=bounds.best_step(n=n, k=100, delta=delta), n=n, k=100, delta=delta) <= error
    )
    note = "proven for the Ladder at its best step, whatever a team does"
    return Limit(THEOREM, allowed, note, is_at_least=allowed == LARGEST, items_needed=needed)


def meter_limit(mechanism: Mechanism, yardstick: Yardstick, tolerance: float, *, accepts: int, teams: int) -> Limit:
    """The largest number of attempts after which the leakage meter's overfit bound is within the tolerance.

    ``accepts`` is how many of a team's attempts are taken to be accepted. The bound holds for all teams at once.
    """
    rule = f"the leakage meter with {accepts} accepts"
    if _meter(mechanism, yardstick, 1, accepts, teams) is None:
        return Limit(rule, None, _explain_unmetered(yardstick))

    def allows(attempts: int) -> bool:
        bound = _meter(mechanism, yardstick, attempts, accepts, teams)
        return bound is not None and bound <= tolerance

    needed = _items_for_meter(mechanism, yardstick, tolerance, accepts, teams)
    note = f"proven for {mechanism.name}, while a team has no more accepts"
    allowed = largest_count(allows)
    return Limit(rule, allowed, note, is_at_least=allowed == LARGEST, items_needed=needed)


def find_simulated_limit(rule: str, curves: Sequence[OverfitCurve], tolerance: float, *, absent: str) -> Limit:
    """The attack that breaks the tolerance first decides; ``absent`` is the note where there is none."""
    if not curves:
        return Limit(rule, None, absent)
    decisive = min(curves, key=lambda curve: (curve.largest_within(tolerance), -curve.smoothed[-1]))
    name = f"{decisive.attack}{f' ({decisive.setting})' if decisive.setting else ''}"
    return Limit(
        rule,
        decisive.largest_within(tolerance),
        f"by {name}: overfit {decisive.smoothed[-1]:.4f} after {decisive.submissions[-1]:,}",
        is_at_least=all(curve.bears_all(tolerance) for curve in curves),
    )


def largest_count(allows: Callable[[int], bool]) -> int:
    """The largest k ≥ 0 that is allowed, for a rule that allows all below it; at most `LARGEST`.

    >>> largest_count(lambda k: k * k <= 50)
    7
    """
    if not allows(1):
        return 0
    low, high = 1, 2
    while allows(high) and high < LARGEST:
        low, high = high, high * 2
    if low >= LARGEST or allows(high):
        return LARGEST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if allows(middle) else (low, middle)
    return low


def smallest_count(suffices: Callable[[int], bool]) -> int | None:
    """The smallest n ≥ 1 that suffices, for a rule that then holds for all above it; None beyond `LARGEST`."""
    if suffices(1):
        return 1
    most = largest_count(lambda n: not suffices(n))
    return most + 1 if most < LARGEST else None


def _meter(mechanism: Mechanism, yardstick: Yardstick, attempts: int, accepts: int, teams: int) -> float | None:
    state = State(attempts=attempts, accepts=min(attempts, accepts))
    bits = mechanism.leakage(state, yardstick).bits
    if bits is None:
        return None
    return bounds.overfit_bound(bits, yardstick.hoeffding_units, yardstick.bounds, delta=bounds.DELTA / teams)


def _explain_unmetered(yardstick: Yardstick) -> str:
    return f"stated for means of bounded losses, AUC and balanced accuracy; {yardstick.metric} is none of them"


def _items_for_meter(
    mechanism: Mechanism, yardstick: Yardstick, tolerance: float, accepts: int, teams: int
) -> int | None:
    def suffices(n: int) -> bool:
        bound = _meter(mechanism, resize(yardstick, n), 100, accepts, teams)
        return bound is not None and bound <= tolerance

    return smallest_count(suffices)


def resize(yardstick: Yardstick, units: int) -> Yardstick:
    """The yardstick of as many units of the same kind: standard errors go with one over the root of their number."""
    error = yardstick.null_standard_error * (yardstick.units / units) ** 0.5
    effective = yardstick.hoeffding_units
    return replace(
        yardstick,
        units=units,
        null_standard_error=error,
        hoeffding_units=None if effective is None else effective * units / yardstick.units,
    )
