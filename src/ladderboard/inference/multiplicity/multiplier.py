"""The luck in a board's best score, from the losses of all systems, whatever their dependence.

Each draw of the multiplier bootstrap weighs every item's centred losses with a standard normal number. The m averages
are then exactly N(0, Σ/n), Σ the paired covariance of the loss columns: what all scores would do together on another
test set of this size. They are drawn from Σ, or from the rows themselves where systems are many and items few.

Guarantee
---------
``true_best``, ``luck`` and ``adjusted_interval`` are those of `winner_estimate` on the same board: there is one number
for the luck in a best score. The interval covers as the number of items, or of groups of them, grows.

Reference
---------
Møllersen & Holsbø 2023 (arXiv 2303.07272), who crop or shrink simulated boards in this way; here the dependence
comes from the losses.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from ladderboard.core.arrays import refuse_first
from ladderboard.core.errors import InputError, ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.inference.checks import check_confidence, check_count
from ladderboard.inference.contrasts import compute_root, make_generator
from ladderboard.inference.covariance import GroupLabels, PairedMeans, paired_means, read_losses, system_names
from ladderboard.inference.luck import estimate_luck
from ladderboard.inference.measure import ACCURACY, LOSS, Measure
from ladderboard.inference.winner import winner_estimate
from ladderboard.metrics._kernels.weights import row_blocks

Truth = Literal["corrected", "cropped", "shrunk", "equal", "observed"]

REPLICATES = 10_000
MOST_CELLS = 1 << 25
"""Draws are kept while the true scores are searched: at most 128 MiB, by fewer replicates where systems are many."""
MANY_SYSTEMS = 2000
"""From here on, and where items are fewer, no covariance is formed: errors are drawn from the rows."""
CONTENTION = 16.0
"""Systems this many standard errors below the best can neither be the best nor become it by cropping."""
BISECTIONS = 26

Draws = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class SotaFromLosses:
    """The best score of a board: observed, true, and expected on another test set.

    All scores are in the direction of ``measure``; ``luck`` is positive where the board looks better than it is.
    """

    measure: Measure
    best_system: str
    observed: float
    """The best score on the board."""
    true_best: float
    """The estimate of the true score of the system that has the best score."""
    standard_error: float
    """Of the best system's own score."""
    best_losses: FloatArray = field(repr=False)
    """The best (smallest) mean loss in each replicate of the board, ascending."""
    largest_errors: FloatArray = field(repr=False)
    """By how much the luckiest system is too good in each replicate, ascending."""
    paired: PairedMeans | None = field(default=None, repr=False)
    """The board's means and covariance; None where there are too many systems for that."""

    @property
    def replicates(self) -> int:
        return len(self.best_losses)

    @property
    def mean(self) -> float:
        """The expected best score on another test set of this size."""
        return self.measure.score(float(self.best_losses.mean()))

    @cached_property
    def sd(self) -> float:
        """The standard deviation of the best score."""
        return float(self.best_losses.std(ddof=1))

    @property
    def luck(self) -> float:
        """By how much the board's best score is estimated to be better than the true score of that system."""
        return self._better(self.observed, self.true_best)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Where the best score falls on another test set, with equal tails on both sides."""
        tail = (1 - check_confidence(confidence)) / 2
        ends = np.quantile(self.best_losses, [tail, 1 - tail])
        return self._order_scores(float(ends[0]), float(ends[1]))

    def adjusted_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Where the true score of the system with the best score lies: the interval of `winner_estimate`.

        Where there is none (thousands of systems on few items, or a winner without spread): from the best score less
        the largest error of any system to the best score plus its own error, both sides at (1 − confidence)/2.
        """
        from scipy.special import ndtri

        tail = (1 - check_confidence(confidence)) / 2
        if self.paired is not None and self.standard_error > 0:
            return self._order_scores(*winner_estimate(self.paired, confidence).interval)
        loss = self.measure.loss(self.observed)
        too_good = float(np.quantile(self.largest_errors, 1 - tail))
        return self._order_scores(loss - float(ndtri(1 - tail)) * self.standard_error, loss + too_good)

    def beats(self, score: float, *, better_by: float = 0.0) -> float:
        """P(a system truly better than the best by ``better_by`` has a better score than ``score``), about normal."""
        from scipy.special import ndtr

        margin = self._better(self.true_best, score) + better_by
        return float(ndtr(margin / self.standard_error)) if self.standard_error > 0 else float(margin > 0)

    def sentence(self, *, confidence: float = 0.95) -> str:
        """Describe the board in plain words."""
        shown, (low, high) = self.measure.format_score, self.adjusted_interval(confidence)
        return (
            f"The best {self.measure.name} on this board is {shown(self.observed)} ({self.best_system}); "
            f"its true {self.measure.name} lies between {shown(low)} and {shown(high)} with {100 * confidence:g} % "
            f"confidence. Best guess: {shown(self.true_best)}, so luck: {self.measure.format_amount(self.luck)}."
        )

    def _better(self, one: float, than: float) -> float:
        return self.measure.loss(than) - self.measure.loss(one)

    def _order_scores(self, loss: float, other: float) -> tuple[float, float]:
        low, high = sorted((self.measure.score(loss), self.measure.score(other)))
        return low, high


