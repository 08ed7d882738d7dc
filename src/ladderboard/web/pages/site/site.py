"""What is not about a competition: the assets, the colours, how mechanisms work."""

from dataclasses import asdict, dataclass
from dataclasses import fields as dataclass_fields
from datetime import timedelta

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import NotFoundError, unknown_name
from ladderboard.core.words import translatable
from ladderboard.mechanisms import MECHANISMS
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from ladderboard.web.pages._shared.headers import PAGE_HEADERS
from ladderboard.web.pages._shared.responses import CheckedForm, Reader, go, own_path, show
from ladderboard.web.pages._shared.visitor import THEME_COOKIE, theme_named
from ladderboard.web.pages.competition.mechanism_words import WORDS, MechanismWords
from ladderboard.web.pages.site.assets import FOREVER, assets
from ladderboard.web.text import _, score

router = APIRouter(include_in_schema=False)

A_YEAR = timedelta(days=365)


@router.get("/static/{name}")
def static(request: Request, name: str) -> Response:
    """A file of ours; kept for ever where its address names its content."""
    asset = assets().get(name)
    if asset is None:
        raise NotFoundError(translatable("there is no such file"))
    kept = FOREVER if request.query_params.get("v") == asset.digest else "no-cache"
    headers = {**PAGE_HEADERS, "Cache-Control": kept, "ETag": f'"{asset.digest}"'}
    return Response(asset.content, media_type=asset.media_type, headers=headers)


@router.get("/favicon.ico")
def favicon() -> Response:
    """For browsers that ask without looking."""
    return go(assets()["icon.svg"].url)


@router.post("/appearance")
def appearance(request: Request, form: CheckedForm) -> Response:
    """Light, dark, or as the reader's system has it; works without script."""
    answer = go(own_path(form.text("next")))
    theme = theme_named(form.text("theme"))
    secure = request.app.state.services.settings.cookies_are_secure
    if theme == "auto":
        answer.delete_cookie(THEME_COOKIE, path="/")
    else:
        lasts = int(A_YEAR.total_seconds())
        answer.set_cookie(THEME_COOKIE, theme, max_age=lasts, secure=secure, httponly=True, samesite="lax")
    return answer


@dataclass(frozen=True)
class MechanismLine:
    """One of the list of mechanisms."""

    name: str
    title: str
    is_default: bool


@dataclass(frozen=True)
class MechanismPage(MechanismWords):
    """What the page of a mechanism says, with its defaults."""

    name: str
    parameters: tuple[tuple[str, str], ...]


@router.get("/mechanisms")
def mechanisms(request: Request, person: Reader) -> Response:
    """How a board stays true."""
    return show(request, "mechanisms.html", person, mechanisms=_lines())


@router.get("/mechanisms/{name}")
def mechanism(request: Request, person: Reader, name: str) -> Response:
    """One mechanism, for participants."""
    words = WORDS.get(name)
    if words is None:
        raise NotFoundError(unknown_name(translatable("mechanism"), name[:60], WORDS))
    page = MechanismPage(**asdict(words), name=name, parameters=_defaults(name))
    return show(request, "mechanism.html", person, mechanism=page, mechanisms=_lines())


def _lines() -> list[MechanismLine]:
    return [MechanismLine(name, words.title, name == WitnessLadder.name) for name, words in WORDS.items()]


def _defaults(name: str) -> tuple[tuple[str, str], ...]:
    made = MECHANISMS[name]()
    values = ((field.name, getattr(made, field.name)) for field in dataclass_fields(made))
    return tuple((field, _written(value)) for field, value in values)


def _written(value: object) -> str:
    """A parameter's default for people.

    >>> _written(None), _written(False), _written(1e-05), _written(1.0), _written(1000)
    ('chosen from the size of the test set', 'no', '0.00001', '1', '1,000')
    """
    if value is None:
        return _("chosen from the size of the test set")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return score(value) if isinstance(value, int | float) else f"{value}"
