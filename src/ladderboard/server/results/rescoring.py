"""A corrected solution or metric: what would change, and the one publication of it.

All attempts are judged again in their order with the corrected labels and the same noise. The old releases stay in the
database and in the ledger; the new ones are told once, and the meter counts them beside the old.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from ladderboard.competition import (
    Competition,
    find_changes,
    rules_from_json,
    rules_to_json,
    solution_digest,
)
from ladderboard.core.errors import ConflictError
from ladderboard.core.ledger import canonical, seal
from ladderboard.core.records import Release, State
from ladderboard.core.words import pluralise
from ladderboard.mechanisms.rungs import RungBoard
from ladderboard.server.competitions.live_competition import BOARD, LiveCompetition
from ladderboard.server.competitions.opening import CORRECTABLE, commitment_opening, keep_solution, read_kept
from ladderboard.server.competitions.records import CompetitionRecord
from ladderboard.server.competitions.schedule import advance
from ladderboard.server.competitions.stored_folders import NewFolder
from ladderboard.server.db.database import Connection
from ladderboard.server.db.rows import competitions
from ladderboard.server.db.rows.instances import LATE
from ladderboard.server.lifecycle import record
from ladderboard.server.results import sql
from ladderboard.server.results.corrected_folders import keep_rules, keep_split, put_folder
from ladderboard.server.results.records import RescoringBody, TeamChangeBody
from ladderboard.server.results.rejudging import BestEntry, Rejudging
from ladderboard.server.services import Services
from ladderboard.server.submissions.memories import Memory
from ladderboard.server.submissions.recording import NO_ENTRY, places_of

TRIES_BESIDE = 3
"""How often what happened meanwhile is judged beside the running competition; then it waits for us."""


def preview_rescoring(services: Services, slug: str, corrected: Competition) -> RescoringBody:
    """What publishing the corrected competition would change; nothing is stored."""
    with services.database.reading() as connection:
        row = competitions.read_competition(connection, slug)
        served = _find_served(services, row)
        corrected = _keep(row, served, corrected)
        _refuse(row, served, corrected)
        again = Rejudging(_live(services, row, corrected))
        again.follow(connection, until=row.ledger_length)
        return _describe_rescoring(connection, row, again)


def publish_rescoring(services: Services, slug: str, corrected: Competition) -> RescoringBody:
    """Score all submissions again and publish the result with the corrected solution, in one transaction.

    Submissions that arrive meanwhile are judged too. Where the competition was finalized, the private board of the new
    version is computed at the end. Other server processes read the corrected solution from the store.
    """
    with services.database.reading() as connection:
        row = competitions.read_competition(connection, slug)
        served = _find_served(services, row)
        corrected = _keep(row, served, corrected)
        _refuse(row, served, corrected)
        again = Rejudging(_live(services, row, corrected))
    base, kept = row.folder, put_folder(services, row, corrected)
    for left in range(TRIES_BESIDE, -1, -1):
        with services.database.reading() as connection:
            again.follow(connection, until=competitions.read_competition(connection, slug).ledger_length)
        with services.database.transaction() as connection:
            row = competitions.hold(connection, slug)
            if kept is not None and row.folder != base:
                raise ConflictError(f"{slug}: its files were changed meanwhile; preview this correction again")
            if row.scoring_version + 1 != again.live.scoring_version:
                raise ConflictError(f"{slug}: another correction was published meanwhile; preview this one again")
            _refuse(row, served, corrected)
            if row.ledger_length != again.seq:
                if left:
                    continue
                again.follow(connection, until=row.ledger_length)
            found = _describe_rescoring(connection, row, again)
            _write(connection, services, row, again, found, folder=kept)
            break
    services.serve([again.live])
    services.follow_folder(slug, None if kept is None else kept.digest)
    services.unpublished.discard(slug)
    advance(services, slug)  # where it was finalized, the private board of this version is due
    return found


def _live(services: Services, row: CompetitionRecord, corrected: Competition) -> LiveCompetition:
    return LiveCompetition(corrected, row.secret, services.files, row.scoring_version + 1)


def _find_served(services: Services, row: CompetitionRecord) -> Competition:
    """The competition with the solution that counts."""
    live = services.competitions.get(row.slug)
    if live is not None and live.scoring_version == row.scoring_version:
        return live.competition
    if row.solution_file is None:
        raise ConflictError(
            f"{row.slug}: only an older version has served this competition. Start `ladderboard serve` once with the "
            "folder as it was, so that the database keeps the solution to compare with; then correct it"
        )
    return read_kept(services.files, row).competition


def _keep(row: CompetitionRecord, served: Competition, corrected: Competition) -> Competition:
    corrected = keep_rules(row, corrected)
    # A folder that the database keeps is read again with the split that it writes out.
    return keep_split(served, corrected) if row.folder is None else corrected


def _refuse(row: CompetitionRecord, served: Competition, corrected: Competition) -> None:
    """Raise where it is no correction: the same solution, another task, or other public rows."""
    if corrected.slug != row.slug:
        raise ConflictError(f"the folder is of {corrected.slug!r}, the correction is for {row.slug!r}")
    if solution_digest(corrected) == row.solution_digest:
        raise ConflictError(f"{row.slug}: the solution is the one that is being served; there is nothing to correct")
    found = find_changes(rules_from_json(row.rules), corrected.rules)
    refused = [one.sentence for one in found if not one.allowed and one.key not in CORRECTABLE]
    if refused:
        raise ConflictError(f"{row.slug}: {'; '.join(refused)}")
    _refuse_other_rows(served, corrected)


def _refuse_other_rows(served: Competition, corrected: Competition) -> None:
    old, new = served.solution, corrected.solution
    if not np.array_equal(old.ids, new.ids):
        raise ConflictError("the corrected solution has other ids; submissions were made for the old ones")
    moved = int(np.sum((old.usage != new.usage) & (new.usage != "Ignored")))
    if moved:
        raise ConflictError(
            pluralise("{n} row", "{n} rows", moved) + " would change sides between public and private; a "
            "correction may change labels and set rows to Ignored"
        )


def _describe_rescoring(connection: Connection, row: CompetitionRecord, again: Rejudging) -> RescoringBody:
    before = sql.read_releases(connection, row.slug)
    after = {name: _plain(one.release) for name, one in again.attempts.items()}
    teams = sql.list_teams(connection, row.slug)
    old = {team.id: team.board_order for team in teams if team.kind == "team" and team.status == "active"}
    places = _places(again)
    new = {team_id: places.get(team_id, BestEntry()).entry.board_order for team_id in old}
    return RescoringBody(
        scoring_version=row.scoring_version + 1,
        submissions=len(after),
        releases_changed=sum(before[name] != release for name, release in after.items()),
        acceptances_changed=sum(before[name]["accepted"] != release["accepted"] for name, release in after.items()),
        bits_told=sum(_bits(again).values()),
        teams=[
            TeamChangeBody(
                team=team.name,
                kind=team.kind,
                value_before=team.board_value,
                value_after=places.get(team.id, BestEntry()).entry.board_value,
                rank_before=_rank(old, team.id),
                rank_after=_rank(new, team.id),
            )
            for team in teams
            if team.status == "active" and team.attempts > 0
        ],
    )


def _write(
    connection: Connection,
    services: Services,
    row: CompetitionRecord,
    again: Rejudging,
    found: RescoringBody,
    *,
    folder: NewFolder | None,
) -> None:
    now = services.database.now(connection)
    sql.replace_releases(
        connection,
        row.slug,
        [
            {
                "submission": one.submission_id,
                "new_release": one.release.to_dict(),
                "is_accepted": one.release.accepted,
                "is_improved": one.release.improved,
                "new_value": one.release.board_value,
            }
            for one in again.attempts.values()
        ],
        old_version=row.scoring_version,
        new_version=found.scoring_version,
    )
    sql.replace_fingerprints(connection, {name: one.fingerprint for name, one in again.attempts.items()})
    bits, memories = _bits(again), _replace_incumbents(connection, row.slug, again)
    sql.replace_states(connection, row.slug, {key: (memory.to_json(), bits[key]) for key, memory in memories.items()})
    sql.replace_places(connection, [_place(team_id, one) for team_id, one in _places(again).items()])
    sql.forget_answers(connection, row.slug)
    if folder is not None:
        competitions.change_competition(connection, row.slug, folder=services.folders.record(connection, folder, now))
    _enter(connection, row, again, found, now=now)


def _enter(
    connection: Connection, row: CompetitionRecord, again: Rejudging, found: RescoringBody, *, now: datetime
) -> None:
    live = again.live
    commitment = seal(row.commitment_salt, commitment_opening(live.competition, live.secret))
    told = row.bits + found.bits_told
    limit = live.rules.limits.leakage_bits
    is_spent = limit is not None and told >= limit and row.spent_at is None
    releases = [[one.submission_id, _plain(one.release)] for one in again.attempts.values()]
    record(
        connection,
        live,
        "rescored",
        now,
        body={
            "scoring_version": found.scoring_version,
            "commitment": commitment,
            "old_commitment": row.commitment,
            "submissions": found.submissions,
            "releases_changed": found.releases_changed,
            "bits": round(told, 1),
        },
        opening={
            "releases": hashlib.sha256(canonical(releases)).hexdigest(),
            "old_solution": row.solution_digest,
            "old_file": row.solution_file,
            "solution": solution_digest(live.competition),
        },
        salt=row.commitment_salt,
        rules=rules_to_json(live.rules),
        solution_digest=solution_digest(live.competition),
        solution_file=keep_solution(connection, live.files, live.competition, now),
        commitment=commitment,
        scoring_version=found.scoring_version,
        bits=told,
    )
    if is_spent:
        record(connection, live, "spent", now, body={"bits": round(told, 1), "limit": limit}, spent_at=now)


def _replace_incumbents(connection: Connection, slug: str, again: Rejudging) -> dict[str, Memory]:
    """The memories; an incumbent that stayed with a merged team becomes its equal in the team that took it in."""
    rows = sql.list_owners(connection, slug)
    owner = {one.id: one.team_id for one in rows}
    equal = {(one.team_id, one.phase, again.attempts[one.id].fingerprint): one.id for one in rows}
    found: dict[str, Memory] = {}
    for key, memory in again.memories.by_key.items():
        found[key] = memory
        if isinstance(memory, State) and owner.get(memory.incumbent, key) != key.removesuffix(LATE):
            one = again.attempts[memory.incumbent]
            twin = equal.get((key.removesuffix(LATE), one.entry_kind, one.fingerprint), memory.incumbent)
            found[key] = replace(memory, incumbent=twin)
    return found


def _places(again: Rejudging) -> dict[str, BestEntry]:
    """Team → its place; where ranks are the instances, from the rungs."""
    board = again.memories.by_key.get(BOARD)
    if not isinstance(board, RungBoard):
        return again.teams
    rungs = places_of(board)
    found = {}
    for team_id, team in again.teams.items():
        found[team_id] = replace(team, entry=rungs.get(team_id, NO_ENTRY))
    return found


def _place(team_id: str, one: BestEntry) -> dict[str, Any]:
    return {
        "team": team_id,
        "new_accepts": one.accepts,
        **one.entry._asdict(),
        "improvement": one.last_improvement,
        "improved_at": one.last_improved_at,
    }


def _bits(again: Rejudging) -> dict[str, float]:
    return {key: again.live.leakage(memory).bits or 0.0 for key, memory in again.memories.by_key.items()}


def _rank(orders: Mapping[str, float | None], team_id: str) -> int | None:
    mine = orders.get(team_id)
    return None if mine is None else 1 + sum(one is not None and one < mine for one in orders.values())


def _plain(release: Release) -> dict[str, Any]:
    """As it is read from the database: lists for pairs."""
    found = release.to_dict()
    return {**found, "interval": None if release.interval is None else list(release.interval)}
