"""Rank ranges and the winner of thousands of systems, in blocks: no matrix of all pairs is ever held.

Up to `MOST_SIMULATED` systems `rank_ranges` and `winner_estimate` simulate how far luck reaches from the covariance of
all systems. Of m systems that takes m² numbers and m³ steps; 10,000 of them would take days. Here every pair is still
tested by its own paired statistic, and Bonferroni's correction takes the place of the simulation.

Notation
--------
m → the systems, n → the items; T_jk → as in `PairedMeans.statistics`; z_p → the normal quantile at 1 − p. System j is
certainly worse than k where T_jk > z at α/(m(m − 1)), and the winner's projection interval has c_β = z at β/(2m).

Guarantee
---------
That of `rank_ranges` and of `winner_estimate`, for any dependence between systems: a probability of a union is at most
the sum of the probabilities. It costs little: among a thousand systems the critical value is 2 % above the simulated
one, and the share falls with m.

Departures
----------
The luck in the winner's score needs the systems' covariance only as a product C·Cᵀ/(n(n − 1)) of the centred losses.
Where C has more than `_CELLS` numbers, its columns are added up at random with random signs, which keeps the product on
average (a count sketch: Charikar, Chen & Farach-Colton 2002).
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray, IntArray
from ladderboard.inference.checks import check_confidence
from ladderboard.inference.contrasts import make_generator
from ladderboard.inference.covariance import ROUNDING, ROUNDING_OF_LOSSES
from ladderboard.inference.luck import estimate_luck
from ladderboard.inference.pairwise import SMALLEST_SUPPORT
from ladderboard.inference.rank_ranges import RankRange, number_groups
from ladderboard.inference.selection import find_selection
from ladderboard.inference.winner import (
    PROJECTION_SHARE,
    WinnerEstimate,
    conclude,
    estimate_without_spread,
    solve_interval,
)

MOST_SIMULATED = 1000
"""Systems whose covariance is still simulated: ten seconds, and 10 megabytes for a matrix."""
_CELLS = 1 << 24
_BLOCK_CELLS = 1 << 22
_SYSTEMS_AT_ONCE = 512

Losses = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class ManyMeans:
    """The mean losses of m systems over the same n items, without the covariance of all of them.

    ``losses`` is systems × items, in memory or mapped from a file; the other fields are those of `PairedMeans`.
    """

    systems: tuple[str, ...]
    losses: Losses = field(repr=False)
    means: FloatArray = field(repr=False)
    variances: FloatArray = field(repr=False)
    skewness: FloatArray = field(repr=False)
    spacing: float
    is_binary: bool
    shares: None = None

    @property
    def is_share(self) -> bool:
        return self.is_binary

    @property
    def items(self) -> int:
        return int(self.losses.shape[1])

    @property
    def degrees_of_freedom(self) -> float:
        return self.items - 1

    def covariance_with(self, system: int) -> FloatArray:
        """Of every system's mean with that of one."""
        parts = [_centre(self, part) @ _centre(self, slice(system, system + 1))[0] for part in _parts(self)]
        return np.concatenate(parts) / (self.items - 1) / self.items

    def difference_variances_with(self, system: int) -> FloatArray:
        """Of the difference of every system's mean and that of one; exactly 0 where they never differ."""
        both = self.variances + self.variances[system]
        return _round_down(both - 2 * self.covariance_with(system), both, self)

    def of(self, columns: Sequence[int] | IntArray) -> "ManyMeans":
        """The same of some systems alone; their losses are copied."""
        chosen = np.asarray(columns, dtype=np.intp)
        return ManyMeans(
            systems=tuple(self.systems[one] for one in chosen),
            losses=self.losses[chosen],
            means=self.means[chosen],
            variances=self.variances[chosen],
            skewness=self.skewness[chosen],
            spacing=self.spacing,
            is_binary=self.is_binary,
        )

    @property
    def rounding(self) -> float:
        return float((ROUNDING_OF_LOSSES * np.abs(self.means).max()) ** 2 / self.items)


def many_means(losses: Losses, systems: Sequence[str] | None = None) -> ManyMeans:
    """The means of systems × items (not items × systems: a system's losses lie side by side).

    >>> many = many_means(np.array([[False, False, True, False], [True, False, True, True]]))
    >>> many.means.tolist(), many.variances.round(4).tolist(), many.spacing
    ([0.25, 0.75], [0.0625, 0.0625], 0.25)
    """
    if losses.shape[0] < 1 or losses.shape[1] < 2:
        raise InputError(f"{losses.shape[0]} systems on {losses.shape[1]} items cannot be compared")
    is_binary = losses.dtype.kind == "b"
    count, items = losses.shape
    means, variances, skewness = np.zeros(count), np.zeros(count), np.zeros(count)
    for part in _divide(count, items):
        block = np.asarray(losses[part], dtype=np.float64)
        means[part] = block.mean(axis=1)
        if not np.isfinite(means[part]).all():
            raise InputError("some losses are not finite, or so large that their sum overflows")
        block = block - means[part, None]
        squares = np.einsum("ij,ij->i", block, block)
        variances[part] = squares / (items - 1) / items
        if not is_binary:
            skewness[part] = _measure_skewness(block, np.sqrt(squares / items))
    names = tuple(systems) if systems is not None else tuple(f"system {j + 1}" for j in range(count))
    found = ManyMeans(names, losses, means, variances, skewness, 1 / items if is_binary else 0.0, is_binary)
    variances[variances <= found.rounding] = 0.0
    return found


