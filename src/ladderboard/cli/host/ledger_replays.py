"""What a replay works on: the server's own data, a revealed competition's address, or its downloaded files."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladderboard.cli.host.ledger_sources import download_submissions, is_address, open_records, read_publication
from ladderboard.cli.host.own_data import opened_database, settings_of
from ladderboard.core.errors import ConflictError, InputError, ParameterError

if TYPE_CHECKING:
    from ladderboard.competition import Competition
    from ladderboard.hosting.audit.audit import Shown
    from ladderboard.hosting.audit.replaying import Replayed

Replays = tuple[Iterator["Replayed"], int | None]
"""The releases made again, and how many there will be where that is known."""


@contextmanager
def open_replay(
    source: str,
    *,
    old: Sequence[Path],
    publication: Path | None,
    submissions: Path | None,
    data: Path | None,
    database: str | None,
) -> Iterator[Replays]:
    """The replay that the arguments of the command mean."""
    with ExitStack() as stack:
        if Path(source).is_dir():
            yield stack.enter_context(_own_data(Path(source), old, data, database))
            return
        if source == "-":
            raise ParameterError("a replay may go along the ledger more than once; give a file, and not standard input")
        if is_address(source) and submissions is None:
            submissions = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "submissions.zip"
            download_submissions(source, submissions)
        yield stack.enter_context(_published(source, publication, submissions))


@contextmanager
def _own_data(folder: Path, old: Sequence[Path], data: Path | None, database: str | None) -> Iterator[Replays]:
    """The organiser's: nothing is written, not even that a command with other versions was here."""
    from ladderboard.competition import load_competition
    from ladderboard.hosting.audit.ledger_view import competition_row, whole_view
    from ladderboard.hosting.audit.replaying import Replay
    from ladderboard.hosting.live_competition import LiveCompetition
    from ladderboard.hosting.services import files_for

    competition = load_competition(folder)
    with opened_database(data, database) as opened, opened.reading() as connection:
        row = competition_row(connection, competition.slug)
        files = files_for(settings_of(data, database), opened)
        view = whole_view(connection, competition.slug)
        versions = _versions(view.entries(connection)) | {row.solution_digest: row.scoring_version}
        scorings = {
            version: LiveCompetition(one, row.secret, files, version)
            for version, one in _by_version([competition, *map(load_competition, old)], versions)
        }
        yield Replay(scorings, files.read).releases(lambda: _audited(view.entries(connection))), row.last_number


def _versions(entries: "Iterator[Shown]") -> dict[str, int]:
    """Digest of a solution → its scoring version, from the corrections in the ledger."""
    found: dict[str, int] = {}
    for shown in entries:
        if shown.entry.kind == "rescored" and shown.opening is not None:
            version = shown.entry.body["scoring_version"]
            found |= {shown.opening["old_solution"]: version - 1, shown.opening["solution"]: version}
    return found


def _by_version(given: "Sequence[Competition]", versions: dict[str, int]) -> "Iterator[tuple[int, Competition]]":
    from ladderboard.competition import solution_digest

    for competition in given:
        version = versions.get(solution_digest(competition))
        if version is None:
            raise ConflictError(f"{competition.folder} holds no solution that this server has ever served")
        yield version, competition


@contextmanager
def _published(source: str, given: Path | None, submissions: Path | None) -> Iterator[Replays]:
    from ladderboard.hosting.audit.published_files import PublishedFiles
    from ladderboard.hosting.audit.replaying import Replay
    from ladderboard.hosting.live_competition import LiveCompetition

    publication = read_publication(source, given)
    if publication is None or submissions is None:
        raise ParameterError("a replay needs the solution and the files: give --publication and --submissions")
    if publication.digest() != publication.opening["solution"]:
        raise InputError("the published solution is not what was committed to; see `ladderboard ledger verify`")
    files = PublishedFiles(submissions)
    live = LiveCompetition(publication.competition(), publication.secret, files, publication.scoring_version)
    replay = Replay({publication.scoring_version: live}, files.read)
    yield replay.releases(_reread(source)), None


def _reread(source: str) -> "Callable[[], Iterator[Shown]]":
    def entries() -> "Iterator[Shown]":
        with open_records(source) as records:
            yield from _audited(records)

    return entries


def _audited(entries: Iterator[Any]) -> "Iterator[Shown]":
    """The entries, each checked before it is used."""
    from ladderboard.hosting.audit.audit import Audit, BrokenError, Shown, look_at

    found = Audit()
    for place, entry in enumerate(entries, 1):
        try:
            shown = entry if isinstance(entry, Shown) else Shown.from_json(entry, place=place)
            look_at(found, shown)
        except BrokenError as problem:
            raise InputError(f"the ledger is broken: {problem}") from None
        yield shown
