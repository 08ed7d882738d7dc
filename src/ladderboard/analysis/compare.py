"""Two systems on the same items: how much better the new one is, on which items, and whether that is proven."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ladderboard.core.errors import InputError, ParameterError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.evals import LossMatrix
from ladderboard.inference.checks import check_confidence
from ladderboard.inference.covariance import system_names
from ladderboard.inference.measure import Measure
from ladderboard.inference.paired_difference import PairedDifference, paired_difference
from ladderboard.inference.power import GOOD_POWER
from ladderboard.inference.repeats import variance_of_runs

Verdict = Literal["better", "worse", "not worse", "not proven"]
Names = str | Sequence[str]
"""A system, or several that are one system with several seeds."""


@dataclass(frozen=True)
class ItemChange:
    """An item on which the two systems differ."""

    item: str
    task: str | None
    new: float
    """The score of the new system, as the measure shows it."""
    old: float


@dataclass(frozen=True)
class PartComparison:
    """The two systems on the items of one task or one group."""

    name: str
    items: int
    new: float
    old: float
    difference: float
    interval: tuple[float, float] | None
    """Simultaneous: those of all tasks hold at once. None for a group, whose items depend on each other."""


@dataclass(frozen=True)
class PairedComparison:
    """A new system against an old one on the same items; scores and differences as the measure shows them."""

    new: str
    old: str
    measure: Measure
    new_score: float
    old_score: float
    difference: float
    """Score of the new system − score of the old one."""
    interval: tuple[float, float]
    standard_error: float
    p_value: float
    confidence: float
    margin: float | None
    verdict: Verdict
    items: int
    units: int
    """What is independent: items, or groups of items."""
    won: int
    lost: int
    largest_wins: tuple[ItemChange, ...] = field(repr=False)
    largest_losses: tuple[ItemChange, ...] = field(repr=False)
    by_task: tuple[PartComparison, ...] = field(repr=False)
    by_group: tuple[PartComparison, ...] = field(repr=False)
    seeds: tuple[int, int]
    """How many seeds of the new and of the old system were compared."""
    prompts: int
    """With how many prompts, the same for both."""
    runs: int
    """The most runs of a system on an item."""
    runs_share: float | None
    """The share of the difference's variance that is between runs; None: not known."""
    is_rough: bool
    """Few items carry the difference: the interval rests on what others could be."""

    @property
    def resolved_gap(self) -> float:
        """The true difference that these items usually prove (80 % power)."""
        return self.errors_needed * self.standard_error

    @property
    def errors_needed(self) -> float:
        from scipy.special import ndtri

        return float(ndtri((1 + self.confidence) / 2) + ndtri(GOOD_POWER))

    def sentence(self) -> str:
        """The verdict in words."""
        low, high = (format_change(self.measure, end, unit=False) for end in self.interval)
        scores = " → ".join(self.measure.format_score(score) for score in (self.old_score, self.new_score))
        said = {
            "better": f"{self.new} is better than {self.old}",
            "worse": f"{self.new} is worse than {self.old}",
            "not worse": f"{self.new} is not worse than {self.old} by {_amount(self.measure, self.margin)} or more",
            "not proven": f"Not proven that {self.new} and {self.old} differ"
            if self.margin is None
            else f"Not proven that {self.new} is not worse than {self.old} by {_amount(self.measure, self.margin)}",
        }[self.verdict]
        return (
            f"{said}: {self.measure.name} {scores}, {format_change(self.measure, self.difference)} "
            f"({100 * self.confidence:g} % interval {low} to {high}) on {self.items:,} items; "
            f"{self.won:,} won, {self.lost:,} lost, {self.items - self.won - self.lost:,} level."
        )

    def count_needed_items(self, gap: float) -> int:
        """How many items like these would usually prove a gap of this size."""
        if not gap > 0:
            raise ParameterError(f"gap is {gap}; it must be above 0")
        return math.ceil(self.items * (self.resolved_gap / gap) ** 2)


