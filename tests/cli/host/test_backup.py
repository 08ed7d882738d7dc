"""`ladderboard backup` and `ladderboard restore`, on a server's data folder."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ladderboard.cli.main import cli
from ladderboard.store.database import Database
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
    made = run("backup", tmp_path / "x.backup", "--data", data)
    assert (made.exit_code, made.output) == (
        0,
        f"{tmp_path}/x.backup: 1 competition, 1 team, 2 submissions, 2 files\n",
    )
    again = run("restore", tmp_path / "x.backup", "--data", tmp_path / "again")
    assert again.exit_code == 0
    assert again.output == (f"{tmp_path}/again/ladderboard.db: 1 competition, 1 team, 2 submissions, 2 files\n")
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
