"""A database that is away for a moment: 503 and when to come back, from every layer."""

import pytest
from sqlalchemy.exc import OperationalError

from tests.web.servers import Server


@pytest.mark.parametrize("path", ["/api/v1/competitions/pets/leaderboard", "/competitions/pets/leaderboard"])
def test_a_board_says_when_the_database_is_away(server: Server, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    def away() -> None:
        raise OperationalError("SELECT", {}, ConnectionError("gone"))

    monkeypatch.setattr(server.services.database.engine, "connect", away)
    answer = server.client().get(path)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert answer.json()["error"]["code"] == "unavailable"
