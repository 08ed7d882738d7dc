"""An analyst who selects variables on a training set and checks them on a holdout, again and again.

The data of Dwork et al. 2015: d standard normal variables, labels −1 and 1, and where there is a signal, 20 variables
whose mean is moved by 6/√n in the direction of the label. Variables come in blocks, so that memory holds only those
that were selected; these alone are drawn on the fresh set.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import ladderboard as lb
from ladderboard_lab.participant import Array, FloatArray, IntArray

INFORMATIVE = 20
SIGNAL = 6.0
"""The shift of an informative variable in units of 1/√n: .06 at the paper's n = 10,000."""
BLOCK = 250

Checking = Callable[[FloatArray, float], float]
"""From a variable on the holdout and its correlation on the training set to the correlation that is believed."""


@dataclass(frozen=True)
class Sample:
    """``n`` items for each of the three sets, ``d`` variables, drawn from ``seed``."""

    n: int
    d: int
    has_signal: bool
    seed: int

    @cached_property
    def labels(self) -> FloatArray:
        """The labels of training set, holdout and fresh set, −1 or 1."""
        return np.random.default_rng([self.seed, 0]).choice(np.array([-1.0, 1.0]), size=(3, self.n))

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """The first variable of each block, and the block on training set and holdout: sets × variables × items."""
        for first in range(0, self.d, BLOCK):
            numbers = range(first, min(first + BLOCK, self.d))
            yield (
                first,
                np.stack([self._shift(self._draw([1, first, which], numbers), numbers, which) for which in (0, 1)]),
            )

    def fresh(self, variables: IntArray) -> Array:
        """Some variables on the fresh set, the same whatever else is asked for: variables × items."""
        rows = [self._shift(self._draw([2, number], [number]), [number], 2) for number in variables.tolist()]
        return np.concatenate(rows) if rows else np.empty((0, self.n), dtype=np.float32)

    def _draw(self, place: list[int], numbers: Sequence[int]) -> Array:
        rng = np.random.default_rng([self.seed, *place])
        return rng.standard_normal((len(numbers), self.n), dtype=np.float32)

    def _shift(self, drawn: Array, numbers: Sequence[int], which: int) -> Array:
        if self.has_signal:
            informative = np.asarray(numbers) < INFORMATIVE
            drawn[informative] += (SIGNAL / np.sqrt(self.n) * self.labels[which]).astype(np.float32)
        return drawn


def correlations(variables: Array, labels: FloatArray) -> FloatArray:
    """Pearson's correlation of each row with the labels."""
    centred = labels - labels.mean()
    spread = variables.std(axis=1) * np.sqrt(len(labels))
    products = variables @ centred.astype(np.float32)
    return np.asarray(products / (spread * np.linalg.norm(centred)), dtype=np.float64)


@dataclass(frozen=True)
class VariableSelection:
    """The variables an analyst believes in, and their values on training set and holdout: sets × variables × items."""

    variables: IntArray
    values: Array


def select(sample: Sample, check: Checking | None) -> VariableSelection:
    """Select variables, those with the largest correlation on the training set first.

    Believed are those whose correlation is at least 1/√n on the training set and, by ``check``, at least 1/√n and of
    the same sign on the holdout. Without ``check`` the holdout's own correlation is told.
    """
    variables, values, strengths = [], [], []
    least = 1 / np.sqrt(sample.n)
    for first, block in sample.blocks():
        training, holdout = (correlations(block[which], sample.labels[which]) for which in (0, 1))
        if check is not None:
            for row in np.flatnonzero(np.abs(training) >= least):
                holdout[row] = check(block[1, row], training[row])
        believed = np.flatnonzero((np.abs(training) >= least) & (np.sign(training) * holdout >= least))
        variables.append(first + believed)
        values.append(block[:, believed])
        strengths.append(np.abs(training[believed]))
    order = np.argsort(-np.concatenate(strengths))
    return VariableSelection(np.concatenate(variables)[order], np.concatenate(values, axis=1)[:, order])


def accuracies(sample: Sample, selected: VariableSelection, counts: tuple[int, ...]) -> tuple[FloatArray, Array]:
    """Accuracy of the vote of the first k variables, and its answers on the holdout: counts × sets, counts × items."""
    known = selected.values[:, : counts[-1]]
    columns = np.concatenate([known, sample.fresh(selected.variables[: counts[-1]])[None]])
    signs = np.sign(correlations(columns[0], sample.labels[0])).astype(np.float32)
    votes = np.zeros((3, sample.n))
    right, answers = np.empty((len(counts), 3)), np.empty((len(counts), sample.n))
    for place, (done, k) in enumerate(zip((0, *counts), counts, strict=False)):
        votes += signs[done:k] @ columns[:, done:k]
        given = np.where(votes >= 0, 1.0, -1.0)
        right[place], answers[place] = (given == sample.labels).mean(axis=1), given[1]
    return right, answers


@dataclass(frozen=True)
class Thresholded:
    """The holdout behind Thresholdout: correlations are checked, and accuracies told, with T = 4/√n and σ = 1/√n."""

    correlation: "lb.Leaderboard"
    accuracy: "lb.Leaderboard"

    @classmethod
    def around(cls, labels: FloatArray, seed: int) -> "Thresholded":
        # The papers' experiment sets no budget and answers every query; both metrics get the same T and σ.
        mechanism = lb.Thresholdout(
            threshold=4 / np.sqrt(len(labels)), noise=1 / np.sqrt(len(labels)), budget=10**9, redraw=True
        )
        return cls(*(lb.Leaderboard(labels, metric, mechanism, seed=seed) for metric in ("pearson", "accuracy")))

    def check(self, variable: Array, training: float) -> float:
        """The correlation on the holdout as Thresholdout tells it."""
        return _number(self.correlation.submit("analyst", variable, training_score=training))

    def tell(self, answers: Array, training: float) -> float:
        """The accuracy on the holdout as Thresholdout tells it."""
        return _number(self.accuracy.submit("analyst", answers, training_score=training))


def _number(release: "lb.Release") -> float:
    assert release.value is not None
    return release.value
