"""The private board in steps: statements by the hundred teams, not by the team; and nothing stored before the last."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import numpy as np
import pytest
from sqlalchemy import event

from ladderboard.server.db.schema import private_results
from ladderboard.server.lifecycle import freeze
from ladderboard.server.results import finals, private_board, private_scores
from ladderboard.server.results.finalizing import finalize_in_steps, preview, preview_in_steps
from ladderboard.server.results.finals import pick_finals
from ladderboard.server.results.private_scores import Final, _parts
from ladderboard.server.submissions.records import StoredAnswers
from tests.hosting.hosts import Begin, Stage, on_sqlite


@contextmanager
def counted(stage: Stage) -> Iterator[list[str]]:
    """The statements that are run in the block."""
    statements: list[str] = []

    def note(*given: object) -> None:
        statements.append(str(given[2]))

    event.listen(stage.database.engine, "before_cursor_execute", note)
    yield statements
    event.remove(stage.database.engine, "before_cursor_execute", note)


def fill(stage: Stage, teams: range) -> None:
    for number in teams:
        stage.send(f"team {number}", 0.75, seed=number)
        stage.send(f"team {number}", 0.9 if number % 2 else 0.5, seed=100 + number)


def test_the_number_of_statements_does_not_grow_with_the_teams(begin: Begin) -> None:
    stage = begin()
    fill(stage, range(3))
    with counted(stage) as few:
        preview(stage.services, "pets")
    fill(stage, range(3, 30))
    with counted(stage) as many:
        board = preview(stage.services, "pets")
    assert len(board.rows) == 30
    assert len(many) == len(few)


@on_sqlite
def test_finals_read_in_parts_are_those_read_at_once(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = begin()
    fill(stage, range(7))
    pick_finals(stage.services, "pets", "id-team 3", [stage.send("team 3", 0.4, seed=77).content["id"]])
    whole = preview(stage.services, "pets")
    monkeypatch.setattr(finals, "TEAMS_AT_ONCE", 2)
    monkeypatch.setattr(private_scores, "MOST_FILES", 3)
    assert preview(stage.services, "pets") == whole
    assert [row.finals_are_picked for row in whole.rows].count(True) == 1


def test_few_files_are_in_memory_at_once_and_a_large_one_comes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_scores, "MOST_BYTES", 100)
    monkeypatch.setattr(private_scores, "MOST_FILES", 3)
    sizes = [10, 10, 10, 10, 95, 500, 5, 50, 60]
    found = _parts([Final("a", "b", 1, StoredAnswers("c"), file_size=size) for size in sizes])
    assert [[one.file_size for one in part] for part in found] == [[10, 10, 10], [10], [95], [500], [5, 50], [60]]


@on_sqlite
def test_the_steps_say_how_far_they_are(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = begin()
    fill(stage, range(3))
    monkeypatch.setattr(private_scores, "MOST_FILES", 3)
    monkeypatch.setattr(private_board, "MOST_SIMULATED", 2)
    said = [step.sentence for step in preview_in_steps(stage.services, "pets")]
    assert said == ["3 of 4 files scored", "4 of 4 files scored", "3 of 3 teams compared with all others"]


@on_sqlite
def test_whoever_stops_taking_steps_has_stored_nothing_and_read_no_further_file(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = begin()
    fill(stage, range(4))
    freeze(stage.services, "pets")
    stage.pass_time(timedelta(hours=1))
    monkeypatch.setattr(private_scores, "MOST_FILES", 2)
    steps = finalize_in_steps(stage.services, "pets", at_once=True)
    next(steps)
    with counted(stage) as statements:
        steps.close()
    assert statements == []
    assert stage.rows(private_results) == []


@on_sqlite
def test_a_board_of_many_says_what_a_board_of_few_says(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same teams once simulated and once by Bonferroni: ranks and scores alike, ranges a little wider."""
    stage = begin(rows=2000)
    for number, share in enumerate(np.linspace(0.55, 0.9, 12)):
        stage.send(f"team {number}", float(share), seed=number)
    few = preview(stage.services, "pets")
    monkeypatch.setattr(private_board, "MOST_SIMULATED", 5)
    many = preview(stage.services, "pets")
    assert [(row.team, row.rank, row.value) for row in many.rows] == [
        (row.team, row.rank, row.value) for row in few.rows
    ]
    for one, other in zip(few.rows, many.rows, strict=True):
        assert one.rank_range is not None
        assert other.rank_range is not None
        assert other.rank_range.best <= one.rank_range.best
        assert other.rank_range.worst >= one.rank_range.worst
    assert few.luck is not None
    assert many.luck is not None
    assert many.luck.corrected == pytest.approx(few.luck.corrected, abs=0.002)
