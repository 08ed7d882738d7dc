"""The queue of submissions that take long to score: what is taken in, where it stands, and what became of it.

    received ── taken up, with a lease ──▶ scoring ── recorded ──▶ scored
       ▲                                     ├── the file's fault, or a program's ──▶ failed
       └── the lease ended, or our fault ────┘

An attempt is counted in the transaction that takes a submission in, so that no two requests use the same one, and
given back where the fault is not the team's. A job is finished by whoever has its lease, in the transaction that
records the submission: a server that was thought dead finds its lease gone, and records nothing.
"""

import math
from dataclasses import replace
from datetime import datetime, timedelta
from statistics import fmean
from typing import Any

from ladderboard.core.errors import ConflictError, NotFoundError, QuotaExceededError
from ladderboard.core.words import pluralise
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection
from ladderboard.server.db.rows import ledger, teams
from ladderboard.server.jobs import sql
from ladderboard.server.jobs.records import JobBody, JobRecord, LeaseLostError, QueuePlace
from ladderboard.server.submissions.eligibility import compute_quota
from ladderboard.server.submissions.records import QUEUED, Answer, EntryKind, IncomingSubmission
from ladderboard.server.teams.records import QuotaBody, TeamRecord

MEBIBYTE = 1 << 20
CREATED = 201


def take_in(
    connection: Connection,
    live: LiveCompetition,
    incoming: IncomingSubmission,
    team: TeamRecord,
    *,
    job_id: str,
    kind: EntryKind,
    file_digest: str,
    fingerprint: str,
    now: datetime,
    most_bytes: int,
) -> JobRecord:
    """Add a job and count its attempt; the caller has checked that there is one left, and holds the competition."""
    _refuse_full(connection, team, len(incoming.content), most=most_bytes)
    live.files.record(connection, file_digest, incoming.content, now)
    quota = compute_quota(live, team, incoming.received_at)
    values: dict[str, Any] = {"last_submitted_at": incoming.received_at}
    if kind != "baseline":
        values |= {"quota_day": quota.day, "quota_used": quota.used_today + 1}
    if kind != "late":
        values["queued"] = team.queued + 1
    teams.change(connection, team.id, **values)
    job = JobRecord(
        id=job_id,
        competition=live.slug,
        team_id=team.id,
        account_id=incoming.account_id,
        phase=kind,
        received_at=incoming.received_at,
        file_digest=file_digest,
        file_name=incoming.file_name,
        file_size=len(incoming.content),
        note=incoming.note,
        training_score=incoming.training_score,
        fingerprint=fingerprint,
        request_key=incoming.idempotency_key,
        quota_day=None if kind == "baseline" else quota.day,
        status="received",
        tries=0,
        due_at=now,
        lease=None,
        begun_at=None,
        finished_at=None,
        log_digest=None,
        output_digest=None,
        answer=None,
        failure=None,
        report=None,
    )
    sql.add(connection, job)
    return job


def refuse_more_runs(connection: Connection, live: LiveCompetition, incoming: IncomingSubmission) -> None:
    """Raise `QuotaExceededError` where a team has sent all programs that it may on one day, failed ones too."""
    code = live.rules.code
    if code is None or code.runs_per_day is None or incoming.is_baseline:
        return
    begins = live.begin_of_day(incoming.received_at)
    if sql.count_since(connection, incoming.team_id, begins) >= code.runs_per_day:
        ends = begins + timedelta(days=1)
        raise QuotaExceededError(
            f"your team has sent {code.runs_per_day} programs today, as many as are run in a day; the next day starts "
            f"at {ends.isoformat()}",
            retry_after=max(1, int((ends - incoming.received_at).total_seconds()) + 1),
        )


def _refuse_full(connection: Connection, team: TeamRecord, size: int, *, most: int) -> None:
    used = sql.sum_bytes(connection, team.id)
    if used + size > most:
        raise ConflictError(
            f"this file has {_write_size(size)}, and your team's files have {_write_size(used)} of the "
            f"{_write_size(most)} they may have on this server; ask its organiser for more"
        )


