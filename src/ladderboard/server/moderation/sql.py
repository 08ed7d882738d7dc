"""Flags for the organiser, and the sketches that submissions are compared by."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    CompoundSelect,
    Connection,
    Select,
    bindparam,
    cast,
    func,
    insert,
    literal_column,
    null,
    select,
    union_all,
    update,
)

from ladderboard.server.db.columns import Instant, make_record, make_records, new_id
from ladderboard.server.db.schema import flags, sketch_bands, submissions, teams
from ladderboard.server.moderation.records import (
    Flag,
    FlagCountBody,
    NamedFlag,
    OwnSketch,
    SketchesNearby,
    StoredSketch,
)


def add_flags(
    connection: Connection, slug: str, new: Iterable[Flag], *, team_id: str, submission_id: str, now: datetime
) -> None:
    """Add the flags of one submission."""
    rows = [
        {
            "id": new_id(now),
            "competition": slug,
            "team_id": team_id,
            "submission_id": submission_id,
            "other_submission_id": flag.other_submission_id,
            "kind": flag.kind,
            "detail": flag.detail,
            "at": now,
        }
        for flag in new
    ]
    if rows:
        connection.execute(insert(flags), rows)


def list_flags(
    connection: Connection, slug: str, *, offset: int, limit: int, dismissed: bool = False
) -> tuple[list[NamedFlag], int]:
    """List flags, newest first, and count all of them. ``dismissed``: include those that were dismissed."""
    other = submissions.alias("other")
    owner = teams.alias("owner")
    wanted = flags.c.competition == slug
    if not dismissed:
        wanted = wanted & flags.c.dismissed_at.is_(None)
    page = (
        select(flags, teams.c.name.label("team"), owner.c.name.label("other_team"))
        .join_from(flags, teams, flags.c.team_id == teams.c.id)
        .outerjoin(other, flags.c.other_submission_id == other.c.id)
        .outerjoin(owner, other.c.team_id == owner.c.id)
        .where(wanted)
        .order_by(flags.c.at.desc(), flags.c.id.desc())
    )
    total = connection.scalar(select(func.count()).select_from(flags).where(wanted))
    return make_records(NamedFlag, connection.execute(page.offset(offset).limit(limit))), int(total or 0)


def count_by_team(connection: Connection, slug: str, *, offset: int, limit: int) -> list[FlagCountBody]:
    """Count the open flags of each kind and team, the largest number first."""
    counted = _group_open(slug, func.count().label("number")).order_by(
        func.count().desc(), flags.c.team_id, flags.c.kind
    )
    # Names are looked up for the part alone: sorting all teams by name would cost more than counting their flags.
    part = counted.offset(offset).limit(limit).subquery()
    named = (
        select(teams.c.name.label("team"), part.c.kind, part.c.number)
        .join_from(part, teams, part.c.team_id == teams.c.id)
        .order_by(part.c.number.desc(), part.c.team_id, part.c.kind)
    )
    return make_records(FlagCountBody, connection.execute(named))


def count_flagged(connection: Connection, slug: str) -> int:
    """Count the kinds and teams that have open flags."""
    return int(connection.scalar(select(func.count()).select_from(_group_open(slug).subquery())) or 0)


def _group_open(slug: str, *more: Any) -> Select[Any]:
    is_open = (flags.c.competition == slug) & flags.c.dismissed_at.is_(None)
    return select(flags.c.team_id, flags.c.kind, *more).where(is_open).group_by(flags.c.team_id, flags.c.kind)


def dismiss(connection: Connection, slug: str, flag_id: str, now: datetime) -> bool:
    """Dismiss a flag; False if there is no such flag."""
    wanted = (flags.c.competition == slug) & (flags.c.id == flag_id)
    return connection.execute(update(flags).where(wanted).values(dismissed_at=now)).rowcount == 1


def dismiss_all(connection: Connection, slug: str, *, team_key: str, kind: str, now: datetime) -> None:
    """Dismiss all flags of one kind that a team has."""
    team = select(teams.c.id).where((teams.c.competition == slug) & (teams.c.name_key == team_key)).scalar_subquery()
    wanted = (flags.c.team_id == team) & (flags.c.kind == kind) & flags.c.dismissed_at.is_(None)
    connection.execute(update(flags).where(wanted).values(dismissed_at=now))


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
