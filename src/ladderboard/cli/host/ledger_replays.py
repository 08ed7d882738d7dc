"""Sources of a replay: the server's own data, a revealed competition's address, or downloaded files."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ladderboard.cli.host.ledger_sources import download_submissions, is_address, open_records, read_publication
from ladderboard.cli.host.own_data import open_own_database, read_settings
from ladderboard.competition import (
    Competition,
    keep_former_defaults,
    load_competition,
    rules_from_json,
    solution_digest,
    unpack_solution,
)
from ladderboard.core.errors import ConflictError, InputError, ParameterError
from ladderboard.server.audit.audit import Audit, BrokenError, PublishedEntry, check_entry
from ladderboard.server.audit.ledger_view import whole_view
from ladderboard.server.audit.published_files import PublishedFiles
from ladderboard.server.audit.replaying import LedgerReplay, Replayed
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.opening import find_entered
from ladderboard.server.services import files_for

Replays = tuple[Iterator["Replayed"], int | None]
"""The recomputed releases, and their number if known."""


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
    """Open the replay that the command's arguments describe."""
    with ExitStack() as stack:
        if Path(source).is_dir():
            yield stack.enter_context(_open_own_data(Path(source), old, data, database))
            return
        if source == "-":
            raise ParameterError("a replay may read the ledger more than once; give a file instead of standard input")
        if is_address(source) and submissions is None:
            submissions = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "submissions.zip"
            download_submissions(source, submissions)
        yield stack.enter_context(_open_published(source, publication, submissions))


@contextmanager
def _open_own_data(folder: Path, old: Sequence[Path], data: Path | None, database: str | None) -> Iterator[Replays]:
    """Open the organiser's own data; nothing is written.

    The solutions are those that the database keeps. What an older version has corrected comes from the folders.
    """
    competition = load_competition(folder)
    with open_own_database(data, database) as opened, opened.reading() as connection:
        row = find_entered(connection, competition.slug)
        files = files_for(read_settings(data, database), opened)
        view = whole_view(connection, competition.slug)
        versions = _read_versions(view.entries(connection)) | {row.solution_digest: row.scoring_version}
        kept = _read_kept(view.entries(connection)) | {row.scoring_version: row.solution_file}
        rules = rules_from_json(row.rules)
        folders = [*([] if row.solution_file else [competition]), *map(load_competition, old)]
        found = dict(_match_versions([keep_former_defaults(one, rules) for one in folders], versions)) | {
            version: keep_former_defaults(unpack_solution(files.read(digest)), rules)
            for version, digest in kept.items()
            if digest is not None
        }
        scorings = {version: LiveCompetition(one, row.secret, files, version) for version, one in found.items()}
        replay = LedgerReplay(scorings, files.read)
        yield replay.releases(lambda: _audit_entries(view.entries(connection))), row.last_number


def _read_versions(entries: Iterator[PublishedEntry]) -> dict[str, int]:
    """Read the scoring version of each solution digest from the corrections in the ledger."""
    found: dict[str, int] = {}
    for shown in entries:
        if shown.entry.kind == "rescored" and shown.opening is not None:
            version = shown.entry.body["scoring_version"]
            found |= {shown.opening["old_solution"]: version - 1, shown.opening["solution"]: version}
    return found


def _read_kept(entries: Iterator[PublishedEntry]) -> dict[int, str | None]:
    """Read which file has the solution of each scoring version that was corrected."""
    rescored = [one for one in entries if one.entry.kind == "rescored" and one.opening is not None]
    return {one.entry.body["scoring_version"] - 1: (one.opening or {}).get("old_file") for one in rescored}


def _match_versions(given: Sequence[Competition], versions: dict[str, int]) -> Iterator[tuple[int, Competition]]:
    for competition in given:
        version = versions.get(solution_digest(competition))
        if version is None:
            raise ConflictError(
                f"{competition.folder} holds a solution that this server never served; give the folder that was served"
            )
        yield version, competition


@contextmanager
def _open_published(source: str, given: Path | None, submissions: Path | None) -> Iterator[Replays]:
    publication = read_publication(source, given)
    if publication is None or submissions is None:
        raise ParameterError(
            "a replay needs the solution and the submitted files; give --publication and --submissions"
        )
    if publication.digest() != publication.opening["solution"]:
        raise InputError("the published solution does not match its commitment; run `ladderboard ledger verify`")
    files = PublishedFiles(submissions)
    live = LiveCompetition(publication.competition(), publication.secret, files, publication.scoring_version)
    replay = LedgerReplay({publication.scoring_version: live}, files.read)
    yield replay.releases(_make_reader(source)), None


def _make_reader(source: str) -> Callable[[], Iterator[PublishedEntry]]:
    def entries() -> Iterator[PublishedEntry]:
        with open_records(source) as records:
            yield from _audit_entries(records)

    return entries


def _audit_entries(entries: Iterator[Any]) -> Iterator[PublishedEntry]:
    """Check each entry before it is used."""
    found = Audit()
    for place, entry in enumerate(entries, 1):
        try:
            shown = entry if isinstance(entry, PublishedEntry) else PublishedEntry.from_json(entry, place=place)
            check_entry(found, shown)
        except BrokenError as problem:
            raise InputError(f"the ledger is broken: {problem}") from None
        yield shown