def _write_size(size: int) -> str:
    return f"{size / MEBIBYTE:,.1f} MB"


# -- where it stands ------------------------------------------------------------------------------------------------


def find_waiting(
    connection: Connection, live: LiveCompetition, team: TeamRecord, *, kind: EntryKind, fingerprint: str
) -> JobBody | None:
    """Find the team's waiting job with the same predictions."""
    job = sql.find_same(connection, team.id, kind, fingerprint)
    return None if job is None else replace(describe(connection, live, job), duplicate=True)


def describe(connection: Connection, live: LiveCompetition, job: JobRecord, *, slots: int = 1) -> JobBody:
    """What a team sees of a job of its own that is not scored yet, or could not be."""
    assert job.status != "scored", "then there is its submission"
    team = teams.get(connection, job.team_id)
    place = find_place(connection, live, job, slots=slots) if job.is_pending else None
    quota: QuotaBody = compute_quota(live, team, job.received_at).body
    return JobBody(
        id=job.id,
        status=job.status,
        phase=job.phase,
        received_at=job.received_at,
        file_name=job.file_name,
        file_size=job.file_size,
        note=job.note,
        place=None if place is None else place.place,
        estimate_seconds=None if place is None else place.estimate_seconds,
        failure=job.failure,
        charged=job.is_pending or job.quota_day is not None,
        has_log=job.log_digest is not None,
        quota=quota,
    )


def find_place(connection: Connection, live: LiveCompetition, job: JobRecord, *, slots: int = 1) -> QueuePlace:
    """Find where a pending job stands. How long programs run is told to nobody, so there is no estimate for them."""
    place = sql.find_place(connection, job)
    took = [] if live.runs_programs else [one.total_seconds() for one in sql.list_durations(connection, live.slug)]
    return QueuePlace(place, round(fmean(took) * math.ceil(place / slots), 1) if took else None)


def find_answer(connection: Connection, live: LiveCompetition, job_id: str) -> Answer:
    """Find the answer to the request that brought a job, as it is now."""
    job = sql.find(connection, job_id)
    assert job is not None, "it was taken in"
    return Answer(CREATED, job.answer) if job.answer is not None else answer_with(describe(connection, live, job))


def answer_with(body: JobBody) -> Answer:
    """The answer to the request that brought the job: 202 while it is pending, 200 once it has failed."""
    content: dict[str, Any] = {name: value for name, value in vars(body).items() if name != "quota"}
    content["received_at"] = body.received_at.isoformat()
    if body.quota is not None:
        content["quota"] = vars(body.quota) | {"resets_at": body.quota.resets_at.isoformat()}
    return Answer(200 if body.status == "failed" else QUEUED, content)


def refuse_while_pending(connection: Connection, team_ids: list[str]) -> None:
    """Raise `ConflictError` where a team has submissions in the queue, and cannot become a part of another one."""
    waiting = sql.count_pending_of(connection, team_ids)
    if waiting:
        raise ConflictError(
            pluralise(
                "{n} submission of these teams is in the queue; merge once it is scored",
                "{n} submissions of these teams are in the queue; merge once they are scored",
                waiting,
            )
        )


def refuse_while_queued(connection: Connection, slug: str) -> None:
    """Raise `ConflictError` where submissions that arrived in time are still in the queue."""
    waiting = sql.count_in_time(connection, slug)
    if waiting:
        raise ConflictError(
            pluralise(
                "{n} submission that arrived in time is in the queue; wait until it is scored, or cancel it on the "
                "page Queue",
                "{n} submissions that arrived in time are in the queue; wait until they are scored, or cancel them on "
                "the page Queue",
                waiting,
            )
        )


# -- what became of it ----------------------------------------------------------------------------------------------


def hold_lease(connection: Connection, job: JobRecord) -> None:
    """Raise `LeaseLostError` where somebody else has the job by now; else it is ours until the transaction ends."""
    assert job.lease is not None, "whoever scores it has taken it up"
    if not sql.change_leased(connection, job.id, job.lease, lease=job.lease):
        raise LeaseLostError(f"the job {job.id} was taken up by another process")


