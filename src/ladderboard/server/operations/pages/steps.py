"""Steps in a competition's life: a confirmation page that says what will happen, and the step itself."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Literal

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import ConflictError, HostingError, LadderboardError
from ladderboard.drawing.elements import Drawing
from ladderboard.server import lifecycle
from ladderboard.server.app.api import TheServices, finish_for, take_step
from ladderboard.server.app.pages import CheckedForm, Reader, go, make_visitor, show, stream_page
from ladderboard.server.app.rendering import Visitor, render
from ladderboard.server.app.text import sentence
from ladderboard.server.competitions.context import CompetitionContext, metric_title, require_organiser
from ladderboard.server.operations.pages.dashboard import list_steps, show_refusal
from ladderboard.server.results import finalizing
from ladderboard.server.results.pages.board import ResultRow, draw_shake_up, read_luck, result_rows, state_result
from ladderboard.server.results.private_board import PrivateBoard
from ladderboard.server.results.private_scores import find_private_format
from ladderboard.server.results.steps import Progress, Steps
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
STEP_PAGE = "operations/step.html"
PREVIEW_PLACE = "<!-- the preview -->"
"""Where the template has the preview once it is computed."""


@dataclass(frozen=True)
class Preview:
    """The private board as it is, or would be."""

    metric: str
    rows: tuple[ResultRow, ...]
    more: int
    statement: str
    shake_up: Drawing


@dataclass(frozen=True)
class Confirmation:
    """A confirmation page."""

    name: str
    title: str
    warning: str
    label: str
    base: str
    preview: Preview | Literal["in progress"] | None
    asks_at_once: bool


@router.get("/competitions/{slug}/organise/{step}")
async def ask(request: Request, services: TheServices, person: Reader, slug: str, step: StepName) -> Response:
    """Show what a step will do, and ask for confirmation; a preview comes with its progress."""
    context = await run_in_threadpool(require_organiser, services, slug, person)
    if step not in {one.name for one in list_steps(context)}:
        return await run_in_threadpool(show_refusal, request, services, context, ConflictError(TOO_SOON[step]))
    if step != "finalize":
        return await run_in_threadpool(_show, request, services, context, step)
    steps = finalizing.preview_in_steps(services, slug)
    # What cannot begin is refused as on any other page: nothing is sent before the first step.
    first, board = await take_step(steps)
    if first is None:
        assert board is not None
        return await run_in_threadpool(_show, request, services, context, step, _describe(context, board.to_dict()))
    visitor = make_visitor(request, person)
    page = render(STEP_PAGE, visitor, head=context.head("Organise"), ask=_confirm(context, step, "in progress"))
    return stream_page(request, _stream_preview(page, visitor, context, steps, first))


def _show(
    request: Request, services: Services, context: CompetitionContext, step: StepName, preview: Preview | None = None
) -> Response:
    if step == "reveal":
        preview = _describe(context, finalizing.read_board(services, context.slug, sees_all=True).result)
    asked = _confirm(context, step, preview)
    return show(request, STEP_PAGE, context.person, head=context.head("Organise"), ask=asked)


def _confirm(
    context: CompetitionContext, step: StepName, preview: Preview | Literal["in progress"] | None
) -> Confirmation:
    keeps_solution = not context.live.rules.publish_solution
    return Confirmation(
        name=step,
        title=TITLES[step],
        warning=(REVEAL_OF_SCORES if keeps_solution and step == "reveal" else WARNINGS[step]),
        label=next(one.label for one in list_steps(context) if one.name == step),
        base=f"{context.path}/organise",
        preview=preview,
        asks_at_once=step == "finalize",
    )


async def _stream_preview(
    page: str, visitor: Visitor, context: CompetitionContext, steps: Steps[PrivateBoard], progress: Progress | None
) -> AsyncIterator[str]:
    """The page as it grows: a line for each step, of which the last is seen, then the preview in their place."""
    before, after = page.split(PREVIEW_PLACE)
    yield before
    board = None
    try:
        while progress is not None:
            yield render("operations/progress.html", visitor, sentence=progress.sentence)
            progress, board = await take_step(steps)
    except LadderboardError as error:
        yield render("operations/progress.html", visitor, sentence=sentence(str(error)))
    finally:
        steps.close()
    yield "</div>"
    if board is not None:
        view = await run_in_threadpool(_describe, context, board.to_dict())
        yield render("operations/preview.html", visitor, preview=view)
    yield after


@router.post("/competitions/{slug}/organise/{step}")
async def do(
    request: Request, services: TheServices, person: Reader, slug: str, *, step: StepName, form: CheckedForm
) -> Response:
    """Take a step; if it is refused, the dashboard says why."""
    context = await run_in_threadpool(require_organiser, services, slug, person)
    simple = {"freeze": lifecycle.freeze, "unfreeze": lifecycle.unfreeze, "reveal": lifecycle.reveal}
    try:
        if step == "finalize":
            at_once = form.text("at_once") == "yes"
            await finish_for(request, finalizing.finalize_in_steps(services, slug, at_once=at_once))
        else:
            await run_in_threadpool(simple[step], services, slug)
    except HostingError as error:
        return await run_in_threadpool(show_refusal, request, services, context, error)
    return go(f"{context.path}/organise", notice=DONE[step])


def _describe(context: CompetitionContext, result: dict[str, Any]) -> Preview:
    rows = list(result["rows"])
    private = find_private_format(context.live)
    return Preview(
        metric=metric_title(result["metric"]),
        rows=result_rows(rows[:PREVIEWED], private, context.live.score_format),
        more=max(0, len(rows) - PREVIEWED),
        statement=state_result(result, luck=read_luck(result, private)),
        shake_up=draw_shake_up(rows),
    )
