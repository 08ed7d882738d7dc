"""What a participant reads about a submission, word for word."""

from dataclasses import replace
from datetime import UTC, datetime

from ladderboard.cli.participate.submission_report import (
    describe_answer,
    describe_budget,
    describe_quota,
    describe_rank,
)
from ladderboard.wire.submissions import BudgetBody, QuotaBody, RankRangeBody, ReleaseBody, ScoredBody

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
RELEASE = ReleaseBody(0.2, 0.2, accepted=True, improved=True, attempt=3, interval=[0.18, 0.22])
QUOTA = QuotaBody(5, 3, 2, 20, 9, 2, "2026-03-15T00:00:00+00:00")
ANSWER = ScoredBody("x", "scored", False, RELEASE, 2, QUOTA, RankRangeBody(1, 4))


def words(answer: ScoredBody) -> list[str]:
    return list(describe_answer(answer, metric="error_rate", lower_is_better=True, now=NOON))


def test_an_improvement_is_told_with_its_number_its_place_and_what_is_left() -> None:
    assert words(ANSWER) == [
        "Improved: the board now shows error_rate 0.2 (lower is better; 95 % interval 0.18 to 0.22).",
        "Rank 2; ranks 1 to 4 are plausible.",
        "Attempts left: 2 of 5 today (resets in 12 h 0 min); 11 of 20 in total.",
    ]


def test_a_number_that_moved_by_luck_is_not_called_progress() -> None:
    moved = words(replace(ANSWER, release=replace(RELEASE, improved=False)))
    assert moved[0].startswith("Updated: the board now shows error_rate 0.2")
    assert moved[1] == "Not proven better: the difference may be luck."
    kept = words(replace(ANSWER, release=replace(RELEASE, improved=False, accepted=False)))
    assert kept[0].startswith("No change: the board shows error_rate 0.2")
    assert "so the score stays" in kept[1]


def test_what_was_told_before_is_told_in_the_past() -> None:
    again = words(replace(ANSWER, duplicate=True))
    assert again[0].endswith("no attempt was used.")
    assert again[1].startswith("Improved: the board then showed")


def test_without_a_number_there_is_no_rank() -> None:
    release = replace(RELEASE, value=None, board_value=None, accepted=False, improved=False, interval=None)
    told = words(replace(ANSWER, release=release, rank=None, rank_range=None))
    assert told[0].startswith("Not on the board yet.")
    assert len(told) == 2


def test_places_and_attempts_have_their_own_words_where_nothing_limits_them() -> None:
    assert describe_rank(1, None) == "Rank 1."
    assert describe_rank(1, RankRangeBody(1, 1)) == "Rank 1; no other rank is plausible."
    assert describe_quota(replace(QUOTA, per_day=None, total=None), now=NOON) == "Attempts: 9, no limit."
    late = datetime(2026, 3, 14, 23, 59, tzinfo=UTC)
    assert "resets in 1 min" in describe_quota(QUOTA, now=late)


def test_a_late_entry_is_told_apart_from_the_board() -> None:
    late = words(replace(ANSWER, phase="late", rank=None, rank_range=None))
    assert late[0].startswith("It arrived after the deadline")
    assert late[1] == "Improved: error_rate 0.2 (lower is better; 95 % interval 0.18 to 0.22)."
    assert len(late) == 3
    none = words(replace(ANSWER, phase="late", release=replace(RELEASE, value=None, board_value=None)))
    assert none[1] == "It would have no score yet."


def test_a_budget_is_told_as_far_as_releases_tell_it() -> None:
    assert describe_budget(BudgetBody(12, 9, 3, is_spent=False)).startswith("Answers left: 3 of 12;")
    assert describe_budget(BudgetBody(12, None, None, is_spent=False)).startswith("Corrections: 12 in total.")
    assert describe_budget(BudgetBody(12, 13, 0, is_spent=True)).startswith("Answers left: none of 12.")
