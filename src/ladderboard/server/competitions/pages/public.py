"""The home page, and a competition's overview, data and rules."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from ladderboard.competition.description.pictures import TYPES, PictureError, open_picture
from ladderboard.core.errors import NotFoundError
from ladderboard.server import charts
from ladderboard.server.announcements.pages import list_newest
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.error_pages import Link
from ladderboard.server.app.markdown import render_markdown
from ladderboard.server.app.pages import Reader, show
from ladderboard.server.app.rendering import PAGE_HEADERS, PICTURE_HEADERS
from ladderboard.server.competitions.context import CompetitionContext, list_competitions, read_context
from ladderboard.server.competitions.downloads import describe_submission, list_downloads
from ladderboard.server.competitions.drafts import list_drafts
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.rules_words import attempts_in_words, rules_in_words
from ladderboard.server.people.roles import Person
from ladderboard.server.submissions.pages.submit import preparation

router = APIRouter(include_in_schema=False)

NEWS = 3
"""The announcements on the overview."""


@dataclass(frozen=True)
class Countdown:
    """The next date of a competition and the time left."""

    label: str
    until: datetime
    left: timedelta


@router.get("/")
def home(request: Request, services: TheServices, person: Reader) -> Response:
    """The home page: what this site is, and its competitions, open ones first."""
    order = {"open": 0, "upcoming": 1, "spent": 2, "closed": 3, "finalized": 3, "revealed": 4}
    heads = [context.head("") for context in list_competitions(services, person)]
    cards = sorted(heads, key=lambda head: order[head.badge.name])
    drafts = list_drafts(services) if person is not None and person.is_organiser else []
    picture = charts.draw_climbing_by_luck()
    return show(request, "site/home.html", person, picture=picture, cards=cards, drafts=drafts)


@router.get("/competitions/{slug}")
def overview(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """The description and the key facts."""
    return show_overview(request, person, read_context(services, slug, person))


def show_overview(request: Request, person: Person | None, context: CompetitionContext) -> Response:
    """Show the description and the key facts of a competition, or of a draft."""
    rules = context.live.rules
    moments = _moments(context)
    return show(
        request,
        "competitions/overview.html",
        person,
        head=context.head("Overview"),
        description=render_description(context.live.competition.description, title=rules.title, path=context.path),
        countdown=_countdown(context),
        attempts=attempts_in_words(rules),
        rows=len(context.live.competition.format.ids),
        positive=context.live.competition.format.positive,
        finals=rules.finals if rules.reveal != "never" else None,
        state=_state(context),
        onwards=None if context.preview else _onwards(context),
        news=() if context.preview else list_newest(context.services, context, limit=NEWS),
        line=charts.timeline(moments, now=context.now),
        moments=moments,
    )


@router.get("/competitions/{slug}/data")
def data(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """The downloads and the submission format."""
    return show_data(request, person, read_context(services, slug, person))


def show_data(request: Request, person: Person | None, context: CompetitionContext) -> Response:
    """Show the downloads and the submission format."""
    files = list(list_downloads(context.live, address=context.path).values())
    shape = describe_submission(context.live)
    return show(request, "competitions/data.html", person, head=context.head("Data"), files=files, shape=shape)


@router.get("/competitions/{slug}/data/{name:path}")
def download(services: TheServices, person: Reader, slug: str, name: str) -> Response:
    """One file, always as an attachment: an organiser's file is never shown as a page of this site."""
    return send_download(read_context(services, slug, person).live, name)


