"""The page of one submission: what became of it, where it puts the team, and what the score shown is."""

from dataclasses import dataclass
from datetime import datetime

from ladderboard.core.score_format import ScoreFormat
from ladderboard.drawing.elements import Drawing
from ladderboard.server import charts
from ladderboard.server.boards.standings import Place
from ladderboard.server.boards.views import find_span, format_range
from ladderboard.server.competitions.context import CompetitionContext
from ladderboard.server.results.private_scores import find_private_format
from ladderboard.server.submissions.own_submissions import SubmissionDetails
from ladderboard.server.submissions.records import LONGEST_NOTE, OwnSubmission


@dataclass(frozen=True)
class ResultView:
    """The page of one submission."""

    id: str
    attempt: int
    value: str
    """The attempt's own score; empty where it is not shown."""
    public_value: str
    """Its score on the public rows, after the reveal."""
    private_value: str
    outcome: str
    """The name of the outcome, which is a class of the stylesheet."""
    title: str
    sentences: tuple[str, ...]
    why: tuple[str, ...]
    rank: str
    range: str
    whisker: Drawing
    interval: str
    lacks_interval: bool
    left: str
    file_href: str
    file_name: str
    file_size: int
    received_at: datetime
    submitted_by: str | None
    note: str
    is_repeat: bool
    log_href: str = ""
    """Of a program's run on the sample."""
    note_length: int = LONGEST_NOTE


def build_result(
    context: CompetitionContext, submission: OwnSubmission, details: SubmissionDetails, *, is_repeat: bool
) -> ResultView:
    """Build the page of one of the team's own submissions."""
    place, outcome, release = details.place, details.outcome, submission.release
    interval, scores = release["interval"], context.live.score_format
    *said, last = (sentence for sentence in outcome.sentences)
    return ResultView(
        id=submission.id,
        attempt=details.attempt,
        value="" if details.own_value is None else scores.write(details.own_value),
        public_value=_write(scores, details.scores.public),
        private_value=_write(find_private_format(context.live), details.scores.private),
        outcome=outcome.name,
        title=outcome.title,
        # A page says until when nothing is shown, in its reader's words.
        sentences=(*said, context.silence or last),
        why=context.live.mechanism.words.reading,
        rank=rank_words(place),
        range=range_words(place),
        whisker=_whisker(place, context.teams),
        interval="" if interval is None or details.own_value is None else scores.write_interval(*interval),
        lacks_interval=release["accepted"] and context.live.mechanism.has_intervals and interval is None,
        left=describe_quota_left(context),
        file_href=f"{context.path}/submissions/{submission.id}/file",
        file_name=submission.file_name or "submission",
        file_size=submission.file_size,
        received_at=context.in_zone(submission.received_at),
        submitted_by=details.sender,
        note=submission.note,
        is_repeat=is_repeat,
        log_href=f"{context.path}/submissions/{submission.id}/log" if submission.output_digest else "",
    )


def _write(scores: ScoreFormat, score: float | None) -> str:
    return "" if score is None else scores.write(score)


def rank_words(place: Place) -> str:
    """A rank for people."""
    return "none yet" if place.rank is None else f"{place.rank:,}"


def range_words(place: Place) -> str:
    """Plausible ranks for people."""
    span = find_span(place)
    if span is None or span[0] == span[1]:
        return format_range(place)
    return f"{span[0]:,} to {span[1]:,}"


def describe_quota_left(context: CompetitionContext) -> str:
    """What the team may still ask."""
    quota = context.quota
    if quota is None or quota.left is None:
        return "no limit"
    today = f"{quota.left_today} today" if quota.left_today is not None else ""
    in_all = f"{max(0, quota.total - quota.used)} in all" if quota.total is not None else ""
    return ", ".join(part for part in (today, in_all) if part)


def _whisker(place: Place, all_teams: int) -> Drawing:
    span = find_span(place)
    if span is None or place.rank is None:
        return Drawing("")
    axis = charts.RankAxis(1, max(all_teams, span[1], 2))
    return charts.rank_whisker(*span, rank=place.rank, axis=axis)
