"""The pages of the queue: a team's own submission that waits or has failed, and the organiser's list."""

from dataclasses import dataclass
from datetime import datetime

from ladderboard.server.app.text import sentence
from ladderboard.server.competitions.context import CompetitionContext
from ladderboard.server.jobs.records import JobBody, QueuedJobBody

REFRESH_SECONDS = 3
SLOW_REFRESH_SECONDS = 15
"""Where it takes at least a minute more."""
TITLES = {"received": "In the queue", "scoring": "Being scored", "scored": "Scored", "failed": "Not scored"}
TONES = {"received": "wait", "scoring": "open", "scored": "good", "failed": "stop"}


@dataclass(frozen=True)
class JobView:
    """A team's own submission that is not scored yet, or could not be."""

    id: str
    href: str
    title: str
    tone: str
    sentence: str
    charge: str
    file_name: str
    file_size: int
    received_at: datetime
    note: str
    refresh: int | None
    """After how many seconds the page loads itself again; None: nothing changes any more."""
    has_log: bool = False


@dataclass(frozen=True)
class QueueLine:
    """A row of the organiser's list."""

    id: str
    team: str
    title: str
    tone: str
    file_name: str
    file_size: int
    received_at: datetime
    tries: int
    failure: str
    report: str
    is_pending: bool
    has_failed: bool


def build_job(context: CompetitionContext, job: JobBody) -> JobView:
    """Build the view of a team's own job."""
    is_over = job.status == "failed"
    is_slow = job.estimate_seconds is not None and job.estimate_seconds >= 60
    return JobView(
        id=job.id,
        href=f"{context.path}/submissions/{job.id}",
        title=TITLES[job.status],
        tone=TONES[job.status],
        sentence=sentence(job.failure or "") if is_over else describe_place(job),
        charge=_describe_charge(job),
        file_name=job.file_name or "submission",
        file_size=job.file_size,
        received_at=context.in_zone(job.received_at),
        note=job.note,
        refresh=None if is_over else SLOW_REFRESH_SECONDS if is_slow else REFRESH_SECONDS,
        has_log=job.has_log,
    )


def describe_place(job: JobBody) -> str:
    """Where a pending job stands, in a sentence."""
    if job.status == "scoring":
        words = "It is being scored"
    elif job.place == 1:
        words = "It is the next"
    else:
        words = f"It is number {job.place:,} in the queue"
    return f"{words}.{_describe_estimate(job.estimate_seconds)}"


def _describe_estimate(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 90:
        return f" That takes about {max(1, round(seconds))} s."
    return f" That takes about {round(seconds / 60):,} min."


def _describe_charge(job: JobBody) -> str:
    if job.status != "failed":
        return "Its attempt is counted. You may close this page: the submission is scored all the same."
    return "It counts as an attempt." if job.charged else "It costs no attempt."


def build_line(context: CompetitionContext, job: QueuedJobBody) -> QueueLine:
    """Build a row of the organiser's list."""
    return QueueLine(
        id=job.id,
        team=job.team,
        title=TITLES[job.status],
        tone=TONES[job.status],
        file_name=job.file_name or "submission",
        file_size=job.file_size,
        received_at=context.in_zone(job.received_at),
        tries=job.tries,
        failure=sentence(job.failure) if job.failure else "",
        report=job.report or "",
        is_pending=job.status in ("received", "scoring"),
        has_failed=job.status == "failed",
    )
