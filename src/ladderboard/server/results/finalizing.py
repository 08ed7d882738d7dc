"""The end of a competition: the private board computed once, shown to the organiser first, to all after the reveal."""

from dataclasses import dataclass, replace
from datetime import datetime

from ladderboard.core.errors import ConflictError, NotFoundError
from ladderboard.metrics.answer_key import AnswerKey
from ladderboard.server.boards.standings import NOWHERE, Ranks
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.records import CompetitionRecord
from ladderboard.server.db.database import Connection
from ladderboard.server.db.rows import competitions, results
from ladderboard.server.jobs.queue import refuse_while_queued
from ladderboard.server.lifecycle import GRACE, find_closing_time, is_closed, record
from ladderboard.server.results import sql
from ladderboard.server.results.finals import list_finals
from ladderboard.server.results.private_board import Competitor, PrivateBoard, private_board
from ladderboard.server.results.private_scores import Final, score_finals
from ladderboard.server.results.records import PrivateResultRecord, PrivateStandingBody
from ladderboard.server.results.steps import Steps, finish
from ladderboard.server.services import Services
from ladderboard.server.submissions.recording import refuse_outdated
from ladderboard.server.submissions.records import RankRangeBody

ONLY_PUBLIC = (
    "This competition has no private rows: the public board is final. Its numbers are releases of the mechanism, and "
    "the ranges are the plausible ones."
)


@dataclass(frozen=True)
class FinalField:
    """The teams and picks at one moment. ``ledger_length`` shows whether anything happened since."""

    ledger_length: int
    competitors: tuple[Competitor, ...]
    finals: tuple[Final, ...]
    rows: tuple[PrivateStandingBody, ...]
    """The public board, for competitions without private rows."""


def preview(services: Services, slug: str) -> PrivateBoard:
    """The private board as it would be now; for the organiser, nothing is stored."""
    return finish(preview_in_steps(services, slug))


def preview_in_steps(services: Services, slug: str) -> Steps[PrivateBoard]:
    """As `preview`, in steps: whoever no longer waits stops taking them."""
    live = services.follow_correction(slug)
    with services.database.reading() as connection:
        refuse_outdated(live, competitions.read_competition(connection, slug))
        field = _read_field(connection, live)
    return (yield from _board(services, live, field))


def finalize(services: Services, slug: str, *, at_once: bool = False, by: str = "organiser") -> PrivateBoard:
    """Compute the private board of a closed competition and store it. Picks cannot be changed any more.

    ``at_once`` does not wait until everything that arrived in time must have been scored. Safe to call from several
    processes: one of them stores, the others raise `ConflictError`.
    """
    return finish(finalize_in_steps(services, slug, at_once=at_once, by=by))


def finalize_in_steps(
    services: Services, slug: str, *, at_once: bool = False, by: str = "organiser"
) -> Steps[PrivateBoard]:
    """As `finalize`, in steps: whoever stops taking them before the last has stored nothing."""
    while True:
        services.follow_correction(slug)
        with services.database.reading() as connection:
            row, now = competitions.read_competition(connection, slug), services.database.now(connection)
            live = services.follow_rules(slug, row.rules)
            refuse_finalizing(connection, live, row, now, at_once=at_once)
            field = _read_field(connection, live)
        board = yield from _board(services, live, field)
        with services.database.transaction() as connection:
            row, now = competitions.hold(connection, slug), services.database.now(connection)
            live = services.follow_rules(slug, row.rules)
            refuse_finalizing(connection, live, row, now, at_once=at_once)
            if row.ledger_length != field.ledger_length:
                continue  # a last submission, a pick, a team that left: computed again, with it
            store(connection, live, row, board, now, by=by)
        return board


def store(
    connection: Connection,
    live: LiveCompetition,
    row: CompetitionRecord,
    board: PrivateBoard,
    now: datetime,
    *,
    by: str,
) -> None:
    """Write a private board and its entry in the ledger, in the caller's transaction."""
    result = board.to_dict()
    results.add_result(connection, live.slug, scoring_version=row.scoring_version, result=result, now=now)
    record(
        connection,
        live,
        "finalized",
        now,
        body={"by": by, "scoring_version": row.scoring_version, "rows": len(board.rows)},
        # Sealed: a short list of scores could be guessed from a plain hash.
        opening={"result": results.compute_digest(result)},
        salt=row.commitment_salt,
        finalized_at=now,
    )


