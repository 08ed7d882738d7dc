"""Steps in a competition's life: a confirmation page that says what will happen, and the step itself."""

from dataclasses import dataclass
from typing import Any, Literal

from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import ConflictError, HostingError
from ladderboard.server import lifecycle
from ladderboard.server.app.dependencies import TheServices
from ladderboard.server.app.pages.responses import CheckedForm, Reader, go, show
from ladderboard.server.competitions.context import CompetitionContext, metric_title
from ladderboard.server.operations.pages import require_organiser, show_refusal
from ladderboard.server.operations.views import list_steps
from ladderboard.server.results import finalizing
from ladderboard.server.results.pages import ResultRow, draw_shake_up, read_luck, result_rows, state_result
from ladderboard.server.services import Services

router = APIRouter(include_in_schema=False)

StepName = Literal["freeze", "unfreeze", "finalize", "reveal"]
DONE = {"freeze": "frozen", "unfreeze": "unfrozen", "finalize": "finalized", "reveal": "revealed"}
TITLES = {
    "freeze": "Close the competition now?",
    "unfreeze": "Reopen the competition?",
    "finalize": "Compute the private board?",
    "reveal": "Reveal the private board?",
}
WARNINGS = {
    "freeze": "Teams can no longer submit. You can reopen it until the private board is computed.",
    "unfreeze": "Teams can submit again, until the deadline.",
    "finalize": "It is computed once, on the submissions that teams selected. No selection can be changed afterwards.",
    "reveal": (
        "This cannot be undone: everybody sees the results, and labels and split are published so that everything "
        "can be checked. The test set is used up."
    ),
}
REVEAL_OF_SCORES = "This cannot be undone: everybody sees the results. Labels and split stay secret."
"""The warning where the rules keep the solution."""
TOO_SOON = {
    "freeze": "That is not possible right now: the competition is already closed.",
    "unfreeze": (
        "That is not possible right now: only a competition that an organiser closed can be reopened, until its "
        "deadline and until the private board is computed."
    ),
    "finalize": "That is not possible right now: the private board is computed once, after the competition has closed.",
    "reveal": "That is not possible right now: the private board is computed first, and revealed once.",
}
"""Why a step is not offered: an old tab or a link may lead to its page."""
PREVIEWED = 20


@dataclass(frozen=True)
class Preview:
    """The private board as it is, or would be."""

    metric: str
    rows: tuple[ResultRow, ...]
    more: int
    statement: str
    shake_up: Markup


@dataclass(frozen=True)
class Confirmation:
    """A confirmation page."""

    name: str
    title: str
    warning: str
    label: str
    base: str
    preview: Preview | None
    asks_at_once: bool


@router.get("/competitions/{slug}/organise/{step}")
def ask(request: Request, services: TheServices, person: Reader, slug: str, step: StepName) -> Response:
    """Show what a step will do, and ask for confirmation."""
    context = require_organiser(services, slug, person)
    allowed = {one.name: one.label for one in list_steps(context)}
    if step not in allowed:
        return show_refusal(request, services, context, ConflictError(TOO_SOON[step]))
    keeps_solution = not context.live.rules.publish_solution
    page = Confirmation(
        name=step,
        title=TITLES[step],
        warning=(REVEAL_OF_SCORES if keeps_solution and step == "reveal" else WARNINGS[step]),
        label=allowed[step],
        base=f"{context.path}/organise",
        preview=_preview(services, context, step),
        asks_at_once=step == "finalize",
    )
    return show(request, "operations/step.html", person, head=context.head("Organise"), ask=page)


@router.post("/competitions/{slug}/organise/{step}")
def do(
    request: Request, services: TheServices, person: Reader, slug: str, *, step: StepName, form: CheckedForm
) -> Response:
    """Take a step; if it is refused, the dashboard says why."""
    context = require_organiser(services, slug, person)
    try:
        if step == "finalize":
            finalizing.finalize(services, slug, at_once=form.text("at_once") == "yes")
        else:
            {"freeze": lifecycle.freeze, "unfreeze": lifecycle.unfreeze, "reveal": lifecycle.reveal}[step](
                services, slug
            )
    except HostingError as error:
        return show_refusal(request, services, context, error)
    return go(f"{context.path}/organise", notice=DONE[step])


def _preview(services: Services, context: CompetitionContext, step: StepName) -> Preview | None:
    if step == "finalize":
        return _describe(finalizing.preview(services, context.slug).to_dict())
    if step == "reveal":
        return _describe(finalizing.read_board(services, context.slug, sees_all=True).result)
    return None


def _describe(result: dict[str, Any]) -> Preview:
    rows = list(result["rows"])
    return Preview(
        metric=metric_title(result["metric"]),
        rows=result_rows(rows[:PREVIEWED]),
        more=max(0, len(rows) - PREVIEWED),
        statement=state_result(result, luck=read_luck(result)),
        shake_up=draw_shake_up(rows),
    )