def rank_many(many: ManyMeans, confidence: float = 0.95) -> Generator[int, None, list[RankRange]]:
    """The ranges of all systems; yields how many systems have been compared with all others so far."""
    check_confidence(confidence)
    count = len(many.means)
    critical = _normal_quantile((1 - confidence) / max(1, count * (count - 1)))
    better, worse = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    parts = _parts(many)
    for index, rows in enumerate(parts):
        for columns in parts[index:]:
            is_worse, is_better = _compare(many, rows, columns, critical)
            better[rows] += is_worse.sum(axis=1)
            worse[rows] += is_better.sum(axis=1)
            if columns != rows:  # each pair of blocks is looked at once, and counts for both
                better[columns] += is_better.sum(axis=0)
                worse[columns] += is_worse.sum(axis=0)
        yield rows.stop
    ranks = 1 + np.searchsorted(np.sort(many.means), many.means, side="left")
    best, last = (1 + better).tolist(), (count - worse).tolist()
    groups = number_groups(best, last)
    return [
        RankRange(name, float(many.means[j]), int(ranks[j]), best[j], last[j], groups[j])
        for j, name in enumerate(many.systems)
    ]


def winner_of_many(many: ManyMeans, confidence: float = 0.95, *, seed: int = 0) -> WinnerEstimate:
    """The true loss of the best system, corrected for its having been chosen; see `winner_estimate`."""
    check_confidence(confidence)
    column = int(many.means.argmin())
    if many.variances[column] == 0:
        return estimate_without_spread(many, column, confidence)
    beta = (1 - confidence) / PROJECTION_SHARE
    rng = make_generator(seed)
    value = float(many.means[column]) + estimate_luck(many.means, _make_root(many, rng), rng)
    critical = _normal_quantile(beta / 2 / len(many.means))
    tail = (1 - confidence - beta) / (1 - beta) / 2
    left, right = solve_interval(find_selection(many, column), critical, tail=tail)
    return conclude(many, column, confidence, value, (min(left, value), max(right, value)))


def _compare(many: ManyMeans, rows: slice, columns: slice, critical: float) -> tuple[Any, Any]:
    """Whether each of ``rows`` is certainly worse, and certainly better, than each of ``columns``."""
    items = many.items
    if many.is_binary:
        # Counts of items that both got wrong: whole numbers, which single precision adds up exactly.
        one, other = (many.losses[part].astype(np.float32) for part in (rows, columns))
        both_wrong = (one @ other.T).astype(np.float64)
        products = both_wrong - items * np.outer(many.means[rows], many.means[columns])
    else:
        products = _centre(many, rows) @ _centre(many, columns).T
    # T > critical, without a root or a quotient, and in place: this is where the time of a large board goes.
    variances = np.multiply(products, -2 / (items - 1) / items, out=products)
    variances += many.variances[rows, None]
    variances += many.variances[None, columns]
    if items < SMALLEST_SUPPORT:
        variances = _round_down(variances, many.variances[rows, None] + many.variances[None, columns], many)
    differences = many.means[rows, None] - many.means[None, columns]
    certain = differences**2 * (1 - critical**2 / items) > critical**2 * np.maximum(variances, 0.0, out=variances)
    if items < SMALLEST_SUPPORT:
        certain &= variances > 0
    return certain & (differences > 0), certain & (differences < 0)


def _round_down(variances: FloatArray, both: FloatArray, many: ManyMeans) -> FloatArray:
    variances[variances <= ROUNDING * both + many.rounding] = 0.0
    return variances


def _make_root(many: ManyMeans, rng: np.random.Generator) -> Any:
    """R of systems × at most so many columns that R·Rᵀ is the covariance of the means (on average, where added up)."""
    width = max(1, min(many.items, _CELLS // len(many.means)))
    scale = 1 / np.sqrt((many.items - 1) * many.items)
    root = np.zeros((len(many.means), width), dtype=np.float32)
    places, signs = rng.integers(0, width, many.items), rng.integers(0, 2, many.items) * 2.0 - 1
    order = places.argsort(kind="stable")
    starts = np.searchsorted(places[order], np.arange(width))
    filled = np.bincount(places, minlength=width) > 0
    for part in _parts(many):
        block = _centre(many, part) * scale
        if width == many.items:
            root[part] = block
        else:
            added = np.add.reduceat((block * signs)[:, order], np.minimum(starts, many.items - 1), axis=1)
            root[part] = np.where(filled, added, 0.0)
    return root


def _centre(many: ManyMeans, part: slice) -> FloatArray:
    return np.asarray(many.losses[part], dtype=np.float64) - many.means[part, None]


def _measure_skewness(centred: FloatArray, spread: FloatArray) -> FloatArray:
    scale = np.where(spread > 0, spread, 1.0)
    cubes = np.einsum("ij,ij,ij->i", centred, centred, centred) / centred.shape[1]
    return np.where(spread > 0, cubes / scale**3, 0.0)


def _parts(many: ManyMeans) -> list[slice]:
    return list(_divide(*many.losses.shape))


def _divide(count: int, items: int) -> Iterator[slice]:
    """Blocks of systems, small enough that their losses fit in a few tens of megabytes."""
    size = max(1, min(_SYSTEMS_AT_ONCE, _BLOCK_CELLS // items))
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


def _normal_quantile(tail: float) -> float:
    from scipy.special import ndtri

    return float(-ndtri(tail))