def sota_from_losses(
    loss_matrix: Any,
    *,
    truth: Truth = "corrected",
    groups: GroupLabels | None = None,
    replicates: int = REPLICATES,
    seed: int | np.random.Generator = 0,
    measure: Measure | None = None,
) -> SotaFromLosses:
    """Estimate how much of the best score is luck, by a multiplier bootstrap of the paired losses.

    Guarantee and reference: see the module's docstring.

    Parameters
    ----------
    loss_matrix
        Items × systems, lower is better: anything `numpy.asarray` takes. The columns may be the contributions of any
        metric (influence values, negated where higher is better), so that their means are its scores: AUC included.
    truth
        What the systems' true scores are taken to be. ``"corrected"``: the observed ones, cut off at the winner's
        corrected score. ``"cropped"``: cut off at the level at which the expected best score is the observed one.
        ``"shrunk"``: the same by drawing all towards their mean. ``"equal"``: all the mean. ``"observed"``: as they
        are, which counts the luck twice.
    groups
        A label for each item whose items are not independent, as in `rank_ranges`.
    replicates, seed, measure
        Of the bootstrap, whose draws come in pairs; how scores are shown, by default as the matrix says, else accuracy
        for 0/1 losses and the loss itself otherwise.

    >>> rng = np.random.default_rng(1)
    >>> hard = rng.random((500, 1))
    >>> losses = 0.8 * rng.random((500, 40)) + 0.2 * hard < 0.2      # 40 equally good systems
    >>> best = sota_from_losses(losses)
    >>> round(best.observed, 3), round(best.true_best, 3), round(best.luck, 3)
    (0.896, 0.87, 0.026)
    """
    if truth not in get_args(Truth):
        raise ParameterError(f"truth is {truth!r}; it must be one of {', '.join(get_args(Truth))}")
    board = _read_board(loss_matrix, groups)
    # First, so that a seed gives the luck that it gives `winner_estimate`.
    luck = estimate_luck(board.means, board.root, make_generator(seed)) if truth == "corrected" else 0.0
    errors = board.draw(make_generator(seed), check_count(replicates, "replicates", smallest=100))
    shown = measure or getattr(loss_matrix, "measure", None) or (ACCURACY if board.is_binary else LOSS)
    means = np.maximum(board.means, board.means.min() + luck) if truth == "corrected" else _TRUTHS[truth](board, errors)
    return _summarise(board, means, errors, shown)


def _summarise(board: "_Board", means: FloatArray, errors: Draws, measure: Measure) -> SotaFromLosses:
    winner = int(board.means.argmin())
    return SotaFromLosses(
        measure=measure,
        best_system=board.systems[winner],
        observed=measure.score(float(board.means[winner])),
        true_best=measure.score(float(means.min())),
        standard_error=float(board.standard_errors[winner]),
        best_losses=np.sort(_best(means, errors)),
        largest_errors=np.sort(-errors.min(axis=1).astype(np.float64)),
        paired=board.paired,
    )


