"""The leakage meter's bounds for one attacker, also without known labels."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import ladderboard as lb
from ladderboard_lab.drill.http_participants import HttpParticipant

StatedBound = tuple[float | None, float | None]
"""Bits, and the overfit bound they imply; None: not stated."""


def compute_bound(
    everyone: Sequence[HttpParticipant], mechanism: "lb.Mechanism", yardstick: "lb.Yardstick", *, ranks: int
) -> StatedBound:
    """Compute bits and bound of all accounts of an attacker; ``ranks``: of a board with instances per rank, else 0."""
    bits = 0.0
    for one in everyone:
        told = mechanism.leakage(lb.State(attempts=one.attempts, accepts=one.accepts), yardstick)
        if told.bits is None:
            return None, None
        bits += told.bits + one.attempts * math.log2(ranks + 1)
    return bits, lb.bounds.overfit_bound(bits, yardstick.hoeffding_units, yardstick.bounds)


def compute_room(baseline: float, bounds: tuple[float, float], *, lower_is_better: bool) -> float | None:
    """Compute the largest possible gain over a score without skill; None if the best score is unknown.

    >>> compute_room(0.5, (0.0, 1.0), lower_is_better=False)
    0.5
    """
    room = baseline - bounds[0] if lower_is_better else bounds[1] - baseline
    return room if math.isfinite(room) else None


def infer_yardstick(
    metric: str, baseline: float, rows: int, *, value: float, interval: tuple[float, float], share: float = 1.0
) -> "lb.Yardstick | None":
    """Infer a remote holdout's yardstick from its published baseline and the interval of a released ``value``.

    ``share`` is the mechanism's `witness_share`: the part of the rows that a released number rests on.

    Only where a score is a share of rows that are right or wrong: Wilson's interval of a share tells of how many rows
    it is one. Of several numbers of rows with the same interval it is the smallest, which has the widest bound. None
    for other metrics, and where the interval is no such one (rows with weights or groups).

    >>> told = infer_yardstick("error_rate", 0.47, 300, value=0.47, interval=(0.3919, 0.5496))
    >>> told.units
    150
    """
    known = lb.METRICS.get(metric)
    if known is None or known.paired_test != "mcnemar" or not 0 < baseline < 1:
        return None

    def of(units: int) -> "lb.Yardstick":
        deviation = math.sqrt(baseline * (1 - baseline) / max(1, units - 1))
        return replace(unsized, units=units, hoeffding_units=float(units), null_standard_error=deviation)

    unsized = lb.Yardstick(
        metric=metric,
        units=1,
        lower_is_better=known.lower_is_better,
        bounds=known.bounds,
        scale=known.scale,
        paired_test="mcnemar",
        baseline_score=baseline,
        null_standard_error=1.0,
    )

    def interval_of(units: int) -> tuple[float, float]:
        found = of(units).interval(value, share=share)
        assert found is not None, "a share of right and wrong answers has an interval"
        return found

    return next((of(units) for units in _candidates(rows, interval, interval_of)), None)


def _candidates(
    rows: int, told: tuple[float, float], interval_of: Callable[[int], tuple[float, float]]
) -> Iterator[int]:
    """Find numbers of rows with the given interval, smallest first: at most one between two powers of ten.

    Between those an interval has a fixed number of decimals, so that it can only shrink with more rows.
    """
    low, high = told
    for digits in range(len(str(rows))):
        sizes = range(max(2, 10**digits + 1), min(rows, 10 ** (digits + 1)) + 1)
        place = bisect_left(
            sizes, True, key=lambda units: low <= interval_of(units)[0] and interval_of(units)[1] <= high
        )
        if place < len(sizes) and interval_of(sizes[place]) == told:
            yield sizes[place]
