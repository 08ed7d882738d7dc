"""The organiser's dashboard: use of the holdout, submissions by hour, flags, and the next decision."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError, InputError, LadderboardError
from ladderboard.core.words import pluralise
from ladderboard.drawing.elements import Drawing
from ladderboard.server import charts
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.auth import CSRF_FIELD, require_csrf
from ladderboard.server.app.pages import Reader, go, read_notice, show
from ladderboard.server.app.text import sentence
from ladderboard.server.app.uploads import receive_upload
from ladderboard.server.competitions.context import CompetitionContext, require_duty, require_organiser
from ladderboard.server.moderation.pages import FlagLine, describe_flags
from ladderboard.server.moderation.rules import KINDS, count_flags, list_flags
from ladderboard.server.operations.pages.matters import Matters, describe_matters
from ladderboard.server.operations.records import HoldoutHealthBody
from ladderboard.server.operations.rules import HOURS, add_baseline, measure_health
from ladderboard.server.services import Services
from ladderboard.server.submissions.records import QUEUED

router = APIRouter(include_in_schema=False)

FORM_BYTES = 1 << 16
NOTICES = {
    "corrected": "The correction is published, and every submission is judged by it.",
    "published": "The competition is published.",
    "frozen": "The competition is closed.",
    "unfrozen": "The competition is open again.",
    "finalized": "The private board is computed. Only organisers see it until the reveal.",
    "revealed": "The private board is revealed.",
    "baseline": "The baseline is on the board.",
    "queued": "The baseline is in the queue.",
    "dismissed": "The flag is dismissed.",
    "dismissed-all": "The flags are dismissed.",
}


@router.get("/competitions/{slug}/organise")
def dashboard(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Show the dashboard."""
    context = require_duty(services, slug, person, "oversee")
    return show_dashboard(request, services, context, notice=read_notice(request, NOTICES))


