"""The one transaction of a submission: record, release, state, quota, board, ledger and stored answer."""

from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from ladderboard.core.errors import ConflictError, UnavailableError
from ladderboard.core.ledger import Entry
from ladderboard.mechanisms.rungs import RungBoard, find_state
from ladderboard.server.competitions.live_competition import BOARD, LiveCompetition
from ladderboard.server.competitions.records import CompetitionDates
from ladderboard.server.db.database import Connection
from ladderboard.server.db.rows import competitions, instances, ledger, teams
from ladderboard.server.jobs import queue
from ladderboard.server.jobs.records import JobRecord
from ladderboard.server.moderation.rules import record_observation
from ladderboard.server.submissions.eligibility import compute_quota, refuse_ineligible
from ladderboard.server.submissions.idempotency import build_answer, find_earlier_answer, keep
from ladderboard.server.submissions.memories import Judgement
from ladderboard.server.submissions.outcomes import describe_submission
from ladderboard.server.submissions.records import (
    Answer,
    AttemptContext,
    CompetitionCounters,
    ParsedSubmission,
    SubmissionRecord,
)
from ladderboard.server.submissions.sql import attempts
from ladderboard.server.teams.records import TeamRecord
from ladderboard.server.webhooks import events

CORRECTED = "a corrected solution was published a moment ago; try again"


class OutdatedSolutionError(UnavailableError):
    """A solution that was corrected meanwhile; `Services.follow_correction` reads the one that counts."""


class BoardEntry(NamedTuple):
    """The numbers of a team on the board, by the names of their columns; ``board_order`` is what ranks count by."""

    board_order: float | None
    board_value: float | None
    standard_error: float | None


NO_ENTRY = BoardEntry(None, None, None)


def refuse_outdated(live: LiveCompetition, competition: CompetitionDates | CompetitionCounters) -> None:
    """Raise where this process still has the solution that was corrected: what it would score counts no more."""
    if competition.scoring_version != live.scoring_version:
        raise OutdatedSolutionError(CORRECTED)


def record(
    connection: Connection,
    live: LiveCompetition,
    parsed: ParsedSubmission,
    judgement: Judgement,
    *,
    now: datetime,
    job: JobRecord | None = None,
) -> Answer:
    """Write a submission and return its answer; ``job``: it comes from the queue, where its attempt was counted.

    Everything that was checked before judging is checked again here, where nothing can change any more. Raises
    `StateMovedError` where the submission must be judged again.
    """
    incoming = parsed.incoming
    context = _read_held_context(connection, live, parsed, judgement)
    if job is not None:
        queue.hold_lease(connection, job)
    earlier = find_earlier_answer(connection, live, incoming, context, kind=parsed.kind)
    if earlier is not None and job is not None:
        raise ConflictError("the same predictions were scored in the meantime; this costs no attempt")
    if earlier is not None:
        if context.stored is None:
            keep(connection, incoming, earlier, now)
        return earlier
    refuse_ineligible(live, context, incoming, parsed.kind, has_attempt=job is not None)
    refuse_outdated(live, context.competition)
    if context.competition.noise_epoch != judgement.epoch:
        raise instances.StateMovedError
    team = _write(connection, live, parsed, judgement, context, now=now, job=job)
    outcome = describe_submission(
        connection,
        live,
        judgement.release,
        team=team,
        number=context.competition.last_number + 1,
        kind=parsed.kind,
        before=find_state(judgement.before, team.id),
    )
    answer = build_answer(
        connection,
        live,
        incoming,
        team,
        kind=parsed.kind,
        id=judgement.submission_id,
        release=judgement.release,
        outcome=outcome,
        is_duplicate=False,
    )
    keep(connection, incoming, answer, now)
    if job is not None:
        queue.finish(connection, job, answer, now)
    return answer


