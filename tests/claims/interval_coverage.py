"""How often the 95 % interval of a first submission contains its true score: every metric, four kinds of data.

python -m tests.claims.interval_coverage            # the table, some minutes
python -m tests.claims.interval_coverage mse auc    # these metrics
"""

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ladderboard.core.errors import LadderboardError
from ladderboard.core.records import FloatArray
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from ladderboard.metrics import METRICS
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.metrics.inputs import Array

DATA = ("well-behaved", "skewed", "t5", "imbalanced")
SIZES = (200, 1000)
PROMISED = 0.93
POPULATION = 60_000
ROUNDS = 8
CLASSES = ("error_rate", "accuracy", "balanced_accuracy", "f1", "macro_f1", "mcc", "quadratic_kappa")
FORECASTS = ("log_loss", "log_loss_base10", "brier")
SCORES = ("auc", "average_precision")
POSITIVE = ("rmsle", "smape")
SLOW = ("probabilistic_c_index",)
"""Quadratic in the number of items: no population can be scored."""
COVERED = tuple(name for name in METRICS if name not in SLOW)


@dataclass(frozen=True)
class Cell:
    """How many first submissions were accepted, had an interval, and had the true score in it."""

    accepted: int
    shown: int
    covered: int

    @property
    def share(self) -> float:
        return self.covered / max(1, self.shown)


def draw(metric: str, data: str, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Labels and predictions of one model of some skill, on n items."""
    if metric == "c_index":
        return _draw_survival(n, rng)
    if metric in (*CLASSES, *FORECASTS, *SCORES):
        return _draw_classes(metric, data, n, rng)
    x = rng.normal(size=n)
    labels, predictions = 2 * x + _errors(data, n, rng), 2 * x
    return (np.exp(labels / 2), np.exp(predictions / 2)) if metric in POSITIVE else (labels, predictions)


def _draw_classes(metric: str, data: str, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    share = {"well-behaved": 0.5, "skewed": 0.3, "t5": 0.5, "imbalanced": 0.1}[data]
    labels = (rng.random(n) < share).astype(int)
    noise = _errors("well-behaved" if data == "imbalanced" else data, n, rng)
    score = 1.6 * (labels - 0.5) + noise / max(1.0, float(noise.std())) + 0.6 * math.log(share / (1 - share))
    if metric in FORECASTS:
        return labels, 1 / (1 + np.exp(-1.6 * score))
    return labels, score if metric in SCORES else (score > 0).astype(int)


def _draw_survival(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    risk = rng.normal(size=n)
    death, censoring = rng.exponential(size=n) * np.exp(-risk), 2 * rng.exponential(size=n)
    observed = np.minimum(death, censoring)
    return np.stack([observed, (death <= censoring).astype(float)], axis=1), -(risk + rng.normal(size=n))


def _errors(data: str, n: int, rng: np.random.Generator) -> FloatArray:
    makers: dict[str, Callable[[], FloatArray]] = {
        "well-behaved": lambda: rng.normal(size=n),
        "skewed": lambda: np.exp(0.8 * rng.normal(size=n)) - math.exp(0.32),
        "t5": lambda: rng.standard_t(5, size=n),
        "imbalanced": lambda: rng.normal(size=n) * np.where(rng.random(n) < 0.1, 3.0, 0.7),
    }
    return makers[data]()


def true_score(metric: str, data: str, rng: np.random.Generator) -> float:
    """The score of the model on a population, as the mean over large samples."""
    size = 8000 if metric in ("c_index", "kendall") else POPULATION
    return float(np.mean([METRICS[metric].score(*draw(metric, data, size, rng)) for _ in range(ROUNDS)]))


def coverage(metric: str, data: str, n: int, *, repetitions: int, seed: int = 0) -> Cell:
    """Submit the model first, to ``repetitions`` holdouts of n items."""
    rng = np.random.default_rng([seed, n])
    truth, mechanism = true_score(metric, data, rng), WitnessLadder()
    accepted = shown = covered = 0
    for _ in range(repetitions):
        labels, predictions = draw(metric, data, n, rng)
        try:
            key = AnswerKey(labels, METRICS[metric])
            state = mechanism.start(key.baseline, rng)
        except LadderboardError:
            continue  # too few of a class for the metric to have a value on both halves
        candidate = key.evaluate(key.read(predictions), submission="first")
        _, release = mechanism.step(state, candidate, key.baseline, rng)
        accepted += release.accepted
        if release.accepted and release.interval is not None:
            shown += 1
            covered += release.interval[0] <= truth <= release.interval[1]
    return Cell(accepted, shown, covered)


def table(metrics: tuple[str, ...], *, repetitions: int) -> Iterator[tuple[str, str, int, Cell]]:
    for metric in metrics:
        for data in DATA if metric != "c_index" else DATA[:1]:
            for n in SIZES:
                yield metric, data, n, coverage(metric, data, n, repetitions=repetitions)


if __name__ == "__main__":
    print(f"{'metric':24}{'data':14}{'n':>6}{'accepted':>10}{'intervals':>11}{'covered':>9}")  # noqa: T201 (its table)
    for name, data, n, cell in table(tuple(sys.argv[1:]) or COVERED, repetitions=400):
        print(f"{name:24}{data:14}{n:6}{cell.accepted:10}{cell.shown:11}{cell.share:9.3f}", flush=True)  # noqa: T201