def send_download(live: LiveCompetition, name: str) -> Response:
    """Send a file that is offered under this name."""
    found = list_downloads(live).get(name)
    if found is None:
        raise NotFoundError("there is no such file; the data page lists what there is")
    kind, headers = "application/octet-stream", dict(PAGE_HEADERS)
    if found.path is not None:
        return FileResponse(found.path, media_type=kind, filename=found.path.name, headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="{found.name}"'
    return Response(live.sample_submission, media_type=kind, headers=headers)


@router.get("/competitions/{slug}/rules")
def rules(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """The rules page, made from the competition's settings."""
    return show_rules(request, person, read_context(services, slug, person))


def show_rules(request: Request, person: Person | None, context: CompetitionContext) -> Response:
    """Show the rules in words."""
    return show(
        request, "competitions/rules.html", person, head=context.head("Rules"), sections=rules_in_words(context)
    )


@router.get("/competitions/{slug}/images/{name:path}")
def picture(services: TheServices, person: Reader, slug: str, name: str) -> Response:
    """One picture of the description, for whoever may see the competition."""
    return send_picture(read_context(services, slug, person).live.competition.folder, name)


def send_picture(folder: Path | None, name: str) -> Response:
    """Send a picture of this name from a folder."""
    path = None
    with suppress(PictureError):
        path = None if folder is None else open_picture(folder, name)
    if path is None:
        raise NotFoundError("there is no such picture")
    return FileResponse(path, media_type=TYPES[path.suffix.lower()], headers=PICTURE_HEADERS)


def render_description(description: str, *, title: str, path: str = "") -> Markup:
    r"""The description as HTML, without a heading that only repeats the title above it.

    ``path`` is the address of the competition's pages.

    >>> render_description("# Pets\n\n## Data\n", title="Pets")
    Markup('<h2>Data</h2>\n')
    """
    first, _, rest = description.lstrip().partition("\n")
    if first.startswith("# ") and first[2:].strip().casefold() == title.strip().casefold():
        return render_markdown(rest, top_heading=1, images=f"{path}/images")
    return render_markdown(description, images=f"{path}/images")


def _state(context: CompetitionContext) -> tuple[str, str] | None:
    """A heading and a sentence about a competition that takes no submissions any more; None while it does."""
    status, rules = context.status, context.live.rules
    if status == "spent":
        explanation = (
            "It has released all the information it may. No more submissions are scored, and the board stays as it is."
        )
        return "This test set is spent", explanation
    if status == "revealed":
        return "This competition is over", "The results page shows the final board, on rows that nobody could probe."
    if status not in ("closed", "finalized"):
        return None
    if rules.reveal == "never":
        return "This competition is closed", "The board is final."
    return "This competition is closed", "The final results will follow. They come from rows that nobody could probe."


def _onwards(context: CompetitionContext) -> Link | None:
    """The action that most readers want to take next."""
    if context.status == "revealed":
        return Link("See the final results", f"{context.path}/results")
    may_submit = context.person is None or context.person.may_compete_in(context.slug)
    if context.status == "upcoming":
        return preparation(context) if may_submit else None
    if context.status != "open":
        return Link("See the board", f"{context.path}/leaderboard")
    return Link("Submit predictions", f"{context.path}/submit") if may_submit else None


def _countdown(context: CompetitionContext) -> Countdown | None:
    rules, now, status = context.live.rules, context.now, context.status
    if status == "revealed":
        return None
    if rules.opens is not None and now < rules.opens:
        return Countdown("Opens in", context.in_zone(rules.opens), rules.opens - now)
    if status in ("open", "spent") and rules.deadline is not None and now < rules.deadline:
        return Countdown("Deadline in", context.in_zone(rules.deadline), rules.deadline - now)
    if isinstance(rules.reveal, datetime) and now < rules.reveal:
        return Countdown("Results in", context.in_zone(rules.reveal), rules.reveal - now)
    return None


def _moments(context: CompetitionContext) -> list[charts.Moment]:
    rules = context.live.rules
    reveal = rules.reveal if isinstance(rules.reveal, datetime) else None
    merge = rules.teams.merge_until if rules.teams.merging else None
    named = (
        ("opens", rules.opens),
        ("teams merge until", merge),
        ("deadline", rules.deadline),
        ("results", reveal),
    )
    return [charts.Moment(name, context.in_zone(at)) for name, at in named if at is not None]
