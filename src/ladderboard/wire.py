"""The JSON shapes of the API, version 1, as frozen dataclasses: shared by the server, the client and the commands.

They need nothing but the standard library, so that the client stays small. What the server *accepts* is checked beside
its routes.
"""

from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

Item = TypeVar("Item")

Role = Literal["organiser", "participant", "reader"]
Scope = Literal["read", "submit", "organise"]
CompetitionStatus = Literal["upcoming", "open", "closed", "finalized", "revealed", "spent"]

# -- errors, pages of a list ------------------------------------------------------------------------------------------


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


# -- health -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Health:
    """Whether a server runs, or is ready."""

    status: Literal["ok"] = "ok"
