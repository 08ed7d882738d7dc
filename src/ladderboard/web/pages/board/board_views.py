"""The public board as a page shows it: whiskers, ties as brackets, sparklines. From released numbers only."""

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import lru_cache
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from markupsafe import Markup
from sqlalchemy import Connection, Row

from ladderboard.hosting.boards.display_order import rows_in_order, rows_named
from ladderboard.hosting.boards.standings import Place, Ranks
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.hosting.people.names import name_key
from ladderboard.store import histories
from ladderboard.web import charts
from ladderboard.web.pages.competition.context import CompetitionContext, metric_title
from ladderboard.web.text import _, decimals_for, score, spoken

ON_A_PAGE = 50
LONGEST_QUERY = 80
MOST_ROWS, MOST_SPARKS = 2000, 5000
"""That are remembered."""
MOST_POINTS = 40
"""Of a sparkline: the last ones."""

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class BoardRow:
    """One team. ``classes`` are those of the stylesheet: tied, first, last, baseline, mayfirst.

    Rows are the same only where they are one object: equal times may be written in different zones.
    """

    key: str
    classes: str
    rank: str
    is_tied: bool
    team: str
    is_baseline: bool
    value: str
    range: str
    whisker: Markup
    spark: Markup
    attempts: int
    improved_at: datetime | None


@dataclass(frozen=True)
class BoardPart:
    """A page of the board, the same for all readers."""

    title: str
    metric: str
    axis: Markup
    rows: tuple[BoardRow, ...]
    total: int
    claim: str


def board_part(
    connection: Connection, context: CompetitionContext, *, page: int, query: str = "", size: int = ON_A_PAGE
) -> BoardPart:
    """The rows of one page; with a query those of the teams whose name has it."""
    live, offset = context.live, (page - 1) * size
    ranks = Ranks.remembered(connection, live)
    if query:
        rows, total = rows_named(connection, live, name_key(query), offset=offset, limit=size)
    else:
        rows, total = rows_in_order(connection, live, offset=offset, limit=size), ranks.shown
    places = [_place(ranks, row) for row in rows]
    axis = charts.RankAxis.over([span for span in map(span_of, places) if span is not None])
    return BoardPart(
        title=context.live.rules.title,
        metric=metric_title(context.live.rules.metric),
        axis=charts.rank_axis(axis),
        rows=_rows(connection, context, rows, places, axis=axis, shows_ties=not query),
        total=total,
        claim="" if query else _claim(ranks, context),
    )


def _rows(
    connection: Connection,
    context: CompetitionContext,
    rows: Sequence[Row[Any]],
    places: Sequence[Place],
    *,
    axis: charts.RankAxis,
    shows_ties: bool,
) -> tuple[BoardRow, ...]:
    decimals = decimals_for(row.board_value for row in rows)
    sparks = _sparks.setdefault(context.live, _Sparks()).of(connection, context, rows)
    zone = context.live.rules.zone()
    made = []
    for i, (row, place) in enumerate(zip(rows, places, strict=True)):
        before = places[i - 1].rank if i else None
        after = places[i + 1].rank if i + 1 < len(places) else None
        is_tied = shows_ties and place.rank is not None and place.rank in (before, after)
        marks = {
            "tied": is_tied,
            "first": is_tied and place.rank != before,
            "last": is_tied and place.rank != after,
            "baseline": row.kind == "baseline",
            "mayfirst": place.best == 1,
        }
        classes = " ".join(name for name, is_so in marks.items() if is_so)
        made.append(
            _row(row, place, classes, axis, decimals=decimals, spark=sparks[row.id], zone=zone, language=spoken())
        )
    return tuple(made)


@lru_cache(maxsize=MOST_ROWS)
def _row(
    row: Row[Any],
    place: Place,
    classes: str,
    axis: charts.RankAxis,
    *,
    decimals: int,
    spark: Markup,
    zone: tzinfo,
    language: str,  # noqa: ARG001  # of the whisker's words: what is remembered is remembered under it
) -> BoardRow:
    """One row, made of nothing but what is given here; a release leaves most rows of a page as they were."""
    return BoardRow(
        key=row.id,
        classes=classes,
        rank="" if place.rank is None else f"{place.rank:,}",
        is_tied="tied" in classes.split(),
        team=row.name,
        is_baseline=row.kind == "baseline",
        value=score(row.board_value, decimals),
        range=range_of(place),
        whisker=_whisker(place, axis),
        spark=spark,
        attempts=row.attempts,
        improved_at=None if row.last_improved_at is None else row.last_improved_at.astimezone(zone),
    )


