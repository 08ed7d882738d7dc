"""A competition whose metric scores rows by a foreign function: the metric and the solution are bound together."""

import hashlib
from dataclasses import replace
from io import BytesIO
from zipfile import ZipFile

import numpy as np

from ladderboard.competition.model import Competition
from ladderboard.competition.program_scoring import bind_program, get_files
from ladderboard.competition.solution.columns import USAGE_NAMES, find_named_column
from ladderboard.core.errors import CompetitionError, InputError, SubmissionError
from ladderboard.core.records import IntArray
from ladderboard.scoring.frame_child import FrameChild, FrameSource, FrameTables
from ladderboard.scoring.frame_metric import make_frame_source
from ladderboard.scoring.frame_scorer import FrameScorer, has_words_for_participants
from ladderboard.scoring.frame_table import FrameFormat, make_perfect
from ladderboard.scoring.kinds import find_scorer_kind
from ladderboard.scoring.rows_metric import RowsMetric
from ladderboard.tabular import SubmissionFormat, Table, read_table


def bind_rows(competition: Competition) -> Competition:
    """The competition with its metric bound to its solution, where that is of such a kind; raises `InputError`."""
    metric = competition.metric
    if not isinstance(metric, RowsMetric):
        return competition
    if competition.solution.weight is not None:
        raise CompetitionError("a foreign metric weighs rows itself; leave weight out of [solution]")
    if "program" in competition.rules.metric_options:
        return bind_program(competition, metric)
    return _bind_frames(competition, metric)


def _bind_frames(competition: Competition, metric: RowsMetric) -> Competition:
    files, given = get_files(competition)
    solution = read_table(_read_only_file(files.packed), name=competition.solution_settings.file)
    places = _find_places(competition, solution)
    shape = _find_format(competition, solution)
    try:
        sample = shape.read(given.content, given.name)
    except SubmissionError as problem:
        raise InputError(f"the sample is no valid submission: {problem}") from None
    perfect = make_perfect(solution, sample)
    ordered = np.empty_like(sample)
    ordered[places] = sample
    tables = FrameTables(_write_secret(competition, solution), shape.table.id_column, shape.columns, ordered)
    child = FrameChild(_make_source(competition), tables)
    scorer = FrameScorer(shape, child, places, has_words_for_participants(competition.metric_source))
    secret = hashlib.sha256(files.digest.encode()).digest()
    bound = metric.bound_to(
        child, places, sample=sample, perfect=None if perfect is None else perfect[places], secret=secret
    )
    return replace(competition, metric=bound, rows_scorer=scorer)


def _make_source(competition: Competition) -> FrameSource:
    options = competition.rules.metric_options
    _, function = find_scorer_kind(competition.metric_source, options.get("function"))
    return make_frame_source(options, competition.metric_source, function=function)


def _read_only_file(packed: bytes) -> bytes:
    with ZipFile(BytesIO(packed)) as archive:
        (name,) = archive.namelist()
        return archive.read(name)


def _find_places(competition: Competition, solution: Table) -> IntArray:
    """For each id, in the order of the competition's, its row in the solution's file."""
    cells = solution.column(competition.solution.id_column).fill_null("")
    places = competition.format.index.places(cells)
    rows = np.empty(len(places), dtype=np.intp)
    rows[places] = np.arange(len(places))
    return rows


def _find_format(competition: Competition, solution: Table) -> FrameFormat:
    """Submissions are tables with the columns of the sample."""
    _, sample = get_files(competition)
    columns, identity = (
        read_table(sample.content, name=sample.name).columns,
        competition.solution.id_column,
    )
    if identity not in columns or len(columns) < 2:
        raise InputError(
            f"{sample.name} has the columns {', '.join(columns)}; it needs {identity!r}, as "
            f"{solution.name} names the rows, and the columns that participants predict"
        )
    predicted = tuple(name for name in columns if name != identity)
    shape = SubmissionFormat(
        id_column=identity,
        ids=competition.solution.ids,
        prediction_columns=predicted,
        takes="numbers",
        max_bytes=competition.format.max_bytes,
        max_unpacked_bytes=competition.format.max_unpacked_bytes,
    )
    return FrameFormat(shape, columns)


def _write_secret(competition: Competition, solution: Table) -> bytes:
    """All columns of the solution but Usage, as CSV."""
    usage = competition.solution_settings.usage or find_named_column(USAGE_NAMES, solution.columns)
    kept = [name for name in solution.columns if name != usage]
    return solution.frame.select(kept).write_csv().encode()
