"""A drill against a server that runs already."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import ladderboard as lb
from ladderboard.competition import Limits
from ladderboard.store.database import Database
from ladderboard_lab.drill.elsewhere import drill_server, is_loopback
from ladderboard_lab.drill.run import Wishes
from tests.hosting.competitions import a_competition
from tests.web.servers import Server, a_host, serving


@pytest.fixture
def server(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    shutil.copy(prepared_sqlite, tmp_path / "server.db")
    database = Database(f"sqlite:///{tmp_path / 'server.db'}")
    with serving(a_host(database, tmp_path, a_competition(limits=Limits(per_day=6)))) as running:
        yield running
    database.close()


def test_a_test_server_is_attacked_within_its_limits(server: Server) -> None:
    wishes = Wishes(attacks=["best_of_n"], probes=["bad_rows", "idempotency", "other_teams"], budget=20)
    report = drill_server(server.url, wishes)
    (fought,) = report.fought
    assert report.holds, report.probed
    assert "baseline" in report.against
    assert fought.verdict == "no bound stated"
    assert fought.submissions == 6
    assert "6" in fought.ended


def test_a_server_elsewhere_is_not_attacked_by_mistake() -> None:
    with pytest.raises(lb.ParameterError, match="--yes-this-is-my-server"):
        drill_server("https://board.example.org")


@pytest.mark.parametrize(
    ("url", "here"),
    [("http://localhost:1", True), ("http://[::1]:8000", True), ("http://127.0.0.1.example.org", False)],
)
def test_only_this_machine_is_loopback(url: str, here: bool) -> None:
    assert is_loopback(url) is here
