"""What a replay works on: the server's own data, a revealed competition's address, or its downloaded files."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladderboard.cli.ledger_sources import download_submissions, is_address, opened_records, read_publication
from ladderboard.cli.own_data import opened_database, settings_of
from ladderboard.errors import ConflictError, InputError, ParameterError

if TYPE_CHECKING:
    from ladderboard.hosting.audit import Shown
    from ladderboard.hosting.replaying import Replayed

Replays = tuple[Iterator["Replayed"], int | None]
"""The releases made again, and how many there will be where that is known."""


@contextmanager
def opened_replay(
    source: str, *, publication: Path | None, submissions: Path | None, data: Path | None, database: str | None
) -> Iterator[Replays]:
    """The replay that the arguments of the command mean."""
    with ExitStack() as stack:
        if Path(source).is_dir():
            yield stack.enter_context(_own_data(Path(source), data, database))
            return
        if is_address(source) and submissions is None:
            submissions = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "submissions.zip"
            download_submissions(source, submissions)
        yield stack.enter_context(_published(source, publication, submissions))


@contextmanager
def _own_data(folder: Path, data: Path | None, database: str | None) -> Iterator[Replays]:
    """The organiser's: nothing is written, not even that a command with other versions was here."""
    from ladderboard.competition import load_competition, solution_digest
    from ladderboard.hosting.hosted import Hosted
    from ladderboard.hosting.ledger_view import competition_row, whole_view
    from ladderboard.hosting.replaying import Replay
    from ladderboard.store.files import files_for

    competition = load_competition(folder)
    with opened_database(data, database) as opened, opened.reading() as connection:
        row = competition_row(connection, competition.slug)
        if row.solution_digest != solution_digest(competition):
            raise ConflictError(f"{folder} is not the solution that is being served; replay with the folder that is")
        files = files_for(settings_of(data, database), opened)
        hosted = Hosted(competition, row.secret, files, row.scoring_version)
        view = whole_view(connection, competition.slug)
        replay = Replay({row.scoring_version: hosted}, files.read)
        yield replay.releases(_audited(view.entries(connection))), row.last_number


@contextmanager
def _published(source: str, given: Path | None, submissions: Path | None) -> Iterator[Replays]:
    from ladderboard.hosting.hosted import Hosted
    from ladderboard.hosting.published_files import PublishedFiles
    from ladderboard.hosting.replaying import Replay

    publication = read_publication(source, given)
    if publication is None or submissions is None:
        raise ParameterError("a replay needs the solution and the files: give --publication and --submissions")
    if publication.digest() != publication.opening["solution"]:
        raise InputError("the published solution is not what was committed to; see `ladderboard ledger verify`")
    files = PublishedFiles(submissions)
    hosted = Hosted(publication.competition(), publication.secret, files, publication.scoring_version)
    with opened_records(source) as records:
        replay = Replay({publication.scoring_version: hosted}, files.read)
        yield replay.releases(_audited(records)), None


def _audited(entries: Iterator[Any]) -> "Iterator[Shown]":
    """The entries, each checked before it is used."""
    from ladderboard.hosting.audit import Audit, BrokenError, Shown, look_at

    found = Audit()
    for place, entry in enumerate(entries, 1):
        try:
            shown = entry if isinstance(entry, Shown) else Shown.from_json(entry, place=place)
            look_at(found, shown)
        except BrokenError as problem:
            raise InputError(f"the ledger is broken: {problem}") from None
        yield shown
