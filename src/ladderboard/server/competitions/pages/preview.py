"""The pages of a draft as participants will see them."""

from datetime import datetime

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.competition import rules_to_json
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.pages import Reader
from ladderboard.server.competitions.context import CompetitionContext
from ladderboard.server.competitions.drafts import read_draft
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.pages import public as pages
from ladderboard.server.competitions.records import CompetitionRecord
from ladderboard.server.lifecycle import find_status
from ladderboard.server.people.roles import Person, require
from ladderboard.server.services import Services

router = APIRouter(prefix="/drafts/{draft_id}/preview", include_in_schema=False)


@router.get("")
def overview(request: Request, services: TheServices, person: Reader, draft_id: str) -> Response:
    """Show the overview."""
    return pages.show_overview(request, person, _imagine(services, person, draft_id))


@router.get("/data")
def data(request: Request, services: TheServices, person: Reader, draft_id: str) -> Response:
    """Show the downloads and the submission format."""
    return pages.show_data(request, person, _imagine(services, person, draft_id))


@router.get("/data/{name:path}")
def download(services: TheServices, person: Reader, draft_id: str, name: str) -> Response:
    """Send one file."""
    return pages.send_download(_imagine(services, person, draft_id).live, name)


@router.get("/rules")
def rules(request: Request, services: TheServices, person: Reader, draft_id: str) -> Response:
    """Show the rules in words."""
    return pages.show_rules(request, person, _imagine(services, person, draft_id))


@router.get("/images/{name:path}")
def picture(services: TheServices, person: Reader, draft_id: str, name: str) -> Response:
    """Send one picture of the description."""
    return pages.send_picture(_imagine(services, person, draft_id).live.competition.folder, name)


def _imagine(services: Services, person: Person | None, draft_id: str) -> CompetitionContext:
    """The draft as if it had been published now."""
    require(person, "organise")
    draft, now = read_draft(services, draft_id), services.database.now()
    live = LiveCompetition(draft.competition, b"", services.files)
    record = _imagine_record(live, now)
    status = find_status(live.rules, record, now)
    return CompetitionContext(services, live, status, record, now, None, preview=f"/drafts/{draft_id}/preview")


def _imagine_record(live: LiveCompetition, now: datetime) -> CompetitionRecord:
    return CompetitionRecord(
        board_version=0,
        opened_at=None,
        frozen_at=None,
        finalized_at=None,
        revealed_at=None,
        spent_at=None,
        scoring_version=1,
        rules=rules_to_json(live.rules),
        slug=live.slug,
        solution_digest="",
        solution_file=None,
        folder=None,
        secret=b"",
        commitment_salt="",
        commitment="",
        created_at=now,
        noise_epoch=0,
        last_number=0,
        bits=0.0,
        ledger_length=0,
        ledger_head="",
    )
