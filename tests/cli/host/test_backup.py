"""`ladderboard backup` and `ladderboard restore`, on a server's data folder."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ladderboard.cli.main import cli
from ladderboard.server.db.database import Database
from tests.contracts.store_cases import Served


@pytest.fixture
def data(tmp_path: Path, prepared_sqlite: Path) -> Path:
    """The data folder of a server to which one team has submitted twice."""
    folder = tmp_path / "data"
    folder.mkdir()
    shutil.copy(prepared_sqlite, folder / "ladderboard.db")
    database = Database(f"sqlite:///{folder}/ladderboard.db")
    served = Served(database, folder)
    served.add_teams("a")
    served.send_all("a", range(2))
    database.close()
    return folder


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(one) for one in arguments])


def test_a_backup_and_back(data: Path, tmp_path: Path) -> None:
    # Two files of the team, and the solution that counts.
    made = run("backup", tmp_path / "x.backup", "--data", data)
    assert (made.exit_code, made.output) == (
        0,
        f"{tmp_path}/x.backup: 1 competition, 1 team, 2 submissions, 3 files\n",
    )
    again = run("restore", tmp_path / "x.backup", "--data", tmp_path / "again")
    assert again.exit_code == 0
    assert again.output == (f"{tmp_path}/again/ladderboard.db: 1 competition, 1 team, 2 submissions, 3 files\n")
    database = Database(f"sqlite:///{tmp_path}/again/ladderboard.db")
    Served(database, tmp_path / "again").check(acknowledged=[])
    database.close()


def test_a_wrong_folder_is_named_and_not_made(tmp_path: Path) -> None:
    made = run("backup", tmp_path / "x.backup", "--data", tmp_path / "nowhere")
    assert made.exit_code == 2
    assert "there is no database" in made.output
    assert "nowhere" in made.output
    assert list(tmp_path.iterdir()) == []


def test_a_running_servers_data_is_never_restored_over(data: Path, tmp_path: Path) -> None:
    run("backup", tmp_path / "x.backup", "--data", data)
    again = run("restore", tmp_path / "x.backup", "--data", data)
    assert again.exit_code == 2
    assert "give a new --data folder" in again.output


def test_a_damaged_file_is_named_by_a_backup_and_mended_from_an_older_one(data: Path, tmp_path: Path) -> None:
    run("backup", tmp_path / "old.backup", "--data", data)
    assert run("verify-files", "--data", data).output == "3 files, none damaged\n"
    with sqlite3.connect(data / "ladderboard.db") as connection:
        (digest,) = connection.execute("SELECT min(digest) FROM files").fetchone()
        connection.execute("UPDATE files SET content = X'78' WHERE digest = ?", [digest])
    connection.close()
    made = run("backup", tmp_path / "new.backup", "--data", data)
    assert made.exit_code == 1
    assert "1 competition, 1 team, 2 submissions, 3 files\n" in made.output
    assert f"the content of the file {digest} is not in it" in made.output
    found = run("verify-files", "--data", data)
    assert found.exit_code == 1
    assert found.output.startswith(f"the file {digest} in {data}/files has been changed; `ladderboard verify-files")
    assert found.output.endswith("3 files, 1 damaged\n")
    assert run("verify-files", "--data", data, "--from", tmp_path / "new.backup").exit_code == 1
    mended = run("verify-files", "--data", data, "--from", tmp_path / "old.backup")
    assert (mended.exit_code, mended.output) == (0, f"{digest}: restored\n3 files, none damaged\n")
    assert run("verify-files", "--data", data).exit_code == 0


def test_files_are_not_verified_where_there_is_no_server(tmp_path: Path) -> None:
    assert run("verify-files", "--data", tmp_path / "nowhere").exit_code == 2
    assert list(tmp_path.iterdir()) == []
