"""The data of Neto et al.: what stands in for it, its three scaled sets, permuted responses and random splits.

The clinical data (ADNI) is not public. The stand-in has its size: 628 items and 2,150 features in an order, neighbours
strongly correlated, with one common factor that explains 30 % of the response. A user's CSV file can take its place.
The simulated data of the illustrations have 120 items and 1,000 strongly correlated features that explain nothing.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from ladderboard_lab.experiments.base import Conditions
from ladderboard_lab.participant import FloatArray, IntArray
from ladderboard_lab.problems.base import Problem
from ladderboard_lab.problems.regression import RegressionData, autoregressive, regression_problem

ITEMS, ALL_FEATURES, FEATURES = 628, 2150, 300
SMALL_ITEMS, SMALL_FEATURES = 120, 1000
CORRELATION = 0.9
"""Between neighbouring features of the stand-in, and of the illustrations. The paper says "strong"."""
EXPLAINED = 0.3
"""The share of the stand-in's response that its common factor explains."""


@dataclass(frozen=True, eq=False)
class ThreeSets:
    """Training, public and final set of roughly equal size, each scaled on its own as in the paper.

    Rows come in that order; ``public`` and ``final`` are the sizes of the last two. In every set each feature and the
    response have mean 0 and standard deviation 1 (divisor n), so that a constant prediction has an MSE of exactly 1.
    """

    data: RegressionData
    public: int
    final: int

    @classmethod
    def split(cls, data: RegressionData, order: IntArray) -> "ThreeSets":
        """The rows in that order: a third each is final and public, the rest trains."""
        third = len(order) // 3
        ends = [len(order) - 2 * third, len(order) - third]
        parts = np.split(np.column_stack([data.features, data.response])[order], ends)
        scaled = np.concatenate([scale(part) for part in parts])
        return cls(RegressionData(scaled[:, :-1], scaled[:, -1]), third, third)

    def permuted(self, rng: np.random.Generator) -> "ThreeSets":
        """The same sets with the responses permuted within each of them."""
        ends = [len(self.data.response) - self.public - self.final, len(self.data.response) - self.final]
        parts = [rng.permutation(part) for part in np.split(self.data.response, ends)]
        return ThreeSets(RegressionData(self.data.features, np.concatenate(parts)), self.public, self.final)

    def choose(self, features: IntArray) -> "ThreeSets":
        """With those features only."""
        return ThreeSets(RegressionData(self.data.features[:, features], self.data.response), self.public, self.final)

    def problem(self, metric: str = "mse") -> Problem:
        """The training part for everybody, the public responses for the board, the final ones for the truth."""
        n = len(self.data.response)
        train = n - self.public - self.final
        return regression_problem(
            self.data, train=np.arange(train), items=np.arange(train, n), public=np.arange(self.public), metric=metric
        )


def scale(values: FloatArray) -> FloatArray:
    """Every column with mean 0 and standard deviation 1; a column that does not vary becomes 0.

    >>> scale(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    centred = values - values.mean(axis=0)
    spread = centred.std(axis=0)
    return np.asarray(centred / np.where(spread > 0, spread, 1.0))


@dataclass(frozen=True, eq=False)
class Study:
    """The data of an experiment and how a repetition varies it; travels to the workers.

    ``permuted``: the three sets stay and the responses are permuted within each. Otherwise every repetition splits the
    rows anew. ``drawn``: every repetition has that many features of its own, drawn at random.
    """

    data: RegressionData
    order: IntArray
    permuted: bool
    drawn: int | None = None

    def repetition(self, rng: np.random.Generator) -> ThreeSets:
        """The three sets of one repetition."""
        data = self.data
        if self.drawn is not None:
            chosen = rng.permutation(data.features.shape[1])[: self.drawn]
            data = RegressionData(data.features[:, chosen], data.response)
        if self.permuted:
            return ThreeSets.split(data, self.order).permuted(rng)
        return ThreeSets.split(data, rng.permutation(len(data.response)))


def make_study(conditions: Conditions, *, permuted: bool, features: int = FEATURES) -> Study:
    """The clinical data's stand-in, or the user's, with that many randomly chosen features and one fixed split."""
    data = _data(conditions.seed, conditions.data, conditions.target)
    rng = np.random.default_rng([conditions.seed, 628])
    order = rng.permutation(len(data.response))
    chosen = np.sort(rng.permutation(data.features.shape[1])[:features])
    return Study(RegressionData(data.features[:, chosen], data.response), order, permuted)


def make_illustration(seed: int, *, features: int = SMALL_FEATURES, follows: int = 0) -> ThreeSets:
    """The simulated data of Figs 1, 3 and 5: 40 items in each set, 1,000 correlated features, shuffled responses.

    Negative controls: the response ``follows`` the mean of 40 neighbours (1) or a factor that all features share (2).
    """
    rng = np.random.default_rng([seed, 120])
    x = autoregressive(rng, n=SMALL_ITEMS, features=features, correlation=CORRELATION)
    response = rng.standard_normal(SMALL_ITEMS)
    if follows == 1:
        response = x[:, features // 2 : features // 2 + 40].mean(axis=1) + 0.1 * response
    elif follows:
        x = x + response[:, None]
    return ThreeSets.split(RegressionData(x, response), np.arange(SMALL_ITEMS))


def make_stand_in(rng: np.random.Generator, *, items: int = ITEMS, features: int = ALL_FEATURES) -> RegressionData:
    """Features of a common factor (loadings up to .7) and an autoregressive rest; the response follows it."""
    factor = rng.standard_normal(items)
    loadings = rng.uniform(0, 0.7, features)
    rest = autoregressive(rng, n=items, features=features, correlation=CORRELATION)
    x = factor[:, None] * loadings + rest * np.sqrt(1 - loadings**2)
    response = np.sqrt(EXPLAINED) * factor + np.sqrt(1 - EXPLAINED) * rng.standard_normal(items)
    return RegressionData(x, response)


@cache
def _data(seed: int, path: Path | None, target: str | None) -> RegressionData:
    if path is not None and target is not None:
        from ladderboard_lab.problems.regression_file import read_regression_table

        return read_regression_table(path, target=target)
    return make_stand_in(np.random.default_rng([seed, ALL_FEATURES]))
