"""Seeded classification problems, and what scikit-learn says of each metric."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import metrics as sk

from ladderboard.core.records import FloatArray
from ladderboard.metrics import METRICS
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Array

Oracle = Callable[[Array, Array, FloatArray | None], float]


def _classes_for_brier(y: Array, p: Array) -> dict[str, Any]:
    return {"pos_label": max(y.tolist())} if p.ndim == 1 else {"labels": sorted(set(y.tolist()))}


def clipped_log10_loss(y: Array, p: Array, w: FloatArray | None) -> float:
    """The log loss of Ladder.jl, item by item; of the true class's column where there are more than two."""
    classes = sorted(set(y.tolist()))
    losses = []
    for label, forecast in zip(y.tolist(), p.tolist(), strict=True):
        if isinstance(forecast, list):
            losses.append(-math.log10(min(max(forecast[classes.index(label)], 0.01), 0.99)))
        else:
            z, one = min(max(forecast, 0.01), 0.99), float(label == classes[1])
            losses.append(-(one * math.log10(z) + (1 - one) * math.log10(1 - z)))
    return float(np.average(losses, weights=w))


BINARY_OR_MULTICLASS: dict[str, Oracle] = {
    "accuracy": lambda y, p, w: float(sk.accuracy_score(y, p, sample_weight=w)),
    "balanced_accuracy": lambda y, p, w: float(sk.balanced_accuracy_score(y, p, sample_weight=w)),
    "macro_f1": lambda y, p, w: float(sk.f1_score(y, p, average="macro", sample_weight=w)),
    "mcc": lambda y, p, w: float(sk.matthews_corrcoef(y, p, sample_weight=w)),
    "quadratic_kappa": lambda y, p, w: float(sk.cohen_kappa_score(y, p, weights="quadratic", sample_weight=w)),
    "log_loss": lambda y, p, w: float(sk.log_loss(y, p, sample_weight=w)),
    "log_loss_base10": clipped_log10_loss,
    "brier": lambda y, p, w: float(sk.brier_score_loss(y, p, sample_weight=w, **_classes_for_brier(y, p))),
}
BINARY: dict[str, Oracle] = BINARY_OR_MULTICLASS | {
    "f1": lambda y, p, w: float(sk.f1_score(y, p, pos_label=max(y.tolist()), sample_weight=w))
}
TAKES_PROBABILITIES = ("log_loss", "log_loss_base10", "brier")


@dataclass(frozen=True)
class Problem:
    """Labels, predictions of the metric's kind, positive item weights, and scikit-learn's answer."""

    metric: Metric
    labels: Array
    predictions: Array
    weight: FloatArray
    oracle: Oracle

    def expected(self, weight: FloatArray | None = None) -> float:
        return self.oracle(self.labels, self.predictions, weight)


def problem(name: str, *, classes: int, seed: int, items: int = 300, text: bool = False) -> Problem:
    """A problem of unevenly frequent classes that the predictions get right about six times in ten."""
    rng = np.random.default_rng([seed, classes])
    frequency = np.arange(1, classes + 1) / (classes * (classes + 1) / 2)
    codes = np.concatenate([np.arange(classes), rng.choice(classes, size=items - classes, p=frequency)])
    guesses = np.where(rng.random(items) < 0.6, codes, rng.integers(0, classes, items))
    names = np.array([f"class {code:03d}" for code in range(classes)]) if text else np.arange(classes) * 2 + 5
    predictions = forecasts(rng, guesses, classes) if name in TAKES_PROBABILITIES else names[guesses]
    return Problem(METRICS[name], names[codes], predictions, rng.uniform(0.5, 3.0, items), BINARY[name])


def forecasts(rng: np.random.Generator, guesses: Array, classes: int) -> Array:
    """Probabilities that favour the guesses: P(greater label) for two classes, else one column for each class."""
    table = rng.dirichlet(np.ones(classes), len(guesses))
    table[np.arange(len(guesses)), guesses] += 0.7
    table /= table.sum(axis=1, keepdims=True)
    return np.asarray(table[:, 1] if classes == 2 else table)
