"""Creation of a competition folder, in one step: the whole folder or nothing."""

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ladderboard.competition.checks.leaks import DATA, SAMPLE
from ladderboard.competition.checks.sample_check import write_sample
from ladderboard.competition.example import TITLE, make_example
from ladderboard.competition.loading import DESCRIPTION, Inspection, inspect_folder
from ladderboard.competition.model import Competition
from ladderboard.competition.rules.rules_file import make_slug
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.rules.toml_template import Draft, competition_toml
from ladderboard.competition.solution.guessing import MetricProposal, guess_columns, propose_metric
from ladderboard.core.errors import CompetitionError, InputError, ParameterError, unknown_name
from ladderboard.metrics import METRICS
from ladderboard.tabular import UnreadableTableError, read_table
from ladderboard.tabular.containers import GZIP, PARQUET, ZIP

PUBLIC_SHARE = 0.5
"""Half decides in private; the Witness Ladder splits the public part again."""


@dataclass(frozen=True)
class Request:
    """The request for a new competition folder."""

    solution: Path | None = None
    metric: str | None = None
    title: str | None = None
    id: str | None = None
    labels: tuple[str, ...] = ()
    positive: str | None = None
    seed: int = 0
    """Of the example's data; the split has a random seed in any case."""


@dataclass(frozen=True)
class Scaffold:
    """A new competition folder, and the reasons for its settings."""

    folder: Path
    draft: Draft
    competition: Competition


def make_folder(folder: Path, request: Request) -> Scaffold:
    """Make the folder. Raises `InputError` if it exists or the solution cannot be used."""
    with make_whole(folder) as temporary:
        draft = _fill(temporary, folder, request)
        competition = _check_written(temporary)
    return Scaffold(folder, draft, competition)


@contextmanager
def make_whole(folder: Path) -> Iterator[Path]:
    """A temporary folder beside ``folder`` that becomes it when the block succeeds; nothing remains if it fails.

    Raises `InputError` if the folder exists.
    """
    _refuse_existing(folder)
    folder.absolute().parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.absolute().parent))
    try:
        yield temporary
        _refuse_existing(folder)
        temporary.rename(folder)  # onto an empty folder or none
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _refuse_existing(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} already exists and is not empty; choose another name, or move it away")


def _fill(temporary: Path, folder: Path, request: Request) -> Draft:
    given = request.solution
    title = request.title or (TITLE if given is None else _title(folder))
    content = _write_example(temporary, request.seed) if given is None else _content(given)
    return fill_folder(temporary, content, replace(request, title=title), slug=folder.absolute().name)


def fill_folder(folder: Path, content: bytes, request: Request, *, slug: str) -> Draft:
    """Fill a folder from the content of its solution; messages call that as the request does.

    Raises `InputError` if the solution cannot be used. What the folder then lacks, `inspect_folder` says.
    """
    if request.metric is not None and request.metric not in METRICS:
        raise ParameterError(unknown_name("metric", request.metric, METRICS))
    (folder / DATA).mkdir(exist_ok=True)
    name = request.solution
    try:
        table = read_table(content)
    except UnreadableTableError as problem:
        place = "" if problem.line is None else f":{problem.line}"
        raise InputError(f"{name}{place}: {problem.sentence}") from None
    if not len(table):
        raise InputError(f"{name} has no rows")
    columns = guess_columns(table, id_column=request.id, labels=request.labels)
    proposal = propose_metric(table, columns)
    if request.metric is not None:
        proposal = MetricProposal(request.metric, "chosen with --metric")
    draft = Draft(
        title=request.title or slug,
        slug=make_slug(slug),
        proposal=proposal,
        positive=request.positive,
        columns=columns,
        solution_file=_file_name(content),
        public_share=None if columns.usage else PUBLIC_SHARE,
        split_seed=secrets.token_hex(16),
    )
    (folder / draft.solution_file).write_bytes(content)
    (folder / FILE).write_bytes(competition_toml(draft).encode())
    (folder / DESCRIPTION).write_bytes(_description(draft, is_example=request.solution is None).encode())
    return draft


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise InputError(f"cannot read {path}: {problem.strerror}") from None


def _write_example(temporary: Path, seed: int) -> bytes:
    example = make_example(seed)
    (temporary / DATA).mkdir()
    (temporary / DATA / "train.csv").write_bytes(example.train)
    (temporary / DATA / "test.csv").write_bytes(example.test)
    return example.solution


def inspect_written(folder: Path) -> Inspection:
    """Write the sample submission, where it is known what one looks like, and read everything back."""
    found = inspect_folder(folder)
    if found.loaded is None:
        return found
    write_sample(folder, found.loaded.format)
    return inspect_folder(folder)


def _check_written(temporary: Path) -> Competition:
    """Read everything back; refuse a folder that `check` would refuse."""
    found = inspect_written(temporary)
    if found.competition is not None:
        return found.competition
    errors = [finding for finding in found.findings if not finding.is_warning]
    told = "\n".join(f"  {finding}" for finding in errors)
    raise CompetitionError(
        f"no folder was created, because the solution cannot be used as it is:\n{told}\n"
        "Correct it, or give --metric, --positive, --id or --label where a guess was wrong",
        errors,
    )


def _title(folder: Path) -> str:
    words = folder.absolute().name.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _file_name(content: bytes) -> str:
    if content.startswith(PARQUET):
        return "solution.parquet"
    if content.startswith(ZIP):
        return "solution.zip"
    return "solution.csv.gz" if content.startswith(GZIP) else "solution.csv"


def _description(draft: Draft, *, is_example: bool) -> str:
    about = (
        "Made-up data for trying Ladderboard: four numbers about each visitor, and whether they clicked.\n\n"
        "`train.csv` has the answers, `test.csv` the visitors to predict."
        if is_example
        else "What to predict, and why it matters.\n\nWhere the data come from, and how they may be used."
    )
    return f"# {draft.title}\n\n{about}\n\n## Submissions\n\nA CSV file like `{SAMPLE}`: one row for each id.\n"
