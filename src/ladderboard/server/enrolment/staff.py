"""Roles in one competition: given and taken by its teachers, effective with the next request."""

from ladderboard.core.errors import ConflictError, NotFoundError
from ladderboard.core.words import with_article
from ladderboard.server.db.database import Connection, Database
from ladderboard.server.db.rows import competitions, enrolments
from ladderboard.server.enrolment import sql
from ladderboard.server.enrolment.records import EnrolledBody
from ladderboard.server.people.accounts import find_account
from ladderboard.server.people.records import Account, CompetitionRole, GivenRole
from ladderboard.server.people.roles import STAFF


def list_enrolled(database: Database, slug: str, *, limit: int, offset: int = 0) -> tuple[list[EnrolledBody], int]:
    """List who has a role in a competition, the staff first, and count all of them."""
    with database.reading() as connection:
        competitions.get(connection, slug)
        found = sql.list_enrolled(connection, slug, limit=limit, offset=offset)
        return found, sql.count_enrolled(connection, slug)


def give_role(database: Database, slug: str, name: str, role: GivenRole, *, by_operator: bool = False) -> str:
    """Give somebody a role in a competition, in place of the one they have; returns the name as it is stored.

    Raises `ConflictError` where somebody would compete and see, or have seen, what competitors must not; the operator
    may undo a slip.
    """
    with database.transaction() as connection:
        competitions.get(connection, slug)
        competitions.hold(connection, slug)  # nobody joins a team meanwhile
        account = find_account(connection, name)
        refuse_conflict(connection, slug, account, role)
        if role == "participant" and not by_operator:
            refuse_staff(account, enrolments.find_role(connection, slug, account.id))
        enrolments.enrol(connection, slug, account.id, role=role, now=database.now(connection))
        return account.name


def take_role(database: Database, slug: str, name: str) -> str:
    """Take somebody's role in a competition away; a team and what it submitted stay. Returns the stored name.

    Whoever was on the staff is remembered as that, and does not compete afterwards.
    """
    with database.transaction() as connection:
        competitions.get(connection, slug)
        account = find_account(connection, name)
        held = enrolments.find_role(connection, slug, account.id)
        if held is None or held == "former":
            raise NotFoundError(f"{account.name!r} has no role in this competition")
        (enrolments.retire if held in STAFF else enrolments.dismiss)(connection, slug, account.id)
        return account.name


def refuse_staff(account: Account, held: CompetitionRole | None) -> None:
    """Raise `ConflictError` for somebody who is, or was, on the staff and would become a participant."""
    if held == "former":
        raise ConflictError(f"{account.name!r} helped to run this competition, and does not compete in it")
    if held in STAFF:
        raise ConflictError(f"{account.name!r} is {with_article(held)} of this competition, and does not compete in it")


def refuse_conflict(connection: Connection, slug: str, account: Account, role: GivenRole) -> None:
    """Raise `ConflictError` where an account cannot have a role. The caller holds the competition's row."""
    if account.role == "organiser":
        raise ConflictError(f"{account.name!r} is an organiser of this server, who teaches every competition already")
    if role in STAFF and sql.is_or_was_member(connection, slug, account.id):
        raise ConflictError(
            f"{account.name!r} has a team in this competition, and {with_article(role)} does not compete in it"
        )
