"""Every command of the organiser on a database that is damaged: one sentence with the way back, and no traceback."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ladderboard.cli.main import cli
from tests.hosting.competitions import a_competition
from tests.hosting.live import write_folder

PAGE = 4096
COMMANDS = {
    "users list": ["users", "list"],
    "users add": ["users", "add", "zoe", "--password-stdin"],
    "flags": ["flags", "pets"],
    "quota": ["quota", "pets", "Owls"],
    "webhooks": ["webhooks", "list"],
    "export": ["export", "pets", "--to", "exported"],
    "freeze": ["freeze", "pets"],
    "finalize": ["finalize", "pets", "--preview"],
    "reveal": ["reveal", "pets", "--yes"],
    "rescore": ["rescore", "pets"],
    "baseline": ["baseline", "add", "pets", "Majority", "pets/solution.csv"],
    "verify-files": ["verify-files"],
    "backup": ["backup", "x.backup"],
    "ledger replay": ["ledger", "replay", "pets"],
}


def cut_off(database: Path) -> None:
    os.truncate(database, database.stat().st_size // PAGE // 2 * PAGE)


def overwrite_pages(database: Path) -> None:
    """All but the first, which says what kind of file it is."""
    with database.open("r+b") as file:
        file.seek(PAGE)
        file.write(b"\xee" * (database.stat().st_size - PAGE))


def overwrite_header(database: Path) -> None:
    with database.open("r+b") as file:
        file.write(b"\xff" * 100)


@pytest.fixture
def data(tmp_path: Path, prepared_sqlite: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A server's data folder, beside the folder of its competition."""
    monkeypatch.chdir(tmp_path)
    write_folder(tmp_path / "pets", a_competition())
    (tmp_path / "data").mkdir()
    shutil.copy(prepared_sqlite, tmp_path / "data" / "ladderboard.db")
    return tmp_path / "data"


def run(command: str, data: Path) -> Result:
    return CliRunner().invoke(cli, [*COMMANDS[command], "--data", str(data)], input="a good password\n" * 2)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("damage", [cut_off, overwrite_pages, overwrite_header])
def test_the_way_back_is_told(data: Path, damage: Callable[[Path], None], command: str) -> None:
    damage(data / "ladderboard.db")
    told = run(command, data)
    assert isinstance(told.exception, SystemExit), told.exception
    assert told.exit_code == 2
    assert told.stderr.startswith("Error: the database is damaged: a part of it cannot be read; ")
    assert "`ladderboard restore BACKUP --data NEW_FOLDER`" in told.stderr
    assert told.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [command for command in COMMANDS if command != "backup"])
def test_an_empty_database_is_not_only_taken_for_a_new_one(data: Path, command: str) -> None:
    os.truncate(data / "ladderboard.db", 0)
    told = run(command, data)
    assert isinstance(told.exception, SystemExit), told.exception
    assert "restore the last backup with `ladderboard restore BACKUP`" in told.stderr


def test_a_server_does_not_begin_anew_in_an_emptied_database(data: Path) -> None:
    place = data / "ladderboard.db"
    os.truncate(place, 0)
    told = CliRunner().invoke(cli, ["serve", "pets", "--data", str(data), "--port", "0"])
    assert told.exit_code == 2
    assert told.stderr.startswith(f"Error: {place} is empty (0 bytes); if a server has used it, its data is lost: ")
    assert told.stderr.endswith("; for a new server give a new --data folder\n")
    assert not place.stat().st_size


def test_a_file_that_cannot_be_opened_is_nothing_that_runs(tmp_path: Path) -> None:
    place = tmp_path / "ladderboard.db"
    place.mkdir()
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        sqlite3.connect(place).execute("select 1")
    told = run("users list", tmp_path)
    assert told.stderr == (
        "Error: cannot use the database (unable to open database file); check that you may write to its file and "
        "folder and that its disk is not full, then try again\n"
    )


@pytest.mark.parametrize("command", [["serve", "pets", "--port", "0"], *COMMANDS.values()])
def test_nothing_begins_anew_where_the_database_is_gone(data: Path, command: list[str]) -> None:
    place = data / "ladderboard.db"
    place.rename(data.parent / "elsewhere.db")
    (data / "ladderboard.db.used").touch()
    told = CliRunner().invoke(cli, [*command, "--data", str(data)], input="a good password\n" * 2)
    assert told.exit_code == 2
    assert told.stderr.count("\n") == 1
    assert f"{place} is missing, but a server has used it" in told.stderr or "there is no database" in told.stderr
    assert not place.exists()
