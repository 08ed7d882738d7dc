"""What a participant reads about a submission, word for word."""

from dataclasses import replace
from datetime import UTC, datetime

from ladderboard.cli.participate.submission_report import (
    describe_answer,
    describe_budget,
    describe_quota,
    describe_rank,
)
from ladderboard.core.score_format import ScoreFormat
from ladderboard.server.submissions.records import OutcomeBody, RankRangeBody, ReleaseBody, ScoredBody
from ladderboard.server.teams.records import BudgetBody, QuotaBody

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
RELEASE = ReleaseBody(0.2, 0.2, accepted=True, improved=True, attempt=3, interval=[0.18, 0.22])
QUOTA = QuotaBody(5, 3, 2, 20, 9, 2, datetime(2026, 3, 15, tzinfo=UTC))
OUTCOME = OutcomeBody("improved", "Improved", "Score 0.300 → 0.200. Proven better than your attempt 2.")
ANSWER = ScoredBody("x", "scored", False, RELEASE, 2, QUOTA, RankRangeBody(1, 4), outcome=OUTCOME)


def words(answer: ScoredBody) -> list[str]:
    return list(describe_answer(answer, ScoreFormat(decimals=3), metric="error_rate", lower_is_better=True, now=NOON))


def test_the_outcome_is_told_with_the_score_the_place_and_what_is_left() -> None:
    assert words(ANSWER) == [
        "Improved: Score 0.300 → 0.200. Proven better than your attempt 2.",
        "On the board: error_rate 0.200 (lower is better; 95 % interval 0.180 to 0.220).",
        "Rank 2; ranks 1 to 4 are plausible.",
        "Attempts left: 2 of 5 today (resets in 12 h 0 min); 11 of 20 in total.",
    ]


def test_an_answer_that_an_earlier_version_stored_has_no_word() -> None:
    assert words(replace(ANSWER, outcome=None))[0] == "This is the stored answer to an earlier request."


def test_without_a_number_there_is_no_rank() -> None:
    release = replace(RELEASE, value=None, board_value=None, accepted=False, improved=False, interval=None)
    told = words(replace(ANSWER, release=release, rank=None, rank_range=None))
    assert len(told) == 2
    assert told[1].startswith("Attempts left")


def test_places_and_attempts_have_their_own_words_where_nothing_limits_them() -> None:
    assert describe_rank(1, None) == "Rank 1."
    assert describe_rank(1, RankRangeBody(1, 1)) == "Rank 1; no other rank is plausible."
    assert describe_quota(replace(QUOTA, per_day=None, total=None), now=NOON) == "Attempts: 9, no limit."
    late = datetime(2026, 3, 14, 23, 59, tzinfo=UTC)
    assert "resets in 1 min" in describe_quota(QUOTA, now=late)


def test_a_late_entry_says_nothing_of_the_board() -> None:
    late = words(replace(ANSWER, phase="late", rank=None, rank_range=None))
    assert len(late) == 2
    assert not any("board" in line.lower() for line in late[1:])


def test_a_budget_is_told_as_far_as_releases_tell_it() -> None:
    assert describe_budget(BudgetBody(12, 9, 3, is_spent=False)).startswith("Answers left: 3 of 12;")
    assert describe_budget(BudgetBody(12, None, None, is_spent=False)).startswith("Corrections: 12 in total.")
    assert describe_budget(BudgetBody(12, 13, 0, is_spent=True)).startswith("Answers left: none of 12.")
