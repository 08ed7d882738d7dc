"""The metric named by competition.toml: built-in, from an installed package, or from a file of the folder."""

import inspect
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from ladderboard.competition.checks.findings import Findings
from ladderboard.competition.model import Rules
from ladderboard.competition.rules.rules_file import RulesFile
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.core.errors import ParameterError, unknown_name
from ladderboard.metrics import METRICS
from ladderboard.metrics.base import Metric
from ladderboard.scoring.custom_metric import metric_from_source
from ladderboard.scoring.file_scorer import ScorerSource
from ladderboard.scoring.frame_metric import PROGRAM_OPTIONS, make_rows_metric
from ladderboard.scoring.item_metric import make_item_metric, make_source
from ladderboard.scoring.kinds import find_scorer_kind

ENTRY_POINTS = "ladderboard.metrics"
"""The group under which an installed package offers metrics: ``name = "package.module:object"``."""


def choose_metric(folder: Path, settings: RulesFile, findings: Findings) -> Metric | None:
    """Choose the metric; None if there is none, with a finding at the line of the wrong key."""
    rules = settings.rules
    if not rules.metric:
        return None  # said by the reader of the rules
    try:
        return load_metric(rules, folder)
    except ParameterError as problem:
        keys = [key for key in rules.metric_options if key in str(problem)]
        line = settings.toml.line("metric", keys[0] if keys else "name")
        findings.error(FILE, line, f"metric {rules.metric!r}: {problem}")
        return None


def load_metric(rules: Rules, folder: Path | None, *, source: str = "") -> Metric:
    """Load the metric named by the rules, with their positive class; raises `ParameterError`.

    Whether labels are classes is asked of a competition that begins (`check_classes`), not of one that runs.
    ``source`` is the text of its file where that is at hand.
    """
    metric = _load_named(rules, folder, source).trusting_classes()
    return metric if rules.positive is None else metric.with_positive(rules.positive)


def _load_named(rules: Rules, folder: Path | None, source: str) -> Metric:
    options = rules.metric_options
    if "program" in options:
        return make_rows_metric(options, name=rules.metric, known=PROGRAM_OPTIONS)
    if "file" in options:
        text = source or _source(folder, options["file"])
        kind, function = find_scorer_kind(text, options.get("function"))
        if kind == "frames":
            return make_rows_metric(options, name=rules.metric)
        if kind != "arrays":
            return make_item_metric(options, name=rules.metric)
        return metric_from_source(text, {**options, "function": function}, name=rules.metric, folder=folder)
    if rules.metric in METRICS:
        own = {key: value for key, value in options.items() if key != "queued"}  # which is the server's
        return _apply_options(METRICS[rules.metric], own)
    found = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    if rules.metric not in found:
        raise ParameterError(unknown_name("metric", rules.metric, [*METRICS, *found]))
    return _load_installed(found[rules.metric], options, folder)


def find_metric_source(rules: Rules, folder: Path | None) -> str:
    """Find the text of the metric's file; empty if it has none."""
    return _source(folder, rules.metric_options["file"]) if "file" in rules.metric_options else ""


def find_scorer_source(rules: Rules, source: str) -> ScorerSource | None:
    """The scorer of files that the metric's file is; None where it is a function of arrays, or no file at all."""
    options = rules.metric_options
    if "file" not in options:
        return None
    kind, function = find_scorer_kind(source, options.get("function"))
    return None if kind in ("arrays", "frames") else make_source(options, source, kind=kind, function=function)


def _source(folder: Path | None, file: object) -> str:
    if folder is None or not isinstance(file, str) or not file.endswith(".py"):
        raise ParameterError(f'file is {file!r}; it must be a Python file of the folder, such as "metric.py"')
    path = (folder / file).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise ParameterError(f"there is no file {file} in the folder")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ParameterError(f"{file} is not UTF-8 text") from None


def _apply_options(metric: Metric, options: dict[str, Any]) -> Metric:
    if not options:
        return metric
    made = type(metric)
    takes = [] if made.__init__ is object.__init__ else [*inspect.signature(made).parameters]
    unknown = [key for key in options if key not in takes]
    if unknown and not takes:
        raise ParameterError(f"it takes no options; given: {', '.join(unknown)}")
    if unknown:
        raise ParameterError(unknown_name("option", unknown[0], takes))
    try:
        return made(**options)
    except TypeError as problem:
        raise ParameterError(f"{', '.join(options)}: {problem}") from None


def _load_installed(point: EntryPoint, options: dict[str, Any], folder: Path | None) -> Metric:
    try:
        found = point.load()
    except Exception as problem:
        raise ParameterError(f"cannot load {point.value}: {type(problem).__name__}: {problem}") from problem
    if isinstance(found, Metric):
        return _apply_options(found, options)
    if inspect.isclass(found) and issubclass(found, Metric):
        try:
            return found(**options)
        except TypeError as problem:
            raise ParameterError(str(problem)) from None
    # A bare function runs in a process of its own, wherever it comes from.
    source = f"from {point.module} import {point.attr} as score\n"
    return metric_from_source(source, {**options, "function": "score"}, name=point.name, folder=folder)
