"""Metrics: how predictions are scored against labels. `METRICS` names every one of them."""

from ladderboard.metrics.base import Metric
from ladderboard.metrics.error_rate import ErrorRate
from ladderboard.metrics.mse import MeanSquaredError

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        ErrorRate(),
        MeanSquaredError(),
    )
}
