"""The parts of one server: the one place where they are chosen and put together."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Event, Lock

from ladderboard.competition import change_rules, load_competition, rules_from_json
from ladderboard.competition.rules.rules_file import SLUG
from ladderboard.core.errors import ConflictError, DamagedFileError, DatabaseError, NotFoundError
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.opening import enter, enter_made, read_kept, read_made, show_folder
from ladderboard.server.competitions.stored_folders import StoredFolders
from ladderboard.server.db.database import Clock, Database
from ladderboard.server.db.files import SMALL_BYTES, Files, FolderFiles, TableFiles
from ladderboard.server.db.former_use import note_use, refuse_lost
from ladderboard.server.db.migrations import list_revisions, read_revision, upgrade
from ladderboard.server.db.rows import competitions
from ladderboard.server.jobs.records import JobRecord
from ladderboard.server.providers.protocol import OpenIDClient
from ladderboard.server.providers.settings_file import read_providers
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.queues import HESITATION_SECONDS, ScoringQueues, UploadPaces, Uploads
from ladderboard.server.submissions.recording import OutdatedSolutionError
from ladderboard.server.submissions.records import QUEUED, Answer, IncomingSubmission
from ladderboard.server.submissions.referee import Referee

log = logging.getLogger("ladderboard.competitions")


@dataclass(eq=False)
class Services:
    """Settings, database, files and the competitions that are served."""

    settings: Settings
    database: Database
    files: Files
    referee: Referee
    competitions: dict[str, LiveCompetition] = field(default_factory=dict)
    refused_changes: dict[str, str] = field(default_factory=dict)
    """Why a changed folder is not taken over, by slug; for the organiser's eyes."""
    unpublished: set[str] = field(default_factory=set)
    """The competitions whose folder had another solution than the one that counts when this process read it."""
    job_arrived: Event = field(default_factory=Event, repr=False)
    """Set where there may be work for the thread that takes up jobs."""
    _serving: Lock = field(default_factory=Lock, repr=False)
    _correcting: Lock = field(default_factory=Lock, repr=False)

    @cached_property
    def paces(self) -> UploadPaces:
        settings = self.settings
        return UploadPaces(uploads=settings.uploads_per_minute, seconds=settings.upload_processor_seconds_per_minute)

    @cached_property
    def providers(self) -> dict[str, OpenIDClient]:
        """The identity providers by name; raises `ParameterError` for a file that is not right."""
        found = read_providers(self.settings.identity_providers, base_url=self.settings.base_url)
        return {name: OpenIDClient(provider) for name, provider in found.items()}

    @cached_property
    def uploads(self) -> Uploads:
        return Uploads(self.paces, at_once=self.settings.uploads_at_once, hesitation=HESITATION_SECONDS)

    @cached_property
    def scoring(self) -> ScoringQueues:
        return ScoringQueues(quick_threads=1 if self.database.is_sqlite else 2, pace=self.paces.seconds)

    @cached_property
    def folders(self) -> StoredFolders:
        return StoredFolders(self.files, self.settings.data / "folders")

    def competition(self, slug: str) -> LiveCompetition:
        """The competition of that name; raises `NotFoundError`."""
        if slug not in self.competitions and SLUG.fullmatch(slug):
            self._take_up(slug)
        if slug not in self.competitions:
            raise NotFoundError(f"there is no competition {slug!r} here")
        return self.competitions[slug]

    def enter_made(self) -> None:
        """Take in what was made in the browser; what cannot be read does not keep the others."""
        with self.database.reading() as connection:
            made = competitions.list_made(connection)
        for slug in made:
            try:
                self.serve([enter_made(self.database, self.folders, slug)])
            except DamagedFileError as problem:
                log.error("competition=%s made in the browser cannot be served: %s", slug, problem)

    def take_up_made(self) -> None:
        """Serve what was made in the browser, by whichever process; what cannot be read does not keep the others."""
        with self.database.reading() as connection:
            made = competitions.list_made(connection)
        for slug in made:
            if slug not in self.competitions:
                try:
                    self._take_up(slug)
                except DamagedFileError as problem:
                    log.error("competition=%s made in the browser cannot be served: %s", slug, problem)

    def _take_up(self, slug: str) -> None:
        with self._correcting:  # read once, however many wait for it
            with self.database.reading() as connection:
                row = competitions.find_competition(connection, slug)
            if row is not None and row.folder is not None and slug not in self.competitions:
                self.serve([read_made(self.folders, row)])

    def follow_folder(self, slug: str, folder: str | None) -> LiveCompetition:
        """The competition with the files that its row names: another process may have changed them."""
        live = self.competition(slug)
        if folder is None or (live.competition.folder is not None and live.competition.folder.name == folder):
            return live
        path = self.folders.check_out(folder)
        with self._serving:
            live = self.competitions[slug] = show_folder(self.competitions[slug], path)
        return live

    def serve(self, competitions: Iterable[LiveCompetition]) -> None:
        with self._serving:
            self.competitions.update({live.slug: live for live in competitions})

    def follow_rules(self, slug: str, text: str) -> LiveCompetition:
        """The competition under the rules that its row has, ``text``: another process may have changed them."""
        with self._serving:
            live = self.competition(slug)
            if live.rules_text != text:
                live = live.with_competition(change_rules(live.competition, rules_from_json(text)))
                self.competitions[slug] = live
            return live

    def follow_correction(self, slug: str) -> LiveCompetition:
        """The competition with the solution that counts: another process may have published a correction.

        Raises `DamagedFileError` where the corrected solution cannot be read.
        """
        with self._correcting:  # a large solution is read once, however many wait for it
            live = self.competition(slug)
            with self.database.reading() as connection:
                row = competitions.read_competition(connection, slug)
            if row.scoring_version != live.scoring_version:
                live = read_kept(self.files, row, live.competition)
                self.serve([live])
            return live

    def list_outdated(self) -> list[str]:
        """List the competitions of which another process has published a correction that this one has not read."""
        with self.database.reading() as connection:
            rows = competitions.list_competitions(connection, list(self.competitions))
        return [slug for slug, row in rows.items() if row.scoring_version != self.competitions[slug].scoring_version]

    def submit(self, live: LiveCompetition, incoming: IncomingSubmission) -> Answer:
        """Score one submission and record it, by a correction that was published meanwhile too."""
        while True:
            try:
                answer = self.referee.submit(live, incoming)
                if answer.status == QUEUED:
                    self.job_arrived.set()
                return answer
            except OutdatedSolutionError:
                live = self.follow_correction(live.slug)

    def score(self, job: JobRecord) -> None:
        """Score and record a job, by the rules and the solution that count now; raises what keeps it from that."""
        while True:
            with self.database.reading() as connection:
                rules = competitions.read_dates(connection, job.competition).rules
            live = self.follow_rules(job.competition, rules)
            try:
                return self.referee.score(live, job)
            except OutdatedSolutionError:
                self.follow_correction(live.slug)

    def has_current_tables(self) -> bool:
        """Whether the database answers and its tables are those of this version."""
        with self.database.reading() as connection:
            return read_revision(connection) == self._newest_revision

    @cached_property
    def _newest_revision(self) -> str:
        return list_revisions()[-1]

    def sweep(self) -> None:
        """Remove files that were never recorded, and checked-out folders that were replaced."""
        self.files.sweep()
        with self.database.reading() as connection:
            used = competitions.list_folders(connection)
        self.folders.sweep(used)

    def close(self) -> None:
        self.database.close()