def _read_held_context(
    connection: Connection, live: LiveCompetition, parsed: ParsedSubmission, judgement: Judgement
) -> AttemptContext:
    return attempts.read_context(
        connection,
        live.slug,
        judgement.key,
        parsed.incoming.team_id,
        competition=competitions.hold_counters(connection, live.slug),
        entry_kind=parsed.kind,
        fingerprint=parsed.fingerprint,
        request_key=parsed.incoming.idempotency_key,
    )


def _write(
    connection: Connection,
    live: LiveCompetition,
    parsed: ParsedSubmission,
    judgement: Judgement,
    context: AttemptContext,
    *,
    now: datetime,
    job: JobRecord | None,
) -> TeamRecord:
    """Write everything but the answer; returns the team as it is then."""
    incoming, competition = parsed.incoming, context.competition
    bits = live.leakage(judgement.after).bits or 0.0
    instances.replace_state(
        connection,
        live.slug,
        judgement.key,
        state_version=judgement.state_version,
        state=judgement.after.to_json(),
        bits=bits,
    )
    live.files.record(connection, parsed.file_digest, incoming.content, now)
    if parsed.scores is not None:
        live.files.record(connection, parsed.scores.digest, parsed.scores.content, now)
    number = competition.last_number + 1
    attempts.add_submission(connection, _submission_record(live, parsed, judgement, number=number, now=now, job=job))
    flagged = None if parsed.kind == "baseline" else incoming.team_id
    record_observation(
        connection, live.slug, parsed.observation, submission_id=judgement.submission_id, flagged=flagged, now=now
    )
    team = _update_teams(connection, live, parsed, judgement, context.team, number=number, now=now, job=job)
    released_bits = competition.bits + bits - context.bits
    spent = _find_spent(live, competition, judgement, released_bits)
    if spent is not None:
        ledger.append(connection, live.slug, kind="spent", at=now, body=spent)
        events.enqueue(connection, live, "spent", now=now)
        competition = competitions.hold_counters(connection, live.slug)
    entry = _write_entry(
        connection, live, parsed, judgement, team, competition=competition, number=number, now=now, job=job
    )
    counters = {"last_number": number, "bits": released_bits, "board_version": competition.board_version + 1}
    head = {"ledger_length": entry.seq, "ledger_head": entry.hash}
    competitions.change_counters(connection, live.slug, counters | head | ({} if spent is None else {"spent_at": now}))
    events.enqueue(connection, live, "submission", now=now, team_id=incoming.team_id, number=number)
    return team


def _submission_record(
    live: LiveCompetition,
    parsed: ParsedSubmission,
    judgement: Judgement,
    *,
    number: int,
    now: datetime,
    job: JobRecord | None,
) -> SubmissionRecord:
    incoming, release = parsed.incoming, judgement.release
    return SubmissionRecord(
        id=judgement.submission_id,
        competition=live.slug,
        team_id=incoming.team_id,
        account_id=incoming.account_id,
        number=number,
        attempt=release.attempt,
        noise_epoch=judgement.epoch,
        phase=parsed.kind,
        received_at=incoming.received_at,
        scored_at=now,
        file_digest=parsed.file_digest,
        file_name=incoming.file_name,
        file_size=len(incoming.content),
        note=incoming.note,
        training_score=incoming.training_score,
        fingerprint=parsed.fingerprint,
        sketch=parsed.observation.sketch,
        release=release.to_dict(),
        scoring_version=live.scoring_version,
        accepted=release.accepted,
        improved=release.improved,
        board_value=release.board_value,
        picked_at=None,
        output_digest=None if job is None else job.output_digest,
        scores_digest=None if parsed.scores is None else parsed.scores.digest,
    )


