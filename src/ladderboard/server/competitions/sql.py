"""Rows of drafts."""

from datetime import datetime

from sqlalchemy import Connection, delete, insert, update

from ladderboard.server.competitions.records import DraftRecord
from ladderboard.server.db.columns import find_record, make_records, new_id, select_fields
from ladderboard.server.db.schema import drafts

_DRAFT = select_fields(DraftRecord, drafts)


def add_draft(connection: Connection, *, title: str, folder: str, now: datetime) -> DraftRecord:
    """Add a draft."""
    draft = DraftRecord(new_id(now), title, folder, now)
    connection.execute(insert(drafts), vars(draft))
    return draft


def find_draft(connection: Connection, draft_id: str) -> DraftRecord | None:
    """Find a draft."""
    return find_record(DraftRecord, connection.execute(_DRAFT.where(drafts.c.id == draft_id)))


def list_drafts(connection: Connection) -> list[DraftRecord]:
    """List all drafts, the one that was changed last first."""
    return make_records(DraftRecord, connection.execute(_DRAFT.order_by(drafts.c.changed_at.desc())))


def change_draft(connection: Connection, draft: DraftRecord, *, title: str, folder: str, now: datetime) -> bool:
    """Change a draft; False where it is not as it was any more."""
    same = (drafts.c.id == draft.id) & (drafts.c.folder == draft.folder)
    changed = update(drafts).where(same).values(title=title, folder=folder, changed_at=now)
    return connection.execute(changed).rowcount == 1


def remove_draft(connection: Connection, draft: DraftRecord) -> bool:
    """Remove a draft; False where it is not as it was any more."""
    same = (drafts.c.id == draft.id) & (drafts.c.folder == draft.folder)
    return connection.execute(delete(drafts).where(same)).rowcount == 1
