"""Sketches of submissions, and the flags that came of comparing them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    Row,
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

from ladderboard.store.columns import Instant, new_id
from ladderboard.store.schema import flags, sketch_bands, submissions, teams

_SKETCH: tuple[Any, ...] = (submissions.c.id, submissions.c.team_id, submissions.c.sketch)
_HAS_SKETCH = submissions.c.sketch.is_not(None)


def _part(name: str, *, received_at: Any, attempts: Any) -> Any:
    """The columns of a part of `_AROUND`."""
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
_AROUND = union_all(*(select(part.subquery()) for part in (_OWN, _RECENT, _OF_THE_BEST)))
_NAMED = select(*_SKETCH).where(submissions.c.id.in_(bindparam("ids", expanding=True)) & _HAS_SKETCH)
"""Built once: an attempt runs all of them, and building one takes longer than running it."""


class Around(NamedTuple):
    """What an attempt is compared with: the last ones of its own team, the newest first, and some of all teams."""

    own: list[Row[Any]]
    others: list[Row[Any]]


def around(connection: Connection, slug: str, team_id: str, *, own: int, recent: int, best: int) -> Around:
    """The team's ones have when each came and how many attempts it has made; of all teams: the last, and the best's."""
    asked = {"slug": slug, "team_id": team_id, "own": own, "recent": recent, "best": best}
    # Those that have a sketch: not asked for in the statement, which would look through a whole history that has none.
    rows = [row for row in connection.execute(_AROUND, asked) if row.sketch is not None]
    rows.sort(key=lambda row: -row.number)
    return Around([row for row in rows if row.part == "own"], [row for row in rows if row.part == "others"])


def sharing_a_band(connection: Connection, slug: str, bands: Sequence[int], *, limit: int) -> list[Row[Any]]:
    """For each of these bands the last ones that have it too, however long ago that was."""
    if not bands:
        return []
    given = {f"band_{index}": band for index, band in enumerate(bands)}
    found = connection.execute(_last_with_bands(len(bands), limit), {"slug": slug, **given})
    ids = sorted({row.submission_id for row in found})
    return list(connection.execute(_NAMED, {"ids": ids})) if ids else []


@lru_cache(maxsize=8)
def _last_with_bands(bands: int, limit: int) -> Any:
    """A limit for each band, so that no band costs more when many submissions have it."""
    parts = []
    for index in range(bands):
        same = (sketch_bands.c.competition == bindparam("slug")) & (sketch_bands.c.hash == bindparam(f"band_{index}"))
        last = select(sketch_bands.c.submission_id).where(same).order_by(sketch_bands.c.submission_id.desc())
        parts.append(select(last.limit(limit).subquery(f"part_{index}").c.submission_id))
    return union_all(*parts)


def add_bands(connection: Connection, slug: str, submission_id: str, bands: Sequence[int]) -> None:
    """Let the submission be found by its bands."""
    rows = [{"competition": slug, "submission_id": submission_id, "hash": band} for band in dict.fromkeys(bands)]
    if rows:
        connection.execute(insert(sketch_bands), rows)


# -- flags ------------------------------------------------------------------------------------------------------------


def add_flags(
    connection: Connection,
    slug: str,
    found: Iterable[Any],
    *,
    team_id: str,
    submission_id: str,
    now: datetime,
) -> None:
    """Write flags: each with ``kind``, ``other_submission_id`` and ``detail``."""
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
        for flag in found
    ]
    if rows:
        connection.execute(insert(flags), rows)


def listed_flags(
    connection: Connection, slug: str, *, offset: int, limit: int, dismissed: bool = False
) -> tuple[list[Row[Any]], int]:
    """Flags, the newest first, with the names of the teams; and how many there are."""
    other = submissions.alias("other")
    owner = teams.alias("owner")
    mine = flags.c.competition == slug
    if not dismissed:
        mine = mine & flags.c.dismissed_at.is_(None)
    chosen = (
        select(flags, teams.c.name.label("team"), owner.c.name.label("other_team"))
        .join_from(flags, teams, flags.c.team_id == teams.c.id)
        .outerjoin(other, flags.c.other_submission_id == other.c.id)
        .outerjoin(owner, other.c.team_id == owner.c.id)
        .where(mine)
        .order_by(flags.c.at.desc(), flags.c.id.desc())
    )
    total = connection.scalar(select(func.count()).select_from(flags).where(mine))
    return list(connection.execute(chosen.offset(offset).limit(limit))), int(total or 0)


def counted_flags(connection: Connection, slug: str) -> list[Row[Any]]:
    """How many flags of each kind each team has that were not dismissed; the most first."""
    mine = (flags.c.competition == slug) & flags.c.dismissed_at.is_(None)
    counted = (
        select(teams.c.name.label("team"), flags.c.kind, func.count().label("number"))
        .join_from(flags, teams, flags.c.team_id == teams.c.id)
        .where(mine)
        .group_by(teams.c.name, flags.c.kind)
        .order_by(func.count().desc(), teams.c.name, flags.c.kind)
    )
    return list(connection.execute(counted))


def dismiss_flag(connection: Connection, slug: str, flag_id: str, now: datetime) -> bool:
    """Put a flag aside; whether there is one."""
    mine = (flags.c.competition == slug) & (flags.c.id == flag_id)
    return connection.execute(update(flags).where(mine).values(dismissed_at=now)).rowcount == 1
