"""Teams: made, joined, left, renamed, ruled about; on both databases where several come at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from ladderboard.competition import Limits, TeamRules
from ladderboard.core.errors import (
    ConflictError,
    DeadlinePassedError,
    ForbiddenError,
    HostingError,
    NotFoundError,
    NotOpenError,
    ParameterError,
)
from ladderboard.core.ledger import GENESIS, Entry
from ladderboard.server.competitions.opening import enter
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import members
from ladderboard.server.people.roles import Person
from ladderboard.server.services import files_for
from ladderboard.server.settings import Settings
from ladderboard.server.teams.invitations import (
    accept_invitation,
    list_open_invitations,
    make_invitation,
    revoke_invitation,
)
from ladderboard.server.teams.merging import merge
from ladderboard.server.teams.teams import (
    create_team,
    find_own_team,
    find_team,
    leave_team,
    rename_team,
    return_to_team,
    rule_on_team,
)
from tests.hosting.competitions import NOON, a_competition
from tests.hosting.people_fixtures import Clock
from tests.hosting.teams.clubs import Club

on_sqlite = pytest.mark.parametrize("database_kind", ["sqlite"])
"""For rules whose SQL other tests have tried on both databases."""


Begin = Callable[..., Club]


@pytest.fixture
def begin(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Begin:
    clock = Clock(database, monkeypatch)
    return lambda **rules: Club(database, clock, tmp_path, a_competition(**rules))


def test_who_makes_a_team_is_its_first_member(begin: Begin) -> None:
    club = begin()
    ada = club.person("ada")
    team = create_team(club.database, club.live, ada, "  The  Engines ")
    assert (team.name, team.status, [one.name for one in team.members]) == ("The Engines", "active", ["ada"])
    assert (
        find_own_team(club.database, club.live, ada) == find_team(club.database, club.live, ada, "the engines") == team
    )
    (entry,) = club.entries()[1:]
    assert (entry.kind, entry.body) == ("team_created", {"team": team.id, "name": "The Engines"})


@on_sqlite
def test_one_person_makes_one_team(begin: Begin) -> None:
    club = begin()
    _, (ada,) = club.found("ada", team="Engines")
    with pytest.raises(ConflictError, match="one team"):
        create_team(club.database, club.live, ada, "Looms")
    assert club.kinds() == ["team_created"]


def test_many_teams_of_one_name_at_once_are_one(begin: Begin) -> None:
    club = begin()
    people = [club.person(f"person {number}") for number in range(6)]

    def make(person: Person) -> bool:
        try:
            create_team(club.database, club.live, person, "Engines")
        except ConflictError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(make, people)) == 1


@on_sqlite
def test_a_name_is_taken_whatever_its_case(begin: Begin) -> None:
    club = begin()
    club.found("ada", team="Straße")
    with pytest.raises(ConflictError, match="already"):
        create_team(club.database, club.live, club.person("bob"), "STRASSE")
    with pytest.raises(ParameterError, match="slash"):
        create_team(club.database, club.live, club.person("eve"), "a/b")


@on_sqlite
def test_an_organiser_makes_an_empty_team_and_invites_others(begin: Begin) -> None:
    club = begin()
    olga = club.person("olga", "organiser")
    assert create_team(club.database, club.live, olga, "Engines").members == []
    assert [one.name for one in club.join(olga, club.person("ada"), "Engines").members] == ["ada"]


@on_sqlite
def test_readers_and_organisers_do_not_compete(begin: Begin) -> None:
    club = begin()
    _, (ada,) = club.found("ada", team="Engines")
    with pytest.raises(ForbiddenError, match="role"):
        create_team(club.database, club.live, club.person("rita", "reader"), "Readers")
    with pytest.raises(ForbiddenError, match="labels"):
        club.join(ada, club.person("olga", "organiser"), "Engines")


@on_sqlite
def test_teams_are_made_before_the_opening_and_not_after_the_end(begin: Begin) -> None:
    club = begin(opens=NOON + timedelta(days=1), deadline=NOON + timedelta(days=2))
    club.found("ada", team="Engines")
    club.clock.advance(days=2, seconds=1)
    with pytest.raises(DeadlinePassedError):
        club.found("bob", team="Looms")


# -- invitations ------------------------------------------------------------------------------------------------------


def test_an_invitation_lets_one_of_many_in(begin: Begin) -> None:
    club = begin(teams=TeamRules(largest=8))
    _, (ada,) = club.found("ada", team="Engines")
    code, _ = make_invitation(club.database, club.live, ada, "Engines")
    comers = [club.person(f"person {number}") for number in range(6)]

    def come(person: Person) -> bool:
        try:
            accept_invitation(club.database, club.live, person, code)
        except NotFoundError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(come, comers)) == 1
    assert len(find_team(club.database, club.live, ada, "Engines").members) == 2


def test_a_team_grows_no_larger_than_the_rules_allow(begin: Begin) -> None:
    club = begin(teams=TeamRules(largest=3))
    _, (ada,) = club.found("ada", team="Engines")
    codes = [make_invitation(club.database, club.live, ada, "Engines")[0] for _ in range(6)]
    comers = [club.person(f"person {number}") for number in range(6)]

    def come(pair: tuple[Person, str]) -> bool:
        try:
            accept_invitation(club.database, club.live, *pair)
        except ConflictError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(come, zip(comers, codes, strict=True))) == 2


@on_sqlite
def test_an_invitation_expires_and_can_be_taken_back(begin: Begin) -> None:
    club = begin()
    _, (ada,) = club.found("ada", team="Engines")
    bob = club.person("bob")
    old, _ = make_invitation(club.database, club.live, ada, "Engines")
    club.clock.advance(days=7)
    with pytest.raises(NotFoundError, match="expired"):
        accept_invitation(club.database, club.live, bob, old)
    code, known = make_invitation(club.database, club.live, ada, "Engines")
    assert list_open_invitations(club.database, club.live, ada, "Engines") == [known]
    revoke_invitation(club.database, club.live, ada, "Engines", known.id)
    assert list_open_invitations(club.database, club.live, ada, "Engines") == []
    with pytest.raises(NotFoundError):
        accept_invitation(club.database, club.live, bob, code)
    with pytest.raises(NotFoundError):
        revoke_invitation(club.database, club.live, ada, "Engines", known.id)


@on_sqlite
def test_a_code_works_however_it_is_typed(begin: Begin) -> None:
    club = begin()
    _, (ada,) = club.found("ada", team="Engines")
    code, _ = make_invitation(club.database, club.live, ada, "Engines")
    typed = f" {code.upper().replace('-', ' ')} "
    assert len(accept_invitation(club.database, club.live, club.person("bob"), typed).members) == 2


@on_sqlite
def test_who_is_in_a_team_cannot_enter_another_one(begin: Begin) -> None:
    club = begin()
    _, (ada,) = club.found("ada", team="Engines")
    _, (bob,) = club.found("bob", team="Looms")
    code, _ = make_invitation(club.database, club.live, ada, "Engines")
    with pytest.raises(ConflictError, match="one team"):
        accept_invitation(club.database, club.live, bob, code)
    with pytest.raises(ConflictError, match="already"):
        accept_invitation(club.database, club.live, ada, code)
    # The refusals have not used it.
    assert len(accept_invitation(club.database, club.live, club.person("eve"), code).members) == 2


@on_sqlite
def test_a_code_is_good_in_its_own_competition_only(begin: Begin, tmp_path: Path) -> None:
    club = begin()
    other = replace(club.competition, rules=replace(club.competition.rules, slug="cars"))
    cars = enter(club.database, files_for(Settings(data=tmp_path), club.database), other)
    _, (ada,) = club.found("ada", team="Engines")
    code, _ = make_invitation(club.database, club.live, ada, "Engines")
    with pytest.raises(NotFoundError):
        accept_invitation(club.database, cars, club.person("bob"), code)


@on_sqlite
def test_a_team_has_so_many_open_invitations(begin: Begin) -> None:
    club = begin()
    _, (ada,) = club.found("ada", team="Engines")
    for _ in range(20):
        make_invitation(club.database, club.live, ada, "Engines")
    with pytest.raises(ConflictError, match="20 open"):
        make_invitation(club.database, club.live, ada, "Engines")


# -- leaving ----------------------------------------------------------------------------------------------------------


def test_leaving_gives_no_fresh_start(begin: Begin) -> None:
    club = begin(limits=Limits(per_day=2))
    team, (ada, bob) = club.found("ada", "bob", team="Engines")
    club.send(team, 0.7)
    leave_team(club.database, club.live, bob)
    assert find_own_team(club.database, club.live, bob) is None
    with pytest.raises(ConflictError, match="no fresh start"):
        create_team(club.database, club.live, bob, "Looms")
    _, (eve,) = club.found("eve", team="Spies")
    code, _ = make_invitation(club.database, club.live, eve, "Spies")
    with pytest.raises(ConflictError, match="one team"):
        accept_invitation(club.database, club.live, bob, code)
    with pytest.raises(ConflictError, match="other members"):
        return_to_team(club.database, club.live, bob)
    back = club.join(ada, bob, "Engines")
    assert (back.id, back.quota.used_today, len(back.members)) == (team.id, 1, 2)
    with club.database.reading() as connection:
        assert len(connection.execute(select(members)).all()) == 3


@on_sqlite
def test_the_last_one_who_left_can_come_back(begin: Begin) -> None:
    club = begin()
    team, (ada,) = club.found("ada", team="Engines")
    with pytest.raises(NotFoundError):
        return_to_team(club.database, club.live, ada)
    leave_team(club.database, club.live, ada)
    with pytest.raises(NotFoundError):
        leave_team(club.database, club.live, ada)
    assert return_to_team(club.database, club.live, ada).id == team.id
    assert club.kinds() == ["team_created", "left", "joined"]


# -- names and rulings ------------------------------------------------------------------------------------------------


def test_renaming_keeps_everything_else(begin: Begin) -> None:
    club = begin()
    team, (ada,) = club.found("ada", team="Engines")
    club.found("bob", team="Looms")
    club.send(team, 0.9)
    version = club.board_version()
    with pytest.raises(ConflictError, match="already"):
        rename_team(club.database, club.live, ada, "Engines", "LOOMS")
    assert rename_team(club.database, club.live, ada, "Engines", "ENGINES").name == "ENGINES"
    renamed = rename_team(club.database, club.live, ada, "engines", "Difference")
    assert (renamed.id, renamed.quota.used, renamed.board_value is None) == (team.id, 1, False)
    assert club.entries()[-1].body == {"team": team.id, "name": "Difference"}
    # Nobody is shown the old name from a cache.
    assert club.board_version() == version + 2
    create_team(club.database, club.live, club.person("eve"), "Engines")


def test_a_disqualified_team_is_refused_and_stays_in_the_ledger(begin: Begin) -> None:
    club = begin()
    team, (ada,) = club.found("ada", team="Engines")
    olga = club.person("olga", "organiser")
    club.send(team, 0.7)
    ruled = rule_on_team(club.database, club.live, olga, "engines", status="disqualified", reason="two accounts")
    assert ruled.status == "disqualified"
    with pytest.raises(NotOpenError, match="disqualified"):
        club.send(team, 0.8, seed=1)
    for forbidden in (
        lambda: rename_team(club.database, club.live, ada, "Engines", "Innocents"),
        lambda: make_invitation(club.database, club.live, ada, "Engines"),
    ):
        with pytest.raises(ConflictError, match="disqualified"):
            forbidden()
    entry = club.entries()[-1]
    assert (entry.kind, entry.body) == ("disqualified", {"team": team.id, "reason": "two accounts"})
    assert rule_on_team(club.database, club.live, olga, "Engines", status="active").status == "active"
    assert club.send(team, 0.8, seed=1).status == 201
    with pytest.raises(ForbiddenError):
        rule_on_team(club.database, club.live, ada, "Engines", status="withdrawn")


@on_sqlite
def test_nothing_of_another_team_can_be_reached(begin: Begin) -> None:
    club = begin()
    _, (ada,) = club.found("ada", team="Engines")
    _, (eve,) = club.found("eve", team="Spies")
    _, known = make_invitation(club.database, club.live, ada, "Engines")
    code, _ = make_invitation(club.database, club.live, ada, "Engines", kind="merge")

    def words(name: str) -> list[str]:
        attempts: list[Callable[[], object]] = [
            lambda: find_team(club.database, club.live, eve, name),
            lambda: rename_team(club.database, club.live, eve, name, "Mine"),
            lambda: make_invitation(club.database, club.live, eve, name),
            lambda: list_open_invitations(club.database, club.live, eve, name),
            lambda: revoke_invitation(club.database, club.live, eve, name, known.id),
            lambda: merge(club.database, club.live, eve, name, code),
        ]
        said = []
        for attempt in attempts:
            with pytest.raises(NotFoundError) as refusal:
                attempt()
            said.append(str(refusal.value))
        return said

    # The same words for a team that is there and for one that is not.
    assert words("Engines") == words("Nobody")
    assert len(list_open_invitations(club.database, club.live, ada, "Engines")) == 2


@on_sqlite
def test_a_private_competition_is_entered_by_invitation_only(begin: Begin) -> None:
    club = begin(visibility="private")
    olga, ada = club.person("olga", "organiser"), club.person("ada")
    with pytest.raises(NotFoundError, match="no competition"):
        create_team(club.database, club.live, ada, "Engines")
    create_team(club.database, club.live, olga, "Engines")
    team = club.join(olga, ada, "Engines")
    assert find_team(club.database, club.live, ada, "Engines") == team
    with pytest.raises(NotFoundError, match="no competition"):
        find_team(club.database, club.live, club.person("eve"), "Engines")


@on_sqlite
def test_the_ledger_is_a_sound_chain_after_all_of_it(begin: Begin) -> None:
    club = begin()
    team, (ada, bob) = club.found("ada", "bob", team="Engines")
    club.send(team, 0.7)
    rename_team(club.database, club.live, bob, "Engines", "Looms")
    leave_team(club.database, club.live, bob)
    rule_on_team(club.database, club.live, club.person("olga", "organiser"), "Looms", status="withdrawn")
    previous = GENESIS
    for row in club.entries():
        entry = Entry(row.seq, row.at, row.kind, row.body, row.sealed, row.previous, row.hash)
        assert entry.is_sound(previous)
        previous = entry.hash
    assert club.kinds() == ["team_created", "joined", "submission", "renamed", "left", "withdrawn"]
    assert not [row for row in club.entries() if ada.id in str(row.body) or "ada" in row.body.values()]


@on_sqlite
def test_a_refused_change_leaves_nothing(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    club = begin()
    ada = club.person("ada")

    def fail(*_: object, **__: object) -> None:
        raise HostingError("the ledger is not to be had")

    with monkeypatch.context() as broken:
        broken.setattr("ladderboard.server.db.rows.ledger.append", fail)
        with pytest.raises(HostingError, match="ledger"):
            create_team(club.database, club.live, ada, "Engines")
    assert find_own_team(club.database, club.live, ada) is None
    assert create_team(club.database, club.live, ada, "Engines").name == "Engines"


@pytest.mark.parametrize(
    ("taken", "wanted"),
    [("Teams One", "Teams 0ne"), ("Modem", "Modern"), ("Illinois", "I11inois"), ("Owls", "Ovvls"), ("Capa", "Сара")],
)
def test_a_name_that_looks_like_that_of_another_team_is_refused_with_that_name(
    begin: Begin, taken: str, wanted: str
) -> None:
    club = begin()
    made, _ = club.found("ada", team=taken)
    with pytest.raises(ConflictError, match=f"looks like '{taken}', which is taken; choose another"):
        club.found("bob", team=wanted)
    cid = club.person("cid")
    other = create_team(club.database, club.live, cid, "Another")
    with pytest.raises(ConflictError, match=f"looks like '{taken}', which is taken"):
        rename_team(club.database, club.live, cid, other.name, wanted)
    # Its own name may be written in another way, by its own team.
    assert made.name == taken


@on_sqlite
def test_names_that_only_share_letters_are_different_names(begin: Begin) -> None:
    club = begin()
    for number, name in enumerate(["Ali", "All", "BARN", "Bam", "Team 1", "Team 7", "Team 10"]):
        assert club.found(f"person {number}", team=name)[0].name == name