def refuse_finalizing(
    connection: Connection, live: LiveCompetition, row: CompetitionRecord, now: datetime, *, at_once: bool
) -> None:
    """Raise `ConflictError` if the competition cannot be finalized now."""
    refuse_outdated(live, row)
    if row.finalized_at is not None and not results.is_outdated(connection, live.slug, row.scoring_version):
        raise ConflictError(f"{live.slug} was finalized at {row.finalized_at.isoformat()}")
    if not is_closed(live.rules, row, now):
        raise ConflictError(f"{live.slug} is not closed; freeze it first, or wait for its deadline")
    refuse_while_queued(connection, live.slug)
    closed = find_closing_time(live.rules, row)
    assert closed is not None
    if not at_once and now < closed + GRACE:
        raise ConflictError(
            "submissions that arrived in time may still be in progress; finalize after "
            f"{(closed + GRACE).isoformat()}, or do not wait (--at-once) if nobody is submitting any more"
        )


def find_board(connection: Connection, slug: str, *, sees_all: bool) -> PrivateResultRecord:
    """Find the private board as it was stored; before the reveal for organisers alone."""
    is_hidden = competitions.read_competition(connection, slug).revealed_at is None and not sees_all
    found = None if is_hidden else results.find_result(connection, slug)
    if found is None:
        raise NotFoundError("the private board is not revealed; until then there is only the public one")
    return found


def read_board(services: Services, slug: str, *, sees_all: bool) -> PrivateResultRecord:
    """Read the private board as it was stored; raises `NotFoundError` before the reveal, but for organisers."""
    with services.database.reading() as connection:
        return find_board(connection, slug, sees_all=sees_all)


def _read_field(connection: Connection, live: LiveCompetition) -> FinalField:
    length = competitions.read_competition(connection, live.slug).ledger_length
    ranks = Ranks.read(connection, live)
    competitors, finals, rows = [], [], []
    teams = sql.list_competitors(connection, live.slug)
    for team, chosen in zip(teams, list_finals(connection, live, teams), strict=True):
        is_team = team.kind == "team"
        if not chosen.submissions:
            continue
        place, is_tied = NOWHERE, False
        if is_team and team.board_order is not None and team.board_value is not None:
            place = ranks.place(team.board_order, team.board_value, team.standard_error)
            is_tied = ranks.is_tied(team.board_order)
        one = Competitor(team.id, team.name, team.kind, place.rank, team.board_value, chosen.are_picked)
        competitors.append(one)
        finals += [Final(team.id, row.id, row.number, row.stored, is_team, row.file_size) for row in chosen.submissions]
        rows.append(_public_row(one, place.rank_range, is_tied=is_tied))
    return FinalField(length, tuple(competitors), tuple(finals), tuple(rows))


def _board(services: Services, live: LiveCompetition, field: FinalField) -> Steps[PrivateBoard]:
    key: AnswerKey | None = live.competition.private
    if key is None:
        return _public_is_final(live, field)
    folder = services.settings.data if services.settings.data.is_dir() else None
    scores = yield from score_finals(live, key, field.finals, folder=folder)
    return (yield from private_board(scores, field.competitors, key.yardstick))


def _public_is_final(live: LiveCompetition, field: FinalField) -> PrivateBoard:
    yardstick = live.yardstick
    return PrivateBoard(
        has_private_rows=False,
        metric=yardstick.metric,
        lower_is_better=yardstick.lower_is_better,
        units=yardstick.units,
        confidence=0.95,
        rows=tuple(
            replace(row, could_be_best=row.rank_range is not None and row.rank_range.best == 1) for row in field.rows
        ),
        luck=None,
        statement=ONLY_PUBLIC,
    )


def _public_row(one: Competitor, rank_range: RankRangeBody | None, *, is_tied: bool) -> PrivateStandingBody:
    return PrivateStandingBody(
        team=one.name,
        kind=one.kind,
        rank=one.public_rank,
        rank_range=rank_range,
        group=None,
        value=one.public_value,
        is_tied=is_tied,
        could_be_best=False,
        submission=None,
        public_rank=one.public_rank,
        public_value=one.public_value,
        moved=None if one.public_rank is None else 0,
        finals_are_picked=one.finals_are_picked,
    )
