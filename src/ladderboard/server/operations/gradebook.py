"""The gradebook: one row for each person, with names for the teacher, final scores, rank range and points.

Layouts for other systems follow what their importers read: Moodle's grade import maps an address and one column of
points, and stops at a person it does not know; Canvas's wants the columns of its own export and the row of points
possible.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from ladderboard.core.errors import ConflictError, ParameterError
from ladderboard.server.db.database import Connection, Database
from ladderboard.server.db.rows import competitions, results
from ladderboard.server.operations import sql as exporting
from ladderboard.server.operations.points import EXAMPLE, GradedScore, GradingBoard, Rule, count_points, read_rule
from ladderboard.server.operations.records import GradedMember, GradeRow
from ladderboard.server.operations.spreadsheets import write_csv_lines
from ladderboard.server.results.records import PrivateResultRecord

Layout = Literal["full", "moodle", "canvas"]
GRADE_COLUMNS = (
    "name", "address", "person", "team", "team_status", "attempts", "public_score", "public_rank", "private_score",
    "private_rank", "rank_range_best", "rank_range_worst", "points",
)  # fmt: skip
CANVAS_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS_POSSIBLE = "    Points Possible"
TOO_EARLY = "points are counted from final scores; finalize the competition first"


def read_grades(database: Database, slug: str, *, rule: str = "") -> list[GradeRow]:
    """Read the gradebook; points where a rule is given.

    Raises `ConflictError` for points before the competition is finalized, `ParameterError` for a rule that cannot be
    read or does not fit.
    """
    read = read_rule(rule) if rule.strip() else None
    with database.reading() as connection:
        record = competitions.get(connection, slug)
        board = results.find_result(connection, slug, record.scoring_version)
        return list_grades(connection, slug, board, rule=read)


def list_grades(
    connection: Connection, slug: str, board: PrivateResultRecord | None, *, rule: Rule | None = None
) -> list[GradeRow]:
    """List a row for each person, by team and name, then those without a team; final columns are empty without a board.

    A team that is withdrawn or disqualified gets no points by a rule: that is for the teacher to decide.
    """
    if rule is not None and board is None:
        raise ConflictError(TOO_EARLY)
    rows = [] if board is None else [row for row in board.result["rows"] if row["kind"] == "team"]
    # A team may have been renamed since: what counted says whose row it is. Without private rows only the name does.
    teams = exporting.find_teams(connection, [row["submission"] for row in rows if row["submission"] is not None])
    final = {teams.get(row["submission"], row["team"]): row for row in rows}
    ranks = {one.id: one.rank for one in exporting.read_standings(connection, slug)}
    has_private = board is not None and board.result["has_private_rows"]
    graded = []
    for one in exporting.read_graded(connection, slug):
        found = final.get(one.team_id or "") or final.get(one.team or "")
        graded.append((_make_row(one, found or {}, ranks.get(one.team_id or ""), has_private=has_private), found))
    points = {} if rule is None or board is None else _count(rule, [row for _, row in graded if row], board)
    return [replace(row, points=points.get(id(found))) for row, found in graded]


def write_grades(database: Database, slug: str, *, rule: str = "", layout: Layout = "full") -> str:
    """Write the gradebook as CSV; raises what `read_grades` does, and `ParameterError` for a layout without points."""
    if layout != "full" and not rule.strip():
        raise ParameterError(f"a file for {layout.title()} needs points; give a rule for them. {EXAMPLE}")
    rows = read_grades(database, slug, rule=rule)
    if layout == "full":
        return "".join(_full(rows))
    with database.reading() as connection:
        title = json.loads(competitions.get(connection, slug).rules)["title"]
    return "".join(_moodle(rows, title) if layout == "moodle" else _canvas(rows, title, read_rule(rule).most))


def _count(rule: Rule, rows: Sequence[dict[str, Any]], board: PrivateResultRecord) -> dict[int, float]:
    result = board.result
    baselines = {row["team"]: row["value"] for row in result["rows"] if row["kind"] == "baseline"}
    standings = [GradedScore(row["value"], (row.get("rank_range") or {}).get("best", row["rank"])) for row in rows]
    counted = count_points(rule, standings, GradingBoard(result["lower_is_better"], baselines))
    return {id(row): points for row, points in zip(rows, counted, strict=True)}


def _make_row(one: GradedMember, found: dict[str, Any], public_rank: int | None, *, has_private: bool) -> GradeRow:
    span = found.get("rank_range") or {}
    return GradeRow(
        name=one.real_name,
        address=one.address,
        person=one.person,
        team=one.team,
        team_status=one.status,
        attempts=one.attempts or 0,
        public_score=one.board_value,
        public_rank=public_rank,
        private_score=found.get("value") if has_private else None,
        private_rank=found.get("rank") if has_private else None,
        rank_range_best=span.get("best"),
        rank_range_worst=span.get("worst"),
        points=None,
    )


def _full(rows: Sequence[GradeRow]) -> Iterator[str]:
    yield from write_csv_lines(GRADE_COLUMNS, ([getattr(row, name) for name in GRADE_COLUMNS] for row in rows))


def _moodle(rows: Sequence[GradeRow], title: str) -> Iterator[str]:
    """Without those who have no address or no points: one unknown person makes Moodle refuse the whole file."""
    known = [row for row in rows if row.address is not None and row.points is not None]
    yield from write_csv_lines(("Email address", title), ((row.address, row.points) for row in known))


def _canvas(rows: Sequence[GradeRow], title: str, most: float) -> Iterator[str]:
    lines = [(POINTS_POSSIBLE, "", "", "", "", most)]
    lines += [(row.name or row.person, "", "", row.address or "", "", row.points) for row in rows]  # type: ignore[misc]
    yield from write_csv_lines((*CANVAS_COLUMNS, title), lines)