def finish(connection: Connection, job: JobRecord, answer: Answer, now: datetime) -> None:
    """Note that a job's submission was recorded, in the same transaction; its key answers with it from now on."""
    sql.change(
        connection, job.id, status="scored", lease=None, finished_at=now, answer=answer.content, report=None, tries=0
    )
    sql.keep_answer(connection, job, answer.status, answer.content)


def fail(
    connection: Connection,
    live: LiveCompetition,
    job: JobRecord,
    *,
    failure: str,
    report: str | None,
    is_charged: bool,
    now: datetime,
) -> None:
    """Note that a job cannot be scored, and give its attempt back unless it is charged all the same.

    The caller holds the competition, and the job by its lease or its status.
    """
    team = teams.get(connection, job.team_id)
    values: dict[str, Any] = {}
    if job.phase != "late":
        values["queued"] = max(0, team.queued - 1)
        values |= {"attempts": team.attempts + 1} if is_charged else {}
    if not is_charged and job.quota_day is not None and team.quota_day == job.quota_day:
        values["quota_used"] = max(0, team.quota_used - 1)
    if values:
        teams.change(connection, team.id, **values)
    sql.change(
        connection,
        job.id,
        status="failed",
        lease=None,
        finished_at=now,
        failure=failure,
        report=report,
        quota_day=job.quota_day if is_charged else None,
    )
    if is_charged:
        body = {"submission": job.id, "team": team.id, "phase": job.phase, "received_at": job.received_at.isoformat()}
        opening = {"file": job.file_digest}
        ledger.append(
            connection, live.slug, kind="failed", at=now, body=body, opening=opening, salt=team.salt, team_id=team.id
        )


# -- the organiser's ------------------------------------------------------------------------------------------------

CANCELLED = "the organiser has cancelled this submission; it costs no attempt"


def cancel(connection: Connection, live: LiveCompetition, job_id: str, now: datetime) -> None:
    """Cancel a job that waits or is being scored: whoever scores it finds its lease gone."""
    job = find_of(connection, live, job_id)
    if not job.is_pending:
        raise ConflictError(f"this submission is {job.status}; only one that waits or is being scored can be cancelled")
    fail(connection, live, job, failure=CANCELLED, report=job.report, is_charged=False, now=now)


def retry(connection: Connection, live: LiveCompetition, job_id: str, now: datetime) -> None:
    """Put a job that could not be scored back into the queue, where it was; its attempt counts again."""
    job = find_of(connection, live, job_id)
    if job.status != "failed":
        raise ConflictError(f"this submission is {job.status}; only one that has failed can be scored again")
    if job.quota_day is not None:
        raise ConflictError("this program failed on the hidden inputs, and was charged; its team can send another one")
    team = teams.get(connection, job.team_id)
    quota = compute_quota(live, team, job.received_at)
    values: dict[str, Any] = {} if job.phase == "late" else {"queued": team.queued + 1}
    is_today = quota.day == live.day(job.received_at).isoformat()
    if job.phase != "baseline" and is_today:
        values |= {"quota_day": quota.day, "quota_used": quota.used_today + 1}
    if values:
        teams.change(connection, team.id, **values)
    day = None if job.phase == "baseline" else live.day(job.received_at).isoformat()
    sql.change(
        connection,
        job.id,
        status="received",
        tries=0,
        due_at=now,
        failure=None,
        finished_at=None,
        quota_day=day,
        # A program that answered hidden inputs keeps its answers; one that did not begins with the sample again.
        **({} if job.output_digest is not None else {"log_digest": None}),
    )


def find_of(connection: Connection, live: LiveCompetition, job_id: str) -> JobRecord:
    """Find a job of this competition; raises `NotFoundError` where there is none of that id."""
    job = sql.find(connection, job_id)
    if job is None or job.competition != live.slug:
        raise NotFoundError(f"there is no submission {job_id!r} in this competition's queue")
    return job
