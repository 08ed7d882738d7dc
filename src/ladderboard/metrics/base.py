"""The base class of metrics: what each of them computes, and what is the same for all.

A metric is a stateless object. Its public methods take anything `numpy.asarray` takes and check it; those named
``compute_…`` are what a new metric implements, on checked arrays:

    y   labels: numbers, class codes 0..m-1, or (time, event) rows          (see `inputs`)
    p   predictions: numbers, class codes, texts, or an n × m table of probabilities
    w   weights of the items, positive, on any scale; None = all equal
"""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ladderboard.core.errors import LabelsError, ParameterError
from ladderboard.core.records import Evaluation, FloatArray, IntArray, PairedTest
from ladderboard.core.scales import Scale
from ladderboard.metrics._kernels.weights import row_blocks, unscaled_weight_blocks, weight_blocks
from ladderboard.metrics.inputs import Array, InputKind, Target, read_numbers, refuse_first

PERMUTATIONS = 200
SMALLEST_WEIGHT = 1e-100
"""Below this, products of weights vanish and a score would be divided by zero."""
FEW_VALUES = 20
"""Labels with more values than this are on a continuous scale."""
SHUFFLED_SHARE = 0.25
"""The least a mean metric's null standard error may be, as a share of that of shuffled labels."""
TWO_VALUED_SHARE = 0.5
"""The same for labels of two values: squared errors of forecasts half-way to certainty, as the Brier score has it."""


@dataclass(frozen=True, eq=False)
class Baseline:
    """What can be reached without looking at an item: constant predictions, or the null value where those have none."""

    score: float
    predictions: Array | None


