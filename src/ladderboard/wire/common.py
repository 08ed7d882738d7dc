"""Shapes that every resource uses: errors, pages of a list, health."""

from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True)
class ErrorDetail:
    """What went wrong: a stable code for programs, a sentence for people, and more where there is more to say."""

    code: str
    message: str
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ErrorBody:
    """The one shape of every error."""

    error: ErrorDetail


@dataclass(frozen=True)
class Page(Generic[Item]):
    """A part of a list. ``next`` is the address of the following part; None: this is the last."""

    items: list[Item]
    total: int
    next: str | None = None


@dataclass(frozen=True)
class Health:
    """Whether a server runs, or is ready."""

    status: Literal["ok"] = "ok"
