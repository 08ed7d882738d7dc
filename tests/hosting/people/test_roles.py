"""Who may do what: the whole table, one role after another."""

from typing import Any

import pytest

from ladderboard.competition import Rules
from ladderboard.core.errors import ForbiddenError, NotFoundError, SignInRequiredError
from ladderboard.server.people.roles import SCOPES_OF, Person, may, require
from tests.hosting.competitions import a_competition

ACTIONS = ("see_competition", "join", "submit", "see_team", "change_team", "organise")
OPEN = a_competition().rules
PRIVATE = a_competition(visibility="private").rules
HIDDEN = a_competition(visibility="unlisted").rules


def person(role: Any, *scopes: Any) -> Person:
    return Person("1", "ada", role, frozenset(scopes) if scopes else SCOPES_OF[role])


def allowed(who: Person | None, rules: Rules, **teams: str | None) -> set[str]:
    return {action for action in ACTIONS if may(who, action, rules, **teams)}  # type: ignore[arg-type]


@pytest.mark.parametrize("rules", [OPEN, HIDDEN])
@pytest.mark.parametrize(
    ("who", "teams", "expected"),
    [
        (None, {}, {"see_competition"}),
        (person("reader"), {}, {"see_competition"}),
        (person("participant"), {}, {"see_competition", "join"}),
        (person("participant"), {"own_team": "a", "team": "b"}, {"see_competition", "join"}),
        (
            person("participant"),
            {"own_team": "a", "team": "a"},
            {"see_competition", "join", "submit", "see_team", "change_team"},
        ),
        (person("participant", "read"), {"own_team": "a", "team": "a"}, {"see_competition", "see_team"}),
        (person("organiser"), {"team": "b"}, {"see_competition", "see_team", "change_team", "organise"}),
        (person("organiser", "read"), {"team": "b"}, {"see_competition"}),
        (person("organiser", "read", "submit"), {"team": "b"}, {"see_competition"}),
    ],
)
def test_what_a_role_may_do(who: Person | None, teams: dict[str, str], expected: set[str], rules: Rules) -> None:
    assert allowed(who, rules, **teams) == expected


@pytest.mark.parametrize("who", [None, person("participant")])
@pytest.mark.parametrize("action", ACTIONS)
def test_a_private_competition_does_not_exist_for_strangers(who: Person | None, action: Any) -> None:
    with pytest.raises(NotFoundError, match="there is no competition 'pets' here"):
        require(who, action, PRIVATE, team="b")


def test_a_private_competition_is_seen_by_members_readers_and_organisers() -> None:
    assert may(person("participant"), "see_competition", PRIVATE, own_team="a")
    assert may(person("reader"), "see_competition", PRIVATE)
    assert may(person("organiser"), "see_competition", PRIVATE)
    assert may(person("organiser", "read"), "see_competition", PRIVATE)
    assert not may(person("organiser", "read"), "organise", PRIVATE)


def test_refusals_say_what_is_missing() -> None:
    with pytest.raises(SignInRequiredError):
        require(None, "submit", OPEN)
    with pytest.raises(ForbiddenError, match="token lacks the scope 'submit'"):
        require(person("participant", "read"), "submit", OPEN, own_team="a")
    with pytest.raises(ForbiddenError, match="role 'reader'"):
        require(person("reader"), "submit", OPEN)
    with pytest.raises(ForbiddenError, match="role 'participant'"):
        require(person("participant"), "organise")
    with pytest.raises(ForbiddenError, match="cannot compete"):
        require(person("organiser"), "submit", OPEN)
    with pytest.raises(NotFoundError, match="not yours"):
        require(person("participant"), "see_team", OPEN, own_team="a", team="b")
