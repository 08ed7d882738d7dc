"""A drill against a server that runs already."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

import ladderboard as lb
from ladderboard.competition import Competition, Limits
from ladderboard.server.db.database import Database
from ladderboard.server.people.accounts import Registry
from ladderboard_lab.drill.http_participants import HttpParticipant
from ladderboard_lab.drill.leakage_bounds import infer_yardstick
from ladderboard_lab.drill.remote_server import drill_server, is_loopback
from ladderboard_lab.drill.run import DrillOptions
from tests.hosting.competitions import NOON, a_competition
from tests.web.servers import Server, a_host, serving


@contextmanager
def a_server(prepared: Path, folder: Path, competition: Competition, **settings: Any) -> Iterator[Server]:
    shutil.copy(prepared, folder / "server.db")
    # The clock stands still, so that no test runs over midnight and its quota.
    database = Database(f"sqlite:///{folder / 'server.db'}", clock=lambda: NOON)
    with serving(a_host(database, folder, competition, **settings)) as running:
        yield running
    database.close()


def test_a_test_server_is_attacked_within_its_limits(prepared_sqlite: Path, tmp_path: Path) -> None:
    options = DrillOptions(attacks=["best_of_n"], probes=["bad_rows", "idempotency", "other_teams"], budget=20)
    with a_server(prepared_sqlite, tmp_path, a_competition(limits=Limits(per_day=6))) as server:
        report = drill_server(server.url, options)
    (result,) = report.attacks
    assert report.holds, report.probes
    assert "baseline" in report.against
    assert result.verdict == "holds"
    assert result.bound is not None
    assert result.submissions == 6
    assert "6" in result.ended


def test_a_board_with_one_instance_per_rank_tells_no_split_by_counting_attempts(
    prepared_sqlite: Path, tmp_path: Path
) -> None:
    with a_server(prepared_sqlite, tmp_path, a_competition(instances="rank", ranks=3)) as server:
        report = drill_server(
            server.url, DrillOptions(attacks=["repeat_averaging"], probes=["constant_but_one"], budget=3)
        )
    (result,) = report.attacks
    assert report.holds, report.probes
    assert result.overfit is None
    assert result.verdict == "not climbed"  # no number was shown, so that none of its bounds is known either


def test_a_server_that_asks_for_a_code_says_so_and_takes_it(prepared_sqlite: Path, tmp_path: Path) -> None:
    options = DrillOptions(attacks=[], probes=["idempotency"])
    with a_server(prepared_sqlite, tmp_path, a_competition(), sign_up="code") as server:
        with pytest.raises(lb.ForbiddenError, match="sign-up code is needed"):
            drill_server(server.url, options)
        code = Registry(server.app.state.accounts).make_sign_up_code()
        assert drill_server(server.url, options, code=code).holds


def test_a_server_that_goes_away_ends_the_drill_with_a_sentence(prepared_sqlite: Path, tmp_path: Path) -> None:
    with a_server(prepared_sqlite, tmp_path, a_competition()) as server, pytest.MonkeyPatch.context() as patch:

        def gone(*_: object, **__: object) -> None:
            raise httpx.RemoteProtocolError("Server disconnected without sending a response.")

        patch.setattr(HttpParticipant, "post_file", gone)
        with pytest.raises(lb.UnreachableError, match="stopped answering after 0 of 1 attacks and probes"):
            drill_server(server.url, DrillOptions(attacks=[], probes=["idempotency"]))


@pytest.mark.parametrize("rows", [10, 99, 100, 101, 1000, 1001, 4321])
def test_the_scale_of_a_holdout_is_read_from_an_interval_and_never_too_large(rows: int) -> None:
    competition = a_competition(rows=rows, metric="error_rate", private=False)
    yardstick = competition.public.yardstick
    for value in (0.05, 0.3117, 0.5, 0.71):
        interval = yardstick.interval(value)
        assert interval is not None
        read = infer_yardstick("error_rate", yardstick.baseline_score, 9999, value=value, interval=interval)
        assert read is not None
        assert 0.97 * rows <= read.units <= rows
        assert read.null_standard_error == pytest.approx(yardstick.null_standard_error, rel=0.05)
    assert infer_yardstick("error_rate", 0.5, 9999, value=0.4, interval=(0.1, 0.6)) is None
    assert infer_yardstick("auc", 0.5, 9999, value=0.4, interval=(0.3, 0.5)) is None


def test_a_server_elsewhere_is_not_attacked_by_mistake() -> None:
    with pytest.raises(lb.ParameterError, match="--yes-this-is-my-server"):
        drill_server("https://board.example.org")


@pytest.mark.parametrize(
    ("url", "here"),
    [("http://localhost:1", True), ("http://[::1]:8000", True), ("http://127.0.0.1.example.org", False)],
)
def test_only_this_machine_is_loopback(url: str, here: bool) -> None:
    assert is_loopback(url) is here
