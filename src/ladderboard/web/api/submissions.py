"""Submitting over the API, and a team's own submissions."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response, Security
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from ladderboard.core.errors import ParameterError
from ladderboard.hosting.boards import own_submissions
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.hosting.people.codes import hash_secret
from ladderboard.hosting.people.identities import Identities
from ladderboard.hosting.people.roles import Person
from ladderboard.hosting.services import Services
from ladderboard.hosting.submissions.incoming import IncomingSubmission
from ladderboard.web.auth import Credentials, SignedIn, bearer, credentials_of, note_person, require_signed_in
from ladderboard.web.dependencies import TheIdentities, TheServices
from ladderboard.web.errors import errors
from ladderboard.web.middleware.arrival import arrived_at
from ladderboard.web.paging import Paging
from ladderboard.web.uploads import Upload, receive_upload
from ladderboard.wire.common import Page
from ladderboard.wire.submissions import ReleaseBody, ScoredBody, SubmissionBody

router = APIRouter(prefix="/competitions/{slug}/submissions", tags=["submissions"])

LONGEST_NOTE = 2000
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
    responses={200: {"model": ScoredBody, "description": "scored before"}, **errors(401, 403, 404, 409, 429, 503)},
    openapi_extra=_FORM,
)
async def submit(
    slug: str,
    request: Request,
    services: TheServices,
    identities: TheIdentities,
    _: Annotated[object, Security(bearer)],
    idempotency_key: Annotated[str | None, Header(max_length=LONGEST_KEY)] = None,
) -> Response:
    """Score a file of predictions.

    A file that fails validation (422) costs nothing; every scored attempt counts. The same predictions again get the
    stored release (200, `duplicate`) and cost nothing. With an `Idempotency-Key` a request may be sent again safely.
    """
    credentials = credentials_of(request)
    mark = "" if credentials is None else hash_secret(credentials.secret)
    await services.uploads.refuse_known(mark)
    sender = await _sender(services, identities, credentials, slug, request.state.arrived)
    note_person(request, sender.person)
    services.uploads.note_sender(mark, sender.person.id)
    live = sender.live
    async with services.uploads.of(sender.person.id):
        limit = min(services.settings.max_request_bytes, live.rules.limits.max_file_bytes + (1 << 20))
        upload = await receive_upload(request.stream(), request.headers.get("content-type", ""), limit=limit)
        attempt = IncomingSubmission(
            sender.team_id,
            upload.content,
            sender.received_at,
            account_id=sender.person.id,
            file_name=upload.file_name,
            note=_note(upload),
            idempotency_key=idempotency_key or None,  # an empty one names nothing
            training_score=_training_score(upload),
        )
        score = partial(services.referee.submit, live, attempt)
        answer = await services.scoring.run(live, len(upload.content), score)
    return JSONResponse(answer.content, status_code=answer.status)


@dataclass(frozen=True)
class Sender:
    """Who sends, for which team of which competition, and when it came."""

    person: Person
    live: LiveCompetition
    team_id: str
    received_at: datetime


async def _sender(
    services: Services, identities: Identities, credentials: Credentials | None, slug: str, since: float
) -> Sender:
    """In time is what arrived in time: before its body, and before it waited for a turn."""
    if credentials is not None and credentials.is_token:
        ask = partial(identities.member_of_token, credentials.secret, slug)
        # SQLite never waits for the network or for a writer: asking it here is cheaper than asking another thread to.
        member = ask() if identities.is_immediate else await run_in_threadpool(ask)
        if member is not None:
            live = services.competition(slug)
            team_id = own_submissions.submitting_member(live, member.person, member.team_id)
            return Sender(member.person, live, team_id, arrived_at(member.now, since))
    return await run_in_threadpool(_other_sender, services, identities, credentials, slug, since)


def _other_sender(
    services: Services, identities: Identities, credentials: Credentials | None, slug: str, since: float
) -> Sender:
    """Somebody at a browser, or with a token that was not used for a minute, or nobody."""
    person = require_signed_in(None if credentials is None else credentials.owner(identities))
    live = services.competition(slug)
    received_at = arrived_at(services.database.now(), since)
    return Sender(person, live, own_submissions.submitting_team(services, live, person), received_at)


@router.get("", responses=errors(401, 403, 404))
def own(slug: str, services: TheServices, person: SignedIn, part: Paging) -> Page[SubmissionBody]:
    """The team's own submissions, newest first."""
    rows, total = own_submissions.listed(services, slug, person, offset=part.offset, limit=part.limit)
    return part.page([_body(row) for row in rows], total)


@router.get("/{submission_id}", responses=errors(401, 403, 404))
def one(slug: str, submission_id: str, services: TheServices, person: SignedIn) -> SubmissionBody:
    """One of the team's own submissions."""
    return _body(own_submissions.found(services, slug, person, submission_id))


@router.get("/{submission_id}/file", response_class=Response, responses=errors(401, 403, 404))
def file(slug: str, submission_id: str, services: TheServices, person: SignedIn) -> Response:
    """The file as it was sent."""
    row = own_submissions.found(services, slug, person, submission_id)
    return Response(
        services.files.read(row.file_digest),
        media_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{submission_id}"'},
    )


def _note(upload: Upload) -> str:
    note = upload.fields.get("note", "")
    if len(note) > LONGEST_NOTE:
        raise ParameterError(f"the note has {len(note)} characters; at most {LONGEST_NOTE} are kept")
    return note


def _training_score(upload: Upload) -> float | None:
    text = upload.fields.get("training_score", "")
    if not text:
        return None
    try:
        score = float(text)
    except ValueError:
        score = float("nan")
    if not abs(score) < float("inf"):
        raise ParameterError(f"training_score is {text[:40]!r}; give a finite number, or leave it out")
    return score


def _body(row: Any) -> SubmissionBody:
    return SubmissionBody(
        id=row.id,
        number=row.number,
        status="scored",
        phase=row.phase,
        received_at=row.received_at.isoformat(),
        file_name=row.file_name,
        file_size=row.file_size,
        note=row.note,
        release=ReleaseBody(**row.release),
        scoring_version=row.scoring_version,
        is_picked=row.picked_at is not None,
    )
