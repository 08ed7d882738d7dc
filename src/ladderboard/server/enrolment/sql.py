"""People with a role in a competition, and open invitations to it."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, delete, func, insert, or_, select, update

from ladderboard.server.db.columns import find_record, make_records, new_id
from ladderboard.server.db.schema import accounts, enrolment_links, enrolments, members, teams
from ladderboard.server.enrolment.records import EnrolledBody, EnrolmentLink, EnrolmentLinkBody, Invitee
from ladderboard.server.people.records import GivenRole

_ORDER = case({"teacher": 0, "assistant": 1, "reader": 2}, value=enrolments.c.role, else_=3)


def list_enrolled(connection: Connection, slug: str, *, limit: int, offset: int = 0) -> list[EnrolledBody]:
    """List who has a role, the staff first, by name."""
    inside = and_(
        members.c.competition == enrolments.c.competition,
        members.c.account_id == enrolments.c.account_id,
        members.c.left_at.is_(None),
    )
    rows = connection.execute(
        select(
            accounts.c.name,
            enrolments.c.role,
            enrolments.c.real_name,
            enrolments.c.address,
            teams.c.name.label("team"),
            enrolments.c.enrolled_at,
        )
        .join_from(enrolments, accounts, enrolments.c.account_id == accounts.c.id)
        .outerjoin(members, inside)
        .outerjoin(teams, members.c.team_id == teams.c.id)
        .where(enrolments.c.competition == slug)
        .order_by(_ORDER, func.coalesce(enrolments.c.real_name, accounts.c.name), accounts.c.name_key)
        .limit(limit)
        .offset(offset)
    )
    return make_records(EnrolledBody, rows)


def count_enrolled(connection: Connection, slug: str) -> int:
    """Count who has a role."""
    mine = select(func.count()).select_from(enrolments).where(enrolments.c.competition == slug)
    return int(connection.scalar(mine) or 0)


def is_or_was_member(connection: Connection, slug: str, account_id: str) -> bool:
    """Whether somebody is, or was, in a team of the competition."""
    mine = (members.c.competition == slug) & (members.c.account_id == account_id)
    return connection.scalar(select(members.c.team_id).where(mine)) is not None


def name_enrolled(
    connection: Connection, slug: str, account_id: str, *, real_name: str | None, address: str | None
) -> None:
    """Write down who an enrolled person is, as far as the invitation said."""
    given = {key: value for key, value in (("real_name", real_name), ("address", address)) if value is not None}
    mine = (enrolments.c.competition == slug) & (enrolments.c.account_id == account_id)
    if given:
        connection.execute(update(enrolments).where(mine).values(given))


# -- links ------------------------------------------------------------------------------------------------------------


def add_links(
    connection: Connection,
    slug: str,
    wanted: Sequence[tuple[str, Invitee]],
    *,
    role: GivenRole,
    uses: int | None,
    now: datetime,
    until: datetime,
) -> list[EnrolmentLinkBody]:
    """Add an invitation for each pair of a code's hash and a person."""
    rows = [
        {
            "id": new_id(now),
            "competition": slug,
            "code_hash": code_hash,
            "role": role,
            "real_name": one.name,
            "address": one.address,
            "uses_left": uses,
            "created_at": now,
            "expires_at": until,
        }
        for code_hash, one in wanted
    ]
    connection.execute(insert(enrolment_links), rows)
    return [
        EnrolmentLinkBody(row["id"], role, row["real_name"], row["address"], uses, now, until)  # type: ignore[arg-type]
        for row in rows
    ]


def find_link(connection: Connection, code_hash: str, now: datetime) -> EnrolmentLink | None:
    """Find the invitation with this code, if it can still be used."""
    wanted = select(enrolment_links).where((enrolment_links.c.code_hash == code_hash) & _is_open(now))
    return find_record(EnrolmentLink, connection.execute(wanted))


def use_link(connection: Connection, link_id: str, now: datetime) -> bool:
    """Spend one use of an invitation, which is deleted with the last one; False if none is left."""
    open_one = (enrolment_links.c.id == link_id) & _is_open(now)
    spent = update(enrolment_links).where(open_one).values(uses_left=enrolment_links.c.uses_left - 1)
    is_spent = connection.execute(spent).rowcount == 1
    connection.execute(delete(enrolment_links).where(enrolment_links.c.id == link_id, enrolment_links.c.uses_left == 0))
    return is_spent


def list_links(
    connection: Connection, slug: str, now: datetime, *, limit: int, offset: int = 0
) -> list[EnrolmentLinkBody]:
    """List the invitations that can still be used, newest first."""
    mine = (enrolment_links.c.competition == slug) & _is_open(now)
    rows = connection.execute(
        select(enrolment_links).where(mine).order_by(enrolment_links.c.id.desc()).limit(limit).offset(offset)
    )
    return make_records(EnrolmentLinkBody, rows)


def count_links(connection: Connection, slug: str, now: datetime) -> int:
    """Count the invitations that can still be used."""
    mine = (enrolment_links.c.competition == slug) & _is_open(now)
    return int(connection.scalar(select(func.count()).select_from(enrolment_links).where(mine)) or 0)


def revoke_link(connection: Connection, slug: str, link_id: str) -> bool:
    """Delete an invitation; False if the competition has no such one."""
    mine = (enrolment_links.c.competition == slug) & (enrolment_links.c.id == link_id)
    return connection.execute(delete(enrolment_links).where(mine)).rowcount == 1


def forget_links(connection: Connection, now: datetime) -> None:
    """Delete the invitations that nobody can use any more, with the names in them."""
    connection.execute(delete(enrolment_links).where(~_is_open(now)))


def find_known_addresses(connection: Connection, slug: str, addresses: Collection[str], now: datetime) -> set[str]:
    """Find those of these addresses that take part, or are invited already. Case makes no difference."""
    found: set[str] = set()
    given = sorted({address.lower() for address in addresses})
    for start in range(0, len(given), AT_ONCE):
        part = given[start : start + AT_ONCE]
        enrolled = (enrolments.c.competition == slug) & func.lower(enrolments.c.address).in_(part)
        invited = (
            (enrolment_links.c.competition == slug) & func.lower(enrolment_links.c.address).in_(part) & _is_open(now)
        )
        found |= set(connection.scalars(select(func.lower(enrolments.c.address)).where(enrolled)))
        found |= set(connection.scalars(select(func.lower(enrolment_links.c.address)).where(invited)))
    return found


AT_ONCE = 500


def _is_open(now: datetime) -> ColumnElement[bool]:
    left: Any = or_(enrolment_links.c.uses_left.is_(None), enrolment_links.c.uses_left > 0)
    is_open: ColumnElement[bool] = and_(left, enrolment_links.c.expires_at > now)
    return is_open
