"""The public ledger, and what is published after the reveal."""

import json
from collections.abc import Iterator
from typing import Literal

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse

from ladderboard.core.errors import NotFoundError
from ladderboard.server.app.api import Paging, TheServices
from ladderboard.server.app.auth import Anyone
from ladderboard.server.app.errors import errors
from ladderboard.server.audit.ledger_view import LedgerView, view_for
from ladderboard.server.audit.published_files import stream_published
from ladderboard.server.audit.records import LedgerBody, LedgerEntryBody, PublicationBody
from ladderboard.server.results.publication import stream_publication
from ladderboard.server.services import Services

router = APIRouter(prefix="/competitions/{slug}/ledger", tags=["ledger"])


@router.get(
    "",
    response_model=LedgerBody,
    responses={200: {"content": {"application/jsonl": {}}}, **errors(401, 404)},
)
def ledger(
    slug: str,
    services: TheServices,
    person: Anyone,
    part: Paging,
    format: Literal["json", "jsonl"] = "json",  # noqa: A002  # the name is the query's
) -> Response | LedgerBody:
    """List every entry since the competition was created, oldest first; `head` is the hash of the last one.

    What a team was told is sealed: its members see the openings of their own entries when they are signed in,
    everybody sees all of them after the reveal. `format=jsonl`: the whole ledger, one entry a line, as
    `ladderboard ledger verify` reads it.
    """
    with services.database.reading() as connection:
        view = view_for(connection, services, slug, person)
        if format == "jsonl":
            return _stream(services, view)
        entries = view.page(connection, after=part.offset, limit=part.limit)
    bodies = [LedgerEntryBody(**one.to_json()) for one in entries]
    page = part.page(bodies, view.length)
    return LedgerBody(page.items, page.total, page.next, view.head)


@router.get("/publication", response_model=PublicationBody, responses=errors(401, 404))
def publication(slug: str, services: TheServices, person: Anyone) -> Response:
    """Return the solution and what opens the commitment: after the reveal, unless the rules keep it secret."""
    with services.database.reading() as connection:
        view_for(connection, services, slug, person)
        parts = stream_publication(connection, services.competition(slug))
    return StreamingResponse(parts, media_type="application/json")


@router.get("/publication/submissions", response_class=Response, responses=errors(401, 404))
def submissions(slug: str, services: TheServices, person: Anyone) -> Response:
    """Return every submitted file by its SHA-256, in a zip archive: after the reveal, where the rules announced it."""
    live = services.competition(slug)
    with services.database.reading() as connection:
        view = view_for(connection, services, slug, person)
    if not live.rules.publish_submissions or not view.is_revealed:
        raise NotFoundError("submissions are published after the reveal, and only where the rules announced it")
    headers = {"Content-Disposition": f'attachment; filename="{slug}-submissions.zip"'}
    return StreamingResponse(stream_published(services, view), media_type="application/zip", headers=headers)


def _stream(services: Services, view: LedgerView) -> Response:
    def lines() -> Iterator[str]:
        for page in view.pages_apart(services.database):
            yield "".join(f"{json.dumps(shown.to_json(), ensure_ascii=False)}\n" for shown in page)

    name = f'attachment; filename="{view.slug}-ledger.jsonl"'
    return StreamingResponse(lines(), media_type="application/jsonl", headers={"Content-Disposition": name})
