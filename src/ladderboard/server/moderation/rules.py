"""Detection of near-duplicates, probing, and several accounts of one person; and the flags that the organiser reads.

It runs before an attempt is recorded and uses predictions alone: it knows no label and changes no response. The cost
is the same for the first attempt and the hundred-thousandth: bands of sketches find old near-duplicates through an
index; a few recent submissions, and those of the best teams, are compared in full. A flag is a hint, not a verdict, and
participants never see one.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np

from ladderboard.core.errors import NotFoundError
from ladderboard.metrics.inputs import Array
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection, Database
from ladderboard.server.db.rows import competitions
from ladderboard.server.moderation import sql
from ladderboard.server.moderation.records import Flag, FlagCountBody, NamedFlag, Observation, OwnSketch, StoredSketch
from ladderboard.server.moderation.sketches import Sketch, Sketcher, Sketches
from ladderboard.server.people.names import name_key
from ladderboard.server.submissions.records import IncomingSubmission

OWN, RECENT, BEST, BY_BAND = 8, 32, 8, 2
"""How many sketches are compared: the team's own, others' recent ones, the best teams', and those sharing a band."""

HANDFUL = 10
"""Rows. Two honest classifiers may differ in few, so there it is also at most one row in `ROWS_FOR_ONE`."""
ROWS_FOR_ONE = 500
TIGHT = 1e-4
"""1 − correlation of predictions that are numbers; honest models of one person are further apart."""
ALOOF, ALIKE = 0.3, 0.4
"""Correlations: below the first with everybody is odd if others reach the second among themselves."""
CROWD = 4
SPEED = timedelta(minutes=1)

KINDS = {
    "near_duplicate": "differs from an earlier submission of the same team in a handful of rows",
    "correlated": "is almost the same as an earlier submission of the same team in every row",
    "copy": "has the same predictions as another team",
    "near_duplicate_of_other": "differs from another team's submission in a handful of rows",
    "correlated_with_other": "is almost the same as another team's submission in every row",
    "probing": "one of many submissions in a row that differ in a handful of rows",
    "machine_speed": f"one of {OWN + 1} submissions within a minute",
    "nearly_constant": "predicts the same for all but a handful of rows",
    "unrelated": "resembles no other team, while the others resemble each other",
}


def observe(
    connection: Connection, live: LiveCompetition, attempt: IncomingSubmission, predictions: Array | None
) -> Observation:
    """Sketch an attempt and compare it. Everything is computed for every attempt; of files there are no sketches."""
    if predictions is None:
        return Observation(None, (), ())
    sketcher = live.sketcher
    sketch = sketcher.sketch(predictions)
    off = sketcher.count_unusual(predictions)
    # Constants resemble each other and mean nothing: everybody begins with one.
    bands = tuple(sketcher.hash_bands(sketch)) if off > 0 else ()
    known = sql.read_nearby(connection, live.slug, attempt.team_id, own=OWN, recent=RECENT, best=BEST)
    alike = sql.find_by_bands(connection, live.slug, bands, limit=BY_BAND)
    own = known.own
    others = [] if off == 0 else _select_others([*known.others, *alike], attempt.team_id)
    takes_classes = predictions.dtype.kind != "f"
    flags = [
        *_flag_like_own(sketcher, sketch, own, takes_classes=takes_classes),
        *_flag_like_others(sketcher, sketch, others, takes_classes=takes_classes),
        *_patterns(sketcher, sketch, own, attempt),
    ]
    if 0 < off <= HANDFUL and sketcher.rows >= 20 * HANDFUL:
        flags.append(Flag("nearly_constant", detail={"rows": off}))
    return Observation(sketch.to_bytes(), bands, tuple(flags))


def record_observation(
    connection: Connection,
    slug: str,
    observation: Observation,
    *,
    submission_id: str,
    flagged: str | None,
    now: datetime,
) -> None:
    """Record what was observed of a submission; ``flagged``: the team that its flags are about, None for a baseline."""
    sql.add_bands(connection, slug, submission_id, observation.bands)
    if flagged is not None:
        sql.add_flags(connection, slug, observation.flags, team_id=flagged, submission_id=submission_id, now=now)


def _select_others(rows: Sequence[StoredSketch], team_id: str) -> list[StoredSketch]:
    """Each sketch once, and none of the own team."""
    return list({row.id: row for row in rows if row.team_id != team_id}.values())


def _flag_like_own(
    sketcher: Sketcher, sketch: Sketch, own: Sequence[StoredSketch], *, takes_classes: bool
) -> list[Flag]:
    kinds = ("near_duplicate", "near_duplicate", "correlated")
    return _closest(sketcher, sketch, own, kinds, takes_classes=takes_classes)


