"""One's own data as a file, and its deletion: nothing of the person stays, and the ledger verifies."""

import json
from typing import Any

import pytest
from sqlalchemy import inspect, select, text

from ladderboard.core.errors import ConflictError, ForbiddenError, ParameterError, SignInRequiredError
from ladderboard.server.audit.audit import audit
from ladderboard.server.audit.ledger_view import whole_view
from ladderboard.server.db.schema import accounts, jobs, members, submissions, teams
from ladderboard.server.enrolment.invitations import invite_people, sign_up_invited
from ladderboard.server.enrolment.pasted_list import read_list
from ladderboard.server.own_data.rules import delete_account, delete_own_account, stream_export
from ladderboard.server.people import identities
from ladderboard.server.people.accounts import Accounts, Registry
from ladderboard.server.people.passwords import Passwords
from ladderboard.server.people.records import Account
from ladderboard.server.people.roles import SCOPES_OF, Person
from ladderboard.server.submissions.records import IncomingSubmission
from ladderboard.server.teams.invitations import make_invitation
from ladderboard.server.teams.teams import create_team
from tests.hosting.competitions import NOON, a_file, predictions
from tests.hosting.hosts import Begin, Stage
from tests.hosting.people_fixtures import QUICK, a_person

PASSWORD = "correct horse"
NAMES = ("Zuleika", "Dobson", "zuleika.dobson@oxford.example", "zd-notes")
"""Words that are nowhere but in what this person wrote."""


def people_of(stage: Stage) -> Accounts:
    return Accounts(stage.database, stage.services.settings, passwords=Passwords(QUICK))


def a_member(stage: Stage) -> Account:
    """Zuleika with everything that an account can have, and a submission."""
    people, database = people_of(stage), stage.database
    invited = read_list("Zuleika Dobson <zuleika.dobson@oxford.example>").people
    [(code, _)] = invite_people(database, "pets", invited, role="participant")
    account, _ = sign_up_invited(people, "Zuleika", PASSWORD, code)
    person = Person(account.id, account.name, "participant", SCOPES_OF["participant"])
    team = create_team(database, stage.live, person, "Whales")
    make_invitation(database, stage.live, person, "Whales")
    identities.make_token(database, account, label="laptop of Zuleika")
    identities.begin_session(database, account)
    Registry(people).make_reset_code("Zuleika")
    content = a_file(stage.competition, predictions(stage.competition, 0.8))
    stage.services.referee.submit(
        stage.live,
        IncomingSubmission(
            team.id, content, NOON, account_id=account.id, file_name="Dobson.zd-notes.csv", note="zd-notes: try again"
        ),
    )
    return account


def whole_database(stage: Stage) -> str:
    with stage.database.reading() as connection:
        names = inspect(connection).get_table_names()
        return "\n".join(
            str(tuple(row)) for name in names for row in connection.execute(text(f"SELECT * FROM {name}"))
        ).casefold()


def test_deleting_takes_away_who_somebody_was_and_the_ledger_verifies(begin: Begin) -> None:
    stage = begin()
    account = a_member(stage)
    invite_again = "update enrolment_links set address = 'Zuleika.Dobson@oxford.example', real_name = 'Zuleika'"
    invite_people(stage.database, "pets", read_list("x@example.org").people, role="assistant")
    with stage.database.transaction() as connection:
        connection.execute(text(invite_again))
    before = whole_database(stage)
    assert all(word.casefold() in before for word in NAMES), "the search below would find them"
    delete_own_account(people_of(stage), account.id, name=" zuleika ", password=PASSWORD)
    after = whole_database(stage)
    assert not [word for word in NAMES if word.casefold() in after]
    [row] = stage.rows(submissions)
    assert (row.account_id, row.note, row.file_name) == (None, "", "file.csv")
    assert row.release["attempt"] == 1, "what was submitted stays"
    [team] = stage.rows(teams)
    assert (team.name, team.attempts) == ("Whales", 1)
    with stage.database.reading() as connection:
        entries = list(whole_view(connection, "pets").entries(connection))
    assert audit([entry.to_json() for entry in entries]).is_sound
    assert stage.ledger_kinds()[-1] == "left"


