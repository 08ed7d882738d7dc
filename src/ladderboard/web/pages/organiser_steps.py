"""The organiser's decisions about a competition's life: each with a page that says what will happen, then a button."""

from dataclasses import dataclass
from typing import Any, Literal

from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.errors import ConflictError, HostingError
from ladderboard.hosting import finalizing, lifecycle
from ladderboard.hosting.host import Host
from ladderboard.store import results
from ladderboard.web.pages.organiser import organising, refused
from ladderboard.web.pages.organiser_views import steps_of
from ladderboard.web.pages.results import ResultRow, luck_of, result_rows, shake_up_of, statement_of
from ladderboard.web.pages.scene import Scene, metric_title
from ladderboard.web.pages.showing import CheckedForm, Reader, go, show
from ladderboard.web.parts import TheHost
from ladderboard.web.text import _
from ladderboard.words import said

router = APIRouter(include_in_schema=False)

StepName = Literal["freeze", "unfreeze", "finalize", "reveal"]
DONE = {"freeze": "frozen", "unfreeze": "unfrozen", "finalize": "finalized", "reveal": "revealed"}
TITLES = {
    "freeze": said("Close the competition now?"),
    "unfreeze": said("Open the competition again?"),
    "finalize": said("Compute the private board?"),
    "reveal": said("Reveal the private board?"),
}
WARNINGS = {
    "freeze": said("Teams can submit nothing more. You can open it again until the private board is computed."),
    "unfreeze": said("Teams can submit again, until the deadline."),
    "finalize": said("It is computed once, on the submissions that teams picked. Nobody can change a pick afterwards."),
    "reveal": said(
        "It cannot be taken back: everybody sees the result, and labels and split are published so that all "
        "can be checked. The test set is used up."
    ),
}
TOO_SOON = {
    "freeze": said("This cannot be done now: the competition is closed already."),
    "unfreeze": said(
        "This cannot be done now: only a competition that was closed by hand opens again, until its deadline "
        "and until the private board is computed."
    ),
    "finalize": said("This cannot be done now: the private board is computed once, after the competition has closed."),
    "reveal": said("This cannot be done now: the private board is computed first, and revealed once."),
}
"""Why a step is not offered: people come to its page by an old tab or a link."""
PREVIEWED = 20


@dataclass(frozen=True)
class Preview:
    """The private board as it would be, or is."""

    metric: str
    rows: tuple[ResultRow, ...]
    more: int
    statement: str
    shake_up: Markup


@dataclass(frozen=True)
class Confirmation:
    """The page before the button."""

    name: str
    title: str
    warning: str
    label: str
    base: str
    preview: Preview | None
    asks_at_once: bool


@router.get("/competitions/{slug}/organise/{step}")
def ask(request: Request, host: TheHost, person: Reader, slug: str, step: StepName) -> Response:
    """What will happen."""
    scene = organising(host, slug, person)
    allowed = {one.name: one.label for one in steps_of(scene)}
    if step not in allowed:
        return refused(request, host, scene, ConflictError(TOO_SOON[step]))
    page = Confirmation(
        name=step,
        title=_(TITLES[step]),
        warning=_(WARNINGS[step]),
        label=allowed[step],
        base=f"{scene.path}/organise",
        preview=_preview(host, scene, step),
        asks_at_once=step == "finalize",
    )
    return show(request, "organiser_step.html", person, head=scene.head("Organise"), ask=page)


@router.post("/competitions/{slug}/organise/{step}")
def do(request: Request, host: TheHost, person: Reader, slug: str, *, step: StepName, form: CheckedForm) -> Response:
    """Do it; where it cannot be done the dashboard says why."""
    scene = organising(host, slug, person)
    try:
        if step == "finalize":
            finalizing.finalize(host, slug, at_once=form.text("at_once") == "yes")
        else:
            {"freeze": lifecycle.freeze, "unfreeze": lifecycle.unfreeze, "reveal": lifecycle.reveal}[step](host, slug)
    except HostingError as error:
        return refused(request, host, scene, error)
    return go(f"{scene.path}/organise", said=DONE[step])


def _preview(host: Host, scene: Scene, step: StepName) -> Preview | None:
    if step == "finalize":
        return _shown(finalizing.preview(host, scene.slug).to_dict())
    if step == "reveal":
        with host.database.reading() as connection:
            stored = results.stored(connection, scene.slug)
        return None if stored is None else _shown(stored.result)
    return None


def _shown(result: dict[str, Any]) -> Preview:
    rows = list(result["rows"])
    return Preview(
        metric=metric_title(result["metric"]),
        rows=result_rows(rows[:PREVIEWED]),
        more=max(0, len(rows) - PREVIEWED),
        statement=statement_of(result, luck=luck_of(result)),
        shake_up=shake_up_of(rows),
    )