class Metric(ABC):
    """A way to score predictions against labels.

    To write one: the traits below as class attributes, and the methods named ``compute_…``. There are no defaults:
    every trait is declared on the class or on a base of several metrics, and nothing else in the project knows a metric
    by its name.
    """

    name: str
    """Its key in `METRICS`, in competition.toml and on the command line."""
    title: str
    """Its name for people."""
    kind: InputKind
    """What labels and predictions it takes."""
    lower_is_better: bool
    bounds: tuple[float, float]
    scale: Scale
    """The scale on which released numbers lie evenly."""
    paired_test: PairedTest
    """The test that compares two submissions item by item."""
    decides_by: "Metric | None" = None
    """The mean that gates compare instead, where the metric is a monotone function of one (rmse: mse)."""
    spread_is_open: bool = False
    """Whether a better file's losses may vary many times as much as those of a score without skill."""
    grid_centre: float | None = None
    """The score whose standard error the null one is, where that is not the baseline's."""
    takes_real_weights: bool
    """False where `replicates` needs whole-number weights (items are then repeated)."""
    degree: int
    """The power of c by which the score grows where labels and predictions are multiplied by c; 0: it has no unit."""
    relative_cost: int
    """About how many times as long as a mean of losses it takes."""

    # -- the public side: checked input ---------------------------------------------------------------------------

    def score(self, labels: npt.ArrayLike, predictions: npt.ArrayLike, *, weight: npt.ArrayLike | None = None) -> float:
        """The metric's value. Raises an error where the input is bad or the metric undefined; never a default."""
        target, p, w = self._read(labels, predictions, weight)
        return self.for_classes(target.classes).compute_score(target.values, p, w)

    def contributions(
        self, labels: npt.ArrayLike, predictions: npt.ArrayLike, *, weight: npt.ArrayLike | None = None
    ) -> FloatArray:
        """n values whose mean is the score and whose sd/√n is its standard error."""
        target, p, w = self._read(labels, predictions, weight)
        return self.for_classes(target.classes).compute_contributions(target.values, p, w)

    def replicates(self, labels: npt.ArrayLike, predictions: npt.ArrayLike, weights: npt.ArrayLike) -> FloatArray:
        """The scores under each row of ``weights`` (B × n, positive sums; the scale of a row does not matter)."""
        target, p, _ = self._read(labels, predictions, None)
        table = read_numbers(weights, "weight", ParameterError, dimensions=2, fewest=1)
        if table.shape[1] != len(target):
            raise ParameterError(f"weights have {table.shape[1]} columns for {len(target)} items")
        if table.min() <= 0:
            refuse_first(table < 0, table, "weight", ParameterError, "is negative")
            totals = table.sum(axis=1)
            refuse_first(totals <= 0, totals, "sum of weights", ParameterError, "is not positive")
        return self.for_classes(target.classes).replicates_in_blocks(target.values, p, table)

    def evaluate(
        self,
        labels: npt.ArrayLike,
        predictions: npt.ArrayLike,
        *,
        weight: npt.ArrayLike | None = None,
        group: npt.ArrayLike | None = None,
    ) -> Evaluation:
        """What a mechanism sees of one submission; for several to the same labels make one `AnswerKey`."""
        from ladderboard.metrics.answer_key import AnswerKey

        key = AnswerKey(labels, self, weight=weight, group=group)
        return key.evaluate(key.read(predictions))

    def bayesian_replicates(
        self, labels: npt.ArrayLike, predictions: npt.ArrayLike, *, replicates: int, rng: np.random.Generator
    ) -> FloatArray:
        """Scores under Dirichlet(1, …, 1) weights; under resampling counts where the metric cannot weigh."""
        target, p, _ = self._read(labels, predictions, None)
        metric = self.for_classes(target.classes)
        if self.takes_real_weights:
            blocks = unscaled_weight_blocks(rng, replicates=replicates, units=len(target))
        else:
            blocks = weight_blocks(rng, replicates=replicates, units=len(target), bayesian=False)
        return np.concatenate([metric.compute_replicates(target.values, p, block) for block in blocks])

    def baseline(self, labels: npt.ArrayLike) -> Baseline:
        """The public baseline for these labels."""
        target = self.kind.read_labels(labels)
        return self.for_classes(target.classes).baseline_for(target)

    def null_standard_error(self, labels: npt.ArrayLike) -> float:
        """The standard error of the score of predictions without skill."""
        target = self.kind.read_labels(labels)
        return self.for_classes(target.classes).compute_null_standard_error(target.values)

    # -- what a metric implements -----------------------------------------------------------------------------------

    @abstractmethod
    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        """The score; raises `UndefinedMetricError` where there is none."""

    @abstractmethod
    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        """score + (influence of each item), times w/mean(w) where there are weights."""

    @abstractmethod
    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        """One weighted score for each row of ``weights``."""

    @abstractmethod
    def compute_baseline(self, y: Array) -> Array | float:
        """Constant predictions, or the null value where a constant has no score."""

    @property
    def jackknife_groups(self) -> int | None:
        """How many groups contributions are estimated from, where they are not exact: t then has one df less."""
        return None

    def compute_unit_contributions(
        self, y: Array, p: Array, w: FloatArray | None, group: IntArray | None
    ) -> FloatArray:
        """A contribution for each item, or for each group of dependent items where ``group`` numbers them."""
        each = self.compute_contributions(y, p, w)
        if group is None:
            return each
        # φ_g = s + (G/n)·Σ_{i∈g}(φ_i − s): mean s, and sd/√G is the cluster-robust standard error.
        score = float(each.mean())
        sums = np.bincount(group, weights=each - score)
        return np.asarray(score + sums * (len(sums) / len(each)))

    def compute_null_standard_error(self, y: Array) -> float:
        """Unless a metric knows better: the sd over 200 seeded permutations of the labels as predictions."""
        rng = np.random.default_rng(PERMUTATIONS)
        scores = [self.compute_score(y, self.labels_as_predictions(rng.permutation(y))) for _ in range(PERMUTATIONS)]
        return float(np.std(scores, ddof=1))

    def labels_as_predictions(self, y: Array) -> Array:
        """Perfect predictions for ``y``; used shuffled, as predictions without skill."""
        return y

    def for_classes(self, classes: tuple[Any, ...]) -> "Metric":
        """The metric for labels of these classes: itself, unless it must know what the codes stand for."""
        return self

    def with_positive(self, positive: Any) -> "Metric":
        """The same metric with this class of two as the positive one, instead of the greater label."""
        chosen = copy.copy(self)
        chosen.kind = self.kind.with_positive(positive)
        return chosen

    def trusting_classes(self) -> "Metric":
        """The same metric, which takes every number for a class, also where labels look like measurements."""
        chosen = copy.copy(self)
        chosen.kind = self.kind.trusting_classes()
        return chosen

    def condense(self, y: Array, p: Array) -> Array:
        """What all of ``compute_…`` takes for predictions, once they were compared with the labels: themselves.

        A metric for which that comparison takes long gives a few numbers for each item here, and takes either.
        """
        return p

    def refuse_undefined(self, p: Array) -> None:
        """Raise `UndefinedMetricError` where predictions alone show that there is no score (label-free)."""
        return

    def compute_possible_losses(self, y: Array, p: Array) -> Iterator[FloatArray] | None:
        """The losses of all items with one label of ``y`` after the other; None: not defined."""
        return None

    def list_plausible_labels(self, y: Array, p: Array) -> Iterator[Array] | None:
        """Labels at which an item may lose most against other predictions, an array of them each; None: not defined."""
        return None

    def compute_losses_at(self, labels: Array, p: Array) -> FloatArray | None:
        """The loss of every item if these were the labels; None: items have none."""
        return None

    def compute_leverages(self, y: Array, w: FloatArray | None = None) -> FloatArray | None:
        """How far each item's prediction can move the score, as a share of the bounds' width; None: nothing is proven.

        With values c, labels fixed and independent items P(|score − its mean| > ε·width) ≤ 2·exp(−2ε²/Σc²), by
        McDiarmid's inequality; for a plain mean Σc² is 1/n, and the inequality Hoeffding's. Only for scores whose mean
        given the labels is the true score.
        """
        return None

    # -- the same for all -------------------------------------------------------------------------------------------

    def replicates_in_blocks(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        """`compute_replicates`, with temporaries that stay small however many rows there are."""
        scores = np.empty(len(weights))
        for start, stop in row_blocks(len(weights), weights.shape[1]):
            scores[start:stop] = self.compute_replicates(y, p, weights[start:stop])
        return scores

    def baseline_for(self, target: Target, w: FloatArray | None = None) -> Baseline:
        found = self.compute_baseline(target.values)
        if isinstance(found, float):
            return Baseline(found, None)
        return Baseline(self.compute_score(target.values, found, w), found)

    def _read(
        self, labels: npt.ArrayLike, predictions: npt.ArrayLike, weight: npt.ArrayLike | None
    ) -> tuple[Target, Array, FloatArray | None]:
        target = self.kind.read_labels(labels)
        p = self.for_classes(target.classes).condense(target.values, self.kind.read_predictions(target, predictions))
        return target, p, read_weight(weight, len(target))


class MeanMetric(Metric):
    """A metric that is the mean of one loss (or gain) for each item."""

    paired_test: PairedTest = "t"
    takes_real_weights = True
    relative_cost = 1

    @abstractmethod
    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        """The n values the score is the mean of, in the metric's natural direction."""

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        return self._mean(self.compute_losses(y, p), w)

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        losses = self.compute_losses(y, p)
        if w is None:
            return losses
        score = self._mean(losses, w)
        return weighted_contributions(score, losses - score, w)

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        ones_and_losses = np.stack([np.ones(len(y)), self.compute_losses(y, p)], axis=1)
        moments = weights @ ones_and_losses
        return np.clip(moments[:, 1] / moments[:, 0], *self.bounds)

    def _mean(self, losses: FloatArray, w: FloatArray | None) -> float:
        mean = float(losses.mean()) if w is None else float(w @ losses / w.sum())
        # Where all items lose the most, rounding can carry their mean past the bound in the last digit.
        return min(max(mean, self.bounds[0]), self.bounds[1])

    def compute_possible_losses(self, y: Array, p: Array) -> Iterator[FloatArray] | None:
        """None where losses are bounded: the spread of some items then tells what the others may lose.

        Of numbers only the least and the greatest label: between them no difference of two losses is larger.
        """
        if math.isfinite(self.bounds[1] - self.bounds[0]):
            return None
        labels = np.unique(y) if y.dtype.kind in "iu" else (y.min(), y.max())
        return (self.compute_losses(np.full_like(y, label), p) for label in labels)

    def list_plausible_labels(self, y: Array, p: Array) -> Iterator[Array] | None:
        """As above; of labels on a continuous scale only those within the largest error seen of each prediction.

        Without that limit two regressions could differ by the whole range of the labels on any item, and no gain that
        a few thousand items can show would be proven. An error rarer than one in n items is unseen: the price.
        """
        if math.isfinite(self.bounds[1] - self.bounds[0]):
            return None
        if y.dtype.kind in "iu":
            return (np.full_like(y, label) for label in np.unique(y))
        least, greatest = y.min(), y.max()
        if len(np.unique(y)) <= FEW_VALUES:
            return iter((np.full_like(y, least), np.full_like(y, greatest)))
        centre = self.to_error_scale(p)
        largest = np.abs(self.to_error_scale(y) - centre).max()
        ends = (self.from_error_scale(centre + error) for error in (-largest, largest))
        return (np.clip(end, least, greatest) for end in ends)

    def to_error_scale(self, y: Array) -> Array:
        """Numbers on the scale on which the metric takes their difference."""
        return y

    def from_error_scale(self, x: Array) -> Array:
        """The inverse of `to_error_scale`."""
        return x

    def compute_losses_at(self, labels: Array, p: Array) -> FloatArray | None:
        return self.compute_losses(labels, p)

    def compute_leverages(self, y: Array, w: FloatArray | None = None) -> FloatArray | None:
        return np.full(len(y), 1 / len(y)) if w is None else w / w.sum()

    def compute_null_standard_error(self, y: Array) -> float:
        baseline = self.compute_baseline(y)
        assert not isinstance(baseline, float)
        spread = float(np.std(self.compute_losses(y, baseline), ddof=1))
        # A baseline that errs alike everywhere (the mean of about as many zeros as ones) shows no scale, and the grid
        # of releases would be too fine. Shuffled labels show one; where losses vary as usual this floor is not reached.
        shuffled = self.labels_as_predictions(np.random.default_rng(PERMUTATIONS).permutation(y))
        share = TWO_VALUED_SHARE if _has_two_values(y) else SHUFFLED_SHARE
        floor = share * float(np.std(self.compute_losses(y, shuffled), ddof=1))
        found = max(spread, floor) / math.sqrt(len(y))
        return found if found > 0 else super().compute_null_standard_error(y)


def _has_two_values(y: Array) -> bool:
    others = y[y != y[0]]
    return len(others) > 0 and bool((others == others[0]).all())


def weighted_contributions(score: float, influence: FloatArray, w: FloatArray | None) -> FloatArray:
    """score + w̃·influence with w̃ = w/mean(w): n values with the right mean and the linearised standard error."""
    return score + influence if w is None else score + influence * (w / w.mean())


def shares_within_classes(y: Array, w: FloatArray | None) -> FloatArray:
    """The share of each item in the weight of its class (``y`` are codes)."""
    weights = np.ones(len(y)) if w is None else w
    return np.asarray(weights / np.bincount(y, weights=weights)[y])


def read_weight(weight: npt.ArrayLike | None, items: int) -> FloatArray | None:
    """Item weights, all positive, or None."""
    if weight is None:
        return None
    numbers = read_numbers(weight, "weight", LabelsError, dimensions=1)
    if len(numbers) != items:
        raise LabelsError(f"{len(numbers)} weights for {items} items")
    refuse_first(numbers <= 0, numbers, "weight", LabelsError, "is not positive")
    refuse_first(numbers < SMALLEST_WEIGHT, numbers, "weight", LabelsError, "is too small (below 1e-100)")
    return numbers
