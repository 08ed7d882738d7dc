"""Extra submissions for one team, granted by an organiser and recorded in the ledger."""

from ladderboard.core.errors import ConflictError, NotFoundError, ParameterError
from ladderboard.server.db.database import Database
from ladderboard.server.db.rows import competitions, ledger, teams
from ladderboard.server.people.names import name_key
from ladderboard.server.submissions.eligibility import STATUS_WORDS
from ladderboard.server.teams.records import GrantBody, TeamRecord

MOST_EXTRA = 100_000


def read_grant(database: Database, slug: str, name: str) -> GrantBody:
    """Read what a team has been granted."""
    with database.reading() as connection:
        competitions.get(connection, slug)
        return _grant(_team(teams.find_named(connection, slug, name_key(name)), name))


def grant(
    database: Database, slug: str, name: str, *, per_day: int | None = None, total: int | None = None, reason: str = ""
) -> GrantBody:
    """Allow a team more submissions than the rules' limits, each day and in total; None leaves a number as it is."""
    for word, number in (("per day", per_day), ("in total", total)):
        if number is not None and not 0 <= number <= MOST_EXTRA:
            raise ParameterError(
                f"{number} extra submissions {word} is not possible; give a number from 0 to {MOST_EXTRA}"
            )
    with database.transaction() as connection:
        competitions.get(connection, slug)
        competitions.hold(connection, slug)
        team = _team(teams.find_named(connection, slug, name_key(name)), name)
        if team.status != "active":
            raise ConflictError(f"the team {team.name!r} is {STATUS_WORDS[team.status]}, so it cannot submit")
        values = {
            "extra_per_day": team.extra_per_day if per_day is None else per_day,
            "extra_total": team.extra_total if total is None else total,
        }
        teams.change(connection, team.id, **values)
        body = {"team": team.id, **values, "reason": reason}
        ledger.append(connection, slug, kind="quota_granted", at=database.now(connection), body=body, team_id=team.id)
        return _grant(teams.get(connection, team.id))


def _team(found: TeamRecord | None, name: str) -> TeamRecord:
    if found is None or found.kind != "team":
        raise NotFoundError(f"there is no team {name!r}")
    return found


def _grant(team: TeamRecord) -> GrantBody:
    return GrantBody(team.name, team.extra_per_day, team.extra_total, team.attempts)
