import stat
from pathlib import Path

import pytest

import ladderboard as lb
from ladderboard.cli.participate.credentials import CredentialFile, SavedToken

ONE = SavedToken("https://one.example", "lb_1", "ada")
TWO = SavedToken("https://two.example", "lb_2", "ada")


def test_the_server_signed_in_to_last_is_the_default(tmp_path: Path) -> None:
    credentials = CredentialFile(tmp_path)
    assert credentials.find() is None
    credentials.remember(ONE)
    credentials.remember(TWO)
    assert credentials.find() == TWO
    assert credentials.find(ONE.server) == ONE
    credentials.remember(SavedToken(ONE.server, "lb_new", "ada"))
    assert credentials.find() == SavedToken(ONE.server, "lb_new", "ada")
    credentials.forget(ONE.server)
    assert credentials.find(ONE.server) is None
    assert credentials.find() == TWO


def test_nobody_else_can_read_the_tokens(tmp_path: Path) -> None:
    credentials = CredentialFile(tmp_path / "config")
    credentials.remember(ONE)
    assert stat.S_IMODE(credentials.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(credentials.path.parent.stat().st_mode) == 0o700
    assert [one.name for one in credentials.path.parent.iterdir()] == ["servers.json"]


def test_a_damaged_file_is_a_sentence(tmp_path: Path) -> None:
    credentials = CredentialFile(tmp_path)
    for text in ("{", "[]", '{"servers": [{}]}'):
        credentials.path.write_text(text)
        with pytest.raises(lb.ParameterError, match="delete it and sign in again"):
            credentials.find()


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(lb.ParameterError, match="Not a directory"):
        CredentialFile(tmp_path / "file").remember(ONE)
