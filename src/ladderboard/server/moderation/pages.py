"""The organiser's page of flags: hints, which are read and dismissed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.words import pluralise
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.pages import CheckedForm, Reader, go, keep_own_path, page_number, pager, read_notice, show
from ladderboard.server.competitions.context import CompetitionContext, require_duty
from ladderboard.server.moderation.records import NamedFlag
from ladderboard.server.moderation.rules import KINDS, dismiss_flag, dismiss_flags, list_flags

router = APIRouter(include_in_schema=False)

FLAGS_ON_A_PAGE = 50
NOTICES = {"dismissed": "The flag is dismissed."}


@dataclass(frozen=True)
class FlagLine:
    """A row of the table of flags."""

    id: str
    at: datetime
    team: str
    words: str
    other: str
    detail: str
    is_dismissed: bool


@router.get("/competitions/{slug}/organise/flags")
def flags(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """List the flags, newest first."""
    context, page = require_duty(services, slug, person, "oversee"), page_number(request)
    with_dismissed = request.query_params.get("all") == "1"
    offset = (page - 1) * FLAGS_ON_A_PAGE
    found, total = list_flags(services.database, slug, offset=offset, limit=FLAGS_ON_A_PAGE, dismissed=with_dismissed)
    pages = pager(
        f"{context.path}/organise/flags",
        page=page,
        pages=-(-total // FLAGS_ON_A_PAGE),
        all="1" if with_dismissed else "",
    )
    return show(
        request,
        "moderation/flags.html",
        person,
        head=context.head("Organise"),
        flags=describe_flags(context, found),
        total=total,
        pager=pages,
        with_dismissed=with_dismissed,
        notice=read_notice(request, NOTICES),
    )


@router.post("/competitions/{slug}/organise/flags/{flag_id}/dismiss")
def dismiss(services: TheServices, person: Reader, slug: str, flag_id: str, form: CheckedForm) -> Response:
    """Dismiss a flag, and return to the page it was seen on."""
    context = require_duty(services, slug, person, "assist")
    dismiss_flag(services.database, slug, flag_id)
    return go(keep_own_path(form.text("next"), default=f"{context.path}/organise"), notice="dismissed")


@router.post("/competitions/{slug}/organise/flags/dismiss-all")
def dismiss_all(services: TheServices, person: Reader, slug: str, form: CheckedForm) -> Response:
    """Dismiss all flags of one kind that a team has: a probing team may have thousands."""
    context = require_duty(services, slug, person, "assist")
    dismiss_flags(services.database, slug, team=form.text("team"), kind=form.text("kind"))
    return go(f"{context.path}/organise", notice="dismissed-all")


def describe_flags(context: CompetitionContext, flags: Sequence[NamedFlag]) -> tuple[FlagLine, ...]:
    """Describe flags for a table."""
    return tuple(
        FlagLine(
            id=flag.id,
            at=context.in_zone(flag.at),
            team=flag.team,
            words=KINDS.get(flag.kind, flag.kind),
            other="" if flag.other_team in (None, flag.team) else flag.other_team or "",
            detail=", ".join(_describe_measure(name, value) for name, value in flag.detail.items() if value != 0),
            is_dismissed=flag.dismissed_at is not None,
        )
        for flag in flags
    )


def _describe_measure(name: str, value: Any) -> str:
    """Describe what a flag was measured by.

    >>> _describe_measure("rows", 1), _describe_measure("submissions", 8), _describe_measure("correlation", 0.07)
    ('1 row', '8 submissions', 'correlation 0.07')
    """
    if name == "rows":
        return pluralise("{n} row", "{n} rows", value)
    if name == "submissions":
        return pluralise("{n} submission", "{n} submissions", value)
    if name == "correlation":
        return f"correlation {value}"
    return f"{name.replace('_', ' ')} {value}"