def _update_teams(
    connection: Connection,
    live: LiveCompetition,
    parsed: ParsedSubmission,
    judgement: Judgement,
    team: TeamRecord,
    *,
    number: int,
    now: datetime,
    job: JobRecord | None,
) -> TeamRecord:
    """Change the team's row, and where ranks are the instances those of others; returns the team as it is then."""
    release, received_at = judgement.release, parsed.incoming.received_at
    values: dict[str, Any] = {"last_submitted_at": received_at}
    if parsed.kind != "baseline" and job is None:
        used = compute_quota(live, team, received_at)
        values |= {"quota_day": used.day, "quota_used": used.used_today + 1}
    if parsed.kind != "late":
        # Late entries stand apart: they use the day's quota and change nothing on the board.
        values |= {"attempts": team.attempts + 1, "accepts": team.accepts + release.accepted}
        if job is not None:
            values["queued"] = max(0, team.queued - 1)
        if release.accepted:
            values |= {"last_improvement": number, "last_improved_at": now}
        if not isinstance(judgement.after, RungBoard) and release.board_value is not None:
            order = live.yardstick.loss(release.board_value)
            values |= BoardEntry(order, release.board_value, release.standard_error)._asdict()
    teams.change(connection, team.id, **values)
    if isinstance(judgement.after, RungBoard) and parsed.kind == "live":
        update_rungs(connection, judgement.before, judgement.after)
        values |= places_of(judgement.after).get(team.id, NO_ENTRY)._asdict()
    return replace(team, **values)


def update_rungs(connection: Connection, before: Any, after: RungBoard) -> None:
    """Write the places that changed: at most as many as there are rungs."""
    old, new = places_of(before), places_of(after)
    for team_id in sorted(set(old) | set(new)):
        entry = new.get(team_id, NO_ENTRY)
        if old.get(team_id) != entry:
            teams.change(connection, team_id, **entry._asdict())


def places_of(board: RungBoard) -> dict[str, BoardEntry]:
    """Team → its entry, ordered by the rung; neighbours with equal values share the upper rung."""
    places: dict[str, BoardEntry] = {}
    shared, last = 0.0, None
    for index, rung in enumerate(board.rungs):
        if rung.team is None:
            continue
        shared = shared if rung.state.released == last and places else float(index)
        last = rung.state.released
        places[rung.team] = BoardEntry(shared, last, rung.state.standard_error)
    return places


def _find_spent(
    live: LiveCompetition, competition: CompetitionCounters, judgement: Judgement, bits: float
) -> dict[str, Any] | None:
    """Find the ledger entry to write if this submission used up the test set; else None."""
    if competition.spent_at is not None:
        return None
    limit = live.rules.limits.leakage_bits
    if limit is not None and bits >= limit:
        return {"bits": round(bits, 1), "limit": limit}
    # A team's own budget is that team's affair: it is told so, and the others go on.
    if judgement.key == BOARD and live.is_spent(judgement.after):
        return {"budget": live.mechanism.name}
    return None


def _write_entry(
    connection: Connection,
    live: LiveCompetition,
    parsed: ParsedSubmission,
    judgement: Judgement,
    team: TeamRecord,
    *,
    competition: CompetitionCounters,
    number: int,
    now: datetime,
    job: JobRecord | None,
) -> Entry:
    return ledger.insert_after(
        connection,
        live.slug,
        follows=(competition.ledger_length, competition.ledger_head),
        kind="submission",
        at=now,
        body={
            "submission": judgement.submission_id,
            "team": team.id,
            "number": number,
            "phase": parsed.kind,
            "received_at": parsed.incoming.received_at.isoformat(),
            "scoring_version": live.scoring_version,
        },
        opening={
            "file": parsed.file_digest,
            **({} if job is None or job.output_digest is None else {"output": job.output_digest}),
            **({} if parsed.scores is None else {"scores": parsed.scores.digest}),
            "predictions": parsed.fingerprint,
            "training_score": parsed.incoming.training_score,
            "instance": judgement.key,
            "epoch": judgement.epoch,
            "release": judgement.release.to_dict(),
        },
        salt=team.salt,
        team_id=team.id,
    )
