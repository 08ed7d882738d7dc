"""The one transaction of an attempt: submission, release, memory, quota, board, ledger and stored answer."""

from datetime import datetime
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from ladderboard.core.errors import UnavailableError
from ladderboard.core.ledger import Entry
from ladderboard.core.words import translatable
from ladderboard.hosting.boards import standings
from ladderboard.hosting.live_competition import BOARD, LiveCompetition
from ladderboard.hosting.submissions.eligibility import refuse
from ladderboard.hosting.submissions.idempotency import answered_before, as_stored, keep
from ladderboard.hosting.submissions.incoming import Answer, ParsedSubmission
from ladderboard.hosting.submissions.judging import Judgement
from ladderboard.hosting.submissions.quota import Quota, quota_of
from ladderboard.hosting.webhooks import events
from ladderboard.mechanisms.rungs import RungBoard
from ladderboard.store import attempts, flags, ledger, sketches
from ladderboard.store.prepared import Found, Prepared
from ladderboard.store.records import CompetitionRecord
from ladderboard.store.schema import competitions, submissions, teams
from ladderboard.store.standings import Version

CORRECTED = translatable(
    "a corrected solution was published and this server process has not read it yet; try again in a minute. The "
    "organiser: put the corrected folder in the place of the old one, or start the server with it"
)


def refuse_outdated(live: LiveCompetition, competition: CompetitionRecord | attempts.CompetitionCounters) -> None:
    """Raise where this process still has the solution that was corrected: what it would score counts no more."""
    if competition.scoring_version != live.scoring_version:
        raise UnavailableError(CORRECTED)


def record(
    connection: Connection, live: LiveCompetition, scored: ParsedSubmission, judgement: Judgement, *, now: datetime
) -> Answer:
    """Write an attempt and return its answer.

    Everything that was checked before judging is checked again here, where nothing can change any more. Raises
    `StateMovedError` where the attempt must be judged again.
    """
    attempt = scored.attempt
    competition = attempts.hold_running(connection, live.slug)
    position = attempts.read_position(
        connection,
        live.slug,
        judgement.key,
        attempt.team_id,
        competition=competition,
        phase=scored.phase,
        fingerprint=scored.fingerprint,
        request_key=attempt.idempotency_key,
    )
    answered = answered_before(connection, live, attempt, position, phase=scored.phase)
    if answered is not None:
        if position.stored is None:
            keep(connection, attempt, answered, now)
        return answered
    refuse(live, position, attempt, scored.phase)
    refuse_outdated(live, competition)
    if competition.noise_epoch != judgement.epoch:
        raise attempts.StateMovedError

    bits = live.leakage(judgement.after).bits or 0.0
    attempts.spend(
        connection, live.slug, judgement.key, turn=judgement.turn, state=judgement.after.to_json(), bits=bits
    )
    number = competition.last_number + 1
    live.files.record(connection, scored.file_digest, attempt.content, now)
    _insert_submission(connection, live, scored, judgement, number=number, now=now)
    _keep_observation(connection, live, scored, judgement, now=now)
    team = _update_teams(connection, live, scored, judgement, position.team, number=number, now=now)
    told = bits - position.bits
    spent = _spent(live, competition, judgement, told)
    if spent is not None:
        ledger.append(connection, live.slug, kind="spent", at=now, body=spent)
        events.enqueue(connection, live, "spent", now=now)
        competition = attempts.hold_running(connection, live.slug)
    entry = _enter_in_ledger(
        connection, live, scored, judgement, position.team, competition=competition, number=number, now=now
    )
    _update_competition(connection, competition, entry, number=number, told=told, spent_at=now if spent else None)
    version = Version(competition.board_version + 1, entry.hash)
    old = Version(competition.board_version, competition.ledger_head)
    standings.follow(live, old, version, before=position.team, after=team)
    events.enqueue(connection, live, "submission", now=now, team_id=attempt.team_id, number=number)
    answer = _answer(connection, live, scored, judgement, team, version=version, number=number)
    keep(connection, attempt, answer, now)
    return answer


def _insert_submission(
    connection: Connection,
    live: LiveCompetition,
    scored: ParsedSubmission,
    judgement: Judgement,
    *,
    number: int,
    now: datetime,
) -> None:
    attempt, release = scored.attempt, judgement.release
    _INSERT_SUBMISSION.run(
        connection,
        {
            "id": judgement.submission_id,
            "competition": live.slug,
            "team_id": attempt.team_id,
            "account_id": attempt.account_id,
            "number": number,
            "attempt": release.attempt,
            "noise_epoch": judgement.epoch,
            "phase": scored.phase,
            "received_at": attempt.received_at,
            "scored_at": now,
            "file_digest": scored.file_digest,
            "file_name": attempt.file_name,
            "file_size": len(attempt.content),
            "note": attempt.note,
            "training_score": attempt.training_score,
            "fingerprint": scored.fingerprint,
            "sketch": scored.observation.sketch,
            "release": release.to_dict(),
            "scoring_version": live.scoring_version,
            "accepted": release.accepted,
            "improved": release.improved,
            "board_value": release.board_value,
        },
    )


def _keep_observation(
    connection: Connection, live: LiveCompetition, scored: ParsedSubmission, judgement: Judgement, *, now: datetime
) -> None:
    observation, name = scored.observation, judgement.submission_id
    sketches.add_bands(connection, live.slug, name, observation.bands)
    if scored.phase != "baseline":
        team_id = scored.attempt.team_id
        flags.add(connection, live.slug, observation.flags, team_id=team_id, submission_id=name, now=now)


