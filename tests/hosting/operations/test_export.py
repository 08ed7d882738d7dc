"""The organiser's export: complete, consistent, harmless in a spreadsheet, and small in memory."""

import csv
import io
import json
import tracemalloc
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert

from ladderboard.core.errors import ConflictError, NotFoundError
from ladderboard.server.audit.audit import audit
from ladderboard.server.db.schema import members, submissions, teams
from ladderboard.server.lifecycle import GRACE, freeze
from ladderboard.server.operations import sql as exporting
from ladderboard.server.operations.archives import stream_zip, write_export
from ladderboard.server.operations.exports import stream_export
from ladderboard.server.operations.spreadsheets import FORMULA_STARTS, make_safe_cell, write_csv_lines
from ladderboard.server.results.finalizing import finalize
from tests.hosting.competitions import NOON
from tests.hosting.hosts import Begin, Stage
from tests.hosting.people_fixtures import a_person

on_sqlite = pytest.mark.parametrize("database_kind", ["sqlite"])


def exported(stage: Stage, **how: Any) -> dict[str, bytes]:
    with stage.database.reading() as connection:
        archive = b"".join(stream_zip(stream_export(connection, "pets", **how)))
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        assert files.testzip() is None
        return {name: files.read(name) for name in files.namelist()}


