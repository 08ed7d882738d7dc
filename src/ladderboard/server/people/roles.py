"""Permissions: who may do what, decided in one place.

    action             who
    see_competition    everybody; of a private one, its members, whoever has a role in it, readers and organisers
    join               participants: make a team, accept an invitation
    submit             an active member, for the own team
    see_team           its members; teachers, assistants and readers of the competition
    change_team        its members; teachers and assistants
    oversee            teachers, assistants and readers: the organiser's pages, people's names, grades
    assist             teachers and assistants: teams, extra attempts, flags, the queue, invitations
    organise           teachers: everything else, such as closing, revealing, corrections, exports, roles

An organiser of the server is a teacher of every competition. A reader of the server sees private competitions, but not
the organiser's pages. Nobody competes where they teach, assist or read. A token allows no more than its scopes. Where
the existence of something is secret, the answer is "there is none" (404), not "you may not" (403).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ladderboard.competition import Rules
from ladderboard.core.errors import ForbiddenError, HostingError, NotFoundError, SignInRequiredError
from ladderboard.core.words import with_article
from ladderboard.server.people.records import CompetitionRole, Role, Scope

Action = Literal["see_competition", "join", "submit", "see_team", "change_team", "oversee", "assist", "organise"]

STAFF: dict[CompetitionRole, frozenset[Action]] = {
    "teacher": frozenset({"see_team", "change_team", "oversee", "assist", "organise"}),
    "assistant": frozenset({"see_team", "change_team", "oversee", "assist"}),
    "reader": frozenset({"see_team", "oversee"}),
    "former": frozenset(),
}
"""What those who do not compete may do in their competition; a participant has only what everybody has. Whoever was on
the staff has seen what competitors must not, so nobody competes after giving up a role.
"""

SCOPES_OF: dict[Role, frozenset[Scope]] = {
    "organiser": frozenset({"read", "submit", "organise"}),
    "participant": frozenset({"read", "submit"}),
    "reader": frozenset({"read"}),
}
"""The scopes a role allows at most."""
STAFF_SCOPES: frozenset[Scope] = frozenset({"read", "organise"})
"""What teaching, assisting or reading in any competition allows too; what it is good for, `STAFF` says."""

SCOPE_FOR: dict[Action, Scope] = {
    "see_competition": "read",
    "join": "submit",
    "submit": "submit",
    "see_team": "read",
    "change_team": "submit",
    "oversee": "organise",
    "assist": "organise",
    "organise": "organise",
}


@dataclass(frozen=True)
class Person:
    """A signed-in person. ``scopes``: what this session or token allows; ``roles``: what the person is in which
    competition.
    """

    id: str
    name: str
    role: Role
    scopes: frozenset[Scope]
    roles: Mapping[str, CompetitionRole] = field(default_factory=dict)

    @property
    def is_organiser(self) -> bool:
        """By role and by scope: a token without `organise` makes its owner an ordinary person."""
        return self.role == "organiser" and "organise" in self.scopes

    def role_in(self, slug: str) -> CompetitionRole | None:
        """What the person is in a competition; None for somebody without a role there."""
        return "teacher" if self.role == "organiser" else self.roles.get(slug)

    def is_known_in(self, slug: str) -> bool:
        """Whether a competition that others do not see is there for this person."""
        return self.role_in(slug) not in (None, "former")

    def may_compete_in(self, slug: str) -> bool:
        """Whether this person is one of those who may have a team."""
        return self.role == "participant" and self.roles.get(slug) not in STAFF


def find_scopes(role: Role, roles: Mapping[str, CompetitionRole]) -> frozenset[Scope]:
    """The scopes that somebody can have at most.

    >>> sorted(find_scopes("participant", {"pets": "assistant"}))
    ['organise', 'read', 'submit']
    """
    return SCOPES_OF[role] | (STAFF_SCOPES if any(STAFF.get(one) for one in roles.values()) else frozenset())


def may(
    person: Person | None,
    action: Action,
    rules: Rules | None = None,
    *,
    own_team: str | None = None,
    team: str | None = None,
) -> bool:
    """Whether ``person`` may do ``action`` in a competition.

    ``own_team``: the id of the team that the person is an active member of there; ``team``: of the one it is about.
    """
    return _refusal(person, action, rules, own_team, team) is None


def require(
    person: Person | None,
    action: Action,
    rules: Rules | None = None,
    *,
    own_team: str | None = None,
    team: str | None = None,
) -> None:
    """Raise if the person may not: 401, 403, or 404 where even the existence is secret."""
    refusal = _refusal(person, action, rules, own_team, team)
    if refusal is not None:
        raise refusal


def _refusal(
    person: Person | None, action: Action, rules: Rules | None, own_team: str | None, team: str | None
) -> HostingError | None:
    if rules is not None and not _sees(person, rules, own_team):
        return _make_not_found(rules.slug)
    if action == "see_competition":
        return None
    if person is None:
        return SignInRequiredError("sign in first, or send `Authorization: Bearer <token>`")
    duties = _find_duties(person, rules)
    may_by_role = action in duties and "organise" in person.scopes
    if SCOPE_FOR[action] not in person.scopes and not may_by_role:
        return ForbiddenError(_scope_words(person, SCOPE_FOR[action]), scope=SCOPE_FOR[action])
    if action in ("oversee", "assist", "organise"):
        return None if action in duties else ForbiddenError(ONLY[action])
    if action in ("see_team", "change_team"):
        is_own = team is not None and own_team == team
        return None if may_by_role or is_own else NotFoundError("there is no such team, or it is not yours")
    if person.role == "organiser":
        return ForbiddenError("organisers can see the labels, so they cannot compete; use an account without that role")
    role = person.role_in(_slug(rules))
    if role in STAFF:
        who = f"{with_article(role)} of" if role != "former" else "whoever helped to run"
        return ForbiddenError(f"{who} a competition does not compete in it")
    if action == "submit" and (own_team is None or (team is not None and own_team != team)):
        return NotFoundError("there is no such team, or it is not yours")
    return None


ONLY = {
    "oversee": "only the teachers, assistants and readers of this competition may do this",
    "assist": "only the teachers and assistants of this competition may do this",
    "organise": "only an organiser may do this",
}


def _find_duties(person: Person, rules: Rules | None) -> frozenset[Action]:
    role = person.role_in(_slug(rules))
    return STAFF.get(role, frozenset()) if role is not None else frozenset()


def _slug(rules: Rules | None) -> str:
    return "" if rules is None else rules.slug


def _sees(person: Person | None, rules: Rules, own_team: str | None) -> bool:
    if rules.visibility != "private":
        return True
    is_known = own_team is not None or (person is not None and person.is_known_in(rules.slug))
    return person is not None and (is_known or person.role == "reader")


def _make_not_found(slug: str) -> NotFoundError:
    # The same words as for a competition that does not exist.
    return NotFoundError(f"there is no competition {slug!r} here")


def _scope_words(person: Person, scope: Scope) -> str:
    if scope not in find_scopes(person.role, person.roles):
        return f"an account with the role {person.role!r} may not do this"
    return f"this token lacks the scope {scope!r}; create one that has it"
