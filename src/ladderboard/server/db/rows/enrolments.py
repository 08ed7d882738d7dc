"""The rows of people's roles in competitions, and the names and addresses that staff see."""

from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, select, update

from ladderboard.server.db.columns import insert_or_keep
from ladderboard.server.db.schema import enrolments
from ladderboard.server.people.records import CompetitionRole


def list_roles(connection: Connection, account_id: str) -> dict[str, CompetitionRole]:
    """Competition → what a person is there."""
    mine = select(enrolments.c.competition, enrolments.c.role).where(enrolments.c.account_id == account_id)
    return {row.competition: row.role for row in connection.execute(mine)}


def find_role(connection: Connection, slug: str, account_id: str) -> CompetitionRole | None:
    """Find what a person is in a competition."""
    role: CompetitionRole | None = connection.scalar(select(enrolments.c.role).where(_is(slug, account_id)))
    return role


def enrol(connection: Connection, slug: str, account_id: str, *, role: CompetitionRole, now: datetime) -> None:
    """Give a person a role in a competition, in place of the one they have."""
    if not insert_or_keep(connection, enrolments, competition=slug, account_id=account_id, role=role, enrolled_at=now):
        connection.execute(update(enrolments).where(_is(slug, account_id)).values(role=role))


def retire(connection: Connection, slug: str, account_id: str) -> None:
    """Make a person on the staff a former one: without a name and an address, and without a way to compete."""
    emptied = {"role": "former", "real_name": None, "address": None}
    connection.execute(update(enrolments).where(_is(slug, account_id)).values(emptied))


def dismiss(connection: Connection, slug: str, account_id: str) -> None:
    """Forget a participant's role in a competition."""
    connection.execute(delete(enrolments).where(_is(slug, account_id)))


def _is(slug: str, account_id: str) -> ColumnElement[bool]:
    return (enrolments.c.competition == slug) & (enrolments.c.account_id == account_id)
