"""The API reference as a page, made from the OpenAPI description."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.server.app.api import PREFIX
from ladderboard.server.app.pages.responses import Reader, find_site_address, show

router = APIRouter(include_in_schema=False)

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
