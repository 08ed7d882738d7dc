"""Submitted programs from the sample to the board: what is charged, what is told, and what never runs again."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ladderboard.competition import inspect_folder, load_competition, pack_solution, solution_digest, unpack_solution
from ladderboard.core.errors import MetricUnavailableError, QuotaExceededError, SubmissionError
from ladderboard.scoring.programs import ProgramRunner
from ladderboard.scoring.sandbox import find_obstacle
from ladderboard.server import lifecycle
from ladderboard.server.audit.ledger_view import whole_view
from ladderboard.server.audit.replaying import LedgerReplay
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Database
from ladderboard.server.jobs import organising
from ladderboard.server.jobs.work import MOST_TRIES, take_up, work
from ladderboard.server.results.finalizing import finalize
from tests.hosting.hosts import Stage, on_sqlite
from tests.hosting.jobs.programs import answer, fail_hidden, pack, write_programs
from tests.hosting.jobs.queued import job_rows, run_all, submission_rows, team_row

pytestmark = pytest.mark.skipif(find_obstacle() is not None, reason="there is no sandbox on this machine")
Open = Callable[..., Stage]


@pytest.fixture
def begin(database: Database, tmp_path: Path) -> Iterator[Open]:
    stages: list[Stage] = []

    def open_stage(**options: Any) -> Stage:
        competition = load_competition(write_programs(tmp_path / "signs", **options))
        stages.append(Stage(database, tmp_path / "data", competition))
        return stages[-1]

    yield open_stage
    for stage in stages:
        stage.services.close()


def read_log(stage: Stage, job: Any) -> str:
    return stage.live.files.read(job.log_digest).decode()


def test_a_program_answers_the_sample_then_the_hidden_inputs_and_is_ranked(begin: Open) -> None:
    stage = begin()
    for team, share in (("a", 0.9), ("b", 0.6)):
        assert stage.send_file(team, answer(share)).status == 202
        stage.pass_time(timedelta(seconds=1))  # what arrives at once has no order
    run_all(stage)
    first, second = (job.answer["release"]["board_value"] for job in job_rows(stage))
    assert first > 0.75 > second
    [job, _], [row, _] = job_rows(stage), submission_rows(stage)
    assert "a line of the log" in read_log(stage, job)
    assert "it wrote" in read_log(stage, job)
    assert row.output_digest not in (None, row.file_digest)
    assert stage.send_file("a", answer(0.9)).content["duplicate"], "the same archive is the same submission"


@on_sqlite
def test_a_program_that_fails_on_the_sample_costs_nothing_and_its_team_reads_the_log(begin: Open) -> None:
    stage = begin(per_day="1")
    for source in ("print('so far')\n1 / 0", "import time", "raise SystemExit(3)"):
        stage.send_file("a", pack(source))
        stage.pass_time(timedelta(seconds=1))
        run_all(stage)
    first = job_rows(stage)[0]
    assert first.failure.startswith("the program failed on the public sample: it ended with exit code 1")
    assert "so far" in read_log(stage, first)
    assert "ZeroDivisionError" in read_log(stage, first)
    team = team_row(stage, "a")
    assert (team.attempts, team.queued, team.quota_used) == (0, 0, 0)
    assert not submission_rows(stage)


@on_sqlite
@pytest.mark.parametrize(
    ("how", "report"),
    [
        ("raise SystemExit(7)", "exit code 7"),
        ("print('SECRET INPUT'); open(__import__('sys').argv[2], 'w').write('id,label\\n')", "not valid"),
        ("pass", "it wrote no output"),
    ],
)
def test_a_program_that_fails_on_hidden_inputs_is_charged_and_hears_nothing_more(
    begin: Open, how: str, report: str
) -> None:
    stage = begin(per_day="2")
    sent = stage.send_file("a", fail_hidden(how), idempotency_key="one").content
    run_all(stage)
    [job], team = job_rows(stage), team_row(stage, "a")
    assert (job.status, team.attempts, team.quota_used, team.queued) == ("failed", 1, 1, 0)
    assert job.failure == (
        "the program failed on the hidden inputs; what went wrong there is told to nobody but the organiser"
    )
    assert report in job.report
    assert "SECRET INPUT" not in read_log(stage, job)
    told = stage.send_file("a", fail_hidden(how), idempotency_key="one").content
    assert (told["id"], told["status"], told["charged"]) == (sent["id"], "failed", True)
    assert set(told) == set(sent), "no field tells how it failed"
    assert "failed" in stage.ledger_kinds()


@on_sqlite
def test_hidden_inputs_are_not_there_while_the_sample_is_answered(begin: Open) -> None:
    stage = begin()
    hidden = stage.competition.inputs
    assert hidden is not None
    stage.send_file("a", pack(f"import os\nprint(os.path.exists({str(hidden.folder)!r}))\n1 / 0"))
    run_all(stage)
    assert read_log(stage, job_rows(stage)[0]).startswith("False")


@on_sqlite
def test_a_team_may_send_so_many_programs_a_day(begin: Open) -> None:
    stage = begin(runs="2")
    for number in range(2):
        stage.send_file("a", pack(f"raise SystemExit({number})"))
    with pytest.raises(QuotaExceededError, match="2 programs today"):
        stage.send_file("a", answer(0.5))
    run_all(stage)
    with pytest.raises(QuotaExceededError):
        stage.send_file("a", answer(0.5))
    stage.send_file("b", answer(0.5))
    stage.pass_time(timedelta(days=1))
    assert stage.send_file("a", answer(0.5)).status == 202


@on_sqlite
def test_a_bad_archive_is_refused_at_once(begin: Open) -> None:
    stage = begin(runs="1")
    with pytest.raises(SubmissionError, match=r"no predict\.py"):
        stage.send_file("a", pack("x").replace(b"predict.py", b"produce.py"))
    assert not job_rows(stage)
    assert stage.send_file("a", answer(0.5)).status == 202


@on_sqlite
def test_a_fault_of_the_server_charges_nothing_and_begins_with_the_sample_again(
    begin: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = begin(per_day="1")
    stage.send_file("a", answer(0.9))

    def broken(*_: object) -> None:
        raise MetricUnavailableError("no sandbox")

    with monkeypatch.context() as patch:
        patch.setattr(ProgramRunner, "run", broken)
        for _ in range(MOST_TRIES + 1):
            run_all(stage)
            stage.pass_time(timedelta(minutes=1))
    [job] = job_rows(stage)
    assert (job.status, team_row(stage, "a").quota_used, team_row(stage, "a").attempts) == ("failed", 0, 0)
    organising.retry(stage.services, "signs", job.id)
    run_all(stage)
    assert job_rows(stage)[0].status == "scored"


@on_sqlite
def test_a_program_never_runs_again(begin: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = begin()
    for team, share in (("a", 0.9), ("b", 0.7)):
        stage.send_file(team, answer(share))
    run_all(stage)
    monkeypatch.setattr(ProgramRunner, "run", None)
    live = LiveCompetition(stage.competition, stage.live.secret, stage.live.files)

    def entries() -> list[Any]:
        with stage.database.reading() as connection:
            return list(whole_view(connection, "signs").entries(connection))

    replayed = LedgerReplay({1: live}, live.files.read).releases(entries)
    assert [one.outcome for one in replayed] == ["same", "same"]
    lifecycle.freeze(stage.services, "signs")
    stage.pass_time(timedelta(hours=1))
    assert [row.team for row in finalize(stage.services, "signs").rows] == ["a", "b"]


@on_sqlite
def test_whoever_takes_a_job_up_finds_what_the_program_has_answered(
    begin: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = begin()
    stage.send_file("a", answer(0.9))
    score = stage.live.evaluations.score

    def stopped(_: object) -> None:
        raise MetricUnavailableError("the server was stopped here")

    lease = timedelta(seconds=30)
    with monkeypatch.context() as patch:
        patch.setattr(stage.live.evaluations, "score", stopped)
        job = take_up(stage.services, lease)
        assert job is not None
        assert job.lease is not None
        work(stage.services, job.id, job.lease)
    monkeypatch.setattr(ProgramRunner, "run", None)
    monkeypatch.setattr(stage.live.evaluations, "score", score)
    stage.pass_time(timedelta(minutes=1))
    assert run_all(stage) == [job.id]
    assert job_rows(stage)[0].status == "scored"


@on_sqlite
def test_what_the_server_keeps_has_the_inputs_and_the_commitment_covers_them(begin: Open, tmp_path: Path) -> None:
    stage = begin()
    kept = unpack_solution(pack_solution(stage.competition))
    assert solution_digest(kept) == solution_digest(stage.competition)
    assert kept.inputs is not None
    other = write_programs(tmp_path / "other" / "signs")
    (other / "inputs" / "x.csv").write_text("id,x\n")
    assert solution_digest(load_competition(other)) != solution_digest(stage.competition)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("[code]", '[code]\ninputs = "data/sample_inputs"'), "inputs lies in data/|lies in data/"),
        (("[code]", '[code]\ninputs = "missing"'), "there is no folder missing"),
        (("[code]", '[code]\nentry = "run.sh"'), "it must be a Python file at the top"),
        (("[code]", '[code]\nenvironment = "/usr"'), "no virtual environment"),
        (("memory_mb = 600", "memory_mb = 100"), "at most half of it"),
        (("[limits]", "publish_submissions = true\n[limits]"), "nobody could replay a score"),
        (("[code]", '[code]\nentrypoint = "x.py"'), "did you mean 'entry'"),
    ],
)
def test_check_says_what_is_wrong_with_the_rules_of_programs(
    tmp_path: Path, change: tuple[str, str], words: str
) -> None:
    folder = write_programs(tmp_path / "signs")
    toml = folder / "competition.toml"
    toml.write_text(toml.read_text().replace(*change))
    found = inspect_folder(folder)
    assert found.competition is None
    assert any(part in str(one) for one in found.findings for part in words.split("|"))
