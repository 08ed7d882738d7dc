"""The submissions a team stands by: those it picked, or else its incumbent and its latest."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row

from ladderboard.core.errors import ConflictError, NotFoundError, ParameterError
from ladderboard.core.records import BASELINE
from ladderboard.core.words import translatable
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.hosting.services import Services
from ladderboard.mechanisms.rungs import RungBoard
from ladderboard.store import attempts, ledger, results, teams
from ladderboard.store.records import TeamRecord


@dataclass(frozen=True)
class Finals:
    """What counts for a team at the end. ``are_picked``: by the team; otherwise they are the default."""

    submissions: tuple[Row[Any], ...]
    are_picked: bool
    most: int


def finals_of(connection: Connection, live: LiveCompetition, team: TeamRecord | Row[Any]) -> Finals:
    """The finals of a team as they stand; ``team`` is its row."""
    picked = results.picked(connection, team.id)
    found = picked if picked else _default(connection, live, team)
    return Finals(tuple(found), bool(picked), live.rules.finals)


def read_finals(services: Services, slug: str, team_id: str) -> Finals:
    """The finals of a team."""
    with services.database.reading() as connection:
        return finals_of(connection, services.competition(slug), teams.get(connection, team_id))


def pick_finals(services: Services, slug: str, team_id: str, submission_ids: Sequence[str]) -> Finals:
    """Replace a team's picks; none: back to the default. Possible until the competition is finalized.

    Raises `ParameterError` for too many, `NotFoundError` for what is not the team's own or came late.
    """
    live, wanted = services.competition(slug), list(dict.fromkeys(submission_ids))
    if len(wanted) > live.rules.finals:
        raise ParameterError(
            translatable(
                "{count} submissions are picked; at most {finals} count at the end",
                count=len(wanted),
                finals=live.rules.finals,
            )
        )
    with services.database.transaction() as connection:
        row, now = attempts.hold(connection, slug), services.database.now(connection)
        if row.finalized_at is not None:
            raise ConflictError(translatable("the competition is finalized; picks can no longer be changed"))
        team = teams.get(connection, team_id)
        found = {one.id for one in results.counted(connection, team_id, wanted, phase="live")}
        missing = [one for one in wanted if one not in found]
        if missing:
            raise NotFoundError(
                translatable("{id} is not a submission of your team that was made in time", id=missing[0]),
                id=missing[0],
            )
        results.pick(connection, team_id, wanted, now)
        body = {"team": team_id, "picks": len(wanted)}
        opening = {"submissions": wanted}
        ledger.append(
            connection, slug, kind="finals_picked", at=now, body=body, opening=opening, salt=team.salt, team_id=team_id
        )
        return finals_of(connection, live, team)


def _default(connection: Connection, live: LiveCompetition, team: TeamRecord | Row[Any]) -> Sequence[Row[Any]]:
    """The incumbent and the latest; the incumbent alone where one counts; what was never accepted: the latest."""
    phase = "baseline" if team.kind == "baseline" else "live"
    newest = results.latest(connection, team.id, phase=phase)
    incumbent = _incumbent(connection, live, team, phase)
    held = [] if incumbent is None else list(results.counted(connection, team.id, [incumbent], phase=phase))
    if newest is not None and newest.id not in {one.id for one in held}:
        held.append(newest)
    return held[: live.rules.finals]


def _incumbent(connection: Connection, live: LiveCompetition, team: TeamRecord | Row[Any], phase: str) -> str | None:
    """The submission that the team's number on the board is about."""
    key = live.instance_key(team.id, phase)
    state = attempts.read_position(connection, live.slug, key, team.id).state
    if state is None:
        return None
    memory = live.memory(key, state)
    if isinstance(memory, RungBoard):
        rung = memory.rung_of(team.id)
        return None if rung is None else memory.rungs[rung].state.incumbent
    return None if memory.incumbent == BASELINE else memory.incumbent
