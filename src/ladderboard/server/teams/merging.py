"""Merging two teams: attempts, accepts and quota add up, the better incumbent stays.

A member of one team offers it with a merge code; a member of the other accepts. A merger gains nothing that one team
could not have had: the merged memory counts the attempts of both.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from ladderboard.core.errors import ConflictError, DeadlinePassedError
from ladderboard.core.records import State
from ladderboard.mechanisms.rungs import RungBoard
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Database
from ladderboard.server.db.rows import instances, teams
from ladderboard.server.jobs.queue import refuse_while_pending
from ladderboard.server.people.roles import Person
from ladderboard.server.submissions.eligibility import compute_quota
from ladderboard.server.submissions.memories import merge_rungs, merge_states
from ladderboard.server.submissions.recording import BoardEntry, update_rungs
from ladderboard.server.teams.invitations import find_invitation, refuse_too_many
from ladderboard.server.teams.records import TeamBody, TeamRecord
from ladderboard.server.teams.sql import invitations, members
from ladderboard.server.teams.teams import TeamTransaction, open_for_change, refuse_inactive


def merge(database: Database, live: LiveCompetition, person: Person, name: str, code: str) -> TeamBody:
    """Merge the team that ``code`` offers into the person's own team ``name``."""
    with open_for_change(database, live) as change:
        target = change.find_team(person, name, "change_team")
        invitation, source = find_invitation(change, code)
        _refuse(change, target, source, kind=invitation.kind)
        twins = members.move_submissions(change.connection, source=source.id, target=target.id)
        if live.is_ranked:
            _merge_on_the_board(change, target, source)
        else:
            _merge_memories(change, target, source, twins)
        _merge_rows(change, target, source)
        invitations.use(change.connection, invitation.id, account_id=person.id, now=change.now)
        invitations.revoke_all(change.connection, source.id, change.now)
        change.enter_in_ledger("merged", target, **{"from": source.id})
        return change.read_team(target.id)


def _refuse(change: TeamTransaction, target: TeamRecord, source: TeamRecord, *, kind: str) -> None:
    rules = change.live.rules
    if kind != "merge":
        raise ConflictError("this code invites a person to join; ask for a merge code")
    if not rules.teams.merging:
        raise ConflictError("teams cannot merge in this competition")
    until: datetime | None = rules.teams.merge_until
    if change.is_closed or (until is not None and change.now > until):
        raise DeadlinePassedError("teams can no longer merge in this competition")
    if target.id == source.id:
        raise ConflictError("a team cannot merge with itself; give this code to the other team")
    refuse_inactive(target)
    refuse_inactive(source)
    refuse_while_pending(change.connection, [target.id, source.id])
    people = sum(members.count_members(change.connection, team.id) for team in (target, source))
    refuse_too_many(change, target, people)
    attempts, total = target.attempts + source.attempts, rules.limits.total
    if total is not None and attempts > total + max(target.extra_total, source.extra_total):
        raise ConflictError(f"together the teams have made {attempts} submissions, more than the {total} allowed")


def _merge_memories(change: TeamTransaction, target: TeamRecord, source: TeamRecord, twins: Mapping[str, str]) -> None:
    live, connection = change.live, change.connection
    own, version = instances.read_versioned_state(connection, live.slug, target.id)
    others = instances.read_state(connection, live.slug, source.id)
    if others is None:
        return
    start, kept, other = _state(live, target, None), _state(live, target, own), _state(live, source, others)
    merged = merge_states(kept, other, start=start, yardstick=live.yardstick)
    proof = replace(merged.proof, submission=twins.get(merged.proof.submission, merged.proof.submission))
    merged = replace(merged, incumbent=twins.get(merged.incumbent, merged.incumbent), proof=proof)
    instances.replace_state(
        connection,
        live.slug,
        target.id,
        state_version=version,
        state=merged.to_json(),
        bits=live.leakage(merged).bits or 0.0,
    )
    members.clear_bits(connection, live.slug, source.id)


def _state(live: LiveCompetition, team: TeamRecord, text: str | None) -> State:
    state = live.memory(team.id, text)
    assert isinstance(state, State), "each team has a memory of its own"
    return state


def _merge_on_the_board(change: TeamTransaction, target: TeamRecord, source: TeamRecord) -> None:
    live, connection = change.live, change.connection
    key = live.instance_key(target.id, "live")
    state, version = instances.read_versioned_state(connection, live.slug, key)
    if state is None:
        return
    before, start = _board(live, key, state), _board(live, key, None)
    after = merge_rungs(before, target.id, source.id, empty=start.rungs[0], yardstick=live.yardstick)
    bits = live.leakage(after).bits or 0.0
    instances.replace_state(connection, live.slug, key, state_version=version, state=after.to_json(), bits=bits)
    update_rungs(connection, before, after)


def _board(live: LiveCompetition, key: str, text: str | None) -> RungBoard:
    board = live.memory(key, text)
    assert isinstance(board, RungBoard), "all teams are in one memory"
    return board


def _merge_rows(change: TeamTransaction, target: TeamRecord, source: TeamRecord) -> None:
    connection, live = change.connection, change.live
    better = min((target, source), key=_place)
    quotas = [compute_quota(live, team, change.now) for team in (target, source)]
    values: dict[str, Any] = {
        "attempts": target.attempts + source.attempts,
        "accepts": target.accepts + source.accepts,
        "quota_day": max(quota.day for quota in quotas),
        "quota_used": sum(quota.used_today for quota in quotas),
        "extra_per_day": max(target.extra_per_day, source.extra_per_day),
        "extra_total": max(target.extra_total, source.extra_total),
        "last_improvement": better.last_improvement,
        "last_improved_at": better.last_improved_at,
        "last_submitted_at": max(
            (team.last_submitted_at for team in (target, source) if team.last_submitted_at is not None), default=None
        ),
    }
    if not live.is_ranked:
        values |= BoardEntry(better.board_order, better.board_value, better.standard_error)._asdict()
    teams.change(connection, target.id, **values)
    teams.change(connection, source.id, status="merged", merged_into=target.id)
    members.move_members(connection, source=source.id, target=target.id)


def _place(team: TeamRecord) -> tuple[float, float]:
    """Order of two teams on the board: lower is better, ties go to the earlier improvement."""
    order = float("inf") if team.board_order is None else team.board_order
    return order, float("inf") if team.last_improvement is None else team.last_improvement
