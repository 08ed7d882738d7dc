"""Submitting over the API, and a team's own submissions."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import JSONResponse
from pydantic import TypeAdapter
from starlette.concurrency import run_in_threadpool

from ladderboard.server.app.api import Paging, TheServices
from ladderboard.server.app.auth import SignedIn
from ladderboard.server.app.errors import errors
from ladderboard.server.app.records import Page
from ladderboard.server.jobs import own_jobs
from ladderboard.server.jobs.records import JobBody
from ladderboard.server.submissions import own_submissions
from ladderboard.server.submissions.own_submissions import NamedSubmission
from ladderboard.server.submissions.receiving import build_incoming, read_arrival, receive_form, score
from ladderboard.server.submissions.records import LONGEST_NOTE, ReleaseBody, ScoredBody, SubmissionBody

router = APIRouter(prefix="/competitions/{slug}/submissions", tags=["submissions"])

LONGEST_KEY = 200

_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary", "description": "CSV (.gz, .zip) or Parquet"},
                        "note": {"type": "string", "maxLength": LONGEST_NOTE},
                        "training_score": {"type": "number", "description": "for mechanisms that compare with it"},
                    },
                }
            }
        },
    }
}


@router.post(
    "",
    status_code=201,
    response_model=ScoredBody,
    responses={
        200: {"model": ScoredBody, "description": "scored before"},
        202: {"model": JobBody, "description": "queued: it is scored in its turn"},
        **errors(401, 403, 404, 409, 429, 503),
    },
    openapi_extra=_FORM,
)
async def submit(
    slug: str,
    request: Request,
    services: TheServices,
    person: SignedIn,
    idempotency_key: Annotated[str | None, Header(max_length=LONGEST_KEY)] = None,
) -> Response:
    """Score a file of predictions.

    A file that fails validation (422) costs nothing; every scored attempt counts. The same predictions again are
    answered as a repetition (200, `duplicate`) and cost nothing. With an `Idempotency-Key` a request may be sent again
    safely. `outcome` says in words what became of the submission. Where scoring takes long, the answer is 202 with the
    place in the queue; the attempt is counted, and the submission's own address says when it is scored.
    """
    # Also where there is no such competition: if only a private one used up the pace, 429 would tell it apart.
    async with services.uploads.of(person.id):
        received_at = await read_arrival(request, services)
        team_id = await run_in_threadpool(own_submissions.find_submitting_team, services, slug, person)
        live = services.competition(slug)
        form = await receive_form(request, services, live)
        incoming = build_incoming(
            form, person=person, team_id=team_id, received_at=received_at, idempotency_key=idempotency_key
        )
        answer = await score(services, live, incoming)
    return JSONResponse(answer.content, status_code=answer.status)


@router.get("", responses=errors(401, 403, 404))
def list_own_submissions(slug: str, services: TheServices, person: SignedIn, part: Paging) -> Page[SubmissionBody]:
    """List the team's own submissions, newest first."""
    rows, total = own_submissions.list_own(services, slug, person, offset=part.offset, limit=part.limit)
    return part.page([_body(row) for row in rows], total)


@router.get("/{submission_id}", responses=errors(401, 403, 404))
def read_submission(slug: str, submission_id: str, services: TheServices, person: SignedIn) -> SubmissionBody | JobBody:
    """Return one of the team's own submissions; where it is not scored, its place in the queue, or why it failed."""
    job = own_jobs.find_unscored(services, slug, person, submission_id)
    if job is not None:
        return job
    row = own_submissions.find_own(services, slug, person, submission_id)
    answer = own_jobs.find_answer(services, submission_id)
    return _body(own_submissions.name_own(services, services.competition(slug), row), answer)


@router.get("/{submission_id}/file", response_class=Response, responses=errors(401, 403, 404))
def file(slug: str, submission_id: str, services: TheServices, person: SignedIn) -> Response:
    """Return the file as it was sent."""
    row = own_submissions.find_own(services, slug, person, submission_id)
    return Response(
        services.files.read(row.file_digest),
        media_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{submission_id}"'},
    )


@router.get("/{submission_id}/log", response_class=Response, responses=errors(401, 403, 404))
def log(slug: str, submission_id: str, services: TheServices, person: SignedIn) -> Response:
    """Return the log of a submitted program's run on the public sample; of the run on hidden inputs there is none."""
    content = own_jobs.read_log(services, slug, person, submission_id)
    return Response(content.decode(errors="replace"), media_type="text/plain; charset=utf-8")


def _body(named: NamedSubmission, answer: dict[str, Any] | None = None) -> SubmissionBody:
    row = named.row
    return SubmissionBody(
        id=row.id,
        number=row.number,
        status="scored",
        phase=row.phase,
        received_at=row.received_at,
        file_name=row.file_name,
        file_size=row.file_size,
        note=row.note,
        release=ReleaseBody(**row.release),
        scoring_version=row.scoring_version,
        is_picked=row.picked_at is not None,
        attempt=named.attempt,
        outcome=named.outcome,
        own_value=named.own_value,
        private_value=named.scores.private,
        public_value=named.scores.public,
        answer=None if answer is None else TypeAdapter(ScoredBody).validate_python(answer),
    )
