"""Metrics: how predictions are scored against labels. `METRICS` names every one of them."""

from ladderboard.errors import ParameterError, unknown_name
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


def metric_named(metric: "str | Metric") -> Metric:
    """The metric of that name; a metric is returned as it is.

    >>> metric_named("mse").lower_is_better
    True
    """
    if isinstance(metric, Metric):
        return metric
    if metric not in METRICS:
        raise ParameterError(unknown_name("metric", str(metric), METRICS))
    return METRICS[metric]
