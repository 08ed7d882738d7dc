"""The metric of a function of pandas frames, from the options of [metric]; and the function's own limits."""

import ast
from collections.abc import Mapping
from typing import Any

from ladderboard.core.errors import ParameterError, unknown_name
from ladderboard.metrics.custom.metric import GROUPS
from ladderboard.metrics.custom.options import check_bounds, check_groups
from ladderboard.scoring.custom_metric import MEMORY_MB, TIME_LIMIT, read_bounds, read_positive, read_scale, read_text
from ladderboard.scoring.frame_child import FrameSource
from ladderboard.scoring.platform_program import ProgramSource
from ladderboard.scoring.rows_metric import RowsMetric, read_options

ROWS_OPTIONS = (
    "file", "function", "lower_is_better", "bounds", "scale", "baseline", "time_limit", "memory_mb", "queued",
    "jackknife_groups", "options",
)  # fmt: skip
PROGRAM_OPTIONS = (
    "program", "phase", "score", "items", "lower_is_better", "bounds", "scale", "baseline", "time_limit", "memory_mb",
    "jackknife_groups", "trusted",
)  # fmt: skip
PROGRAM_TIME_LIMIT = 600.0
GIVEN = 3
"""The first parameters, which the platform gives: solution, submission, the id's column."""


def make_rows_metric(options: Mapping[str, Any], *, name: str, known: tuple[str, ...] = ROWS_OPTIONS) -> RowsMetric:
    """The metric, not yet bound to a solution; raises `ParameterError`."""
    wrong = [key for key in options if key not in known]
    if wrong:
        hint = "; the function's own options belong into [metric.options]" if "options" in known else ""
        raise ParameterError(unknown_name("option of such a metric", wrong[0], known) + hint)
    if not isinstance(options.get("lower_is_better"), bool):
        raise ParameterError("which values are better? Give lower_is_better = true or false in [metric]")
    if not isinstance(options.get("queued", False), bool):
        raise ParameterError("queued is neither true nor false; true: submissions are scored in their turn")
    baseline, scale = options.get("baseline"), read_scale(options)
    if baseline is not None and (isinstance(baseline, bool) or not isinstance(baseline, int | float)):
        raise ParameterError(f"baseline is {baseline!r}; it must be a number, the value without skill")
    return RowsMetric(
        name=name,
        lower_is_better=options["lower_is_better"],
        bounds=check_bounds(read_bounds(options), scale),
        scale=scale,
        baseline=None if baseline is None else float(baseline),
        groups=check_groups(options.get("jackknife_groups", GROUPS)),
    )


def make_program_source(options: Mapping[str, Any], *, items: str) -> ProgramSource:
    """Another platform's program and its limits; raises `ParameterError`."""
    return ProgramSource(
        command=read_text(options, "program", ""),
        items=read_text(options, "items", items),
        score=None if options.get("score") is None else read_text(options, "score", ""),
        phase=read_text(options, "phase", ""),
        time_limit=read_positive(options, "time_limit", PROGRAM_TIME_LIMIT),
        memory_mb=round(read_positive(options, "memory_mb", MEMORY_MB)),
        trusted=options.get("trusted") is True,
    )


def make_frame_source(options: Mapping[str, Any], source: str, *, function: str) -> FrameSource:
    """The function, its options and its limits; raises `ParameterError`."""
    given = read_options(options.get("options"))
    _check_options(source, function, given)
    return FrameSource(
        source,
        file=str(options["file"]),
        function=function,
        options=given,
        time_limit=read_positive(options, "time_limit", TIME_LIMIT),
        memory_mb=round(read_positive(options, "memory_mb", MEMORY_MB)),
    )


def _check_options(source: str, function: str, given: Mapping[str, Any]) -> None:
    """Refuse options that the function does not have, and name those that it needs."""
    defined = next(
        one for one in ast.parse(source).body if isinstance(one, ast.FunctionDef) and one.name == function
    ).args
    names = [one.arg for one in (*defined.posonlyargs, *defined.args)]
    needed = names[GIVEN : len(names) - len(defined.defaults)]
    needed += [one.arg for one, value in zip(defined.kwonlyargs, defined.kw_defaults, strict=True) if value is None]
    known = [*names[GIVEN:], *(one.arg for one in defined.kwonlyargs)]
    wrong = [name for name in given if name not in known]
    if wrong and defined.kwarg is None:
        raise ParameterError(unknown_name(f"option of {function}", wrong[0], known))
    missing = [name for name in needed if name not in given]
    if missing:
        raise ParameterError(f"{function} needs {', '.join(missing)}; give a value for each in [metric.options]")
