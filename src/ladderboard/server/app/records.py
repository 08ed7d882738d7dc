"""Records that every address uses: errors, pages of a list, health."""

from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

Item = TypeVar("Item")


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
