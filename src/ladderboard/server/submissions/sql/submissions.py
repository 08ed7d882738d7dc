"""Recorded submissions as they are read: a team's own, and what it was told for them."""

from typing import Any

from sqlalchemy import Connection, Select, func, select, update

from ladderboard.server.db.columns import find_record, make_records, select_fields
from ladderboard.server.db.schema import accounts, submissions
from ladderboard.server.submissions.records import OwnSubmission, SubmissionOutcome

_OWN = select_fields(OwnSubmission, submissions)


def list_own(connection: Connection, team_id: str, *, offset: int, limit: int) -> list[OwnSubmission]:
    """List a part of a team's submissions, newest first."""
    mine = _OWN.where(submissions.c.team_id == team_id).order_by(submissions.c.number.desc())
    return make_records(OwnSubmission, connection.execute(mine.offset(offset).limit(limit)))


def count_own(connection: Connection, team_id: str) -> int:
    """Count a team's submissions."""
    mine = submissions.c.team_id == team_id
    return int(connection.scalar(select(func.count()).select_from(submissions).where(mine)) or 0)


def find_own(connection: Connection, team_id: str, submission_id: str) -> OwnSubmission | None:
    """Find the team's submission of that id; None also where it is another team's."""
    mine = (submissions.c.id == submission_id) & (submissions.c.team_id == team_id)
    return find_record(OwnSubmission, connection.execute(_OWN.where(mine)))


def change_note(connection: Connection, submission_id: str, note: str) -> None:
    """Replace a team's note on a submission."""
    connection.execute(update(submissions).where(submissions.c.id == submission_id).values(note=note))


def list_outcomes(connection: Connection, team_id: str, *, most: int) -> list[SubmissionOutcome]:
    """List the last outcomes of a team on the board, oldest first; late entries are not among them."""
    newest = _outcomes(team_id).limit(most)
    return list(reversed(make_records(SubmissionOutcome, connection.execute(newest))))


def find_outcome_before(connection: Connection, team_id: str, number: int) -> SubmissionOutcome | None:
    """Find the outcome of the team's submission before the one of this number."""
    before = _outcomes(team_id).where(submissions.c.number < number).limit(1)
    return find_record(SubmissionOutcome, connection.execute(before))


def count_up_to(connection: Connection, team_id: str, number: int) -> int:
    """Count the team's submissions up to this number: which one it is, 1, 2, …"""
    mine = (submissions.c.team_id == team_id) & (submissions.c.number <= number)
    return int(connection.scalar(select(func.count()).select_from(submissions).where(mine)) or 0)


def find_number(connection: Connection, submission_id: str) -> int:
    """Find the number on the board of a submission that is known to exist."""
    return int(connection.execute(select(submissions.c.number).where(submissions.c.id == submission_id)).scalar_one())


def find_own_number(connection: Connection, team_id: str, submission_id: str) -> int | None:
    """Find the number on the board of the team's submission of that id; None where it is another team's."""
    mine = (submissions.c.id == submission_id) & (submissions.c.team_id == team_id)
    return connection.scalar(select(submissions.c.number).where(mine))


def find_last_accept(connection: Connection, team_id: str, *, before: int) -> int | None:
    """Find the number of the team's last accepted entry in time before that number; None: there is none."""
    earlier = _outcomes(team_id).where(submissions.c.accepted, submissions.c.number < before).limit(1)
    found = find_record(SubmissionOutcome, connection.execute(earlier))
    return None if found is None else found.number


def list_improved(connection: Connection, team_id: str, *, before: int) -> list[SubmissionOutcome]:
    """List the team's improved entries in time before that number, newest first."""
    earlier = _outcomes(team_id).where(submissions.c.improved, submissions.c.number < before)
    return make_records(SubmissionOutcome, connection.execute(earlier))


def find_sender(connection: Connection, submission_id: str) -> str | None:
    """Find the name of the person who sent a submission; None for an organiser's baseline."""
    joined = select(accounts.c.name).join_from(submissions, accounts, submissions.c.account_id == accounts.c.id)
    return connection.scalar(joined.where(submissions.c.id == submission_id))


def _outcomes(team_id: str) -> Select[Any]:
    """A team's entries in time, newest first."""
    mine = (submissions.c.team_id == team_id) & (submissions.c.phase != "late")
    return select_fields(SubmissionOutcome, submissions).where(mine).order_by(submissions.c.number.desc())
