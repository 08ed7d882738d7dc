"""Repeated runs of a system on each item: how much of a score's error they explain, and pass@k.

A loss that is the mean of k runs (seeds of a sampler, attempts at a task) has the variance of the item and 1/k of the
variance between runs. Every analysis here takes the means, and so has both in its errors; this module says how they
divide. More runs shrink one part only, more items both.

Notation: v_ij → the estimated variance of the mean over the runs of system j on item i, s²/k. The variance of a score
over n items is V; the runs' part of it is Σ_i v_ij/n².

It is assumed that runs are drawn anew for each item. Where one seed serves all items (a model trained again) the runs'
part is larger than this, and unknown.

Reference
---------
Chen et al. 2021, Evaluating Large Language Models Trained on Code (arXiv 2107.03374), for the unbiased pass@k.
"""

from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.inference.covariance import paired_means

Results = TypeVar("Results")
WHOLE = 1e-6
"""Successes this close to a whole number are one: a mean of runs has rounding errors."""


@dataclass(frozen=True)
class ScoreError:
    """The standard error of a system's mean loss, and its two parts."""

    system: str
    loss: float
    standard_error: float
    items_error: float
    """What would be left with endlessly many runs of each item."""
    runs_error: float
    """What the runs add: standard_error² = items_error² + runs_error²."""

    @property
    def runs_share(self) -> float:
        """The runs' part of the variance."""
        return self.runs_error**2 / self.standard_error**2 if self.standard_error > 0 else 0.0


def split_errors(results: Any) -> list[ScoreError]:
    """Divide each system's standard error into that of items and that of repeated runs.

    ``results`` is a `LossMatrix` with repeats. Items with a single run have no variance of their own; they are given
    the mean of the others'. Raises `InputError` where no item of a system has two runs.

    >>> from ladderboard.evals import LossMatrix, Repeats
    >>> rng = np.random.default_rng(1)
    >>> solved = rng.random((500, 1, 1))                                      # how likely each item is solved
    >>> runs = (rng.random((500, 2, 4)) > solved).astype(float)               # four attempts of two systems
    >>> found = split_errors(LossMatrix.of(runs.mean(axis=2), repeats=Repeats.of(runs)))[0]
    >>> round(found.standard_error, 3), round(found.items_error, 3), round(found.runs_error, 3)
    (0.016, 0.013, 0.009)
    """
    repeats = getattr(results, "repeats", None)
    if repeats is None:
        raise InputError("there is one run of each system on each item; several are needed to tell runs from items")
    paired = paired_means(results)
    total = paired.variances
    runs = np.minimum(_variance_of_runs(repeats.variances, paired.systems), total)
    return [
        ScoreError(name, float(loss), float(np.sqrt(whole)), float(np.sqrt(whole - part)), float(np.sqrt(part)))
        for name, loss, whole, part in zip(paired.systems, paired.means, total, runs, strict=True)
    ]


def describe_runs(errors: list[ScoreError]) -> str:
    """Say in one sentence what more runs could bring."""
    typical = sorted(errors, key=lambda one: one.runs_share)[len(errors) // 2]
    return (
        f"Repeated runs: {100 * typical.runs_share:.0f} % of the variance of a typical score ({typical.system}) is "
        f"between runs. More runs could bring its standard error from {typical.standard_error:.4f} to "
        f"{typical.items_error:.4f}; only more items go below that."
    )


def pass_at_k(results: Results, k: int) -> Results:
    """The same results with the loss 1 − pass@k: the chance that k of an item's runs all fail.

    Runs must be right or wrong. With n runs of which c are right the unbiased estimate is C(n − c, k)/C(n, k).
    """
    repeats = getattr(results, "repeats", None)
    if repeats is None:
        raise InputError("there is one run of each system on each item; pass@k needs several")
    if not 1 <= k <= repeats.counts.min():
        raise ParameterError(f"k is {k}; some item has {repeats.counts.min()} runs, so it must lie between 1 and that")
    failures = np.asarray(results, dtype=np.float64) * repeats.counts
    whole = np.rint(failures)
    if (np.abs(failures - whole) > WHOLE).any() or (whole < 0).any() or (whole > repeats.counts).any():
        raise InputError("pass@k needs runs that are right or wrong; these losses are not shares of failed runs")
    return replace(results, losses=_all_fail(whole, repeats.counts, k), repeats=None)  # type: ignore[type-var]


def _variance_of_runs(variances: FloatArray, systems: tuple[str, ...]) -> FloatArray:
    known = np.isfinite(variances)
    if not known.any(axis=0).all():
        name = systems[int(np.argmin(known.any(axis=0)))]
        raise InputError(f"{name!r} has one run of each item; several are needed to tell runs from items")
    means = np.where(known, variances, 0.0).sum(axis=0) / known.sum(axis=0)
    return np.asarray(means / len(variances))


def _all_fail(failures: FloatArray, runs: Any, k: int) -> FloatArray:
    """C(failures, k)/C(runs, k) = ∏_{i<k} (failures − i)/(runs − i)."""
    chance = np.ones_like(failures)
    for drawn in range(k):
        chance *= np.maximum(failures - drawn, 0.0) / (runs - drawn)
    return chance