def _flag_like_others(
    sketcher: Sketcher, sketch: Sketch, others: Sequence[StoredSketch], *, takes_classes: bool
) -> list[Flag]:
    kinds = ("copy", "near_duplicate_of_other", "correlated_with_other")
    found = _closest(sketcher, sketch, others, kinds, takes_classes=takes_classes)
    return found or _flag_dissimilar(sketcher, sketch, others)


def _closest(
    sketcher: Sketcher,
    sketch: Sketch,
    rows: Sequence[StoredSketch],
    kinds: tuple[str, str, str],
    *,
    takes_classes: bool,
) -> list[Flag]:
    """Flag the nearest of some submissions if it is equal, a handful of rows apart, or tightly correlated."""
    few = count_handful(sketcher.rows, takes_classes=takes_classes)
    if not rows or few == 0:  # of so few classes two good models may agree on all
        return []
    known = _collect_sketches(rows)
    changed = known.count_changed_buckets(sketch)
    nearest = int(changed.argmin())
    if changed[nearest] == 0:
        return [Flag(kinds[0], rows[nearest].id, {"rows": 0})]
    if changed[nearest] <= few:
        return [Flag(kinds[1], rows[nearest].id, {"rows": int(changed[nearest])})]
    if takes_classes:
        return []
    correlations = sketcher.compute_correlations(sketch, known)
    tightest = int(correlations.argmax())
    if 1 - correlations[tightest] > TIGHT:
        return []
    return [Flag(kinds[2], rows[tightest].id, {"correlation": round(float(correlations[tightest]), 6)})]


def _collect_sketches(rows: Sequence[StoredSketch]) -> Sketches:
    return Sketches.from_bytes([row.sketch for row in rows])


def count_handful(rows: int, *, takes_classes: bool) -> int:
    """The number of different rows that counts as a handful."""
    return min(HANDFUL, rows // ROWS_FOR_ONE if takes_classes else rows // 20)


def _flag_dissimilar(sketcher: Sketcher, sketch: Sketch, others: Sequence[StoredSketch]) -> list[Flag]:
    """Flag predictions that resemble nobody's, as random ones do, if the others resemble each other."""
    latest = {row.team_id: row for row in others}
    if len(latest) < CROWD:
        return []
    crowd = sketcher.compute_directions(_collect_sketches(list(latest.values())))
    among_them = crowd @ crowd.T - np.eye(len(crowd))
    if np.count_nonzero(among_them.max(axis=1) > ALIKE) < CROWD:
        return []
    strongest = float(np.abs(crowd @ sketcher.compute_directions(Sketches.of([sketch]))[0]).max())
    return [Flag("unrelated", detail={"correlation": round(strongest, 2)})] if strongest < ALOOF else []


def _patterns(sketcher: Sketcher, sketch: Sketch, own: Sequence[OwnSketch], attempt: IncomingSubmission) -> list[Flag]:
    """Flag patterns in a team's last submissions, once for each run of them."""
    if len(own) < OWN or own[0].attempts % OWN:
        return []
    found = []
    few = max(2, min(HANDFUL, sketcher.rows // 100))
    changed = _collect_sketches(own).count_changed_buckets(sketch)
    near = int(np.count_nonzero((changed > 0) & (changed <= 2 * few)))
    if near >= OWN - 2:
        found.append(Flag("probing", detail={"submissions": near}))
    if attempt.received_at - min(row.received_at for row in own) <= SPEED:
        found.append(Flag("machine_speed", detail={"submissions": OWN + 1}))
    return found


def list_flags(
    database: Database, slug: str, *, offset: int = 0, limit: int = 100, dismissed: bool = False
) -> tuple[list[NamedFlag], int]:
    """List flags, newest first, and count all of them. ``dismissed``: include those that were dismissed."""
    with database.reading() as connection:
        competitions.get(connection, slug)
        return sql.list_flags(connection, slug, offset=offset, limit=limit, dismissed=dismissed)


def count_flags(database: Database, slug: str, *, offset: int = 0, limit: int = 100) -> tuple[list[FlagCountBody], int]:
    """Count the open flags of each kind and team, the largest number first, and how many such counts there are."""
    with database.reading() as connection:
        competitions.get(connection, slug)
        found = sql.count_by_team(connection, slug, offset=offset, limit=limit)
        return found, sql.count_flagged(connection, slug)


def dismiss_flag(database: Database, slug: str, flag_id: str) -> None:
    """Dismiss a flag; raises `NotFoundError`."""
    with database.transaction() as connection:
        if not sql.dismiss(connection, slug, flag_id, database.now(connection)):
            raise NotFoundError(f"{slug} has no flag {flag_id!r}")


def dismiss_flags(database: Database, slug: str, *, team: str, kind: str) -> None:
    """Dismiss all flags of one kind that a team has."""
    with database.transaction() as connection:
        sql.dismiss_all(connection, slug, team_key=name_key(team), kind=kind, now=database.now(connection))
