"""The ledger as a page, for organisers: every decision in words, the newest first, with what was recorded behind it."""

import json
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.hosting.audit.ledger_view import view_for
from ladderboard.store import teams
from ladderboard.web.dependencies import TheServices
from ladderboard.web.pages._shared.paging import page_number, pager
from ladderboard.web.pages._shared.responses import Reader, show
from ladderboard.web.pages.organiser.dashboard import organising
from ladderboard.web.pages.organiser.ledger_words import teams_in, told

router = APIRouter(include_in_schema=False)

ENTRIES_ON_A_PAGE = 50
LONGEST_BODY = 4000


@dataclass(frozen=True)
class EntryLine:
    """An entry of the ledger: in words, and as it was recorded."""

    seq: int
    at: datetime
    words: str
    kind: str
    body: str
    hash: str
    previous: str
    sealed: str


@router.get("/competitions/{slug}/organise/ledger")
def ledger(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """A page of it."""
    context, page = organising(services, slug, person), page_number(request)
    with services.database.reading() as connection:
        view = view_for(connection, services, slug, person)
        end = max(0, view.length - (page - 1) * ENTRIES_ON_A_PAGE)
        start = max(0, end - ENTRIES_ON_A_PAGE)
        entries = [shown.entry for shown in view.page(connection, after=start, limit=end - start)]
        names = teams.names(connection, set().union(*(teams_in(entry) for entry in entries)))
    lines = [
        EntryLine(
            seq=entry.seq,
            at=context.in_zone(entry.at),
            words=told(entry, names),
            kind=entry.kind,
            body=_short(json.dumps(entry.body, ensure_ascii=False, indent=2)),
            hash=entry.hash,
            previous=entry.previous,
            sealed=entry.sealed or "",
        )
        for entry in reversed(entries)
    ]
    pages = pager(f"{context.path}/organise/ledger", page=page, pages=-(-view.length // ENTRIES_ON_A_PAGE))
    head = context.head("Organise")
    return show(
        request, "organiser_ledger.html", person, head=head, entries=lines, chain=view, pager=pages, base=context.path
    )


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_BODY else text[: LONGEST_BODY - 1] + "…"
