"""Competitions whose labels would be asked about today: those that run are served on, new ones are not begun."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import update

from ladderboard.competition import inspect_folder, load_competition
from ladderboard.core.errors import ConflictError
from ladderboard.server.competitions.folder_changes import FolderWatch
from ladderboard.server.competitions.opening import enter
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import competitions
from ladderboard.server.results.rescoring import preview_rescoring
from ladderboard.server.services import Services, files_for, open_services
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.records import IncomingSubmission
from ladderboard.server.teams.teams import create_team
from tests.competition.folders import write_folder
from tests.hosting.competitions import NOON, a_file
from tests.hosting.people_fixtures import a_person

ROWS = 400
LABELS = {
    "percentages": [f"{share}%" for share in range(5, 95, 5)],
    "dollars": [f"${price}" for price in range(5, 95, 5)],
    "euros": [f"{price} €" for price in range(1, 9)],
    "dates": [f"2024-0{month}-01" for month in range(1, 9)],
    "dates with slashes": [f"0{month}/01/2024" for month in range(1, 9)],
    "one word in two ways": ["Yes", "yes", "No"],
    "lists": ["[1]", "[2]", "[1 2]"],
    "tags": ["sea", "sea boat", "boat", "sky", "sea sky", "sky boat"],
    "texts": [f"this is text {number}" for number in range(ROWS)],
    "measurements": [str(number / 100) for number in range(ROWS)],
    "grades in halves": [str(half / 2) for half in range(26)],
}
TOML = 'title = "Whales"\nslug = "whales"\nmetric = "{metric}"\n'


def write(folder: Path, kind: str, *, are_turned: bool = False) -> Path:
    """A folder with such labels; the first two may have changed places."""
    labels = [LABELS[kind][row * 37 % ROWS % len(LABELS[kind])] for row in range(ROWS)]
    if are_turned:
        labels[:2] = labels[1::-1]
    rows = [f"{row},{label},{('Public', 'Private')[row % 2]}" for row, label in enumerate(labels)]
    metric = "quadratic_kappa" if kind == "grades in halves" else "accuracy"
    return write_folder(folder, TOML.format(metric=metric), "\n".join(["id,label,Usage", *rows]))


@pytest.fixture(params=LABELS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def begin_as_formerly(folder: Path, settings: Settings) -> None:
    """Take the competition in as versions did that asked nothing and kept no solution."""
    open_services(settings, []).close()
    database = Database(settings.database_url)
    enter(database, files_for(settings, database), replace(load_competition(folder), questions=()))
    with database.transaction() as connection:
        connection.execute(update(competitions).values(solution_file=None))
    database.close()


def send(services: Services, team: str) -> int:
    """Submit the right class of most rows."""
    competition = services.competition("whales").competition
    right = competition.solution.labels
    content = a_file(competition, np.where(np.arange(ROWS) % 4, right, right[0]))
    answer = services.referee.submit(services.competition("whales"), IncomingSubmission(team, content, NOON))
    return answer.status


def test_what_runs_goes_on_and_what_is_new_is_asked_about(kind: str, tmp_path: Path) -> None:
    folder, settings = write(tmp_path / "whales", kind), Settings(data=tmp_path / "data")
    assert inspect_folder(folder).competition is None
    with pytest.raises(ConflictError, match=r'whales cannot be served yet:\n.*column \'label\' .*classes = \["…"'):
        open_services(Settings(data=tmp_path / "new"), [folder])
    begin_as_formerly(folder, settings)
    for name in ("Owls", "Terns"):  # the second start finds the solution that the first has kept
        services = open_services(settings, [folder])
        live = services.competition("whales")
        team = create_team(services.database, live, a_person(services.database, name), name)
        assert send(services, team.id) == 201
        services.close()


def test_its_folder_is_followed_and_its_labels_are_corrected(kind: str, tmp_path: Path) -> None:
    folder, settings = write(tmp_path / "whales", kind), Settings(data=tmp_path / "data")
    begin_as_formerly(folder, settings)
    services = open_services(settings, [folder])
    (folder / "competition.toml").write_text((folder / "competition.toml").read_text() + 'summary = "By song"\n')
    live, watch = services.competition("whales"), FolderWatch(services)
    send(services, create_team(services.database, live, a_person(services.database, "Owls"), "Owls").id)
    for _ in range(2):
        watch.look()
    assert services.refused_changes == {}
    assert services.competition("whales").rules.summary == "By song"
    corrected = load_competition(write(tmp_path / "corrected", kind, are_turned=True))
    assert preview_rescoring(services, "whales", corrected).submissions == 1
    services.close()


def test_an_organiser_who_lists_the_classes_has_answered(kind: str, tmp_path: Path) -> None:
    folder, settings = write(tmp_path / "whales", kind), Settings(data=tmp_path / "data")
    rules = folder / "competition.toml"
    used = {str(one) for one in load_competition(folder).solution.labels}
    listed = ", ".join(f'"{one}"' for one in sorted(used))
    rules.write_text(f"{rules.read_text()}\n[solution]\nclasses = [{listed}]\n")
    services = open_services(settings, [folder])
    assert not services.competition("whales").competition.questions
    services.close()