def compare(
    results: Any, new: Names, old: Names, *, margin: float | None = None, confidence: float = 0.95, shown: int = 5
) -> PairedComparison:
    """Compare two systems of ``results`` on the same items.

    Parameters
    ----------
    results
        A `LossMatrix` (`read_results`), or items × systems, lower is better. Groups and repeats enter the error.
    new, old
        Names of systems. A list of names is one system with several seeds: the variance between seeds is added to
        that between items. One name alone stands for itself: nothing is said of other seeds of it.
    margin
        Ask instead whether the new system is not worse by this much (non-inferiority), in the measure's unit.
    shown
        How many of the items with the largest differences are named, each way.

    The verdict is the interval's: "better" or "worse" where it excludes 0, "not worse" where it lies above −margin.
    Where the two are equally good, "better" is said in at most 2.5 % of all comparisons, and so is "worse".

    >>> rng = np.random.default_rng(1)
    >>> found = compare(LossMatrix.of(rng.random((1000, 2)) < [0.20, 0.26], systems=["ours", "base"]), "ours", "base")
    >>> found.verdict, round(found.difference, 3), [round(end, 3) for end in found.interval]
    ('better', -0.076, [-0.112, -0.04])
    """
    check_confidence(confidence)
    if margin is not None and not margin > 0:
        raise ParameterError(f"margin is {margin}; it must be above 0, in the unit of the scores")
    matrix = _read(results)
    chosen = _choose(matrix, new), _choose(matrix, old)
    if set(chosen[0]) & set(chosen[1]):
        raise InputError("a system cannot be compared with itself; give two different names")
    tables = _take_losses(matrix.select(chosen[0])), _take_losses(matrix.select(chosen[1]))
    found = paired_difference(*tables, confidence=confidence, groups=matrix.groups)
    means = np.column_stack([table.mean(axis=(1, 2)) for table in tables])
    changes = _list_changes(matrix, means)
    toward = -1.0 if matrix.measure.lower_is_better else 1.0
    return PairedComparison(
        new=_name(new),
        old=_name(old),
        measure=matrix.measure,
        new_score=matrix.measure.score(float(means[:, 0].mean())),
        old_score=matrix.measure.score(float(means[:, 1].mean())),
        difference=toward * found.gain,
        interval=_turn(found.interval, toward),
        standard_error=found.standard_error,
        p_value=found.p_value,
        confidence=confidence,
        margin=margin,
        verdict=_judge(found, margin),
        items=len(matrix.items),
        units=found.units,
        won=int((means[:, 0] < means[:, 1]).sum()),
        lost=int((means[:, 0] > means[:, 1]).sum()),
        largest_wins=changes[0][:shown],
        largest_losses=changes[1][:shown],
        by_task=_split(matrix, matrix.tasks, tables, confidence, toward, are_independent=True),
        by_group=_split(matrix, matrix.groups, tables, confidence, toward, are_independent=False),
        seeds=(tables[0].shape[1], tables[1].shape[1]),
        prompts=tables[0].shape[2],
        runs=1 if matrix.repeats is None else int(matrix.repeats.select(_columns(matrix, chosen)).counts.max()),
        runs_share=_share_of_runs(matrix, chosen, found),
        is_rough=found.is_rough,
    )


def format_change(measure: Measure, amount: float, *, unit: bool = True) -> str:
    """A difference of scores with its sign.

    >>> from ladderboard.inference.measure import ACCURACY
    >>> format_change(ACCURACY, 0.031), format_change(ACCURACY, -0.031, unit=False)
    ('+3.10 percentage points', '-3.10')
    """
    written = measure.format_amount(amount)
    written = written if unit else written.split(" ")[0]
    return written if written.startswith("-") else f"+{written}"


def _read(results: Any) -> LossMatrix:
    if isinstance(results, LossMatrix):
        return results
    table = np.asarray(results, dtype=np.float64)
    if table.ndim != 2:
        raise InputError(f"results have shape {table.shape}; items × systems are needed")
    return LossMatrix.of(table, systems=system_names(results, table.shape[1]), constant=True)


def _choose(matrix: LossMatrix, names: Names) -> list[str]:
    chosen = [names] if isinstance(names, str) else list(names)
    if not chosen or len(set(chosen)) < len(chosen):
        raise InputError("give one name, or several different ones, the seeds of one system")
    return list(matrix.select(chosen).systems)


