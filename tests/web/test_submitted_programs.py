"""Programs over HTTP: the log of the sample for their team, and for nobody else; the rules; the data page."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladderboard.competition import load_competition
from ladderboard.core.errors import NotScoredError, ParameterError
from ladderboard.scoring.sandbox import find_obstacle
from ladderboard.server.db.database import Database
from tests.hosting.jobs.programs import answer, fail_hidden, pack, write_programs
from tests.web.pages.readers import Reader
from tests.web.servers import Server, a_host, serving
from tests.web.test_queued_submissions import client_of

pytestmark = pytest.mark.skipif(find_obstacle() is not None, reason="there is no sandbox on this machine")
BASE = "/competitions/signs"


@pytest.fixture
def server(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    path = tmp_path / "server.db"
    shutil.copy(prepared_sqlite, path)
    database = Database(f"sqlite:///{path}")
    with serving(a_host(database, tmp_path, load_competition(write_programs(tmp_path / "signs")))) as running:
        yield running
    database.close()


def test_a_program_is_sent_and_only_its_team_reads_what_it_said(server: Server) -> None:
    with client_of(server, "ada", slug="signs") as client, client_of(server, "bob", slug="signs") as other:
        scored = client.submit("signs", answer(0.9), name="program.zip")
        assert scored.release.accepted
        assert "a line of the log" in client.program_log("signs", scored.id)
        with pytest.raises(ParameterError, match="only the server can check"):
            client.validate("signs", answer(0.9), name="program.zip")
        with pytest.raises(NotScoredError, match="failed on the public sample") as caught:
            client.submit("signs", pack("print('my mistake')\n1 / 0"), name="program.zip")
        failed = caught.value.details
        assert (failed["charged"], failed["has_log"]) == (False, True)
        assert "my mistake" in client.program_log("signs", str(failed["id"]))
        for one in (scored.id, str(failed["id"])):
            with pytest.raises(Exception, match="there is no log"):
                other.program_log("signs", one)
        with pytest.raises(NotScoredError, match="failed on the hidden inputs") as caught:
            client.submit("signs", fail_hidden("print('HIDDEN'); 1 / 0"), name="program.zip")
        charged = caught.value.details
        assert charged["charged"]
        assert "HIDDEN" not in client.program_log("signs", str(charged["id"]))
        told = client.submission("signs", str(charged["id"]))
        assert not {"output", "seconds", "finished_at", "report"} & set(vars(told))
    organiser = server.organiser()
    rows = organiser.get(f"/api/v1{BASE}/organise/queue").json()["items"]
    assert any("HIDDEN" in (row["report"] or "") for row in rows)


def test_pages_say_what_a_program_is_and_link_its_log(server: Server) -> None:
    reader = Reader(server).sign_up("ada").found("Owls", slug="signs")
    assert "You submit a program." in reader.open(f"{BASE}/rules").text
    form = reader.open(f"{BASE}/submit")
    assert form.heading == "Submit a program"
    assert "python predict.py INPUTS OUTPUT" in form.text
    assert "CSV" not in form.text
    assert "sample_inputs/x.csv" in reader.open(f"{BASE}/data").text
    with client_of(server, "bob", slug="signs") as client:
        scored = client.submit("signs", answer(0.7), name="program.zip")
    page = Reader(server).sign_in("bob").open(f"{BASE}/submissions/{scored.id}")
    assert "of the run on the public sample" in page.text
    assert f"{BASE}/submissions/{scored.id}/log" in page.html
