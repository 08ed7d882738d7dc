"""Home, and the pages that say what a competition is: overview, data, rules."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from ladderboard.errors import NotFoundError
from ladderboard.web import charts
from ladderboard.web.markdown import render_markdown
from ladderboard.web.pages.doors import preparation
from ladderboard.web.pages.downloads import downloads_of, sample_of, shape_of
from ladderboard.web.pages.faults import Link
from ladderboard.web.pages.headers import PAGE_HEADERS
from ladderboard.web.pages.rules_words import attempts_in_words, rules_in_words
from ladderboard.web.pages.scene import Phase, Scene, listed, metric_title, scene_of
from ladderboard.web.pages.showing import Reader, show
from ladderboard.web.parts import TheHost
from ladderboard.web.text import _
from ladderboard.words import said

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class Card:
    """A competition in the list."""

    slug: str
    title: str
    summary: str
    phase: Phase
    metric: str
    teams: int
    deadline: datetime | None

    @classmethod
    def of(cls, scene: Scene) -> "Card":
        rules = scene.hosted.rules
        metric = metric_title(rules.metric)
        return cls(rules.slug, rules.title, rules.summary, scene.phase, metric, scene.teams, scene.deadline)


@dataclass(frozen=True)
class Countdown:
    """What comes next, and how long it takes."""

    label: str
    until: datetime
    left: timedelta


@router.get("/")
def home(request: Request, host: TheHost, person: Reader) -> Response:
    """What this is, and the competitions: open ones first."""
    order = {"open": 0, "upcoming": 1, "spent": 2, "closed": 3, "finalized": 3, "revealed": 4}
    cards = sorted((Card.of(scene) for scene in listed(host, person)), key=lambda card: order[card.phase.name])
    return show(request, "home.html", person, picture=charts.climbing_by_luck(), cards=cards)


@router.get("/competitions/{slug}")
def overview(request: Request, host: TheHost, person: Reader, slug: str) -> Response:
    """The description and the facts."""
    scene = scene_of(host, slug, person)
    rules = scene.hosted.rules
    moments = _moments(scene)
    return show(
        request,
        "overview.html",
        person,
        head=scene.head("Overview"),
        description=described(scene.hosted.competition.description, title=rules.title),
        countdown=_countdown(scene),
        attempts=attempts_in_words(rules),
        rows=len(scene.hosted.competition.format.ids),
        finals=rules.finals if rules.reveal != "never" else None,
        state=_state(scene),
        onwards=_onwards(scene),
        line=charts.timeline(moments, now=scene.now),
        moments=moments,
    )


@router.get("/competitions/{slug}/data")
def data(request: Request, host: TheHost, person: Reader, slug: str) -> Response:
    """The downloads, and what a submission looks like."""
    scene = scene_of(host, slug, person)
    files, shape = list(downloads_of(scene.hosted).values()), shape_of(scene.hosted.competition.format)
    return show(request, "data.html", person, head=scene.head("Data"), files=files, shape=shape)


@router.get("/competitions/{slug}/data/{name:path}")
def download(host: TheHost, person: Reader, slug: str, name: str) -> Response:
    """One file, as an attachment: nothing that an organiser offers is shown as a page of this site."""
    hosted = scene_of(host, slug, person).hosted
    found = downloads_of(hosted).get(name)
    if found is None:
        raise NotFoundError(said("there is no such file; the data page lists what there is"))
    kind, headers = "application/octet-stream", dict(PAGE_HEADERS)
    if found.path is not None:
        return FileResponse(found.path, media_type=kind, filename=found.path.name, headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="{found.name}"'
    return Response(sample_of(hosted), media_type=kind, headers=headers)


@router.get("/competitions/{slug}/rules")
def rules(request: Request, host: TheHost, person: Reader, slug: str) -> Response:
    """The rules, from the competition's settings."""
    scene = scene_of(host, slug, person)
    return show(request, "rules.html", person, head=scene.head("Rules"), sections=rules_in_words(scene))


def described(description: str, *, title: str) -> Markup:
    r"""The description as HTML. A heading that only repeats the title, which stands above it already, is left out.

    >>> described("# Pets\n\n## Data\n", title="Pets")
    Markup('<h2>Data</h2>\n')
    """
    first, _, rest = description.lstrip().partition("\n")
    if first.startswith("# ") and first[2:].strip().casefold() == title.strip().casefold():
        return render_markdown(rest, top_heading=1)
    return render_markdown(description)


def _state(scene: Scene) -> tuple[str, str] | None:
    """A heading and a sentence about a competition that takes no submissions any more; None while it does."""
    phase, rules = scene.phase.name, scene.hosted.rules
    if phase == "spent":
        said = _("It has told all it may tell without losing its meaning. Submissions are closed; the board stands.")
        return _("This test set is spent"), said
    if phase == "revealed":
        return _("This competition is over"), _(
            "The results page has the final board, on rows that nobody could probe."
        )
    if phase not in ("closed", "finalized"):
        return None
    if rules.reveal == "never":
        return _("This competition is closed"), _("The board stands as it is.")
    return _("This competition is closed"), _("The final results follow: they come from rows that nobody could probe.")


def _onwards(scene: Scene) -> Link | None:
    """The one thing that most readers want to do next."""
    if scene.phase.name == "revealed":
        return Link(said("See the final results"), f"{scene.path}/results")
    may_submit = scene.person is None or scene.person.role == "participant"
    if scene.phase.name == "upcoming":
        return preparation(scene) if may_submit else None
    if scene.phase.name != "open":
        return Link(said("See the board"), f"{scene.path}/leaderboard")
    return Link(said("Submit predictions"), f"{scene.path}/submit") if may_submit else None


def _countdown(scene: Scene) -> Countdown | None:
    rules, now, phase = scene.hosted.rules, scene.now, scene.phase.name
    if phase == "revealed":
        return None
    if rules.opens is not None and now < rules.opens:
        return Countdown(said("Opens in"), scene.in_zone(rules.opens), rules.opens - now)
    if phase in ("open", "spent") and rules.deadline is not None and now < rules.deadline:
        return Countdown(said("Deadline in"), scene.in_zone(rules.deadline), rules.deadline - now)
    if isinstance(rules.reveal, datetime) and now < rules.reveal:
        return Countdown(said("Results in"), scene.in_zone(rules.reveal), rules.reveal - now)
    return None


def _moments(scene: Scene) -> list[charts.Moment]:
    rules = scene.hosted.rules
    reveal = rules.reveal if isinstance(rules.reveal, datetime) else None
    merge = rules.teams.merge_until if rules.teams.merging else None
    named = (
        (said("opens"), rules.opens),
        (said("teams merge until"), merge),
        (said("deadline"), rules.deadline),
        (said("results"), reveal),
    )
    return [charts.Moment(name, scene.in_zone(at)) for name, at in named if at is not None]
