"""The mean losses of a board's systems and their covariance, for rank ranges and the winner."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import InputError
from ladderboard.core.records import FloatArray
from ladderboard.inference.pairwise import SMALLEST_SUPPORT
from ladderboard.metrics.inputs import Array, read_numbers, refuse_first

GroupLabels = Sequence[Any] | npt.NDArray[Any]
"""One for each item; items with equal labels may depend on each other."""

_CELLS_PER_BLOCK = 1 << 20
ROUNDING = 1e-13
"""A difference's variance below this share of the systems' own is rounding error: they never differ."""
ROUNDING_OF_LOSSES = 1e-14
"""A spread of losses below this share of their size is rounding error: they are constant."""
ROUNDING_OF_SHARES = 1e-6
"""A number of failed runs this close to a whole one is one: a mean of runs has rounding errors."""
MOST_RUNS = 60
"""Losses that are multiples of a smaller share than this one's inverse are as good as real: ties are rare."""
_TOO_LARGE = "the losses are so large that their sum or their variance overflows; give them in a larger unit"


class SystemMeans(Protocol):
    """What the winner's estimate needs of a board: of few systems `PairedMeans`, of thousands `ManyMeans`."""

    @property
    def systems(self) -> tuple[str, ...]: ...
    @property
    def items(self) -> int: ...
    @property
    def means(self) -> FloatArray: ...
    @property
    def variances(self) -> FloatArray: ...
    @property
    def skewness(self) -> FloatArray: ...
    @property
    def spacing(self) -> float: ...
    @property
    def is_binary(self) -> bool: ...
    @property
    def is_share(self) -> bool: ...
    @property
    def shares(self) -> FloatArray | None: ...
    @property
    def degrees_of_freedom(self) -> float: ...
    def covariance_with(self, system: int) -> FloatArray: ...
    def difference_variances_with(self, system: int) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class PairedMeans:
    """m mean losses over the same n items, and their covariance.

    ``spacing`` is the distance between two possible mean losses: 1/n where all losses are whole numbers (such as 0/1),
    1/(kn) where they are multiples of 1/k (such as the mean of k runs), 0 where they are real.
    """

    systems: tuple[str, ...]
    items: int
    """The independent units: items, or groups of dependent items."""
    means: FloatArray = field(repr=False)
    covariance: FloatArray = field(repr=False)
    """Of the means: of the loss columns (ddof = 1) divided by n, or between groups."""
    spacing: float
    is_binary: bool
    """All losses are 0 or 1."""
    skewness: FloatArray = field(repr=False)
    """Of each system's losses; 0 where they are all the same, and where they are shares (they have their own scale)."""
    shares: FloatArray | None = field(default=None, repr=False)
    """Groups × systems: what each group adds to the means, less the average system's; None: items are independent.

    Of many groups (`contrasts.MANY_GROUPS`) only the products of the columns count, and fewer rows with the same ones
    may stand for them.
    """
    effective_units: float | None = None
    """Of groups of different sizes: how many of equal size tell as much. None: as many as there are units."""
    is_share: bool = False
    """All losses are 0 or 1, or the share of a few runs that failed."""
    own_units: FloatArray | None = field(default=None, repr=False)
    """As ``effective_units``, of each mean by itself: prompts that move all systems alike are in no difference."""

    @property
    def is_binomial(self) -> bool:
        """All losses are 0 or 1, and the items independent."""
        return self.is_binary and self.shares is None

    @property
    def degrees_of_freedom(self) -> float:
        """Of the estimated variances."""
        return (self.items if self.effective_units is None else self.effective_units) - 1

    @property
    def own_degrees_of_freedom(self) -> FloatArray:
        """Of each mean's own variance."""
        return np.full(len(self.means), self.degrees_of_freedom) if self.own_units is None else self.own_units - 1

    @cached_property
    def variances(self) -> FloatArray:
        """The variance of each mean; exactly 0 where a system's losses are all the same."""
        own = np.diag(self.covariance)
        return np.where(own > self._rounding, own, 0.0)

    @cached_property
    def difference_variances(self) -> FloatArray:
        """m × m: the variance of mean_i − mean_j; exactly 0 where two systems differ by the same on every item."""
        own = np.diag(self.covariance)
        both = own[:, None] + own[None, :]
        variances = both - 2 * self.covariance
        variances[variances <= ROUNDING * both + self._rounding] = 0.0
        return variances

    def covariance_with(self, system: int) -> FloatArray:
        """Of every system's mean with that of one."""
        return np.asarray(self.covariance[:, system])

    def difference_variances_with(self, system: int) -> FloatArray:
        """Of the difference of every system's mean and that of one."""
        return np.asarray(self.difference_variances[system])

    def statistics(self) -> FloatArray:
        """m × m: how many standard errors system i is worse than j (positive: i has the higher loss).

        The difference divided by the root of Σd²/n², the *uncentred* second moment: McNemar's statistic where losses
        are 0/1. It differs from Student's by a factor 1 + O(1/n) and never exceeds √n. A difference that is the same on
        every item is believed only where there are enough of them. Of groups Σd² runs over the groups' sums.
        """
        differences = self.means[:, None] - self.means[None, :]
        if self.shares is not None:
            spread = np.sqrt(pair_moments(self.shares))
            return np.divide(differences, spread, out=np.zeros_like(differences), where=spread > 0)
        spread = np.sqrt(self.difference_variances + differences**2 / self.items)
        believed = (spread > 0) & ((self.difference_variances > 0) | (self.items >= SMALLEST_SUPPORT))
        return np.divide(differences, spread, out=np.zeros_like(differences), where=believed)

    def of(self, columns: Sequence[int]) -> "PairedMeans":
        """The same of some systems alone."""
        chosen = np.asarray(columns, dtype=np.intp)
        return PairedMeans(
            systems=tuple(self.systems[column] for column in chosen),
            items=self.items,
            means=self.means[chosen],
            covariance=self.covariance[np.ix_(chosen, chosen)],
            spacing=self.spacing,
            is_binary=self.is_binary,
            skewness=self.skewness[chosen],
            shares=None if self.shares is None else self.shares[:, chosen],
            effective_units=self.effective_units,
            is_share=self.is_share,
            own_units=None if self.own_units is None else self.own_units[chosen],
        )

    @property
    def _rounding(self) -> float:
        return float((ROUNDING_OF_LOSSES * np.abs(self.means).max()) ** 2 / self.items)


