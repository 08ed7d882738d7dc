"""A team's own submissions, which nobody else may see."""

from dataclasses import dataclass

from ladderboard.core.errors import NoTeamError, NotFoundError
from ladderboard.core.records import Release
from ladderboard.mechanisms.outcomes import Outcome, OutcomeName, find_own_value
from ladderboard.server.boards.standings import NOWHERE, Place, find_place
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection
from ladderboard.server.db.rows import competitions, instances, teams
from ladderboard.server.db.rows.teams import find_team_id
from ladderboard.server.people.roles import Person, require
from ladderboard.server.results.own_scores import find_best_pick, find_own_scores
from ladderboard.server.results.records import BestPickBody
from ladderboard.server.services import Services
from ladderboard.server.submissions.outcomes import answer_repetition, describe_submission, name_outcomes
from ladderboard.server.submissions.records import (
    NO_SCORES,
    OwnScores,
    OwnSubmission,
    SubmissionOutcome,
    refuse_long_note,
)
from ladderboard.server.submissions.sql import submissions
from ladderboard.server.teams.records import TeamRecord


@dataclass(frozen=True)
class NamedSubmission:
    """One of a team's own submissions with what follows from those before it."""

    row: OwnSubmission
    attempt: int
    """Which one of the team's submissions it is: 1, 2, …"""
    outcome: OutcomeName
    own_value: float | None
    """The score that was shown for this submission itself; None where none was."""
    scores: OwnScores = NO_SCORES
    """After the reveal."""


@dataclass(frozen=True)
class SubmissionDetails:
    """What stands around one submission on its page."""

    attempt: int
    outcome: Outcome
    own_value: float | None
    scores: OwnScores
    place: Place
    sender: str | None


def find_submitting_team(services: Services, slug: str, person: Person) -> str:
    """Find the team that ``person`` submits for, under the rules of now; raises `NoTeamError` where there is none."""
    services.competition(slug)  # raises where there is none
    with services.database.reading() as connection:
        own_team = find_team_id(connection, slug, person.id)
        live = services.follow_rules(slug, competitions.read_dates(connection, slug).rules)
    if own_team is None and person.may_compete_in(slug):
        require(person, "join", live.rules)
        raise NoTeamError(
            "you have no team in this competition yet; create one (on the page Team, or with "
            "`ladderboard team create NAME`) or accept an invitation, then submit"
        )
    require(person, "submit", live.rules, own_team=own_team)
    assert own_team is not None
    return own_team


def list_own(
    services: Services, slug: str, person: Person, *, offset: int, limit: int
) -> tuple[list[NamedSubmission], int]:
    """List a part of the team's submissions, newest first, and count all of them."""
    live = services.competition(slug)
    with services.database.reading() as connection:
        team_id = _find_team(connection, live, person)
        if team_id is None:
            return [], 0
        rows = submissions.list_own(connection, team_id, offset=offset, limit=limit)
        total = submissions.count_own(connection, team_id)
        return _name(connection, live, rows, newest=total - offset), total


def find_own(services: Services, slug: str, person: Person, submission_id: str) -> OwnSubmission:
    """Find the team's submission of that id; raises `NotFoundError` also for another team's."""
    with services.database.reading() as connection:
        team_id = _find_team(connection, services.competition(slug), person)
        found = None if team_id is None else submissions.find_own(connection, team_id, submission_id)
    if found is None:
        raise NotFoundError("there is no such submission, or it is not your team's")
    return found


def name_own(services: Services, live: LiveCompetition, row: OwnSubmission) -> NamedSubmission:
    """Name the outcome of a submission that `find_own` has returned."""
    with services.database.reading() as connection:
        attempt = submissions.count_up_to(connection, row.team_id, row.number)
        return _name(connection, live, [row], newest=attempt)[0]


def list_outcomes(services: Services, team_id: str, *, most: int) -> list[SubmissionOutcome]:
    """List the releases of a team's last submissions before the deadline, oldest first."""
    with services.database.reading() as connection:
        return submissions.list_outcomes(connection, team_id, most=most)


MOST_LOOKED_AT = 10_000
"""Submissions of a team among which its best pick is looked for."""


def read_best_pick(services: Services, slug: str, team_id: str) -> BestPickBody | None:
    """Read what would have been the team's best pick; None before the reveal, and as `find_best_pick` says."""
    with services.database.reading() as connection:
        if competitions.read_competition(connection, slug).revealed_at is None:
            return None
        rows = submissions.list_own(connection, team_id, offset=0, limit=MOST_LOOKED_AT)
        return find_best_pick(connection, services.competition(slug), rows)


def read_details(
    services: Services, live: LiveCompetition, submission: OwnSubmission, *, is_repeat: bool = False
) -> SubmissionDetails:
    """Read what stands around a submission that `find_own` has returned; ``is_repeat``: it was sent again just now."""
    release = Release.from_dict(submission.release)
    with services.database.reading() as connection:
        team = teams.get(connection, submission.team_id)
        return SubmissionDetails(
            attempt=submissions.count_up_to(connection, team.id, submission.number),
            outcome=_describe(connection, live, submission, release, team=team, is_repeat=is_repeat),
            own_value=find_own_value(release, live.mechanism),
            scores=find_own_scores(connection, live, [submission]).get(submission.id, NO_SCORES),
            # A late entry stands apart from the board: it has no place there.
            place=NOWHERE if submission.phase == "late" else find_place(connection, live, team),
            sender=submissions.find_sender(connection, submission.id),
        )


def read_place(services: Services, live: LiveCompetition, team: TeamRecord) -> Place:
    """Read the place of a team on the board."""
    with services.database.reading() as connection:
        return find_place(connection, live, team)


def change_note(services: Services, submission_id: str, note: str) -> None:
    """Replace the note on a submission that `find_own` has returned. Raises `ParameterError` where it is too long."""
    refuse_long_note(note)
    with services.database.transaction() as connection:
        submissions.change_note(connection, submission_id, note)


def _describe(
    connection: Connection,
    live: LiveCompetition,
    submission: OwnSubmission,
    release: Release,
    *,
    team: TeamRecord,
    is_repeat: bool,
) -> Outcome:
    if is_repeat:
        state = instances.read_state(connection, live.slug, live.instance_key(team.id, submission.phase))
        return answer_repetition(
            connection, live, release, team_id=team.id, submission=submission.id, kind=submission.phase, state=state
        )[1]
    number, kind = submission.number, submission.phase
    return describe_submission(connection, live, release, team=team, number=number, kind=kind)


def _name(
    connection: Connection, live: LiveCompetition, rows: list[OwnSubmission], *, newest: int
) -> list[NamedSubmission]:
    names = name_outcomes(connection, live, rows)
    scores = find_own_scores(connection, live, rows)
    return [
        NamedSubmission(
            row,
            newest - i,
            name,
            find_own_value(Release.from_dict(row.release), live.mechanism),
            scores.get(row.id, NO_SCORES),
        )
        for i, (row, name) in enumerate(zip(rows, names, strict=True))
    ]


def _find_team(connection: Connection, live: LiveCompetition, person: Person) -> str | None:
    own_team = find_team_id(connection, live.slug, person.id)
    require(person, "see_competition", live.rules, own_team=own_team)
    return own_team
