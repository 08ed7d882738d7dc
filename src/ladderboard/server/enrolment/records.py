"""Records of people's roles in a competition, and of invitations to it."""

from dataclasses import dataclass

from ladderboard.server.app.records import Time
from ladderboard.server.people.records import CompetitionRole, GivenRole


@dataclass(frozen=True)
class EnrolledBody:
    """Somebody with a role in a competition. ``real_name`` and ``address``: what the invitation said, or None."""

    name: str
    role: CompetitionRole
    real_name: str | None
    address: str | None
    team: str | None
    enrolled_at: Time


@dataclass(frozen=True)
class EnrolmentLinkBody:
    """An open invitation. ``uses_left`` None: for everybody who has the link, until it expires."""

    id: str
    role: GivenRole
    real_name: str | None
    address: str | None
    uses_left: int | None
    created_at: Time
    expires_at: Time


@dataclass(frozen=True)
class NewEnrolmentLinkBody:
    """A new invitation. ``link`` is shown only this once."""

    link: str
    id: str
    role: GivenRole
    real_name: str | None
    address: str | None
    uses_left: int | None
    created_at: Time
    expires_at: Time


@dataclass(frozen=True)
class EnrolmentLink(EnrolmentLinkBody):
    """An open invitation with its competition."""

    competition: str


@dataclass(frozen=True)
class Invitee:
    """Somebody on a pasted list: a name, an address, or both."""

    name: str | None
    address: str | None


@dataclass(frozen=True)
class LineProblem:
    """What is wrong with a line of a pasted list. Lines count from 1."""

    line: int
    message: str
