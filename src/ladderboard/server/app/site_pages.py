"""Pages that belong to no competition: assets, appearance, mechanisms, and the reference of the API."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from datetime import timedelta
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import NotFoundError, unknown_name
from ladderboard.core.score_format import ScoreFormat
from ladderboard.mechanisms import DEFAULT_MECHANISM, MECHANISMS, REFERENCE_MECHANISM
from ladderboard.mechanisms.base import Mechanism
from ladderboard.server.app.api import PREFIX
from ladderboard.server.app.pages import CheckedForm, Reader, find_site_address, go, keep_own_path, show
from ladderboard.server.app.rendering import FOREVER, PAGE_HEADERS, THEME_COOKIE, assets, theme_named

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


WHERE = {"query": "query", "header": "header"}
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Parameter:
    """One parameter of an operation."""

    name: str
    where: str
    is_required: bool
    words: str
    fields: tuple[str, ...] = ()
    """Of a body."""


@dataclass(frozen=True)
class Operation:
    """One address and method."""

    method: str
    path: str
    words: str
    parameters: tuple[Parameter, ...]
    statuses: str


@dataclass(frozen=True)
class Resource:
    """The operations on one resource."""

    name: str
    operations: tuple[Operation, ...]


@router.get("/api")
def api_page(request: Request, person: Reader) -> Response:
    """All resources."""
    description: dict[str, Any] = request.app.openapi()
    view: dict[str, Any] = {"resources": list_resources(description), "openapi": f"{PREFIX}/openapi.json"}
    return show(request, "site/api.html", person, base=find_site_address(request), **view)


def list_resources(description: Mapping[str, Any]) -> tuple[Resource, ...]:
    """The operations by resource, in the order of the description."""
    found: dict[str, list[Operation]] = {}
    for path, methods in description["paths"].items():
        for method, told in methods.items():
            if method in METHODS:
                operation = _operation(method, path, told, description["components"]["schemas"])
                found.setdefault((told.get("tags") or ["other"])[0], []).append(operation)
    return tuple(Resource(name, tuple(operations)) for name, operations in found.items())


def _operation(method: str, path: str, operation: Mapping[str, Any], shapes: Mapping[str, Any]) -> Operation:
    parameters = [
        Parameter(one["name"], WHERE.get(one["in"], one["in"]), bool(one.get("required")), one.get("description", ""))
        for one in operation.get("parameters", [])
        if one["in"] != "path"
    ]
    for kind, body in operation.get("requestBody", {}).get("content", {}).items():
        schema = body.get("schema", {})
        shape = shapes.get(schema.get("$ref", "").rpartition("/")[2], schema)
        parameters.append(Parameter("body", kind, True, "", tuple(shape.get("properties", ()))))
    words = (operation.get("description") or operation.get("summary") or "").split("\n\n")[0]
    return Operation(method.upper(), path, words, tuple(parameters), ", ".join(sorted(operation["responses"])))
