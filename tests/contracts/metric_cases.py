"""Example data for every kind of metric, and for every metric a second implementation to agree with."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import stats
from sklearn import metrics as sk

from ladderboard.core.records import FloatArray
from ladderboard.metrics.base import Metric
from ladderboard.metrics.column_inputs import LabelDecisions, LabelScores, NumberColumns
from ladderboard.metrics.inputs import Array, Classes, InputKind, Numbers, Probabilities, Scores, Survival, TwoClasses
from ladderboard.metrics.mape import PositiveLabels

ITEMS = 400


@dataclass(frozen=True)
class Case:
    """Labels and predictions with some skill."""

    labels: Array
    predictions: Array

    def take(self, items: Any) -> "Case":
        return Case(self.labels[items], self.predictions[items])


def case_for(metric: Metric, *, seed: int = 0, items: int = ITEMS) -> Case:
    """An example for this metric; a metric of a new kind needs a maker below."""
    makers = [make for kind, make in MAKERS.items() if isinstance(metric.kind, kind)]
    assert makers, f"no example data for labels and predictions of kind {type(metric.kind).__name__}"
    case = makers[0](np.random.default_rng([items, seed]), items)
    smallest = getattr(metric.kind, "smallest", -math.inf)
    return case if smallest == -math.inf else Case(smallest + np.exp(case.labels), smallest + np.exp(case.predictions))


def _numbers(rng: np.random.Generator, items: int) -> Case:
    """Correlated numbers; a few predictions are tied."""
    labels = rng.normal(size=items)
    return Case(labels, np.round(0.7 * labels + 0.6 * rng.normal(size=items), 2))


def _two_classes(rng: np.random.Generator, items: int) -> Case:
    labels = rng.random(items) < 0.4
    return Case(np.where(labels, "yes", "no"), np.where(labels ^ (rng.random(items) < 0.25), "yes", "no"))


def _classes(rng: np.random.Generator, items: int) -> Case:
    """Three ordered classes of different frequency, six in ten right."""
    labels = rng.choice([1, 2, 3], size=items, p=[0.5, 0.3, 0.2])
    return Case(labels, np.where(rng.random(items) < 0.6, labels, rng.integers(1, 4, items)))


def _scores(rng: np.random.Generator, items: int) -> Case:
    """A rarer positive class; scores are rounded, so that many are tied."""
    labels = (rng.random(items) < 0.3).astype(np.int64)
    return Case(labels, np.round(rng.normal(size=items) + labels, 1))


def _probabilities(rng: np.random.Generator, items: int) -> Case:
    chance = rng.beta(2, 2, items)
    return Case(
        (rng.random(items) < chance).astype(np.int64), np.clip(chance + 0.1 * rng.normal(size=items), 0.02, 0.98)
    )


def _survival(rng: np.random.Generator, items: int) -> Case:
    """Whole-number times (so that some are tied) with a third of the items censored; rounded, tied risks."""
    risk = rng.normal(size=items)
    event_time, censored_at = rng.exponential(20 * np.exp(-risk)), rng.exponential(40, items)
    observed = event_time <= censored_at
    labels = np.column_stack([np.ceil(np.minimum(event_time, censored_at)), observed])
    return Case(labels, np.round(risk + 0.8 * rng.normal(size=items), 1))


def _positive_numbers(rng: np.random.Generator, items: int) -> Case:
    labels = np.exp(0.4 * rng.normal(size=items))
    return Case(labels, np.round(labels * np.exp(0.2 * rng.normal(size=items)), 2))


def _number_columns(rng: np.random.Generator, items: int) -> Case:
    """Three correlated targets in units of their own."""
    labels = (rng.normal(size=(items, 1)) + rng.normal(size=(items, 3))) * [1.0, 2.0, 0.5]
    return Case(labels, np.round(0.7 * labels + 0.6 * rng.normal(size=(items, 3)), 2))


def _label_decisions(rng: np.random.Generator, items: int) -> Case:
    """Three labels of different frequency, of which some come together; some items have none."""
    shared = rng.normal(size=(items, 1))
    labels = shared + rng.normal(size=(items, 3)) > [0.0, 0.4, 0.8]
    return Case(labels.astype(int), (labels ^ (rng.random((items, 3)) < 0.2)).astype(int))


def _label_scores(rng: np.random.Generator, items: int) -> Case:
    labels = _label_decisions(rng, items).labels
    return Case(labels, np.round(rng.normal(size=labels.shape) + labels, 1))


# The first that fits is taken: a kind stands before those it is derived from.
MAKERS: dict[type[InputKind], Callable[[np.random.Generator, int], Case]] = {
    LabelDecisions: _label_decisions,
    LabelScores: _label_scores,
    NumberColumns: _number_columns,
    PositiveLabels: _positive_numbers,
    TwoClasses: _two_classes,
    Classes: _classes,
    Scores: _scores,
    Probabilities: _probabilities,
    Survival: _survival,
    Numbers: _numbers,
}


# -- peers ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Peer:
    """An independent implementation, and what weights it can be asked about."""

    score: Callable[[Array, Array, FloatArray], float]
    weights: Literal["any", "counts"] = "any"
    """Any positive weights, or only whole numbers, by which items are repeated."""


def _repeating(function: Callable[[Array, Array], Any]) -> Peer:
    return Peer(lambda y, p, w: function(np.repeat(y, w.astype(int)), np.repeat(p, w.astype(int))).statistic, "counts")


def _f1_of_yes(y: Array, p: Array, w: FloatArray) -> float:
    return float(sk.f1_score(y, p, pos_label="yes", sample_weight=w))


def _label_f1(average: str, *, zero_division: float) -> Peer:
    return Peer(
        lambda y, p, w: sk.f1_score(y, p, average=average, sample_weight=w, zero_division=zero_division),
    )


def _rmse_of_columns(y: Array, p: Array, w: FloatArray) -> float:
    return float(np.mean(sk.root_mean_squared_error(y, p, sample_weight=w, multioutput="raw_values")))


def _log10_loss(y: Array, p: Array, w: FloatArray) -> float:
    return float(sk.log_loss(y, np.clip(p, 0.01, 0.99), sample_weight=w)) / math.log(10)


def _smape(y: Array, p: Array, w: FloatArray) -> float:
    return 200 * sum(w * abs(y - p) / (abs(y) + abs(p))) / sum(w)


def _ccc(y: Array, p: Array, w: FloatArray) -> float:
    (vy, cov), (_, vp) = np.cov(y, p, aweights=w, ddof=0)
    return float(2 * cov / (vy + vp + (np.average(y, weights=w) - np.average(p, weights=w)) ** 2))


def harrell(y: Array, p: Array, w: FloatArray) -> float:
    """The definition of the c-index, pair by pair."""
    concordant = comparable = 0.0
    for i, (time, event) in enumerate(y):
        outlives = (y[:, 0] > time) | ((y[:, 0] == time) & (y[:, 1] == 0))
        comparable += w[i] * event * w[outlives].sum()
        concordant += w[i] * event * w[outlives] @ ((p[i] > p[outlives]) + 0.5 * (p[i] == p[outlives]))
    return concordant / comparable


def noisy_concordance(y: Array, p: Array, w: FloatArray, noise_sd: float = 1.0) -> float:
    """The definition of the probabilistic c-index, pair by pair."""
    total = pairs = 0.0
    for i in range(len(y)):
        in_order = stats.norm.cdf((y[i] - y[:i]) / (math.sqrt(2) * noise_sd))
        score = np.select([p[i] > p[:i], p[i] < p[:i]], [in_order, 1 - in_order], 0.5)
        total += w[i] * float(w[:i] @ score)
        pairs += w[i] * float(w[:i].sum())
    return total / pairs


PEERS: dict[str, Peer] = {
    "error_rate": Peer(lambda y, p, w: 1 - sk.accuracy_score(y, p, sample_weight=w)),
    "accuracy": Peer(lambda y, p, w: sk.accuracy_score(y, p, sample_weight=w)),
    "balanced_accuracy": Peer(lambda y, p, w: sk.balanced_accuracy_score(y, p, sample_weight=w)),
    "f1": Peer(_f1_of_yes),
    "macro_f1": Peer(lambda y, p, w: sk.f1_score(y, p, average="macro", sample_weight=w)),
    "mcc": Peer(lambda y, p, w: sk.matthews_corrcoef(y, p, sample_weight=w)),
    "quadratic_kappa": Peer(lambda y, p, w: sk.cohen_kappa_score(y, p, weights="quadratic", sample_weight=w)),
    "log_loss": Peer(lambda y, p, w: sk.log_loss(y, p, sample_weight=w)),
    "log_loss_base10": Peer(_log10_loss),
    "brier": Peer(lambda y, p, w: sk.brier_score_loss(y, p, sample_weight=w)),
    "auc": Peer(lambda y, p, w: sk.roc_auc_score(y, p, sample_weight=w)),
    "average_precision": Peer(lambda y, p, w: sk.average_precision_score(y, p, sample_weight=w)),
    "mse": Peer(lambda y, p, w: sk.mean_squared_error(y, p, sample_weight=w)),
    "rmse": Peer(lambda y, p, w: sk.root_mean_squared_error(y, p, sample_weight=w)),
    "rmsle": Peer(lambda y, p, w: sk.root_mean_squared_log_error(y, p, sample_weight=w)),
    "mae": Peer(lambda y, p, w: sk.mean_absolute_error(y, p, sample_weight=w)),
    "smape": Peer(_smape),
    "pinball": Peer(lambda y, p, w: sk.mean_pinball_loss(y, p, sample_weight=w)),
    "r2": Peer(lambda y, p, w: sk.r2_score(y, p, sample_weight=w)),
    "pearson": _repeating(stats.pearsonr),
    "spearman": _repeating(stats.spearmanr),
    "kendall": _repeating(stats.kendalltau),
    "ccc": Peer(_ccc),
    "mape": Peer(lambda y, p, w: sk.mean_absolute_percentage_error(y, p, sample_weight=w)),
    "multilabel_micro_f1": _label_f1("micro", zero_division=0),
    "multilabel_macro_f1": _label_f1("macro", zero_division=np.nan),
    "multilabel_samples_f1": _label_f1("samples", zero_division=1),
    "hamming_loss": Peer(lambda y, p, w: sk.hamming_loss(y, p, sample_weight=w)),
    "mean_columnwise_auc": Peer(lambda y, p, w: sk.roc_auc_score(y, p, average="macro", sample_weight=w)),
    "mean_columnwise_rmse": Peer(_rmse_of_columns),
    "mean_columnwise_mae": Peer(lambda y, p, w: sk.mean_absolute_error(y, p, sample_weight=w)),
    "c_index": Peer(harrell),
    "probabilistic_c_index": Peer(noisy_concordance),
}
WITHOUT_PEER: dict[str, str] = {}
"""Metrics that nothing independent can be written for, and why."""
