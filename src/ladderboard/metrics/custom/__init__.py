"""Metrics made from a function of the user's own."""

from ladderboard.metrics.custom.metric import FunctionMetric as FunctionMetric
from ladderboard.metrics.custom.metric import metric_from_function as metric_from_function
