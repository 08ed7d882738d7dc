"""The queue: what is counted when, in which order teams are scored, and what becomes of a job."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from ladderboard.core.errors import (
    ConflictError,
    DeadlinePassedError,
    IdempotencyMismatchError,
    QuotaExceededError,
    SubmissionError,
    UnavailableError,
)
from ladderboard.server import lifecycle
from ladderboard.server.db.database import Database
from ladderboard.server.jobs import organising
from ladderboard.server.jobs.work import MOST_TRIES, renew, take_up, work
from ladderboard.server.results.finalizing import finalize
from ladderboard.server.submissions.referee import Referee
from tests.hosting.competitions import a_file
from tests.hosting.hosts import Stage, on_sqlite
from tests.hosting.jobs.queued import job_rows, open_queued, run_all, run_one, submission_rows, team_row, values

LEASE = timedelta(seconds=30)


@pytest.fixture
def stage(database: Database, tmp_path: Path) -> Iterator[Stage]:
    opened = open_queued(database, tmp_path)
    yield opened
    opened.services.close()


@pytest.fixture
def two_a_day(database: Database, tmp_path: Path) -> Iterator[Stage]:
    opened = open_queued(database, tmp_path, per_day="2")
    yield opened
    opened.services.close()


def test_a_submission_waits_in_the_queue_and_is_scored_once(stage: Stage) -> None:
    answer = stage.send_values("a", values(0.5))
    assert answer.status == 202
    assert (answer.content["status"], answer.content["place"]) == ("received", 1)
    assert answer.content["quota"]["used"] == 1
    assert not submission_rows(stage)
    assert run_all(stage) == [answer.content["id"]]
    [recorded], [job] = submission_rows(stage), job_rows(stage)
    assert recorded.id == job.id == answer.content["id"]
    assert (job.status, job.lease) == ("scored", None)
    assert job.answer["release"]["board_value"] is not None
    team = team_row(stage, "a")
    assert (team.attempts, team.queued, team.quota_used) == (1, 0, 1)
    assert run_all(stage) == []


def test_a_queued_submission_is_judged_as_it_would_be_at_once(stage: Stage) -> None:
    stage.send_values("a", values(0.2))
    run_all(stage)
    live = stage.live
    answers = live.evaluations.read(_file(stage, values(0.2)))
    direct = live.evaluations.evaluate("x", live.evaluations.score(answers).values)
    assert job_rows(stage)[0].answer["release"]["board_value"] == pytest.approx(direct.score, rel=0.2)


def test_the_quota_counts_what_waits(two_a_day: Stage) -> None:
    for share in (0.1, 0.2):
        two_a_day.send_values("a", values(share))
    with pytest.raises(QuotaExceededError):
        two_a_day.send_values("a", values(0.3))
    run_all(two_a_day)
    team = team_row(two_a_day, "a")
    assert (team.attempts, team.queued, team.quota_used) == (2, 0, 2)
    with pytest.raises(QuotaExceededError):
        two_a_day.send_values("a", values(0.3))
    assert len(submission_rows(two_a_day)) == 2


def test_an_attempt_belongs_to_the_day_on_which_it_arrived(two_a_day: Stage) -> None:
    two_a_day.send_values("a", values(0.1))
    two_a_day.pass_time(timedelta(days=1))
    run_all(two_a_day)
    assert two_a_day.send_values("a", values(0.2)).content["quota"]["used_today"] == 1


def test_a_bad_file_is_told_at_once_and_costs_nothing(stage: Stage) -> None:
    with pytest.raises(SubmissionError):
        stage.send_file("a", b"id,label\n1,2\n")
    assert not job_rows(stage)


def test_the_same_predictions_find_their_job_and_then_their_answer(stage: Stage) -> None:
    first = stage.send_values("a", values(0.5), idempotency_key="one")
    again = stage.send_values("a", values(0.5), idempotency_key="two")
    assert (again.status, again.content["id"], again.content["place"]) == (202, first.content["id"], 1)
    run_all(stage)
    scored = stage.send_values("a", values(0.5), idempotency_key="one")
    assert (scored.status, scored.content["id"], scored.content["duplicate"]) == (201, first.content["id"], False)
    repeated = stage.send_values("a", values(0.5), idempotency_key="two")
    assert (repeated.status, repeated.content["duplicate"]) == (200, True)
    assert team_row(stage, "a").attempts == 1
    with pytest.raises(IdempotencyMismatchError):
        stage.send_values("a", values(0.7), idempotency_key="one")


def test_each_team_is_judged_in_the_order_of_arrival_and_teams_take_turns(stage: Stage) -> None:
    sent = {}
    for team, shares in (("a", (0.1, 0.2, 0.3, 0.4)), ("b", (0.5,)), ("c", (0.6, 0.7))):
        for share in shares:
            answer = stage.send_values(team, values(share))
            sent[answer.content["id"]] = (team, share, answer.content["place"])
            stage.pass_time(timedelta(seconds=1))
    order = []
    while (job_id := run_one(stage)) is not None:
        order.append(sent[job_id][:2])
        stage.pass_time(timedelta(seconds=1))
    assert order == [("a", 0.1), ("b", 0.5), ("c", 0.6), ("a", 0.2), ("c", 0.7), ("a", 0.3), ("a", 0.4)]
    # What the last to come were told: others go before them as often as their own team does, however many they sent.
    assert [sent[one][2] for one in sent] == [1, 2, 3, 4, 2, 3, 5]


def test_a_team_that_floods_the_queue_delays_another_by_two_jobs_at_most(stage: Stage) -> None:
    for n in range(20):
        stage.send_values("flood", values(0.01 * (n + 1)))
    under_way = take_up(stage.services, LEASE)
    assert under_way is not None
    mine = stage.send_values("b", values(0.9)).content["id"]
    stage.pass_time(timedelta(seconds=1))
    assert under_way.lease is not None
    work(stage.services, under_way.id, under_way.lease)
    ahead = 1
    while run_one(stage) != mine:
        ahead += 1
    assert ahead <= 2


def test_two_jobs_of_a_team_are_never_scored_at_once(stage: Stage) -> None:
    for share in (0.1, 0.2):
        stage.send_values("a", values(share))
    assert take_up(stage.services, LEASE) is not None
    assert take_up(stage.services, LEASE) is None


def test_a_job_is_taken_up_again_after_its_lease_and_its_first_holder_records_nothing(stage: Stage) -> None:
    stage.send_values("a", values(0.5))
    lost = take_up(stage.services, LEASE)
    assert lost is not None
    assert take_up(stage.services, LEASE) is None
    stage.pass_time(timedelta(seconds=20))
    renew(stage.services, [lost], LEASE)
    stage.pass_time(timedelta(seconds=20))
    assert take_up(stage.services, LEASE) is None, "it was renewed"
    stage.pass_time(timedelta(seconds=11))
    found = take_up(stage.services, LEASE)
    assert found is not None
    assert (found.id, found.tries) == (lost.id, 2)
    assert lost.lease is not None
    work(stage.services, lost.id, lost.lease)
    assert not submission_rows(stage), "its lease is another's"
    assert found.lease is not None
    work(stage.services, found.id, found.lease)
    work(stage.services, found.id, found.lease)
    assert len(submission_rows(stage)) == 1
    assert team_row(stage, "a").attempts == 1


def test_whoever_loses_its_lease_while_it_scores_records_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.send_values("a", values(0.5))
    slow = take_up(stage.services, LEASE)
    assert slow is not None
    score = stage.services.score

    def late(job: object) -> None:
        stage.pass_time(timedelta(minutes=1))
        assert run_one(stage) == slow.id
        score(job)  # type: ignore[arg-type]

    calls = iter([late])

    def score_late_once(job: object) -> None:
        next(calls, score)(job)  # type: ignore[arg-type]

    monkeypatch.setattr(stage.services, "score", score_late_once)
    assert slow.lease is not None
    work(stage.services, slow.id, slow.lease)
    assert len(submission_rows(stage)) == 1
    assert job_rows(stage)[0].tries == 0


def test_a_fault_of_the_server_is_tried_again_and_then_given_up_at_no_cost(
    two_a_day: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = two_a_day
    key = "mine"
    sent = stage.send_values("a", values(0.5), idempotency_key=key)

    def broken(_job: object) -> None:
        raise UnavailableError("the secret of the disk")

    with monkeypatch.context() as patch:
        patch.setattr(stage.services, "score", broken)
        for _ in range(MOST_TRIES):
            assert run_one(stage) is not None
            assert run_one(stage) is None, "there is a pause"
            stage.pass_time(timedelta(minutes=1))
        assert run_one(stage) is None
    [job], team = job_rows(stage), team_row(stage, "a")
    assert job.status == "failed"
    assert "the secret of the disk" in job.report
    assert "secret" not in job.failure
    assert (team.attempts, team.queued, team.quota_used) == (0, 0, 0)
    told = stage.send_values("a", values(0.5), idempotency_key=key)
    assert (told.status, told.content["status"], told.content["charged"]) == (200, "failed", False)
    organising.retry(stage.services, "whales", job.id)
    assert team_row(stage, "a").quota_used == 1
    assert run_all(stage) == [sent.content["id"]]
    assert team_row(stage, "a").attempts == 1
    assert stage.send_values("a", values(0.5), idempotency_key=key).status == 201


def test_what_arrived_in_time_counts_though_the_deadline_has_passed(stage: Stage) -> None:
    stage.send_values("a", values(0.5))
    stage.pass_time(timedelta(seconds=1))
    lifecycle.freeze(stage.services, "whales")
    stage.pass_time(timedelta(hours=1))
    with pytest.raises(ConflictError, match="1 submission that arrived in time is in the queue"):
        finalize(stage.services, "whales", at_once=True)
    with pytest.raises(DeadlinePassedError):
        stage.send_values("a", values(0.6))
    run_all(stage)
    assert len(submission_rows(stage)) == 1
    assert len(finalize(stage.services, "whales").rows) == 1


def test_an_organiser_cancels_what_waits_and_what_is_being_scored(two_a_day: Stage) -> None:
    stage = two_a_day
    for team, share in (("a", 0.1), ("b", 0.2)):
        stage.send_values(team, values(share))
    running = take_up(stage.services, LEASE)
    assert running is not None
    for job in job_rows(stage):
        organising.cancel(stage.services, "whales", job.id)
    assert running.lease is not None
    work(stage.services, running.id, running.lease)
    assert not submission_rows(stage)
    for name in "ab":
        team = team_row(stage, name)
        assert (team.attempts, team.queued, team.quota_used) == (0, 0, 0)
    with pytest.raises(ConflictError):
        organising.cancel(stage.services, "whales", running.id)
    rows, total = organising.list_jobs(stage.services, "whales", offset=0, limit=10)
    assert total == 2
    assert {row.status for row in rows} == {"failed"}


@on_sqlite
def test_the_files_of_a_team_have_a_limit(database: Database, tmp_path: Path) -> None:
    stage = open_queued(database, tmp_path)
    stage.services.referee = Referee(stage.database, team_bytes=len(_file(stage, values(0.5))) + 100)
    stage.send_values("a", values(0.5))
    with pytest.raises(ConflictError, match="they may have on this server"):
        stage.send_values("a", values(0.6))
    assert (len(job_rows(stage)), team_row(stage, "a").queued) == (1, 1)
    stage.send_values("b", values(0.6))
    stage.services.close()


def _file(stage: Stage, predictions: np.ndarray[tuple[int], np.dtype[np.float64]]) -> bytes:
    return a_file(stage.competition, predictions)