def pair_moments(shares: FloatArray) -> FloatArray:
    """m × m: Σ_g (share_gi − share_gj)², exactly 0 where two systems never differ."""
    moments = shares.T @ shares
    own = np.diag(moments)
    both = own[:, None] + own[None, :]
    squares = both - 2 * moments
    squares[squares <= ROUNDING * both] = 0.0
    return np.asarray(squares)


def paired_means(loss_matrix: Any, *, groups: GroupLabels | None = None, conditions: bool = True) -> PairedMeans:
    """The means and their paired covariance, of items × systems.

    ``groups`` has a label for each item; by default those of the matrix itself (`LossMatrix.groups`), where it has
    some. Items of one group may depend on each other: the means stay the same, the covariance is that between groups.
    Named seeds and prompts (`LossMatrix.conditions`) add their variance, unless ``conditions`` is False.

    Two passes over the rows in blocks; beside the m × m result there is never more than one centred block in memory,
    whatever the type of the matrix (``bool`` and ``int8`` matrices stay as they are). What was computed already is
    returned as it is, so that several analyses of one board share the work.

    >>> paired = paired_means([[0, 1], [0, 0], [1, 1], [0, 1]])
    >>> paired.means.tolist(), paired.spacing
    ([0.25, 0.75], 0.25)
    >>> paired.covariance.round(4).tolist()
    [[0.0625, 0.0208], [0.0208, 0.0625]]
    """
    if isinstance(loss_matrix, PairedMeans):
        return loss_matrix
    named = getattr(loss_matrix, "conditions", None) if conditions else None
    paired = _pair_items(loss_matrix, groups)
    if named is None:
        return paired
    from ladderboard.inference.conditions_error import add_conditions

    return add_conditions(paired, named)


def _pair_items(loss_matrix: Any, groups: GroupLabels | None) -> PairedMeans:
    """The means and their covariance between items, or between groups of items."""
    from ladderboard.inference.clusters import clustered_means, read_groups

    losses = read_losses(loss_matrix)
    items = len(losses)
    parts, is_share = _lattice(losses)
    systems = system_names(loss_matrix, losses.shape[1])
    codes = read_groups(groups if groups is not None else getattr(loss_matrix, "groups", None), items)
    if codes is not None:
        return clustered_means(losses, codes, systems=systems, parts=parts, is_share=is_share)
    means, scatter = _moments(losses, sums_are_exact=parts == 1)
    skewness = np.zeros(len(means)) if is_share else measure_skewness(losses, means, np.diag(scatter))
    return PairedMeans(
        systems=systems,
        items=items,
        means=round_to_lattice(means, items * parts),
        covariance=scatter / (items - 1) / items,
        spacing=1 / (items * parts) if parts else 0.0,
        is_binary=is_share and parts == 1,
        skewness=skewness,
        is_share=is_share,
    )


