"""Which gain a loop certifies, and how often: by the noise of the system in use, before any candidate is there.

Notation
--------
n → tasks of a side (groups, where there are groups); r → runs of each; g → the true gain of the first candidate over
the reference; s² → the variance of a task's runs; h → what a task leaves to win, m → what it has to lose.

A candidate that gains g is taken to solve tasks outright and to lose others: it wins 3g/2, so each task with the
probability v = 3g/2/E h, and loses g/2, each with l = g/2/E m. So the variance of a task's true difference is
v·E h² + l·E m² − g², and that of the one seen has (2 − v − l)·s²/r more: what changed is the same in every run. It is
certified if the open tasks see a gain of two standard errors, and the guarded ones pass the Certifier's first test.
"""

import math
from dataclasses import dataclass

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.inference.comparison_power import ComparisonPower
from ladderboard.loop.proposal import CONVINCED
from ladderboard.mechanisms import GATE_MECHANISM
from ladderboard.mechanisms.proof import find_weight

WINS, LOSSES = 1.5, 0.5
"""Of a gain: what is won, and what is lost elsewhere."""
MOST_TASKS = 10**6
SHARES = (0.5, 0.4, 0.6, 0.3, 0.7)
"""Of the tasks that are open; of equals the first."""


@dataclass(frozen=True)
class Spread:
    """How the scores of the system in use vary: over tasks, and over runs of a task."""

    means: FloatArray
    run_variance: float
    mean_variance: float
    """Of a task's mean: what its runs leave unknown."""
    bounds: tuple[float, float]
    is_binary: bool

    def find_variances(self, gain: float) -> tuple[float, float]:
        """Of a task's difference: its true variance, and what one run of each adds.

        Raises `ParameterError` where so much cannot be gained.
        """
        room, held = self.bounds[1] - self.means, self.means - self.bounds[0]
        most = min(float(room.mean()) / WINS, float(held.mean()) / LOSSES)
        if gain > most:
            raise ParameterError(
                f"a gain of {gain:g}, of which {WINS:g} times as much is won and {LOSSES:g} times lost, cannot be had "
                f"from a mean score of {self.score:.3g}; give at most {most:.2g}"
            )
        own, unchanged = -(gain**2), 2.0
        for part, one in ((WINS, room), (LOSSES, held)):
            changed = part * gain / float(one.mean())
            own += changed * max(0.0, float((one**2).mean()) - self.mean_variance)
            unchanged -= changed
        return own, unchanged * self.run_variance

    @property
    def score(self) -> float:
        return float(self.means.mean())


@dataclass(frozen=True)
class SplitPlan:
    """So many open and guarded tasks with so many runs, and how often they certify the gain."""

    open_tasks: int
    guarded_tasks: int
    repeats: int
    power: float


def find_power(spread: Spread, gain: float, open_tasks: int, guarded_tasks: int, repeats: int) -> float:
    """The probability that a first candidate with this true gain is certified."""
    own, per_run = spread.find_variances(gain)
    level, is_exact = GATE_MECHANISM().alpha * find_weight(1), spread.is_binary and repeats == 1
    proof = ComparisonPower(
        gain=gain,
        items=guarded_tasks,
        repeats=repeats,
        power=0.0,
        confidence=1 - 2 * level,
        item_variance=own + gain**2 if is_exact else own,
        run_variance=per_run,
        is_binary=is_exact,
    )
    return _find_convinced(gain, own + per_run / repeats, open_tasks) * proof.with_items(guarded_tasks).power


def find_best_split(spread: Spread, gain: float, tasks: int, repeats: int) -> SplitPlan:
    """The split of so many tasks that certifies the gain most often; near-equals are settled for one half."""
    plans = []
    for share in SHARES:
        opened = min(max(2, round(share * tasks)), tasks - 2)
        power = find_power(spread, gain, opened, tasks - opened, repeats)
        plans.append(SplitPlan(opened, tasks - opened, repeats, power))
    return max(plans, key=lambda one: round(one.power, 2))


def find_needed_tasks(spread: Spread, gain: float, power: float, repeats: int) -> SplitPlan:
    """The fewest tasks, half of them open, that certify the gain with this power."""

    def has_power(n: int) -> bool:
        return find_power(spread, gain, n, n, repeats) >= power

    low, high = 4, 8
    while not has_power(high):
        low, high = high, 2 * high
        if high > MOST_TASKS:
            raise ParameterError(f"a gain of {gain:g} would take more than {MOST_TASKS:,} tasks")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if has_power(middle) else (middle, high)
    return SplitPlan(high, high, repeats, find_power(spread, gain, high, high, repeats))


def make_spread(runs: list[FloatArray], groups: tuple[str, ...] | None, bounds: tuple[float, float]) -> Spread:
    """Measure the spread of a system's scores from several runs of each task."""
    means = np.asarray([one.mean() for one in runs])
    within = np.asarray([one.var(ddof=1) for one in runs])
    if groups is None:
        values = np.unique(np.concatenate(runs))
        is_binary = bool(np.isin(values, bounds).all())
        unknown = float(np.mean([one.var(ddof=1) / len(one) for one in runs]))
        return Spread(means, float(within.mean()), unknown, bounds, is_binary)
    places = [np.flatnonzero(np.asarray(groups) == name) for name in dict.fromkeys(groups)]
    variance = float(np.mean([within[p].sum() / len(p) ** 2 for p in places]))
    unknown = variance / float(np.mean([len(one) for one in runs]))
    return Spread(np.asarray([means[p].mean() for p in places]), variance, unknown, bounds, is_binary=False)


def _find_convinced(gain: float, variance: float, tasks: int) -> float:
    """The probability that the open tasks see a gain of two standard errors."""
    from scipy.special import nctdtr

    shift = gain * math.sqrt(tasks / variance) if variance > 0 else math.inf
    return 1.0 if shift > CONVINCED + 9 else float(1 - nctdtr(tasks - 1, shift, CONVINCED))
