"""`ladderboard users` on a real database, as an organiser types it."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ladderboard.cli.main import cli
from ladderboard.core.errors import ForbiddenError, ParameterError, SignInRequiredError
from ladderboard.server.db.database import Database
from ladderboard.server.people.accounts import Accounts
from ladderboard.server.settings import Settings


def users(data: Path, *words: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["users", *words, "--data", str(data)], input=typed)


People = Callable[..., Accounts]


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    """The accounts as a server with these settings has them."""
    with ExitStack() as opened:

        def accounts(**settings: str) -> Accounts:
            chosen = Settings.from_environment({}, data=tmp_path, **settings)
            database = Database(chosen.database_url)
            opened.callback(database.close)
            return Accounts(database, chosen)

        yield accounts


@pytest.fixture(autouse=True)
def served_before(tmp_path: Path, prepared_sqlite: Path) -> None:
    """The database that a server made."""
    shutil.copy(prepared_sqlite, tmp_path / "ladderboard.db")


@pytest.mark.parametrize("words", [("add", "Ada"), ("list",), ("sign-up-code",)])
def test_a_command_in_the_wrong_folder_makes_no_database(tmp_path: Path, words: tuple[str, ...]) -> None:
    answered = users(tmp_path / "elsewhere", *words, typed="correct horse\ncorrect horse\n")
    assert answered.exit_code == 2
    assert "there is no" in answered.output
    assert "start `ladderboard serve` first" in answered.output
    assert not (tmp_path / "elsewhere").exists()


def test_the_address_of_the_database_comes_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere.db").write_bytes((tmp_path / "ladderboard.db").read_bytes())
    secret = tmp_path / "database_url"
    secret.write_text(f"sqlite:///{tmp_path}/elsewhere.db\n")
    monkeypatch.setenv("LADDERBOARD_DATABASE_FILE", str(secret))
    assert users(tmp_path, "add", "Ada", typed="correct horse\ncorrect horse\n").exit_code == 0
    assert "Ada" in users(tmp_path, "list").output
    monkeypatch.delenv("LADDERBOARD_DATABASE_FILE")
    assert "Ada" not in users(tmp_path, "list").output


def test_a_setting_and_its_file_are_not_both_taken_and_a_lost_file_is_named() -> None:
    with pytest.raises(ParameterError, match="are both set; keep one of them"):
        Settings.from_environment({"LADDERBOARD_DATABASE": "sqlite:///x", "LADDERBOARD_DATABASE_FILE": "y"})
    with pytest.raises(ParameterError, match="LADDERBOARD_METRICS_TOKEN_FILE is '/lost', which cannot be read"):
        Settings.from_environment({"LADDERBOARD_METRICS_TOKEN_FILE": "/lost"})


def test_the_first_organiser_is_made_with_a_password_that_is_asked_for(tmp_path: Path, people: People) -> None:
    made = users(tmp_path, "add", "Ada", "--role", "organiser", typed="correct horse\ncorrect horse\n")
    assert made.exit_code == 0, made.output
    assert "Ada is an organiser now." in made.output
    assert "correct horse" not in made.output
    assert people().sign_in("ada", "correct horse").role == "organiser"


def test_a_password_comes_from_standard_input_and_never_from_an_argument(tmp_path: Path, people: People) -> None:
    assert users(tmp_path, "add", "Robot", "--password-stdin", typed="correct horse\n").exit_code == 0
    assert people().sign_in("Robot", "correct horse").role == "participant"
    assert users(tmp_path, "add", "Eve", "--password", "correct horse").exit_code == 2


@pytest.mark.parametrize(("name", "password", "why"), [("x", "correct horse", "too short"), ("Ada", "abc", "8 to 200")])
def test_what_cannot_be_used_is_refused_with_a_sentence(tmp_path: Path, name: str, password: str, why: str) -> None:
    refused = users(tmp_path, "add", name, "--password-stdin", typed=f"{password}\n")
    assert refused.exit_code == 2
    assert why in refused.output
    assert "Traceback" not in refused.output


def test_people_are_listed_given_roles_and_locked_out(tmp_path: Path, people: People) -> None:
    for name in ("Grace", "Ada"):
        users(tmp_path, "add", name, "--password-stdin", typed="correct horse\n")
    assert users(tmp_path, "role", "ada", "reader").output == "Ada is a reader now.\n"
    assert users(tmp_path, "disable", "GRACE").output == "Grace is disabled.\n"
    listed = json.loads(users(tmp_path, "list", "--json").output)
    assert [(one["name"], one["role"], one["disabled_at"] is None) for one in listed] == [
        ("Ada", "reader", True),
        ("Grace", "participant", False),
    ]
    assert [line.split()[0] for line in users(tmp_path, "list").output.splitlines()] == ["Ada", "Grace"]
    with pytest.raises(ForbiddenError):
        people().sign_in("Grace", "correct horse")
    users(tmp_path, "enable", "grace")
    assert people().sign_in("Grace", "correct horse").name == "Grace"
    unknown = users(tmp_path, "disable", "Nobody")
    assert (unknown.exit_code, "no account 'Nobody'" in unknown.output) == (2, True)


def test_a_lost_password_is_replaced_by_the_printed_code(tmp_path: Path, people: People) -> None:
    users(tmp_path, "add", "Ada", "--password-stdin", typed="correct horse\n")
    output = users(tmp_path, "reset", "ada").output
    code = output.split("code")[1].split()[0]
    people().reset_password(code, "battery staple")
    assert people().sign_in("Ada", "battery staple").name == "Ada"
    with pytest.raises(SignInRequiredError):
        people().sign_in("Ada", "correct horse")


def test_who_may_sign_up_is_said_by_code_or_by_name(tmp_path: Path, people: People) -> None:
    code = users(tmp_path, "sign-up-code", "--uses", "1").output.strip()
    assert people(sign_up="code").sign_up("Ada", "correct horse", code=code).name == "Ada"
    assert users(tmp_path, "allow", "Bob", "Eve").output == "Bob may sign up.\nEve may sign up.\n"
    by_list = people(sign_up="list")
    assert by_list.sign_up("bob", "correct horse").name == "bob"
    with pytest.raises(ForbiddenError):
        by_list.sign_up("Mallory", "correct horse")


def test_an_account_is_deleted_after_a_question(tmp_path: Path) -> None:
    users(tmp_path, "add", "grace", "--password-stdin", typed="correct horse\n")
    assert users(tmp_path, "delete", "grace", typed="n\n").exit_code == 1
    assert "grace" in users(tmp_path, "list").output
    assert "grace is deleted." in users(tmp_path, "delete", "Grace", "--yes").output
    assert "grace" not in users(tmp_path, "list").output
    assert "no account 'grace'" in users(tmp_path, "delete", "grace", "--yes").output
