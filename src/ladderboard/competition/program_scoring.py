"""A competition scored by another platform's program: its reference and its submissions are cut into the same rows."""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ladderboard.competition.model import Competition
from ladderboard.competition.sample_file import SampleFile
from ladderboard.core.errors import InputError, SubmissionError
from ladderboard.core.records import IntArray
from ladderboard.scoring.archives import is_archive, unpack
from ladderboard.scoring.frame_metric import make_program_source
from ladderboard.scoring.platform_program import ProgramJudge, ProgramScorer, make_table
from ladderboard.scoring.row_files import RowFile
from ladderboard.scoring.rows_metric import RowsMetric
from ladderboard.scoring.solution_files import LARGEST_BYTES, SolutionFiles
from ladderboard.tabular.alignment import find_places
from ladderboard.tabular.problems import Problems

PROGRAM, REFERENCE = "program", "ref"
OPAQUE = (
    "a program that gives one number for everything has no standard error, so no mechanism could tell a gain from "
    "luck; name the file with a row for each item (items in [metric]), or write score_items(submission, solution)"
)
"""What is said of a program whose reference cannot be cut into items."""


def bind_program(competition: Competition, metric: RowsMetric) -> Competition:
    """Bind a program in solution/program to the reference in solution/ref, whose rows are the items."""
    files, given = get_files(competition)
    reference = files.path / REFERENCE
    if not (files.path / PROGRAM).is_dir() or not reference.is_dir():
        raise InputError(f"solution/ needs two folders: {PROGRAM} (scoring program) and {REFERENCE} (reference data)")
    truth = _find_truth(competition, reference)
    source = make_program_source(competition.rules.metric_options, items=truth.name)
    places = _find_rows(competition, truth)
    shape = find_answers(given.content, given.name, truth)
    child = ProgramJudge(source, files, shape)
    limits = competition.format
    scorer = ProgramScorer(shape, truth.names, places, child, limits.max_bytes, limits.max_unpacked_bytes)
    try:
        sample = scorer.read(given.content, given.name).rows
    except SubmissionError as problem:
        raise InputError(f"the sample is no valid submission: {problem}") from None
    perfect = None
    if (truth.layout, truth.head) == (shape.layout, shape.head):
        perfect = make_table(truth.rows)[places]
    secret = hashlib.sha256(files.digest.encode()).digest()
    bound = metric.bound_to(child, places, sample=sample, perfect=perfect, secret=secret)
    return replace(competition, metric=bound, rows_scorer=scorer)


def get_files(competition: Competition) -> tuple[SolutionFiles, SampleFile]:
    """What is compared, and the sample."""
    assert competition.solution_files is not None and competition.sample is not None, "they were read with it"  # noqa: PT018
    return competition.solution_files, competition.sample


def list_row_files(folder: Path, names: Iterable[str] | None = None) -> Iterator[RowFile]:
    """The files of a folder that can be cut into rows; ``names``: those alone."""
    paths = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")))
    for name in paths if names is None else names:
        path = (folder / name).resolve()
        if path.is_relative_to(folder.resolve()) and path.is_file():
            with suppress(InputError):
                yield RowFile.read(path.read_bytes(), name)


def find_answers(content: bytes, name: str, truth: RowFile) -> RowFile:
    """The file of a sample that has the rows of the reference; raises `InputError`."""
    found = [one for one in _list_files(content, name) if _is_alike(one, truth)]
    if len(found) == 1:
        return found[0]
    rows = f"a row for each of the {len(truth.rows):,} rows of {truth.name}"
    raise InputError(f"{len(found) or 'no'} files of {name} have {rows}; {OPAQUE}")


def _is_alike(given: RowFile, truth: RowFile) -> bool:
    if given.names or truth.names:
        return set(given.names) == set(truth.names)
    return len(given.rows) == len(truth.rows)


def _list_files(content: bytes, name: str) -> Iterator[RowFile]:
    if not is_archive(content):
        yield RowFile.read(content, name)
        return
    with tempfile.TemporaryDirectory(prefix="ladderboard-sample-") as folder:
        unpack(content, Path(folder), Problems(name), most_unpacked=LARGEST_BYTES)
        yield from list_row_files(Path(folder))


def _find_truth(competition: Competition, reference: Path) -> RowFile:
    """The reference's file with as many rows as there are items."""
    wanted, items = competition.rules.metric_options.get("items"), len(competition.solution.ids)
    found = list_row_files(reference, [str(wanted)] if wanted else None)
    right = [one for one in found if len(one.rows) == items]
    if len(right) == 1:
        return right[0]
    rows = f"a row for each of the {items:,} items"
    raise InputError(f"{len(right) or 'no'} files of solution/{REFERENCE} have {rows}; {OPAQUE}")


def _find_rows(competition: Competition, truth: RowFile) -> IntArray:
    """For each item its row of the reference: by its name there, else by its number from 1."""
    names = list(truth.names) or [str(number) for number in range(1, len(truth.rows) + 1)]
    return find_places([str(one) for one in competition.solution.ids.tolist()], names, f"solution/{REFERENCE}")