@router.post("/competitions/{slug}/organise/baselines")
async def baseline(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Score a file as a baseline; the dashboard shows what is wrong with it."""
    context = await run_in_threadpool(require_organiser, services, slug, person)
    limit = min(services.settings.max_request_bytes, context.live.rules.limits.max_file_bytes + FORM_BYTES)
    upload = await receive_upload(request.stream(), request.headers.get("content-type", ""), limit=limit)
    require_csrf(request, upload.fields.get(CSRF_FIELD, ""))
    name = upload.fields.get("name", "")
    try:
        answer = await run_in_threadpool(add_baseline, services, slug, name, upload.content, file_name=upload.file_name)
    except (HostingError, InputError) as error:
        return await run_in_threadpool(show_refusal, request, services, context, error)
    return go(f"{context.path}/organise", notice="queued" if answer.status == QUEUED else "baseline")


def show_dashboard(
    request: Request,
    services: Services,
    context: CompetitionContext,
    *,
    notice: str = "",
    problem: str = "",
    status: int = 200,
) -> Response:
    """Show the dashboard with a notice or a problem."""
    view = read_dashboard(services, context)
    head = context.head("Organise")
    return show(
        request,
        "operations/dashboard.html",
        context.person,
        status=status,
        head=head,
        desk=view,
        notice=notice,
        problem=problem,
    )


def show_refusal(
    request: Request, services: Services, context: CompetitionContext, error: LadderboardError
) -> Response:
    """Show the dashboard with the reason why something was refused."""
    status = getattr(error, "status", 422)
    return show_dashboard(request, services, context, problem=sentence(str(error)), status=status)


FEW_FLAGS = 5
MOST_SUSPECTS = 8


@dataclass(frozen=True)
class Suspect:
    """A team and how often it was flagged for what."""

    team: str
    kind: str
    words: str
    number: int


@dataclass(frozen=True)
class NextStep:
    """A decision that the organiser can make now."""

    name: str
    label: str
    sentence: str
    is_main: bool


@dataclass(frozen=True)
class DashboardView:
    """The organiser's dashboard."""

    base: str
    matters: Matters
    health: HoldoutHealthBody
    hours: Drawing
    hours_sentence: str
    bits: str
    meter: Drawing
    meter_sentences: tuple[str, ...]
    suspects: tuple[Suspect, ...]
    newest: tuple[FlagLine, ...]
    status_sentence: str
    steps: tuple[NextStep, ...]
    export: str
    folder: str
    refused: str
    """Why what changed in the folder is not taken over; empty where all of it is."""
    is_made: bool
    """Whether it was made in the browser, and can be changed there."""
    is_unpublished: bool
    """Whether the folder had another solution than the one that counts when the server started."""


def read_dashboard(services: Services, context: CompetitionContext) -> DashboardView:
    """Read everything the dashboard shows."""
    health = measure_health(services, context.slug)
    newest, _total = list_flags(services.database, context.slug, limit=FEW_FLAGS)
    suspects, _flagged = count_flags(services.database, context.slug, limit=MOST_SUSPECTS)
    folder = context.live.competition.folder
    ends_in_private = context.live.competition.private is not None and context.live.rules.reveal != "never"
    return DashboardView(
        base=f"{context.path}/organise",
        matters=describe_matters(services, context, health),
        health=health,
        hours=charts.submissions_per_hour(_bars(context, health)) if health.hours else Drawing(""),
        hours_sentence=_hours_sentence(health),
        bits=f"{health.bits:,.0f}",
        meter=charts.leakage_meter(health.bits, limit=health.bits_limit, overfit_bound=health.overfit_bound),
        meter_sentences=tuple(_meter_sentences(health, ends_in_private=ends_in_private)),
        suspects=tuple(Suspect(one.team, one.kind, KINDS.get(one.kind, one.kind), one.number) for one in suspects),
        newest=describe_flags(context, newest),
        status_sentence=_status_sentence(context),
        steps=tuple(list_steps(context)),
        export=f"/api/v1/competitions/{context.slug}/export",
        folder="my-competition" if folder is None else folder.name,
        refused=services.refused_changes.get(context.slug, ""),
        is_made=context.record.folder is not None,
        is_unpublished=context.slug in services.unpublished,
    )


def list_steps(context: CompetitionContext) -> Iterable[NextStep]:
    """List what an organiser can decide now, the usual step first."""
    status, rules = context.status, context.live.rules
    if status in ("open", "upcoming", "spent"):
        yield NextStep(
            "freeze", "Close now", "No more submissions are scored; those that arrived before still count.", False
        )
    if status == "closed":
        words = "Computes the private board on the selected submissions. Selections can no longer be changed."
        yield NextStep("finalize", "Finalize", words, True)
        if rules.deadline is None or context.now <= rules.deadline:
            yield NextStep("unfreeze", "Reopen", "Teams can submit again.", False)
    if status == "finalized" and rules.reveal != "never":
        words = "Shows the private board to everybody and publishes the sealed records."
        yield NextStep("reveal", "Reveal", words, True)


def _status_sentence(context: CompetitionContext) -> str:
    sentences = {
        "upcoming": "The competition has not opened yet.",
        "open": "The competition is open.",
        "spent": "The test set is used up: it has released all the information the rules allow.",
        "closed": "The competition is closed; the private board is not computed yet.",
        "finalized": "The private board is computed; only organisers see it.",
        "revealed": "The results are public.",
    }
    return sentences[context.status]


def _bars(context: CompetitionContext, health: HoldoutHealthBody) -> list[charts.HourBar]:
    """Every hour of the last seven days, those without submissions too."""
    known = {hour.begins: hour.submissions for hour in health.hours}
    last = context.now.replace(minute=0, second=0, microsecond=0)
    starts = [last - timedelta(hours=back) for back in range(HOURS - 1, -1, -1)]
    return [charts.HourBar(context.in_zone(start), known.get(start, 0), 0) for start in starts]


def _hours_sentence(health: HoldoutHealthBody) -> str:
    return pluralise(
        "One submission in the last seven days.",
        "{n} submissions in the last seven days.",
        sum(hour.submissions for hour in health.hours),
    )


def _meter_sentences(health: HoldoutHealthBody, *, ends_in_private: bool) -> Iterable[str]:
    yield "Every score shown tells a little about the hidden labels. Bits measure how much, at most."
    yield _count_bits(health.bits, health.bits_limit)
    if health.largest_bits and health.largest_bound is not None:
        yield (
            f"No team has received more than {_write_bits(health.largest_bits)}. Had it used them all against the "
            f"test set, its public score would still be within {health.largest_bound:.3f} of the true one (95 % "
            "confidence). That is the worst case, not an estimate."
        )
    if ends_in_private:
        yield "The final result does not suffer: its private rows had no part in these scores."


def _count_bits(bits: float, limit: float | None) -> str:
    if limit is None:
        return f"So far all teams together have received {_write_bits(bits)}; the rules set no limit."
    return (
        f"So far all teams together have received {bits:,.0f} of the {limit:,.0f} bits that the rules allow; at the "
        "limit no more scores are shown."
    )


def _write_bits(bits: float) -> str:
    return pluralise("{n} bit", "{n} bits", round(bits))