def _update_teams(
    connection: Connection,
    live: LiveCompetition,
    scored: ParsedSubmission,
    judgement: Judgement,
    team: Found,
    *,
    number: int,
    now: datetime,
) -> Any:
    """Change the team's row, and where ranks are the instances those of others; returns the team as it is now."""
    release = judgement.release
    values: dict[str, Any] = {"last_submitted_at": scored.attempt.received_at}
    if scored.phase != "baseline":
        used = quota_of(live, team, scored.attempt.received_at)
        values |= {"quota_day": used.day, "quota_used": used.used_today + 1}
    if scored.phase != "late":
        # Late entries stand apart: they use the day's quota and change nothing on the board.
        values |= {"attempts": team.attempts + 1, "accepts": team.accepts + release.accepted}
        if release.accepted:
            values |= {"last_improvement": number, "last_improved_at": now}
        if not isinstance(judgement.after, RungBoard) and release.board_value is not None:
            values |= {"board_value": release.board_value, "board_order": live.yardstick.loss(release.board_value)}
    _CHANGE_TEAM.run(connection, {"team": team.id, **values})
    if isinstance(judgement.after, RungBoard) and scored.phase == "live":
        update_rungs(connection, judgement.before, judgement.after)
        return connection.execute(_TEAM, {"team": team.id}).one()
    return SimpleNamespace(**team._asdict() | values)


def update_rungs(connection: Connection, before: Any, after: RungBoard) -> None:
    """Write the places that changed: at most as many as there are rungs."""
    old, new = places_of(before), places_of(after)
    for team_id in sorted(set(old) | set(new)):
        place = new.get(team_id, (None, None))
        if old.get(team_id) != place:
            connection.execute(
                update(teams).where(teams.c.id == team_id).values(board_order=place[0], board_value=place[1])
            )


def places_of(board: RungBoard) -> dict[str, tuple[float | None, float | None]]:
    """Team → (rung, value); neighbours with equal values share the upper rung."""
    places: dict[str, tuple[float | None, float | None]] = {}
    shared, last = 0.0, None
    for index, rung in enumerate(board.rungs):
        if rung.team is None:
            continue
        shared = shared if rung.state.released == last and places else float(index)
        last = rung.state.released
        places[rung.team] = (shared, last)
    return places


def _spent(
    live: LiveCompetition, competition: attempts.CompetitionCounters, judgement: Judgement, told: float
) -> dict[str, Any] | None:
    """What the ledger says where this attempt was the last that the holdout could bear."""
    if competition.spent_at is not None:
        return None
    bits, limit = competition.bits + told, live.rules.limits.leakage_bits
    if limit is not None and bits >= limit:
        return {"bits": round(bits, 1), "limit": limit}
    # A team's own budget is that team's affair: it is told so, and the others go on.
    if judgement.key == BOARD and live.is_spent(judgement.after):
        return {"budget": live.mechanism.name}
    return None


def _enter_in_ledger(
    connection: Connection,
    live: LiveCompetition,
    scored: ParsedSubmission,
    judgement: Judgement,
    team: Found,
    *,
    competition: attempts.CompetitionCounters,
    number: int,
    now: datetime,
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
            "phase": scored.phase,
            "received_at": scored.attempt.received_at.isoformat(),
            "scoring_version": live.scoring_version,
        },
        opening={
            "file": scored.file_digest,
            "predictions": scored.fingerprint,
            "training_score": scored.attempt.training_score,
            "instance": judgement.key,
            "epoch": judgement.epoch,
            "release": judgement.release.to_dict(),
        },
        salt=team.salt,
        team_id=team.id,
    )


def _update_competition(
    connection: Connection,
    competition: attempts.CompetitionCounters,
    entry: Entry,
    *,
    number: int,
    told: float,
    spent_at: datetime | None,
) -> None:
    values: dict[str, Any] = {
        "last_number": number,
        "bits": competition.bits + told,
        "board_version": competition.board_version + 1,
        "ledger_length": entry.seq,
        "ledger_head": entry.hash,
    }
    if spent_at is not None:
        values["spent_at"] = spent_at
    _CHANGE_COMPETITION.run(connection, {"changed": competition.slug, **values})


def _answer(
    connection: Connection,
    live: LiveCompetition,
    scored: ParsedSubmission,
    judgement: Judgement,
    team: Any,
    *,
    version: Version,
    number: int,
) -> Answer:
    quota: Quota = quota_of(live, team, scored.attempt.received_at)
    place = standings.place_of_attempt(connection, live, team, scored.phase, version=version, number=number)
    content = {
        "id": judgement.submission_id,
        "status": "scored",
        "duplicate": False,
        "phase": scored.phase,
        "release": judgement.release.to_dict(),
        **place.to_dict(),
        "quota": quota.to_dict(),
    }
    return Answer(201, as_stored(content))


_TEAM = select(teams).where(teams.c.id == bindparam("team"))
_INSERT_SUBMISSION = Prepared(insert(submissions))
_CHANGE_TEAM = Prepared(update(teams).where(teams.c.id == bindparam("team")))
_CHANGE_COMPETITION = Prepared(update(competitions).where(competitions.c.slug == bindparam("changed")))
"""Built once: building a statement takes longer than running it. What changes is what the parameters name."""
