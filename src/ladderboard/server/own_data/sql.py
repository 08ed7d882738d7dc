"""Everything that is kept about one account, and what remains when it goes."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, Table, bindparam, delete, func, select, update

from ladderboard.server.db.schema import (
    accounts,
    enrolment_links,
    enrolments,
    invitations,
    jobs,
    linked_identities,
    members,
    reset_codes,
    sessions,
    submissions,
    teams,
    tokens,
)

AT_ONCE = 500
KNOWN_ENDINGS = (
    ".csv.gz", ".csv", ".tsv", ".txt", ".parquet", ".json", ".jsonl", ".npy", ".npz", ".zip", ".tar", ".gz",
)  # fmt: skip


def find_account(connection: Connection, account_id: str) -> dict[str, Any]:
    """The account itself, without its password's hash."""
    mine = select(accounts).where(accounts.c.id == account_id)
    row = connection.execute(mine).one()._mapping
    return {name: row[name] for name in ("id", "name", "role", "created_at", "disabled_at")}


def list_tables(connection: Connection, account_id: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The other tables with something about the account, without secrets, by the name of each."""
    chosen: dict[str, tuple[Column[Any], ...]] = {
        "sessions": (sessions.c.created_at, sessions.c.expires_at, sessions.c.ended_at),
        "tokens": tuple(tokens.c[name] for name in _TOKEN),
        "linked_identities": tuple(linked_identities.c[name] for name in _IDENTITY),
        "enrolments": tuple(enrolments.c[name] for name in _ENROLMENT),
    }
    for name, columns in chosen.items():
        mine = select(*columns).where(columns[0].table.c.account_id == account_id)
        yield name, [dict(row._mapping) for row in connection.execute(mine)]
    joined = select(members.c.competition, teams.c.name.label("team"), members.c.joined_at, members.c.left_at)
    joined = joined.join_from(members, teams, members.c.team_id == teams.c.id).where(members.c.account_id == account_id)
    yield "memberships", [dict(row._mapping) for row in connection.execute(joined)]


_TOKEN = ("name", "scopes", "created_at", "expires_at", "last_used_at", "revoked_at")
_IDENTITY = ("issuer", "subject", "created_at", "last_used_at")
_ENROLMENT = ("competition", "role", "real_name", "address", "enrolled_at")
_SUBMISSION = (
    "competition", "number", "phase", "received_at", "file_name", "file_size", "file_digest", "note", "training_score",
    "release",
)  # fmt: skip


def read_submissions(connection: Connection, account_id: str) -> Iterator[dict[str, Any]]:
    """What the account has submitted, in pages, so that none of it is in memory at once."""
    columns = (submissions.c.id, *(submissions.c[name] for name in _SUBMISSION))
    page = (
        select(*columns)
        .where(submissions.c.account_id == account_id, submissions.c.id > bindparam("after"))
        .order_by(submissions.c.id)
        .limit(AT_ONCE)
    )
    after = ""
    while rows := connection.execute(page, {"after": after}).all():
        yield from ({name: row._mapping[name] for name in _SUBMISSION} for row in rows)
        after = rows[-1].id


def list_teams(connection: Connection, account_id: str) -> list[tuple[str, str]]:
    """The teams that the account is in now, with their competitions, in an order in which rows may be locked."""
    mine = (members.c.account_id == account_id) & members.c.left_at.is_(None)
    rows = connection.execute(select(members.c.competition, members.c.team_id).where(mine).order_by("competition"))
    return [(row.competition, row.team_id) for row in rows]


def leave(connection: Connection, slug: str, account_id: str, now: datetime) -> None:
    """End a membership; its row stays, with the id of an account that says nothing any more."""
    mine = (members.c.competition == slug) & (members.c.account_id == account_id)
    connection.execute(update(members).where(mine).values(left_at=now))


def has_other_organiser(connection: Connection, account_id: str) -> bool:
    """Whether somebody else can organise this server."""
    others = (accounts.c.role == "organiser") & accounts.c.disabled_at.is_(None) & (accounts.c.id != account_id)
    return connection.scalar(select(func.count()).select_from(accounts).where(others)) != 0


def erase(connection: Connection, account_id: str, now: datetime) -> None:
    """Delete or empty everything that says who the account was; its row stays, because others refer to it."""
    addresses = select(func.lower(enrolments.c.address)).where(enrolments.c.account_id == account_id)
    connection.execute(delete(enrolment_links).where(func.lower(enrolment_links.c.address).in_(addresses)))
    for table in (sessions, tokens, linked_identities, reset_codes, enrolments):
        connection.execute(delete(table).where(table.c.account_id == account_id))
    open_ones = (invitations.c.created_by == account_id) & invitations.c.used_at.is_(None)
    connection.execute(update(invitations).where(open_ones).values(revoked_at=now))
    for table in (submissions, jobs):
        _forget_sender(connection, table, account_id)
    gone = f"deleted-{account_id}"
    emptied = {"name": gone, "name_key": gone, "password_hash": "", "role": "participant", "disabled_at": now}
    connection.execute(update(accounts).where(accounts.c.id == account_id).values(emptied))


def has_pending_job(connection: Connection, account_id: str) -> bool:
    """Whether a submission of the account is in the queue, where its file's name says how it is read."""
    mine = (jobs.c.account_id == account_id) & jobs.c.finished_at.is_(None)
    return connection.scalar(select(jobs.c.id).where(mine).limit(1)) is not None


def _forget_sender(connection: Connection, table: Table, account_id: str) -> None:
    """Empty notes and names of files, which people wrote; an ending that we know says how the file is opened."""
    rows = connection.execute(select(table.c.id, table.c.file_name).where(table.c.account_id == account_id)).all()
    for row in rows:
        ending = next((one for one in KNOWN_ENDINGS if row.file_name.lower().endswith(one)), "")
        values = {"account_id": None, "note": "", "file_name": f"file{ending}"}
        connection.execute(update(table).where(table.c.id == row.id).values(values))
