"""The table that a lecturer grades from: one row for each person, with the team's scores, ranks and attempts."""

from collections.abc import Iterator, Sequence
from typing import Any

from ladderboard.server.db.database import Connection
from ladderboard.server.operations import sql as exporting
from ladderboard.server.results.records import PrivateResultRecord

GRADE_COLUMNS = (
    "person", "team", "team_status", "attempts", "public_score", "public_rank", "private_score", "private_rank",
    "rank_range_best", "rank_range_worst",
)  # fmt: skip


def list_grades(connection: Connection, slug: str, board: PrivateResultRecord | None) -> Iterator[Sequence[Any]]:
    """One row for each member of a team, by team and name; private columns are empty before the private board is."""
    rows = [] if board is None else [row for row in board.result["rows"] if row["kind"] == "team"]
    # A team may have been renamed since: what counted says whose row it is. Without private rows only the name does.
    teams = exporting.find_teams(connection, [row["submission"] for row in rows if row["submission"] is not None])
    private = {teams.get(row["submission"], row["team"]): row for row in rows}
    ranks = {one.id: one.rank for one in exporting.read_standings(connection, slug)}
    for one in exporting.read_graded(connection, slug):
        found = private.get(one.team_id) or private.get(one.team) or {}
        span = found.get("rank_range") or {}
        has_private = board is not None and board.result["has_private_rows"]
        yield (
            one.person, one.team, one.status, one.attempts, one.board_value, ranks.get(one.team_id),
            found.get("value") if has_private else None, found.get("rank") if has_private else None,
            span.get("best"), span.get("worst"),
        )  # fmt: skip
