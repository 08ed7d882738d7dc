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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.inference.covariance import paired_means
from ladderboard.inference.measure import Measure

Results = TypeVar("Results")
SHOWN_NAMES = 5
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

    ``results`` is a `LossMatrix` with repeats, which may be more on some items and systems than on others. Items with a
    single run have no variance of their own; theirs is that of one run on the others. A system without any item of two
    runs is not among the results. Raises `InputError` where that is so of all systems.

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
    runs = np.minimum(variance_of_runs(repeats.counts, repeats.variances), total)
    if np.isnan(runs).all():
        raise InputError("every system has one run of each item; several are needed to tell runs from items")
    return [
        ScoreError(name, float(loss), float(np.sqrt(whole)), float(np.sqrt(whole - part)), float(np.sqrt(part)))
        for name, loss, whole, part in zip(paired.systems, paired.means, total, runs, strict=True)
        if not np.isnan(part)
    ]


def describe_runs(errors: list[ScoreError], systems: Sequence[str] = ()) -> str:
    """Say what more runs could bring, and which of the ``systems`` have one run only."""
    known = {one.system for one in errors}
    single = [name for name in systems if name not in known]
    said = _describe_typical(errors)
    if not single:
        return said
    names = ", ".join(single[:SHOWN_NAMES]) + (", …" if len(single) > SHOWN_NAMES else "")
    return f"{said} Of {len(single)} of {len(systems)} systems there is one run of each item ({names}): not divided."


def _describe_typical(errors: list[ScoreError]) -> str:
    typical = sorted(errors, key=lambda one: one.runs_share)[len(errors) // 2]
    return (
        f"Repeated runs: {100 * typical.runs_share:.0f} % of the variance of a typical score ({typical.system}) is "
        f"between runs. More runs could bring its standard error from {typical.standard_error:.4f} to "
        f"{typical.items_error:.4f}; only more items go below that."
    )


def pass_at_k(results: Results, k: int) -> Results:
    """The same results with the score pass@k: the chance that at least one of k runs of an item is right.

    Runs must be right or wrong. With n runs of which c are right the unbiased estimate of the loss, that all k fail,
    is C(n − c, k)/C(n, k).
    """
    failures, runs = _count_failures(results, k, "pass@k")
    return _score(results, _all_of(failures, runs, k), f"pass@{k}")


def pass_hat_k(results: Results, k: int) -> Results:
    """The same results with the score pass^k: the chance that all of k runs of an item are right.

    What a user relies on who asks k times (Yao et al. 2024, τ-bench, arXiv 2406.12045). With n runs of which c are
    right the unbiased estimate is C(c, k)/C(n, k).
    """
    failures, runs = _count_failures(results, k, "pass^k")
    return _score(results, 1 - _all_of(runs - failures, runs, k), f"pass^{k}")


def _score(results: Results, losses: FloatArray, name: str) -> Results:
    return replace(results, losses=losses, repeats=None, measure=Measure(name, 1.0))  # type: ignore[type-var]


def _count_failures(results: Any, k: int, name: str) -> tuple[FloatArray, IntArray]:
    """How many of each item's runs failed, and how many there are."""
    repeats = getattr(results, "repeats", None)
    if repeats is None:
        raise InputError(f"there is one run of each system on each item; {name} needs several")
    if not 1 <= k <= repeats.counts.min():
        raise ParameterError(f"k is {k}; some item has {repeats.counts.min()} runs, so it must lie between 1 and that")
    failures = np.asarray(results, dtype=np.float64) * repeats.counts
    whole = np.rint(failures)
    if (np.abs(failures - whole) > WHOLE).any() or (whole < 0).any() or (whole > repeats.counts).any():
        raise InputError(f"{name} needs runs that are right or wrong; these losses are not shares of failed runs")
    return whole, repeats.counts


def variance_of_runs(counts: IntArray, variances: FloatArray) -> FloatArray:
    """Σ_i v_ij/n² of each system, NaN where no v_ij is known; items with one run get the mean of the others' k·v."""
    known = np.isfinite(variances)
    number = known.sum(axis=0)
    of_one_run = np.where(known, counts * variances, 0.0).sum(axis=0)
    typical = np.divide(of_one_run, number, out=np.full(len(number), np.nan), where=number > 0)
    return np.asarray(np.where(known, variances, typical / counts).sum(axis=0) / len(variances) ** 2)


def _all_of(kind: FloatArray, runs: Any, k: int) -> FloatArray:
    """The chance that k runs drawn from an item's are all of a kind: ∏_{i<k} (kind − i)/(runs − i)."""
    chance = np.ones_like(kind)
    for drawn in range(k):
        chance *= np.maximum(kind - drawn, 0.0) / (runs - drawn)
    return chance