def round_to_lattice(means: FloatArray, steps: int) -> FloatArray:
    """Means that are multiples of 1/steps, without rounding errors: systems that are level are exactly level."""
    return np.rint(means * steps) / steps if steps else means


def read_losses(loss_matrix: Any) -> Array:
    """Read items × systems as an array of numbers in its own type; refuse anything else."""
    losses = np.asarray(loss_matrix)
    if losses.dtype.kind not in "biuf" or losses.ndim != 2:
        losses = read_numbers(losses, "loss", InputError, dimensions=2)
    if losses.shape[0] < 2:
        raise InputError(f"{losses.shape[0]} items; at least two are needed to tell luck from skill")
    if losses.shape[1] < 1:
        raise InputError("the loss matrix has no system's column")
    return losses


def system_names(loss_matrix: Any, count: int) -> tuple[str, ...]:
    """Find the systems' names in the matrix (``systems``) or data frame (``columns``), else system 1, system 2 …"""
    for attribute in ("systems", "columns"):
        names = getattr(loss_matrix, attribute, None)
        if names is not None and len(names) == count:
            return tuple(str(name) for name in names)
    return tuple(f"system {j + 1}" for j in range(count))


def _moments(losses: Array, *, sums_are_exact: bool) -> tuple[FloatArray, FloatArray]:
    """The means, and the sums of squares and products around them."""
    means = _first_means(losses)
    scatter, residual = np.zeros((len(means), len(means))), np.zeros(len(means))
    with np.errstate(over="ignore", invalid="ignore"):
        for block in _blocks(losses):
            centred = block - means
            scatter += centred.T @ centred
            residual += centred.sum(axis=0)
    if not np.isfinite(scatter).all():
        raise InputError(_TOO_LARGE)
    if not sums_are_exact:
        # The first mean carries the rounding of n additions. Whole numbers add up exactly, and equal means stay equal.
        shift = residual / len(losses)
        means = means + shift
        scatter -= len(losses) * np.outer(shift, shift)
    return means, scatter


def measure_skewness(losses: Array, means: FloatArray, squares: FloatArray) -> FloatArray:
    """The third moment of each system's losses in units of their standard deviation."""
    spread = np.sqrt(np.maximum(squares, 0.0) / len(losses))
    scale = np.where(spread > 0, spread, 1.0)
    cubes = np.zeros(len(means))
    for block in _blocks(losses):
        centred = (block - means) / scale
        cubes += np.einsum("ij,ij,ij->j", centred, centred, centred)
    return np.where(spread > 0, cubes / len(losses), 0.0)


def _first_means(losses: Array) -> FloatArray:
    with np.errstate(over="ignore", invalid="ignore"):
        means = np.asarray(losses.mean(axis=0, dtype=np.float64))
    if not np.isfinite(means).all():
        refuse_first(~np.isfinite(losses), losses, "loss", InputError, "is not a finite number")
        raise InputError(_TOO_LARGE)
    return means


def _blocks(losses: Array) -> Iterator[Array]:
    rows = max(1, _CELLS_PER_BLOCK // losses.shape[1])
    for start in range(0, len(losses), rows):
        yield losses[start : start + rows]


def _lattice(losses: npt.NDArray[Any]) -> tuple[int, bool]:
    """The smallest k for which all losses are multiples of 1/k, and whether they are shares; k = 0: none is.

    Shares lie between 0 and 1: 0/1 losses, and means of k runs that fail or not.
    """
    if losses.dtype.kind == "b":
        return 1, True
    parts = 1 if losses.dtype.kind != "f" else _find_parts(losses)
    return parts, parts > 0 and float(losses.min()) >= 0 and float(losses.max()) <= 1


def _find_parts(losses: npt.NDArray[Any]) -> int:
    """Every k that the first row leaves is tried on all of them: of real losses none is left."""
    for parts in range(1, MOST_RUNS + 1):
        if _are_multiples(losses[:1], parts) and all(_are_multiples(block, parts) for block in _blocks(losses)):
            return parts
    return 0


def _are_multiples(losses: npt.NDArray[Any], parts: int) -> bool:
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is no multiple, and refused later
        steps = losses * parts
        # Of one run exactly: whole numbers stay exact. A mean of runs carries a rounding error.
        return bool((np.abs(steps - np.rint(steps)) <= (parts > 1) * ROUNDING_OF_SHARES).all())
