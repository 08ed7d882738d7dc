"""A trial run of a function that scores rows: the sample, as a team's first submission would be judged."""

from ladderboard.competition.checks.file_rehearsal import MUCH_OF_THE_LIMIT, describe_place
from ladderboard.competition.checks.findings import Findings
from ladderboard.competition.model import Competition
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.rules.toml_text import TomlText
from ladderboard.core.errors import InputError, MetricUnavailableError, ParameterError, UndefinedMetricError
from ladderboard.scoring.custom_metric import limit_time
from ladderboard.scoring.frame_scorer import FrameScorer
from ladderboard.scoring.platform_program import ProgramScorer
from ladderboard.scoring.rows_metric import RowsMetric
from ladderboard.scoring.sandbox import find_obstacle

PARTS = 3
"""A submission that is recognised is scored on all public rows and on two parts of them, each with a jackknife."""


def rehearse_rows(competition: Competition, toml: TomlText, findings: Findings) -> str:
    """Score the sample; returns what that gave and took and how it is judged, or reports how it failed."""
    metric, scorer, sample = competition.metric, competition.rows_scorer, competition.sample
    assert isinstance(metric, RowsMetric), "it scores rows"
    assert isinstance(scorer, FrameScorer | ProgramScorer), "it was bound"
    assert sample is not None, "it was read with the solution"
    line, solution = toml.line("metric"), competition.solution
    try:
        answers = scorer.read(sample.content, sample.name)
        score = metric.rehearse(solution.labels, answers.rows)
        last = scorer.child.last
        with limit_time() as clock:
            competition.whole.evaluate(answers.rows).contributions  # noqa: B018 (computed to see what it takes)
    except MetricUnavailableError as problem:
        scorer.close()
        cause = problem.__cause__
        findings.error(FILE, line, f"{problem}" if cause is None else f"{str(cause) or type(cause).__name__}")
        return ""
    except (InputError, UndefinedMetricError, ParameterError) as problem:
        scorer.close()
        findings.error(FILE, line, f"the metric failed on the sample: {problem}")
        return ""
    assert last is not None, "it gave a value"
    needed, calls = PARTS * clock.used, PARTS * (1 + metric.jackknife_groups)
    limit = scorer.child.time_limit
    if needed > MUCH_OF_THE_LIMIT * limit:
        words = f"scoring a submission takes about {needed:.1f} s of the allowed {limit:g} s"
        findings.warn(FILE, toml.line("metric", "time_limit"), f"{words}; raise time_limit in [metric]")
    obstacle = find_obstacle()
    if obstacle is not None:
        findings.warn(FILE, line, f"the metric runs without a sandbox: {obstacle}")
    took = f"one call took {1000 * last.seconds:.1f} ms and {last.memory_mb:.0f} MB, {describe_place(obstacle)}"
    return (
        f"{sample.name} scores {score:.6g} over {len(solution.ids):,} rows; {took}; judged by at most {calls} calls on "
        f"parts of the rows, standard errors from {metric.jackknife_groups} groups of them"
    )