def _take_losses(seeds: LossMatrix) -> FloatArray:
    """Items × seeds × prompts of one system."""
    if seeds.conditions is None:
        return seeds.losses[:, :, None]
    if len(seeds.systems) > 1:
        raise InputError("the seeds are named already; give one name for each system")
    return seeds.conditions.losses[0]


def _name(names: Names) -> str:
    """What several seeds have in common at their beginning, or their first name."""
    if isinstance(names, str) or len(names) == 1:
        return names if isinstance(names, str) else names[0]
    first, last = min(names), max(names)
    common = next((first[:i] for i, letter in enumerate(first) if last[i : i + 1] != letter), first)
    return common.rstrip("-_./ 0123456789") or names[0]


def _judge(found: PairedDifference, margin: float | None) -> Verdict:
    low, high = found.interval
    if low > 0:
        return "better"
    if margin is not None and low > -margin:
        return "not worse"
    return "worse" if high < 0 else "not proven"


def _turn(interval: tuple[float, float], toward: float) -> tuple[float, float]:
    low, high = sorted(toward * end for end in interval)
    return low + 0.0, high + 0.0  # no negative zero


def _list_changes(matrix: LossMatrix, means: FloatArray) -> tuple[tuple[ItemChange, ...], tuple[ItemChange, ...]]:
    """The items won and lost, the largest differences first."""
    gains = means[:, 1] - means[:, 0]
    order = np.argsort(-np.abs(gains), kind="stable")
    won, lost = ([int(row) for row in order if sign * gains[row] > 0] for sign in (1, -1))
    return tuple(_change(matrix, means, row) for row in won), tuple(_change(matrix, means, row) for row in lost)


def _change(matrix: LossMatrix, means: FloatArray, row: int) -> ItemChange:
    new, old = (matrix.measure.score(float(loss)) for loss in means[row])
    return ItemChange(matrix.items[row], None if matrix.tasks is None else matrix.tasks[row], new, old)


def _split(
    matrix: LossMatrix,
    labels: Sequence[str] | None,
    tables: tuple[FloatArray, FloatArray],
    confidence: float,
    toward: float,
    *,
    are_independent: bool,
) -> tuple[PartComparison, ...]:
    """The comparison on each part; intervals by Bonferroni, so that all of them hold at once."""
    if labels is None or len(set(labels)) < 2:
        return ()
    names = list(dict.fromkeys(labels))
    each = 1 - (1 - confidence) / len(names)
    parts, marks = [], np.array(labels)
    for name in names:
        rows = np.flatnonzero(marks == name)
        new, old = (table[rows] for table in tables)
        scores = [matrix.measure.score(float(table.mean())) for table in (new, old)]
        interval = _interval(new, old, _take(matrix.groups, rows), each) if are_independent else None
        parts.append(
            PartComparison(
                name,
                len(rows),
                scores[0],
                scores[1],
                scores[0] - scores[1],
                None if interval is None else _turn(interval, toward),
            )
        )
    return tuple(parts)


def _interval(
    new: FloatArray, old: FloatArray, groups: tuple[str, ...] | None, confidence: float
) -> tuple[float, float] | None:
    """None where there are too few items or groups to tell."""
    if len(new) < 2 or (groups is not None and len(set(groups)) < 2):
        return None
    return paired_difference(new, old, confidence=confidence, groups=groups).interval


def _take(labels: tuple[str, ...] | None, rows: IntArray) -> tuple[str, ...] | None:
    return None if labels is None else tuple(labels[row] for row in rows)


def _columns(matrix: LossMatrix, chosen: tuple[list[str], list[str]]) -> list[int]:
    return [matrix.systems.index(name) for names in chosen for name in names]


def _share_of_runs(matrix: LossMatrix, chosen: tuple[list[str], list[str]], found: PairedDifference) -> float | None:
    """How much of the variance more runs could take away."""
    if matrix.repeats is None or found.standard_error == 0:
        return None
    parts = 0.0
    for names in chosen:
        some = matrix.repeats.select([matrix.systems.index(name) for name in names])
        parts += float(variance_of_runs(some.counts, some.variances).mean()) / len(names)
    return None if math.isnan(parts) else min(1.0, parts / found.standard_error**2)


def _amount(measure: Measure, amount: float | None) -> str:
    return measure.format_amount(amount or 0.0)
