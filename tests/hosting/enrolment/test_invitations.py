"""Roles in one competition and invitations to it, on both databases."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from ladderboard.core.errors import (
    ConflictError,
    ForbiddenError,
    LadderboardError,
    NotFoundError,
    ParameterError,
    TooManyRequestsError,
)
from ladderboard.server.db.schema import accounts, enrolment_links
from ladderboard.server.enrolment import invitations, staff
from ladderboard.server.enrolment.pasted_list import read_list
from ladderboard.server.people import identities
from ladderboard.server.people.accounts import Accounts
from ladderboard.server.people.passwords import Passwords
from ladderboard.server.people.records import Account
from ladderboard.server.people.roles import Person, may, require
from ladderboard.server.teams.teams import create_team
from tests.hosting.hosts import Begin, Stage, on_sqlite
from tests.hosting.people_fixtures import QUICK, a_person

PASSWORD = "correct horse"
CLASS = "Ada Lovelace <ada@example.org>\ngrace@example.org\nMary Somerville"


def people_of(stage: Stage, **settings: Any) -> Accounts:
    return Accounts(stage.database, replace(stage.services.settings, **settings), passwords=Passwords(QUICK))


def invite(stage: Stage, text: str = CLASS, **more: Any) -> list[str]:
    more = {"role": "participant", **more}
    return [code for code, _ in invitations.invite_people(stage.database, "pets", read_list(text).people, **more)]


def account_of(stage: Stage, person: Person) -> Account:
    return people_of(stage).get(person.id)


def signed_in(stage: Stage, account: Account) -> Person:
    person = identities.find_person_by_session(stage.database, identities.begin_session(stage.database, account))
    assert person is not None
    return person


def test_an_invitation_makes_an_account_whoever_may_sign_up(begin: Begin) -> None:
    stage = begin(visibility="private")
    people = people_of(stage, sign_up="list")
    with pytest.raises(ForbiddenError):
        people.sign_up("ada", PASSWORD)
    code = invite(stage)[0]
    account, slug = invitations.sign_up_invited(people, "night owl", PASSWORD, code)
    assert slug == "pets"
    [enrolled], total = staff.list_enrolled(stage.database, "pets", limit=9)
    assert (enrolled.name, enrolled.real_name, enrolled.address, total) == (
        "night owl",
        "Ada Lovelace",
        "ada@example.org",
        1,
    )
    person = signed_in(stage, account)
    assert may(person, "join", stage.live.rules)
    assert not may(person, "oversee", stage.live.rules)
    create_team(stage.database, stage.live, person, "Owls")
    assert staff.list_enrolled(stage.database, "pets", limit=9)[0][0].team == "Owls"


def test_a_personal_invitation_works_once(begin: Begin) -> None:
    stage = begin()
    code = invite(stage)[0]
    invitations.accept(people_of(stage), account_of(stage, a_person(stage.database, "ada")), code)
    with pytest.raises(NotFoundError, match="used, revoked or expired"):
        invitations.accept(people_of(stage), account_of(stage, a_person(stage.database, "eve")), code)
    assert invitations.list_links(stage.database, "pets", limit=9)[1] == 2


def test_a_refused_acceptance_spends_nothing_and_makes_no_account(begin: Begin) -> None:
    stage = begin()
    code = invite(stage)[1]  # knows no name, so it asks for one
    for real_name in ("", "42"):
        with pytest.raises(ParameterError):
            invitations.sign_up_invited(people_of(stage), "grace", PASSWORD, code, real_name=real_name)
    assert stage.rows(accounts) == []
    account, _ = invitations.sign_up_invited(people_of(stage), "grace", PASSWORD, code, real_name="Grace Hopper")
    assert account.name == "grace"


def test_invitations_expire_and_can_be_revoked(begin: Begin) -> None:
    stage = begin()
    codes = invite(stage, days=2)
    [*_, first], _total = invitations.list_links(stage.database, "pets", limit=9)
    invitations.revoke_link(stage.database, "pets", first.id)
    with pytest.raises(NotFoundError):
        invitations.revoke_link(stage.database, "pets", first.id)
    found = [_is_good(stage, code) for code in codes]
    assert sorted(found) == [False, True, True]
    stage.pass_time(timedelta(days=2))
    assert not any(_is_good(stage, code) for code in codes)
    assert invitations.list_links(stage.database, "pets", limit=9) == ([], 0)
    invite(stage, "new@example.org")
    assert len(stage.rows(enrolment_links)) == 1, "names in expired invitations are deleted"


def _is_good(stage: Stage, code: str) -> bool:
    try:
        invitations.find_link(stage.database, code, most=1000)
    except NotFoundError:
        return False
    return True


def test_nobody_is_invited_twice(begin: Begin) -> None:
    stage = begin()
    assert len(invite(stage)) == 3
    assert len(invite(stage, "ADA@example.org\nnew@example.org")) == 1
    with pytest.raises(ConflictError, match="everybody on this list"):
        invite(stage, "ada@example.org\ngrace@example.org")


def test_one_link_is_good_for_so_many_people(begin: Begin) -> None:
    stage = begin()
    code, made = invitations.make_open_link(stage.database, "pets", uses=2)
    for name in ("ada", "grace"):
        account = account_of(stage, a_person(stage.database, name))
        invitations.accept(people_of(stage), account, code, real_name=f"{name.title()} Real")
    with pytest.raises(NotFoundError):
        invitations.accept(people_of(stage), account_of(stage, a_person(stage.database, "eve")), code, real_name="Eve")
    names = {one.real_name for one in staff.list_enrolled(stage.database, "pets", limit=9)[0]}
    assert names == {"Ada Real", "Grace Real"}
    assert made.uses_left == 2


@on_sqlite
def test_guessing_codes_from_one_place_is_slowed_down(begin: Begin) -> None:
    stage = begin()
    for _ in range(2):
        with pytest.raises(NotFoundError):
            invitations.find_link(stage.database, "guess", address="192.0.2.7", most=2)
    with pytest.raises(TooManyRequestsError):
        invitations.find_link(stage.database, "guess", address="192.0.2.7", most=2)
    with pytest.raises(NotFoundError):
        invitations.find_link(stage.database, "guess", address="192.0.2.8", most=2)


@on_sqlite
def test_codes_are_kept_as_hashes_only(begin: Begin) -> None:
    stage = begin()
    codes = invite(stage)
    with stage.database.reading() as connection:
        kept = " ".join(connection.scalars(select(enrolment_links.c.code_hash)))
    assert not any(code in kept or code.replace("-", "") in kept for code in codes)


@pytest.mark.parametrize("role", ["teacher", "assistant", "reader"])
def test_nobody_competes_and_sees_what_competitors_must_not(begin: Begin, role: Any) -> None:
    stage = begin()
    ada, grace = a_person(stage.database, "ada"), a_person(stage.database, "grace")
    create_team(stage.database, stage.live, ada, "Whales")
    with pytest.raises(ConflictError, match="has a team"):
        staff.give_role(stage.database, "pets", "ada", role)
    with pytest.raises(ConflictError, match="has a team"):
        invitations.accept(people_of(stage), account_of(stage, ada), invite(stage, role=role)[0])
    staff.give_role(stage.database, "pets", "Grace", role)
    with pytest.raises(ForbiddenError, match=f"an? {role} of a competition does not compete in it"):
        _join(stage, signed_in(stage, account_of(stage, grace)), role)


def _join(stage: Stage, person: Person, role: str) -> None:
    assert may(person, "oversee", stage.live.rules)
    assert may(person, "assist", stage.live.rules) == (role != "reader")
    assert may(person, "organise", stage.live.rules) == (role == "teacher")
    require(person, "join", stage.live.rules)


def test_staff_cannot_turn_into_participants_by_an_invitation(begin: Begin) -> None:
    stage = begin()
    grace = a_person(stage.database, "grace")
    staff.give_role(stage.database, "pets", "grace", "assistant")
    with pytest.raises(ConflictError, match="is an assistant of this competition, and does not compete"):
        invitations.accept(people_of(stage), account_of(stage, grace), invite(stage)[0])


def test_nobody_competes_after_giving_up_a_role_but_the_operator_undoes_a_slip(begin: Begin) -> None:
    stage = begin()
    grace = a_person(stage.database, "grace")
    staff.give_role(stage.database, "pets", "grace", "reader")
    staff.take_role(stage.database, "pets", "grace")
    for join in (
        lambda: create_team(stage.database, stage.live, signed_in(stage, account_of(stage, grace)), "Owls"),
        lambda: invitations.accept(people_of(stage), account_of(stage, grace), invite(stage)[0]),
        lambda: staff.give_role(stage.database, "pets", "grace", "participant"),
    ):
        with pytest.raises((ForbiddenError, ConflictError), match="helped to run"):
            join()
    staff.give_role(stage.database, "pets", "grace", "participant", by_operator=True)
    create_team(stage.database, stage.live, signed_in(stage, account_of(stage, grace)), "Owls")


def test_a_role_counts_at_once_in_sessions_and_ends_with_it_also_for_tokens(begin: Begin) -> None:
    stage = begin()
    grace = account_of(stage, a_person(stage.database, "grace"))
    with pytest.raises(ForbiddenError):
        identities.make_token(stage.database, grace, scopes=["organise"])
    staff.give_role(stage.database, "pets", "grace", "teacher")
    secret, _ = identities.make_token(stage.database, grace, scopes=["organise"])
    teacher = identities.find_person_by_token(stage.database, secret)
    assert may(teacher, "organise", stage.live.rules)
    assert not may(teacher, "organise"), "of the server she is no organiser"
    assert not may(teacher, "organise", replace(stage.live.rules, slug="other"))
    staff.take_role(stage.database, "pets", "grace")
    assert not may(identities.find_person_by_token(stage.database, secret), "oversee", stage.live.rules)
    with pytest.raises(NotFoundError, match="has no role"):
        staff.take_role(stage.database, "pets", "grace")


def test_an_organiser_of_the_server_needs_no_role(begin: Begin) -> None:
    stage = begin()
    a_person(stage.database, "olga", "organiser")
    with pytest.raises(ConflictError, match="teaches every competition already"):
        staff.give_role(stage.database, "pets", "olga", "teacher")
    with pytest.raises(NotFoundError, match="no account 'nobody'"):
        staff.give_role(stage.database, "pets", "nobody", "teacher")


@pytest.mark.parametrize(
    "make",
    [
        lambda database: invitations.make_open_link(database, "pets", uses=0),
        lambda database: invitations.make_open_link(database, "pets", days=0),
        lambda database: invitations.make_open_link(database, "pets", days=366),
        lambda database: invitations.make_open_link(database, "nothing"),
    ],
)
@on_sqlite
def test_an_impossible_link_is_refused(begin: Begin, make: Any) -> None:
    stage = begin()
    with pytest.raises(LadderboardError):
        make(stage.database)
    assert stage.rows(enrolment_links) == []
