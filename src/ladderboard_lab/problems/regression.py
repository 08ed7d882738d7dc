"""Regression problems: features for all, responses for training; a random split into training, public and private.

With permuted responses nothing can be learnt, and every gain on the public part is luck. The stand-in for data that is
not public has features in an order, neighbours correlated (first-order autoregressive).
"""

from dataclasses import dataclass

import numpy as np

import ladderboard as lb
from ladderboard_lab.participant import Array, Briefing, FloatArray, IntArray
from ladderboard_lab.problems.base import Problem

SMALLEST_PART = 10


@dataclass(frozen=True, eq=False)
class RegressionData:
    """n items: n × p features and n responses with mean 0 and sd 1, so that errors are shares of the variance."""

    features: FloatArray
    response: FloatArray

    def permute(self, rng: np.random.Generator) -> "RegressionData":
        """The same numbers without any relation between features and responses."""
        return RegressionData(self.features, rng.permutation(self.response))

    def first(self, features: int) -> "RegressionData":
        """With the first ``features`` of the features only."""
        return RegressionData(self.features[:, :features], self.response)


def simulate_regression(
    rng: np.random.Generator, *, n: int, features: int, correlation: float = 0.9, signal: float = 0.0
) -> RegressionData:
    """Neighbouring features correlate by ``correlation``; they explain the share ``signal`` of the response.

    Three features, evenly spaced, have the same coefficient. ``signal`` = 0: responses are pure noise.
    """
    if n < 3 * SMALLEST_PART or features < 1:
        raise lb.ParameterError(
            f"n = {n} and {features} features; at least {3 * SMALLEST_PART} items and one are needed"
        )
    x = autoregressive(rng, n=n, features=features, correlation=correlation)
    noise = _standardise(rng.standard_normal(n))
    explained = _standardise(x[:, :: -(-features // 3)].sum(axis=1))
    return RegressionData(x, _standardise(np.sqrt(signal) * explained + np.sqrt(1 - signal) * noise))


def autoregressive(
    rng: np.random.Generator, *, n: int, features: int, correlation: float, places: IntArray | None = None
) -> FloatArray:
    """n rows of a stationary normal sequence with variance 1 and ``correlation`` between neighbours.

    ``places``: only those positions of it, in rising order; the law is the same as if the rest had been drawn too.
    """
    count = features if places is None else len(places)
    x = np.asfortranarray(rng.standard_normal((n, count)))
    gaps = np.ones(count - 1) if places is None else np.diff(places)
    for j, kept in enumerate(correlation**gaps, 1):
        x[:, j] = kept * x[:, j - 1] + np.sqrt(1 - kept**2) * x[:, j]
    return np.ascontiguousarray(x)


def split_regression(
    data: RegressionData,
    rng: np.random.Generator,
    *,
    metric: str = "mse",
    public: int | None = None,
    private: int | None = None,
) -> Problem:
    """A problem from a random split; a third of the items is public and a third private unless said otherwise.

    The participant sees the training part, and the features of the public and the private items, mixed. The true score
    of a submission is its score on the private part.
    """
    n = len(data.response)
    public, private = n // 3 if public is None else public, n // 3 if private is None else private
    if min(public, private, n - public - private) < SMALLEST_PART:
        raise lb.ParameterError(
            f"{n} items cannot be split into training, {public} public and {private} private ones; each part needs at "
            f"least {SMALLEST_PART}"
        )
    order = rng.permutation(n)
    train, items = order[: n - public - private], order[n - public - private :]
    return regression_problem(data, train=train, items=items, public=np.arange(public), metric=metric)


def regression_problem(
    data: RegressionData, *, train: IntArray, items: IntArray, public: IntArray, metric: str
) -> Problem:
    """The problem with those training rows and items; ``public`` are positions among the items, the others private."""
    labels = data.response[items]
    private = np.setdiff1d(np.arange(len(items)), public)
    scored = lb.METRICS[metric]
    briefing = Briefing(
        metric=metric,
        lower_is_better=scored.lower_is_better,
        items=len(items),
        features=data.features[items],
        training_features=data.features[train],
        training_labels=data.response[train],
    )

    def true_score(predictions: Array) -> float:
        return scored.score(labels[private], predictions[private])

    return Problem(scored, briefing, labels, public, true_score)


def noise_numbers(rng: np.random.Generator, *, n: int, private: int = 0) -> Problem:
    """``n`` public and ``private`` other items in random order, labels standard normal; p truly loses 1 + mean(p²)."""
    items = n + private
    public = np.sort(rng.permutation(items)[:n])
    briefing = Briefing(metric="mse", lower_is_better=True, items=items)

    def true_score(predictions: Array) -> float:
        return 1.0 + float(np.mean(np.square(predictions[public])))

    return Problem(lb.METRICS["mse"], briefing, rng.standard_normal(items), public, true_score)


def _standardise(values: FloatArray) -> FloatArray:
    return np.asarray((values - values.mean()) / values.std())


def standardise_data(features: FloatArray, response: FloatArray) -> RegressionData:
    """Data from numbers in any unit; a response that does not vary is refused."""
    if response.std() == 0:
        raise lb.InputError("all responses are equal; there is nothing to predict")
    return RegressionData(features, _standardise(response))
