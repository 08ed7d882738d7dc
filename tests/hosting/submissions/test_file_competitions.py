"""A competition of files from its first submission to its private board, its correction and its backup."""

import json
import logging
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ladderboard.competition import Competition, load_competition, pack_solution, solution_digest, unpack_solution
from ladderboard.core.errors import SubmissionError
from ladderboard.scoring.file_scorer import FileScorer
from ladderboard.server import lifecycle
from ladderboard.server.audit.audit import PublishedEntry
from ladderboard.server.audit.ledger_view import whole_view
from ladderboard.server.audit.published import Publication
from ladderboard.server.audit.replaying import LedgerReplay
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.backup import restore_backup, write_backup
from ladderboard.server.db.database import Database
from ladderboard.server.db.schema import jobs
from ladderboard.server.results.finalizing import finalize
from ladderboard.server.results.publication import stream_publication
from ladderboard.server.results.rescoring import publish_rescoring
from ladderboard.server.services import files_for
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.records import StoredAnswers
from tests.hosting.hosts import Stage, on_sqlite
from tests.hosting.jobs.queued import run_all, submission_rows
from tests.scoring.file_competitions import SCORER, make_folder, make_submission, make_truth, make_zip


@pytest.fixture
def stage(database: Database, tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(database, tmp_path / "data", load_competition(make_folder(tmp_path / "texts")))
    yield stage
    stage.live.competition.scorer.close()
    stage.services.close()


def score_file(stage: Stage, team: str, content: bytes) -> Any:
    """What the file is answered with once its turn has come."""
    sent = stage.send_file(team, content)
    assert sent.status == 202
    run_all(stage)
    return next(job.answer for job in stage.rows(jobs) if job.id == sent.content["id"])


def no_run(*_: object) -> None:
    raise AssertionError("a scorer ran where its scores are kept")


def test_good_files_climb_and_bad_ones_cost_nothing(stage: Stage) -> None:
    first, second = (score_file(stage, "a", make_submission(share)) for share in (0.3, 0.9))
    assert first["release"]["accepted"]
    assert second["release"]["improved"]
    assert second["release"]["value"] == pytest.approx(0.9, abs=0.06)
    with pytest.raises(SubmissionError, match="119 of 120 items are missing"):
        stage.send_file("a", make_zip({"t000.txt": "a"}))
    assert stage.send_file("a", make_submission(0.9)).status == 200  # the same file again
    assert stage.live.competition.rules.limits.per_day == 50


def test_a_submission_that_breaks_the_scorer_is_an_ordinary_rejection_and_the_log_says_why(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    score_file(stage, "a", make_submission(0.5))
    broken = make_zip({f"{one}.txt" if one != "t007" else "t007.dat": "x" for one in make_truth()})
    with caplog.at_level(logging.WARNING, logger="ladderboard.scoring"):
        answer = score_file(stage, "a", broken)
    worse = [score_file(stage, "b", make_submission(share)) for share in (0.5, 0.1)][-1]
    assert answer["outcome"]["name"] == worse["outcome"]["name"] == "no_change"
    assert set(answer) == set(worse)
    assert answer["quota"]["left_today"] == 48
    assert "FileNotFoundError" in caplog.text
    assert "FileNotFoundError" not in str(answer)


def test_what_the_server_keeps_scores_like_the_folder(stage: Stage) -> None:
    kept = unpack_solution(pack_solution(stage.live.competition))
    assert solution_digest(kept) == solution_digest(stage.live.competition)
    content = make_submission(0.7)
    try:
        values = kept.scorer.score(kept.scorer.read(content)).values
    finally:
        kept.scorer.close()
    assert values.tolist() == stage.live.evaluations.score(stage.live.evaluations.read(content)).values.tolist()


def test_the_commitment_covers_the_solutions_files_and_the_scorer(stage: Stage, tmp_path: Path) -> None:
    digest = solution_digest(stage.live.competition)
    assert solution_digest(load_competition(make_folder(tmp_path / "again" / "texts"))) == digest
    truth = make_truth() | {"t000": "b " * 20}
    other = load_competition(make_folder(tmp_path / "other" / "texts", truth=truth))
    assert solution_digest(other) != digest
    assert solution_digest(load_competition(make_folder(tmp_path / "texts", scorer=SCORER + "\n"))) != digest


@on_sqlite
def test_kept_scores_are_made_again_by_a_correction_alone(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth = make_truth() | {"t000": "b " * 20}
    corrected = load_competition(make_folder(tmp_path / "other" / "texts", truth=truth))
    for team, share in (("a", 0.3), ("b", 0.6), ("a", 0.8)):
        score_file(stage, team, make_submission(share))
    with monkeypatch.context() as patch:
        patch.setattr(FileScorer, "score", no_run)
        assert replay(stage, stage.competition) == ["same"] * 3
        lifecycle.freeze(stage.services, stage.slug)
        stage.pass_time(timedelta(hours=1))
        assert finalize(stage.services, stage.slug, at_once=True).rows[0].value == pytest.approx(0.8, abs=0.06)
        with pytest.raises(AssertionError, match="a scorer ran"):
            publish_rescoring(stage.services, stage.slug, corrected)
    before = stage.competition
    assert publish_rescoring(stage.services, stage.slug, corrected).submissions == 3
    assert replay(stage, before, stage.competition) == ["same"] * 4
    before.scorer.close()


def replay(stage: Stage, *competitions: Competition) -> list[str]:
    """The outcomes of a replay by these competitions, the oldest first, which remember nothing."""
    lives = {
        number: LiveCompetition(one, stage.live.secret, stage.live.files, number)
        for number, one in enumerate(competitions, 1)
    }

    def entries() -> list[PublishedEntry]:
        with stage.database.reading() as connection:
            return list(whole_view(connection, stage.slug).entries(connection))

    return [one.outcome for one in LedgerReplay(lives, stage.live.files.read).releases(entries)]


@on_sqlite
def test_what_is_published_is_what_was_committed_to(stage: Stage) -> None:
    score_file(stage, "a", make_submission(0.7))
    lifecycle.freeze(stage.services, stage.slug)
    stage.pass_time(timedelta(hours=1))
    finalize(stage.services, stage.slug)
    lifecycle.reveal(stage.services, stage.slug)
    with stage.database.reading() as connection:
        told = json.loads("".join(stream_publication(connection, stage.live)))
    assert Publication.from_json(told).digest() == solution_digest(stage.competition)
    assert Publication.from_json(told | {"files": []}).digest() != solution_digest(stage.competition)


@on_sqlite
def test_a_backup_has_the_kept_scores(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    score_file(stage, "a", make_submission(0.7))
    write_backup(stage.database, stage.live.files, tmp_path / "x.backup")
    restored = Database(f"sqlite:///{tmp_path / 'restored.db'}")
    files = files_for(Settings(data=tmp_path / "restored", database=str(restored.url)), restored)
    restore_backup(tmp_path / "x.backup", restored, files)
    [row] = submission_rows(stage)
    monkeypatch.setattr(FileScorer, "score", no_run)
    live = LiveCompetition(stage.competition, stage.live.secret, files)
    stored = StoredAnswers(row.file_digest, row.scores_digest)
    assert live.evaluations.of(row.id, lambda _: stored).score == pytest.approx(0.7, abs=0.06)
    restored.close()
