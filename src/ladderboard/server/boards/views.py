"""The public board as a page shows it: whiskers, ties as brackets, sparklines. From released numbers only."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ladderboard.drawing.elements import Drawing
from ladderboard.server import charts
from ladderboard.server.boards.board_page import read_board_page
from ladderboard.server.boards.records import BoardRow
from ladderboard.server.boards.standings import Place, Ranks
from ladderboard.server.competitions.context import CompetitionContext, metric_title
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.services import Services

ON_A_PAGE = 50
LONGEST_QUERY = 80
MOST_POINTS = 40
"""Of a sparkline: the last ones."""


@dataclass(frozen=True)
class BoardLine:
    """One team in the table. ``classes`` are those of the stylesheet: tied, first, last, baseline, mayfirst."""

    key: str
    classes: str
    rank: str
    is_tied: bool
    team: str
    is_baseline: bool
    value: str
    range: str
    whisker: Drawing
    spark: Drawing
    attempts: int
    improved_at: datetime | None


@dataclass(frozen=True)
class BoardTable:
    """A page of the board, the same for all readers."""

    title: str
    shows_scores: bool
    metric: str
    axis: Drawing
    has_ranges: bool
    rows: tuple[BoardLine, ...]
    total: int
    claim: str


def build_table(
    services: Services, context: CompetitionContext, *, page: int, query: str = "", size: int = ON_A_PAGE
) -> BoardTable:
    """Build the table of one page; with a query only teams whose names contain it."""
    live = context.live
    board = read_board_page(services, live, page=page, per_page=size, search=query, with_histories=True)
    spans = [span for span in (find_span(row) for row in board.rows) if span is not None]
    axis = charts.RankAxis.over(spans)
    return BoardTable(
        title=live.rules.title,
        shows_scores=live.mechanism.shows_scores,
        metric=metric_title(live.rules.metric),
        axis=charts.rank_axis(axis),
        has_ranges=bool(spans),
        rows=_lines(context, board.rows, axis=axis, shows_ties=not query),
        total=board.total,
        claim="" if query else context.silence or _claim(board.ranks),
    )


def _lines(
    context: CompetitionContext, rows: Sequence[BoardRow], *, axis: charts.RankAxis, shows_ties: bool
) -> tuple[BoardLine, ...]:
    ranks = [None, *(row.rank for row in rows), None]
    lines = []
    for row, before, after in zip(rows, ranks[:-2], ranks[2:], strict=True):
        rank = row.rank
        is_tied = shows_ties and rank is not None and rank in (before, after)
        marks = {
            "tied": is_tied,
            "first": is_tied and rank != before,
            "last": is_tied and rank != after,
            "baseline": row.kind == "baseline",
            "mayfirst": row.rank_range is not None and row.rank_range.best == 1,
        }
        classes = " ".join(name for name, is_so in marks.items() if is_so)
        lines.append(_line(context, row, classes, axis, is_tied=is_tied))
    return tuple(lines)


def _line(
    context: CompetitionContext, row: BoardRow, classes: str, axis: charts.RankAxis, *, is_tied: bool
) -> BoardLine:
    shown = [value for value in carry_forward(row.history, live=context.live) if value is not None]
    lower = context.live.competition.metric.lower_is_better
    return BoardLine(
        key=row.id,
        classes=classes,
        rank="" if row.rank is None else f"{row.rank:,}",
        is_tied=is_tied,
        team=row.team,
        is_baseline=row.kind == "baseline",
        value=context.live.score_format.write(row.value),
        range=format_range(row),
        whisker=_whisker(row, axis),
        spark=charts.sparkline(shown[-MOST_POINTS:], context.live.score_format, lower_is_better=lower),
        attempts=row.attempts,
        improved_at=None if row.last_improvement is None else context.in_zone(row.last_improvement),
    )


def format_range(place: Place | BoardRow) -> str:
    """Plausible ranks in a table."""
    span = find_span(place)
    if span is None:
        return ""
    best, worst = span
    return f"{best:,}" if best == worst else f"{best:,}–{worst:,}"


def find_span(place: Place | BoardRow) -> tuple[int, int] | None:
    """The best and the worst plausible rank; None where there is no number yet."""
    span = place.rank_range
    return None if place.rank is None or span is None else (span.best, span.worst)


def _whisker(place: BoardRow, axis: charts.RankAxis) -> Drawing:
    span = find_span(place)
    if span is None or place.rank is None:
        return Drawing("")
    return charts.rank_whisker(*span, rank=place.rank, axis=axis)


def _claim(ranks: Ranks) -> str:
    """The sentence above the board: how many teams may truly be first."""
    teams = ranks.teams
    if teams < 2:
        return "One team has a score so far; there is nobody to compare it with." if teams else ""
    if not ranks.mechanism.has_intervals:
        return "On this board many attempts can make a score look too good, so it shows no plausible ranks."
    if not ranks.has_ranges:
        return "The scores shown so far do not tell which ranks are plausible."
    first = ranks.count_possible_winners()
    if first == 1:
        return f"One of {teams:,} teams is ahead of all others beyond what luck explains."
    if first == teams:
        claim = "The scores on the board cannot tell the {n} teams apart: each of them may truly be first."
        return claim.format(n=f"{teams:,}")
    return f"Of {teams:,} teams, {first:,} may truly be first."


def carry_forward(values: Sequence[float | None], *, live: LiveCompetition) -> list[float | None]:
    """The score that a team held on the board after each of its attempts, from their releases.

    Merged teams were each told their own number, and their attempts lie among one another; the better number is held.
    """
    if live.is_ranked or (live.mechanism.is_noisy and live.mechanism.may_fall):  # a higher rank may have a lower number
        return list(values)
    better = min if live.competition.metric.lower_is_better else max
    shown: list[float | None] = []
    best: float | None = None
    for value in values:
        best = value if best is None else best if value is None else better(best, value)
        shown.append(best)
    return shown
