"""Whole tables of a competition for the organiser's export, read in pages so that none is in memory at once."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Connection, Select, case, func, select, type_coerce

from ladderboard.server.db.columns import Record, make_record, make_records
from ladderboard.server.db.schema import (
    accounts,
    enrolments,
    flags,
    instances,
    jobs,
    members,
    rescored,
    submissions,
    teams,
)
from ladderboard.server.operations.records import (
    ExportedFlag,
    ExportedMember,
    ExportedRelease,
    ExportedStanding,
    ExportedSubmission,
    GradedMember,
)
from ladderboard.server.teams.records import TeamRecord

AT_ONCE = 1000


def read_graded(connection: Connection, slug: str) -> Iterator[GradedMember]:
    """Read the members of teams who have not left, by team and name, then the participants without a team."""
    is_inside = (members.c.competition == slug) & members.c.left_at.is_(None)
    enrolled = (enrolments.c.competition == slug) & (enrolments.c.account_id == accounts.c.id)
    names = (accounts.c.name.label("person"), enrolments.c.real_name, enrolments.c.address)
    wanted = (
        select(
            *names,
            teams.c.name.label("team"),
            teams.c.id.label("team_id"),
            teams.c.status,
            teams.c.attempts,
            teams.c.board_value,
        )
        .join_from(members, accounts, members.c.account_id == accounts.c.id)
        .join(teams, members.c.team_id == teams.c.id)
        .outerjoin(enrolments, enrolled)
        .where(is_inside)
        .order_by(teams.c.name_key, accounts.c.name_key)
    )
    yield from (make_record(GradedMember, row) for row in connection.execute(wanted))
    alone = (
        select(*names)
        .join_from(enrolments, accounts, enrolled)
        .where(enrolments.c.role == "participant", accounts.c.id.not_in(select(members.c.account_id).where(is_inside)))
        .order_by(enrolments.c.real_name, accounts.c.name_key)
    )
    yield from (GradedMember(*row) for row in connection.execute(alone))


def find_teams(connection: Connection, submission_ids: Sequence[str]) -> dict[str, str]:
    """Submission → the id of its team."""
    found: dict[str, str] = {}
    for start in range(0, len(submission_ids), AT_ONCE):
        part = list(submission_ids[start : start + AT_ONCE])
        rows = connection.execute(select(submissions.c.id, submissions.c.team_id).where(submissions.c.id.in_(part)))
        found |= {row.id: row.team_id for row in rows}
    return found


def read_teams(connection: Connection, slug: str) -> Iterator[TeamRecord]:
    """Read every team, hidden ones included, by id."""
    wanted = select(teams).where(teams.c.competition == slug)
    yield from _read_pages(connection, TeamRecord, wanted, teams.c.id)


def read_members(connection: Connection, slug: str) -> Iterator[ExportedMember]:
    """Read who is, or was, in which team."""
    wanted = (
        select(members.c.account_id, accounts.c.name, members.c.team_id, members.c.joined_at, members.c.left_at)
        .join_from(members, accounts, members.c.account_id == accounts.c.id)
        .where(members.c.competition == slug)
    )
    yield from _read_pages(connection, ExportedMember, wanted, members.c.account_id)


def read_standings(connection: Connection, slug: str) -> Iterator[ExportedStanding]:
    """Read the public board in its order; a board that shows no scores has no row."""
    shown = (teams.c.competition == slug) & (teams.c.status == "active") & teams.c.board_order.is_not(None)
    # Among teams alone, without a join: that one looked through all ranks for every team.
    rank = func.rank().over(partition_by=teams.c.kind, order_by=teams.c.board_order)
    wanted = (
        select(case((teams.c.kind == "team", rank)).label("rank"), teams)
        .where(shown)
        .order_by(teams.c.board_order, teams.c.last_improvement, teams.c.id)
    )
    yield from (make_record(ExportedStanding, row) for row in connection.execute(wanted))


def read_submissions(connection: Connection, slug: str) -> Iterator[ExportedSubmission]:
    """Read every submission in the order of the board."""
    wanted = (
        select(submissions, teams.c.name.label("team"), accounts.c.name.label("sender"))
        .join_from(submissions, teams, submissions.c.team_id == teams.c.id)
        .outerjoin(accounts, submissions.c.account_id == accounts.c.id)
        .where(submissions.c.competition == slug)
    )
    yield from _read_pages(connection, ExportedSubmission, wanted, submissions.c.number, first=0)


def read_rescored(connection: Connection, slug: str) -> Iterator[ExportedRelease]:
    """Read the releases of other scoring versions."""
    wanted = (
        select(submissions.c.number, rescored)
        .join_from(rescored, submissions, rescored.c.submission_id == submissions.c.id)
        .where(submissions.c.competition == slug)
        .order_by(submissions.c.number, rescored.c.scoring_version)
    )
    rows = connection.execution_options(yield_per=AT_ONCE).execute(wanted)
    yield from (make_record(ExportedRelease, row) for row in rows)


def read_flags(connection: Connection, slug: str) -> Iterator[ExportedFlag]:
    """Read every flag."""
    wanted = (
        select(flags, teams.c.name.label("team"))
        .join_from(flags, teams, flags.c.team_id == teams.c.id)
        .where(flags.c.competition == slug)
    )
    yield from _read_pages(connection, ExportedFlag, wanted, flags.c.id)


def _read_pages(
    connection: Connection, kind: type[Record], wanted: Select[Any], key: Any, *, first: Any = ""
) -> Iterator[Record]:
    """Read rows in the order of a unique key, a page at a time."""
    after = first
    while True:
        page = connection.execute(wanted.where(key > after).order_by(key).limit(AT_ONCE)).all()
        yield from make_records(kind, page)
        if len(page) < AT_ONCE:
            return
        after = getattr(page[-1], key.name)


def count_active(connection: Connection, slug: str) -> int:
    """Count the teams that may submit."""
    is_active = (teams.c.competition == slug) & (teams.c.status == "active") & (teams.c.kind == "team")
    return int(connection.scalar(select(func.count()).select_from(teams).where(is_active)) or 0)


def count_open(connection: Connection, slug: str) -> int:
    """Count the flags that are not dismissed."""
    is_open = (flags.c.competition == slug) & flags.c.dismissed_at.is_(None)
    return int(connection.scalar(select(func.count()).select_from(flags).where(is_open)) or 0)


def count_people(connection: Connection, slug: str) -> int:
    """Count the people who are in a team."""
    is_in = (members.c.competition == slug) & members.c.left_at.is_(None)
    return int(connection.scalar(select(func.count()).select_from(members).where(is_in)) or 0)


def find_last_submission(connection: Connection, slug: str) -> datetime | None:
    """Find when the last submission arrived; None where there is none."""
    found: datetime | None = connection.scalar(
        select(func.max(submissions.c.received_at)).where(submissions.c.competition == slug)
    )
    return found


def count_failed_jobs(connection: Connection, slug: str) -> int:
    """Count the queued submissions that could not be scored."""
    has_failed = (jobs.c.competition == slug) & (jobs.c.status == "failed")
    return int(connection.scalar(select(func.count()).select_from(jobs).where(has_failed)) or 0)


HOUR_MICROSECONDS = 3_600_000_000


def count_by_hour(connection: Connection, slug: str, *, since: datetime) -> list[tuple[int, int]]:
    """Count submissions by hour: (hours since 1970, number), in order; hours without any are left out."""
    hour = type_coerce(submissions.c.received_at, BigInteger) // HOUR_MICROSECONDS
    wanted = (submissions.c.competition == slug) & (submissions.c.received_at >= since)
    grouped = select(hour.label("hour"), func.count()).where(wanted).group_by(hour).order_by(hour)
    return [(int(begins), int(number)) for begins, number in connection.execute(grouped)]


def read_largest_bits(connection: Connection, slug: str) -> float:
    """Read the bits that the mechanism's most informed memory has released."""
    return float(connection.scalar(select(func.max(instances.c.bits)).where(instances.c.competition == slug)) or 0.0)
