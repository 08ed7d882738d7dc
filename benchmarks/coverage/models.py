"""Labels and predictions of models whose true score is known, for every metric and four kinds of data.

A model's ``blur`` is the noise it adds of its own; everything else is common to all models of a data set, as the hard
items of a real one are.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple, get_args

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics import METRICS
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Array
from ladderboard.metrics.mean_score import MeanScore

Data = Literal["well-behaved", "skewed", "t5", "imbalanced"]
DATA: tuple[Data, ...] = get_args(Data)
CLASSES = ("error_rate", "accuracy", "balanced_accuracy", "f1", "macro_f1", "mcc", "quadratic_kappa")
FORECASTS = ("log_loss", "log_loss_base10", "brier")
SCORES = ("auc", "average_precision")
POSITIVE = ("rmsle", "smape", "mape")
LABEL_DECISIONS = ("multilabel_micro_f1", "multilabel_macro_f1", "multilabel_samples_f1", "hamming_loss")
LABELS = (*LABEL_DECISIONS, "mean_columnwise_auc")
TARGETS = ("mean_columnwise_rmse", "mean_columnwise_mae")
COLUMNS = 3
"""Of items with several labels, which share half of the variance of what models see, or several targets."""
WITHOUT_MODEL = (
    *("ndcg", "map", "mrr", "recall_at_k", "hit_rate", "dice", "iou"),
    *("exact_match", "token_f1", "rouge_l", "wer", "cer", "bleu", "chrf"),
)
"""Lists, masks and texts: no model of known score is written for them yet. All but the last four are means of bounded
item scores, as ``mean_score`` is; intervals of ratios of counts over texts are not measured."""
COVERED: dict[str, Metric] = {
    **{name: metric for name, metric in METRICS.items() if name not in WITHOUT_MODEL},
    "mean_score": MeanScore(),
}
"""Every metric whose statements are checked: those with a name and a model, and the scores of graded items."""
EASE: dict[Data, float] = {"well-behaved": 0.5, "skewed": 2.5, "t5": 0.5, "imbalanced": 2.0}
"""How easy graded items are; the scores of easy ones crowd at the bound."""
SLOW = ("c_index", "kendall", "probabilistic_c_index")
"""More than linear in the number of items: their true scores are means over smaller samples."""
SKEW = 0.8
"""The σ of the log-normal errors."""
BLURS = np.linspace(0.0, 1.2, 7)
"""Where true scores are computed; between them a parabola through neighbours is as good."""


class Items(NamedTuple):
    """The labels of a data set, and what every model sees of them."""

    labels: Array
    signal: FloatArray


def draw_items(metric: str, data: Data, n: int, rng: np.random.Generator) -> Items:
    """Draw n items."""
    if metric == "c_index":
        return _draw_survival(data, n, rng)
    if metric == "mean_score":
        return Items(np.zeros(n), EASE[data] + _draw_errors("t5" if data == "t5" else "well-behaved", n, rng))
    if metric in (*CLASSES, *FORECASTS, *SCORES):
        return _draw_classes(data, n, rng)
    if metric in (*LABELS, *TARGETS):
        shared = rng.normal(size=n)
        make = _draw_classes if metric in LABELS else _draw_numbers
        columns = [make(data, n, rng) for _ in range(COLUMNS)]
        seen = [one.signal + (shared if metric in LABELS else 0) for one in columns]
        return Items(np.stack([one.labels for one in columns], axis=1), np.stack(seen, axis=1))
    return _draw_numbers(data, n, rng)


def _draw_numbers(data: Data, n: int, rng: np.random.Generator) -> Items:
    x = rng.normal(size=n)
    return Items(2 * x + _draw_errors(data, n, rng), 2 * x)


def predict(metric: str, items: Items, blur: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """The labels, and the predictions of a model of that blur."""
    seen = items.signal + blur * rng.normal(size=items.signal.shape)
    if metric == "mean_score":  # grades in quarters; the worse model is worse on average, not only noisier
        return items.labels, np.round(4 / (1 + np.exp(blur - 2 * seen))) / 4
    if metric in FORECASTS:
        return items.labels, 1 / (1 + np.exp(-1.6 * seen))
    if metric in (*CLASSES, *LABEL_DECISIONS):
        return items.labels, (seen > 0).astype(int)
    if metric in POSITIVE:
        return np.exp(items.labels / 2), np.exp(seen / 2)
    return items.labels, seen


def true_score(metric: str, data: Data, blur: float) -> float:
    """The score of such a model on a population."""
    nearest = np.sort(np.argsort(np.abs(BLURS - blur))[:3])
    xs, ys = BLURS[nearest], [_population_score(metric, data, float(BLURS[one])) for one in nearest]
    return float(np.polyval(np.polyfit(xs - blur, ys, 2), 0.0))


@cache
def _population_score(metric: str, data: Data, blur: float) -> float:
    rounds, size = (60, 1500) if metric in SLOW else (20, 40_000)
    rng = np.random.default_rng([len(metric), len(data), round(100 * blur)])

    def sample() -> float:
        return COVERED[metric].score(*predict(metric, draw_items(metric, data, size, rng), blur, rng))

    return float(np.mean([sample() for _ in range(rounds)]))


def _draw_classes(data: Data, n: int, rng: np.random.Generator) -> Items:
    share = {"well-behaved": 0.5, "skewed": 0.3, "t5": 0.5, "imbalanced": 0.1}[data]
    labels = (rng.random(n) < share).astype(int)
    noise = _draw_errors("well-behaved" if data == "imbalanced" else data, n, rng) / _SPREAD[data]
    return Items(labels, 2.4 * (labels - 0.5) + noise + 0.6 * math.log(share / (1 - share)))


def _draw_survival(data: Data, n: int, rng: np.random.Generator) -> Items:
    """Times until death or the end of observation; imbalanced: three of four end without a death."""
    risk = rng.normal(size=n)
    death = rng.exponential(size=n) * np.exp(-risk)
    censoring = (0.3 if data == "imbalanced" else 2.0) * rng.exponential(size=n)
    labels = np.stack([np.minimum(death, censoring), (death <= censoring).astype(float)], axis=1)
    return Items(labels, risk + 0.5 * _draw_errors(data, n, rng))


_SPREAD: dict[Data, float] = {
    "well-behaved": 1.0,
    "skewed": math.sqrt(math.expm1(SKEW**2) * math.exp(SKEW**2)),
    "t5": math.sqrt(5 / 3),
    "imbalanced": 1.0,
}


def _draw_errors(data: Data, n: int, rng: np.random.Generator) -> FloatArray:
    makers: dict[Data, Callable[[], FloatArray]] = {
        "well-behaved": lambda: rng.normal(size=n),
        "skewed": lambda: np.exp(SKEW * rng.normal(size=n)) - math.exp(SKEW**2 / 2),
        "t5": lambda: rng.standard_t(5, size=n),
        "imbalanced": lambda: rng.normal(size=n) * np.where(rng.random(n) < 0.1, 3.0, 0.7),
    }
    return makers[data]()