def open_services(
    settings: Settings, folders: Sequence[Path], *, clock: Clock | None = None, secret: bytes | None = None
) -> Services:
    """The services for the competitions of these folders; the database is made or brought up to date first.

    Raises `DatabaseError` where a database was used before and is gone, or has no bytes.
    """
    competitions = [load_competition(folder) for folder in folders]
    slugs = [competition.slug for competition in competitions]
    twice = sorted({slug for slug in slugs if slugs.count(slug) > 1})
    if twice:
        raise ConflictError(f"two folders have the slug {twice[0]!r}; write another `slug` in one competition.toml")
    database = Database(settings.database_url, clock=clock)
    _refuse_lost(settings, database)
    upgrade(database)
    note_use(database)
    files = files_for(settings, database)
    services = Services(settings, database, files, Referee(database, team_bytes=settings.team_files_mb << 20))
    try:
        services.providers  # noqa: B018 (a mistake in their file is told before anything is served)
        for competition in competitions:
            live = enter(database, files, competition, secret=secret)
            services.serve([live])
            if live.competition.solution is not competition.solution:
                services.unpublished.add(live.slug)
        services.enter_made()
    except BaseException:
        services.close()
        raise
    return services


@contextmanager
def scratch_database(url: str, name: str) -> Iterator[str]:
    """The address of an empty schema of that name in a PostgreSQL database, dropped at the end.

    Nothing else of that database is read or written.
    """
    database = Database(url)
    try:
        with database.scratch_schema(name) as inside:
            yield inside
    finally:
        database.close()


def files_for(settings: Settings, database: Database) -> Files:
    """Choose where files are kept: a folder with SQLite, the database with PostgreSQL, or as set.

    In the database they are seen by every server process on every machine.
    """
    in_folder = database.is_sqlite if settings.keep_files == "auto" else settings.keep_files == "folder"
    return FolderFiles(database, settings.files_folder, small=SMALL_BYTES) if in_folder else TableFiles(database)


def _refuse_lost(settings: Settings, database: Database) -> None:
    # A folder of files beside a database that is named apart may be that of another one.
    own = None if settings.database else settings.files_folder
    refuse_lost(database, files=own, option="--database" if settings.database else "--data folder")


NEW_OR_LOST = (
    "for a new server start `ladderboard serve` first; if one has used it, its data is lost: restore the last backup "
    "with `ladderboard restore BACKUP` (docs/guide/backups.md)"
)


@contextmanager
def open_database(settings: Settings) -> Iterator[Database]:
    """Open the database of a server that was started before, brought up to date; raises `DatabaseError` without one."""
    database = Database(settings.database_url)
    try:
        _refuse_lost(settings, database)
        if database.is_sqlite and not Path(str(database.url.database)).exists():
            raise DatabaseError(
                f"there is no {database.url.database}; give the server's folder with --data, or its database with "
                "--database. A new server makes one: start `ladderboard serve` first"
            )
        with database.reading() as connection:
            if read_revision(connection) is None:
                raise DatabaseError(f"{database.location} is empty; {NEW_OR_LOST}")
        upgrade(database)
        yield database
    finally:
        database.close()
