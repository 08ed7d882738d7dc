"""The page of the HTTP API, from the OpenAPI description that a server gives."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ladderboard.server.app.application import create_app
from ladderboard.server.db.database import Database
from ladderboard.server.services import Services, files_for
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.referee import Referee

METHODS = ("get", "post", "put", "patch", "delete")
ERROR = "ErrorBody"


def api_lines() -> list[str]:
    """Every operation by its resource, then every shape that is sent or answered."""
    description = read_description()
    lines = ["# The API, version 1", "", description["info"]["description"].strip(), ""]
    lines += [
        "`GET /api/v1/openapi.json` has this page for programs, and",
        "[a client in Python](../guide/participate.md#in-python) does all that a participant needs.",
        "",
        "Lists: `GET …?limit=100&offset=0`. Answers that rarely change have an `ETag`: ask again with `If-None-Match`.",
        "An answer 429 or 503 says in `Retry-After` when to come back.",
    ]
    for tag, operations in sorted(_by_tag(description).items()):
        lines += ["", f"## {tag}"]
        for method, path, operation in operations:
            lines += _operation(method, path, operation)
    lines += ["", "## Shapes", "", "A `?` marks what may be left out; `null` what may be null."]
    for name, schema in sorted(description["components"]["schemas"].items()):
        lines += _shape(name, schema)
    return lines


def read_description() -> dict[str, Any]:
    """The description of a server without competitions; it is the same for all."""
    with TemporaryDirectory() as folder:
        settings = Settings(data=Path(folder))
        database = Database(settings.database_url)
        try:
            services = Services(settings, database, files_for(settings, database), Referee(database))
            return create_app(services).openapi()
        finally:
            database.close()


def _by_tag(description: dict[str, Any]) -> dict[str, list[tuple[str, str, dict[str, Any]]]]:
    found: dict[str, list[tuple[str, str, dict[str, Any]]]] = {}
    for path, operations in sorted(description["paths"].items()):
        for method in METHODS:
            if method in operations:
                found.setdefault(operations[method]["tags"][0], []).append((method, path, operations[method]))
    return found


def _operation(method: str, path: str, operation: dict[str, Any]) -> Iterator[str]:
    yield from ("", f"### {method.upper()} {path}", "")
    yield operation.get("description", operation["summary"]).strip()
    given = [*map(_parameter, operation.get("parameters", [])), *_body(operation)]
    if given:
        yield ""
        yield from given
    yield ""
    for status, answer in sorted(operation["responses"].items()):
        if _shape_of(answer) != f"`{ERROR}`":
            yield f"- → {status} {_shape_of(answer) or answer['description']}"
    refusals = [status for status, answer in operation["responses"].items() if _shape_of(answer) == f"`{ERROR}`"]
    if refusals:
        yield f"- → {', '.join(sorted(refusals))}: an error"


def _parameter(parameter: dict[str, Any]) -> str:
    words = f": {parameter['description']}" if "description" in parameter else ""
    needed = "" if parameter.get("required") else "?"
    return f"- {parameter['in']} `{parameter['name']}{needed}`: {_type(parameter['schema'])}{words}"


def _body(operation: dict[str, Any]) -> Iterator[str]:
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        schema = content["schema"]
        if "$ref" in schema:
            yield f"- body ({kind}): {_type(schema)}"
        else:
            fields = ", ".join(f"`{name}`: {_type(one)}" for name, one in schema["properties"].items())
            yield f"- body ({kind}): {fields}"


def _shape_of(answer: dict[str, Any]) -> str:
    content = answer.get("content", {})
    named = [_type(one["schema"]) for kind, one in content.items() if kind == "application/json" and one.get("schema")]
    return " or ".join([*named, *(kind for kind in content if kind != "application/json")])


def _shape(name: str, schema: dict[str, Any]) -> Iterator[str]:
    yield from ("", f"### {name}", "", schema.get("description", "").strip(), "")
    needed = schema.get("required", [])
    for field, one in schema.get("properties", {}).items():
        mark = "" if field in needed else "?"
        words = f": {one['description']}" if "description" in one else ""
        yield f"- `{field}{mark}`: {_type(one)}{words}"


def _type(schema: dict[str, Any]) -> str:
    """A type in a few words."""
    if "$ref" in schema:
        return f"`{schema['$ref'].rsplit('/', 1)[1]}`"
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return " or ".join(f'"{one}"' for one in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("format") if schema.get("format") == "binary" else schema.get("type", "anything"))
