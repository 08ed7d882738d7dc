"""Checks that both parts of a competition can be scored with its metric and mechanism."""

import numpy as np

from ladderboard.competition.checks.findings import Findings
from ladderboard.competition.checks.rehearsal import perfect_predictions, rehearse_metric, rehearse_submission
from ladderboard.competition.checks.solution_warnings import warn_of_low_power, warn_of_revealing_ids
from ladderboard.competition.model import Competition, Usage
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.rules.toml_text import TomlText
from ladderboard.core.errors import InputError, LabelsError, UndefinedMetricError
from ladderboard.core.records import IntArray, State
from ladderboard.core.words import pluralise
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics.answer_key import AnswerKey

FEWEST_UNITS = 4
"""Two parts of two: less cannot be split and compared."""


def check_soundness(competition: Competition, toml: TomlText, file: str, findings: Findings) -> None:
    """Report everything that prevents scoring the two parts; ``file`` is the solution's."""
    before = len(findings.errors)
    rehearse_metric(competition, toml, findings)
    public = _part(competition, "Public", file, findings)
    _part(competition, "Private", file, findings)
    if len(findings.errors) > before or public is None:
        return
    _check_mechanism(competition, public, toml, findings)
    if len(findings.errors) == before:
        rehearse_submission(competition, toml, findings)
        warn_of_low_power(competition, file, findings)
        warn_of_revealing_ids(competition, file, findings)


def _part(competition: Competition, usage: Usage, file: str, findings: Findings) -> AnswerKey | None:
    """Make the answer key of a part, if the part can be scored."""
    rows, word = competition.solution.rows(usage), usage.lower()
    if not len(rows) and usage == "Private":
        findings.warn(
            file, None, "there are no private rows: the public board is the only board and decides the result"
        )
        return None
    if not len(rows):
        findings.error(file, None, "there are no public rows, so nothing can be scored; mark some as Public")
        return None
    try:
        key = competition.public if usage == "Public" else competition.private
        assert key is not None
        _refuse_poor(key, competition, rows)
        _ = key.yardstick
        return key
    except (InputError, UndefinedMetricError) as problem:
        size = pluralise("{n} row", "{n} rows", len(rows))
        findings.error(file, None, f"the {word} part ({size}) cannot be scored: {problem}")
        return None


def _refuse_poor(key: AnswerKey, competition: Competition, rows: IntArray) -> None:
    if key.units < FEWEST_UNITS:
        noun = "row" if competition.solution.group is None else "group"
        raise LabelsError(
            f"it has {pluralise(f'{{n}} {noun}', f'{{n}} {noun}s', key.units)}; at least {FEWEST_UNITS} are needed"
        )
    labels = competition.solution.labels[rows]
    if key.classes and len(np.unique(labels)) < 2:
        raise LabelsError(f"all of its labels are {labels[0].item()!r}; both parts need at least two classes")


def _check_mechanism(competition: Competition, public: AnswerKey, toml: TomlText, findings: Findings) -> None:
    mechanism = competition.mechanism
    try:
        mechanism.check(public.baseline)
        # A split drawn for the occasion: the real one comes from the server's secret.
        state = mechanism.start(public.baseline, np.random.default_rng(0))
        _refuse_poor_parts(competition, mechanism, state)
        check_rules(competition, toml, findings)
    except (InputError, UndefinedMetricError) as problem:
        findings.error(FILE, toml.line("mechanism"), f"{mechanism.name} does not work with this public part: {problem}")


def check_rules(competition: Competition, toml: TomlText, findings: Findings) -> None:
    """Report rules that make no sense with this mechanism and these rows."""
    # A board without scores must have a result, and no ranks.
    name, rules = competition.mechanism.name, competition.rules
    if competition.mechanism.shows_scores:
        return
    line, public = toml.line("mechanism"), len(competition.solution.rows("Public"))
    if rules.reveal == "never":
        findings.error(
            FILE,
            toml.line("reveal"),
            f'reveal is "never" and {name} shows no scores before the reveal, so nobody would ever see one; set '
            'reveal = "deadline" or "by hand", or choose another mechanism',
        )
    if rules.instances == "rank":
        findings.error(
            FILE, toml.line("board"), f'{name} shows no scores, so there are no ranks to hold; remove board = "rank"'
        )
    if competition.private is None:
        findings.error(
            FILE,
            line,
            f"{name} shows no scores on the public rows and there are no private ones, so there would be no result; "
            "mark rows as Private",
        )
    elif public > len(competition.solution.rows("Private")):
        findings.warn(
            FILE,
            line,
            f"{name} shows no scores on the public rows ({public:,}): they decide nothing; mark more rows as Private",
        )


def _refuse_poor_parts(competition: Competition, mechanism: Mechanism, state: State) -> None:
    """Refuse a mechanism with a part of the rows on which the metric has no value."""
    evaluation = competition.public.evaluate(perfect_predictions(competition))
    other = "" if mechanism.alternative is None else f" such as {mechanism.alternative.name}"
    for part in mechanism.list_parts(state, evaluation):
        try:
            evaluation.on(part).score  # noqa: B018 (computed to see whether it can be)
        except UndefinedMetricError:
            raise LabelsError(
                f"the metric has no value on one of its parts ({len(part.units)} units), perhaps because a class is "
                f"too rare; make more rows public, or choose another mechanism{other}"
            ) from None
