"""The page on which an organiser corrects labels: who would move, by how much, and the publication."""

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError, InputError
from ladderboard.core.words import pluralise
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.pages import CheckedForm, Reader, go, show
from ladderboard.server.app.text import sentence
from ladderboard.server.competitions.context import CompetitionContext, require_organiser
from ladderboard.server.competitions.editing import read_version
from ladderboard.server.results.label_corrections import preview_labels, publish_labels, read_corrections
from ladderboard.server.results.records import RescoringBody, TeamChangeBody

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class MovedTeam:
    """A team before and after a correction, in the words of the page."""

    name: str
    before: str
    after: str
    rank: str


@dataclass(frozen=True)
class CorrectionPreview:
    """What a correction would change."""

    sentence: str
    teams: tuple[MovedTeam, ...]


@router.get("/competitions/{slug}/organise/labels")
def labels(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Ask for ids and labels."""
    context = require_organiser(services, slug, person)
    read_version(services, slug)  # raises where a folder has the solution
    return _show(request, context, "")


@router.post("/competitions/{slug}/organise/labels")
def correct(request: Request, services: TheServices, person: Reader, slug: str, *, form: CheckedForm) -> Response:
    """Preview the correction, or publish it."""
    context, text = require_organiser(services, slug, person), form.text("labels")
    try:
        wanted = read_corrections(text)
        if form.text("do") != "publish":
            return _show(request, context, text, found=preview_labels(services, slug, wanted))
        version = int(form.text("version")) if form.text("version").isdecimal() else 0
        publish_labels(services, slug, wanted, version=version)
    except (HostingError, InputError) as error:
        return _show(request, context, text, problem=sentence(str(error)), status=getattr(error, "status", 422))
    return go(f"{context.path}/organise", notice="corrected")


def _show(
    request: Request,
    context: CompetitionContext,
    text: str,
    *,
    found: RescoringBody | None = None,
    problem: str = "",
    status: int = 200,
) -> Response:
    return show(
        request,
        "results/labels.html",
        context.person,
        status=status,
        head=context.head("Organise"),
        labels=text,
        version=context.live.scoring_version,
        preview=None if found is None else _describe(context, found),
        problem=problem,
    )


def _describe(context: CompetitionContext, found: RescoringBody) -> CorrectionPreview:
    moved = [one for one in found.teams if (one.value_before, one.rank_before) != (one.value_after, one.rank_after)]
    changed = found.releases_changed
    scores = pluralise("One score shown changes", "{n} scores shown change", changed) if changed else "No score changes"
    teams = pluralise("one team moves or has another score", "{n} teams move or have another score", len(moved))
    cost = f"Publishing adds {found.bits_told:,.0f} bits to the information released."
    return CorrectionPreview(
        f"{scores}; {teams if moved else 'no team moves'}. {cost}",
        tuple(_tell_team(context, one) for one in moved),
    )


def _tell_team(context: CompetitionContext, one: TeamChangeBody) -> MovedTeam:
    def write(value: float | None) -> str:
        return "–" if value is None else context.live.score_format.write(value)

    ranks = (one.rank_before or "–", one.rank_after or "–")
    return MovedTeam(
        one.team,
        write(one.value_before),
        write(one.value_after),
        "stays" if ranks[0] == ranks[1] else f"{ranks[0]} → {ranks[1]}",
    )
