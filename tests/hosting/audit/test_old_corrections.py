"""A board made when the gate had half of the rows, with a correction: what its database keeps does not state the share.

`old_ledgers/corrected.sql` is a backup of such a board, made by the code of that day: four submissions, twelve labels
corrected, two more submissions.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from ladderboard.cli.host.ledger_replays import open_replay
from ladderboard.competition import load_competition
from ladderboard.core.errors import ConflictError
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from ladderboard.server.competitions.folder_changes import FolderWatch
from ladderboard.server.db.backup import restore_backup
from ladderboard.server.db.database import Database
from ladderboard.server.results.rescoring import preview_rescoring, publish_rescoring
from ladderboard.server.services import Services, files_for, open_services
from ladderboard.server.settings import Settings
from tests.hosting.competitions import a_competition
from tests.hosting.live import write_folder

OLD = Path(__file__).parent / "old_ledgers/corrected.sql"
HALF = WitnessLadder(gate_share=0.5)


class OldBoard:
    """The board on a database of today, with the folder as its organiser has it."""

    def __init__(self, url: str, folder: Path) -> None:
        self.settings = Settings(data=folder / "data", database=url)
        backup, database = folder / "old.backup", Database(url)
        with closing(sqlite3.connect(backup)) as connection:
            connection.executescript(OLD.read_text())
        restore_backup(backup, database, files_for(self.settings, database))
        database.close()
        self.folder = write_folder(folder / "pets", a_competition())
        self.correct(12)

    def correct(self, labels: int) -> None:
        """Write the folder's solution with that many labels turned."""
        solution = a_competition().solution
        turned = np.where(np.arange(len(solution.ids)) < labels, 1 - solution.labels, solution.labels)
        rows = zip(solution.ids, turned, solution.usage, strict=True)
        text = "id,label,Usage\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows)
        (self.folder / "solution.csv").write_text(text)

    def open(self) -> Services:
        return open_services(self.settings, [self.folder])

    def replay(self) -> list[str]:
        sources = {"publication": None, "submissions": None}
        url = self.settings.database_url
        with open_replay(str(self.folder), old=(), data=self.settings.data, database=url, **sources) as (found, _):
            return [one.outcome for one in found]


@pytest.fixture
def board(empty_url: str, tmp_path: Path) -> OldBoard:
    return OldBoard(empty_url, tmp_path)


def test_it_is_served_and_replayed_with_its_own_share(board: OldBoard) -> None:
    services = board.open()
    assert services.competition("pets").mechanism == HALF
    assert services.unpublished == set()
    services.close()
    assert board.replay() == ["same"] * 7  # the correction too


def test_a_folder_with_the_labels_before_the_correction_changes_nothing(board: OldBoard) -> None:
    board.correct(0)
    services = board.open()
    assert services.competition("pets").mechanism == HALF
    assert services.unpublished == {"pets"}
    services.close()


def test_rules_that_change_in_the_folder_leave_the_share_alone(board: OldBoard) -> None:
    services = board.open()
    watch = FolderWatch(services)
    toml = board.folder / "competition.toml"
    toml.write_text(toml.read_text().replace('title = "Pets"', 'title = "Dogs"'))
    watch.look()
    watch.look()
    assert services.refused_changes == {}
    assert services.competition("pets").rules.title == "Dogs"
    assert services.competition("pets").mechanism == HALF
    services.close()


def test_a_further_correction_is_judged_with_the_share_of_the_board(board: OldBoard) -> None:
    services = board.open()
    board.correct(16)
    corrected = load_competition(board.folder)
    assert corrected.mechanism != HALF
    assert preview_rescoring(services, "pets", corrected).submissions == 6
    publish_rescoring(services, "pets", corrected)
    assert services.competition("pets").mechanism == HALF
    services.close()
    assert board.replay() == ["same"] * 8


def test_a_share_that_the_folder_states_must_be_that_of_the_board(board: OldBoard) -> None:
    toml = board.folder / "competition.toml"
    text = toml.read_text()
    toml.write_text(text.replace('"witness_ladder"', '{ name = "witness_ladder", gate_share = 0.5 }'))
    board.open().close()
    toml.write_text(text.replace('"witness_ladder"', '{ name = "witness_ladder", gate_share = 0.4 }'))
    with pytest.raises(ConflictError, match="gate_share"):
        board.open()