def test_nobody_signs_in_to_a_deleted_account_and_its_name_is_free(begin: Begin) -> None:
    stage = begin()
    account = a_member(stage)
    secret, _ = identities.make_token(stage.database, account)
    assert delete_account(stage.database, "Zuleika") == "Zuleika"
    people = people_of(stage)
    assert identities.find_person_by_token(stage.database, secret) is None
    with pytest.raises(SignInRequiredError):
        people.sign_in("Zuleika", PASSWORD)
    [left] = stage.rows(members)
    assert left.left_at is not None
    assert people.sign_up("Zuleika", PASSWORD).id != account.id
    with pytest.raises(ForbiddenError, match="deleted already"):
        delete_account(stage.database, f"deleted-{account.id}")


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        ({"name": "Ada", "password": PASSWORD}, ParameterError),
        ({"name": "", "password": PASSWORD}, ParameterError),
        ({"name": "Zuleika", "password": "wrong horse"}, SignInRequiredError),
    ],
)
def test_a_slip_deletes_nothing(begin: Begin, typed: dict[str, str], error: type[Exception]) -> None:
    stage = begin()
    account = a_member(stage)
    with pytest.raises(error):
        delete_own_account(people_of(stage), account.id, **typed)
    with stage.database.reading() as connection:
        assert connection.scalar(select(accounts.c.name)) == "Zuleika"
        assert connection.scalar(select(submissions.c.note)) == "zd-notes: try again"


def test_the_last_organiser_stays(begin: Begin) -> None:
    stage = begin()
    a_person(stage.database, "olga", "organiser")
    with pytest.raises(ConflictError, match="last organiser"):
        delete_account(stage.database, "olga")
    a_person(stage.database, "otto", "organiser")
    assert delete_account(stage.database, "olga") == "olga"


def test_an_account_with_a_submission_in_the_queue_waits_for_it(begin: Begin) -> None:
    stage = begin()
    account = a_member(stage)
    [sent], [team] = stage.rows(submissions), stage.rows(teams)
    waiting: dict[str, Any] = {
        "id": "j", "competition": "pets", "team_id": team.id, "account_id": account.id, "phase": "live",
        "received_at": NOON, "file_digest": sent.file_digest, "file_name": "x.csv", "file_size": 1, "fingerprint": "f",
        "status": "received", "due_at": NOON,
    }  # fmt: skip
    with stage.database.transaction() as connection:
        connection.execute(jobs.insert().values(waiting))
    with pytest.raises(ConflictError, match="waits to be scored"):
        delete_account(stage.database, "Zuleika")
    with stage.database.transaction() as connection:
        connection.execute(jobs.update().values(status="failed", finished_at=NOON))
    delete_account(stage.database, "Zuleika")
    assert [(row.account_id, row.file_name) for row in stage.rows(jobs)] == [(None, "file.csv")]


def test_the_export_has_everything_about_the_person_and_no_secret(begin: Begin) -> None:
    stage = begin()
    account = a_member(stage)
    secret, _ = identities.make_token(stage.database, account)
    a_person(stage.database, "somebody else")
    written = b"".join(stream_export(stage.database, account.id)).decode()
    found = json.loads(written)
    assert found["account"]["name"] == "Zuleika"
    assert found["enrolments"][0]["address"] == "zuleika.dobson@oxford.example"
    assert found["memberships"][0]["team"] == "Whales"
    assert len(found["tokens"]) == 2
    assert len(found["sessions"]) == 1
    assert [(one["number"], one["note"]) for one in found["submissions"]] == [(1, "zd-notes: try again")]
    assert "somebody else" not in written
    assert not any(word in written for word in (secret, "hash", "$argon2"))
