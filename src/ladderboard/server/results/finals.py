"""The final submissions of a team: those it picked, or else its incumbent and its latest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ladderboard.core.errors import ConflictError, NotFoundError, ParameterError
from ladderboard.core.records import BASELINE, State
from ladderboard.mechanisms.rungs import RungBoard
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection
from ladderboard.server.db.rows import competitions, instances, ledger, teams
from ladderboard.server.results import sql
from ladderboard.server.services import Services
from ladderboard.server.submissions.records import OwnSubmission
from ladderboard.server.teams.records import TeamRecord

TEAMS_AT_ONCE = 500
"""Teams whose finals are read with the same few statements."""


@dataclass(frozen=True)
class Finals:
    """What counts for a team at the end. ``are_picked``: by the team; otherwise they are the default."""

    submissions: tuple[OwnSubmission, ...]
    are_picked: bool
    most: int


def list_finals(connection: Connection, live: LiveCompetition, teams: Sequence[TeamRecord]) -> list[Finals]:
    """List the finals of teams as they stand, in the order of the teams; a few statements for hundreds of teams."""
    found: list[Finals] = []
    for start in range(0, len(teams), TEAMS_AT_ONCE):
        found += _list_finals(connection, live, teams[start : start + TEAMS_AT_ONCE])
    return found


def _list_finals(connection: Connection, live: LiveCompetition, teams: Sequence[TeamRecord]) -> Iterator[Finals]:
    picks = _group(sql.list_picks(connection, [team.id for team in teams]))
    others = [team for team in teams if team.id not in picks]
    latest = _group(sql.list_latest(connection, live.slug, [team.id for team in others]))
    incumbents = _find_incumbents(connection, live, others)
    held = _group(sql.list_eligible(connection, list(incumbents.values())))
    for team in teams:
        # The incumbent and the latest; the incumbent alone where one counts; what was never accepted: the latest.
        own = [one for one in held.get(team.id, []) if one.id == incumbents.get(team.id)]
        own += [one for one in latest.get(team.id, []) if one.id != incumbents.get(team.id)]
        most = live.rules.finals
        yield Finals(tuple(picks.get(team.id) or own[:most]), team.id in picks, most)


def _group(found: Sequence[OwnSubmission]) -> dict[str, list[OwnSubmission]]:
    groups: dict[str, list[OwnSubmission]] = {}
    for one in found:
        groups.setdefault(one.team_id, []).append(one)
    return groups


def read_finals(services: Services, slug: str, team_id: str) -> Finals:
    """The finals of a team."""
    with services.database.reading() as connection:
        return list_finals(connection, services.competition(slug), [teams.get(connection, team_id)])[0]


def pick_finals(services: Services, slug: str, team_id: str, submission_ids: Sequence[str]) -> Finals:
    """Replace a team's picks; none: back to the default. Possible until the competition is finalized.

    Raises `ParameterError` for too many, `NotFoundError` for what is not the team's own or came late.
    """
    live, wanted = services.competition(slug), list(dict.fromkeys(submission_ids))
    if len(wanted) > live.rules.finals:
        raise ParameterError(f"{len(wanted)} submissions are picked; at most {live.rules.finals} count at the end")
    with services.database.transaction() as connection:
        row, now = competitions.hold(connection, slug), services.database.now(connection)
        if row.finalized_at is not None:
            raise ConflictError("the competition is finalized; picks can no longer be changed")
        team = teams.get(connection, team_id)
        found = {one.id for one in sql.list_eligible(connection, wanted) if one.team_id == team_id}
        missing = [one for one in wanted if one not in found]
        if missing:
            raise NotFoundError(
                f"{missing[0]} is not a submission that your team made before the deadline",
                id=missing[0],
            )
        sql.replace_picks(connection, team_id, wanted, now)
        body = {"team": team_id, "picks": len(wanted)}
        opening = {"submissions": wanted}
        ledger.append(
            connection, slug, kind="finals_picked", at=now, body=body, opening=opening, salt=team.salt, team_id=team_id
        )
        return list_finals(connection, live, [team])[0]


def _find_incumbents(connection: Connection, live: LiveCompetition, teams: Sequence[TeamRecord]) -> dict[str, str]:
    """Team → the submission that its number on the board is about; teams that were never accepted are not in it."""
    keys = {team.id: live.instance_key(team.id, "baseline" if team.kind == "baseline" else "live") for team in teams}
    texts = instances.read_states(connection, live.slug, list(dict.fromkeys(keys.values())))
    memories = {key: live.memory(key, text) for key, text in texts.items()}
    found = {team_id: _find_incumbent(memories[key], team_id) for team_id, key in keys.items() if key in memories}
    return {team_id: name for team_id, name in found.items() if name is not None}


def _find_incumbent(memory: State | RungBoard, team_id: str) -> str | None:
    if isinstance(memory, RungBoard):
        rung = memory.find_rung(team_id)
        return None if rung is None else memory.rungs[rung].state.incumbent
    return None if memory.incumbent == BASELINE else memory.incumbent
