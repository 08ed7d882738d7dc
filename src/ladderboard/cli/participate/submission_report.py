"""What a participant is told of a submission, in words: the number, what it means, the place, the attempts left."""

from collections.abc import Iterator
from datetime import UTC, datetime

from ladderboard.wire.submissions import BudgetBody, QuotaBody, RankRangeBody, ReleaseBody, ScoredBody

KEPT = (
    "What this file gains, if anything, is no more than luck can give on this test set, so the number stays. "
    "Trying often does not help; a real improvement will show."
)
MOVED = "The number moved, but by no more than luck can give: do not count on it as progress."
NO_NUMBER_YET = "It has to beat the baseline by more than luck before it gets a number."
LATE = "It came after the deadline: it is scored apart, is not comparable with the board, and changes nothing there."
DUPLICATE = "The same predictions were scored before: this is the stored answer, and no attempt was used."


def describe_answer(
    answer: ScoredBody, *, metric: str, lower_is_better: bool, now: datetime | None = None
) -> Iterator[str]:
    """The answer to a submission, one thought a line."""
    if answer.duplicate:
        yield DUPLICATE
    if answer.phase == "late":
        yield LATE
        yield describe_late_verdict(answer.release, metric=metric, lower_is_better=lower_is_better)
    else:
        yield from describe_verdict(
            answer.release, metric=metric, lower_is_better=lower_is_better, is_past=answer.duplicate
        )
    place = describe_rank(answer.rank, answer.rank_range)
    if place:
        yield place
    yield describe_quota(answer.quota, now=now or datetime.now(UTC))


def describe_verdict(
    release: ReleaseBody, *, metric: str, lower_is_better: bool, is_past: bool = False
) -> Iterator[str]:
    """Improved or not, the number on the board, and what that means. ``is_past``: it was told before."""
    if release.board_value is None:
        yield f"Not on the board yet. {NO_NUMBER_YET}"
        return
    better = "lower" if lower_is_better else "higher"
    number = f"{metric} {release.board_value:g} ({better} is better{_interval(release)})"
    if release.improved:
        yield f"Improved: the board {'then showed' if is_past else 'now shows'} {number}."
    else:
        yield f"Not improved: the board {'then showed' if is_past else 'shows'} {number}."
        yield MOVED if release.accepted else KEPT


def describe_late_verdict(release: ReleaseBody, *, metric: str, lower_is_better: bool) -> str:
    """What a late entry is told: the number it would have, and no word of the board."""
    if release.board_value is None:
        return "It would have no number yet."
    better = "lower" if lower_is_better else "higher"
    word = "Improved" if release.improved else "Not improved"
    return f"{word}: {metric} {release.board_value:g} ({better} is better{_interval(release)})."


def describe_rank(rank: int | None, plausible: RankRangeBody | None) -> str:
    """The rank, and the ranks that are plausible.

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
    """How often the team may still ask."""
    parts = []
    if quota.per_day is not None:
        parts.append(f"{quota.left_today} of {quota.per_day} today (a new day begins in {_span(quota, now)})")
    if quota.total is not None:
        parts.append(f"{max(0, quota.total - quota.used)} of {quota.total} in all")
    return f"Attempts left: {'; '.join(parts)}." if parts else f"Attempts: {quota.used}, without a limit."


def describe_budget(budget: BudgetBody) -> str:
    """How often the mechanism still has an answer for the team.

    >>> describe_budget(BudgetBody(12, 9, 3, is_spent=False))
    'Answers left: 3 of 12; after the last your team is told no more numbers.'
    """
    if budget.is_spent:
        return f"Answers left: none of {budget.total}. The test set tells your team no more numbers."
    if budget.left is None:
        return f"Corrections: {budget.total} in all; how many are left would be one more answer, and is not told."
    return f"Answers left: {budget.left} of {budget.total}; after the last your team is told no more numbers."


def _interval(release: ReleaseBody) -> str:
    return "" if release.interval is None else f"; 95 % interval {release.interval[0]:g} to {release.interval[1]:g}"


def _span(quota: QuotaBody, now: datetime) -> str:
    """The time until the next day of the quota.

    >>> from dataclasses import replace
    >>> quota = QuotaBody(5, 1, 4, None, 1, 4, "2026-03-15T00:00:00+00:00")
    >>> _span(quota, datetime(2026, 3, 14, 16, 30, tzinfo=UTC))
    '7 h 30 min'
    """
    minutes = max(0, round((datetime.fromisoformat(str(quota.resets_at)) - now).total_seconds() / 60))
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"
