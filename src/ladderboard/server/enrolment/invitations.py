"""Invitations to a competition: personal links for the people on a list, or one link for many.

A link is shown once and kept as a hash. Opening it spends nothing; the form behind it does. Whoever holds an invitation
may make an account, whatever the server's rule for signing up is: a teacher vouches for them.
"""

from collections.abc import Sequence
from datetime import timedelta

from ladderboard.core.errors import ConflictError, ForbiddenError, NotFoundError, ParameterError
from ladderboard.core.networks import find_network
from ladderboard.server.db.database import Connection, Database
from ladderboard.server.db.rows import competitions, enrolments
from ladderboard.server.enrolment import sql
from ladderboard.server.enrolment.pasted_list import check_real_name
from ladderboard.server.enrolment.records import EnrolmentLink, EnrolmentLinkBody, Invitee
from ladderboard.server.enrolment.staff import refuse_conflict, refuse_staff
from ladderboard.server.people.accounts import HOUR, MINUTE, Accounts, count_use
from ladderboard.server.people.identities import hash_code, make_code
from ladderboard.server.people.names import normalize_name
from ladderboard.server.people.records import Account, GivenRole

LINK_PATH = "/invitation"
MOST_DAYS = 365
USUAL_DAYS = 30
MOST_OPEN = 10_000
"""Open invitations of one competition."""

NO_GOOD = "this invitation is wrong, used, revoked or expired; ask for a new one"


def invite_people(
    database: Database, slug: str, people: Sequence[Invitee], *, role: GivenRole, days: int = USUAL_DAYS
) -> list[tuple[str, EnrolmentLinkBody]]:
    """Make a personal invitation for each of these people; returns them with their codes, to be shown once.

    Whoever takes part already, or is invited already, by the same address, is left out.
    """
    return _add(database, slug, people, role=role, uses=1, days=days)


def make_open_link(
    database: Database, slug: str, *, uses: int | None = None, days: int = USUAL_DAYS
) -> tuple[str, EnrolmentLinkBody]:
    """Make a link with which everybody who has it can take part, ``uses`` times (None: without limit)."""
    if uses is not None and not 1 <= uses <= MOST_OPEN:
        raise ParameterError(f"{uses} people cannot be invited with one link; give a number from 1 to {MOST_OPEN:,}")
    [made] = _add(database, slug, [Invitee(None, None)], role="participant", uses=uses, days=days)
    return made


def list_links(database: Database, slug: str, *, limit: int, offset: int = 0) -> tuple[list[EnrolmentLinkBody], int]:
    """List the open invitations, newest first, and count all of them."""
    with database.reading() as connection:
        now = database.now(connection)
        found = sql.list_links(connection, slug, now, limit=limit, offset=offset)
        return found, sql.count_links(connection, slug, now)


def revoke_link(database: Database, slug: str, link_id: str) -> None:
    """Revoke an invitation; whoever has used it stays."""
    with database.transaction() as connection:
        if not sql.revoke_link(connection, slug, link_id):
            raise NotFoundError("there is no such open invitation")


def find_link(database: Database, code: str, *, address: str = "", most: int) -> EnrolmentLink:
    """Find the open invitation with this code; raises `NotFoundError`, `TooManyRequestsError`."""
    network = find_network(address)
    count_use(database, "invitation", network, most=most, window=MINUTE, doing="attempts with an invitation")
    with database.reading() as connection:
        return _find(connection, code, database)


def accept(people: Accounts, account: Account, code: str, *, real_name: str = "") -> str:
    """Take part with an account that exists; returns the competition. ``real_name``: where the link knows none."""
    with people.database.transaction() as connection:
        return _enrol(people.database, connection, account, code, real_name)


def sign_up_invited(
    people: Accounts, name: str, password: str, code: str, *, real_name: str = "", address: str = ""
) -> tuple[Account, str]:
    """Make an account and take part, both or neither; returns the account and the competition."""
    if not people.settings.password_sign_in:
        raise ForbiddenError("passwords are switched off here; sign in, then open the invitation again")
    spelled = normalize_name(name)
    most = people.settings.sign_ups_per_hour
    count_use(people.database, "sign-up", find_network(address), most=most, window=HOUR, doing="new accounts")
    hashed = people.passwords.hash(password, name=spelled)
    with people.database.transaction() as connection:
        account = people.insert(connection, spelled, hashed, role="participant")
        return account, _enrol(people.database, connection, account, code, real_name)


def _add(
    database: Database,
    slug: str,
    people: Sequence[Invitee],
    *,
    role: GivenRole,
    uses: int | None,
    days: int,
) -> list[tuple[str, EnrolmentLinkBody]]:
    if not 1 <= days <= MOST_DAYS:
        raise ParameterError(f"an invitation cannot last {days} days; give a number from 1 to {MOST_DAYS}")
    with database.transaction() as connection:
        competitions.get(connection, slug)
        competitions.hold(connection, slug)
        now = database.now(connection)
        known = sql.find_known_addresses(connection, slug, [one.address for one in people if one.address], now)
        wanted = [(make_code(), one) for one in people if one.address is None or one.address.lower() not in known]
        if not wanted:
            raise ConflictError("everybody on this list takes part already, or has an open invitation")
        sql.forget_links(connection, now)
        if sql.count_links(connection, slug, now) + len(wanted) > MOST_OPEN:
            raise ConflictError(f"there would be more than {MOST_OPEN:,} open invitations; revoke some first")
        hashes = [(hash_code(code), one) for code, one in wanted]
        until = now + timedelta(days=days)
        made = sql.add_links(connection, slug, hashes, role=role, uses=uses, now=now, until=until)
        return list(zip([code for code, _ in wanted], made, strict=True))


def _enrol(database: Database, connection: Connection, account: Account, code: str, real_name: str) -> str:
    link = _find(connection, code, database)
    competitions.hold(connection, link.competition)
    if link.real_name is None:
        real_name = check_real_name(real_name)
    if not sql.use_link(connection, link.id, database.now(connection)):
        raise NotFoundError(NO_GOOD)
    slug, role = link.competition, link.role
    refuse_conflict(connection, slug, account, role)
    if role == "participant":
        refuse_staff(account, enrolments.find_role(connection, slug, account.id))
    enrolments.enrol(connection, slug, account.id, role=role, now=database.now(connection))
    sql.name_enrolled(connection, slug, account.id, real_name=link.real_name or real_name, address=link.address)
    return slug


def _find(connection: Connection, code: str, database: Database) -> EnrolmentLink:
    link = sql.find_link(connection, hash_code(code), database.now(connection))
    if link is None:
        raise NotFoundError(NO_GOOD)
    return link
