from pathlib import Path

import pytest

from ladderboard.cli.participate.credentials import CredentialFile
from ladderboard.client import Client
from tests.cli.participate.participants import PASSWORD, refusal, run, sign_up, told
from tests.web.servers import Server

pytestmark = pytest.mark.usefixtures("home")


def test_signing_up_signs_in_and_the_token_is_kept(server: Server, home: Path) -> None:
    shown = told("sign-up", server.url, "--name", "Ada", given=f"{PASSWORD}\n{PASSWORD}\n")
    assert shown.endswith(
        f"Your account on {server.url} is ready, and you are signed in (token saved in {_kept(home)}).\n"
    )
    assert PASSWORD not in shown
    assert "you have no team" in refusal("team", "show").lower()


def test_signing_in_asks_for_what_is_missing_and_never_shows_the_password(server: Server) -> None:
    sign_up(server)
    result = run("sign-in", server.url + "/", given=f"ada\n{PASSWORD}\n")
    assert f"Signed in to {server.url} as ada" in result.stdout
    assert PASSWORD not in result.output


def test_a_token_can_be_given_instead(server: Server, home: Path) -> None:
    sign_up(server)
    with Client(server.url) as client:
        token = client.create_token("ada", PASSWORD).token
    _kept(home).unlink()
    assert "as ada" in told("sign-in", server.url, "--token-stdin", given=f"{token}\n")
    known = CredentialFile().find()
    assert known is not None
    assert (known.token, known.token_id) == (token, "")
    assert "revoke it where you created it" in told("sign-out")
    assert CredentialFile().find() is None


@pytest.mark.parametrize(("token", "code"), [("", 2), ("lb_wrong", 5)])
def test_a_bad_token_is_not_kept(server: Server, token: str, code: int) -> None:
    refusal("sign-in", server.url, "--token-stdin", given=f"{token}\n", expected=code)
    assert CredentialFile().find() is None


def test_a_wrong_password_is_exit_code_5(server: Server) -> None:
    sign_up(server)
    words = refusal("sign-in", server.url, "--name", "ada", "--password-stdin", given="wrong\n", expected=5)
    assert words == "the name or the password is wrong"


def test_signing_out_makes_the_token_worthless(server: Server) -> None:
    sign_up(server)
    known = CredentialFile().find()
    assert known is not None
    assert told("sign-out") == f"Signed out of {server.url}.\n"
    assert "you are not signed in" in refusal("sign-out")
    with Client(server.url, known.token) as client, pytest.raises(Exception, match="token"):
        client.me()


def test_signing_out_works_without_the_server(server: Server, home: Path) -> None:
    sign_up(server)
    text = _kept(home).read_text().replace(server.url, "http://127.0.0.1:1")
    _kept(home).write_text(text)
    result = run("sign-out")
    assert "it could not be revoked" in result.stderr
    assert CredentialFile().find() is None


def test_the_environment_can_say_who_and_where(server: Server, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sign_up(server)
    with Client(server.url) as client:
        token = client.create_token("ada", PASSWORD).token
    _kept(home).unlink()
    assert "which server?" in refusal("my-submissions")
    monkeypatch.setenv("LADDERBOARD_SERVER", server.url)
    assert f"`ladderboard sign-in {server.url}`" in refusal("my-submissions", expected=5)
    monkeypatch.setenv("LADDERBOARD_TOKEN", token)
    assert "made" not in told("team", "create", "Night Shift")
    assert "has not submitted to pets yet" in told("my-submissions")


def test_a_server_that_is_not_there_is_exit_code_7() -> None:
    words = refusal("sign-in", "http://127.0.0.1:1", "--name", "ada", "--password-stdin", given="x\n", expected=7)
    assert words.startswith("no answer from http://127.0.0.1:1")


def _kept(home: Path) -> Path:
    return home / "config" / "ladderboard" / "servers.json"
