"""The rows of jobs. Whoever changes one holds its competition's row, but for taking it up and renewing a lease."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Integer, String, case, func, insert, literal, select, tuple_, update

from ladderboard.server.db.columns import find_record, make_records, select_fields
from ladderboard.server.db.schema import files, idempotency, jobs, teams
from ladderboard.server.jobs.records import JobRecord

_JOB = select_fields(JobRecord, jobs)
_IS_PENDING = jobs.c.status.in_(("received", "scoring"))
LAST = 20
"""How many finished jobs say how long the next one takes."""


def add(connection: Connection, job: JobRecord) -> None:
    """Add a job."""
    connection.execute(insert(jobs), vars(job))


def find(connection: Connection, job_id: str) -> JobRecord | None:
    """Find a job."""
    return find_record(JobRecord, connection.execute(_JOB.where(jobs.c.id == job_id)))


def find_own(connection: Connection, team_id: str, job_id: str) -> JobRecord | None:
    """Find the team's job of that id; None also where it is another team's."""
    return find_record(JobRecord, connection.execute(_JOB.where(jobs.c.id == job_id, jobs.c.team_id == team_id)))


def find_same(connection: Connection, team_id: str, phase: str, fingerprint: str) -> JobRecord | None:
    """Find the team's waiting job with the same predictions."""
    is_same = (jobs.c.team_id == team_id) & (jobs.c.phase == phase) & (jobs.c.fingerprint == fingerprint)
    return find_record(JobRecord, connection.execute(_JOB.where(is_same, _IS_PENDING).limit(1)))


def list_unscored(connection: Connection, team_id: str, *, most: int) -> list[JobRecord]:
    """List the team's jobs that wait or have failed, newest first."""
    mine = _JOB.where(jobs.c.team_id == team_id, jobs.c.status != "scored")
    return make_records(JobRecord, connection.execute(mine.order_by(jobs.c.received_at.desc()).limit(most)))


def list_of(connection: Connection, slug: str, *, offset: int, limit: int) -> list[tuple[JobRecord, str]]:
    """List a part of a competition's jobs with the names of their teams: first those that wait, then the newest."""
    is_over = case((_IS_PENDING, 0), else_=1)
    waits_since = case((_IS_PENDING, jobs.c.received_at), else_=None)
    ordered = (
        select(*_JOB.selected_columns, teams.c.name.label("team_name"))
        .join_from(jobs, teams, teams.c.id == jobs.c.team_id)
        .where(jobs.c.competition == slug)
        .order_by(is_over, waits_since, jobs.c.received_at.desc(), jobs.c.id)
        .offset(offset)
        .limit(limit)
    )
    rows = connection.execute(ordered).all()
    return [(job, str(row.team_name)) for job, row in zip(make_records(JobRecord, rows), rows, strict=True)]


def count_of(connection: Connection, slug: str) -> int:
    """Count a competition's jobs."""
    return int(connection.scalar(select(func.count()).select_from(jobs).where(jobs.c.competition == slug)) or 0)


def count_in_time(connection: Connection, slug: str) -> int:
    """Count a competition's jobs that wait or are being scored; late ones change no board."""
    counted = select(func.count()).select_from(jobs).where(jobs.c.competition == slug, jobs.c.phase != "late")
    return int(connection.scalar(counted.where(_IS_PENDING)) or 0)


def count_pending_of(connection: Connection, team_ids: Collection[str]) -> int:
    """Count the jobs of these teams that wait or are being scored."""
    counted = select(func.count()).select_from(jobs).where(jobs.c.team_id.in_(list(team_ids)), _IS_PENDING)
    return int(connection.scalar(counted) or 0)


def count_since(connection: Connection, team_id: str, since: datetime) -> int:
    """Count the jobs that the team has sent since then, whatever became of them."""
    counted = select(func.count()).select_from(jobs).where(jobs.c.team_id == team_id, jobs.c.received_at >= since)
    return int(connection.scalar(counted) or 0)


