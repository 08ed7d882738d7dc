"""The ledger page for organisers: every entry as a sentence, newest first, with the recorded data."""

import json
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.ledger import Entry
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.pages import Reader, page_number, pager, show
from ladderboard.server.audit.ledger_view import view_for
from ladderboard.server.audit.ledger_words import describe, find_teams
from ladderboard.server.operations.pages import require_organiser
from ladderboard.server.teams.teams import read_names

router = APIRouter(include_in_schema=False)

ENTRIES_ON_A_PAGE = 50
LONGEST_BODY = 4000


@dataclass(frozen=True)
class EntryLine:
    """An entry of the ledger: as a sentence, and as it was recorded."""

    entry: Entry
    at: datetime
    words: str
    body: str


@router.get("/competitions/{slug}/organise/ledger")
def ledger(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Show a page of the ledger."""
    context, page = require_organiser(services, slug, person), page_number(request)
    with services.database.reading() as connection:
        view = view_for(connection, services, slug, person)
        end = max(0, view.length - (page - 1) * ENTRIES_ON_A_PAGE)
        start = max(0, end - ENTRIES_ON_A_PAGE)
        entries = [shown.entry for shown in view.page(connection, after=start, limit=end - start)]
    names = read_names(services.database, set().union(*(find_teams(entry) for entry in entries)))
    lines = [
        EntryLine(
            entry,
            at=context.in_zone(entry.at),
            words=describe(entry, names),
            body=_shorten(json.dumps(entry.body, ensure_ascii=False, indent=2)),
        )
        for entry in reversed(entries)
    ]
    pages = pager(f"{context.path}/organise/ledger", page=page, pages=-(-view.length // ENTRIES_ON_A_PAGE))
    head = context.head("Organise")
    return show(
        request, "audit/ledger.html", person, head=head, entries=lines, chain=view, pager=pages, base=context.path
    )


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST_BODY else text[: LONGEST_BODY - 1] + "…"
