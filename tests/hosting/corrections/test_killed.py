"""A correction that is killed at any step: the old solution counts, or the new one, and the competition goes on."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import select

from ladderboard.competition import load_competition
from ladderboard.core.errors import ConflictError
from ladderboard.server.competitions.schedule import advance, advance_all
from ladderboard.server.db.schema import ledger, submissions
from ladderboard.server.lifecycle import freeze, reveal, unfreeze
from ladderboard.server.results import rescoring
from ladderboard.server.results.finalizing import finalize, find_board
from ladderboard.server.results.finals import pick_finals
from ladderboard.server.results.rescoring import publish_rescoring
from ladderboard.server.services import Services, open_services
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.records import IncomingSubmission
from tests.contracts.store_cases import replayed
from tests.hosting.competitions import a_competition, a_file, predictions
from tests.hosting.live import PATIENCE, enlist, write_folder

KILLED = """
import os, signal, sys
from pathlib import Path
from ladderboard.cli.main import main
from ladderboard.server.results import rescoring
from ladderboard.server.services import Services
from ladderboard.server.db.files import FolderFiles, TableFiles

def die(*_given, **_more):
    os.kill(os.getpid(), signal.SIGKILL)

def then_die(function):
    def call(*given, **more):
        function(*given, **more)
        die()
    return call

step = sys.argv.pop(1)
if step == "judged":
    rescoring._write = die
elif step == "solution stored":
    FolderFiles.put, TableFiles.put = then_die(FolderFiles.put), then_die(TableFiles.put)
elif step == "all written":
    rescoring._write = then_die(rescoring._write)
elif step == "committed":
    Services.serve = die
elif step == "before the private board":
    rescoring.advance = die
main()
"""
BEFORE, AFTER = ("judged", "solution stored", "all written"), ("committed",)


class Organiser:
    """A competition with wrong labels on this database, a process that serves it, and the command."""

    def __init__(self, place: Path, url: str) -> None:
        self.competition = a_competition(rows=200, metric="error_rate", mechanism="ladder")
        self.folder = write_folder(place / "pets", self.competition)
        self.data, self.url = place / "data", url
        self.wrong = (self.folder / "solution.csv").read_text()
        rows = self.wrong.splitlines()
        turned = [row.replace(",0,", ",X,").replace(",1,", ",0,").replace(",X,", ",1,") for row in rows[1:21]]
        self.right = "\n".join([rows[0], *turned, *rows[21:]]) + "\n"
        self.served = self.open()
        [self.team] = enlist(self.served.database, "pets", ["Owls"])

    def open(self) -> Services:
        return open_services(Settings(data=self.data, database=self.url), [self.folder])

    def write(self, solution: str) -> None:
        (self.folder / "solution.csv").write_text(solution)

    def rescore(self, step: str) -> "subprocess.CompletedProcess[str]":
        options = ["--publish", "--yes", "--data", str(self.data), "--database", self.url]
        command = [sys.executable, "-c", KILLED, step, "rescore", str(self.folder), *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)

    def submit(self, services: Services, seed: int) -> int:
        content = a_file(self.competition, predictions(self.competition, 0.5 + seed / 100, seed=seed))
        attempt = IncomingSubmission(self.team.team_id, content, services.database.now())
        return services.submit(services.competition("pets"), attempt).status


@pytest.mark.parametrize("step", [*BEFORE, *AFTER])
def test_the_competition_goes_on_where_it_runs_and_after_a_restart(
    tmp_path: Path, database_url: str, step: str
) -> None:
    host = Organiser(tmp_path, database_url)
    assert host.submit(host.served, 10) == 201
    host.write(host.right)
    killed = host.rescore(step)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert host.submit(host.served, 20) == 201
    version = 2 if step in AFTER else 1
    assert host.served.competition("pets").scoring_version == version
    for number, solution in enumerate((host.right, host.wrong)):  # as it was left; a machine with an old copy
        host.write(solution)
        restarted = host.open()
        assert restarted.competition("pets").scoring_version == version
        assert host.submit(restarted, 30 + number) == 201
        restarted.close()
    host.write(host.right)
    corrected = load_competition(host.folder)
    if step not in AFTER:
        assert publish_rescoring(host.served, "pets", corrected).submissions == 4
    with pytest.raises(ConflictError, match="nothing to correct"):
        publish_rescoring(host.served, "pets", corrected)
    live = host.served.competition("pets")
    assert live.competition.solution.labels.tolist() == corrected.solution.labels.tolist()
    with host.served.database.reading() as connection:
        stored = connection.execute(select(submissions).order_by(submissions.c.number)).all()
        kinds = [one.kind for one in connection.execute(select(ledger).order_by(ledger.c.seq))]
    assert kinds.count("rescored") == 1
    assert kinds.count("submission") == len(stored) == 4
    assert [row.release for row in stored] == replayed(live, stored)  # all of them by the solution that counts
    host.served.close()


@pytest.mark.parametrize("is_revealed", [True, False], ids=["revealed", "not revealed"])
@pytest.mark.parametrize("looks", ["restarted", "running"])
def test_whoever_looks_next_computes_the_private_board_that_was_interrupted(
    tmp_path: Path, database_url: str, looks: str, *, is_revealed: bool
) -> None:
    host = Organiser(tmp_path, database_url)
    assert host.submit(host.served, 40) == 201
    freeze(host.served, "pets")
    finalize(host.served, "pets", at_once=True)
    if is_revealed:
        reveal(host.served, "pets")
    host.write(host.right)
    assert host.rescore("before the private board").returncode == -signal.SIGKILL
    services = host.served if looks == "running" else host.open()
    if not is_revealed:
        with pytest.raises(ConflictError, match="its private board is not computed yet"):
            reveal(services, "pets")
    for change in (lambda: unfreeze(services, "pets"), lambda: pick_finals(services, "pets", host.team.team_id, [])):
        with pytest.raises(ConflictError, match="finalized"):  # it stays finalized while its board is missing
            change()
    advance_all(services)
    with services.database.reading() as connection:
        assert find_board(connection, "pets", sees_all=True).scoring_version == 2
        kinds = [one.kind for one in connection.execute(select(ledger).order_by(ledger.c.seq))]
    assert kinds.count("finalized") == 2
    advance_all(services)
    assert advance(services, "pets") == ("revealed" if is_revealed else "finalized")
    if not is_revealed:
        reveal(services, "pets")
    host.served.close()
    if looks == "restarted":
        services.close()


def test_a_correction_that_somebody_else_completes_is_no_error(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers compute the private board that is due while the organiser's command does the same."""
    host = Organiser(tmp_path, database_url)
    assert host.submit(host.served, 40) == 201
    freeze(host.served, "pets")
    finalize(host.served, "pets", at_once=True)
    host.write(host.right)
    other = host.open()

    def complete_elsewhere(services: Services, slug: str) -> None:
        advance_all(other)
        advance(services, slug)

    monkeypatch.setattr(rescoring, "advance", complete_elsewhere)
    publish_rescoring(host.served, "pets", load_competition(host.folder))
    with host.served.database.reading() as connection:
        assert find_board(connection, "pets", sees_all=True).scoring_version == 2
    host.served.close()
    other.close()
