"""The export of a competition as a zip archive, for its organisers."""

from collections.abc import Iterator
from typing import Literal

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse

from ladderboard.server.app.api import TheServices
from ladderboard.server.app.auth import SignedIn
from ladderboard.server.app.errors import errors
from ladderboard.server.operations.exports import Format, stream_export
from ladderboard.server.operations.zips import stream_zip
from ladderboard.server.people.roles import require
from ladderboard.server.services import Services

router = APIRouter(prefix="/competitions/{slug}/export", tags=["organise"])


@router.get(
    "",
    response_class=Response,
    responses={200: {"content": {"application/zip": {}}, "description": "a zip archive"}, **errors(401, 403, 404)},
)
def export(
    slug: str,
    services: TheServices,
    person: SignedIn,
    format: Literal["csv", "json"] = "csv",  # noqa: A002  # the name is the query's
    files: bool = False,
) -> Response:
    """Export teams, members, submissions with their scores shown, standings, private board, flags and ledger.

    Cells of CSV files that a spreadsheet would take for a formula begin with an apostrophe. `files`: include the
    submitted files.
    """
    require(person, "organise", services.competition(slug).rules)
    headers = {"Content-Disposition": f'attachment; filename="{slug}-export.zip"'}
    return StreamingResponse(_parts(services, slug, format, files), media_type="application/zip", headers=headers)


def _parts(services: Services, slug: str, form: Format, with_files: bool) -> Iterator[bytes]:
    with services.database.reading() as connection:
        yield from stream_zip(stream_export(connection, slug, form=form, files=services.files if with_files else None))