@dataclass(frozen=True, eq=False)
class _Board:
    """Mean losses, and a root R of their covariance: errors are standard normals times Rᵀ."""

    systems: tuple[str, ...]
    means: FloatArray
    root: FloatArray
    is_binary: bool
    paired: PairedMeans | None = None

    @cached_property
    def standard_errors(self) -> FloatArray:
        return np.asarray(np.sqrt(np.square(self.root).sum(axis=1)))

    def draw(self, rng: np.random.Generator, replicates: int) -> Draws:
        """Replicates × systems: the errors of all scores together, each draw with its mirror image.

        So the errors' mean is exactly zero, and a clear winner has no luck but what it has.
        """
        systems, rank = self.root.shape
        half = min(replicates, max(1000, MOST_CELLS // systems)) // 2
        errors = np.empty((2 * half, systems), dtype=np.float32)
        for start, stop in row_blocks(half, max(systems, rank)):
            errors[start:stop] = rng.standard_normal((stop - start, rank)) @ self.root.T
        np.negative(errors[:half], out=errors[half:])
        return errors


def _read_board(loss_matrix: Any, groups: GroupLabels | None) -> _Board:
    if isinstance(loss_matrix, PairedMeans):
        return _board_of(loss_matrix)
    losses = read_losses(loss_matrix)
    items, count = losses.shape
    labels = groups if groups is not None else getattr(loss_matrix, "groups", None)
    if labels is not None or count < max(items, MANY_SYSTEMS):
        return _board_of(paired_means(loss_matrix, groups=labels))
    values = losses.astype(np.float64)
    means = values.mean(axis=0)
    if not np.isfinite(means).all():
        refuse_first(~np.isfinite(losses), losses, "loss", InputError, "is not a finite number")
    root, is_binary = (values - means).T / np.sqrt(items * (items - 1)), bool(np.isin(values, (0, 1)).all())
    return _Board(system_names(loss_matrix, count), means, root, is_binary)


def _board_of(paired: PairedMeans) -> _Board:
    return _Board(paired.systems, paired.means, compute_root(paired.covariance), paired.is_binary, paired)


def _best(means: FloatArray, errors: Draws, among: npt.NDArray[np.bool_] | None = None) -> FloatArray:
    """The smallest mean loss in each replicate, in blocks."""
    columns = slice(None) if among is None else among
    best = np.empty(len(errors))
    for start, stop in row_blocks(len(errors), errors.shape[1]):
        best[start:stop] = (errors[start:stop, columns] + means[columns]).min(axis=1)
    return best


def _crop(board: _Board, errors: Draws) -> FloatArray:
    return _calibrate(board, errors, lambda level: np.maximum(board.means, level))


def _shrunk(board: _Board, errors: Draws) -> FloatArray:
    centre, best = float(board.means.mean()), float(board.means.min())

    def shrink(level: float) -> FloatArray:
        weight = (centre - level) / (centre - best) if centre > best else 1.0
        return centre + weight * (board.means - centre)

    return _calibrate(board, errors, shrink)


def _calibrate(board: _Board, errors: Draws, at: Callable[[float], FloatArray]) -> FloatArray:
    """The true losses whose best is at the level at which the expected best loss is the observed one.

    The expected best loss rises with the level. No level is worse than the mean: the best system is truly no worse than
    the average one, whose score is hardly a matter of luck.
    """
    observed = float(board.means.min())
    among = board.means <= observed + CONTENTION * float(board.standard_errors.max())
    low, high = observed, float(board.means.mean())
    if _best(at(high), errors, among).mean() <= observed:
        return at(high)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _best(at(middle), errors, among).mean() < observed else (low, middle)
    return at((low + high) / 2)


_TRUTHS: dict[str, Callable[[_Board, Draws], FloatArray]] = {
    "cropped": _crop,
    "shrunk": _shrunk,
    "equal": lambda board, _: np.full_like(board.means, board.means.mean()),
    "observed": lambda board, _: board.means,
}
