"""The metric of a scorer that gives every item a value, from the options of [metric]; and the scorer's own limits."""

from collections.abc import Mapping
from typing import Any

from ladderboard.core.errors import ParameterError, unknown_name
from ladderboard.metrics.mean_score import MeanScore
from ladderboard.scoring.custom_metric import MEMORY_MB, read_positive, read_text
from ladderboard.scoring.file_scorer import ScorerSource
from ladderboard.scoring.kinds import ScorerKind

OPTIONS = ("file", "function", "lower_is_better", "bounds", "baseline", "value", "time_limit", "memory_mb")
TIME_LIMIT = 600.0


def make_item_metric(options: Mapping[str, Any], *, name: str) -> MeanScore:
    """The mean of item values; raises `ParameterError`."""
    wrong = [key for key in options if key not in OPTIONS]
    if wrong:
        raise ParameterError(unknown_name("option of a scorer of files", wrong[0], OPTIONS))
    if not isinstance(options.get("lower_is_better"), bool):
        raise ParameterError("which values are better? Give lower_is_better = true or false in [metric]")
    baseline = options.get("baseline")
    if baseline is not None and (isinstance(baseline, bool) or not isinstance(baseline, int | float)):
        raise ParameterError(f"baseline is {baseline!r}; it must be a number, the value without skill")
    return MeanScore(
        options.get("bounds", (0.0, 1.0)), lower_is_better=options["lower_is_better"], baseline=baseline, name=name
    )


def make_source(options: Mapping[str, Any], source: str, *, kind: ScorerKind, function: str) -> ScorerSource:
    """The scorer's code and its limits; raises `ParameterError`."""
    return ScorerSource(
        source,
        file=str(options["file"]),
        function=function,
        kind=kind,
        value=None if options.get("value") is None else read_text(options, "value", ""),
        time_limit=read_positive(options, "time_limit", TIME_LIMIT),
        memory_mb=round(read_positive(options, "memory_mb", MEMORY_MB)),
    )
