"""Trial runs of a custom metric before the competition opens: alone, and through the mechanism."""

import numpy as np

from ladderboard.competition.checks.findings import Findings
from ladderboard.competition.model import Competition
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.rules.toml_text import TomlText
from ladderboard.core.errors import LabelsError, ParameterError, UndefinedMetricError
from ladderboard.metrics.custom import FunctionMetric
from ladderboard.metrics.inputs import Array, Survival, Target
from ladderboard.scoring.custom_metric import ProcessFunction, limit_time

MUCH_OF_THE_LIMIT = 0.25


def rehearse_metric(competition: Competition, toml: TomlText, findings: Findings) -> None:
    """Call the metric with the labels as predictions, and report its errors to the organiser."""
    metric, labels = competition.metric, competition.solution.labels
    if not isinstance(metric, FunctionMetric):
        return
    are_classes = metric.takes in ("classes", "two_classes")
    try:
        target = metric.kind.read_labels(labels)
        metric.rehearse(labels, labels if are_classes else metric.labels_as_predictions(target.values))
        _refuse_turned(metric, labels, target, toml, findings)
    except ParameterError as problem:
        findings.error(FILE, toml.line("metric"), f"the metric failed with the labels as predictions: {problem}")
    except (LabelsError, UndefinedMetricError):
        return  # said of the parts


def _refuse_turned(metric: FunctionMetric, labels: Array, target: Target, toml: TomlText, findings: Findings) -> None:
    """Refuse a function that takes the other class for the positive one: participants would be told the opposite."""
    if metric.takes != "scores":
        return
    right = metric.labels_as_predictions(target.values)
    score, turned = metric.score(labels, right), metric.score(labels, -right)
    if turned < score if metric.lower_is_better else turned > score:
        findings.error(
            FILE,
            toml.line("metric"),
            f"the metric is better where scores are higher for {target.classes[0]!r}, but the positive class is "
            f"{target.positive!r}; name the other one, or compare the labels with it in the function",
        )


def rehearse_submission(competition: Competition, toml: TomlText, findings: Findings) -> None:
    """Score one submission like a team's, and check that it stays far below the time limit."""
    metric, public, mechanism = competition.metric, competition.public, competition.mechanism
    function = metric._function if isinstance(metric, FunctionMetric) else None
    if not isinstance(function, ProcessFunction):
        return
    state = mechanism.start(public.baseline, np.random.default_rng(0))
    # The incumbent may have to be evaluated as well.
    incumbent, candidate = (public.evaluate(perfect_predictions(competition), submission=name) for name in "ab")
    with limit_time() as clock:
        mechanism.step(state, candidate, incumbent, np.random.default_rng(0), proven=incumbent)
    limit, line = function.time_limit, toml.line("metric", "time_limit")
    advice = "raise time_limit in [metric], or make the metric faster (with a sample_weight it is called once per row)"
    if clock.used >= limit:
        findings.error(
            FILE,
            line,
            f"scoring one submission takes longer than the limit of {limit:g} s, so all would fail; {advice}",
        )
    elif clock.used > MUCH_OF_THE_LIMIT * limit:
        findings.warn(
            FILE, line, f"scoring one submission takes {clock.used:.1f} s of the allowed {limit:g} s; {advice}"
        )


def perfect_predictions(competition: Competition) -> Array:
    """Make perfect predictions of the public rows, in the form that answer keys evaluate."""
    target = competition.metric.kind.read_labels(competition.solution.labels)
    is_survival = isinstance(competition.metric.kind, Survival)
    perfect = -target.values[:, 0] if is_survival else competition.whole.metric.labels_as_predictions(target.values)
    return np.asarray(perfect[competition.solution.rows("Public")])
