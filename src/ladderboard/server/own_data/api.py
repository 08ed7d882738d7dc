"""One's own data over the API."""

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse

from ladderboard.server.app.api import TheServices
from ladderboard.server.app.auth import SignedIn
from ladderboard.server.app.errors import errors
from ladderboard.server.own_data.rules import stream_export

router = APIRouter(tags=["people"])


@router.get(
    "/me/export",
    response_class=Response,
    responses={200: {"content": {"application/json": {}}, "description": "a JSON object"}, **errors(401)},
)
def export(person: SignedIn, services: TheServices) -> Response:
    """Return everything that is kept about you: account, sessions, tokens, memberships, submissions. No secrets."""
    headers = {"Content-Disposition": 'attachment; filename="my-data.json"', "Cache-Control": "no-store"}
    return StreamingResponse(
        stream_export(services.database, person.id), media_type="application/json", headers=headers
    )
