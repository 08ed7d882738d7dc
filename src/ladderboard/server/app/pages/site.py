"""Pages that belong to no competition: assets, appearance, mechanisms."""

from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from datetime import timedelta

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import NotFoundError, unknown_name
from ladderboard.core.score_format import ScoreFormat
from ladderboard.mechanisms import DEFAULT_MECHANISM, MECHANISMS, REFERENCE_MECHANISM
from ladderboard.mechanisms.base import Mechanism
from ladderboard.server.app.pages.assets import FOREVER, assets
from ladderboard.server.app.pages.headers import PAGE_HEADERS
from ladderboard.server.app.pages.responses import CheckedForm, Reader, go, keep_own_path, show
from ladderboard.server.app.pages.visitor import THEME_COOKIE, theme_named

router = APIRouter(include_in_schema=False)

A_YEAR = timedelta(days=365)


@router.get("/static/{name}")
def static(request: Request, name: str) -> Response:
    """A static file; cached for ever if its address names its content."""
    asset = assets().get(name)
    if asset is None:
        raise NotFoundError("there is no such file")
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
    answer = go(keep_own_path(form.text("next")))
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
class ParameterLine:
    """A parameter of a mechanism, and its default in words."""

    name: str
    words: str
    default: str


@router.get("/mechanisms")
def mechanisms(request: Request, person: Reader) -> Response:
    """How a board stays true."""
    return show(request, "site/mechanisms.html", person, mechanisms=_list_mechanisms())


@router.get("/mechanisms/{name}")
def mechanism(request: Request, person: Reader, name: str) -> Response:
    """One mechanism, for participants."""
    made = MECHANISMS.get(name)
    if made is None:
        raise NotFoundError(unknown_name("mechanism", name[:60], MECHANISMS))
    others = [line for line in _list_mechanisms() if line.name != name]
    parameters = _list_parameters(made)
    return show(request, "site/mechanism.html", person, mechanism=made.words, parameters=parameters, others=others)


def _list_mechanisms() -> list[MechanismLine]:
    """All of them: the default first, what platforms do last."""
    made = sorted(MECHANISMS.values(), key=lambda one: (one is not DEFAULT_MECHANISM, one is REFERENCE_MECHANISM))
    return [MechanismLine(one.name, one.words.title, one is DEFAULT_MECHANISM) for one in made]


def _list_parameters(made: type[Mechanism]) -> tuple[ParameterLine, ...]:
    """The parameters in words, with their defaults."""
    default = made()
    return tuple(
        ParameterLine(field.name, made.words.parameters[field.name], _write_value(getattr(default, field.name)))
        for field in dataclass_fields(default)
    )


def _write_value(value: object) -> str:
    """A parameter's default for people.

    >>> _write_value(None), _write_value(False), _write_value(1e-05), _write_value(1 / 3), _write_value(1000)
    ('chosen from the size of the test set', 'no', '0.00001', '0.33', '1,000')
    """
    if value is None:
        return "chosen from the size of the test set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return f"{value}"
    return ScoreFormat.of_step(abs(value)).write(value) if value else "0"
