"""Questions about labels that only the organiser can answer: are they classes, and which of two is positive?"""

import json
from typing import Any

import numpy as np

from ladderboard.competition.checks.findings import Findings, join_names
from ladderboard.competition.model import Solution
from ladderboard.competition.rules.rules_file import RulesFile
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.solution.class_labels import find_misreading
from ladderboard.core.errors import LabelsError, ParameterError
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Classes, Probabilities, Scores
from ladderboard.metrics.positive import ask_for_positive, choose_positive, is_known


def check_classes(solution: Solution, metric: Metric, settings: RulesFile, findings: Findings) -> None:
    """Ask about labels that could be misread as classes; an organiser who lists the classes has answered."""
    if not isinstance(metric.kind, Classes | Scores | Probabilities):
        return
    listed = settings.solution.classes
    if listed:
        _compare(solution, listed, settings, findings)
        return
    problem = find_misreading(solution.labels)
    if problem is None:
        return
    column = ", ".join(solution.label_columns)
    are_numbers = solution.labels.dtype.kind != "U"
    advice = "Name a metric of numbers, such as rmse or mae" if are_numbers else "Give each row one class or one number"
    findings.ask(
        settings.solution.file,
        None,
        f"the labels in column {column!r} {problem}: {metric.name} would take each for a class and count exact "
        f'matches. {advice}; if these are classes, list every one of them in [solution]: classes = ["…", "…"]',
    )


def _compare(solution: Solution, listed: tuple[str, ...], settings: RulesFile, findings: Findings) -> None:
    found = [str(one) for one in np.unique(solution.labels).tolist()]
    unlisted, absent = sorted(set(found) - set(listed)), sorted(set(listed) - set(found))
    line = settings.toml.line("solution", "classes")
    if unlisted:
        findings.error(FILE, line, f"classes does not list {join_names(map(repr, unlisted))}, a label of the solution")
    if absent:
        findings.error(FILE, line, f"classes lists {join_names(map(repr, absent))}, but no label is that; remove it")


def settle_positive(metric: Metric, solution: Solution, settings: RulesFile, findings: Findings) -> Metric:
    """The metric with its positive class; asks where it cannot be known, and goes on with the greater label."""
    try:
        target = metric.kind.with_positive(None).read_labels(solution.labels)
        is_open = target.positive is not None and metric.kind.positive is None
        if is_open and not is_known((target.classes[0], target.classes[1])):
            _ask(metric, (target.classes[0], target.classes[1]), settings, findings)
            return metric.with_positive(target.positive)
        return choose_positive(metric, solution.labels)
    except ParameterError as problem:
        key = ("metric", "positive") if "metric" in settings.toml.values and _is_table(settings) else ("positive",)
        findings.error(FILE, settings.toml.line(*key), str(problem))
    except LabelsError:  # said of the format
        pass
    return metric.with_positive(None)


def _ask(metric: Metric, classes: tuple[Any, Any], settings: RulesFile, findings: Findings) -> None:
    place = "in [metric]" if _is_table(settings) else "below metric in competition.toml"
    first, second = (json.dumps(one, ensure_ascii=False) for one in classes)
    how = f"write positive = {first} or positive = {second} {place} (`new` takes --positive)"
    findings.ask(FILE, settings.toml.line("metric"), ask_for_positive(metric.name, classes, how))


def _is_table(settings: RulesFile) -> bool:
    return isinstance(settings.toml.values.get("metric"), dict)
