"""A database that is away for a moment: 503 and when to come back, from every layer."""

import pytest
from sqlalchemy.exc import OperationalError

from tests.web.servers import Server


def test_a_board_that_is_handed_out_early_says_when_the_database_is_away(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_slug: str) -> None:
        raise OperationalError("SELECT", {}, ConnectionError("gone"))

    monkeypatch.setattr(server.app.state.boards.versions, "read", away)
    answer = server.client().get("/api/v1/competitions/pets/leaderboard")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert answer.json()["error"]["code"] == "unavailable"
