"""A ledger that anybody can check: sound as it is, broken by every change, and silent about what is sealed."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from ladderboard.core.errors import InputError, NotFoundError
from ladderboard.core.ledger import Entry, seal
from ladderboard.server.audit.audit import Audit, PublishedEntry, audit
from ladderboard.server.audit.ledger_view import publish_entry, whole_view
from ladderboard.server.audit.published import Publication
from ladderboard.server.audit.records import Openings
from ladderboard.server.db.database import Database
from ladderboard.server.db.rows.ledger import NO_OPENINGS, read_page
from ladderboard.server.db.schema import competitions
from ladderboard.server.results.publication import stream_publication
from tests.hosting.hosts import Stage


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, prepared_sqlite: Path) -> Iterator[Stage]:
    """Two teams with four attempts each."""
    folder = tmp_path_factory.mktemp("ledger")
    shutil.copy(prepared_sqlite, folder / "test.db")
    database = Database(f"sqlite:///{folder / 'test.db'}")
    stage = Stage.of(database, folder, mechanism="ladder", metric="error_rate")
    stage.team("a")
    stage.team("b", salt="b0b0")
    for seed, share in enumerate((0.6, 0.7, 0.65, 0.8)):
        stage.send("a", share, seed=seed)
        stage.send("b", share, seed=seed + 10)
    yield stage
    stage.database.close()
    database.close()


@pytest.fixture(scope="module")
def records(stage: Stage) -> list[dict[str, Any]]:
    """Its ledger with all openings, as JSON."""
    return entries(stage)


def entries(stage: Stage) -> list[dict[str, Any]]:
    with stage.database.reading() as connection:
        shown = [one.to_json() for one in whole_view(connection, stage.live.slug).entries(connection)]
    return [json.loads(json.dumps(one)) for one in shown]


def published(stage: Stage) -> dict[str, Any]:
    with stage.database.transaction() as connection:
        connection.execute(update(competitions).values(revealed_at=stage.moment))
    with stage.database.reading() as connection:
        record: dict[str, Any] = json.loads("".join(stream_publication(connection, stage.live)))
    return record


def verdicts(found: Audit, record: dict[str, Any]) -> list[tuple[str, str]]:
    return [(check.name, check.verdict) for check in Publication.from_json(record).checks(found)]


def test_a_ledger_as_the_server_wrote_it_is_sound(records: list[dict[str, Any]]) -> None:
    found = audit(records, seen=[records[2]["hash"]])
    assert found.is_sound
    assert (found.entries, found.submissions, found.openings, found.closed) == (9, 8, 8, 0)
    assert [check.verdict for check in found.checks([records[2]["hash"]])] == ["sound"] * 4


def test_every_changed_field_of_every_entry_is_found_and_named(records: list[dict[str, Any]]) -> None:
    changes: dict[str, Callable[[Any], Any]] = {
        "at": lambda at: at.replace("2026", "2025"),
        "kind": lambda kind: kind + "s",
        "body": lambda body: {**body, "number": -1},
        "sealed": lambda sealed: None if sealed else "00",
        "previous": lambda previous: previous[:-1] + ("0" if previous[-1] != "0" else "1"),
        "hash": lambda one: one[:-1] + ("0" if one[-1] != "0" else "1"),
        "opening": lambda opening: {**opening, "release": {**opening["release"], "value": 0.001}},
        "salt": lambda salt: salt + "0",
        "seq": lambda seq: seq + 1,
    }
    for place, record in enumerate(records):
        for name in record:
            tampered = deepcopy(records)
            tampered[place][name] = changes[name](tampered[place][name])
            problem = audit(tampered).problem
            assert problem is not None, (place, name)
            assert problem.seq == place + 1, (place, name, problem)


def test_every_value_of_every_body_is_bound(records: list[dict[str, Any]]) -> None:
    for place, record in enumerate(records):
        for key in record["body"]:
            tampered = deepcopy(records)
            tampered[place]["body"][key] = "changed"
            problem = audit(tampered).problem
            assert problem is not None
            assert problem.seq == place + 1


def test_a_removed_a_repeated_and_a_swapped_entry_are_found(records: list[dict[str, Any]]) -> None:
    for broken in (
        records[:3] + records[4:],
        [*records[:3], records[2], *records[3:]],
        [*records[:3], records[4], records[3], *records[5:]],
    ):
        problem = audit(broken).problem
        assert problem is not None
        assert problem.seq == 4


def test_a_rewritten_chain_is_found_by_whoever_noted_an_earlier_head(records: list[dict[str, Any]]) -> None:
    noted, previous, rewritten = records[-1]["hash"], "0" * 64, []
    for record in records:
        shown = PublishedEntry.from_json(record, place=record["seq"])
        body = {**shown.entry.body, "rules": "others"} if shown.entry.seq == 1 else shown.entry.body
        entry = Entry.following(
            previous,
            seq=shown.entry.seq,
            at=shown.entry.at,
            kind=shown.entry.kind,
            body=body,
            sealed=shown.entry.sealed,
        )
        rewritten.append(PublishedEntry(entry, shown.opening, shown.salt).to_json())
        previous = entry.hash
    found = audit(rewritten, seen=[noted])
    assert found.is_sound
    assert [check.verdict for check in found.checks([noted])][-1] == "broken"


def test_what_is_no_ledger_is_said_to_be_none() -> None:
    assert audit([]).problem is not None
    for nonsense in (1, {}, {"seq": 1}, "text", None):
        problem = audit([nonsense]).problem
        assert problem is not None
        assert problem.seq == 1


def test_nothing_is_published_before_the_reveal(stage: Stage, records: list[dict[str, Any]]) -> None:
    assert records
    with stage.database.transaction() as connection:
        connection.execute(update(competitions).values(revealed_at=None))
    with stage.database.reading() as connection, pytest.raises(NotFoundError, match="not before"):
        stream_publication(connection, stage.live)


def test_the_published_solution_is_what_was_committed_to(stage: Stage, records: list[dict[str, Any]]) -> None:
    assert verdicts(audit(records), published(stage)) == [("commitment", "sound"), ("solution", "sound")]


@pytest.mark.parametrize("column", ["ids", "labels", "usage"])
def test_a_changed_label_id_or_split_is_found(stage: Stage, records: list[dict[str, Any]], column: str) -> None:
    record = published(stage)
    values = record["solution"][column]
    row = next(row for row in range(1, len(values)) if values[row] != values[0])
    values[0], values[row] = values[row], values[0]
    assert verdicts(audit(records), record)[-1] == ("solution", "broken")


@pytest.mark.parametrize(("key", "value"), [("secret", "00" * 32), ("solution", "11" * 32)])
def test_another_secret_or_digest_does_not_open_the_commitment(
    stage: Stage, records: list[dict[str, Any]], key: str, value: str
) -> None:
    record = published(stage)
    record["opening"][key] = value
    assert verdicts(audit(records), record) == [("commitment", "broken")]


def test_a_changed_mechanism_or_metric_is_found(stage: Stage, records: list[dict[str, Any]]) -> None:
    for old, new in (('"ladder"', '"full_disclosure"'), ('"error_rate"', '"accuracy"')):
        record = published(stage)
        assert old in record["rules"]
        record["rules"] = record["rules"].replace(old, new)
        assert verdicts(audit(records), record)[-1] == ("solution", "broken")


def test_a_seal_tells_nothing_without_its_salt(records: list[dict[str, Any]]) -> None:
    entry = records[1]
    assert entry["sealed"] == seal(entry["salt"], entry["opening"])
    assert entry["sealed"] != seal("", entry["opening"])


def test_an_opening_leaves_the_database_only_for_its_team(database: Database, tmp_path: Path) -> None:
    stage = Stage.of(database, tmp_path)
    stage.team("a", salt="aaaa")
    stage.team("b", salt="bbbb")
    stage.send("a", 0.7)
    stage.send("b", 0.8)
    stage.database.close()
    with database.reading() as connection:
        nobody = read_page(connection, "pets", after=0, limit=10, openings=NO_OPENINGS)
        for_a = read_page(connection, "pets", after=0, limit=10, openings=Openings(["id-a"]))
    assert [(row.opening, row.salt) for row in nobody] == [(None, None)] * 3
    assert [row.salt for row in for_a] == [None, "aaaa", None]
    assert for_a[1].opening is not None
    assert for_a[1].opening["release"] is not None
    assert audit([publish_entry(row).to_json() for row in for_a]).closed == 1


def test_nonsense_in_any_place_is_a_finding_and_no_crash(stage: Stage, records: list[dict[str, Any]]) -> None:
    nonsense: list[Any] = [None, 0, -1.5, float("nan"), "", "x", [], {}, {"a": float("inf")}, True, [[1]], "\ud800"]
    for name in (*records[1], "more"):
        for value in nonsense:
            tampered = deepcopy(records)
            tampered[1][name] = value
            if name in ("opening", "salt") and value is None:
                continue  # an opening that is not shown is no break
            assert audit(tampered).problem is not None, (name, value)
    usual = published(stage)
    found = audit(records)
    found.result = 9, hashlib.sha256(b"null").hexdigest()  # as if an empty board had been revealed
    for name in usual:
        for value in nonsense:
            try:
                checks = list(Publication.from_json({**usual, name: value}).checks(found))
            except InputError:
                continue
            if name not in ("competition", "scoring_version", "submissions_are_published", "submission_format"):
                assert "broken" in {check.verdict for check in checks} or value == usual[name], (name, value)
