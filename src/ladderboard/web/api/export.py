"""Everything of a competition as a zip archive, for its organisers."""

from collections.abc import Iterator
from typing import Literal

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse

from ladderboard.hosting.export import Format, export_members
from ladderboard.hosting.host import Host
from ladderboard.hosting.roles import require
from ladderboard.hosting.zips import stream_zip
from ladderboard.web.auth import SignedIn
from ladderboard.web.errors import errors
from ladderboard.web.parts import TheHost

router = APIRouter(prefix="/competitions/{slug}/export", tags=["organise"])


@router.get(
    "",
    response_class=Response,
    responses={200: {"content": {"application/zip": {}}, "description": "a zip archive"}, **errors(401, 403, 404)},
)
def export(
    slug: str,
    host: TheHost,
    person: SignedIn,
    format: Literal["csv", "json"] = "csv",  # noqa: A002  # the name is the query's
    files: bool = False,
) -> Response:
    """Teams, members, submissions with their releases, standings, private board, flags and ledger.

    Cells of CSV files that a spreadsheet would take for a formula begin with an apostrophe. `files`: what was
    submitted, as well.
    """
    require(person, "organise", host.hosted(slug).rules)
    headers = {"Content-Disposition": f'attachment; filename="{slug}-export.zip"'}
    return StreamingResponse(_parts(host, slug, format, files), media_type="application/zip", headers=headers)


def _parts(host: Host, slug: str, form: Format, with_files: bool) -> Iterator[bytes]:
    with host.database.reading() as connection:
        yield from stream_zip(export_members(connection, slug, form=form, files=host.files if with_files else None))
