"""Reading of a competition folder, with all problems found at once."""

import math
from dataclasses import dataclass, replace
from pathlib import Path

from ladderboard.competition.checks.description_check import check_description
from ladderboard.competition.checks.file_rehearsal import find_solution_leaks, rehearse_files
from ladderboard.competition.checks.findings import Finding, Findings
from ladderboard.competition.checks.label_questions import check_classes, settle_positive
from ladderboard.competition.checks.leaks import Secret, find_leaks
from ladderboard.competition.checks.program_rehearsal import add_inputs
from ladderboard.competition.checks.rows_rehearsal import rehearse_rows
from ladderboard.competition.checks.sample_check import check_sample
from ladderboard.competition.checks.soundness import check_soundness
from ladderboard.competition.metric_choice import choose_metric, find_metric_source, find_scorer_source
from ladderboard.competition.model import Competition, Solution
from ladderboard.competition.rows_scoring import bind_rows
from ladderboard.competition.rules.rules_file import RulesFile, read_rules
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.sample_file import read_sample_file
from ladderboard.competition.solution.columns import LabelsAre, SolutionColumns
from ladderboard.competition.solution.solution_file import SolutionReader, open_solution, read_solution
from ladderboard.competition.submission_format import make_format
from ladderboard.core.errors import CompetitionError, InputError, ParameterError
from ladderboard.mechanisms import make_mechanism, refuse_certifying
from ladderboard.mechanisms.base import Mechanism
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import InputKind, Numbers, Survival
from ladderboard.metrics.mean_score import GradedItems
from ladderboard.metrics.text_inputs import TextCells
from ladderboard.scoring.rows_metric import SubmittedRows
from ladderboard.scoring.solution_files import SolutionFiles
from ladderboard.tabular import SubmissionFormat

DESCRIPTION = "description.md"
ANSWERS = "solution"
"""The folder that a scorer of files compares submissions with, unless another one is named."""


@dataclass(frozen=True)
class Inspection:
    """The result of reading a folder. ``loaded`` is None where there are errors among the findings."""

    folder: Path
    findings: tuple[Finding, ...]
    loaded: Competition | None

    @property
    def competition(self) -> Competition | None:
        """The competition, where nothing keeps it from being served for the first time."""
        return None if self.loaded is None or self.loaded.questions else self.loaded


def load_competition(folder: Path) -> Competition:
    """Load the competition in a folder; raises `CompetitionError` with all problems, each with file and line.

    Warnings do not keep it from being loaded, nor do questions, which a competition that runs has never been asked;
    `inspect_folder` has them.
    """
    found = inspect_folder(folder)
    if found.loaded is not None:
        return found.loaded
    findings = Findings(list(found.findings))
    findings.raise_errors(str(folder))
    raise CompetitionError(f"{folder} is not a competition", found.findings)


def inspect_folder(folder: Path) -> Inspection:
    """Read a folder and collect all problems."""
    folder, findings = Path(folder), Findings()
    if not folder.is_dir():
        findings.error(str(folder), None, "there is no such folder; `ladderboard new` creates one")
        return Inspection(folder, findings.sort(), None)
    competition = _competition(folder, findings)
    return Inspection(folder, findings.sort(), None if findings.errors else competition)


def _competition(folder: Path, findings: Findings) -> Competition | None:
    description = read_description(folder, findings)
    settings = read_rules(folder, findings)
    if settings is None:
        return None
    metric = choose_metric(folder, settings, findings)
    mechanism = _mechanism(settings, findings)
    _check_label_count(settings, metric, findings)
    # The split must not depend on which class is positive.
    kind = None if metric is None else metric.kind.with_positive(None)
    reader = open_solution(folder, settings, findings, labels_are=_say_where_labels_are(kind))
    if reader is None:
        return None
    columns = _list_secret(reader) if isinstance(kind, SubmittedRows) else reader.columns
    find_leaks(folder, Secret(reader.table, columns, (folder / settings.solution.file).read_bytes()), findings)
    solution = read_solution(reader, kind)
    if solution is None or metric is None or mechanism is None:
        return None
    check_classes(solution, metric, settings, findings)
    metric = settle_positive(metric, solution, settings, findings)
    shape = _format(metric, solution, settings, findings)
    if shape is None:
        return None
    if shape.takes != "file":
        shape = check_sample(folder, shape, settings.solution.predictions, findings)
    competition = Competition(
        rules=replace(settings.rules, positive=metric.kind.positive),
        solution=solution,
        metric=metric,
        mechanism=mechanism,
        format=shape,
        description=description,
        folder=folder,
        metric_source=find_metric_source(settings.rules, folder),
        solution_settings=settings.solution,
        questions=tuple(map(str, findings.questions)),
    )
    if shape.takes == "file":
        graded = _add_files(competition, folder, settings, findings)
        if graded is None:
            return None
        rehearse = rehearse_rows if graded.rows_scorer is not None else rehearse_files
        competition = replace(graded, rehearsal=rehearse(graded, settings.toml, findings))
        if not competition.rehearsal:
            return None
    if settings.rules.code is not None:
        with_inputs = add_inputs(competition, folder, settings.toml, findings)
        if with_inputs is None:
            return None
        competition = with_inputs
    check_soundness(competition, settings.toml, settings.solution.file, findings)
    return competition


