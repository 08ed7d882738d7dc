"""The final submissions of a team: those it picked, or else its incumbent and its latest."""

from collections.abc import Sequence
from dataclasses import dataclass

from ladderboard.core.errors import ConflictError, NotFoundError, ParameterError
from ladderboard.core.records import BASELINE
from ladderboard.mechanisms.rungs import RungBoard
from ladderboard.server.audit import sql as ledger
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection
from ladderboard.server.results.records import FinalSubmission
from ladderboard.server.results.sql import results
from ladderboard.server.services import Services
from ladderboard.server.submissions.records import EntryKind
from ladderboard.server.submissions.sql import attempts
from ladderboard.server.teams.records import TeamRecord
from ladderboard.server.teams.sql import teams


@dataclass(frozen=True)
class Finals:
    """What counts for a team at the end. ``are_picked``: by the team; otherwise they are the default."""

    submissions: tuple[FinalSubmission, ...]
    are_picked: bool
    most: int


def read_team_finals(connection: Connection, live: LiveCompetition, team: TeamRecord) -> Finals:
    """The finals of a team as they stand."""
    picked = results.list_picks(connection, team.id)
    found = picked if picked else _default(connection, live, team)
    return Finals(tuple(found), bool(picked), live.rules.finals)


def read_finals(services: Services, slug: str, team_id: str) -> Finals:
    """The finals of a team."""
    with services.database.reading() as connection:
        return read_team_finals(connection, services.competition(slug), teams.get(connection, team_id))


def pick_finals(services: Services, slug: str, team_id: str, submission_ids: Sequence[str]) -> Finals:
    """Replace a team's picks; none: back to the default. Possible until the competition is finalized.

    Raises `ParameterError` for too many, `NotFoundError` for what is not the team's own or came late.
    """
    live, wanted = services.competition(slug), list(dict.fromkeys(submission_ids))
    if len(wanted) > live.rules.finals:
        raise ParameterError(f"{len(wanted)} submissions are picked; at most {live.rules.finals} count at the end")
    with services.database.transaction() as connection:
        row, now = attempts.hold(connection, slug), services.database.now(connection)
        if row.finalized_at is not None:
            raise ConflictError("the competition is finalized; picks can no longer be changed")
        team = teams.get(connection, team_id)
        found = {one.id for one in results.list_eligible(connection, team_id, wanted, entry_kind="live")}
        missing = [one for one in wanted if one not in found]
        if missing:
            raise NotFoundError(
                f"{missing[0]} is not a submission that your team made before the deadline",
                id=missing[0],
            )
        results.replace_picks(connection, team_id, wanted, now)
        body = {"team": team_id, "picks": len(wanted)}
        opening = {"submissions": wanted}
        ledger.append(
            connection, slug, kind="finals_picked", at=now, body=body, opening=opening, salt=team.salt, team_id=team_id
        )
        return read_team_finals(connection, live, team)


def _default(connection: Connection, live: LiveCompetition, team: TeamRecord) -> list[FinalSubmission]:
    """The incumbent and the latest; the incumbent alone where one counts; what was never accepted: the latest."""
    kind: EntryKind = "baseline" if team.kind == "baseline" else "live"
    newest = results.find_latest(connection, team.id, entry_kind=kind)
    incumbent = _find_incumbent(connection, live, team, kind)
    held = [] if incumbent is None else results.list_eligible(connection, team.id, [incumbent], entry_kind=kind)
    if newest is not None and newest.id not in {one.id for one in held}:
        held.append(newest)
    return held[: live.rules.finals]


def _find_incumbent(connection: Connection, live: LiveCompetition, team: TeamRecord, kind: EntryKind) -> str | None:
    """Find the submission that the team's number on the board is about."""
    key = live.instance_key(team.id, kind)
    state = attempts.read_context(connection, live.slug, key, team.id).state
    if state is None:
        return None
    memory = live.memory(key, state)
    if isinstance(memory, RungBoard):
        rung = memory.find_rung(team.id)
        return None if rung is None else memory.rungs[rung].state.incumbent
    return None if memory.incumbent == BASELINE else memory.incumbent
