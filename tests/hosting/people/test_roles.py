"""Who may do what: the whole table, one role after another."""

from typing import Any

import pytest

from ladderboard.competition import Rules
from ladderboard.core.errors import ForbiddenError, NotFoundError, SignInRequiredError
from ladderboard.server.people.roles import SCOPES_OF, Person, find_scopes, may, require
from tests.hosting.competitions import a_competition

ACTIONS = ("see_competition", "join", "submit", "see_team", "change_team", "oversee", "assist", "organise")
ALL_DUTIES = {"see_team", "change_team", "oversee", "assist", "organise"}
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
        (person("organiser"), {"team": "b"}, {"see_competition", *ALL_DUTIES}),
        (person("organiser", "read"), {"team": "b"}, {"see_competition"}),
        (person("organiser", "read", "submit"), {"team": "b"}, {"see_competition"}),
    ],
)
def test_what_a_role_may_do(who: Person | None, teams: dict[str, str], expected: set[str], rules: Rules) -> None:
    assert allowed(who, rules, **teams) == expected


def enrolled(role: Any, slug: str = "pets", server_role: Any = "participant", scopes: Any = None) -> Person:
    roles = {slug: role}
    allowed_scopes = find_scopes(server_role, roles) if scopes is None else frozenset(scopes)
    return Person("1", "ada", server_role, allowed_scopes, roles)


@pytest.mark.parametrize("rules", [OPEN, HIDDEN, PRIVATE])
@pytest.mark.parametrize(
    ("who", "expected"),
    [
        (enrolled("teacher"), {"see_competition", *ALL_DUTIES}),
        (enrolled("assistant"), {"see_competition", *ALL_DUTIES} - {"organise"}),
        (enrolled("reader"), {"see_competition", "see_team", "oversee"}),
        (enrolled("participant"), {"see_competition", "join"}),
        (enrolled("teacher", server_role="organiser"), {"see_competition", *ALL_DUTIES}),
        (enrolled("teacher", server_role="reader"), {"see_competition", *ALL_DUTIES}),
        (enrolled("teacher", scopes=["read"]), {"see_competition"}),
        (enrolled("teacher", scopes=["read", "submit"]), {"see_competition"}),
    ],
)
def test_what_a_role_in_the_competition_may_do(who: Person, expected: set[str], rules: Rules) -> None:
    assert allowed(who, rules, team="b") == expected


def test_whoever_was_on_the_staff_has_no_rights_left_and_does_not_compete() -> None:
    assert allowed(enrolled("former"), OPEN, team="b", own_team="b") == {"see_competition", "see_team", "change_team"}
    assert allowed(enrolled("former"), PRIVATE, team="b") == set()
    with pytest.raises(ForbiddenError, match="whoever helped to run a competition does not compete"):
        require(enrolled("former"), "join", OPEN)


def test_a_role_in_one_competition_is_none_in_another() -> None:
    assert allowed(enrolled("teacher", "other"), OPEN, team="b") == {"see_competition", "join"}
    assert allowed(enrolled("teacher", "other"), PRIVATE, team="b") == set()
    assert not may(enrolled("teacher"), "organise")


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