def _say_where_labels_are(kind: InputKind | None) -> LabelsAre:
    if isinstance(kind, SubmittedRows):
        return "the scorer's"
    return "elsewhere" if isinstance(kind, GradedItems) else "read"


def _list_secret(reader: SolutionReader) -> SolutionColumns:
    """The columns, with all that a function of the solution's rows may take for labels."""
    return replace(reader.columns, labels=tuple(one for one in reader.table.columns if one not in reader.columns.used))


def _add_files(competition: Competition, folder: Path, settings: RulesFile, findings: Findings) -> Competition | None:
    """The competition with its scorer, what it compares submissions with, and the sample."""
    usual = ANSWERS if (folder / ANSWERS).is_dir() else settings.solution.file
    answers = folder / (settings.solution.answers or usual)
    try:
        if not answers.resolve().is_relative_to(folder.resolve()) or not answers.exists():
            raise InputError(f"there is no {answers.name} in the folder, which the scorer compares submissions with")
        find_solution_leaks(folder, answers, findings)
        with_files = replace(
            competition,
            scorer_source=find_scorer_source(settings.rules, competition.metric_source),
            solution_files=SolutionFiles.read(answers),
            sample=read_sample_file(folder),
        )
        return bind_rows(with_files)
    except InputError as problem:
        findings.error(settings.solution.file, None, str(problem))
        return None


def _format(metric: Metric, solution: Solution, settings: RulesFile, findings: Findings) -> SubmissionFormat | None:
    names, limits = settings.solution.predictions, settings.rules.limits
    try:
        return make_format(metric, solution, limits=limits, columns=names)
    except ParameterError as problem:
        findings.error(FILE, settings.toml.line("solution", "predictions"), str(problem))
    except InputError as problem:
        findings.error(settings.solution.file, None, str(problem))
    return None


def read_description(folder: Path, findings: Findings) -> str:
    """Read description.md; empty where it is missing."""
    path = folder / DESCRIPTION
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        findings.warn(DESCRIPTION, None, "the file is missing; participants will see no description")
    except UnicodeDecodeError:
        findings.error(DESCRIPTION, None, "the file is not UTF-8 text; save it with that encoding")
    except OSError as problem:
        findings.error(DESCRIPTION, None, f"cannot read it: {problem.strerror}")
    else:
        check_description(text, folder, DESCRIPTION, findings)
        if not text.strip():
            findings.warn(DESCRIPTION, None, "the file is empty; participants will see no description")
        return text
    return ""


def _mechanism(settings: RulesFile, findings: Findings) -> Mechanism | None:
    rules = settings.rules
    for key, value in rules.mechanism_parameters.items():
        if not isinstance(value, int | float) or not math.isfinite(value):
            line = settings.toml.line("mechanism", key)
            findings.error(FILE, line, f"{key} is {value!r}; it must be a finite number")
            return None
    try:
        made = make_mechanism(rules.mechanism, **rules.mechanism_parameters)
        refuse_certifying(made, "a team's first entry would have no score")
        return made
    except ParameterError as problem:
        keys = [key for key in rules.mechanism_parameters if key in str(problem)]
        line = settings.toml.line("mechanism", keys[0] if keys else "name")
        findings.error(FILE, line, f"mechanism {rules.mechanism!r}: {problem}")
        return None


def _check_label_count(settings: RulesFile, metric: Metric | None, findings: Findings) -> None:
    labels = settings.solution.labels
    if metric is None:
        return
    line = settings.toml.line("solution", "label")
    if isinstance(metric.kind, Survival) and len(labels) != 2:
        findings.error(
            FILE,
            line,
            f'{metric.name} needs two label columns, the time and whether the event was observed: label = ["time", '
            '"event"] in [solution]',
        )
    if isinstance(metric.kind, TextCells) and not metric.kind.takes_label_columns(max(1, len(labels))):
        words = f"there are {max(1, len(labels))} label columns in [solution]; {metric.kind.describe_labels()}"
        findings.error(FILE, line, f"{metric.name}: {words}")
    if isinstance(metric.kind, Numbers) and len(labels) > 1:
        words = f"there are {len(labels)} label columns, but {metric.name} takes one"
        findings.error(FILE, line, f"{words}; name only one, or choose a metric of several targets")