def range_of(place: Place) -> str:
    """Plausible ranks in a table."""
    span = span_of(place)
    if span is None:
        return ""
    best, worst = span
    return f"{best:,}" if best == worst else f"{best:,}–{worst:,}"


def span_of(place: Place) -> tuple[int, int] | None:
    """The best and the worst plausible rank; None where there is no number yet."""
    if place.rank is None or not place.best or not place.worst:
        return None
    return place.best, place.worst


def _place(ranks: Ranks, row: Row[Any]) -> Place:
    return Place(None) if row.kind == "baseline" else ranks.place(row.board_order, row.board_value)


def _whisker(place: Place, axis: charts.RankAxis) -> Markup:
    span = span_of(place)
    if span is None or place.rank is None:
        return Markup("")
    return charts.rank_whisker(*span, rank=place.rank, axis=axis)


def _claim(ranks: Ranks, context: CompetitionContext) -> str:
    """The sentence above the board: how many teams may truly be first."""
    teams = ranks.teams
    if teams < 2:
        return _("One team has a number so far; there is nobody to compare it with.") if teams else ""
    first = may_be_first(ranks, context)
    if first == 1:
        return _("One of {n} teams is ahead of all others beyond what luck explains.").format(n=f"{teams:,}")
    if first == teams:
        said = _("The released numbers cannot tell the {n} teams apart: each of them may truly be first.")
        return said.format(n=f"{teams:,}")
    return _("Of {n} teams, {first} may truly be first.").format(n=f"{teams:,}", first=f"{first:,}")


def may_be_first(ranks: Ranks, context: CompetitionContext) -> int:
    """How many teams have 1 among their plausible ranks; ends of intervals are monotone, so that halving finds it."""
    losses, yardstick = ranks.losses, context.live.yardstick
    low, high = 0, len(losses)
    while low < high:
        middle = (low + high) // 2
        if ranks.plausibility.limits(yardstick.score(float(losses[middle]))).better <= losses[0]:
            low = middle + 1
        else:
            high = middle
    return max(low, 1)


def held(values: Sequence[float | None], *, live: LiveCompetition) -> list[float | None]:
    """What a team's place on the board was worth after each of its attempts, from what was told for each.

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


class Remembered(Generic[Value]):
    """The last few values by their keys; safe among threads."""

    def __init__(self, most: int) -> None:
        self._most, self._kept, self._guard = most, OrderedDict[Hashable, Value](), Lock()

    def get(self, key: Hashable) -> Value | None:
        with self._guard:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key]

    def put(self, key: Hashable, value: Value) -> Value:
        with self._guard:
            self._kept[key] = value
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return value


class _Sparks:
    """Sparklines, drawn again only when a team's number has changed: histories may be long, and most stand still."""

    def __init__(self) -> None:
        self._drawn: Remembered[Markup] = Remembered(MOST_SPARKS)

    def of(self, connection: Connection, context: CompetitionContext, rows: Sequence[Row[Any]]) -> dict[str, Markup]:
        lower = context.live.competition.metric.lower_is_better
        of = (context.live.scoring_version, spoken())
        keys = {row.id: (row.id, row.board_value, row.last_improved_at, of) for row in rows}
        found = {team: self._drawn.get(key) for team, key in keys.items()}
        missing = [team for team, drawn in found.items() if drawn is None]
        values = histories.board_values(connection, missing) if missing else {}
        fresh = {}
        for team in missing:
            shown = [value for value in held(values[team], live=context.live) if value is not None]
            fresh[team] = self._drawn.put(keys[team], charts.sparkline(shown[-MOST_POINTS:], lower_is_better=lower))
        return {team: fresh[team] if drawn is None else drawn for team, drawn in found.items()}


_sparks: WeakKeyDictionary[LiveCompetition, _Sparks] = WeakKeyDictionary()
"""For each competition that is being served, as long as it is."""
