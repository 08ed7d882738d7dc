"""Permissions: who may do what, decided in one place.

    action             who
    see_competition    everybody; of a private one, its members, readers and organisers
    join               participants: make a team, accept an invitation
    submit             an active member, for the own team
    see_team           its members, and organisers
    change_team        its members, and organisers
    organise           organisers

Organisers do not compete: they can see the labels. A token allows no more than its scopes. Where the existence of
something is secret, the answer is "there is none" (404), not "you may not" (403).
"""

from dataclasses import dataclass
from typing import Literal

from ladderboard.competition import Rules
from ladderboard.core.errors import ForbiddenError, HostingError, NotFoundError, SignInRequiredError
from ladderboard.server.people.records import Role, Scope

Action = Literal["see_competition", "join", "submit", "see_team", "change_team", "organise"]

SCOPES_OF: dict[Role, frozenset[Scope]] = {
    "organiser": frozenset({"read", "submit", "organise"}),
    "participant": frozenset({"read", "submit"}),
    "reader": frozenset({"read"}),
}
"""The scopes a role allows at most."""

SCOPE_FOR: dict[Action, Scope] = {
    "see_competition": "read",
    "join": "submit",
    "submit": "submit",
    "see_team": "read",
    "change_team": "submit",
    "organise": "organise",
}


@dataclass(frozen=True)
class Person:
    """A signed-in person. ``scopes``: what this session or token allows."""

    id: str
    name: str
    role: Role
    scopes: frozenset[Scope]

    @property
    def is_organiser(self) -> bool:
        """By role and by scope: a token without `organise` makes its owner an ordinary person."""
        return self.role == "organiser" and "organise" in self.scopes


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
    if SCOPE_FOR[action] not in person.scopes:
        return ForbiddenError(_scope_words(person, SCOPE_FOR[action]), scope=SCOPE_FOR[action])
    if action == "organise":
        return None if person.role == "organiser" else ForbiddenError("only an organiser may do this")
    if action in ("see_team", "change_team"):
        is_own = team is not None and own_team == team
        return None if person.is_organiser or is_own else NotFoundError("there is no such team, or it is not yours")
    if person.role == "organiser":
        return ForbiddenError("organisers can see the labels, so they cannot compete; use an account without that role")
    if action == "submit" and (own_team is None or (team is not None and own_team != team)):
        return NotFoundError("there is no such team, or it is not yours")
    return None


def _sees(person: Person | None, rules: Rules, own_team: str | None) -> bool:
    if rules.visibility != "private":
        return True
    return person is not None and (own_team is not None or person.role in ("organiser", "reader"))


def _make_not_found(slug: str) -> NotFoundError:
    # The same words as for a competition that does not exist.
    return NotFoundError(f"there is no competition {slug!r} here")


def _scope_words(person: Person, scope: Scope) -> str:
    if scope not in SCOPES_OF[person.role]:
        return f"an account with the role {person.role!r} may not do this"
    return f"this token lacks the scope {scope!r}; create one that has it"
