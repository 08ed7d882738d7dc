"""Boards made when the gate had half of the rows and "improved" another rule: they go on, and replay as they were.

The files in `old_ledgers` are backups of such boards, made by the code of that day: eleven submissions; two teams
merged after the eighth, on a board per team (accuracy) and on one per rank (RMSE). Neither states the gate's share.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from ladderboard.competition import Competition, rules_from_json, solution_digest
from ladderboard.core.records import RULES, State
from ladderboard.mechanisms.rungs import RungBoard
from ladderboard.mechanisms.witness_ladder import WitnessLadder
from ladderboard.server.audit import replaying
from ladderboard.server.audit.published import Publication
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.opening import commitment_opening
from ladderboard.server.db.backup import restore_backup
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import competitions, instances, ledger, submissions, teams
from ladderboard.server.results.rejudging import Rejudging
from ladderboard.server.services import files_for
from ladderboard.server.settings import Settings
from ladderboard.server.submissions import memories
from ladderboard.server.submissions.records import IncomingSubmission
from tests.hosting.audit.test_replaying import replayed
from tests.hosting.competitions import NOON, a_competition, a_file, predictions
from tests.hosting.hosts import Stage

OLD = Path(__file__).parent / "old_ledgers"
MADE = {
    "team": {"metric": "accuracy", "rows": 400},
    "rank": {"metric": "rmse", "rows": 300, "instances": "rank", "ranks": 3},
}
Reopen = Callable[[], Stage]


def make_competition(kind: str) -> Competition:
    """As the folder has it, which states no parameter."""
    return a_competition(**MADE[kind])  # type: ignore[arg-type]  # keywords of several types


@pytest.fixture(params=["team", "rank"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def stage(kind: str, empty_url: str, tmp_path: Path) -> Iterator[Stage]:
    """The old board on a database of today."""
    backup = tmp_path / "old.backup"
    with closing(sqlite3.connect(backup)) as connection:
        connection.executescript((OLD / f"{kind}.sql").read_text())
    database = Database(empty_url)
    restore_backup(backup, database, files_for(Settings(data=tmp_path / "data"), database))
    served = Stage(database, tmp_path / "data", make_competition(kind))
    yield served
    served.database.close()
    database.close()


def send(stage: Stage, share: float, seed: int) -> dict[str, Any]:
    [team] = [row.id for row in stage.rows(teams) if row.status == "active"]
    content = a_file(stage.competition, predictions(stage.competition, share, seed=seed))
    answer = stage.services.referee.submit(stage.live, IncomingSubmission(team, content, NOON))
    release: dict[str, Any] = answer.content["release"]
    return release


def test_the_board_keeps_its_share_of_the_gate(stage: Stage, kind: str) -> None:
    assert stage.live.mechanism == WitnessLadder(gate_share=0.5)
    assert make_competition(kind).mechanism != stage.live.mechanism  # a board made today
    [row] = stage.rows(competitions)
    assert rules_from_json(row.rules).mechanism_parameters == {"gate_share": 0.5}
    assert solution_digest(stage.competition) == row.solution_digest


def test_its_memory_goes_on_with_the_accepts_since_the_last_proof_as_failed_tests(stage: Stage, kind: str) -> None:
    [text] = [row.state for row in stage.rows(instances) if row.key == "board" or row.state_version > 4]
    memory = stage.live.memory("board" if kind == "rank" else "team", text)
    if isinstance(memory, State):
        assert '"failed"' not in text
        assert memory.failed == memory.accepts - memory.proof.accepts > 0
    else:
        assert isinstance(memory, RungBoard)
        assert memory.failed == memory.accepts == 7  # nothing was ever proven on it


def test_every_release_is_replayed_by_the_rule_of_its_day(stage: Stage) -> None:
    found = replayed(stage)
    assert [one.outcome for one in found] == ["same"] * 11
    assert any(one.recorded["accepted"] for one in found)


@pytest.mark.parametrize("kind", ["rank"])
def test_by_the_rule_of_today_some_would_differ(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memories, "read_rules_in_force", lambda _: RULES)
    assert "different" in {one.outcome for one in replayed(stage)}


def test_what_comes_later_is_judged_and_replayed_by_the_rule_of_today(stage: Stage, kind: str) -> None:
    shares = (0.97, 0.99, 0.995, 0.6) if kind == "team" else (0.9, 0.95, 0.98, 0.6)
    told = [send(stage, share, seed=200 + index) for index, share in enumerate(shares)]
    assert sum(release["accepted"] for release in told) >= 1
    assert [one.outcome for one in replayed(stage)] == ["same"] * 15
    bodies = [row.body for row in stage.rows(ledger) if row.kind == "versions"]
    assert bodies[-1]["versions"]["rules"] == str(RULES)


def test_judging_all_again_under_the_same_solution_changes_nothing(stage: Stage) -> None:
    send(stage, 0.97, seed=201)
    live = LiveCompetition(stage.competition, stage.live.secret, stage.live.files, stage.live.scoring_version)
    again = Rejudging(live)
    with stage.database.reading() as connection:
        again.follow(connection, until=connection.scalars(select(competitions.c.ledger_length)).one())
        told = {row.id: row.release for row in connection.execute(select(submissions))}
    assert {name: replaying.plain(one.release.to_dict()) for name, one in again.attempts.items()} == told


def test_a_publication_of_that_day_is_what_was_committed_to(stage: Stage, kind: str) -> None:
    competition = stage.competition
    stated = replace(competition.rules, mechanism_parameters={})
    publication = Publication(
        slug=stage.slug,
        scoring_version=1,
        salt="",
        opening=commitment_opening(competition, stage.live.secret),
        rules=stated,
        metric_source="",
        submission_format=competition.format.to_wire(),
        solution=competition.solution,
    )
    assert publication.digest() == publication.opening["solution"]
    assert publication.competition().mechanism == WitnessLadder(gate_share=0.5)
    today = replace(publication, opening=commitment_opening(make_competition(kind), stage.live.secret))
    assert today.committed_rules == stated
