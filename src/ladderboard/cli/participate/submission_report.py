"""The report on a submission in words: the outcome, the rank, the attempts left."""

from collections.abc import Iterator
from datetime import UTC, datetime

from ladderboard.core.score_format import ScoreFormat
from ladderboard.server.jobs.records import JobBody
from ladderboard.server.submissions.records import RankRangeBody, ReleaseBody, ScoredBody
from ladderboard.server.teams.records import BudgetBody, QuotaBody

OLD_ANSWER = "This is the stored answer to an earlier request."


def describe_answer(
    answer: ScoredBody,
    scores: ScoreFormat,
    *,
    metric: str,
    lower_is_better: bool,
    silence: str = "",
    now: datetime | None = None,
) -> Iterator[str]:
    """Describe the answer to a submission, one thought per line. ``silence``: until when no scores are shown."""
    outcome = answer.outcome
    if silence and not answer.duplicate:
        yield f"Received. {silence}"
    else:
        yield OLD_ANSWER if outcome is None else f"{outcome.title}: {outcome.sentence}"
    if answer.phase != "late":
        yield from describe_score(answer.release, scores, metric=metric, lower_is_better=lower_is_better)
    place = describe_rank(answer.rank, answer.rank_range)
    if place:
        yield place
    yield describe_quota(answer.quota, now=now or datetime.now(UTC))


def describe_turn(job: JobBody) -> str:
    """Describe where a queued submission stands.

    >>> from datetime import UTC, datetime
    >>> job = JobBody("1", "received", "live", datetime(2026, 3, 14, tzinfo=UTC), "p.csv", 9, "", 3, 40.0)
    >>> describe_turn(job)
    'Queued: number 3, about 40 s.'
    """
    if job.status == "scoring":
        return "It is being scored."
    about = "" if job.estimate_seconds is None else f", about {max(1, round(job.estimate_seconds)):,} s"
    return f"Queued: number {job.place or 1:,}{about}."


def describe_score(release: ReleaseBody, scores: ScoreFormat, *, metric: str, lower_is_better: bool) -> Iterator[str]:
    """Describe the score on the board, and how precisely it is known."""
    if release.board_value is not None:
        better = "lower" if lower_is_better else "higher"
        known = f"{better} is better{_interval(release, scores)}"
        yield f"On the board: {metric} {scores.write(release.board_value)} ({known})."


def describe_rank(rank: int | None, plausible: RankRangeBody | None) -> str:
    """Describe the rank and the plausible ranks.

    >>> describe_rank(3, RankRangeBody(1, 7))
    'Rank 3; ranks 1 to 7 are plausible.'
    """
    if rank is None:
        return ""
    if plausible is None:
        return f"Rank {rank}."
    if plausible.best == plausible.worst:
        return f"Rank {rank}; no other rank is plausible."
    return f"Rank {rank}; ranks {plausible.best} to {plausible.worst} are plausible."


def describe_quota(quota: QuotaBody, *, now: datetime) -> str:
    """Describe how many attempts the team has left."""
    parts = []
    if quota.per_day is not None:
        parts.append(f"{quota.left_today} of {quota.per_day} today (resets in {_format_wait(quota, now)})")
    if quota.total is not None:
        parts.append(f"{max(0, quota.total - quota.used)} of {quota.total} in total")
    return f"Attempts left: {'; '.join(parts)}." if parts else f"Attempts: {quota.used}, no limit."


def describe_budget(budget: BudgetBody) -> str:
    """Describe how many scores the mechanism will still show the team.

    >>> describe_budget(BudgetBody(12, 9, 3, is_spent=False))
    'Answers left: 3 of 12; after the last one, no more scores are shown to your team.'
    """
    if budget.is_spent:
        return f"Answers left: none of {budget.total}. No more scores are shown to your team."
    if budget.left is None:
        return f"Corrections: {budget.total} in total. How many are left is not shown: that would be one more answer."
    return f"Answers left: {budget.left} of {budget.total}; after the last one, no more scores are shown to your team."


def _interval(release: ReleaseBody, scores: ScoreFormat) -> str:
    return "" if release.interval is None else f"; 95 % interval {scores.write_interval(*release.interval)}"


def _format_wait(quota: QuotaBody, now: datetime) -> str:
    """Format the time until the quota resets.

    >>> from dataclasses import replace
    >>> quota = QuotaBody(5, 1, 4, None, 1, 4, datetime(2026, 3, 15, tzinfo=UTC))
    >>> _format_wait(quota, datetime(2026, 3, 14, 16, 30, tzinfo=UTC))
    '7 h 30 min'
    """
    minutes = max(0, round((quota.resets_at - now).total_seconds() / 60))
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"
