"""A team's own jobs, which nobody else may see."""

from typing import Any

from ladderboard.core.errors import NotFoundError
from ladderboard.server.db.database import Connection
from ladderboard.server.db.rows.teams import find_team_id
from ladderboard.server.jobs import queue, sql
from ladderboard.server.jobs.records import JobBody, JobRecord
from ladderboard.server.people.roles import Person, require
from ladderboard.server.services import Services

MOST_LISTED = 200


def find_unscored(services: Services, slug: str, person: Person, job_id: str) -> JobBody | None:
    """Find the team's own submission of that id if it is in the queue or has failed; None where it is not."""
    with services.database.reading() as connection:
        job = _find(connection, services, slug, person, job_id)
        if job is None or job.status == "scored":
            return None
        return queue.describe(connection, services.competition(slug), job, slots=services.settings.scoring_jobs)


def find_answer(services: Services, job_id: str) -> dict[str, Any] | None:
    """Find the answer to a submission of the reader's own that was queued, and is scored."""
    with services.database.reading() as connection:
        job = sql.find(connection, job_id)
    return None if job is None else job.answer


def read_log(services: Services, slug: str, person: Person, job_id: str) -> bytes:
    """Read the log of a program of the team's own, of its run on the sample; raises `NotFoundError` without one."""
    with services.database.reading() as connection:
        job = _find(connection, services, slug, person, job_id)
    if job is None or job.log_digest is None:
        raise NotFoundError("there is no log of such a submission: programs have one, for their own team alone")
    return services.files.read(job.log_digest)


def list_unscored(services: Services, slug: str, person: Person) -> list[JobBody]:
    """List the team's own submissions that are in the queue or have failed, newest first."""
    live, slots = services.competition(slug), services.settings.scoring_jobs
    with services.database.reading() as connection:
        team_id = find_team_id(connection, slug, person.id)
        if team_id is None:
            return []
        found = sql.list_unscored(connection, team_id, most=MOST_LISTED)
        return [queue.describe(connection, live, job, slots=slots) for job in found]


def _find(connection: Connection, services: Services, slug: str, person: Person, job_id: str) -> JobRecord | None:
    team_id = find_team_id(connection, slug, person.id)
    require(person, "see_competition", services.competition(slug).rules, own_team=team_id)
    return None if team_id is None else sql.find_own(connection, team_id, job_id)
