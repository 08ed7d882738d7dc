"""The way of a submission, on both databases: what is answered, what is kept, what is charged."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select

from ladderboard import Leaderboard, Release
from ladderboard.competition import Competition, Limits
from ladderboard.core.errors import (
    CompetitionSpentError,
    ConflictError,
    DeadlinePassedError,
    IdempotencyMismatchError,
    NotOpenError,
    QuotaExceededError,
    SubmissionError,
)
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.opening import enter
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import competitions, idempotency, instances, ledger, submissions, teams
from ladderboard.server.services import files_for
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.records import Answer, IncomingSubmission, StoredResponse
from ladderboard.server.submissions.referee import Referee
from ladderboard.server.submissions.sql import attempts
from tests.hosting.competitions import NOON, SECRET, a_competition, a_file, predictions


class Arena:
    """A competition being served, with a clock of its own."""

    def __init__(self, database: Database, folder: Path, competition: Competition) -> None:
        self.database, self.competition = database, competition
        self.live: LiveCompetition = enter(
            database, files_for(Settings(data=folder), database), competition, secret=SECRET
        )
        self.referee = Referee(database)
        self.moment = NOON

    def team(self, name: str, **values: Any) -> str:
        with self.database.transaction() as connection:
            row = {
                "id": name,
                "competition": self.live.slug,
                "name": name,
                "name_key": name,
                "salt": "5a17",
                "created_at": NOON,
            }
            connection.execute(insert(teams).values(row | values))
        return name

    def submit(self, team: str, content: bytes, **more: Any) -> Answer:
        return self.referee.submit(self.live, IncomingSubmission(team, content, self.moment, **more))

    def send(self, team: str, share: float, *, seed: int = 0, **more: Any) -> Answer:
        return self.submit(team, a_file(self.competition, predictions(self.competition, share, seed=seed)), **more)

    def rows(self, table: Any) -> list[Any]:
        with self.database.reading() as connection:
            return list(connection.execute(select(table)).all())


Begin = Callable[..., Arena]


@pytest.fixture
def begin(database: Database, tmp_path: Path) -> Begin:
    return lambda **settings: Arena(database, tmp_path, a_competition(**settings))


def test_a_submission_gets_the_release_that_the_board_in_memory_gives(begin: Begin) -> None:
    arena = begin(mechanism="ladder", mechanism_parameters={"step_size": 0.02}, metric="error_rate")
    arena.team("a")
    public = arena.competition.solution.rows("Public")
    board = Leaderboard(arena.competition.solution.labels[public], "error_rate", arena.live.mechanism)
    for seed, share in enumerate((0.6, 0.7, 0.65, 0.8, 0.81, 0.9)):
        expected = board.submit("a", predictions(arena.competition, share, seed=seed)[public])
        answer = arena.send("a", share, seed=seed)
        assert answer.status == 201
        assert Release.from_dict(answer.content["release"]) == expected


def test_everything_of_an_attempt_is_written_together(begin: Begin) -> None:
    arena = begin()
    arena.team("a")
    answer = arena.send("a", 0.9, file_name="mine.csv", note="first")
    (row,) = arena.rows(submissions)
    (team,) = arena.rows(teams)
    (competition,) = arena.rows(competitions)
    (instance,) = arena.rows(instances)
    kinds = [entry.kind for entry in arena.rows(ledger)]
    assert (row.id, row.number, row.attempt, row.note) == (answer.content["id"], 1, 1, "first")
    assert (team.attempts, team.accepts, team.quota_used) == (1, 1, 1)
    assert team.board_value == answer.content["release"]["board_value"]
    assert (competition.last_number, competition.ledger_length, instance.state_version) == (1, 2, 1)
    assert kinds == ["created", "submission"]
    assert arena.live.files.read(row.file_digest).startswith(b"id,label")


def test_the_same_predictions_again_cost_nothing_and_get_the_stored_release(begin: Begin) -> None:
    arena = begin(limits=Limits(per_day=1))
    arena.team("a")
    values = predictions(arena.competition, 0.8)
    first = arena.submit("a", a_file(arena.competition, values))
    # Other bytes, the same predictions; and the day's quota is used up.
    lines = a_file(arena.competition, values).decode().splitlines()
    again = arena.submit("a", "\r\n".join([lines[0], *reversed(lines[1:])]).encode())
    assert (again.status, again.content["duplicate"], again.content["id"]) == (200, True, first.content["id"])
    assert again.content["release"] == first.content["release"]
    assert len(arena.rows(submissions)) == 1


def test_a_bad_file_is_refused_and_leaves_no_trace(begin: Begin) -> None:
    arena = begin()
    arena.team("a")
    with pytest.raises(SubmissionError, match="id"):
        arena.submit("a", b"id,label\n1,0\n")
    assert arena.rows(submissions) == []
    assert arena.rows(teams)[0].attempts == 0


def test_a_repeated_request_gets_the_stored_answer(begin: Begin) -> None:
    arena = begin()
    arena.team("a")
    first = arena.send("a", 0.8, idempotency_key="k")
    assert arena.send("a", 0.8, idempotency_key="k") == first
    with pytest.raises(IdempotencyMismatchError):
        arena.send("a", 0.8, idempotency_key="k", note="another")


def test_a_key_is_bound_also_to_the_answer_to_predictions_that_were_sent_before(begin: Begin) -> None:
    arena = begin()
    arena.team("a")
    arena.send("a", 0.8)
    again = arena.send("a", 0.8, idempotency_key="k")
    assert (again.status, again.content["duplicate"]) == (200, True)
    arena.send("a", 0.9)
    assert arena.send("a", 0.8, idempotency_key="k") == again
    with pytest.raises(IdempotencyMismatchError):
        arena.send("a", 0.7, idempotency_key="k")
    assert arena.rows(teams)[0].attempts == 2


def test_of_keys_that_cost_nothing_a_team_keeps_the_newest(begin: Begin) -> None:
    arena = begin()
    for team in ("a", "b"):
        arena.team(team)
    scored = arena.send("a", 0.8, idempotency_key="scored")
    arena.send("b", 0.8, idempotency_key="scored")
    free = StoredResponse("digest", 200, {})
    with arena.database.transaction() as connection:
        for number in range(attempts.MOST_FREE + 3):
            at = arena.moment + timedelta(seconds=number)
            attempts.keep_answer(connection, "a", f"{number}", free, at)
    assert {row.key for row in arena.rows(idempotency) if row.team_id == "a"} == {
        "scored", *(f"{number}" for number in range(3, attempts.MOST_FREE + 3))
    }  # fmt: skip
    assert arena.send("a", 0.8, idempotency_key="scored") == scored
    assert len(arena.rows(idempotency)) == attempts.MOST_FREE + 2


def test_a_request_repeated_after_the_deadline_gets_the_answer_it_had_in_time(begin: Begin) -> None:
    arena = begin(deadline=NOON)
    arena.team("a")
    first = arena.send("a", 0.8, idempotency_key="k")
    arena.moment = NOON + timedelta(days=1)
    assert arena.send("a", 0.8, idempotency_key="k") == first
    with pytest.raises(IdempotencyMismatchError):
        arena.send("a", 0.7, idempotency_key="k")
    with pytest.raises(DeadlinePassedError):
        arena.send("a", 0.7, idempotency_key="new")


@pytest.mark.parametrize("instances_are", ["team", "rank"])
def test_an_answer_tells_what_the_store_will_tell(begin: Begin, instances_are: str) -> None:
    arena = begin(instances=instances_are, limits=Limits(per_day=5), rows=1000)
    for seed, name in enumerate("abab"):
        if seed < 2:
            arena.team(name)
        told = arena.send(name, 0.6 + 0.08 * seed, seed=seed).content
        again = arena.send(name, 0.6 + 0.08 * seed, seed=seed).content
        assert again["duplicate"]
        assert all(again[key] == told[key] for key in ("id", "rank", "rank_range", "quota"))
        shown = ("value", "board_value", "accepted", "attempt", "interval", "standard_error")
        assert all(again["release"][key] == told["release"][key] for key in shown)
        assert told["quota"]["used_today"] == 1 + seed // 2


def test_the_days_of_the_quota_are_those_of_the_competitions_zone(begin: Begin) -> None:
    arena = begin(limits=Limits(per_day=2), time_zone="Europe/Oslo")
    arena.team("a")
    # The clocks go forward on 29 March 2026: that day has 23 hours, from 23:00 to 22:00 in UTC.
    arena.moment = datetime(2026, 3, 28, 23, 0, 0, tzinfo=UTC)
    assert arena.send("a", 0.6, seed=1).content["quota"]["left"] == 1
    arena.moment = datetime(2026, 3, 29, 21, 59, 59, tzinfo=UTC)
    assert arena.send("a", 0.6, seed=2).content["quota"]["resets_at"] == "2026-03-29T22:00:00+00:00"
    with pytest.raises(QuotaExceededError) as refusal:
        arena.send("a", 0.6, seed=3)
    assert refusal.value.retry_after == 2
    arena.moment = datetime(2026, 3, 29, 22, 0, 0, tzinfo=UTC)
    assert arena.send("a", 0.6, seed=3).content["quota"]["left"] == 1
    # They go back on 25 October: that day has 25 hours, from 22:00 to 23:00.
    for hour, seed in ((datetime(2026, 10, 24, 22, tzinfo=UTC), 4), (datetime(2026, 10, 25, 22, 59, tzinfo=UTC), 5)):
        arena.moment = hour
        quota = arena.send("a", 0.6, seed=seed).content["quota"]
        assert (quota["left"], quota["resets_at"]) == (5 - seed, "2026-10-25T23:00:00+00:00")
    arena.moment = datetime(2026, 10, 25, 23, 0, tzinfo=UTC)
    assert arena.send("a", 0.6, seed=6).content["quota"]["left"] == 1


def test_the_total_limit_holds(begin: Begin) -> None:
    arena = begin(limits=Limits(per_day=None, total=1))
    arena.team("a")
    arena.team("b", extra_total=1)
    arena.send("a", 0.6)
    with pytest.raises(QuotaExceededError):
        arena.send("a", 0.6, seed=1)
    arena.send("b", 0.6)
    arena.send("b", 0.6, seed=1)


def test_opening_and_closing_times_hold_to_the_moment(begin: Begin) -> None:
    arena = begin(opens=NOON, deadline=NOON + timedelta(hours=1))
    arena.team("a")
    for moment, refusal in (
        (NOON - timedelta(microseconds=1), NotOpenError),
        (NOON + timedelta(hours=1, microseconds=1), DeadlinePassedError),
    ):
        arena.moment = moment
        with pytest.raises(refusal):
            arena.send("a", 0.7)
    arena.moment = NOON + timedelta(hours=1)
    assert arena.send("a", 0.7).status == 201


def test_late_entries_stand_apart(begin: Begin) -> None:
    arena = begin(deadline=NOON, late_submissions=True)
    arena.team("a")
    arena.send("a", 0.7)
    before = arena.rows(teams)[0]
    arena.moment = NOON + timedelta(days=1)
    late = arena.send("a", 0.95, seed=1)
    after = arena.rows(teams)[0]
    assert late.content["release"]["accepted"]
    assert (after.board_value, after.attempts) == (before.board_value, before.attempts)
    assert {row.key for row in arena.rows(instances)} == {"a", "a:late"}
    again = arena.send("a", 0.95, seed=1)
    for answer in (late, again):
        told = answer.content
        assert (told["phase"], told["rank"], told["rank_range"]) == ("late", None, None)


def test_when_the_meter_reaches_its_limit_the_competition_is_spent(begin: Begin) -> None:
    arena = begin(limits=Limits(per_day=None, leakage_bits=1.0))
    arena.team("a")
    arena.send("a", 0.9)
    with pytest.raises(CompetitionSpentError):
        arena.send("a", 0.95, seed=1)
    assert "spent" in [entry.kind for entry in arena.rows(ledger)]


def test_ranks_are_instances_where_the_rules_say_so(begin: Begin) -> None:
    arena = begin(instances="rank", ranks=3, mechanism="spending_ladder", rows=2000)
    for name in "abcd":
        arena.team(name)
    board = {}
    for seed, (name, share) in enumerate([("a", 0.6), ("b", 0.75), ("c", 0.68), ("d", 0.9), ("a", 0.85)]):
        board[name] = arena.send(name, share, seed=seed).content
    shown = {row.id: row.board_order for row in arena.rows(teams) if row.board_order is not None}
    # Three rungs for four teams: the weakest fell off.
    assert sorted(shown, key=lambda name: shown[name]) == ["d", "a", "b"]
    assert (board["d"]["rank"], board["a"]["rank"]) == (1, 2)


def test_an_incumbent_is_read_again_from_its_file_by_another_process(begin: Begin) -> None:
    arena = begin()
    arena.team("a")
    arena.send("a", 0.7)
    other = LiveCompetition(arena.competition, arena.live.secret, arena.live.files)
    again = Referee(arena.database).submit(
        other, IncomingSubmission("a", a_file(arena.competition, predictions(arena.competition, 0.9, seed=5)), NOON)
    )
    assert again.content["release"]["attempt"] == 2
    assert again.content["release"]["accepted"]


def test_other_labels_wait_for_a_correction_other_ids_are_refused_and_a_later_deadline_counts(begin: Begin) -> None:
    arena = begin(deadline=NOON)
    longer = replace(arena.competition, rules=replace(arena.competition.rules, deadline=NOON + timedelta(days=1)))
    enter(arena.database, arena.live.files, longer)
    assert [entry.kind for entry in arena.rows(ledger)] == ["created", "rules_changed"]
    labels = arena.competition.solution.labels.copy()
    labels[0] = 1 - labels[0]
    changed = replace(longer, solution=replace(longer.solution, labels=labels))
    live = enter(arena.database, arena.live.files, changed)
    assert live.competition.solution.labels.tolist() == arena.competition.solution.labels.tolist()
    others = replace(changed.solution, ids=changed.solution.ids[::-1].copy())
    with pytest.raises(ConflictError, match="rescore"):
        enter(arena.database, arena.live.files, replace(changed, solution=others))


def test_predictions_that_are_constant_on_the_public_rows_are_an_ordinary_rejection(begin: Begin) -> None:
    arena = begin(metric="pearson")
    arena.team("a")
    arena.send("a", 0.8)
    values = [0.5] * len(arena.competition.solution.ids)
    values[1] = 0.7  # a private row
    answer = arena.submit("a", a_file(arena.competition, values))
    assert answer.status == 201
    assert not answer.content["release"]["accepted"]
    assert answer.content["release"]["attempt"] == 2
