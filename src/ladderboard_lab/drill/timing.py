"""A test of response times: a signed-rank test over pairs of requests in random order.

A coin says which of a pair goes first. Where times depend on the place in the pair, on the hour or on the load, but not
on what is compared, that coin alone gives each difference its sign: the test's null distribution holds on any machine.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ladderboard_lab.participant import FloatArray

ALARM = 1e-3
"""A p-value below this twice in a row, in two measurements of their own, is an alarm: of servers that leak nothing one
in a million is called leaky."""
WARM_UP = 0.1


@dataclass(frozen=True)
class Timed:
    """The result of a timing comparison: medians in milliseconds, and one or two p-values."""

    medians: tuple[float, float]
    p_values: tuple[float, ...]
    requests: int

    @property
    def tells_apart(self) -> bool:
        return len(self.p_values) > 1 and all(p < ALARM for p in self.p_values)

    @property
    def words(self) -> str:
        first, second = self.medians
        shown = " and ".join(f"{p:.2g}" for p in self.p_values)
        return f"medians {first:.2f} and {second:.2f} ms over {self.requests:,} requests, p = {shown}"


def compare_times(
    first: Callable[[], object], second: Callable[[], object], *, requests: int, rng: np.random.Generator
) -> Timed:
    """Compare two calls in random order, ``requests`` times in total; repeat once if they seem to differ."""
    p_values: list[float] = []
    while True:
        sides = _measure((first, second), requests // 2, rng)
        p_values.append(_p_value(*sides))
        medians = (float(np.median(sides[0])) * 1e3, float(np.median(sides[1])) * 1e3)
        if p_values[-1] >= ALARM or len(p_values) == 2:
            return Timed(medians, tuple(p_values), requests * len(p_values))


def _measure(
    sides: tuple[Callable[[], object], Callable[[], object]], rounds: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    taken: tuple[list[float], list[float]] = ([], [])
    for order in rng.integers(0, 2, rounds):
        for side in (order, 1 - order):
            start = time.perf_counter()
            sides[side]()
            taken[side].append(time.perf_counter() - start)
    counted = slice(int(WARM_UP * rounds), None)
    return np.array(taken[0][counted]), np.array(taken[1][counted])


def _p_value(first: FloatArray, second: FloatArray) -> float:
    from scipy.stats import wilcoxon

    return float(wilcoxon(first, second).pvalue) if np.any(first != second) else 1.0
