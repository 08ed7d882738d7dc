"""Sketches of submissions: those near an attempt, and the bands by which near-duplicates are found."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    CompoundSelect,
    Connection,
    bindparam,
    cast,
    insert,
    literal_column,
    null,
    select,
    union_all,
)

from ladderboard.server.db.columns import Instant
from ladderboard.server.db.rows import make_record, make_records
from ladderboard.server.db.schema import sketch_bands, submissions, teams
from ladderboard.server.moderation.records import OwnSketch, SketchesNearby, StoredSketch

_SKETCH: tuple[Any, ...] = (submissions.c.id, submissions.c.team_id, submissions.c.sketch)
_HAS_SKETCH = submissions.c.sketch.is_not(None)


def _part(name: str, *, received_at: Any, attempts: Any) -> Any:
    """The columns of a part of `_NEAR`."""
    more = (submissions.c.number, received_at.label("received_at"), attempts.label("attempts"))
    return select(literal_column(f"'{name}'").label("part"), *_SKETCH, *more)


_OF_ANYBODY = _part("others", received_at=cast(null(), Instant), attempts=literal_column("0"))
_OWN = (
    _part("own", received_at=submissions.c.received_at, attempts=teams.c.attempts)
    .join_from(submissions, teams, submissions.c.team_id == teams.c.id)
    .where(submissions.c.team_id == bindparam("team_id"))
    .order_by(submissions.c.number.desc())
    .limit(bindparam("own"))
)
_RECENT = (
    _OF_ANYBODY.where(submissions.c.competition == bindparam("slug"))
    .order_by(submissions.c.number.desc())
    .limit(bindparam("recent"))
)
_BEST = (
    select(teams.c.last_improvement)
    .where((teams.c.competition == bindparam("slug")) & (teams.c.status == "active") & teams.c.board_order.is_not(None))
    .order_by(teams.c.board_order)
    .limit(bindparam("best"))
    .subquery("best")
)
_OF_THE_BEST = _OF_ANYBODY.join_from(_BEST, submissions, submissions.c.number == _BEST.c.last_improvement).where(
    submissions.c.competition == bindparam("slug")
)
_NEAR = union_all(*(select(part.subquery()) for part in (_OWN, _RECENT, _OF_THE_BEST)))
_BY_ID = select(*_SKETCH).where(submissions.c.id.in_(bindparam("ids", expanding=True)) & _HAS_SKETCH)
"""Built once: every attempt runs them, and building one takes longer than running it."""


def read_nearby(connection: Connection, slug: str, team_id: str, *, own: int, recent: int, best: int) -> SketchesNearby:
    """Read the last sketches of a team and of all teams, and those of the best teams."""
    asked = {"slug": slug, "team_id": team_id, "own": own, "recent": recent, "best": best}
    # Rows without a sketch are dropped here: a condition in the statement would scan a whole history that has none.
    rows = [row for row in connection.execute(_NEAR, asked) if row.sketch is not None]
    rows.sort(key=lambda row: -row.number)
    return SketchesNearby(
        [make_record(OwnSketch, row) for row in rows if row.part == "own"],
        [make_record(StoredSketch, row) for row in rows if row.part == "others"],
    )


def find_by_bands(connection: Connection, slug: str, bands: Sequence[int], *, limit: int) -> list[StoredSketch]:
    """Find the last ``limit`` sketches that share each of these bands, however old they are."""
    if not bands:
        return []
    given = {f"band_{index}": band for index, band in enumerate(bands)}
    found = connection.execute(_last_with_bands(len(bands), limit), {"slug": slug, **given})
    ids = sorted({row.submission_id for row in found})
    return make_records(StoredSketch, connection.execute(_BY_ID, {"ids": ids})) if ids else []


@lru_cache(maxsize=8)
def _last_with_bands(bands: int, limit: int) -> CompoundSelect[Any]:
    """A limit for each band, so that a band which many submissions share costs no more."""
    parts = []
    for index in range(bands):
        same = (sketch_bands.c.competition == bindparam("slug")) & (sketch_bands.c.hash == bindparam(f"band_{index}"))
        last = select(sketch_bands.c.submission_id).where(same).order_by(sketch_bands.c.submission_id.desc())
        parts.append(select(last.limit(limit).subquery(f"part_{index}").c.submission_id))
    return union_all(*parts)


def add_bands(connection: Connection, slug: str, submission_id: str, bands: Sequence[int]) -> None:
    """Add the bands of a submission, by which it is found."""
    rows = [{"competition": slug, "submission_id": submission_id, "hash": band} for band in dict.fromkeys(bands)]
    if rows:
        connection.execute(insert(sketch_bands), rows)
