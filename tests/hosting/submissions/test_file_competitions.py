"""A competition of files from its first submission to its private board, its correction and its backup."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladderboard.competition import load_competition, pack_solution, solution_digest, unpack_solution
from ladderboard.core.errors import SubmissionError
from ladderboard.server.db.database import Database
from tests.hosting.hosts import Stage
from tests.scoring.file_competitions import SCORER, make_folder, make_submission, make_truth, make_zip


@pytest.fixture
def stage(database: Database, tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(database, tmp_path / "data", load_competition(make_folder(tmp_path / "texts")))
    yield stage
    stage.live.competition.scorer.close()
    stage.services.close()


def test_good_files_climb_and_bad_ones_cost_nothing(stage: Stage) -> None:
    first, second = (stage.send_file("a", make_submission(share)).content for share in (0.3, 0.9))
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
    stage.send_file("a", make_submission(0.5))
    broken = make_zip({f"{one}.txt" if one != "t007" else "t007.dat": "x" for one in make_truth()})
    with caplog.at_level(logging.WARNING, logger="ladderboard.scoring"):
        answer = stage.send_file("a", broken).content
    worse = stage.send_file("b", make_submission(0.5)).content and stage.send_file("b", make_submission(0.1)).content
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
