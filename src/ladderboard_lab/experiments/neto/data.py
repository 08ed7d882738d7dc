"""The data of Neto et al.: what stands in for it, its three scaled sets, permuted responses and random splits.

The clinical data (ADNI) is not public. The stand-in has its size: 628 items and 2,150 features in an order, neighbours
strongly correlated, with one common factor that explains 30 % of the response. Every repetition draws a data set of its
own, so that what is found is a property of the stand-in's law and not of one data set. A user's CSV file can take its
place.
The simulated data of the illustrations have 120 items and 1,000 strongly correlated features that explain nothing.
"""

from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class StandIn:
    """A law of data sets: ``features`` in an order, neighbours correlated, and one factor behind all of them.

    The factor's loadings go up to ``common``; it explains the share ``explained`` of the response.
    """

    items: int = ITEMS
    features: int = ALL_FEATURES
    correlation: float = CORRELATION
    explained: float = EXPLAINED
    common: float = 0.7

    def draw(self, rng: np.random.Generator, *, features: int) -> RegressionData:
        """A data set with that many of the features, at random places and in their order."""
        places = np.sort(rng.permutation(self.features)[:features])
        factor = rng.standard_normal(self.items)
        loadings = rng.uniform(0, self.common, len(places))
        rest = autoregressive(rng, n=self.items, features=self.features, correlation=self.correlation, places=places)
        x = factor[:, None] * loadings + rest * np.sqrt(1 - loadings**2)
        noise = rng.standard_normal(self.items)
        return RegressionData(x, np.sqrt(self.explained) * factor + np.sqrt(1 - self.explained) * noise)


ILLUSTRATION = StandIn(items=SMALL_ITEMS, features=SMALL_FEATURES, explained=0.0, common=0.0)
"""The law of the simulated data of the illustrations."""


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

    The stand-in: every repetition draws a data set with ``features`` features, splits it, and permutes the responses
    within each set where ``permuted``. A data set that is given: permuted responses keep one split and one choice of
    features, as in the paper; random splits keep the choice. ``redraws``: the choice of features varies too.
    """

    source: StandIn | RegressionData
    features: int
    permuted: bool
    seed: int = 0
    redraws: bool = False

    @property
    def available(self) -> int:
        """How many features there are to choose from."""
        return self.source.features if isinstance(self.source, StandIn) else self.source.features.shape[1]

    def repetition(self, rng: np.random.Generator) -> ThreeSets:
        """The three sets of one repetition."""
        if isinstance(self.source, StandIn):
            data = self.source.draw(rng, features=self.features)
            sets = ThreeSets.split(data, np.arange(len(data.response)))
        else:
            fixed = np.random.default_rng([self.seed, ITEMS])
            order, columns = self.source.features.shape
            split = (fixed if self.permuted else rng).permutation(order)
            chosen = np.sort((rng if self.redraws else fixed).permutation(columns)[: self.features])
            sets = ThreeSets.split(RegressionData(self.source.features[:, chosen], self.source.response), split)
        return sets.permuted(rng) if self.permuted else sets


def make_study(conditions: Conditions, *, permuted: bool, features: int = FEATURES, redraws: bool = False) -> Study:
    """The clinical data's stand-in, or the user's, with that many randomly chosen features."""
    source = _read(conditions.data, conditions.target) or StandIn()
    return Study(source, features, permuted, conditions.seed, redraws)


def make_illustration(seed: int, *, features: int = SMALL_FEATURES, follows: int = 0) -> ThreeSets:
    """The simulated data of Figs 1, 3 and 5: 40 items in each set, 1,000 correlated features, shuffled responses.

    Negative controls: the response ``follows`` the mean of 40 neighbours (1) or a factor that all features share (2).
    """
    rng = np.random.default_rng([seed, 120])
    data = replace(ILLUSTRATION, features=features).draw(rng, features=features)
    x, response = data.features, data.response
    if follows == 1:
        response = x[:, features // 2 : features // 2 + 40].mean(axis=1) + 0.1 * response
    elif follows:
        x = x + response[:, None]
    return ThreeSets.split(RegressionData(x, response), np.arange(SMALL_ITEMS))


@cache
def _read(path: Path | None, target: str | None) -> RegressionData | None:
    if path is None or target is None:
        return None
    from ladderboard_lab.problems.regression_file import read_regression_table

    return read_regression_table(path, target=target)
