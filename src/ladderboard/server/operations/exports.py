"""Exports of a whole competition for its organiser, as CSV or JSON files: streamed, and safe in a spreadsheet."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ladderboard.core.records import Release
from ladderboard.server.audit.ledger_view import whole_view
from ladderboard.server.competitions.records import CompetitionRecord
from ladderboard.server.db.database import Connection
from ladderboard.server.db.files import Files
from ladderboard.server.db.rows import competitions, results
from ladderboard.server.operations import sql as exporting
from ladderboard.server.operations.archives import ZipMember
from ladderboard.server.operations.gradebook import GRADE_COLUMNS, list_grades
from ladderboard.server.operations.spreadsheets import write_csv_lines

Format = Literal["csv", "json"]

TEAM_COLUMNS = (
    "id", "name", "kind", "status", "merged_into", "created_at", "attempts", "accepts", "board_value",
    "last_improvement", "last_improved_at", "last_submitted_at", "extra_per_day", "extra_total",
)  # fmt: skip
MEMBER_COLUMNS = ("name", "team_id", "joined_at", "left_at")
STANDING_COLUMNS = ("rank", "name", "kind", "board_value", "attempts", "accepts", "last_improved_at")
SUBMISSION_COLUMNS = (
    "number", "id", "team", "team_id", "sender", "phase", "received_at", "scored_at", "file_name", "file_size",
    "file_digest", "note", "training_score", "scoring_version", "picked_at",
)  # fmt: skip
RELEASE_COLUMNS = ("value", "board_value", "accepted", "improved", "attempt", "standard_error", "interval")
FLAG_COLUMNS = ("at", "kind", "team", "submission_id", "other_submission_id", "detail", "dismissed_at")


@dataclass(frozen=True)
class ExportTable:
    """A table of an export: its name, its columns, its rows one at a time."""

    name: str
    columns: Sequence[str]
    rows: Iterable[Sequence[Any]]

    def write_lines(self, form: Format) -> Iterator[str]:
        if form == "csv":
            yield from write_csv_lines(self.columns, self.rows)
            return
        yield "["
        for index, row in enumerate(self.rows):
            record = json.dumps(dict(zip(self.columns, row, strict=True)), ensure_ascii=False, default=_plain)
            yield f"{',' if index else ''}\n{record}"
        yield "\n]\n"


def stream_export(
    connection: Connection, slug: str, *, form: Format = "csv", files: Files | None = None
) -> Iterator[ZipMember]:
    """Write the files of an export: name and content, in parts. With ``files``: the submitted files too.

    The caller keeps the connection open until the last part is read: the whole export is one consistent view.
    """
    row = competitions.get(connection, slug)
    yield "competition.json", [_competition(row).encode()]
    for table in _tables(connection, slug):
        yield f"{table.name}.{form}", _encode(table.write_lines(form))
    board = results.find_result(connection, slug, row.scoring_version)
    grades = ExportTable("grades", GRADE_COLUMNS, _read_cells(GRADE_COLUMNS, list_grades(connection, slug, board)))
    yield f"grades.{form}", _encode(grades.write_lines(form))
    if board is not None:
        yield "private_board.json", [_text(board.result).encode()]
        if form == "csv":
            yield "private_board.csv", _encode(_private_table(board.result).write_lines("csv"))
    entries = whole_view(connection, slug).entries(connection)
    yield "ledger.jsonl", (f"{json.dumps(one.to_json(), ensure_ascii=False)}\n".encode() for one in entries)
    if files is not None:
        yield from _read_files(connection, slug, files)


def _tables(connection: Connection, slug: str) -> Iterator[ExportTable]:
    yield ExportTable("teams", TEAM_COLUMNS, _read_cells(TEAM_COLUMNS, exporting.read_teams(connection, slug)))
    yield ExportTable("members", MEMBER_COLUMNS, _read_cells(MEMBER_COLUMNS, exporting.read_members(connection, slug)))
    yield ExportTable(
        "standings", STANDING_COLUMNS, _read_cells(STANDING_COLUMNS, exporting.read_standings(connection, slug))
    )
    submissions = exporting.read_submissions(connection, slug)
    yield ExportTable(
        "submissions",
        (*SUBMISSION_COLUMNS, *_name_release_columns()),
        ((*_cells(SUBMISSION_COLUMNS, row), *_release_cells(row.release)) for row in submissions),
    )
    rescored = exporting.read_rescored(connection, slug)
    yield ExportTable(
        "rescored",
        ("number", "submission_id", "scoring_version", *_name_release_columns()),
        ((row.number, row.submission_id, row.scoring_version, *_release_cells(row.release)) for row in rescored),
    )
    yield ExportTable("flags", FLAG_COLUMNS, _read_cells(FLAG_COLUMNS, exporting.read_flags(connection, slug)))


def _read_cells(columns: Sequence[str], rows: Iterable[Any]) -> Iterator[Sequence[Any]]:
    return (_cells(columns, row) for row in rows)


def _cells(columns: Sequence[str], row: Any) -> list[Any]:
    return [getattr(row, name) for name in columns]


def _name_release_columns() -> list[str]:
    return [*(f"release_{name}" for name in RELEASE_COLUMNS[:-1]), "interval_low", "interval_high"]


def _release_cells(release: dict[str, Any]) -> list[Any]:
    shown = Release.from_dict(release).to_dict()
    low, high = shown["interval"] or (None, None)
    return [*(shown[name] for name in RELEASE_COLUMNS[:-1]), low, high]


def _private_table(result: dict[str, Any]) -> ExportTable:
    rows = [_flatten_range(row) for row in result["rows"]]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    return ExportTable("private_board", columns, ([row.get(name) for name in columns] for row in rows))


def _flatten_range(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the private board with the two ends of its rank range in cells of their own."""
    span = row.get("rank_range") or {}
    flat = {name: value for name, value in row.items() if name != "rank_range"}
    return flat | {"rank_range_best": span.get("best"), "rank_range_worst": span.get("worst")}


def _competition(row: CompetitionRecord) -> str:
    """Write the competition's record, without what opens its commitment."""
    dates = ("created_at", "opened_at", "frozen_at", "finalized_at", "revealed_at", "spent_at")
    numbers = ("scoring_version", "noise_epoch", "last_number", "bits", "ledger_length", "ledger_head", "commitment")
    facts = {"slug": row.slug, "rules": json.loads(row.rules)} | {name: getattr(row, name) for name in dates + numbers}
    return _text(facts)


def _read_files(connection: Connection, slug: str, files: Files) -> Iterator[ZipMember]:
    sent: set[str] = set()
    for row in exporting.read_submissions(connection, slug):
        if row.file_digest not in sent:
            sent.add(row.file_digest)
            yield f"files/{row.file_digest}", [files.read(row.file_digest)]


def _encode(lines: Iterable[str]) -> Iterator[bytes]:
    """Encode lines in parts: a write for each line would cost more than the line."""
    held: list[str] = []
    for line in lines:
        held.append(line)
        if len(held) >= 500:
            yield "".join(held).encode()
            held.clear()
    yield "".join(held).encode()


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=_plain) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} cannot be exported")
