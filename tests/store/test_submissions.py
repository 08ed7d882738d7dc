"""What the charts are drawn from: a team's own attempts in their order, on either database."""

from pathlib import Path

from ladderboard.server.boards import sql as standings
from ladderboard.server.db.database import Database
from ladderboard.server.submissions.sql import submissions
from tests.hosting.hosts import Stage


def test_a_history_is_told_in_order_and_knows_what_came_before(database: Database, tmp_path: Path) -> None:
    stage = Stage.of(database, tmp_path)
    for seed, (team, share) in enumerate([("owls", 0.8), ("foxes", 0.9), ("owls", 0.5), ("owls", 0.98)]):
        stage.send(team, share, seed=seed)
    with stage.database.reading() as connection:
        told = submissions.list_outcomes(connection, "id-owls", most=10)
        assert [row.number for row in told] == [1, 3, 4]
        assert [row.number for row in submissions.list_outcomes(connection, "id-owls", most=2)] == [3, 4]
        assert [row.accepted for row in told] == [True, False, True]
        earlier = submissions.find_outcome_before(connection, "id-owls", 4)
        assert earlier is not None
        assert earlier.number == 3
        assert submissions.find_outcome_before(connection, "id-owls", 1) is None
        assert [submissions.count_up_to(connection, "id-owls", number) for number in (1, 3, 4)] == [1, 2, 3]
        assert submissions.find_sender(connection, told[0].id) is None
        shown = standings.list_board_values(connection, ["id-owls", "id-foxes", "id-nobody"])
    assert shown["id-owls"] == [told[0].board_value, told[2].board_value]
    assert len(shown["id-foxes"]) == 1
    assert shown["id-nobody"] == []
    stage.database.close()
