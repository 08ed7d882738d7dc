"""A submission read from a request: the same rules for the API and for the page."""

import time
from datetime import datetime, timedelta

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from ladderboard.core.errors import ParameterError
from ladderboard.server.app.uploads import UploadedForm, receive_upload
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.people.roles import Person
from ladderboard.server.services import Services
from ladderboard.server.submissions.records import Answer, IncomingSubmission, refuse_long_note

FORM_BYTES = 1 << 20
"""What a form may hold beside the file."""


async def receive_form(request: Request, services: Services, live: LiveCompetition) -> UploadedForm:
    """Read the form with the file. Raises `PayloadTooLargeError` beyond the competition's limit."""
    limit = min(services.settings.max_request_bytes, live.rules.limits.max_file_bytes + FORM_BYTES)
    return await receive_upload(request.stream(), request.headers.get("content-type", ""), limit=limit)


async def read_arrival(request: Request, services: Services) -> datetime:
    """Return when the request arrived, by the database's clock: its body and its wait for a turn do not count."""
    now = await run_in_threadpool(services.database.now)
    return compute_arrival(now, request.state.arrived)


def compute_arrival(now: datetime, since: float) -> datetime:
    """Compute the database's time at the moment ``since``, from its time ``now``.

    At a deadline everybody submits, and a request may wait for seconds before anything can be asked of the database.
    """
    return now - timedelta(seconds=time.monotonic() - since)


def build_incoming(
    form: UploadedForm,
    *,
    person: Person,
    team_id: str,
    received_at: datetime,
    idempotency_key: str | None = None,
) -> IncomingSubmission:
    """Build the submission from its form. Raises `ParameterError` for a field that cannot be used."""
    note = form.fields.get("note", "")
    refuse_long_note(note)
    return IncomingSubmission(
        team_id,
        form.content,
        received_at,
        account_id=person.id,
        file_name=form.file_name,
        note=note,
        idempotency_key=idempotency_key or None,  # an empty one names nothing
        training_score=_read_training_score(form.fields.get("training_score", "")),
    )


async def score(services: Services, live: LiveCompetition, incoming: IncomingSubmission) -> Answer:
    """Score and record the submission in a thread of the queue that suits its file."""
    return await services.scoring.run(live, incoming, lambda: services.submit(live, incoming))


def _read_training_score(text: str) -> float | None:
    """Read a number with a decimal point or a decimal comma; None where the field is empty."""
    if not text.strip():
        return None
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise ParameterError(f"the training score is {text[:40]!r}; give a number such as 0.83, or leave it out")
    return value
