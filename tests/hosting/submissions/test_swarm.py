"""Many teams, several client processes, two server processes: every count and every release is exact."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from ladderboard.server.db.schema import submissions
from ladderboard.server.services import open_services
from ladderboard.server.settings import Settings
from tests.contracts.store_cases import check
from tests.hosting.live import LiveServer, enlist, write_folder
from tests.hosting.submissions.swarm import contest

CLIENTS, SENT, QUOTA = 3, 10, 8


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
@pytest.mark.parametrize("count", [9, pytest.param(500, marks=pytest.mark.soak)])
def test_totals_quotas_order_and_releases_are_exact(tmp_path: Path, database_url: str, count: int) -> None:
    folder = write_folder(tmp_path / "pets", contest(), total=QUOTA)
    services = open_services(Settings(data=tmp_path / "data", database=database_url), [folder])
    teams = enlist(services.database, "pets", [f"team-{number}" for number in range(count)])
    work = [
        # Seeds whose files are all different: a repetition would be answered from the store and cost no attempt.
        {"id": team.team_id, "token": team.token, "seeds": [number % 50 + 60 * step for step in range(SENT)]}
        for number, team in enumerate(teams)
    ]
    serving = [LiveServer(folder, data=tmp_path / f"server-{number}", database=database_url) for number in (1, 2)]
    try:
        answers = swarm(work, [server.port for server in serving])
    finally:
        for server in serving:
            server.stop()

    for replies in answers.values():
        assert [status for status, _ in replies] == [201] * QUOTA + [429] * (SENT - QUOTA)
        assert [body["quota"]["left"] for _, body in replies[:QUOTA]] == list(reversed(range(QUOTA)))
        assert [body["release"]["attempt"] for _, body in replies[:QUOTA]] == list(range(1, QUOTA + 1))
        assert {body["error"]["code"] for _, body in replies[QUOTA:]} == {"quota_exceeded"}
    scored = [body for replies in answers.values() for _, body in replies[:QUOTA]]
    with services.database.reading() as connection:
        stored = connection.execute(select(submissions).order_by(submissions.c.number)).all()
    assert len(stored) == len(scored) == count * QUOTA
    for team, replies in answers.items():
        assert [row.id for row in stored if row.team_id == team] == [body["id"] for _, body in replies[:QUOTA]]
    check(services.database, services.competition("pets"), acknowledged=scored)
    services.close()


def swarm(work: list[dict[str, Any]], ports: list[int]) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    """Let several processes play for their share of the teams; the answers by team."""
    clients = []
    for number in range(CLIENTS):
        client = subprocess.Popen(
            [sys.executable, "-m", "tests.hosting.submissions.swarm"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert client.stdin is not None
        json.dump({"ports": ports, "teams": work[number::CLIENTS]}, client.stdin)
        client.stdin.close()
        client.stdin = None
        clients.append(client)
    answers: dict[str, Any] = {}
    for client in clients:
        answers |= json.loads(client.communicate()[0])
        assert client.returncode == 0
    return answers
