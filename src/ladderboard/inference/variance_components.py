"""The sources of a score's variance: items, seeds and prompts, by the analysis of variance.

Notation
--------
y_isp → the loss of a system on item i with seed s and prompt p: n items, S seeds, P prompts, every combination run.
σ_α² → the variance component of a set α of these three: σ_s² is how much seeds move all items together, σ_is² how much
they move single items. MS_α → the mean square of α. As the effects are random and the table is full,

    E MS_α = Σ_{β ⊇ α} σ_β² · Π_{f ∉ β} n_f,    so    σ_α² = Σ_{β ⊇ α} (−1)^{|β∖α|} MS_β / Π_{f ∉ α} n_f.

The variance of the score is Σ_α σ_α² / Π_{f ∈ α} n_f. The part of the items is σ_i²/n, that of the seeds σ_s²/S, that
of the prompts σ_p²/P; the rest, which single answers add, shrinks with all three. Of items in groups the part of the
items is what the groups' variance leaves of the score's.

Guarantee
---------
The components are unbiased before those below 0 are raised to it. Of two or three seeds a system's own component says
little; what is shown of all systems is their mean.

Reference
---------
Searle, Casella & McCulloch 1992, Variance Components, chapter 4; Brennan 2001, Generalizability Theory.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.inference.covariance import paired_means
from ladderboard.inference.measure import Measure

Axes = tuple[int, ...]
ITEMS, SEEDS, PROMPTS = 0, 1, 2
NAMES = ("items", "seeds", "prompts")
ANSWERS = "answers"


@dataclass(frozen=True)
class VarianceSource:
    """What one source adds to the variance of a system's score."""

    name: str
    """items, seeds, prompts or (single) answers."""
    count: float
    """How many there are: the mean over the systems, of typical sources."""
    deviation: float | None
    """By how much another seed, or another prompt, moves the score: √σ². None for items and answers."""
    variance: float
    """Its part of the score's variance."""


@dataclass(frozen=True)
class SystemVariance:
    """The sources of the variance of one system's score."""

    system: str
    sources: tuple[VarianceSource, ...]

    @property
    def total(self) -> float:
        return sum(source.variance for source in self.sources)

    def share(self, source: VarianceSource) -> float:
        """The source's part of the whole."""
        return source.variance / self.total if self.total > 0 else 0.0


def mean_squares(table: FloatArray) -> dict[Axes, float]:
    """The mean square of every set of axes that vary, of a full table with one number in each cell.

    >>> mean_squares(np.array([[1.0, 2.0], [3.0, 6.0]]))
    {(0,): 9.0, (1,): 4.0, (0, 1): 1.0}
    """
    varied = [axis for axis in range(table.ndim) if table.shape[axis] > 1]
    means = {axes: _average_others(table, axes) for axes in _subsets(varied)}
    squares = {}
    for axes in means:
        if not axes:
            continue
        effect = sum((-1) ** (len(axes) - len(part)) * means[part] for part in _subsets(axes))
        freedom = math.prod(table.shape[axis] - 1 for axis in axes)
        squares[axes] = float(np.square(effect).sum()) * _count_others(table, axes) / freedom
    return squares


def estimate_components(table: FloatArray) -> dict[Axes, float]:
    """σ_α² of every set of axes that vary; unbiased, so that it may be below 0."""
    squares = mean_squares(table)
    return {
        axes: sum(
            (-1) ** (len(wider) - len(axes)) * value for wider, value in squares.items() if set(axes) <= set(wider)
        )
        / _count_others(table, axes)
        for axes in squares
    }


def split_sources(results: Any) -> list[SystemVariance]:
    """The sources of each system's variance; ``results`` is a `LossMatrix` whose seeds or prompts are named.

    >>> from ladderboard.evals import ConditionLosses, LossMatrix
    >>> rng = np.random.default_rng(1)
    >>> table = rng.normal(size=(500, 1, 1)) + 0.3 * rng.normal(size=(1, 8, 1)) + rng.normal(size=(500, 8, 1))
    >>> results = LossMatrix.of(table.mean(axis=2).mean(axis=1, keepdims=True), systems=["ours"])
    >>> from dataclasses import replace
    >>> named = replace(results, conditions=ConditionLosses((table,), (tuple("12345678"),), ("",)))
    >>> [(one.name, round(one.variance, 4)) for one in split_sources(named)[0].sources]
    [('items', 0.0017), ('seeds', 0.0199), ('answers', 0.0003)]
    """
    conditions = getattr(results, "conditions", None)
    if conditions is None:
        raise InputError("no seeds or prompts are named; say which they are (seed_column=, prompt_column= or names=)")
    units = paired_means(results, conditions=False).variances
    return [
        SystemVariance(name, _split(table, float(own)))
        for name, table, own in zip(results.systems, conditions.losses, units, strict=True)
    ]


def find_typical(systems: Sequence[SystemVariance]) -> SystemVariance:
    """The mean of the systems; of a source only those with several seeds, or prompts, tell."""
    sources = []
    for name in (*NAMES, ANSWERS):
        found = [one for system in systems for one in system.sources if one.name == name]
        if found:
            moved = [one.deviation**2 for one in found if one.deviation is not None]
            count, variance = (
                float(np.mean([getattr(one, field) for one in found])) for field in ("count", "variance")
            )
            sources.append(VarianceSource(name, count, math.sqrt(np.mean(moved)) if moved else None, variance))
    return SystemVariance("typical", tuple(sources))


def describe_sources(systems: Sequence[SystemVariance], measure: Measure) -> str:
    """Where the variance of a typical score comes from, and how far another seed or prompt moves it."""
    typical = find_typical(systems)
    words = {"answers": "single answers"}
    parts = [f"{100 * typical.share(one):.0f} % from {words.get(one.name, one.name)}" for one in typical.sources]
    moves = [
        f"another {one.name.removesuffix('s')} moves a score by {measure.format_amount(one.deviation)}"
        for one in typical.sources
        if one.deviation is not None
    ]
    said = f"Variance of a typical score: {', '.join(parts[:-1])} and {parts[-1]}"
    return f"{said}; {' and '.join(moves)} (standard deviation)."


def _split(table: FloatArray, units: float) -> tuple[VarianceSource, ...]:
    components = estimate_components(table)
    parts = {
        axes: max(0.0, value) / math.prod(table.shape[axis] for axis in axes) for axes, value in components.items()
    }
    with_items = sum(part for axes, part in parts.items() if ITEMS in axes and len(axes) > 1)
    sources = [VarianceSource(NAMES[ITEMS], table.shape[ITEMS], None, max(0.0, units - with_items))]
    for axis in (SEEDS, PROMPTS):
        if (axis,) in parts:
            deviation = math.sqrt(max(0.0, components[axis,]))
            sources.append(VarianceSource(NAMES[axis], table.shape[axis], deviation, parts[axis,]))
    crossed = sum(part for axes, part in parts.items() if len(axes) > 1)
    return (*sources, VarianceSource(ANSWERS, table.size, None, crossed))


def _subsets(axes: Iterable[int]) -> list[Axes]:
    known = tuple(axes)
    return [part for size in range(len(known) + 1) for part in combinations(known, size)]


def _average_others(table: FloatArray, axes: Axes) -> FloatArray:
    others = tuple(axis for axis in range(table.ndim) if axis not in axes)
    return np.asarray(table.mean(axis=others, keepdims=True))


def _count_others(table: FloatArray, axes: Axes) -> int:
    return math.prod(size for axis, size in enumerate(table.shape) if axis not in axes)
