"""`ladderboard people` on a real database, as a teacher types it."""

import csv
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ladderboard.cli.main import cli
from ladderboard.server.competitions.opening import enter
from ladderboard.server.db.database import Database
from ladderboard.server.services import files_for
from ladderboard.server.settings import Settings
from tests.hosting.competitions import SECRET, a_competition
from tests.hosting.people_fixtures import a_person


@pytest.fixture(autouse=True)
def served_before(tmp_path: Path, prepared_sqlite: Path) -> None:
    """The database that a server of `pets` made, with an account."""
    shutil.copy(prepared_sqlite, tmp_path / "ladderboard.db")
    settings = Settings.from_environment({}, data=tmp_path)
    database = Database(settings.database_url)
    enter(database, files_for(settings, database), a_competition(), secret=SECRET)
    a_person(database, "ada")
    database.close()


def people(data: Path, command: str, *words: str, typed: str | None = None, status: int = 0) -> Result:
    answer = CliRunner().invoke(cli, ["people", command, "pets", *words, "--data", str(data)], input=typed)
    assert answer.exit_code == status, answer.output
    return answer


def test_a_role_is_given_listed_and_taken_away(tmp_path: Path) -> None:
    assert "ada is an assistant of pets now." in people(tmp_path, "role", "Ada", "assistant").output
    assert people(tmp_path, "list").output.split() == ["assistant", "ada"]
    assert json.loads(people(tmp_path, "list", "--json").output)[0]["role"] == "assistant"
    assert "ada has no role in pets any more." in people(tmp_path, "remove", "ada").output
    assert people(tmp_path, "list").output.split() == ["former", "ada"]
    assert "ada is a participant of pets now." in people(tmp_path, "role", "Ada", "participant").output
    assert "no account 'eve'" in people(tmp_path, "role", "eve", "reader", status=2).output


def test_a_list_becomes_a_table_of_links(tmp_path: Path) -> None:
    answer = people(tmp_path, "invite", "-", "--days", "3", typed="Ada Lovelace <ada@example.org>\n=Eve\n")
    rows = list(csv.DictReader(answer.stdout.splitlines()))
    assert [row["name"] for row in rows] == ["Ada Lovelace", "'=Eve"]
    assert all("/invitation?code=" in row["link"] for row in rows)
    again = people(tmp_path, "invite", "-", typed="ada@example.org\nnew@example.org\n")
    assert len(again.stdout.splitlines()) == 2
    assert "1 left out" in again.stderr


def test_a_broken_line_invites_nobody(tmp_path: Path) -> None:
    answer = people(tmp_path, "invite", "-", typed="ada@example.org\nbroken@\n", status=2)
    assert "line 2: 'broken@' is not an email address" in answer.output
    assert "nobody was invited" in answer.output
    assert len(people(tmp_path, "invite", "-", typed="ada@example.org\n").stdout.splitlines()) == 2


def test_one_link_is_printed_alone(tmp_path: Path) -> None:
    assert people(tmp_path, "link", "--uses", "30").output.startswith("http://")
