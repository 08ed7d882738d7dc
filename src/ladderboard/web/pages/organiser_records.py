"""The ledger as a page, for organisers: every decision, in order, the newest first."""

import json
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.hosting.ledger_view import view_for
from ladderboard.web.pages.organiser import organising
from ladderboard.web.pages.paging import page_number, pager
from ladderboard.web.pages.showing import Reader, show
from ladderboard.web.parts import TheHost
from ladderboard.words import said

router = APIRouter(include_in_schema=False)

ENTRIES_ON_A_PAGE = 50
LONGEST_BODY = 400


KINDS: dict[str, str] = {
    "created": said("created"),
    "versions": said("versions"),
    "rules_changed": said("rules changed"),
    "team_created": said("team created"),
    "baseline_created": said("baseline created"),
    "joined": said("joined"),
    "left": said("left"),
    "renamed": said("renamed"),
    "merged": said("merged"),
    "withdrawn": said("withdrawn"),
    "disqualified": said("disqualified"),
    "reinstated": said("reinstated"),
    "quota_granted": said("quota granted"),
    "submission": said("submission"),
    "finals_picked": said("finals picked"),
    "frozen": said("frozen"),
    "unfrozen": said("unfrozen"),
    "finalized": said("finalized"),
    "revealed": said("revealed"),
    "rescored": said("rescored"),
    "spent": said("spent"),
    "restored": said("restored"),
}
"""Entries for people. An entry that is not known here, of an older or a newer version, is shown by its own name."""


@dataclass(frozen=True)
class EntryLine:
    """An entry of the ledger."""

    seq: int
    at: datetime
    kind: str
    body: str
    hash: str


@router.get("/competitions/{slug}/organise/ledger")
def ledger(request: Request, host: TheHost, person: Reader, slug: str) -> Response:
    """A page of it."""
    scene, page = organising(host, slug, person), page_number(request)
    with host.database.reading() as connection:
        view = view_for(connection, host, slug, person)
        end = max(0, view.length - (page - 1) * ENTRIES_ON_A_PAGE)
        start = max(0, end - ENTRIES_ON_A_PAGE)
        entries = view.page(connection, after=start, limit=end - start)
    lines = [
        EntryLine(
            one.entry.seq,
            scene.in_zone(one.entry.at),
            KINDS.get(one.entry.kind, one.entry.kind.replace("_", " ")),
            _short(json.dumps(one.entry.body, ensure_ascii=False)),
            one.entry.hash,
        )
        for one in reversed(entries)
    ]
    pages = pager(f"{scene.path}/organise/ledger", page=page, pages=-(-view.length // ENTRIES_ON_A_PAGE))
    head = scene.head("Organise")
    return show(
        request, "organiser_ledger.html", person, head=head, entries=lines, chain=view, pager=pages, base=scene.path
    )


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_BODY else text[: LONGEST_BODY - 1] + "…"