def sum_bytes(connection: Connection, team_id: str) -> int:
    """Sum up the sizes of the files that a team has sent to the queue, and of what its programs wrote."""
    logs, outputs = files.alias("logs"), files.alias("outputs")
    size = jobs.c.file_size + func.coalesce(logs.c.size, 0) + func.coalesce(outputs.c.size, 0)
    held = jobs.outerjoin(logs, logs.c.digest == jobs.c.log_digest).outerjoin(
        outputs, outputs.c.digest == jobs.c.output_digest
    )
    return int(connection.scalar(select(func.sum(size)).select_from(held).where(jobs.c.team_id == team_id)) or 0)


def find_place(connection: Connection, job: JobRecord) -> int:
    """Find the place of a pending job: teams take turns, so another team goes before it as often as its own does."""
    is_before = tuple_(jobs.c.received_at, jobs.c.id) <= tuple_(
        literal(job.received_at, jobs.c.received_at.type), literal(job.id, String)
    )
    own = select(func.count()).select_from(jobs).where(jobs.c.team_id == job.team_id, _IS_PENDING, is_before)
    turns = int(connection.scalar(own) or 1)
    waiting = func.count().label("waiting")
    others = select(waiting).where(jobs.c.team_id != job.team_id, _IS_PENDING).group_by(jobs.c.team_id).subquery()
    fewer = case((others.c.waiting < turns, others.c.waiting), else_=literal(turns, Integer))
    return turns + int(connection.scalar(select(func.sum(fewer))) or 0)


def list_durations(connection: Connection, slug: str) -> Sequence[timedelta]:
    """List how long the competition's last scored jobs took."""
    last = select(jobs.c.begun_at, jobs.c.finished_at).where(jobs.c.competition == slug, jobs.c.status == "scored")
    rows = connection.execute(last.order_by(jobs.c.received_at.desc()).limit(LAST)).all()
    return [row.finished_at - row.begun_at for row in rows if row.begun_at is not None]


# -- taking up ------------------------------------------------------------------------------------------------------


def find_next(connection: Connection, slugs: Collection[str], now: datetime) -> JobRecord | None:
    """Find the job to take up next: of each team its oldest, of the teams the one whose last turn is longest ago."""
    earlier, turns = jobs.alias("earlier"), jobs.alias("turns")
    is_blocked = (
        select(literal(1))
        .where(
            earlier.c.team_id == jobs.c.team_id,
            earlier.c.status.in_(("received", "scoring")),
            tuple_(earlier.c.received_at, earlier.c.id) < tuple_(jobs.c.received_at, jobs.c.id),
        )
        .exists()
    )
    last_turn = select(func.max(turns.c.begun_at)).where(turns.c.team_id == jobs.c.team_id).scalar_subquery()
    found = (
        _JOB.where(_IS_PENDING, jobs.c.due_at <= now, jobs.c.competition.in_(list(slugs)), ~is_blocked)
        .order_by(last_turn.asc().nulls_first(), jobs.c.received_at, jobs.c.id)
        .limit(1)
    )
    return find_record(JobRecord, connection.execute(found))


def change(connection: Connection, job_id: str, **values: Any) -> None:
    """Set columns of a job."""
    connection.execute(update(jobs).where(jobs.c.id == job_id).values(**values))


def change_leased(connection: Connection, job_id: str, held_with: str, **values: Any) -> bool:
    """Set columns of a job that is still ours; returns whether it was."""
    is_ours = (jobs.c.id == job_id) & (jobs.c.lease == held_with) & (jobs.c.status == "scoring")
    return connection.execute(update(jobs).where(is_ours).values(**values)).rowcount == 1


def keep_answer(connection: Connection, job: JobRecord, status: int, answer: dict[str, Any]) -> None:
    """Let the key of the request that brought the job answer with what became of it."""
    if job.request_key is not None:
        is_bound = (idempotency.c.team_id == job.team_id) & (idempotency.c.key == job.request_key)
        connection.execute(update(idempotency).where(is_bound).values(status=status, answer=answer))
