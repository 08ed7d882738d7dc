"""Custom metrics: a function in the competition's folder, run in a child process.

Who is charged for what goes wrong in it is decided in docs/decisions/custom-metric-process.md.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ladderboard.core.child_process.parent import OutOfTimeError
from ladderboard.core.errors import ParameterError, unknown_name
from ladderboard.core.records import FloatArray
from ladderboard.core.scales import FISHER_Z, IDENTITY, LOG, LOG_COMPLEMENT, LOGIT, PROPORTION
from ladderboard.metrics.custom import FunctionMetric, metric_from_function
from ladderboard.metrics.inputs import Array
from ladderboard.scoring.metric_child import FunctionFailedError, MetricChild, MetricSource

SCALES = {scale.name: scale for scale in (IDENTITY, LOG, LOG_COMPLEMENT, LOGIT, PROPORTION, FISHER_Z)}
JACKKNIFE_GROUPS = 200
"""More than a guard's: the private ranks of a competition rest on them, and a submission may take its time."""
TIME_LIMIT = 60.0
MEMORY_MB = 4096
OPTIONS = (
    "file", "function", "lower_is_better", "bounds", "scale", "takes", "baseline", "time_limit", "memory_mb",
    "queued",
)  # fmt: skip


@dataclass
class MetricClock:
    """The processor time that a metric has used for one submission."""

    used: float = 0.0

    def spend(self, seconds: float) -> None:
        self.used += seconds


_clock: ContextVar[MetricClock | None] = ContextVar("metric_clock", default=None)


@contextmanager
def limit_time() -> Iterator[MetricClock]:
    """Limit the total processor time of a custom metric within the block; outside, the limit holds for each call.

    Only what the metric computes counts: a busy server rejects nothing that an idle one would score.
    """
    clock = MetricClock()
    token = _clock.set(clock)
    try:
        yield clock
    finally:
        _clock.reset(token)


def find_clock() -> MetricClock:
    """The clock of the submission that is being scored; a new one outside of `limit_time`."""
    return _clock.get() or MetricClock()


@dataclass(frozen=True, eq=False)
class ProcessFunction:
    """A function of labels and predictions that runs in the child process."""

    child: MetricChild
    time_limit: float = TIME_LIMIT

    def __call__(self, labels: Array, predictions: Array) -> float:
        return self._ask(labels, predictions)

    def _ask(self, *arrays: Array) -> float:
        clock = find_clock()
        left = self.time_limit - clock.used
        if left <= 0:
            raise OutOfTimeError
        return self.child.call(arrays, seconds=left, spend=clock.spend)


class WeighedProcessFunction(ProcessFunction):
    """A function of labels, predictions and weights that runs in the child process."""

    def __call__(self, labels: Array, predictions: Array, sample_weight: FloatArray | None = None) -> float:
        weight = np.ones(len(labels)) if sample_weight is None else sample_weight
        return self._ask(labels, predictions, weight)


def metric_from_source(source: str, options: Mapping[str, Any], *, name: str, folder: Path | None) -> FunctionMetric:
    """Make the metric from its source and the options of [metric]; raises `ParameterError`."""
    wrong = [key for key in options if key not in OPTIONS]
    if wrong:
        raise ParameterError(unknown_name("option of a metric of your own", wrong[0], OPTIONS))
    if not isinstance(options.get("lower_is_better"), bool):
        raise ParameterError("which values are better? Give lower_is_better = true or false in [metric]")
    if not isinstance(options.get("queued", False), bool):
        raise ParameterError("queued is neither true nor false; true: submissions are scored in their turn")
    child = MetricChild(
        MetricSource(
            source,
            file=str(options.get("file", "metric.py")),
            function=read_text(options, "function", "score"),
            memory_bytes=round(read_positive(options, "memory_mb", MEMORY_MB) * (1 << 20)),
            folder=folder,
        )
    )
    try:
        made = WeighedProcessFunction if child.takes_weights() else ProcessFunction
    except FunctionFailedError as problem:
        raise ParameterError(f"cannot load it: {problem}") from None
    return metric_from_function(
        made(child, read_positive(options, "time_limit", TIME_LIMIT)),
        name=name,
        lower_is_better=options["lower_is_better"],
        bounds=read_bounds(options),
        scale=read_scale(options),
        takes=read_text(options, "takes", "numbers"),
        baseline=options.get("baseline"),
        jackknife_groups=JACKKNIFE_GROUPS,
    )


def read_text(options: Mapping[str, Any], key: str, default: str) -> str:
    """An option that must be text; raises `ParameterError`."""
    given = options.get(key, default)
    if not isinstance(given, str):
        raise ParameterError(f"{key} is {given!r}; it must be text in quotes")
    return given


def read_positive(options: Mapping[str, Any], key: str, default: float) -> float:
    """An option that must be a positive number; raises `ParameterError`."""
    given = options.get(key, default)
    if isinstance(given, bool) or not isinstance(given, int | float) or not given > 0:
        raise ParameterError(f"{key} is {given!r}; it must be a positive number")
    return float(given)


def read_bounds(options: Mapping[str, Any]) -> tuple[float, float]:
    """The bounds of a score; raises `ParameterError`."""
    given = options.get("bounds", ["-inf", "inf"])
    try:
        low, high = given
        return float(low), float(high)
    except (TypeError, ValueError):
        raise ParameterError(f"bounds are {given!r}; give the lowest and the highest value, such as [0, inf]") from None


def read_scale(options: Mapping[str, Any]) -> Any:
    """Choose the named scale, else the one that suits the bounds."""
    usual = {(0.0, 1.0): PROPORTION, (-1.0, 1.0): FISHER_Z}.get(read_bounds(options), IDENTITY)
    name = read_text(options, "scale", usual.name)
    if name not in SCALES:
        raise ParameterError(unknown_name("scale", name, SCALES))
    return SCALES[name]