def table(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def test_an_export_has_everything_an_organiser_needs(begin: Begin) -> None:
    stage = begin(mechanism="ladder", metric="error_rate")
    stage.team("base", kind="baseline")
    stage.send("base", 0.6, seed=5, is_baseline=True)
    answers = [stage.send(team, share, seed=seed) for seed, (team, share) in enumerate([("a", 0.7), ("b", 0.9)])]
    stage.pass_time(timedelta(hours=1))
    freeze(stage.services, "pets")
    stage.pass_time(GRACE + timedelta(hours=1))
    finalize(stage.services, "pets")
    files = exported(stage)
    assert set(files) == {
        "competition.json", "teams.csv", "members.csv", "standings.csv", "submissions.csv", "rescored.csv", "flags.csv",
        "private_board.json", "private_board.csv", "ledger.jsonl", "grades.csv",
    }  # fmt: skip
    told = [float(row["release_board_value"]) for row in table(files["submissions.csv"])[1:]]
    assert told == [answer.content["release"]["board_value"] for answer in answers]
    standings = [(row["rank"], row["name"]) for row in table(files["standings.csv"])]
    assert [name for rank, name in standings if rank == "1"] == ["b"]
    assert ("", "base") in standings
    assert {row["team"] for row in table(files["private_board.csv"])} == {"a", "b", "base"}
    assert audit([json.loads(line) for line in files["ledger.jsonl"].splitlines()]).is_sound
    assert "secret" not in files["competition.json"].decode()


def test_grades_are_one_row_for_each_person_with_all_that_counts(begin: Begin) -> None:
    stage = begin(mechanism="ladder", metric="error_rate")
    stage.team("base", kind="baseline")
    stage.send("base", 0.6, seed=5, is_baseline=True)
    for seed, (team, share) in enumerate([("a", 0.7), ("b", 0.9), ("c", 0.8)]):
        stage.send(team, share, seed=seed)
    stage.send("a", 0.72, seed=9)
    for name, team in [("Zoe", "a"), ("Ada", "a"), ("Bob", "b"), ("Cid", "c")]:
        join(stage, name, team)
    before = table(exported(stage)["grades.csv"])
    assert [(row["person"], row["private_score"], row["rank_range_best"]) for row in before] == [
        ("Ada", "", ""), ("Zoe", "", ""), ("Bob", "", ""), ("Cid", "", ""),
    ]  # fmt: skip
    with stage.database.transaction() as connection:
        connection.execute(teams.update().where(teams.c.name == "c").values(status="disqualified"))
    stage.pass_time(timedelta(hours=1))
    freeze(stage.services, "pets")
    stage.pass_time(GRACE + timedelta(hours=1))
    board = {row.team: row for row in finalize(stage.services, "pets").rows}
    with stage.database.transaction() as connection:
        connection.execute(teams.update().where(teams.c.name == "b").values(name="The Bees"))
    ada, zoe, cid, bob = sorted(
        table(exported(stage)["grades.csv"]), key=lambda row: ["Ada", "Zoe", "Cid", "Bob"].index(row["person"])
    )
    assert ada | {"person": "Zoe"} == zoe
    assert (ada["team"], ada["attempts"], ada["public_rank"], ada["private_rank"]) == ("a", "2", "2", "2")
    assert float(ada["private_score"]) == board["a"].value
    assert float(bob["private_score"]) == board["b"].value
    assert board["b"].rank_range is not None
    assert (bob["team"], bob["private_rank"]) == ("The Bees", "1")
    assert (bob["rank_range_best"], bob["rank_range_worst"]) == tuple(map(str, vars(board["b"].rank_range).values()))
    assert (cid["team_status"], cid["private_score"], cid["attempts"]) == ("disqualified", "", "1")
    assert not any("{" in cell for row in table(exported(stage)["private_board.csv"]) for cell in row.values())


def join(stage: Stage, name: str, team: str) -> None:
    person = a_person(stage.database, name, "participant")
    row = {"competition": "pets", "account_id": person.id, "team_id": f"id-{team}", "joined_at": NOON}
    with stage.database.transaction() as connection:
        connection.execute(insert(members), row)


@on_sqlite
def test_json_has_the_same_rows_with_types(begin: Begin) -> None:
    stage = begin(mechanism="ladder", metric="error_rate")
    stage.send("=a", 0.7)
    files = exported(stage, form="json", files=stage.services.files)
    [team] = json.loads(files["teams.json"])
    assert (team["name"], team["attempts"], team["created_at"]) == ("=a", 1, NOON.isoformat())
    assert json.loads(files["flags.json"]) == []
    [submission] = json.loads(files["submissions.json"])
    assert files[f"files/{submission['file_digest']}"].startswith(b"id,label\n")


@on_sqlite
def test_a_team_cannot_put_a_formula_into_the_organisers_spreadsheet(begin: Begin) -> None:
    stage = begin(mechanism="ladder", metric="error_rate")
    evil = ["=HYPERLINK(A1)", "+1", "-1", "@SUM(A1)", "\tx", "\rx", " =1", "＝1"]
    for seed, name in enumerate(evil):
        stage.send(name, 0.6, seed=seed, note='=cmd|"/C calc"!A0', file_name="@evil.csv")
    files = exported(stage)
    for name in ("teams.csv", "standings.csv", "submissions.csv"):
        cells = [cell for row in csv.reader(io.StringIO(files[name].decode(), newline="")) for cell in row]
        risky = [cell for cell in cells if cell.lstrip(" ")[:1] in FORMULA_STARTS and cell and not _is_number(cell)]
        assert risky == []
    assert {row["note"] for row in table(files["submissions.csv"])} == {'\'=cmd|"/C calc"!A0'}
    values = [row["release_value"] for row in table(files["submissions.csv"])]
    assert all(_is_number(value) for value in values)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_negative_numbers_stay_numbers_and_text_that_looks_like_one_stays_text() -> None:
    assert list(write_csv_lines(["a"], [[-0.25], ["-0.25"]])) == ["a\r\n", "-0.25\r\n", "'-0.25\r\n"]
    assert make_safe_cell(["=1"]) == '["=1"]'


@on_sqlite
def test_an_export_is_never_in_memory_as_a_whole(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "AT_ONCE", 100)
    stage = begin(mechanism="ladder", metric="error_rate")
    stage.send("a", 0.7)
    [first] = stage.rows(submissions)
    many = 5_000
    with stage.database.transaction() as connection:
        copies = [
            {**first._asdict(), "id": f"copy-{number}", "number": number, "fingerprint": str(number), "note": "n" * 200}
            for number in range(2, many + 1)
        ]
        connection.execute(insert(submissions), copies)
    del copies
    tracemalloc.start()
    size = lines = 0
    with stage.database.reading() as connection:
        for name, parts in stream_export(connection, "pets"):
            for part in parts:
                size += len(part)
                lines += part.count(b"\n") if name == "submissions.csv" else 0
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lines == many + 1
    assert size > 2_000_000
    assert peak < size, "a table is read and written page by page"


@on_sqlite
def test_what_is_there_is_not_overwritten_and_what_fails_leaves_nothing(begin: Begin, tmp_path: Path) -> None:
    stage = begin()
    stage.send("a", 0.7)
    target = tmp_path / "out" / "export"
    with stage.database.reading() as connection:
        write_export(stream_export(connection, "pets"), target, progress=lambda _name: None)
        assert (target / "teams.csv").exists()
        with pytest.raises(ConflictError, match="already exists"):
            write_export(stream_export(connection, "pets"), target, progress=lambda _name: None)
        with pytest.raises(NotFoundError):
            write_export(stream_export(connection, "others"), tmp_path / "out" / "b.zip", progress=lambda _name: None)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["export"]
