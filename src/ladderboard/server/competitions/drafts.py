"""Drafts: competitions that are being prepared in the browser, from a solution file to their publication.

A draft is a stored folder and a row that names it. It may have questions, but no errors: what cannot be used is told to
whoever sends it, and the draft stays as it was.
"""

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ladderboard.competition import Competition, Finding
from ladderboard.competition.checks.leaks import SAMPLE
from ladderboard.competition.loading import Inspection, inspect_folder
from ladderboard.competition.rules.rules_file import make_slug
from ladderboard.competition.rules.toml_edit import Key, TomlValue, set_values
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.scaffold import Request, fill_folder, inspect_written
from ladderboard.core.errors import CompetitionError, ConflictError, NotFoundError
from ladderboard.server.competitions import sql
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.opening import SECRET_BYTES, create
from ladderboard.server.competitions.records import DraftRecord
from ladderboard.server.competitions.stored_folders import change_files, read_folder
from ladderboard.server.db.rows import competitions
from ladderboard.server.services import Services

REASON = re.compile(r"^# .*\n(?=# docs/reference/metrics\.md)", re.MULTILINE)
"""The line of the template that gives the reason for the proposed metric."""
CHANGED_MEANWHILE = "somebody else changed this meanwhile; what you entered is still below"


@dataclass(frozen=True)
class CheckedDraft:
    """A draft with the result of reading its folder, which has no errors."""

    record: DraftRecord
    competition: Competition
    findings: tuple[Finding, ...]

    @property
    def questions(self) -> tuple[Finding, ...]:
        """What must be answered before it is published."""
        return tuple(one for one in self.findings if one.is_question)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.is_warning)


def make_draft(
    services: Services, content: bytes, request: Request, *, edits: Mapping[Key, TomlValue | None] | None = None
) -> DraftRecord:
    """Make a draft from the content of a solution, whose name ``request.solution`` is, with other rules by ``edits``.

    Raises `InputError` where it cannot be used, a `CompetitionError` with every problem and its line.
    """
    slug = make_slug(request.title or "competition")
    with tempfile.TemporaryDirectory(prefix="ladderboard-") as beside:
        folder = Path(beside) / slug
        folder.mkdir()
        fill_folder(folder, content, request, slug=_find_free_slug(services, slug))
        edit_rules(folder, edits or {})
        loaded = refuse_errors(inspect_written(folder))
        put = services.folders.put(read_folder(folder))
    with services.database.transaction() as connection:
        now = services.database.now(connection)
        kept = services.folders.record(connection, put, now)
        return sql.add_draft(connection, title=loaded.rules.title, folder=kept, now=now)


def list_drafts(services: Services) -> list[DraftRecord]:
    """List all drafts."""
    with services.database.reading() as connection:
        return sql.list_drafts(connection)


def read_draft(services: Services, draft_id: str) -> CheckedDraft:
    """Read a draft; raises `NotFoundError`."""
    with services.database.reading() as connection:
        record = sql.find_draft(connection, draft_id) if draft_id.isalnum() else None
    if record is None:
        raise NotFoundError("there is no such draft; it may have been published or discarded")
    found = inspect_folder(services.folders.check_out(record.folder))
    return CheckedDraft(record, refuse_errors(found), found.findings)


def change_draft(
    services: Services,
    record: DraftRecord,
    edits: Mapping[Key, TomlValue | None],
    *,
    files: Mapping[str, bytes | None] | None = None,
) -> DraftRecord:
    """Change values of its competition.toml, and other files; None removes one.

    Raises `CompetitionError` for what cannot be used together, and `ConflictError` where the draft is not as it was
    any more.
    """
    with services.folders.copy(record.folder) as folder:
        edit_rules(folder, edits)
        change_files(folder, files or {})
        loaded = refuse_errors(inspect_written(folder))
        changed = {name: (folder / name).read_bytes() for name in (FILE, SAMPLE)} | dict(files or {})
        put = services.folders.put(changed, base=record.folder)
    with services.database.transaction() as connection:
        now = services.database.now(connection)
        kept = services.folders.record(connection, put, now)
        if not sql.change_draft(connection, record, title=loaded.rules.title, folder=kept, now=now):
            raise ConflictError(CHANGED_MEANWHILE)
    return replace(record, title=loaded.rules.title, folder=kept, changed_at=now)


def discard_draft(services: Services, record: DraftRecord) -> None:
    """Remove a draft; raises `ConflictError` where it is not as it was any more."""
    with services.database.transaction() as connection:
        if not sql.remove_draft(connection, record):
            raise ConflictError(CHANGED_MEANWHILE)


def publish_draft(services: Services, record: DraftRecord, *, secret: bytes | None = None) -> LiveCompetition:
    """Make the draft a competition, with its commitment, and serve it; the draft is gone.

    Raises `ConflictError` where a question is open, the address is taken, or the draft is not as it was any more.
    """
    draft = read_draft(services, record.id)
    competition = draft.competition
    if draft.record.folder != record.folder:
        raise ConflictError(CHANGED_MEANWHILE)
    if draft.questions:
        raise ConflictError("a question is open; answer it first")
    with services.database.transaction() as connection:
        services.database.go_alone(connection, "enter")
        now = services.database.now(connection)
        if competitions.find_competition(connection, competition.slug) is not None:
            raise ConflictError(f"there is a competition with the address {competition.slug!r}; choose another one")
        if not sql.remove_draft(connection, record):
            raise ConflictError(CHANGED_MEANWHILE)
        made = secret or os.urandom(SECRET_BYTES)
        row = create(connection, services.files, competition, made, now, folder=record.folder)
    live = LiveCompetition(competition, row.secret, services.files, row.scoring_version)
    services.serve([live])
    return live


def edit_rules(folder: Path, edits: Mapping[Key, TomlValue | None]) -> None:
    """Write values to the competition.toml of a folder that may be changed."""
    text = (folder / FILE).read_text(encoding="utf-8")
    if ("", "metric") in edits:
        text = REASON.sub("# Chosen by the organiser.\n", text)
    (folder / FILE).write_text(set_values(text, edits), encoding="utf-8")


def _find_free_slug(services: Services, wish: str) -> str:
    """The wish, or with a number behind it where a competition has that address."""
    with services.database.reading() as connection:
        number, slug = 1, wish
        while competitions.find_competition(connection, slug) is not None:
            number += 1
            slug = f"{wish[:60].rstrip('-')}-{number}"
    return slug


def refuse_errors(found: Inspection) -> Competition:
    """The competition, where nothing but questions and warnings was found; raises `CompetitionError`."""
    if found.loaded is not None:
        return found.loaded
    errors = [one for one in found.findings if not one.is_warning]
    raise CompetitionError("this cannot be used as it is", errors)
