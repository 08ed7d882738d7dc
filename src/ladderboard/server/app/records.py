"""Records that every address uses: errors, pages of a list, health."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

Item = TypeVar("Item")


class _InIsoFormat:
    """How times are written in JSON: with their offset, as `datetime.isoformat` does. Needs pydantic only to write."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic import PlainSerializer

        return PlainSerializer(datetime.isoformat, return_type=str).__get_pydantic_core_schema__(source, handler)


Time = Annotated[datetime, _InIsoFormat()]
"""A time in a record that is a row, an object of JSON and what a page shows."""


@dataclass(frozen=True)
class ErrorDetail:
    """An error: a stable code for programs, a sentence for people, and details."""

    code: str
    message: str
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ErrorBody:
    """The body of every error response."""

    error: ErrorDetail


@dataclass(frozen=True)
class Page(Generic[Item]):
    """A page of a list. ``next`` is the address of the next page; None: this is the last."""

    items: list[Item]
    total: int
    next: str | None = None


@dataclass(frozen=True)
class Health:
    """The health of a server."""

    status: Literal["ok"] = "ok"


@dataclass(frozen=True)
class Readiness(Health):
    """Whether a server can serve. ``damaged_files``: stored files that it found to be missing or changed."""

    damaged_files: int = 0
