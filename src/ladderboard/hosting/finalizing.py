"""The end of a competition: the private board computed once, shown to the organiser first, to all after the reveal."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from ladderboard.errors import ConflictError, NotFoundError
from ladderboard.hosting.finals import finals_of
from ladderboard.hosting.host import Host
from ladderboard.hosting.hosted import Hosted
from ladderboard.hosting.lifecycle import GRACE, closing_time, is_closed, record
from ladderboard.hosting.private_board import Competitor, PrivateBoard, PrivateRow, private_board
from ladderboard.hosting.private_scores import Final, score_finals
from ladderboard.hosting.recording import refuse_outdated
from ladderboard.hosting.standings import NOWHERE, Ranks
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.store import results, turns
from ladderboard.words import said

ONLY_PUBLIC = said(
    "This competition has no private rows: the public board is final. Its numbers are releases of the mechanism, and "
    "the ranges are the plausible ones."
)


@dataclass(frozen=True)
class Field:
    """Who takes part in the end, read at one moment. ``ledger_length`` tells whether anything happened since."""

    ledger_length: int
    competitors: tuple[Competitor, ...]
    finals: tuple[Final, ...]
    rows: tuple[PrivateRow, ...]
    """The public board, for competitions without private rows."""


def preview(host: Host, slug: str) -> PrivateBoard:
    """The private board as it would be now; for the organiser, nothing is stored."""
    hosted = host.hosted(slug)
    with host.database.reading() as connection:
        refuse_outdated(hosted, _row(connection, slug))
        field = _read_field(connection, hosted)
    return _board(host, hosted, field)


def finalize(host: Host, slug: str, *, at_once: bool = False, by: str = "organiser") -> PrivateBoard:
    """Compute the private board of a closed competition and store it. Picks cannot be changed any more.

    ``at_once`` does not wait until everything that arrived in time must have been scored. Safe to call from several
    processes: one of them stores, the others raise `ConflictError`.
    """
    hosted = host.hosted(slug)
    while True:
        with host.database.reading() as connection:
            refuse_finalizing(hosted, _row(connection, slug), host.database.now(connection), at_once=at_once)
            field = _read_field(connection, hosted)
        board = _board(host, hosted, field)
        with host.database.transaction() as connection:
            row, now = turns.hold(connection, slug), host.database.now(connection)
            refuse_finalizing(hosted, row, now, at_once=at_once)
            if row.ledger_length != field.ledger_length:
                continue  # a last submission, a pick, a team that left: computed again, with it
            store(connection, hosted, row, board, now, by=by)
        return board


def store(
    connection: Connection, hosted: Hosted, row: Row[Any], board: PrivateBoard, now: datetime, *, by: str
) -> None:
    """Write a private board and its entry in the ledger, in the caller's transaction."""
    result = board.to_dict()
    results.store_result(connection, hosted.slug, scoring_version=row.scoring_version, result=result, now=now)
    record(
        connection,
        hosted,
        "finalized",
        now,
        body={"by": by, "scoring_version": row.scoring_version, "rows": len(board.rows)},
        # Sealed: a short list of scores could be guessed from a plain hash.
        opening={"result": results.digest_of(result)},
        salt=row.commitment_salt,
        finalized_at=now,
    )


def refuse_finalizing(hosted: Hosted, row: Row[Any], now: datetime, *, at_once: bool) -> None:
    """Raise where the end has not come or has been."""
    refuse_outdated(hosted, row)
    if row.finalized_at is not None:
        raise ConflictError(said("{slug} was finalized at {time}", slug=hosted.slug, time=row.finalized_at.isoformat()))
    if not is_closed(hosted.rules, row, now):
        raise ConflictError(said("{slug} is not closed; freeze it first, or wait for its deadline", slug=hosted.slug))
    closed = closing_time(hosted.rules, row)
    assert closed is not None
    if not at_once and now < closed + GRACE:
        raise ConflictError(
            said(
                "what arrived in time may still be being scored; finalize after {time}, or at once if nobody is "
                "submitting any more",
                time=(closed + GRACE).isoformat(),
            )
        )


def stored_board(connection: Connection, slug: str, *, sees_all: bool) -> results.StoredResult:
    """The private board as it was stored; before the reveal for organisers alone."""
    is_hidden = _row(connection, slug).revealed_at is None and not sees_all
    found = None if is_hidden else results.stored(connection, slug)
    if found is None:
        raise NotFoundError(said("the private board is not revealed; until then there is only the public one"))
    return found


def _row(connection: Connection, slug: str) -> Row[Any]:
    return results.competition_row(connection, slug)


def _read_field(connection: Connection, hosted: Hosted) -> Field:
    length = _row(connection, hosted.slug).ledger_length
    ranks = Ranks.read(connection, hosted)
    competitors, finals, rows = [], [], []
    for team in results.competitors(connection, hosted.slug):
        is_team = team.kind == "team"
        has_place = team.board_order is not None and is_team
        place = ranks.place(team.board_order, team.board_value) if has_place else NOWHERE
        chosen = finals_of(connection, hosted, team)
        if not chosen.submissions:
            continue
        one = Competitor(team.id, team.name, team.kind, place.rank, team.board_value, chosen.are_picked)
        competitors.append(one)
        finals += [Final(team.id, row.id, row.number, row.file_digest, is_team) for row in chosen.submissions]
        rows.append(_public_row(one, place.rank_range, is_tied=has_place and ranks.is_tied(team.board_order)))
    return Field(length, tuple(competitors), tuple(finals), tuple(rows))


def _board(host: Host, hosted: Hosted, field: Field) -> PrivateBoard:
    key: AnswerKey | None = hosted.competition.private
    if key is None:
        return _public_is_final(hosted, field)
    folder = host.settings.data if host.settings.data.is_dir() else None
    scores = score_finals(hosted, key, field.finals, folder=folder)
    return private_board(scores, field.competitors, key.yardstick)


def _public_is_final(hosted: Hosted, field: Field) -> PrivateBoard:
    yardstick = hosted.yardstick
    return PrivateBoard(
        has_private_rows=False,
        metric=yardstick.metric,
        lower_is_better=yardstick.lower_is_better,
        units=yardstick.units,
        confidence=0.95,
        rows=tuple(replace(row, could_be_best=(row.rank_range or {}).get("best") == 1) for row in field.rows),
        luck=None,
        statement=ONLY_PUBLIC,
    )


def _public_row(one: Competitor, rank_range: dict[str, int] | None, *, is_tied: bool) -> PrivateRow:
    return PrivateRow(
        team=one.name,
        kind=one.kind,
        rank=one.public_rank,
        rank_range=rank_range,
        group=None,
        value=one.public_value,
        is_tied=is_tied,
        could_be_best=False,
        public_rank=one.public_rank,
        public_value=one.public_value,
        moved=None if one.public_rank is None else 0,
        submission=None,
        finals_are_picked=one.finals_are_picked,
    )
