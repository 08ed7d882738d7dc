"""What a server keeps is for its own user's eyes: secrets of competitions, hashes of passwords, what teams sent."""

import stat
from pathlib import Path

import numpy as np

from ladderboard.competition.scaffold import Request, make_folder
from ladderboard.server.db.files import SMALL_BYTES
from ladderboard.server.db.schema import teams
from ladderboard.server.operations.archives import write_export
from ladderboard.server.services import open_services
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.records import IncomingSubmission
from ladderboard.tabular import sample_submission


def others_may(path: Path) -> list[str]:
    """The files and folders at and below a path that others than their owner may do anything with."""
    return [str(one) for one in (path, *path.rglob("*")) if stat.S_IMODE(one.stat().st_mode) & 0o077]


def test_the_data_folder_with_database_and_files_is_the_servers_alone(tmp_path: Path) -> None:
    folder, data = tmp_path / "clicks", tmp_path / "data"
    make_folder(folder, Request(solution=None))
    services = open_services(Settings(data=data), [folder])
    live = services.competition("clicks")
    with services.database.transaction() as connection:
        now = services.database.now(connection)
        row = {"id": "a", "competition": "clicks", "name": "a", "name_key": "a", "salt": "s", "created_at": now}
        connection.execute(teams.insert(), row)
    # Long enough to become a file of its own.
    content = sample_submission(live.competition.format).replace(b"\n", b" " * 40 + b"\n")
    assert len(content) > SMALL_BYTES
    assert services.referee.submit(live, IncomingSubmission("a", content, now)).status == 201
    assert {path.name for path in data.iterdir()} >= {"ladderboard.db", "ladderboard.db-wal", "files"}
    assert others_may(data) == []
    services.close()


def test_a_new_competition_folder_is_its_makers_alone(tmp_path: Path) -> None:
    """The solution and the seed of the split are in it."""
    make_folder(tmp_path / "clicks", Request(solution=None))
    assert stat.S_IMODE((tmp_path / "clicks").stat().st_mode) == 0o700


def test_an_export_is_the_organisers_alone(tmp_path: Path) -> None:
    members = {"board.csv": b"team\n", "files/one": np.arange(3).tobytes()}
    for target in (tmp_path / "export", tmp_path / "export.zip"):
        write_export([(name, [content]) for name, content in members.items()], target, progress=lambda _: None)
        assert [path for path in others_may(target) if Path(path).is_file()] == []
    assert stat.S_IMODE((tmp_path / "export").stat().st_mode) == 0o700
