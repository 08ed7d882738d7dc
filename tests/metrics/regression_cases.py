"""Seeded regression problems, and what scikit-learn, SciPy or a definition written out says of each metric."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn import metrics as sk

from ladderboard.core.records import FloatArray
from ladderboard.metrics import METRICS
from ladderboard.metrics.base import Metric

Oracle = Callable[[FloatArray, FloatArray, FloatArray], float]


def weighted_smape(y: FloatArray, p: FloatArray, w: FloatArray) -> float:
    losses = [0.0 if a == b == 0 else 200 * abs(a - b) / (abs(a) + abs(b)) for a, b in zip(y, p, strict=True)]
    return float(np.average(losses, weights=w))


def weighted_pearson(y: FloatArray, p: FloatArray, w: FloatArray) -> float:
    moments = np.cov(y, p, aweights=w, ddof=0)
    return float(moments[0, 1] / np.sqrt(moments[0, 0] * moments[1, 1]))


def weighted_spearman(y: FloatArray, p: FloatArray, w: FloatArray) -> float:
    """Mid-ranks by comparing every item with every item."""
    ranks = [(np.sign(v[:, None] - v[None, :]) + 1) / 2 @ w for v in (y, p)]
    return weighted_pearson(ranks[0], ranks[1], w)


def weighted_kendall(y: FloatArray, p: FloatArray, w: FloatArray) -> float:
    """τ_b by looking at every pair."""
    a, b = (np.sign(v[:, None] - v[None, :]) for v in (y, p))
    pairs = np.outer(w, w)
    return float((pairs * a * b).sum() / np.sqrt((pairs * a**2).sum() * (pairs * b**2).sum()))


def weighted_ccc(y: FloatArray, p: FloatArray, w: FloatArray) -> float:
    moments = np.cov(y, p, aweights=w, ddof=0)
    gap = np.average(y, weights=w) - np.average(p, weights=w)
    return float(2 * moments[0, 1] / (moments[0, 0] + moments[1, 1] + gap**2))


ORACLES: dict[str, Oracle] = {
    "mse": lambda y, p, w: float(sk.mean_squared_error(y, p, sample_weight=w)),
    "rmse": lambda y, p, w: float(sk.root_mean_squared_error(y, p, sample_weight=w)),
    "rmsle": lambda y, p, w: float(sk.root_mean_squared_log_error(y, p, sample_weight=w)),
    "mae": lambda y, p, w: float(sk.mean_absolute_error(y, p, sample_weight=w)),
    "smape": weighted_smape,
    "pinball": lambda y, p, w: float(sk.mean_pinball_loss(y, p, sample_weight=w, alpha=0.5)),
    "r2": lambda y, p, w: float(sk.r2_score(y, p, sample_weight=w)),
    "pearson": weighted_pearson,
    "spearman": weighted_spearman,
    "kendall": weighted_kendall,
    "ccc": weighted_ccc,
}
CORRELATIONS = ("pearson", "spearman", "kendall", "ccc")


@dataclass(frozen=True)
class Problem:
    """Labels, predictions, positive item weights, and the answer of an independent computation."""

    metric: Metric
    labels: FloatArray
    predictions: FloatArray
    weight: FloatArray
    oracle: Oracle

    def expected(self, weight: FloatArray | None = None) -> float:
        return self.oracle(self.labels, self.predictions, np.ones(len(self.labels)) if weight is None else weight)


def problem(name: str, *, seed: int, items: int = 200, ties: bool = False) -> Problem:
    """Positive, slightly skewed labels that the predictions follow with some noise and bias.

    With ``ties`` they are small whole numbers, and of some items both label and prediction are 0.
    """
    rng = np.random.default_rng([seed, items])
    skill = rng.normal(size=items)
    labels = 3 * np.exp(0.35 * skill + 0.2 * rng.normal(size=items))
    predictions = 0.2 + 2.7 * np.exp(0.35 * skill + 0.2 * rng.normal(size=items))
    if ties:
        labels, predictions = np.maximum(np.floor(labels) - 2, 0), np.maximum(np.floor(predictions) - 2, 0)
    return Problem(METRICS[name], labels, predictions, rng.uniform(0.5, 3.0, items), ORACLES[name])
